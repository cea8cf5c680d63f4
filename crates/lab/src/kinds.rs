//! The kinds of experiments: a file each, and one table.
//!
//! A new kind has a file here that implements `StudyKind`, and a line in each item of this file. The crate
//! `ruse-report` shows it.

pub(crate) mod budgets;
pub(crate) mod championship;
pub(crate) mod comparison;
pub mod round_robin;
pub mod seed_study;

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use ruse_base::files::{ReadError, YamlError, YamlSource};
use ruse_base::names::check_name;
use ruse_optimise::methods::OptionValues;
use ruse_play::family::family_label;
use ruse_play::race::{Acceptance, Operator, RaceSettings};
use ruse_programs::{RefusedProgram, ask_to_start_named};
use ruse_registry::{DEFAULT_METHOD, Registry};
use schemars::{Schema, SchemaGenerator};
use serde::Serialize;

use self::budgets::{BUDGETS, BudgetsPlan, BudgetsSpec};
use self::championship::ChampionshipSpec;
use self::round_robin::{PLAYERS, RoundRobinPlan, RoundRobinSpec};
use self::seed_study::{PORTFOLIOS, PortfoliosPlan, PortfoliosSpec};
use super::files::strategy::ContestantError;
use super::language::comparison::{ComparisonSpec, Families, MARKS, MeetingsSpec};
use super::language::error::SpecError;
use super::language::method::options_of;
use super::language::outputs::{Misplaced, Output, Planned};
use super::language::quantity::{GAMES_RANGE, QuantityError, REPEATS_RANGE, parse_duration};
use super::language::run::{Experiment, ExperimentSpec};
use super::language::shared::{Length, RaceOptions};
use super::language::start::StartSpec;
use super::plan::{ALL_METHODS, Plan, Program, VOUCHED};
use super::study::{NoStudy, StudyKind};
use super::yardsticks::num_yardstick_games;

/// An experiment as written in a file.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum PlanSpec {
    /// One family, one seed, and one method or all methods.
    Run(ExperimentSpec),
    /// Several families, methods and seeds.
    Comparison(ComparisonSpec),
    /// One method with several budgets.
    Budgets(BudgetsSpec),
    /// Pools of random strategies.
    Portfolios(PortfoliosSpec),
    /// Players that play a round robin.
    RoundRobin(RoundRobinSpec),
}

impl PlanSpec {
    /// Returns the schemas of the files of all kinds of experiments.
    pub(crate) fn schemas(generator: &mut SchemaGenerator) -> Vec<Schema> {
        vec![
            generator.subschema_for::<ExperimentSpec>(),
            generator.subschema_for::<ComparisonSpec>(),
            generator.subschema_for::<BudgetsSpec>(),
            generator.subschema_for::<PortfoliosSpec>(),
            generator.subschema_for::<RoundRobinSpec>(),
        ]
    }
}

/// The work that follows the runs, or replaces them.
#[derive(Debug, Clone, PartialEq)]
pub enum Study {
    /// No work: the plan is a single run.
    None,
    /// The champions race each other, and the best champion is named.
    Championship(ChampionshipSpec),
    /// The champions of each family play each other. The results are tables.
    Meetings(MeetingsSpec),
    /// The budgets of one method are compared by their scores.
    Budgets(BudgetsPlan),
    /// Pools of strategies play, to study the random seed. The plan has no runs.
    Portfolios(PortfoliosPlan),
    /// Players that need no training play a round robin. The plan has no runs.
    RoundRobin(RoundRobinPlan),
}

