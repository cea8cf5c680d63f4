//! `ruse explain`: explains a learned strategy to people who want to play like it.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_lab::{DefaultPairs, StrategyFile, Training, as_typed, champion_file};
use ruse_optimise::exploit::{Bracket, Exploitability, MeasureEffort, Response};
use ruse_play::family::{AnyFamily, BASELINE, Player};
use ruse_play::score::{Divergence, Estimate, Example, Until, score as score_of};
use ruse_registry::Registry;
use ruse_report::discovery::{nothing_found, scores_of, worst_case_in_words};
use serde::Serialize;
use serde_json::{Value, json};

use super::ablation::{Ablation, AblationArgs};
use super::arguments::{MachineArgs, parse_games, parse_seed};
use super::exploit::measured;
use super::failure::{Failure, Result};
use super::format::{
    counted, digits, four, interval, paragraph, percent, score, sentence, terminal, text,
};
use super::output::{self, Answer};
use super::show::mixture_table;
use super::verbosity::say;

/// Explain a learned strategy: how to play it, how good it is, how it differs from common play
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// A strategy file from `ruse optimise` or `ruse portfolio`, the directory of a run, or a family, for the champion
    /// that the program has of it
    #[arg(value_name = "FILE|FAMILY")]
    file: PathBuf,
    /// Games to train a response to the strategy, as in 500k, if the best response is not known exactly; the score of
    /// the response is a lower bound
    #[arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true)]
    budget: Option<u64>,
    /// The seed of the games that are played for the explanation
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    #[command(flatten)]
    ablation: AblationArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

struct Explanation<'a> {
    /// The path as given on the command line.
    path: &'a Path,
    family: &'a dyn AnyFamily,
    file: &'a StrategyFile,
    /// The scores with the names of the opponents. The baseline comes first.
    scores: Vec<(String, Estimate)>,
    exploitability: Exploitability,
    common_play: Option<CommonPlay>,
    /// The worth of groups of parameters, if `--ablate` is given.
    ablation: Option<Ablation>,
}

/// The differences between a strategy and the play of most people.
#[derive(Serialize)]
struct CommonPlay {
    /// The name of the reference strategy that plays like most people. `meaning` describes it.
    #[serde(rename = "reference")]
    name: String,
    meaning: Cow<'static, str>,
    #[serde(skip)]
    score: Option<Estimate>,
    #[serde(flatten)]
    divergence: Divergence,
}

pub(super) fn explain(args: &ExplainArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let (shared, file) = read_strategy(&args.file, registry)?;
    let family = shared.as_ref();
    if args.ablation.wanted().is_some() && !file.mixture.is_empty() {
        return Err(Failure::with_advice(
            format!("{} is a mixture, which has no parameters of its own", args.file.display()),
            "name the file of one of its members with --ablate",
        ));
    }
    let strategy = file.contestant();
    let scores = scores(args, family, &file, &strategy, stop)?;
    let training = args.budget.map(|budget| {
        let training = Training { budget: Some(budget), ..Training::usual(args.seed) };
        training.search(&shared, &strategy, registry)
    });
    let search = training.transpose()?;
    // An opponent with a known score is a response. Among sampled scores, the largest would be too large by luck.
    let known = scores.iter().filter(|(_, score)| score.is_exact());
    let known =
        known.map(|(name, score)| (0.5 - score.score, format!("the opponent {name}, exact")));
    let effort = MeasureEffort {
        seed: args.seed,
        known: known.collect(),
        search: search.as_ref(),
        stop: stop.clone(),
        ..MeasureEffort::default()
    };
    let mut exploitability = measured(family, &strategy, effort)?;
    // A search that was interrupted may not have trained anything.
    if stop.check().is_err() && !exploitability.bracket.is_exact() {
        exploitability.response = Response::Unknown;
    }
    let explanation = Explanation {
        path: &args.file,
        family,
        file: &file,
        exploitability,
        common_play: unless_stopped(common_play(args, family, &strategy, &scores, stop))?,
        ablation: unless_stopped(args.ablation.measure(family, &file.parameters, args.seed, stop))?,
        scores,
    };
    output::write(&explanation, args.json)?;
    stop.check().map_err(|_| Failure::Interrupted)
}

