//! Arguments of several commands, and the parsers of their values.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Args, Command};
use ruse_lab::{
    ALL_METHODS, Plan, QuantityError, RuleValue, RulesSpec, RunDirectory, StartSpec, family_for,
    parse_duration,
};
use ruse_play::family::AnyFamily;

use super::failure::{Failure, Result};
use ruse_base::files::check_new_directory;
use ruse_base::names::{UnknownName, by_key};
pub(super) use ruse_lab::{names, parse_fraction, parse_games, parse_pairs, parse_share};
use ruse_optimise::methods::{AnyMethod, External, UsualStart};
use ruse_play::race::Operator;
use ruse_registry::{DEFAULT_METHOD, Registry};
use ruse_report::listed;

/// The option for the number of threads. All commands that play games have this option.
#[derive(Debug, Clone, Args)]
pub(super) struct MachineArgs {
    /// Threads to play on, at most four per processor; results do not depend on it [default: all processors]
    #[arg(long, env = "RUSE_THREADS", value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(super) threads: Option<u16>,
}

/// Changed rules of the game, each as `NAME=VALUE`.
#[derive(Debug, Clone, Args)]
pub(super) struct RuleArgs {
    /// Change a rule of the game, such as suits=6 (see `ruse show FAMILY`); can be repeated.
    #[arg(long = "rule", value_name = "NAME=VALUE", value_parser = parse_rule)]
    pub(super) rules: Vec<(String, RuleValue)>,
}

fn parse_rule(text: &str) -> Result<(String, RuleValue), String> {
    let (name, value) =
        text.split_once('=').ok_or("a rule is written NAME=VALUE, as in suits=6")?;
    let (name, value) = (name.trim().to_string(), value.trim());
    match value.parse() {
        Ok(number) => Ok((name, RuleValue::Number(number))),
        // Text with a letter is a name, not an invalid number.
        Err(_) if value.contains(|c: char| c.is_ascii_alphabetic()) => {
            Ok((name, RuleValue::Name(value.to_string())))
        }
        Err(_) => Err(format!("the value of `{name}` is not a whole number")),
    }
}

pub(super) fn parse_seed(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("a seed is a whole number from 0 to {}", u64::MAX))
}

impl RuleArgs {
    pub(super) fn apply(&self, family: &dyn AnyFamily) -> Result<Arc<dyn AnyFamily>> {
        Ok(family.with_rules(&self.values(family)?)?)
    }

    /// Returns the family with this name and these rules. If the name is a rule file alone, this is the family of the file
    /// to which the first strategy file among `players` belongs.
    pub(super) fn family<'p>(
        &self,
        name: &str,
        players: impl IntoIterator<Item = &'p str>,
        registry: &Registry,
    ) -> Result<Arc<dyn AnyFamily>> {
        let players = players.into_iter().map(Path::new);
        self.apply(family_for(name, players, registry)?.as_ref())
    }

    /// Returns the rules, or an error if a rule is given twice.
    pub(super) fn spec(&self) -> Result<RulesSpec> {
        let mut names: Vec<_> = self.rules.iter().map(|(name, _)| name).collect();
        names.sort();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("the rule `{}` is given twice", twice[0]);
            return Err(Failure::with_advice(message, "a rule has one value: leave one out"));
        }
        Ok(self.rules.iter().cloned().collect())
    }

    /// Returns the rules as numbers; the family knows the named values. Returns an error if a rule is given twice.
    pub(super) fn values(&self, family: &dyn AnyFamily) -> Result<BTreeMap<String, u64>> {
        Ok(self.spec()?.numbers(family)?)
    }
}

/// The common arguments of commands that play games of one family and print the results.
#[derive(Debug, Args)]
pub(super) struct PlayedArgs {
    #[command(flatten)]
    pub(super) rules: RuleArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
}

/// The default parent of new directories for results.
const RUNS: &str = "runs";

