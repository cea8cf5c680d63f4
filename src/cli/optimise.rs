//! `ruse optimise`: tune a family.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::caution::CautionArgs;
use super::failure::Failure;
use super::run::carry_out;
use super::{MachineArgs, RuleArgs, parse_seed};
use crate::arena::StopSignal;
use crate::lab::{
    ALL_METHODS, BaselineSpec, ExperimentSpec, GAMES_RANGE, INDIVIDUALS_RANGE, ITERATIONS_RANGE,
    Plan, QuantityError, check_fraction, parse_count, parse_duration,
};
use crate::optimise::{Allocation, MethodSpec};
use crate::race::Comparison;
use crate::registry::Registry;

/// Tune the parameters of a family
#[derive(Debug, Args)]
pub(super) struct OptimiseArgs {
    /// The family to tune (see `ruse list`)
    family: String,
    /// The optimiser: naive, iterative, real-coevolution, approximate-coevolution, seeds, cma-es,
    /// hall-of-fame, double-oracle, or all of them, each with an equal share of the budget
    /// [default: cma-es]
    // The registry knows their names.
    #[arg(long, value_name = "M", hide_possible_values = true)]
    method: Option<String>,
    /// The comparison operator: bernstein, betting, hoeffding or majority [default: bernstein]
    #[arg(long, value_name = "C", value_parser = names(Comparison::ALL.map(Comparison::name)),
          hide_possible_values = true)]
    comparison: Option<String>,
    /// Probability that a comparison is wrong [default: 0.05]
    #[arg(long, value_name = "D", value_parser = parse_fraction, allow_hyphen_values = true)]
    delta: Option<f64>,
    /// Half-width of the interval at which a comparison without winner stops [default: 0.01]
    #[arg(long, value_name = "E", value_parser = parse_fraction, allow_hyphen_values = true)]
    precision: Option<f64>,
    /// Who plays how often, in the method of seeds: halving or round-robin [default: halving]
    #[arg(long, value_name = "A", value_parser = names(Allocation::ALL.map(Allocation::name)),
          hide_possible_values = true)]
    allocation: Option<String>,
    /// Individuals that the method of seeds begins with [default: 16]
    #[arg(long, value_name = "K", value_parser = parse_individuals, allow_hyphen_values = true)]
    individuals: Option<u64>,
    /// Whom the naive method plays, and the result is scored against: redrawn, fixed (the parameters that
    /// the run starts from), a strategy file, a reference strategy, or parameters [default: redrawn]
    #[arg(long, value_name = "B")]
    baseline: Option<String>,
    /// Games to play in comparisons, as in 500k or 2M [default: what suits the family]
    #[arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true)]
    budget: Option<u64>,
    /// Candidates to try
    #[arg(long, value_name = "N", value_parser = parse_iterations, allow_hyphen_values = true)]
    iterations: Option<u64>,
    /// Wall time, as in 60s; such a run cannot be repeated exactly
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    time: Option<String>,
    /// Where all randomness comes from [default: 1]
    #[arg(long, value_name = "S", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: Option<u64>,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    caution: CautionArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

/// Where results go.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// A new directory for the results [default: a new one under runs/]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// One of these names, known to the completions of shells.
pub(super) fn names<const N: usize>(names: [&'static str; N]) -> PossibleValuesParser {
    PossibleValuesParser::new(names)
}

/// One of the methods, or all of them.
pub(super) fn method_names(registry: &Registry) -> PossibleValuesParser {
    let all = registry.methods().map(MethodSpec::name).chain([ALL_METHODS]);
    PossibleValuesParser::new(all.collect::<Vec<_>>())
}

fn parse_individuals(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, INDIVIDUALS_RANGE)
}

pub(super) fn parse_fraction(text: &str) -> Result<f64, QuantityError> {
    // What is not a number is not between 0 and 1 either.
    let refused = || QuantityError::NotBetweenZeroAndOne(format!("`{text}`"));
    check_fraction(text.parse().map_err(|_| refused())?)
}

pub(super) fn parse_games(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, GAMES_RANGE)
}

pub(super) fn parse_iterations(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, ITERATIONS_RANGE)
}

fn parse_time(text: &str) -> Result<String, QuantityError> {
    parse_duration(text).map(|_| text.to_string())
}

impl OptimiseArgs {
    fn spec(&self) -> ExperimentSpec {
        let defaults = ExperimentSpec::new(&self.family);
        ExperimentSpec {
            rules: self.rules.rules.iter().cloned().collect(),
            method: self.method.clone().unwrap_or(defaults.method),
            comparison: self.comparison.clone(),
            delta: self.delta,
            precision: self.precision,
            allocation: self.allocation.clone(),
            individuals: self.individuals,
            baseline: self.baseline.clone().map_or(defaults.baseline, BaselineSpec::Name),
            budget: self.budget,
            iterations: self.iterations,
            time: self.time.clone(),
            seed: self.seed.unwrap_or(defaults.seed),
            ..defaults
        }
    }
}

pub(super) fn optimise(
    args: &OptimiseArgs,
    registry: &Registry,
    stop: &StopSignal,
) -> Result<(), Failure> {
    carry_out(&Plan::new(args.spec(), registry)?, registry, &args.caution, &args.output, stop)
}
