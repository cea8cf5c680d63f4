//! `ruse evaluate`: computes scores for an optimiser that is a separate program.

use std::io;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::requests::{self, Evaluation, RequestsError};
use ruse_play::score::CONFIDENCE;
use ruse_registry::Registry;

use super::arguments::{MachineArgs, RuleArgs, parse_fraction, parse_pairs};
use super::failure::{Failure, Result, print_json_text};

/// Answer the requests of another program: a line with JSON in, a line with JSON out
///
/// A request is {"id", "a", "b", "pairs", "seed"}, where only "a", the strategy to score, is required. "a" and "b" are
/// lists of parameters, or anything that `ruse match` takes: the name of a reference strategy, "baseline", a
/// strategy file. The answer is {"id", "score", "exact", "interval", "pairs", "wins", "draws", "losses"}, with the same
/// numbers as from `ruse match` for the same strategies, pairs and seed; or {"id", "error"}, after which
/// the next line is read. Answers come in the order of requests, each as soon as it is known, and do not depend
/// on the number of threads.
///
/// Requests with the same seed play the same deals, so that their scores can be compared with less noise.
#[derive(Debug, Args)]
pub(super) struct EvaluateArgs {
    /// The game and the kind of parameters (see `ruse list`)
    family: String,
    /// Read requests from standard input, up to its end; for a single evaluation, see `ruse match`
    #[arg(long)]
    stdin: bool,
    /// Pairs of games for requests without "pairs" [default: what suits the family; no games if the score is known
    /// exactly]
    #[arg(long, value_name = "N", value_parser = parse_pairs, allow_hyphen_values = true)]
    pairs: Option<u64>,
    /// The maximum number of pairs that a request may ask for; a larger request gets an error, because it would hold up
    /// the requests behind it. 1000G allows all valid numbers of pairs [default: 10M, or --pairs if that is more]
    #[arg(long, value_name = "N", value_parser = parse_pairs, allow_hyphen_values = true)]
    max_pairs: Option<u64>,
    /// The seed of requests without "seed"
    #[arg(long, value_name = "S", default_value_t = 1, allow_hyphen_values = true)]
    seed: u64,
    /// Probability that an interval contains the score
    #[arg(long, value_name = "P", default_value_t = CONFIDENCE, value_parser = parse_fraction,
          allow_hyphen_values = true)]
    confidence: f64,
    /// Play games even if the score can be computed: computing may take longer
    #[arg(long)]
    sampled: bool,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// The default of `--max-pairs`. In a fast game, one processor plays them in a few seconds.
const MAX_PAIRS: u64 = 10_000_000;

pub(super) fn evaluate(args: &EvaluateArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let family = args.rules.apply(registry.family(&args.family)?.as_ref())?;
    if !args.stdin {
        return Err(Failure::with_advice(
            "`ruse evaluate` reads requests from standard input, and needs `--stdin`",
            format!("for a single evaluation, `ruse match {} A B`", family.name()),
        ));
    }
    let EvaluateArgs { pairs, seed, confidence, sampled, .. } = *args;
    let max_pairs = args.max_pairs.unwrap_or(MAX_PAIRS.max(pairs.unwrap_or(0)));
    if let Some(pairs) = pairs.filter(|pairs| *pairs > max_pairs) {
        let message = format!("--pairs is {pairs}, and --max-pairs allows {max_pairs}");
        return Err(Failure::with_advice(message, "leave one of them out"));
    }
    let usual = Evaluation { pairs, max_pairs, seed, confidence, sampled };
    let answered =
        requests::answer(family.as_ref(), usual, || io::stdin().lock(), print_json_text, stop);
    answered.map_err(|error| match error {
        RequestsError::Refused(failure) => failure,
        RequestsError::Stopped => Failure::Interrupted,
        RequestsError::NoThread(error) => Failure::no_thread(error),
        RequestsError::Unreadable(error) => {
            Failure::bad_input(format!("cannot read the requests: {error}"))
        }
    })
}