/// Returns a part of the explanation; `None` if it was interrupted.
fn unless_stopped<T>(part: Result<Option<T>>) -> Result<Option<T>> {
    match part {
        Err(Failure::Interrupted) => Ok(None),
        part => part,
    }
}

/// Reads the strategy file at `path`, and returns its family and the file. If the path does not exist, it is taken as
/// the name of a family, whose built-in champion is returned.
fn read_strategy(path: &Path, registry: &Registry) -> Result<(Arc<dyn AnyFamily>, StrategyFile)> {
    if path.exists() {
        let file = StrategyFile::read(path)?;
        let family = file.family(registry)?.with_rules(&file.rules)?;
        let file = file.checked(path, family.as_ref())?;
        return Ok((family, file));
    }
    let name = path.display();
    let Ok(family) = registry.family(&path.to_string_lossy()) else {
        return Err(Failure::with_advice(
            format!("there is no file {name}"),
            "name the directory of a run, or a strategy file, which `ruse optimise` writes",
        ));
    };
    let Some(file) = champion_file(family.as_ref()) else {
        let find = match registry.road(family.name())? {
            Some(road) if road.is_small => format!("`ruse solve {name}` finds and explains one"),
            _ => format!("`ruse optimise {name}` finds one"),
        };
        return Err(Failure::with_advice(
            format!("{name} is a family, and the program has no champion of it"),
            format!("name a strategy file, or the directory of a run; {find}"),
        ));
    };
    Ok((family, file))
}

/// Returns the scores in the file if new games agree with them, or if a program would have to play these games.
/// Otherwise, the file may have been changed, and the new scores are returned. If the games are interrupted, only the
/// scores so far are compared or returned.
fn scores(
    args: &ExplainArgs,
    family: &dyn AnyFamily,
    file: &StrategyFile,
    strategy: &Player,
    stop: &StopSignal,
) -> Result<Vec<(String, Estimate)>> {
    /// Divides the default number of pairs of an evaluation. A tenth measures a score well enough.
    const FEWER: u64 = 10;
    if !file.descriptions.is_empty() {
        say("a program plays the games, and is not started: the scores are from the file");
        return Ok(scores_of(file, family));
    }
    let references = family.references();
    let opponents = std::iter::once((BASELINE, Player::Redrawn))
        .chain(references.iter().map(|r| (&*r.name, Player::Named(r.name.to_string()))));
    let pairs = DefaultPairs::of(family).evaluation / FEWER;
    let mut scores = Vec::new();
    for (index, (name, opponent)) in (0..).zip(opponents) {
        let key = StreamKey::root(args.seed).child(Label::Evaluation, index);
        let duel = family.duel(strategy, &opponent)?;
        let (scored, played) = score_of(&duel, key, Until::Pairs(pairs), stop, |_| ());
        scores.extend(scored.estimate().map(|score| (name.to_string(), score)));
        if played.is_err() {
            break;
        }
    }
    let Some(estimate) = file.score_against_baseline else { return Ok(scores) };
    let has_other_baseline = file.found.as_ref().is_some_and(|found| found.baseline.is_some());
    let of_file = |name: &str| match name {
        BASELINE => (!has_other_baseline).then_some(estimate),
        name => file.score_against_references.get(name).copied(),
    };
    let is_other = |(name, now): &(String, Estimate)| {
        of_file(name).is_some_and(|of_file| differs_clearly(&of_file, now))
    };
    if scores.iter().any(is_other) {
        say("the scores in the file do not match this strategy: these are from new games");
        return Ok(scores);
    }
    let mut scores = scores_of(file, family);
    scores.retain(|(name, _)| name != BASELINE);
    scores.insert(0, (BASELINE.to_string(), estimate));
    Ok(scores)
}

/// Returns `true` if two estimates differ too much to be of the same score: if their intervals, widened to 4.9 standard
/// deviations, do not overlap. This happens by chance once in a million comparisons.
fn differs_clearly(a: &Estimate, b: &Estimate) -> bool {
    /// Widens the half-width of 95% intervals from 1.96 to 4.9 standard deviations.
    const WIDER: f64 = 2.5;
    /// The tolerance for exact scores, which builds may round differently.
    const ROUNDING: f64 = 1e-6;
    (a.score - b.score).abs() > WIDER * (a.half_width() + b.half_width()) + ROUNDING
}

