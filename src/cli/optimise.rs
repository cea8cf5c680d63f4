//! `ruse optimise`: tunes a family.

use clap::{Args, Command};
use ruse_base::stop::StopSignal;
use ruse_lab::{ExperimentSpec, Length, OpponentOptions, Plan, RaceOptions, STRATEGY, Scoring};
use ruse_registry::{Registry, Road};

use super::arguments::{
    CheckpointArgs, ExecutionArgs, MachineArgs, PlayedArgs, PruneArgs, RuleArgs, StartArgs,
    parse_seed, parse_time,
};
use super::failure::Result;
use super::method_options::MethodOptionArgs;
use super::run::carry_out;
use super::solve::{SolveArgs, solve};
use super::verbosity::say;

/// The default share of a run's games for finding the strongest opponent of the result.
const WORST_CASE: f64 = 0.1;

/// Sets the help of the option whose default differs from files.
pub(super) fn with_defaults(command: Command) -> Command {
    let worst = format!(
        "Games that search for the strongest opponent of the result, after the run: a share of the games of the run; 0 for \
         no search [default: {WORST_CASE}]"
    );
    command.mut_arg("worst_case", |arg| arg.help(worst))
}

/// Tune the parameters of a family
#[derive(Debug, Args)]
pub(super) struct OptimiseArgs {
    /// The family to tune (see `ruse list`); or a rule file alone, which is solved if the game is small, and tuned otherwise
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
    execution: ExecutionArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

impl OptimiseArgs {
    /// Returns `true` if no option says that the game is tuned, or how.
    fn is_open(&self) -> bool {
        self.method.is_none()
            && self.length == Length::default()
            && self.time.is_none()
            && self.against == OpponentOptions::default()
            && self.start.start.is_none()
            && self.prune.prune.is_none()
            && self.respond_with.is_empty()
            && self.options.values.is_empty()
            && !self.execution.dry_run
    }

    fn spec(&self, road: Option<&Road>) -> Result<ExperimentSpec> {
        let family = road.map_or(&self.family, |road| &road.family);
        let mut defaults = ExperimentSpec::new(family);
        if let Some(road) = road {
            defaults.method = road.method.into();
        }
        Ok(ExperimentSpec {
            rules: self.rules.spec()?,
            method: self.method.clone().unwrap_or(defaults.method),
            races: self.races.clone(),
            start: self.start.start.clone(),
            prune: self.prune.prune,
            respond_with: self.respond_with.clone(),
            options: self.options.values.clone(),
            against: self.against.clone(),
            length: self.length,
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
    let game = &args.family;
    let road = registry.road(game)?;
    let others = "`--method` or a family of the file (`ruse list`) chooses otherwise";
    match &road {
        Some(road) if road.is_small && args.is_open() => {
            say(&format!("{game} is small enough to be solved; {others}"));
            let stem = game.rsplit(['/', '\\']).next().unwrap_or(game);
            let stem = stem.split_once('.').map_or(stem, |(stem, _)| stem);
            let out = args.execution.make(&format!("{stem}-solved"))?.join(STRATEGY);
            let (rules, machine) = (args.rules.clone(), args.machine.clone());
            let played = PlayedArgs { rules, machine, json: args.execution.json };
            return solve(&SolveArgs::new(game, out, played), registry, stop);
        }
        Some(Road { family, because, .. }) => {
            let method = args.method.as_deref().unwrap_or(road.as_ref().map_or("", |of| of.method));
            say(&format!("{game} {because}: {method} tunes {family}; {others}"));
        }
        None => (),
    }
    let plan = Plan::new(args.spec(road.as_ref())?, registry)?;
    carry_out(&plan, registry, &args.execution, &CheckpointArgs::default(), stop)
}
