//! `ruse optimise`: tunes a family.

use clap::Args;

use super::arguments::{
    CheckpointArgs, MachineArgs, OutputArgs, RaceArgs, RuleArgs, StartArgs, parse_games,
    parse_iterations, parse_seed, parse_share, parse_time,
};
use super::caution::CautionArgs;
use super::failure::Failure;
use super::method_options::MethodOptionArgs;
use super::run::carry_out;
use crate::arena::StopSignal;
use crate::lab::{ALL_METHODS, BaselineSpec, ExperimentSpec, Length, Plan, Scoring};
use crate::registry::Registry;

/// Tune the parameters of a family
#[derive(Debug, Args)]
pub(super) struct OptimiseArgs {
    /// The family to tune (see `ruse list`)
    family: String,
    // The names and the help depend on the registry, so `command` adds them.
    #[arg(long, value_name = "M", hide_possible_values = true)]
    method: Option<String>,
    #[command(flatten)]
    races: RaceArgs,
    #[command(flatten)]
    options: MethodOptionArgs,
    #[command(flatten)]
    start: StartArgs,
    /// The opponent that the naive method trains against; the result is scored against it, too: redrawn, fixed
    /// (standard Gaussian parameters, drawn once), a strategy file, a reference strategy, or parameters [default:
    /// redrawn]
    #[arg(long, value_name = "B")]
    baseline: Option<String>,
    /// The opponent for the scores of the result and of the learning curve, if it is not the baseline: zero (all
    /// parameters 0), or any value of `--baseline`
    #[arg(long, value_name = "B")]
    score_against: Option<String>,
    /// Games to play in comparisons, as in 500k or 2M [default: a number that suits the family, and fewer if nothing
    /// better is found]
    #[arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true)]
    budget: Option<u64>,
    /// Candidates to try
    #[arg(long, value_name = "N", value_parser = parse_iterations, allow_hyphen_values = true)]
    iterations: Option<u64>,
    /// Number of games without a new champion after which a run ends, as in 500k [default: 35% of the budget of the
    /// family; no limit with --budget, --iterations, --time or --method all]
    #[arg(long, value_name = "N", value_parser = parse_games, allow_hyphen_values = true)]
    stop_when_stalled: Option<u64>,
    /// Wall-clock time, as in 60s; a run with a limit on its time cannot be repeated exactly
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    time: Option<String>,
    /// The seed of all random numbers [default: 1]
    #[arg(long, value_name = "S", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: Option<u64>,
    /// Games that search for the strongest opponent of the result, after the run: a share of the games of the run; 0 for
    /// no search
    #[arg(long, value_name = "SHARE", default_value_t = 0.1, value_parser = parse_share,
          allow_hyphen_values = true)]
    worst_case: f64,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    caution: CautionArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

impl OptimiseArgs {
    /// Returns the limits on the length of the run.
    fn length(&self, registry: &Registry) -> Result<Length, Failure> {
        let given = Length {
            budget: self.budget,
            iterations: self.iterations,
            stop_when_stalled: self.stop_when_stalled,
        };
        let is_said = given != Length::default() || self.time.is_some();
        // With `all`, the methods share a budget equally, and no method stops early.
        let is_all = self.method.as_deref() == Some(ALL_METHODS);
        match is_said || is_all {
            true => Ok(given),
            false => Ok(Length::usual(registry.family(&self.family)?.as_ref())),
        }
    }

    fn spec(&self, registry: &Registry) -> Result<ExperimentSpec, Failure> {
        let defaults = ExperimentSpec::new(&self.family);
        Ok(ExperimentSpec {
            rules: self.rules.spec()?,
            method: self.method.clone().unwrap_or(defaults.method),
            races: self.races.options(),
            start: self.start.spec(),
            options: self.options.values.clone(),
            baseline: self.baseline.clone().map_or(defaults.baseline, BaselineSpec::Name),
            score_against: self.score_against.clone().map(BaselineSpec::Name),
            length: self.length(registry)?,
            measurement: Scoring {
                worst_case: (self.worst_case > 0.0).then_some(self.worst_case),
                ..Scoring::default()
            },
            time: self.time.clone(),
            seed: self.seed.unwrap_or(defaults.seed),
            ..defaults
        })
    }
}

pub(super) fn optimise(
    args: &OptimiseArgs,
    registry: &Registry,
    stop: &StopSignal,
) -> Result<(), Failure> {
    carry_out(
        &Plan::new(args.spec(registry)?, registry)?,
        registry,
        &args.caution,
        &args.output,
        &CheckpointArgs::default(),
        stop,
    )
}