impl ExecutionArgs {
    pub(super) fn create(&self, plan: &Plan) -> Result<RunDirectory> {
        Ok(match &self.out {
            Some(path) => RunDirectory::create(Some(path), plan)?,
            None => RunDirectory::create_under(&self.out_under, plan)?,
        })
    }

    /// Makes the directory of a result that is not a run, with this name if none is given.
    pub(super) fn make(&self, name: &str) -> Result<PathBuf> {
        match &self.out {
            Some(path) => {
                check_new_directory(path)?;
                std::fs::create_dir_all(path).map_err(|error| {
                    Failure::bad_input(format!("cannot make {}: {error}", path.display()))
                })?;
                Ok(path.clone())
            }
            None => Ok(RunDirectory::make_under(&self.out_under, name)?),
        }
    }
}

/// The check of a plan before it is carried out, and the destination of its results.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct ExecutionArgs {
    /// Show what would be done and how long it would take; do nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Begin even if the plan has more than 1000G games or 10,000 runs
    #[arg(long)]
    pub(super) huge: bool,
    /// A new directory for the results [default: a new one under --out-under]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// The parent of the new directory for the results, if --out is not given
    #[arg(long, env = "RUSE_OUT", value_name = "DIR", default_value = RUNS)]
    pub(super) out_under: PathBuf,
    /// The directory of another experiment: runs with the same game, method, settings and seed are taken from there; can be
    /// repeated
    #[arg(long, value_name = "DIR", conflicts_with = "dry_run")]
    pub(super) reuse: Vec<PathBuf>,
    /// Print one JSON object
    #[arg(long)]
    pub(super) json: bool,
    /// The directory for the tables and figures of a paper; `None` if they are not requested.
    #[arg(skip)]
    pub(super) paper: Option<PathBuf>,
}

/// The option for the time between checkpoints.
#[derive(Debug, Default, Args)]
pub(super) struct CheckpointArgs {
    /// Least time between checkpoints of a run, as in 60s; if the program is killed, the work since the last one is
    /// repeated [default: 20ms, or 60s in shares]
    #[arg(long, value_name = "T", value_parser = parse_duration, allow_hyphen_values = true)]
    checkpoint_every: Option<Duration>,
}

impl CheckpointArgs {
    pub(super) fn apply(&self, directory: RunDirectory) -> RunDirectory {
        match self.checkpoint_every {
            Some(time) => directory.with_checkpoint_every(time),
            None => directory,
        }
    }
}

/// The option for the start of a search.
#[derive(Debug, Args)]
pub(super) struct StartArgs {
    // `with_usual` writes the help, with the defaults of the registered methods.
    #[arg(long, value_name = "START", value_parser = |text: &str| Ok::<_, Infallible>(StartSpec::from(text)))]
    pub(super) start: Option<StartSpec>,
}

/// The option for the last phase of a run.
#[derive(Debug, Args)]
pub(super) struct PruneArgs {
    /// Set groups of parameters to zero at the end of a run, if this is proven to make the result better; SHARE is the
    /// share of the budget for this [default: 0; 0.1 if no SHARE follows]
    #[arg(
        long, value_name = "SHARE", num_args = 0..=1, require_equals = true, default_missing_value = "0.1",
        value_parser = parse_share,
    )]
    pub(super) prune: Option<f64>,
}

