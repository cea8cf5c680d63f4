//! The option `--ablate`, which measures how much groups of parameters contribute to the score of a strategy.

use clap::Args;
use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_lab::{AblationPlan, DefaultPairs, Finding, Worth, ablate, groups};
use ruse_play::family::{AnyFamily, Player};
use ruse_play::score::{CONFIDENCE, Difference};
use serde_json::{Value, json};

use super::failure::Result;
use super::format::{counted, four, grouped, paragraph, percent, signed, table_of, text};
use super::progress::{GROUPS, WorkProgress};

/// The option `--ablate`.
#[derive(Debug, Args)]
pub(super) struct AblationArgs {
    /// Measure the worth of groups of parameters: play with and without each group, on the same deals against the
    /// baseline. For an experiment, measure the parameters of the best champion of each family. Name groups as in
    /// `own,prior`, or by a pattern as in `prior-2-*` [default: all groups]
    #[arg(long, value_name = "GROUP,...", num_args = 0..=1, require_equals = true, value_delimiter = ',', default_missing_value = "")]
    ablate: Option<Vec<String>>,
}

pub(super) struct Ablation(Vec<Worth>);

impl AblationArgs {
    /// Measures the worth of each requested group of the parameters `theta`. Returns `None` without `--ablate`.
    pub(super) fn measure(
        &self,
        family: &dyn AnyFamily,
        theta: &[f64],
        seed: u64,
        stop: &StopSignal,
    ) -> Result<Option<Ablation>> {
        let Some(wanted) = self.wanted() else { return Ok(None) };
        let groups = groups(family, &wanted)?;
        let progress = WorkProgress::new(GROUPS, groups.len() as u64);
        let plan = AblationPlan {
            family,
            parameters: theta,
            groups,
            opponent: &Player::Redrawn,
            num_pairs: DefaultPairs::of(family).evaluation,
        };
        let on_group = |num_done: usize| progress.on_done(num_done as u64, None, "");
        let worths = ablate(plan, StreamKey::root(seed), stop, on_group)?;
        progress.finish();
        Ok(Some(Ablation(worths)))
    }

    /// Returns the names of the groups to measure; empty for all groups. Returns `None` without `--ablate`.
    pub(super) fn wanted(&self) -> Option<Vec<String>> {
        Some(self.ablate.as_ref()?.iter().filter(|name| !name.is_empty()).cloned().collect())
    }
}

/// Describes the effect of a group of parameters with a verb: "help" or "do harm".
fn in_words(finding: Finding) -> &'static str {
    match finding {
        Finding::Helps => "help",
        Finding::Harms => "do harm",
        Finding::Nothing => "change nothing",
        _ => "no effect seen",
    }
}

impl Ablation {
    /// Returns a table of the measured groups and the summary, for a terminal.
    pub(super) fn paragraphs(&self) -> String {
        let header = ["parameters", "number", "score without", "worth", "interval", "they"];
        let rows = self.0.iter().map(|worth| {
            let Worth { group, difference, .. } = worth;
            let Difference { mean, interval: [low, high], is_exact, .. } = *difference;
            [
                group.name.to_string(),
                grouped(group.members.len() as u64),
                worth.scores()[1].map_or("-".into(), four),
                signed(mean, 4),
                match is_exact {
                    true => "exact".into(),
                    false => format!("[{}, {}]", signed(low, 4), signed(high, 4)),
                },
                in_words(worth.finding()).into(),
            ]
        });
        text(&table_of(header, &[1, 2, 3, 4], rows)) + "\n" + &paragraph(&self.summary())
    }

    /// Explains the measurements, and names the groups that do harm.
    pub(super) fn summary(&self) -> String {
        let pairs = self.0.iter().map(|worth| worth.difference.pairs).max().unwrap_or(0);
        let mut said = format!(
            "`worth` is the score against the baseline minus the score with these parameters at 0, in {} with the same \
             deals. All intervals hold at once with {}% confidence.",
            counted(pairs, "pair"),
            percent(CONFIDENCE),
        );
        let harmful = self.0.iter().filter(|worth| worth.finding() == Finding::Harms);
        let harmful: Vec<&str> = harmful.map(|worth| &*worth.group.name).collect();
        if !harmful.is_empty() {
            said += &format!(
                " The strategy scores more without {}: these parameters were not learned.",
                harmful.join(", ")
            );
        }
        said
    }

    pub(super) fn object(&self) -> Value {
        let row = |worth: &Worth| {
            let Difference { mean, interval, confidence, pairs, is_exact, .. } = &worth.difference;
            json!({
                "group": worth.group.name,
                "parameters": worth.group.members,
                "score_without": worth.scores()[1],
                "worth": mean,
                "interval": interval,
                "confidence": confidence,
                "pairs": pairs,
                "exact": is_exact,
                "finding": worth.finding(),
            })
        };
        self.0.iter().map(row).collect()
    }
}
