//! Experiments: everything that determines the result of a run.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::sync::Arc;

use ruse_base::names::UnknownName;
use ruse_base::stop::StopReason;
use ruse_optimise::exploit::{AllResponders, Responders};
use ruse_optimise::methods::{AnyMethod, Budget, OptionValues, UsualRaces, method_label};
use ruse_play::family::{AnyFamily, Player, family_label};
use ruse_play::race::{Accept, Operator, RaceSettings, Ties};
use ruse_programs::PROGRAM;
use ruse_registry::{DEFAULT_METHOD, Registry};
use ruse_strategies::PlannerSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::baseline::Baseline;
use super::error::{SpecError, quantity};
use super::method::{configured, own_options};
use super::parts::{Part, composed};
use super::quantity::{
    GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, check_fraction, check_share, parse_count,
    parse_duration,
};
use super::rules::RulesSpec;
use super::schema_names::{FamilyName, MethodOrAll};
use super::shared::{Length, OpponentOptions, RaceOptions, Scoring};
use super::start::{Start, StartSpec, is_unsaid};
use crate::files::strategy::{Discovery, GIVEN, ZERO};

/// An experiment as written in a file or on the command line. All keys except the family have a default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", remote = "Self")]
#[schemars(!remote, deny_unknown_fields)]
pub struct ExperimentSpec {
    /// The family to tune.
    #[schemars(with = "FamilyName")]
    pub family: String,
    /// The changed rules of the game (see `ruse show FAMILY`). Other rules keep their defaults.
    #[serde(default, skip_serializing_if = "RulesSpec::is_empty")]
    pub rules: RulesSpec,
    /// The optimiser, or all of them with equal shares of the budget. Default: es.
    #[serde(default = "default_method")]
    #[schemars(with = "MethodOrAll")]
    pub method: String,
    /// The settings of comparisons.
    #[serde(flatten)]
    pub races: RaceOptions,
    /// The options of the method, by their names.
    #[serde(flatten)]
    #[schemars(skip)]
    pub options: OptionValues,
    /// The start of the search: gaussian (drawn from the seed), zero, a reference strategy that has parameters, a
    /// strategy file, or parameters. Default: the usual start of the method.
    #[serde(default, skip_serializing_if = "is_unsaid")]
    pub start: Option<StartSpec>,
    /// The share of the budget for the last phase of the run, which sets groups of parameters to zero if this is proven
    /// to make the result better: from 0 to 1, and below 1. Default: 0, which means that there is no such phase.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0), extend("exclusiveMaximum" = 1))]
    pub prune: Option<f64>,
    /// The responders that double-oracle and hall-of-fame ask for opponents from outside the family: families of the
    /// game and searches, as in `ruse exploit`, or all. Half of the budget is for this. Default: none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub respond_with: Vec<String>,
    /// The opponents of runs.
    #[serde(flatten)]
    pub against: OpponentOptions,
    /// The limits of the run. Default: a budget that suits the family, if there is no other limit.
    #[serde(flatten)]
    pub length: Length,
    /// The limit of the wall time of the run, such as 60s or 2h 30m. A run with this limit cannot be repeated exactly.
    /// Default: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// The seed of all random numbers. Default: 1.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// The numbers of games for the scores of the result.
    #[serde(flatten)]
    pub measurement: Scoring,
}

composed! {
    ExperimentSpec, "an experiment, with at least `family`",
    parts: { races: RaceOptions, against: OpponentOptions, length: Length, measurement: Scoring },
    is_open: true
}

pub(crate) fn default_method() -> String {
    DEFAULT_METHOD.into()
}

fn default_seed() -> u64 {
    1
}

impl ExperimentSpec {
    /// Creates an experiment with default settings.
    pub fn new(family: &str) -> ExperimentSpec {
        ExperimentSpec {
            family: family.into(),
            method: default_method(),
            seed: default_seed(),
            ..ExperimentSpec::default()
        }
    }
}