fn common_play(
    args: &ExplainArgs,
    family: &dyn AnyFamily,
    strategy: &Player,
    scores: &[(String, Estimate)],
    stop: &StopSignal,
) -> Result<Option<CommonPlay>> {
    /// Divides the default number of pairs of an evaluation. The rest determines shares of decisions to within one or
    /// two percent.
    const FEWER: u64 = 50;
    let measures = family.capabilities().measures;
    let Some((name, measures)) = family.info().common_play.zip(measures) else { return Ok(None) };
    let meaning = family.references().into_iter().find(|reference| reference.name == name);
    let pairs = (DefaultPairs::of(family).evaluation / FEWER).max(10);
    let key = StreamKey::root(args.seed).child(Label::CommonPlay, 0);
    let divergence = measures.divergence(strategy, name, key, pairs, stop)?;
    Ok(Some(CommonPlay {
        name: name.to_string(),
        meaning: meaning.map_or("".into(), |reference| reference.meaning),
        score: scores.iter().find(|(opponent, _)| opponent == name).map(|(_, score)| *score),
        divergence,
    }))
}

/// Returns the precision of a score in brackets: "exact", or the interval and the number of pairs.
fn evidence(estimate: &Estimate) -> String {
    match estimate.is_exact() {
        true => " (exact)".to_string(),
        false => {
            let pairs = counted(estimate.pairs, "pair");
            format!(" (95% interval {}, {pairs})", interval(estimate))
        }
    }
}

impl Explanation<'_> {
    /// Returns the strategy's rules of play in words.
    fn rules(&self) -> Vec<String> {
        let words = self.file.in_words(self.family).expect("the parameters were checked");
        words.split("; ").map(|rule| rule.trim().to_string()).collect()
    }

    /// Returns a remark if the run found nothing better than its start, otherwise an empty text.
    fn nothing(&self) -> String {
        nothing_found(self.file, self.family).map_or(String::new(), |nothing| paragraph(&nothing))
    }

    fn how_it_plays(&self) -> String {
        if self.file.mixture.is_empty() {
            return paragraph(&sentence(&self.rules().join("; ")));
        }
        let mixed = paragraph(
            " Before every pair of games it draws one of these by its weight, and plays it:",
        );
        mixed + &text(&mixture_table(self.family, &self.file.mixture, usize::MAX))
    }

    fn exploitability(&self) -> String {
        let family = self.family;
        let Exploitability { bracket, .. } = &self.exploitability;
        let best = self.exploitability.score();
        if let (None, Some(worst)) = (best, worst_case_in_words(self.file)) {
            return paragraph(&worst);
        }
        let known = match best {
            Some(best) if bracket.is_exact() && best.score < 0.5 + 5e-5 => {
                "No strategy beats it on average: the best response to it scores one half (exact).".to_string()
            }
            Some(best) if bracket.is_exact() => format!(
                "The best response to it scores {} (exact): its exploitability is {}.",
                four(best.score),
                four(best.score - 0.5)
            ),
            Some(best) if best.score <= 0.5 => {
                "Responses were trained against it, and none of them scores more than one half. Better responses may \
                 still exist."
                    .into()
            }
            Some(best) => format!(
                "A response that was trained against it scores {}{}: its exploitability is at least {}.",
                score(best.score, digits(&best)),
                evidence(&best),
                score(best.score - 0.5, digits(&best)),
            ),
            None => format!(
                "Its exploitability is not known exactly; `ruse explain {} --budget {}` trains responses to it, which \
                 gives a lower bound.",
                self.path.display(),
                as_typed(family.info().default_budget),
            ),
        };
        let Bracket { low, high, high_basis, .. } = bracket;
        paragraph(&match !bracket.is_exact() && bracket.has_upper_bound() {
            true => format!("{known} It is in [{}, {}]: {high_basis}.", four(*low), four(*high)),
            false => known,
        })
    }
}

