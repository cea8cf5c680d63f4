//! `ruse match`: plays two strategies against each other.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Value, json};

use super::arguments::{PlayedArgs, parse_pairs, parse_seed};
use super::decision_file::DecisionFile;
use super::failure::Failure;
use super::figure_file::FigureFile;
use super::format::{counted as counted_of, digits, grouped, interval, paragraph, score};
use super::output::{self, Output};
use super::progress::WorkProgress;
use super::verbosity::say;
use crate::arena::{Counted, PairResult, Source, StopSignal};
use crate::family::{MatchError, Player};
use crate::figures::{MatchNames, MatchTrace};
use crate::lab::{Baseline, DefaultPairs, parse_sitter};
use crate::registry::Registry;
use crate::rng::{Label, StreamKey};
use crate::score::{self, CONFIDENCE, Estimate, SampleMean, Tally};

/// Play two strategies against each other, and score the first; exactly if possible
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// A strategy file, `baseline`, a reference strategy, or parameters as in [0,1.5,-2]
    a: String,
    /// The opponent of the first strategy, named in the same way
    b: String,
    /// Pairs of games: the same deal twice, with the seats swapped [default: a number that suits the family, or 0 if
    /// the score is known exactly]
    #[arg(long, value_name = "N", value_parser = parse_pairs, allow_hyphen_values = true)]
    pairs: Option<u64>,
    /// The meaning of `baseline`: parameters redrawn for every pair, or drawn once and fixed
    #[arg(long, value_name = "KIND", default_value = "redrawn", value_parser = ["redrawn", "fixed"])]
    baseline: String,
    /// The seed of all random numbers
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = parse_seed, allow_hyphen_values = true)]
    seed: u64,
    /// Draw how the interval of the score narrows with more games (FILE.svg, FILE.png or FILE.pdf)
    #[arg(long, value_name = "FILE")]
    plot: Option<FigureFile>,
    /// Write a line for each decision, with the number of legal actions, to a new CSV file
    #[arg(long, value_name = "FILE")]
    decisions: Option<PathBuf>,
    #[command(flatten)]
    pub(super) played: PlayedArgs,
}

pub(super) fn play_match(
    args: &MatchArgs,
    registry: &Registry,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let family = args.played.rules.apply(registry.family(&args.family)?.as_ref())?;
    let key = StreamKey::root(args.seed);
    let contestant = |text: &str| -> Result<Player, Failure> {
        match parse_sitter(text, family.as_ref())? {
            Player::Redrawn => {
                let baseline = Baseline::parse(&args.baseline, family.as_ref())?;
                Ok(baseline.contestant(family.as_ref(), key))
            }
            contestant => Ok(contestant),
        }
    };
    let (a, b) = (contestant(&args.a)?, contestant(&args.b)?);
    let duel = family.duel(&a, &b)?;
    let mut decisions = args.decisions.as_ref().map(DecisionFile::new).transpose()?;
    let counted = match &decisions {
        Some(_) => {
            let no_count = || {
                let message = format!(
                    "cannot count the actions of `{}`: --decisions needs a game that lists its actions, or that \
                     splits an action into choices in several slots",
                    family.name()
                );
                Failure::with_advice(message, "leave --decisions out")
            };
            Some(Counted::new(&duel).ok_or_else(no_count)?)
        }
        None => None,
    };
    let is_timed =
        |player: &Player| player.search().is_some_and(|search| !search.is_reproducible());
    let is_timed = is_timed(&a) || is_timed(&b);
    if is_timed {
        say(
            "a player thinks by the clock: results vary from run to run, and depend on the machine",
        );
    }
    let is_reproducible = !is_timed && family.is_reproducible();
    let key = key.child(Label::Match, 0);
    let known = score::known(&duel, key, stop).map_err(|_| no_score(registry))?;
    let exact = known.and_then(|scored| scored.exact);

    let num_pairs = match (args.pairs, exact) {
        (Some(num_pairs), _) => num_pairs,
        // A decision file needs at least one pair.
        (None, Some(_)) => u64::from(counted.is_some()),
        (None, None) => DefaultPairs::of_players(family.as_ref(), &[&a, &b]).evaluation,
    };
    let progress = WorkProgress::new("pairs", num_pairs);
    let mut trace = args.plot.as_ref().map(|_| MatchTrace::new(duel.payoff_steps()));
    let mut num_played = 0;
    let on_results = |results: &[PairResult]| {
        let first_pair = num_played;
        num_played += results.len() as u64;
        progress.on_done(num_played, None, "");
        if let (Some(counted), Some(decisions)) = (&counted, &mut decisions) {
            for pair in first_pair..num_played {
                let of_pair = counted.take(pair).expect("it was played just now");
                decisions.add(pair, &of_pair);
            }
        }
        if let Some(trace) = &mut trace {
            trace.add(results);
        }
    };
    let (tally, mut played) = match &counted {
        Some(counted) => score::sample(counted, key, num_pairs, stop, on_results),
        None => score::sample(&duel, key, num_pairs, stop, on_results),
    };
    progress.finish();

    if registry.fault().is_some() {
        // The number of games is not reported: it depends on when the fault was noticed, and the fault makes them
        // worthless.
        return Err(Failure::Interrupted);
    }
    let sampled = tally.estimate();
    let estimate = match exact {
        Some(score) => Estimate::computed(score, tally.num_pairs()),
        None => sampled.ok_or_else(|| no_score(registry))?,
    };
    let is_exact = exact.is_some();
    let goals = match played.is_ok() {
        true => {
            let pairs = num_pairs.clamp(1, MAX_GOAL_PAIRS);
            match family.mean_goals(&a, &b, key, pairs, stop) {
                // The score is known even if the goals are not.
                Err(MatchError::Stopped(stopped)) => {
                    played = Err(stopped);
                    None
                }
                goals => goals?,
            }
        }
        false => None,
    };
    let scored =
        Scored { args, family: family.name(), estimate, tally, goals, is_exact, is_reproducible };
    output::write(&scored, args.played.json)?;
    if let (Some(path), Some(decisions)) = (&args.decisions, decisions) {
        let num_decisions = decisions.finish()?;
        say(&format!("{} in {}", counted_of(num_decisions, "decision"), path.display()));
    }
    if let (Some(file), Some(trace)) = (&args.plot, trace) {
        let (a, b) = (&args.a, &args.b);
        file.write(trace.figure(MatchNames { family: family.name(), a, b, seed: args.seed }))?;
        say(&format!("drawn in {}", file.path().display()));
    }
    played.map_err(|_| Failure::Interrupted)
}