/// The default numbers of pairs for scores. They are proportional to the family's default budget, which depends on the
/// speed of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultPairs {
    /// The number of pairs for a reported score.
    pub evaluation: u64,
    /// The number of pairs for a point of the learning curve.
    pub monitor: u64,
}

impl DefaultPairs {
    /// Returns the default numbers of pairs for a family.
    pub fn of(family: &dyn AnyFamily) -> DefaultPairs {
        let budget = family.info().default_budget;
        DefaultPairs {
            evaluation: (budget / 250).clamp(200, 20_000),
            monitor: match family.name().starts_with(PROGRAM) {
                // A game of programs may take a second, and some methods score a point after every hundred games.
                true => 20,
                // Otherwise, in a short run, the points of the curve would take longer than the run.
                false => (budget / 5_000).clamp((budget / 200).min(50), 1_000),
            },
        }
    }

    /// Returns the default numbers of pairs for games between these players. They are small if a player searches,
    /// because such games take milliseconds or seconds.
    pub fn of_players(family: &dyn AnyFamily, players: &[&Player]) -> DefaultPairs {
        match players.iter().any(|player| player.searches()) {
            true => DefaultPairs { evaluation: 100, monitor: 20 },
            false => DefaultPairs::of(family),
        }
    }
}

/// The search for the strongest opponent of the result of a run.
pub struct WorstCaseSearch {
    /// The number of games of the search, as a share of the run's games: above 0, at most 1.
    pub share: f64,
    /// The candidates for the strongest opponent.
    pub responders: Responders,
}

/// A checked experiment that can be run.
pub struct Experiment {
    /// The family, with the rules of the experiment.
    pub family: Arc<dyn AnyFamily>,
    /// The optimiser, with its options.
    pub method: Arc<dyn AnyMethod>,
    /// The rules of the comparisons, for methods that compare.
    pub races: RaceSettings,
    /// The start of the search.
    pub start: Start,
    /// The opponent against which the naive method trains.
    pub baseline: Baseline,
    /// The opponent against which the result is scored, if it is not the baseline.
    pub score_against: Option<Baseline>,
    /// The source of opponents from outside the family, for methods that ask for them; `None` if there is none.
    pub wide_responses: Option<AllResponders>,
    /// The limits of the run.
    pub budget: Budget,
    /// The number of pairs for each score of the result.
    pub evaluation_pairs: u64,
    /// The number of pairs for each point of the learning curve.
    pub monitor_pairs: u64,
    /// The search for the strongest opponent of the result; `None` if there is no search.
    pub worst_case: Option<WorstCaseSearch>,
    /// The labels of the family and of the method in tables and directories.
    pub labels: [String; 2],
    /// The experiment with all defaults filled in. Running it again gives the same results.
    pub resolved: ExperimentSpec,
}