impl Study {
    /// Returns the name of the kind of experiment.
    pub fn name(&self) -> &'static str {
        match self {
            Study::None => "run",
            Study::Championship(_) => "championship",
            Study::Meetings(_) => "comparison",
            Study::Budgets(_) => "budgets",
            Study::Portfolios(_) => "portfolios",
            Study::RoundRobin(_) => "round-robin",
        }
    }

    /// Returns the implementation of this kind of experiment.
    pub(crate) fn kind(&self) -> &dyn StudyKind {
        match self {
            Study::None => &NoStudy,
            Study::Championship(spec) => spec,
            Study::Meetings(spec) => spec,
            Study::Budgets(plan) => plan,
            Study::Portfolios(plan) => plan,
            Study::RoundRobin(plan) => plan,
        }
    }

    /// Returns the requested outputs.
    pub fn outputs(&self) -> &[Output] {
        self.kind().outputs()
    }

    /// Returns an upper bound on the number of games that score the reference players of a family.
    pub fn num_yardstick_games(&self, plan: &Plan, family: &str) -> u64 {
        if let Study::Meetings(_) = self { num_yardstick_games(plan, family) } else { 0 }
    }
}

type Parse = fn(&YamlSource, &Registry) -> Result<Result<Plan, Misplaced>, Box<YamlError>>;
/// The keys that mark a kind of experiment, and the function that parses a file of this kind.
type ExperimentKind = (&'static [&'static str], Parse);

/// The kinds of experiments, each with its keys. A file belongs to the first kind whose key it has; a file without these
/// keys is a single run.
const KINDS: [ExperimentKind; 5] = [
    (&[PORTFOLIOS], |source, all| {
        let planned = source.parse::<PortfoliosSpec>()?.plan(all);
        Ok(Plan::of(planned, PlanSpec::Portfolios, Study::Portfolios))
    }),
    (&[PLAYERS], |source, all| {
        let planned = source.parse::<RoundRobinSpec>()?.plan(all);
        Ok(Plan::of(planned, PlanSpec::RoundRobin, Study::RoundRobin))
    }),
    (&[BUDGETS], |source, all| {
        let planned = source.parse::<BudgetsSpec>()?.plan(all);
        Ok(Plan::of(planned, PlanSpec::Budgets, Study::Budgets))
    }),
    (&MARKS, |source, all| {
        let mut spec: ComparisonSpec = source.parse()?;
        // Earlier versions had only one start and no key `opponents`, and did not write them.
        if source.text.starts_with(VOUCHED) {
            spec.start.get_or_insert(StartSpec::Unsaid);
            spec.opponents.get_or_insert(*REPEATS_RANGE.end());
        }
        Ok(Plan::of(spec.plan(all), PlanSpec::Comparison, Study::Meetings))
    }),
    (&[], |source, all| {
        let mut spec: ExperimentSpec = source.parse()?;
        if source.text.starts_with(VOUCHED) {
            spec.start.get_or_insert(StartSpec::Unsaid);
        }
        Ok(Plan::new(spec, all).map_err(|error| (vec![error.step()], error)))
    }),
];

impl Plan {
    /// Makes a plan of what a specification has planned.
    fn of<S, T>(
        planned: Planned<S, T>,
        spec: fn(S) -> PlanSpec,
        study: fn(T) -> Study,
    ) -> Result<Plan, Misplaced> {
        let (runs, resolved, work) = planned?;
        Ok(Plan { runs, resolved: spec(resolved), study: study(work), file_name: None })
    }

    /// Returns the programs that the plan starts, in the order of the runs and then of the players.
    pub fn programs(&self) -> Vec<Program> {
        let (study, mut programs) = (self.study.kind(), Vec::<Program>::new());
        let of_runs = self.runs.iter().flat_map(Experiment::programs).map(|name| (name, 1));
        let players = study.programs().into_iter().map(String::from);
        let of_study = study.descriptions().into_keys().chain(players).map(|name| (name, 0));
        for (name, num_runs) in of_runs.chain(of_study) {
            match programs.iter_mut().find(|program| program.name == name) {
                Some(program) => program.num_runs += num_runs,
                None => programs.push(Program { name, num_runs }),
            }
        }
        programs
    }

    /// Asks whether the programs of the plan may be started.
    ///
    /// # Errors
    ///
    /// Returns the first program that must not be started, with the reason.
    pub fn ask_to_start(&self) -> Result<(), RefusedProgram> {
        self.programs().iter().try_for_each(|program| ask_to_start_named(&program.name))
    }

