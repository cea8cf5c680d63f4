//! Experiments: everything that determines the result of a run.

use std::collections::BTreeMap;
use std::fmt;

use ruse_games::RulesError;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use super::baseline::{Baseline, BaselineSpec};
use super::contestant::ContestantError;
use super::quantity::{
    GAMES_RANGE, INDIVIDUALS_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, QuantityError, check_fraction,
    parse_count, parse_duration,
};
use crate::family::{AnyFamily, ContestantSpec, PureSpec};
use crate::lab::files::strategy::MixtureMember;
use crate::names::UnknownName;
use crate::optimise::{Allocation, Budget, MethodName, MethodSpec};
use crate::race::{Comparison, Limits};
use crate::registry::Registry;

/// An experiment as it is written in a file or on the command line; everything but the family has a
/// default.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "an experiment, with at least `family`")]
pub struct ExperimentSpec {
    /// The family to tune.
    pub family: String,
    /// Rules that differ from those of the game.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, u64>,
    /// The optimiser.
    #[serde(default = "default_method")]
    pub method: String,
    /// The comparison operator, of methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<String>,
    /// Probability that a comparison is wrong, of methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<f64>,
    /// Half-width of the interval at which a comparison without winner stops, of methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// Who plays how often, in the method of seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocation: Option<String>,
    /// Individuals to begin with, in the method of seeds.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub individuals: Option<u64>,
    /// Whom the result is scored against: `redrawn`, `fixed`, any strategy, or parameters.
    #[serde(default)]
    pub baseline: BaselineSpec,
    /// Games in comparisons; by default what suits the family, unless there is another limit.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub budget: Option<u64>,
    /// Candidates to try.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub iterations: Option<u64>,
    /// Wall time, as in `60s`; a run with this limit cannot be repeated exactly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<String>,
    /// Where all randomness comes from.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Pairs for each score of the result; by default what suits the family.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub evaluation_pairs: Option<u64>,
    /// Pairs for each point of the learning curve; by default what suits the family.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "count")]
    pub monitor_pairs: Option<u64>,
}

fn default_method() -> String {
    MethodName::DEFAULT.name().into()
}

fn default_seed() -> u64 {
    1
}

impl ExperimentSpec {
    /// The experiment with nothing but defaults.
    pub fn new(family: &str) -> ExperimentSpec {
        ExperimentSpec {
            family: family.into(),
            rules: BTreeMap::new(),
            method: default_method(),
            comparison: None,
            delta: None,
            precision: None,
            allocation: None,
            individuals: None,
            baseline: BaselineSpec::default(),
            budget: None,
            iterations: None,
            time: None,
            seed: default_seed(),
            evaluation_pairs: None,
            monitor_pairs: None,
        }
    }

    /// The name of the run, for its directory.
    pub fn run_name(&self) -> String {
        let ExperimentSpec { family, method, seed, .. } = self;
        format!("{family}-{method}-seed{seed}")
    }
}

/// Reads a count with or without suffix; its range is checked with all the rest.
pub(in crate::lab) fn count<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    struct CountVisitor;

    impl Visitor<'_> for CountVisitor {
        type Value = Option<u64>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a whole number such as 500000, 500k or 2M")
        }

        fn visit_u64<E: de::Error>(self, number: u64) -> Result<Option<u64>, E> {
            Ok(Some(number))
        }

        fn visit_f64<E: de::Error>(self, number: f64) -> Result<Option<u64>, E> {
            self.visit_str(&number.to_string())
        }

        fn visit_str<E: de::Error>(self, text: &str) -> Result<Option<u64>, E> {
            parse_count(text, 0..=u64::MAX).map(Some).map_err(E::custom)
        }
    }

    deserializer.deserialize_any(CountVisitor)
}