impl Experiment {
    /// Checks an experiment and fills in defaults.
    ///
    /// # Errors
    ///
    /// Returns the first error.
    pub fn new(spec: ExperimentSpec, registry: &Registry) -> Result<Experiment, SpecError> {
        let within = |key: &'static str, range: RangeInclusive<u64>, number: Option<u64>| {
            let number = number.map(|number| parse_count(&number.to_string(), range));
            number.transpose().map_err(quantity(key))
        };
        let family = registry.family(&spec.family)?;
        let family = family.with_rules(&spec.rules.numbers(family.as_ref())?)?;
        let method = registry.method(&spec.method)?;
        if method.info().needs_self_play && family.self_play().is_none() {
            let (method, family) = (method.name().into(), family.name().into());
            let others = registry.families_with_self_play();
            return Err(SpecError::NoSelfPlay { method, family, others });
        }
        let mut resolved = spec;
        let races = resolve_races(&mut resolved.races, method.as_ref(), registry)?;
        let method = configured::<ExperimentSpec>(method.as_ref(), &resolved.options, registry)?;
        resolved.options = own_options(method.as_ref());
        let start = resolve_start(&mut resolved.start, method.as_ref(), family.as_ref())?;
        let given = resolved.against.baseline.take().unwrap_or_default();
        let baseline = given.resolve(family.as_ref()).map_err(SpecError::Baseline)?;
        let score_against = resolved.against.score_against.as_ref();
        let score_against = score_against.map(|spec| spec.resolve(family.as_ref())).transpose();
        let score_against =
            score_against.map_err(|error| SpecError::ScoreAgainst(Box::new(error)))?;
        // A scoring opponent that equals the baseline is dropped.
        let score_against = score_against.filter(|opponent| *opponent != baseline);
        let Length { budget, iterations, stop_when_stalled } = resolved.length;
        let has_limit = budget.is_some() || iterations.is_some() || resolved.time.is_some();
        if !has_limit {
            resolved.length.budget = Some(family.info().default_budget);
        }
        resolved.prune = resolved.prune.filter(|share| *share != 0.0);
        let prune = resolved.prune.map(check_fraction).transpose().map_err(quantity("prune"))?;
        let time = resolved.time.as_deref().map(parse_duration).transpose();
        let budget = Budget {
            prune,
            games: within("budget", GAMES_RANGE, resolved.length.budget)?,
            iterations: within("iterations", ITERATIONS_RANGE, iterations)?,
            stalled: within("stop-when-stalled", GAMES_RANGE, stop_when_stalled)?,
            time: time.map_err(quantity("time"))?,
        };
        let opponents = std::iter::once(&baseline).chain(&score_against);
        let opponents: Vec<&Player> = opponents.filter_map(Baseline::given).collect();
        let defaults = DefaultPairs::of_players(family.as_ref(), &opponents);
        let Scoring { evaluation_pairs, monitor_pairs, worst_case } = resolved.measurement;
        let evaluation_pairs = evaluation_pairs.unwrap_or(defaults.evaluation);
        let monitor_pairs = monitor_pairs.unwrap_or(defaults.monitor);
        resolved.measurement = Scoring {
            evaluation_pairs: within("evaluation-pairs", PAIRS_RANGE, Some(evaluation_pairs))?,
            monitor_pairs: within("monitor-pairs", PAIRS_RANGE, Some(monitor_pairs))?,
            worst_case,
        };
        let share = worst_case.map(check_share).transpose().map_err(quantity("worst-case"))?;
        let worst_case = share.filter(|share| *share > 0.0).map(|share| {
            let families = registry.families_of_game(&family);
            let responders = Responders::all(families, registry.methods());
            WorstCaseSearch { share, responders }
        });
        let wide_responses =
            wide_responses(&resolved.respond_with, method.as_ref(), &family, registry)?;
        resolved.rules = family.rule_values().into();
        resolved.against = OpponentOptions {
            baseline: Some(baseline.written_out().unwrap_or(given)),
            score_against: match &score_against {
                Some(opponent) => opponent.written_out().or(resolved.against.score_against),
                None => None,
            },
        };
        Ok(Experiment {
            family,
            method,
            races,
            start,
            baseline,
            score_against,
            wide_responses,
            budget,
            evaluation_pairs,
            monitor_pairs,
            worst_case,
            labels: [family_label(&resolved.family).into(), method_label(&resolved.method).into()],
            resolved,
        })
    }

    /// Returns the values of the rules, by name, as files list them.
    pub fn rules(&self) -> BTreeMap<String, u64> {
        self.family.rule_values()
    }

    /// Returns the programs that the run starts, as they are named: its family, its method, and its opponents.
    pub fn programs(&self) -> Vec<String> {
        let mut names: Vec<String> = self.family.descriptions().into_keys().collect();
        let opponents = [&self.baseline, self.scored_against()];
        let opponents = opponents.into_iter().filter_map(Baseline::given);
        let opponents = opponents.flat_map(Player::programs);
        for name in self.method.command().into_iter().chain(opponents) {
            if names.iter().all(|known| known != name) {
                names.push(name.into());
            }
        }
        names
    }

    /// Returns the opponent for scoring the result, the points of the learning curve, and the yardsticks.
    pub fn scored_against(&self) -> &Baseline {
        self.score_against.as_ref().unwrap_or(&self.baseline)
    }

    /// Returns the name of the run, which is also the name of its directory.
    pub fn run_name(&self) -> String {
        let [family, method] = &self.labels;
        format!("{family}-{method}-seed{}", self.resolved.seed)
    }
}