/// Reports that the match was stopped before the end of its first pair.
fn no_score(registry: &Registry) -> Failure {
    // A fault of the rule file is reported elsewhere.
    if registry.fault().is_none() {
        say("stopped before the first pair of games was over: there is no score");
    }
    Failure::Interrupted
}

/// The maximum number of pairs of games for estimating the mean goals.
const MAX_GOAL_PAIRS: u64 = 10_000;

struct Scored<'a> {
    args: &'a MatchArgs,
    family: &'a str,
    estimate: Estimate,
    tally: Tally,
    /// The mean goals of the players; `None` if their goals add up to a constant.
    goals: Option<[SampleMean; 2]>,
    is_exact: bool,
    /// True if the same command gives the same games again.
    is_reproducible: bool,
}

impl Output for Scored<'_> {
    fn page(&self) -> String {
        let Scored { args, family, estimate, tally, is_exact, .. } = self;
        let mut page = format!("{family}: {} against {}", args.a, args.b);
        if estimate.pairs > 0 {
            let pairs = grouped(estimate.pairs);
            let _ = write!(page, ", {pairs} pairs of games, seed {}", args.seed);
        }
        let value = score(estimate.score, digits(estimate));
        let _ = if *is_exact {
            write!(page, "\nscore {value}, exact\n")
        } else {
            let bounds = interval(estimate);
            write!(page, "\nscore {value}, {:.0}% interval {bounds}\n", 100.0 * CONFIDENCE)
        };
        if estimate.pairs > 0 {
            let percent = |count: u64| 100.0 * count as f64 / (2 * estimate.pairs) as f64;
            let [won, drawn, lost] = [tally.wins(), tally.draws(), tally.losses()].map(percent);
            let results = format!("won {won:.1}%, drawn {drawn:.1}%, lost {lost:.1}%");
            let _ = match *is_exact {
                // The score is exact; wins, draws and losses are a sample.
                true => {
                    writeln!(page, "in {} of games: {results}", counted_of(estimate.pairs, "pair"))
                }
                false => writeln!(page, "{results} of the games"),
            };
        }
        if let Some(goals) = &self.goals {
            let said = goals.map(|goal| match goal.interval() {
                Some([low, high]) => format!("{:.2} [{low:.2}, {high:.2}]", goal.mean),
                None => format!("{:.2}", goal.mean),
            });
            let pairs = counted_of(goals[0].count, "pair");
            let _ = writeln!(
                page,
                "mean goals: {} {}, {} {}, in {pairs}",
                args.a, said[0], args.b, said[1]
            );
        }
        paragraph(page.trim_end())
    }

    fn object(&self) -> Value {
        let Scored { args, family, estimate, tally, is_exact, .. } = self;
        let mut object = json!({
            "family": family,
            "a": args.a,
            "b": args.b,
            "pairs": estimate.pairs,
            "wins": tally.wins(),
            "draws": tally.draws(),
            "losses": tally.losses(),
            "score": estimate.score,
            "exact": is_exact,
            "reproducible": self.is_reproducible,
            "interval": estimate.interval,
            "confidence": estimate.confidence,
            "seed": args.seed,
        });
        if let (Some(goals), Some(fields)) = (&self.goals, object.as_object_mut()) {
            let goals = goals.map(
                |goal| json!({"mean": goal.mean, "interval": goal.interval(), "pairs": goal.count}),
            );
            fields.insert("goals".into(), json!(goals));
        }
        object
    }
}