/// Why an experiment was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// A family, method or comparison operator that is not there.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The game refuses the rules.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The baseline is not a contestant of the family.
    #[error("baseline: {0}")]
    Baseline(#[source] ContestantError),
    /// An option is not one of this method.
    #[error("the {method} method has no `{key}`")]
    NotOfMethod {
        /// The key in a file, and the name of the option.
        key: &'static str,
        /// The method.
        method: &'static str,
    },
    /// Two of something have the same name.
    #[error("there are two of the {what} `{name}`")]
    Repeated {
        /// What there are two of.
        what: &'static str,
        /// What both are called.
        name: String,
    },
    /// There is nothing in a list.
    #[error("the list of {0} is empty")]
    Empty(&'static str),
    /// The seeds are given in two ways.
    #[error("`seeds` takes the place of `repeats` and `seed`")]
    SeedsTwice,
    /// Something is called what no directory should be.
    #[error(
        "`{0}` is no name for directories: up to 64 letters, digits, `-`, `_` and `.` are, if they begin with \
         a letter or a digit"
    )]
    Label(String),
    /// The comparison operator has no races of this precision.
    #[error("precision: {found:e} is too small for {comparison} races: {least:e} or more works")]
    TooPrecise {
        /// The comparison operator.
        comparison: &'static str,
        /// The precision.
        found: f64,
        /// The smallest that works.
        least: f64,
    },
    /// A number is out of range.
    #[error("{key}: {source}")]
    Quantity {
        /// The key in a file, and the name of the option.
        key: &'static str,
        /// What is wrong.
        source: QuantityError,
    },
}

impl SpecError {
    /// The key in a file that has the mistake.
    pub fn key(&self) -> &str {
        match self {
            SpecError::Unknown(unknown) => unknown.kind,
            SpecError::Rules(_) => "rules",
            SpecError::Baseline(_) => "baseline",
            SpecError::Quantity { key, .. } | SpecError::NotOfMethod { key, .. } => key,
            SpecError::Repeated { .. } | SpecError::Label(_) => "name",
            SpecError::TooPrecise { .. } => "precision",
            SpecError::Empty(list) => list,
            SpecError::SeedsTwice => "seeds",
        }
    }
}

/// How many pairs to score a strategy on when nobody says: in proportion to the default budget of the
/// family, which in turn goes by the speed of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DefaultPairs {
    /// For a score that is reported.
    pub evaluation: u64,
    /// For a point of the learning curve.
    pub monitor: u64,
}

impl DefaultPairs {
    /// The numbers for a family.
    pub fn of(family: &dyn AnyFamily) -> DefaultPairs {
        let budget = family.default_budget();
        DefaultPairs {
            evaluation: (budget / 250).clamp(200, 20_000),
            monitor: (budget / 5_000).clamp(50, 1_000),
        }
    }
}

/// An experiment that was checked and can be run.
pub struct Experiment {
    /// The family, with the rules of the experiment.
    pub family: Box<dyn AnyFamily>,
    /// The optimiser.
    pub method: MethodSpec,
    /// The comparison operator, which matters to methods that compare.
    pub comparison: Comparison,
    /// The limits of the comparisons.
    pub limits: Limits,
    /// Whom the result is scored against.
    pub baseline: Baseline,
    /// When to stop.
    pub budget: Budget,
    /// Pairs for each score of the result.
    pub evaluation_pairs: u64,
    /// Pairs for each point of the learning curve.
    pub monitor_pairs: u64,
    /// What family and method are called in tables and directories.
    pub labels: [String; 2],
    /// Everything, written out: running it again gives the same results.
    pub resolved: ExperimentSpec,
}