/// The word that stands for all responders.
const ALL_RESPONDERS: &str = "all";

/// Returns the source of opponents with these names; `None` if there are no names.
fn wide_responses(
    names: &[String],
    method: &dyn AnyMethod,
    family: &Arc<dyn AnyFamily>,
    registry: &Registry,
) -> Result<Option<AllResponders>, SpecError> {
    let responders = match names {
        [] => return Ok(None),
        _ if !method.info().takes_visitors => {
            let owners = registry.methods().filter(|method| method.info().takes_visitors);
            let owners = owners.map(|method| method.name().into()).collect();
            let (key, method) = ("respond-with".into(), method.name().into());
            return Err(SpecError::NotOfMethod { key, method, owners });
        }
        [all] if all == ALL_RESPONDERS => {
            Responders::all(registry.families_of_game(family), registry.methods())
        }
        names => {
            let families = registry.families_of_game(family);
            // A planner depends on the mixture that it answers, and cannot play in later iterations.
            if let Some(name) = names.iter().find(|name| PlannerSettings::parse(name).is_some()) {
                let valid = families.iter().map(|family| family.name());
                let unknown = UnknownName::new("responder of a method", name, valid);
                return Err(SpecError::RespondWith(unknown));
            }
            Responders::named(names, &families, registry.methods())
                .map_err(SpecError::RespondWith)?
        }
    };
    Ok(Some(AllResponders { family: Arc::clone(family), responders }))
}

/// Returns the start of the search. Unless it is the default Gaussian start, also writes it to `spec`.
fn resolve_start(
    spec: &mut Option<StartSpec>,
    method: &dyn AnyMethod,
    family: &dyn AnyFamily,
) -> Result<Start, SpecError> {
    let usual = Start::usual(method.info().usual_start);
    let start = match &*spec {
        Some(spec) => spec.resolve(method.info().usual_start, family),
        None => Ok(usual.clone()),
    };
    let start = start.map_err(|error| SpecError::Start(Box::new(error)))?;
    if start == Start::Gaussian && usual == Start::Gaussian {
        *spec = None;
    } else if !matches!(spec, Some(StartSpec::Unsaid)) {
        *spec = Some(start.spec());
    }
    Ok(start)
}

/// Returns the rules of races. If the method compares, also writes them to `races`. If `races` names an operator but not a rule, a leading candidate is accepted.
fn resolve_races(
    races: &mut RaceOptions,
    method: &dyn AnyMethod,
    registry: &Registry,
) -> Result<RaceSettings, SpecError> {
    let usual = method.info().usual_races;
    if !method.info().compares {
        let Some(key) = races.said().into_iter().next() else { return races.checked(usual) };
        let owners = registry.methods().filter(|method| method.info().compares);
        let owners = owners.map(|method| method.name().into()).collect();
        let method = method.name().into();
        return Err(SpecError::NotOfMethod { key, method, owners });
    }
    let settings = races.checked(usual)?;
    let RaceSettings { comparison, limits, acceptance, .. } = settings;
    *races = RaceOptions {
        comparison: Some(comparison.name().into()),
        delta: Some(limits.delta),
        precision: Some(limits.precision),
        // A named operator's defaults are not written.
        accept: (acceptance.accept != Accept::Leading).then(|| acceptance.accept.name().into()),
        ties: (acceptance.ties != Ties::Refuse).then(|| acceptance.ties.name().into()),
    };
    Ok(settings)
}