    /// Returns the descriptions of the families whose games programs play ([`AnyFamily::descriptions`]).
    ///
    /// [`AnyFamily::descriptions`]: ruse_play::family::AnyFamily::descriptions
    pub fn descriptions(&self) -> BTreeMap<String, String> {
        let of_runs = self.runs.iter().flat_map(|run| run.family.descriptions());
        of_runs.chain(self.study.kind().descriptions()).collect()
    }

    /// Checks an experiment and fills in defaults.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn new(spec: ExperimentSpec, registry: &Registry) -> Result<Plan, SpecError> {
        if spec.method != ALL_METHODS {
            let run = Experiment::new(spec, registry)?;
            let resolved = PlanSpec::Run(run.resolved.clone());
            return Ok(Plan { runs: vec![run], resolved, study: Study::None, file_name: None });
        }
        // Settings that suit any method are checked with a method that compares.
        let (options, races, start) =
            (spec.options.clone(), spec.races.clone(), spec.start.clone());
        let respond_with = spec.respond_with.clone();
        let comparing = registry.general_methods().find(|method| method.info().compares);
        let general = ExperimentSpec {
            method: comparing.map_or(DEFAULT_METHOD, |method| method.name()).into(),
            options: OptionValues::new(),
            respond_with: Vec::new(),
            ..spec
        };
        let mut general = Experiment::new(general, registry)?;
        general.resolved.options = OptionValues::new();
        // Settings that were not given depend on the method.
        let RaceOptions { delta, precision, .. } = general.resolved.races;
        general.resolved.races = RaceOptions { delta, precision, ..races };
        if start.as_ref().is_none_or(|start| *start == StartSpec::usual()) {
            general.resolved.start = Some(StartSpec::usual());
        }
        // The budget is divided into equal shares: one for each method, and one for the championship.
        let num_shares = registry.general_methods().count() as u64 + 1;
        let share = general.resolved.length.budget.map(|games| games / num_shares);
        let least = GAMES_RANGE.start() * num_shares;
        if let Some(games) = general.resolved.length.budget.filter(|&games| games < least) {
            let range = least..=*GAMES_RANGE.end();
            let source = QuantityError::CountOutOfRange { found: games.to_string(), range };
            return Err(SpecError::Quantity { key: "budget".into(), source });
        }
        let time = general.budget.time.map(|time| {
            let share_ms = time.as_millis() as u64 / num_shares;
            format!("{}ms", share_ms.max(1))
        });
        let runs = registry.general_methods().map(|method| {
            let mut spec = ExperimentSpec {
                method: method.name().into(),
                length: Length { budget: share, ..general.resolved.length },
                options: options_of::<ExperimentSpec>(method.as_ref(), &options, registry)?,
                time: time.clone(),
                ..general.resolved.clone()
            };
            if method.info().takes_visitors {
                spec.respond_with.clone_from(&respond_with);
            }
            if !method.info().compares {
                spec.races = RaceOptions::default();
            }
            Experiment::new(spec, registry)
        });
        let runs = runs.collect::<Result<Vec<_>, _>>()?;
        // The options are written as the methods have parsed them.
        let of_runs = runs.iter().flat_map(|run| &run.resolved.options);
        let said = of_runs.filter(|(key, _)| options.contains_key(*key));
        let said = said.map(|(key, value)| (key.clone(), value.clone())).collect();
        debug_assert!(time.iter().all(|time| parse_duration(time).is_ok()));
        let races = RaceSettings {
            comparison: Operator::Bernstein,
            acceptance: Acceptance::default(),
            max_games: share.unwrap_or(u64::MAX),
            ..general.races
        };
        let championship = ChampionshipSpec { races };
        let resolved = ExperimentSpec {
            method: ALL_METHODS.into(),
            options: said,
            respond_with,
            ..general.resolved
        };
        let (resolved, study) = (PlanSpec::Run(resolved), Study::Championship(championship));
        Ok(Plan { runs, resolved, study, file_name: None })
    }

    /// Checks a comparison and fills in defaults.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn compare(spec: ComparisonSpec, registry: &Registry) -> Result<Plan, SpecError> {
        let plan = Plan::of(spec.plan(registry), PlanSpec::Comparison, Study::Meetings);
        plan.map_err(|(_, error)| error)
    }

    /// Reads an experiment file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or is invalid. The error describes the first mistake.
    pub fn read(path: &Path, registry: &Registry) -> Result<Plan, ReadError> {
        let unreadable = |source| ReadError::Unreadable { path: path.into(), source };
        let source = YamlSource::read(path).map_err(unreadable)?;
        let mut plan = Plan::parse(&source, registry)?;
        // In run directories, every experiment file is called `experiment`. This name says nothing about the plan.
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        plan.file_name = stem.filter(|stem| stem != "experiment");
        let checked = check_name(plan.file_name.as_deref().unwrap_or_default());
        checked.map_err(|error| unreadable(io::Error::other(error)))?;
        Ok(plan)
    }

    /// Parses the text of an experiment file.
    ///
    /// # Errors
    ///
    /// Returns the first mistake.
    pub fn parse(source: &YamlSource, registry: &Registry) -> Result<Plan, Box<YamlError>> {
        let keys = source.keys();
        let has_key = |mark: &&str| keys.iter().any(|key| key == mark);
        let is_of = |(marks, _): &&ExperimentKind| marks.is_empty() || marks.iter().any(has_key);
        let parse = KINDS.iter().find(is_of).expect("the last kind has no keys").1;
        let plan = parse(source, registry)?;
        plan.map_err(|(place, error)| {
            let advice = match &error {
                SpecError::Unknown(unknown) => Some(unknown.advice()),
                SpecError::Start(error) => error.advice(),
                SpecError::Player(error) => match &**error {
                    ContestantError::Unknown(unknown) => Some(unknown.advice()),
                    _ => None,
                },
                _ => None,
            };
            let advice = advice.map_or(String::new(), |advice| format!("; {advice}"));
            Box::new(source.error_at(&place, format!("{error}{advice}")))
        })
    }

    /// Returns the name of the plan's directory, which contains the directories of the runs.
    pub fn name(&self) -> String {
        /// The maximum number of families in a name.
        const MAX_FAMILIES: usize = 3;
        if let Some(name) = &self.file_name {
            return name.clone();
        }
        match &self.resolved {
            PlanSpec::Run(spec) => family_label(&spec.family).into(),
            PlanSpec::Comparison(ComparisonSpec { families: Families::These(items), .. })
                if items.len() <= MAX_FAMILIES =>
            {
                let names: Vec<_> = items.iter().map(|item| family_label(&item.family)).collect();
                format!("comparison-{}", names.join("-"))
            }
            PlanSpec::Comparison(_) => "comparison".into(),
            PlanSpec::Budgets(spec) => format!("budgets-{}", family_label(&spec.family)),
            PlanSpec::Portfolios(_) => PORTFOLIOS.into(),
            PlanSpec::RoundRobin(spec) => format!("round-robin-{}", spec.family),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::plan;
    use crate::language::start::Start;

    #[test]
    fn all_methods_share_the_budget() {
        let plan =
            plan("family: war\nmethod: all\nbudget: 800k\nallocation: round-robin").expect("valid");
        let methods: Vec<_> = plan.runs.iter().map(|run| run.resolved.method.as_str()).collect();
        let registry = Registry::standard();
        assert!(methods.iter().copied().eq(registry.general_methods().map(|method| method.name())));
        let share = 800_000 / (registry.general_methods().count() as u64 + 1);
        assert!(plan.runs.iter().all(|run| run.budget.games == Some(share)));
        let Study::Championship(championship) = plan.study else { panic!("several runs") };
        assert_eq!(championship.max_games(), Some(share));
        assert_eq!(plan.name(), "war");
    }

    /// In a run of all methods, each method has its default comparison operator and start, unless the experiment sets
    /// them.
    #[test]
    fn all_methods_have_their_own_races_and_starts() {
        let registry = Registry::standard();
        for (said, comparison) in [("", None), ("comparison: bernstein\n", Some("bernstein"))] {
            let plan =
                plan(&format!("family: pig\nmethod: all\ndelta: 0.1\n{said}")).expect("valid");
            for run in plan.runs {
                let method = registry.method(&run.resolved.method).expect("known");
                assert_eq!(run.start, Start::usual(method.info().usual_start));
                if method.info().compares {
                    let usual = method.info().usual_races.comparison.name();
                    assert_eq!(run.races.comparison.name(), comparison.unwrap_or(usual));
                    assert_eq!(run.races.limits.delta, 0.1);
                }
            }
        }
        let plan = plan("family: pig\nmethod: all\nstart: hold-25").expect("valid");
        assert!(plan.runs.iter().all(|run| matches!(&run.start, Start::Reference { .. })));
    }

    /// Writing and reading the resolved experiment does not change it.
    #[test]
    fn a_resolved_experiment_resolves_to_itself() {
        for text in [
            "family: war",
            "family: batawaf4\nrules: {suits: 4}\nbudget: 2M\ntime: 60s\nbaseline: descending\n",
            "family: war\nbaseline: [0, 1, -2.5]\niterations: 1e3\nseed: 18446744073709551615",
            "family: war\nmethod: naive\naccept: proven\nties: accept\nstart: [0, 1, -2.5]",
            "family: pig\nmethod: cma-es\ncomparison: bernstein\nstart: hold-25",
            "family: pig\nmethod: cma-es\naccept: leading\nstart: gaussian",
            "family: pig\nprune: 0.2",
            "family: war\nmethod: double-oracle\nrespond-with: [all]",
            "family: war\nmethod: hall-of-fame\nrespond-with: [war4, uct@50]",
            "family: pig\nprune: 0",
            "family: war\nbaseline: random\nscore-against: descending",
            "family: war\nscore-against: zero",
            "family: war\nbaseline: descending\nscore-against: descending",
            "family: war\nmethod: all\nbudget: 800k\nallocation: round-robin",
            "families: [war, {family: guess-who, name: small, rules: {characters: 16}, baseline: dichotomy}]\n\
             methods: [iterative, {method: iterative, name: b, delta: 0.1}, {method: seeds, individuals: 4}]\n\
             precision: 0.02\nbudget: 1M\niterations: 100\nrepeats: 2\nseed: 7\nhalf-width: 0.01",
            "families: [pig]\nmethods: [naive, {method: cma-es, start: hold-25}]\nties: accept\nstart: zero",
            "families: all\nrepeats: 1",
            "families: [pig]\nrepeats: 12",
            "families: [pig]\ntime: 5s\nseeds: [3, 1]",
            "family: pig\nmethod: naive\nbudgets: [20k, 500]\nrepeats: 2\nseed: 7\n",
            "family: rts-script\nplayers: [mc@T, random-biased]\nbudgets: [5]\nrules: [{map: 8x8-2}, {map: 12x12-1}]",
            "family: rts-script\nplayers: [worker-rush, random]\nrules: [{map: 8x8-2}]",
            "family: pig\nplayers: [[0.5], baseline, {player: [1], name: one}, zero, fixed]\nseed: 7",
            "portfolios:\n- {family: phantom-four, random: [4, 8]}\n\
             - {family: cheat-special, random: [4], vary: seed, held-out: 3, pairs: 1k}\nruns: 10\n",
            "portfolios:\n- {family: pig, players: [optimal, 'uct@5:c=1', {player: [0.5], name: half}]}\n\
             - {family: pig, name: few, players: [optimal, hold-20, hold-25], held-out: 1}\npools: 3\n",
        ] {
            let first = plan(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let written = serde_yaml::to_string(&first.resolved).expect("plain data");
            let again = plan(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(again.resolved, first.resolved, "{text}");
            assert_eq!(again.study, first.study, "{text}");
            assert_eq!(again.fingerprint(), first.fingerprint(), "{text}");
            let mut runs = first.runs.iter().zip(&again.runs);
            assert!(runs.all(|(x, y)| x.resolved == y.resolved), "{text}");
        }
    }
}