/// Sets the help of `--comparison`, `--accept` and `--start`. The help contains the defaults of each method.
pub(super) fn with_usual(command: Command, registry: &Registry) -> Command {
    let comparison = operators_help("The comparison operator");
    let all: Vec<_> = registry.methods().map(Arc::as_ref).collect();
    let comparing: Vec<_> = all.iter().copied().filter(|method| method.info().compares).collect();
    let of_comparing = defaults(&comparing, |method| method.info().usual_races.comparison.name());
    let accept = defaults(&comparing, |method| method.info().usual_races.accept.name());
    let start = defaults(&all, |method| match method.info().usual_start {
        UsualStart::Gaussian => "gaussian",
        UsualStart::Zero => "zero",
    });
    let accept = format!(
        "Which candidates are accepted: leading (also a candidate that is merely ahead when the race stops) or proven \
         (only a candidate that is proven better) [default: {accept} unless --comparison is given]"
    );
    let start = format!(
        "Where the search starts: gaussian (drawn by the seed), zero, a reference strategy that has parameters, a strategy \
         file, or parameters [default: {start}]"
    );
    bracketed(command)
        .mut_arg("comparison", |arg| arg.help(format!("{comparison} [default: {of_comparing}]")))
        .mut_arg("accept", |arg| arg.help(accept))
        .mut_arg("start", |arg| arg.help(start))
}

/// Writes the defaults in help texts in brackets; files have them in a sentence.
fn bracketed(command: Command) -> Command {
    command.mut_args(|arg| {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        match help.trim_end_matches('.').rsplit_once(". Default: ") {
            Some((what, default)) => arg.help(format!("{what} [default: {default}]")),
            None => arg,
        }
    })
}

/// Describes the defaults of the methods: the first method's default, and then each different default with its methods.
fn defaults(methods: &[&dyn AnyMethod], of: impl Fn(&dyn AnyMethod) -> &'static str) -> String {
    let groups = by_key(methods.iter().map(|method| (of(*method), method.name())));
    match groups.as_slice() {
        [(first, _), others @ ..] => {
            let others =
                others.iter().map(|(name, group)| format!("; {name} for {}", group.join(", ")));
            format!("{first}{}", others.collect::<String>())
        }
        [] => String::new(),
    }
}

/// Returns the help of an option whose value is a comparison operator: `what`, and the names of all operators.
pub(super) fn operators_help(what: &str) -> String {
    format!("{what}: {}", listed(&Operator::ALL.map(Operator::name), "or"))
}

/// The parser of `--method`: the name of a method, `all`, or a command that starts an optimiser.
#[derive(Clone)]
pub(super) struct MethodNames(PossibleValuesParser);

impl MethodNames {
    pub(super) fn of(registry: &Registry) -> MethodNames {
        let names = registry.methods().map(|method| method.name()).chain([ALL_METHODS]);
        MethodNames(PossibleValuesParser::new(names.map(String::from).collect::<Vec<_>>()))
    }

    /// Adds a suggestion to the error: the method with the name closest to `text`, ignoring case.
    fn with_suggestion(&self, mut error: clap::Error, text: &str) -> clap::Error {
        let names = self.0.possible_values().into_iter().flatten();
        let names = names.map(|value| value.get_name().to_string());
        if let Some(nearest) = UnknownName::new("method", text, names).nearest() {
            let suggested = ContextValue::Strings(vec![nearest.into()]);
            error.insert(ContextKind::SuggestedValue, suggested);
        }
        error
    }
}

impl TypedValueParser for MethodNames {
    type Value = String;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        match value.to_str() {
            Some(text) if External::parse(text).is_some() => Ok(text.into()),
            text => {
                let parsed = self.0.parse_ref(command, argument, value);
                parsed.map_err(|error| self.with_suggestion(error, text.unwrap_or_default()))
            }
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

pub(super) fn method_help(registry: &Registry) -> String {
    let names: Vec<_> = registry.methods().map(|method| method.name()).collect();
    format!(
        "The optimiser: {}; or all of general use, each with an equal share of the budget; or a command that starts \
         your own [default: {DEFAULT_METHOD}]",
        names.join(", ")
    )
}

/// Returns a parser of the names of these values, which shell completions offer.
pub(super) fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let value = move |given: String| {
        all.into_iter().find(|&one| name(one) == given).expect("the parser knows the names")
    };
    names(all.map(name)).map(value)
}

pub(super) fn parse_time(text: &str) -> Result<String, QuantityError> {
    parse_duration(text).map(|_| text.to_string())
}