impl RaceOptions {
    /// Returns the settings of races for these options, with the defaults in `usual`.
    ///
    /// # Errors
    ///
    /// Returns an error if the value of an option is invalid.
    pub fn checked(&self, usual: UsualRaces) -> Result<RaceSettings, SpecError> {
        let mut races = usual.settings();
        if let Some(name) = &self.comparison {
            races.comparison = find("comparison", name, Operator::ALL, Operator::name)?;
            races.acceptance.accept = Accept::Leading;
        }
        if let Some(name) = &self.accept {
            races.acceptance.accept = find("accept", name, Accept::ALL, Accept::name)?;
        }
        if let Some(name) = &self.ties {
            races.acceptance.ties = find("ties", name, Ties::ALL, Ties::name)?;
        }
        if let Some(delta) = self.delta {
            races.limits.delta = check_fraction(delta).map_err(quantity("delta"))?;
        }
        if let Some(precision) = self.precision {
            races.limits.precision = check_fraction(precision).map_err(quantity("precision"))?;
        }
        let (found, least) = (races.limits.precision, races.comparison.smallest_precision());
        if found < least {
            let comparison = races.comparison.name();
            return Err(SpecError::TooPrecise { comparison, found, least });
        }
        Ok(races)
    }
}

/// Returns the element of `all` with this name.
pub(crate) fn find<T: Copy, const N: usize>(
    kind: &'static str,
    name: &str,
    all: [T; N],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    let found = all.into_iter().find(|&one| name_of(one) == name);
    found.ok_or_else(|| UnknownName::new(kind, name, all.map(name_of)))
}

