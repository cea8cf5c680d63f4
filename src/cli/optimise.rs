//! `ruse optimise`: tunes a family.

use clap::{Args, Command};
use ruse_base::stop::StopSignal;
use ruse_lab::{ALL_METHODS, ExperimentSpec, Length, OpponentOptions, Plan, RaceOptions, Scoring};
use ruse_registry::Registry;

use super::arguments::{
    CheckpointArgs, MachineArgs, OutputArgs, PruneArgs, RuleArgs, StartArgs, parse_seed, parse_time,
};
use super::caution::CautionArgs;
use super::failure::Result;
use super::method_options::MethodOptionArgs;
use super::run::carry_out;

/// The default share of a run's games for finding the strongest opponent of the result.
const WORST_CASE: f64 = 0.1;

/// Sets the help of options whose defaults differ from files.
pub(super) fn with_defaults(command: Command) -> Command {
    let stalled = "Number of games without a new champion after which a run ends, as in 500k [default: 35% of the budget \
         of the family; no limit with --budget, --iterations, --time or --method all]";
    let budget = "Number of games that a run may play in comparisons, as in 500k or 2M [default: a number that suits the \
         family; fewer if nothing better is found]";
    let worst = format!(
        "Games that search for the strongest opponent of the result, after the run: a share of the games of the run; 0 for \
         no search [default: {WORST_CASE}]"
    );
    command
        .mut_arg("stop_when_stalled", |arg| arg.help(stalled))
        .mut_arg("budget", |arg| arg.help(budget))
        .mut_arg("worst_case", |arg| arg.help(worst))
}

/// Tune the parameters of a family
#[derive(Debug, Args)]
pub(super) struct OptimiseArgs {
    /// The family to tune (see `ruse list`)
    family: String,
    // `command` adds the names and the help, which depend on the registry.
    #[arg(long, value_name = "M", hide_possible_values = true)]
    method: Option<String>,
    #[command(flatten)]
    races: RaceOptions,
    #[command(flatten)]
    options: MethodOptionArgs,
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    prune: PruneArgs,
    /// The responders that double-oracle and hall-of-fame ask for opponents from outside the family, with half of the
    /// budget: families of the game and players that search, as in war4,uct@500, or all [default: none]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    respond_with: Vec<String>,
    #[command(flatten)]
    against: OpponentOptions,
    #[command(flatten)]
    length: Length,
    /// Wall-clock time, as in 60s; a run with a limit on its time cannot be repeated exactly
    #[arg(long, value_name = "TIME", value_parser = parse_time, allow_hyphen_values = true)]
    time: Option<String>,
    /// The seed of all random numbers [default: 1]
    #[arg(long, value_name = "S", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: Option<u64>,
    #[command(flatten)]
    scoring: Scoring,
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
    /// Returns the limits of the run.
    fn length(&self, registry: &Registry) -> Result<Length> {
        let given = self.length;
        let is_said = given != Length::default() || self.time.is_some();
        // With `all`, the methods share a budget equally, and no method stops early.
        let is_all = self.method.as_deref() == Some(ALL_METHODS);
        match is_said || is_all {
            true => Ok(given),
            false => Ok(Length::usual(registry.family(&self.family)?.as_ref())),
        }
    }

    fn spec(&self, registry: &Registry) -> Result<ExperimentSpec> {
        let defaults = ExperimentSpec::new(&self.family);
        Ok(ExperimentSpec {
            rules: self.rules.spec()?,
            method: self.method.clone().unwrap_or(defaults.method),
            races: self.races.clone(),
            start: self.start.spec(),
            prune: self.prune.prune,
            respond_with: self.respond_with.clone(),
            options: self.options.values.clone(),
            against: self.against.clone(),
            length: self.length(registry)?,
            measurement: Scoring {
                worst_case: Some(self.scoring.worst_case.unwrap_or(WORST_CASE))
                    .filter(|of| *of > 0.0),
                ..self.scoring
            },
            time: self.time.clone(),
            seed: self.seed.unwrap_or(defaults.seed),
            ..defaults
        })
    }
}

pub(super) fn optimise(args: &OptimiseArgs, registry: &Registry, stop: &StopSignal) -> Result {
    carry_out(
        &Plan::new(args.spec(registry)?, registry)?,
        registry,
        &args.caution,
        &args.output,
        &CheckpointArgs::default(),
        stop,
    )
}