impl Experiment {
    /// Checks an experiment and fills in what it leaves open.
    ///
    /// # Errors
    ///
    /// At the first thing that makes no sense.
    pub fn new(spec: ExperimentSpec, registry: &Registry) -> Result<Experiment, SpecError> {
        let within = |key, range: std::ops::RangeInclusive<u64>, number: u64| {
            parse_count(&number.to_string(), range).map_err(quantity(key))
        };
        let family = registry.family(&spec.family)?.with_rules(&spec.rules)?;
        let method = registry.method(&spec.method)?;
        let mut resolved = spec;
        let (comparison, limits) = resolve_comparison(&mut resolved, method)?;
        let method = resolve_method(&mut resolved, method)?;
        let baseline = resolved.baseline.resolve(family.as_ref()).map_err(SpecError::Baseline)?;
        if (resolved.budget, resolved.iterations, &resolved.time) == (None, None, &None) {
            resolved.budget = Some(family.default_budget());
        }
        let budget = Budget {
            games: resolved.budget.map(|n| within("budget", GAMES_RANGE, n)).transpose()?,
            iterations: resolved
                .iterations
                .map(|n| within("iterations", ITERATIONS_RANGE, n))
                .transpose()?,
            time: resolved
                .time
                .as_deref()
                .map(parse_duration)
                .transpose()
                .map_err(quantity("time"))?,
        };
        let defaults = DefaultPairs::of(family.as_ref());
        let evaluation_pairs = resolved.evaluation_pairs.unwrap_or(defaults.evaluation);
        let monitor_pairs = resolved.monitor_pairs.unwrap_or(defaults.monitor);
        resolved.evaluation_pairs =
            Some(within("evaluation-pairs", PAIRS_RANGE, evaluation_pairs)?);
        resolved.monitor_pairs = Some(within("monitor-pairs", PAIRS_RANGE, monitor_pairs)?);
        resolved.rules =
            family.rules().into_iter().map(|rule| (rule.name.into(), rule.value)).collect();
        // A file may change or move: its parameters stay.
        match &baseline {
            Baseline::Given(ContestantSpec::Parameters(theta)) => {
                resolved.baseline = BaselineSpec::Parameters(theta.clone());
            }
            Baseline::Given(ContestantSpec::Mixture(members)) => {
                let member = |(weight, strategy): &(f64, PureSpec)| MixtureMember {
                    weight: *weight,
                    name: None,
                    strategy: strategy.clone(),
                };
                let mixture = members.iter().map(member).collect();
                resolved.baseline = BaselineSpec::Portfolio { mixture };
            }
            _ => {}
        }
        Ok(Experiment {
            family,
            method,
            comparison,
            limits,
            baseline,
            budget,
            evaluation_pairs,
            monitor_pairs,
            labels: [resolved.family.clone(), resolved.method.clone()],
            resolved,
        })
    }

    /// The name of the run, for its directory.
    pub fn run_name(&self) -> String {
        let [family, method] = &self.labels;
        format!("{family}-{method}-seed{}", self.resolved.seed)
    }
}

/// The key of a number that is out of range.
fn quantity(key: &'static str) -> impl Fn(QuantityError) -> SpecError {
    move |source| SpecError::Quantity { key, source }
}

/// The comparison operator and its limits, written out if the method compares.
fn resolve_comparison(
    spec: &mut ExperimentSpec,
    method: MethodSpec,
) -> Result<(Comparison, Limits), SpecError> {
    let mut limits = Limits::default();
    let mut comparison = Comparison::ALL[0];
    if !method.compares() {
        let given = [
            ("comparison", spec.comparison.is_some()),
            ("delta", spec.delta.is_some()),
            ("precision", spec.precision.is_some()),
        ];
        return match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((key, _)) => Err(SpecError::NotOfMethod { key, method: method.name() }),
            None => Ok((comparison, limits)),
        };
    }
    if let Some(name) = &spec.comparison {
        comparison = find("comparison", name, Comparison::ALL, Comparison::name)?;
    }
    if let Some(delta) = spec.delta {
        limits.delta = check_fraction(delta).map_err(quantity("delta"))?;
    }
    if let Some(precision) = spec.precision {
        limits.precision = check_fraction(precision).map_err(quantity("precision"))?;
    }
    let least = comparison.smallest_precision();
    if limits.precision < least {
        let (comparison, found) = (comparison.name(), limits.precision);
        return Err(SpecError::TooPrecise { comparison, found, least });
    }
    spec.comparison = Some(comparison.name().into());
    (spec.delta, spec.precision) = (Some(limits.delta), Some(limits.precision));
    Ok((comparison, limits))
}

/// The method with its options, written out.
fn resolve_method(spec: &mut ExperimentSpec, method: MethodSpec) -> Result<MethodSpec, SpecError> {
    let MethodSpec::Seeds(mut options) = method else {
        let given = [
            ("allocation", spec.allocation.is_some()),
            ("individuals", spec.individuals.is_some()),
        ];
        return match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((key, _)) => Err(SpecError::NotOfMethod { key, method: method.name() }),
            None => Ok(method),
        };
    };
    if let Some(name) = &spec.allocation {
        options.allocation = find("allocation", name, Allocation::ALL, Allocation::name)?;
    }
    if let Some(individuals) = spec.individuals {
        let checked = parse_count(&individuals.to_string(), INDIVIDUALS_RANGE);
        options.individuals = checked.map_err(quantity("individuals"))? as usize;
    }
    spec.allocation = Some(options.allocation.name().into());
    spec.individuals = Some(options.individuals as u64);
    Ok(MethodSpec::Seeds(options))
}

