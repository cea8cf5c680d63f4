//! `ruse compare`: compares methods with each other, without an experiment file.

use std::path::PathBuf;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::{
    ALL_FAMILIES, ALL_METHODS, ComparisonSpec, Families, FamilyItem, Length, MethodItem,
    OpponentOptions, Plan, QuantityError, REPEATS_RANGE, RaceOptions, parse_count,
};
use ruse_registry::{DEFAULT_METHOD, Registry, Road};
use ruse_report::shown::check_paper;

use super::arguments::{
    CheckpointArgs, ExecutionArgs, MachineArgs, PruneArgs, RuleArgs, StartArgs, parse_fraction,
    parse_seed,
};
use super::failure::{Failure, Result};
use super::run::carry_out;
use super::verbosity::say;

/// Compare methods: scores against the baseline, and champions head to head
#[derive(Debug, Args)]
#[command(after_help = "\
A score is the mean score of the champions of a method against the baseline, over its runs; its interval \
covers the noise of learning and of playing (Student's t). A method is clearly best in a family if its \
interval lies above all others. Head to head, a method beats another if its champions score more than .5 \
against the champions of the other; significantly, if Student's test confirms it after Holm's correction.")]
pub(super) struct CompareArgs {
    /// The families to tune (see `ruse list`), or all
    #[arg(value_name = "FAMILY", required = true)]
    families: Vec<String>,
    /// The methods, or commands that start your own, separated by commas; or all [default: es,cma-es,naive, and
    /// policy-gradient for rule files whose strategies learn by playing themselves]
    #[arg(long, value_name = "M,M,...", value_delimiter = ',', hide_possible_values = true)]
    methods: Vec<String>,
    /// Runs of each method on each family [default: 3]
    #[arg(long, value_name = "R", value_parser = parse_repeats, allow_hyphen_values = true)]
    repeats: Option<u64>,
    #[command(flatten)]
    races: RaceOptions,
    #[command(flatten)]
    start: StartArgs,
    #[command(flatten)]
    prune: PruneArgs,
    #[command(flatten)]
    against: OpponentOptions,
    #[command(flatten)]
    length: Length,
    /// Half-width of the interval of a score between two methods [default: 0.005]
    #[arg(long, value_name = "W", value_parser = parse_fraction, allow_hyphen_values = true)]
    half_width: Option<f64>,
    /// Number of champions of each other method that every champion meets [default: 10, or all with up to ten repeats]
    #[arg(long, value_name = "N", value_parser = parse_repeats, allow_hyphen_values = true)]
    opponents: Option<u64>,
    /// The seed of the first repeat; the next repeats take the next seeds [default: 1]
    #[arg(long, value_name = "S", value_parser = parse_seed, allow_hyphen_values = true)]
    seed: Option<u64>,
    #[command(flatten)]
    rules: RuleArgs,
    /// A directory for a paper: LaTeX tables, figures one column wide, a bibliography, and a page that shows how to use
    /// them
    #[arg(long, value_name = "DIR")]
    paper: Option<PathBuf>,
    #[command(flatten)]
    execution: ExecutionArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

fn parse_repeats(text: &str) -> Result<u64, QuantityError> {
    parse_count(text, REPEATS_RANGE)
}

/// The methods that are compared if none are named: the two that do best, and the simplest method of the paper.
const METHODS: [&str; 3] = [DEFAULT_METHOD, "cma-es", "naive"];

impl CompareArgs {
    fn spec(&self, registry: &Registry) -> Result<ComparisonSpec> {
        let mut usual = METHODS.to_vec();
        let families = match self.families.as_slice() {
            [all] if all == ALL_FAMILIES => {
                if !self.rules.rules.is_empty() {
                    return Err(Failure::with_advice(
                        "--rule cannot apply to all families, because their rules differ",
                        "name the families that have the rule",
                    ));
                }
                Families::All
            }
            names => {
                let roads = names.iter().map(|name| registry.road(name));
                let roads: Vec<Option<Road>> = roads.collect::<Result<_, _>>()?;
                let methods: Vec<_> = roads.iter().flatten().map(|road| road.method).collect();
                if let Some(method) = methods.first().filter(|&first| {
                    methods.len() == names.len() && methods.iter().all(|method| method == first)
                }) && !usual.contains(method)
                {
                    usual.push(method);
                }
                let rules = self.rules.spec()?;
                let items = names.iter().zip(roads).map(|(name, road)| {
                    if let Some(Road { family, because, .. }) = &road {
                        say(&format!("{name} {because}: the methods tune {family}"));
                    }
                    let family = road.map_or(name.clone(), |road| road.family);
                    FamilyItem { rules: rules.clone(), ..FamilyItem::new(&family) }
                });
                Families::These(items.collect())
            }
        };
        let spec = ComparisonSpec::new(families);
        let methods = match self.methods.as_slice() {
            [] => Some(usual.into_iter().map(MethodItem::new).collect()),
            [all] if all == ALL_METHODS => None,
            names => Some(names.iter().map(|name| MethodItem::new(name)).collect()),
        };
        Ok(ComparisonSpec {
            methods,
            races: self.races.clone(),
            start: self.start.start.clone(),
            prune: self.prune.prune,
            against: self.against.clone(),
            length: self.length,
            repeats: self.repeats,
            seed: self.seed,
            half_width: self.half_width,
            opponents: self.opponents,
            ..spec
        })
    }
}

pub(super) fn compare(args: &CompareArgs, registry: &Registry, stop: &StopSignal) -> Result {
    if let Some(out) = &args.paper {
        check_paper(out)?;
    }
    let plan = Plan::compare(args.spec(registry)?, registry)?;
    let execution = ExecutionArgs { paper: args.paper.clone(), ..args.execution.clone() };
    carry_out(&plan, registry, &execution, &CheckpointArgs::default(), stop)
}
