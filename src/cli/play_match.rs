//! `ruse match`: two strategies against each other.

use clap::Args;
use serde_json::json;

use super::failure::{Failure, print, print_json, say};
use super::figure_file::FigureFile;
use super::format::{digits, grouped, interval, score};
use super::progress::MatchProgress;
use super::{MachineArgs, RuleArgs};
use crate::arena::StopSignal;
use crate::evaluate::{self, CONFIDENCE};
use crate::experiment::{
    Baseline, DefaultPairs, PAIRS_RANGE, QuantityError, parse_contestant, parse_count,
};
use crate::family::{ContestantSpec, Registry};
use crate::figures::{MatchNames, MatchTrace};
use crate::rng::{Label, StreamKey};

/// Play two strategies against each other, and score the first
#[derive(Debug, Args)]
pub(super) struct MatchArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// A strategy file, `baseline`, a reference strategy, or parameters as in [0,1.5,-2]
    a: String,
    /// Its opponent, named in the same way
    b: String,
    /// Pairs of games: the same deal twice, with the seats swapped [default: what suits the family]
    #[arg(long, value_name = "N", value_parser = parse_pairs, allow_hyphen_values = true)]
    pairs: Option<u64>,
    /// What `baseline` stands for: parameters redrawn for every pair, or drawn once and fixed
    #[arg(long, value_name = "KIND", default_value = "redrawn", value_parser = ["redrawn", "fixed"])]
    baseline: String,
    /// Where all randomness comes from
    #[arg(long, value_name = "S", default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Draw how the score became known, with more and more games (FILE.svg or FILE.png)
    #[arg(long, value_name = "FILE")]
    plot: Option<FigureFile>,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn parse_pairs(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, PAIRS_RANGE)
}

pub(super) fn play_match(
    args: &MatchArgs,
    registry: &Registry,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let family = args.rules.apply(registry.family(&args.family)?)?;
    let key = StreamKey::root(args.seed);
    let contestant = |text: &str| -> Result<ContestantSpec, Failure> {
        match parse_contestant(text, family.as_ref())? {
            ContestantSpec::Redrawn => {
                let baseline = Baseline::parse(&args.baseline, family.as_ref())?;
                Ok(baseline.contestant(family.as_ref(), key))
            }
            contestant => Ok(contestant),
        }
    };
    let matchup = family.matchup(&contestant(&args.a)?, &contestant(&args.b)?)?;

    let num_pairs = args.pairs.unwrap_or(DefaultPairs::of(family.as_ref()).evaluation);
    let mut progress = MatchProgress::new(num_pairs);
    let mut trace = args.plot.as_ref().map(|_| MatchTrace::new());
    let mut num_played = 0;
    let (tally, played) = evaluate::score_watched(
        matchup.as_ref(),
        key.child(Label::Match, 0),
        num_pairs,
        stop,
        |results| {
            num_played += results.len() as u64;
            progress.on_pairs(num_played);
            if let Some(trace) = &mut trace {
                trace.add(results);
            }
        },
    );
    progress.finish();

    let Some(estimate) = tally.estimate() else {
        return Err(Failure::Interrupted);
    };
    if args.json {
        print_json(&json!({
            "family": family.name(),
            "a": args.a,
            "b": args.b,
            "pairs": estimate.pairs,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": estimate.score,
            "interval": estimate.interval,
            "confidence": estimate.confidence,
            "seed": args.seed,
        }))?;
    } else {
        let percent = |count: u64| 100.0 * count as f64 / (2 * estimate.pairs) as f64;
        print(&format!(
            "{}: {} against {}, {} pairs of games, seed {}\n\
             score {}, {:.0} % interval {}\n\
             won {:.1} %, drawn {:.1} %, lost {:.1} % of the games\n",
            family.name(),
            args.a,
            args.b,
            grouped(estimate.pairs),
            args.seed,
            score(estimate.score, digits(&estimate)),
            100.0 * CONFIDENCE,
            interval(&estimate),
            percent(tally.wins),
            percent(tally.draws),
            percent(tally.losses),
        ))?;
    }
    if let (Some(file), Some(trace)) = (&args.plot, trace) {
        let (a, b) = (&args.a, &args.b);
        file.write(trace.figure(MatchNames { family: family.name(), a, b, seed: args.seed }))?;
        say(&format!("drawn in {}", file.path().display()));
    }
    played.map_err(|_| Failure::Interrupted)
}