/// The one of `all` that has this name.
pub(in crate::lab) fn find<T: Copy, const N: usize>(
    kind: &'static str,
    name: &str,
    all: [T; N],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    let found = all.into_iter().find(|&one| name_of(one) == name);
    found.ok_or_else(|| UnknownName::new(kind, name, all.map(name_of)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::YamlSource;

    fn check(text: &str) -> Result<Experiment, String> {
        let source = YamlSource { path: "x.yaml".into(), text: text.into() };
        let spec = source.parse().map_err(|error| error.to_string())?;
        Experiment::new(spec, &Registry::standard()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_resolved_experiment_resolves_to_itself() {
        for text in [
            "family: war",
            "family: batawaf4\nrules: {suits: 4}\nbudget: 2M\ntime: 60s\nbaseline: descending\n",
            "family: war\nbaseline: [0, 1, -2.5]\niterations: 1e3\nseed: 18446744073709551615",
        ] {
            let experiment = check(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let written = serde_yaml::to_string(&experiment.resolved).expect("plain data");
            let again = check(&written).unwrap_or_else(|error| panic!("{written}: {error}"));
            assert_eq!(again.resolved, experiment.resolved);
        }
    }

    #[test]
    fn a_precision_may_be_tiny() {
        for text in [
            "family: war\ncomparison: betting\nprecision: 3e-10",
            "family: war\ncomparison: bernstein\nprecision: 1e-300",
            "family: war\ncomparison: hoeffding\nprecision: 1e-300",
            "family: war\ncomparison: majority\nprecision: 1e-300",
        ] {
            assert_eq!(check(text).err(), None, "{text}");
        }
    }

    #[test]
    fn what_is_left_open_is_filled_in() {
        let experiment = check("family: war\nrules: {max-turns: 5000}").expect("valid");
        let rules = [("max-turns", 5000), ("ranks", 13), ("suits", 4)];
        assert!(experiment.resolved.rules.iter().map(|(k, v)| (k.as_str(), *v)).eq(rules));
        assert_eq!(experiment.budget.games, Some(experiment.family.default_budget()));
        assert_eq!(check("family: war\ntime: 2s").expect("valid").budget.games, None);
    }

    #[test]
    fn mistakes_are_named() {
        for (text, message) in [
            ("family: wra", "there is no family `wra`"),
            ("{}", "x.yaml:1:1: missing field `family`"),
            (
                "family: war\nbudgit: 5",
                "x.yaml:2:1: unknown field `budgit`, expected one of `family`, `rules`, `method`, `comparison`, `delta`, `precision`, `allocation`, `individuals`, `baseline`, `budget`, `iterations`, `time`, `seed`, `evaluation-pairs`, `monitor-pairs`",
            ),
            (
                "family: war\nbudget: some",
                "x.yaml:2:9: budget: `some` is not a whole number; write it as 500000, 500k, 2M or 1G",
            ),
            (
                "family: war\nbudget: -5",
                "x.yaml:2:9: budget: invalid type: integer `-5`, expected a whole number such as 500000, 500k or 2M",
            ),
            (
                "family: war\nbudget: 1",
                "budget: 1 is out of range: 2 to 1000000000000000 are allowed",
            ),
            ("family: war\ndelta: 1.5", "delta: 1.5 is not between 0 and 1 (both excluded)"),
            (
                "family: war\nprecision: .nan",
                "precision: NaN is not between 0 and 1 (both excluded)",
            ),
            (
                "family: war\ncomparison: betting\nprecision: 2.9e-10",
                "precision: 2.9e-10 is too small for betting races: 3e-10 or more works",
            ),
            ("family: war\nmethod: magic", "there is no method `magic`"),
            ("family: war\ncomparison: dice", "there is no comparison `dice`"),
            (
                "family: war\ntime: soon",
                "time: `soon` is not a duration; write it as 60s, 5m or 2h 30m",
            ),
            (
                "family: war\nbaseline: [1, 2]",
                "baseline: parameters of family `war`: 2 parameters given, 3 expected",
            ),
            (
                "family: war\nbaseline: nobody",
                "baseline: there is no strategy or strategy file `nobody`",
            ),
            ("family: war\nrules: {ranks: 1}", "rule `ranks` is 1, but must lie between 2 and 64"),
        ] {
            let found = check(text).map(|experiment| experiment.resolved);
            assert_eq!(found, Err(message.to_string()), "{text}");
        }
    }
}