impl Answer for Explanation<'_> {
    fn answer(&self) -> String {
        /// The maximum numbers of lines for the rules of play and for the scores.
        const MAX_LINES: [usize; 2] = [10, 6];
        if self.ablation.is_some() {
            // With `--ablate`, a short answer would not fit on a screen.
            return self.page();
        }
        let scores = |num: usize| terminal().score_rows(&self.scores[..num]);
        let mut parts = vec![
            paragraph(&format!("{}: {}", self.family.name(), self.family.info().summary)),
            terminal().first_sentences(MAX_LINES[0], &(self.nothing() + &self.how_it_plays())),
        ];
        parts.push(terminal().first_rows(MAX_LINES[1], self.scores.len(), scores));
        parts.push(self.exploitability());
        parts.extend(self.common_play.as_ref().map(CommonPlay::account));
        terminal().on_a_screen(&parts, "")
    }

    fn page(&self) -> String {
        let family = self.family;
        let mut page = paragraph(&format!("{}: {}", family.name(), family.info().summary));
        let nothing = self.nothing();
        if !nothing.is_empty() {
            let _ = write!(page, "\n{nothing}");
        }
        let _ = write!(page, "\nHow it plays\n{}", self.how_it_plays());
        let _ = write!(page, "\nHow good it is\n{}", text(&terminal().score_rows(&self.scores)));
        page.push('\n');
        page += &self.exploitability();
        if let Some(ablation) = &self.ablation {
            let _ = write!(page, "\nWhat its parameters are worth\n{}", ablation.paragraphs());
        }
        if let Some(common) = &self.common_play {
            let _ = write!(page, "\nHow it differs from {}\n{}", common.name, common.paragraphs());
        }
        page
    }

    fn object(&self) -> Value {
        let bracket = &self.exploitability.bracket;
        json!({
            "family": self.family.name(),
            "improved": self.file.is_start().then_some(false),
            "rules": if self.file.mixture.is_empty() { json!(self.rules()) } else { Value::Null },
            "mixture": if self.file.mixture.is_empty() { Value::Null } else { json!(self.file.mixture) },
            "scores": self.scores.iter().map(|(name, estimate)| json!({
                "against": name,
                "score": estimate.score,
                "interval": estimate.interval,
                "confidence": estimate.confidence,
                "pairs": estimate.pairs,
                "exact": estimate.is_exact(),
            })).collect::<Vec<_>>(),
            "worst_case": self.file.worst(),
            "best_response": self.exploitability.score().map(|best| json!({
                "kind": match bracket.is_exact() { true => "exact", false => "lower_bound" },
                "best_response_score": best.score,
                "exploitability": best.score - 0.5,
                "interval": best.interval,
                "pairs": best.pairs,
            })),
            "exploitability": bracket,
            "ablation": self.ablation.as_ref().map(Ablation::object),
            "common_play": self.common_play,
        })
    }
}

impl CommonPlay {
    /// Describes how often the strategy differs from common play, and its score against it.
    fn account(&self) -> String {
        let Divergence { from_other, from_itself, decisions, pairs, .. } = self.divergence;
        let [low, high] = match from_other.interval.map(percent) {
            [low, high] if low == high => {
                from_other.interval.map(|at| format!("{:.2}", 100.0 * at))
            }
            interval => interval,
        };
        let mut text = format!(
            "The reference strategy {} {}. In {}% of its decisions this strategy does something else (95% interval \
             {low} to {high}%; {} in {} of games against it).",
            self.name,
            self.meaning,
            percent(from_other.share),
            counted(decisions, "decision"),
            counted(pairs, "pair"),
        );
        if from_itself.share >= 0.0005 {
            let _ = write!(
                text,
                " Two players of the strategy itself differ in {}%, by chance.",
                percent(from_itself.share)
            );
        }
        if let Some(estimate) = &self.score {
            let _ = write!(
                text,
                " It scores {} against {}{}.",
                score(estimate.score, digits(estimate)),
                self.name,
                evidence(estimate)
            );
        }
        paragraph(&text)
    }

    /// Describes the differences from common play, with an example.
    fn paragraphs(&self) -> String {
        let mut text = self.account();
        if let Some(Example { situation, own, other }) = &self.divergence.example {
            text += "\nFor example here:\n\n";
            for line in situation.lines() {
                let _ = writeln!(text, "{}", format!("    {line}").trim_end());
            }
            let name = format!("{}:", self.name);
            let width = name.len().max("its choice:".len());
            let _ = write!(text, "\n {:width$}  {own}\n {name:width$}  {other}\n", "its choice:");
        }
        text
    }
}