impl Discovery {
    /// Returns this discovery with the names of `start` and `baseline`, and with `is_start` set if `champion` equals
    /// the start. `champion` has the shape `[dimension]`.
    pub(crate) fn of_run(
        run: &Experiment,
        champion: &[f64],
        [iterations, games]: [u64; 2],
        stop_reason: StopReason,
    ) -> Discovery {
        let Experiment { start, baseline, resolved: spec, .. } = run;
        let is_start = start.parameters(run.family.as_ref()).is_some_and(|start| start == champion);
        let start = match start {
            Start::Gaussian => None,
            Start::Zero => Some(ZERO.into()),
            Start::Reference { name, .. } => Some(name.clone()),
            Start::Given(_) => Some(GIVEN.into()),
        };
        let baseline = (*baseline != Baseline::Redrawn).then(|| baseline.in_words());
        Discovery {
            method: spec.method.clone(),
            comparison: spec.races.comparison.clone(),
            start,
            is_start,
            baseline,
            seed: spec.seed,
            iterations,
            games,
            stop_reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::plan;

    fn check(text: &str) -> Result<Experiment, String> {
        Ok(plan(text)?.runs.remove(0))
    }

    /// Runs are scored against the baseline, unless another opponent is named.
    #[test]
    fn scores_may_be_against_another_opponent_than_training() {
        let opponents = |text: &str| {
            let experiment = check(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            [experiment.baseline.in_words(), experiment.scored_against().in_words()]
        };
        for (text, expected) in [
            ("family: war", ["redrawn", "redrawn"]),
            ("family: war\nbaseline: random", ["random", "random"]),
            ("family: war\nbaseline: random\nscore-against: descending", ["random", "descending"]),
            ("family: war\nbaseline: random\nscore-against: baseline", ["random", "redrawn"]),
            ("family: war\nscore-against: zero", ["redrawn", "zero"]),
            ("family: war\nscore-against: [0, 1, 2]", ["redrawn", "given parameters"]),
            ("family: war\nbaseline: random\nscore-against: random", ["random", "random"]),
        ] {
            assert_eq!(opponents(text), expected, "{text}");
        }
        let same = check("family: war\nbaseline: random\nscore-against: random").expect("valid");
        assert_eq!(same.resolved.against.score_against, None);
    }

    /// The operator and the acceptance rule depend on the method and on the options.
    #[test]
    fn methods_have_their_own_races_unless_more_is_said() {
        use Accept::{Leading, Proven};
        use Operator::{Bernstein, Betting};

        for (method, said, expected) in [
            ("naive", "", (Bernstein, Leading)),
            ("iterative", "", (Bernstein, Leading)),
            ("real-coevolution", "", (Bernstein, Leading)),
            ("approximate-coevolution", "", (Bernstein, Leading)),
            ("cma-es", "", (Betting, Proven)),
            ("hall-of-fame", "", (Betting, Proven)),
            ("double-oracle", "", (Betting, Proven)),
            // A named operator is used exactly as given.
            ("cma-es", "comparison: bernstein", (Bernstein, Leading)),
            ("cma-es", "comparison: bernstein\naccept: proven", (Bernstein, Proven)),
            ("cma-es", "accept: leading", (Betting, Leading)),
            ("cma-es", "delta: 0.1", (Betting, Proven)),
            ("naive", "comparison: betting", (Betting, Leading)),
            ("naive", "accept: proven", (Bernstein, Proven)),
        ] {
            let experiment = check(&format!("family: pig\nmethod: {method}\n{said}"));
            let experiment = experiment.unwrap_or_else(|error| panic!("{method}, {said}: {error}"));
            let races = experiment.races;
            let found = (races.comparison, races.acceptance.accept);
            assert_eq!(found, expected, "{method}, {said}");
            // The rule of the paper is not written, so that experiments keep the names from before there were other
            // rules.
            let races = &experiment.resolved.races;
            assert_eq!(races.comparison.as_deref(), Some(expected.0.name()));
            assert_eq!(races.accept.as_deref(), (expected.1 == Proven).then_some("proven"));
            assert_eq!(races.ties, None);
        }
    }

    #[test]
    fn a_precision_may_be_tiny() {
        for text in [
            "family: war\nmethod: naive\ncomparison: betting\nprecision: 3e-10",
            "family: war\nmethod: naive\ncomparison: bernstein\nprecision: 1e-300",
            "family: war\nmethod: naive\ncomparison: hoeffding\nprecision: 1e-300",
            "family: war\nmethod: naive\ncomparison: majority\nprecision: 1e-300",
        ] {
            assert_eq!(check(text).err(), None, "{text}");
        }
    }

    #[test]
    fn defaults_are_filled_in() {
        // The value of a rule may be given by a name.
        let experiment = check("family: rts-script\nrules: {map: 8x8-2}").expect("valid");
        assert_eq!(experiment.rules()["map"], 1);
        // Files of earlier versions do not have the rule `ask`.
        let [usual, other] = ["when-idle", "every-cycle"].map(|ask| {
            let experiment = check(&format!("family: rts-script\nrules: {{ask: {ask}}}"));
            let experiment = experiment.expect("valid");
            assert_eq!(experiment.resolved.rules.iter().count(), experiment.rules().len());
            experiment.rules().get("ask").copied()
        });
        assert_eq!((usual, other), (None, Some(1)));
        let experiment = check("family: war\nrules: {max-turns: 5000}").expect("valid");
        let rules = [("max-turns", 5000), ("ranks", 13), ("suits", 4)];
        let rules = rules.map(|(name, value)| (name, crate::RuleValue::Number(value)));
        let resolved = &experiment.resolved.rules;
        assert!(resolved.iter().map(|(name, value)| (name, value.clone())).eq(rules));
        assert_eq!(experiment.budget.games, Some(experiment.family.info().default_budget));
        assert_eq!(check("family: war\ntime: 2s").expect("valid").budget.games, None);
    }
}
