//! Kinds of methods: the description and the options of a method, and its runs.
//!
//! Built-in methods and methods of library users implement the same trait, [`MethodKind`]; a registry stores them as
//! [`AnyMethod`], which accesses options by name.

use std::ops::RangeInclusive;
use std::sync::Arc;

use ruse_base::stop::Result;
use ruse_play::family::{Player, Weighted};
use ruse_play::race::{Accept, Acceptance, Limits, Operator, RaceSettings};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::SIGMA_RANGE;
use super::method::{Iteration, Method, Oracle};
use super::state_error::StateError;

/// The point at which a method's runs start by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UsualStart {
    /// Standard Gaussian parameters, as in the paper.
    #[default]
    Gaussian,
    /// All parameters are 0, the mean of the Gaussian parameters.
    Zero,
}

/// The default races of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsualRaces {
    /// The comparison operator.
    pub comparison: Operator,
    /// The lead that a candidate needs.
    pub accept: Accept,
}

impl UsualRaces {
    /// The limited Bernstein race, in which a lead is enough, as in Cauwet & Teytaud 2018.
    pub const OF_THE_PAPER: UsualRaces =
        UsualRaces { comparison: Operator::Bernstein, accept: Accept::Leading };
    /// The betting race, in which a candidate must be proven better. Our own methods use this race by default.
    pub const OURS: UsualRaces =
        UsualRaces { comparison: Operator::Betting, accept: Accept::Proven };

    /// Returns the rules of these races, with the default limits and any number of games.
    pub fn settings(self) -> RaceSettings {
        RaceSettings {
            comparison: self.comparison,
            limits: Limits::default(),
            acceptance: Acceptance { accept: self.accept, ..Acceptance::default() },
            max_games: u64::MAX,
        }
    }
}

/// The description of a method, as plain data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MethodInfo<'a> {
    /// The name, as users type it, in kebab-case.
    pub name: &'a str,
    /// The description, half a sentence.
    pub meaning: &'a str,
    /// Whether the method decides by comparisons, to which an operator and its limits apply.
    pub compares: bool,
    /// Whether a run ends with finals, in which the incumbent, other [finalists](super::Method::finalists) and the start
    /// play the baseline. A method that does not learn from the baseline should not have them.
    pub has_finals: bool,
    /// The default races.
    pub usual_races: UsualRaces,
    /// The default start of runs.
    pub usual_start: UsualStart,
    /// Whether the method asks for responses among all players of the game
    /// ([`Oracle::respond`](super::Oracle::respond)).
    pub takes_visitors: bool,
    /// Whether the method is one of all methods, which share a budget.
    pub is_general: bool,
    /// Whether the method needs a family whose action probabilities can be differentiated
    /// ([`AnyFamily::capabilities`](ruse_play::family::AnyFamily::capabilities)). Such a method should not be general.
    pub needs_self_play: bool,
}

impl<'a> MethodInfo<'a> {
    /// Describes a method of general use that compares candidates, with the races and the start of the paper.
    pub const fn new(name: &'a str, meaning: &'a str) -> MethodInfo<'a> {
        MethodInfo {
            name,
            meaning,
            compares: true,
            has_finals: false,
            usual_races: UsualRaces::OF_THE_PAPER,
            usual_start: UsualStart::Gaussian,
            takes_visitors: false,
            is_general: true,
            needs_self_play: false,
        }
    }
}

/// A method with its options, which can begin and resume runs.
///
/// The fields of the type are the options of the method, with names in kebab-case. The values of the
/// registered instance are the defaults. The documentation of a field, one
/// sentence, is shown as the meaning of the option. The attribute `#[schemars(range(..))]` gives the allowed numbers. A
/// method without options has no fields.
pub trait MethodKind:
    Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// The state of a run between two iterations, apart from the accepted strategies. Saved as JSON and read again, it must
    /// be the same to the last bit.
    type Memory: Serialize + DeserializeOwned + Send;

    /// Describes the method.
    fn info(&self) -> MethodInfo<'_>;

    /// Returns the state at the start of a run with the parameters `start`: `[dimension]`, in parameter space.
    fn begin(&self, start: &[f64]) -> Self::Memory;

    /// Checks a saved state.
    ///
    /// # Errors
    ///
    /// Returns an error if `run.memory` is not the state of a run of this method with this population.
    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let _ = run;
        Ok(())
    }

    /// Returns the best strategy so far: the last accepted strategy, unless overridden.
    fn incumbent(run: &Running<Self>) -> &[f64] {
        run.last()
    }

    /// Same as [`Method::sigma`]; by default, the method has no step size.
    fn sigma(run: &Running<Self>) -> Option<f64> {
        let _ = run;
        None
    }

    /// Same as [`Method::finalists`]; by default none.
    fn finalists(run: &Running<Self>) -> Vec<Vec<f64>> {
        let _ = run;
        Vec::new()
    }

    /// Same as [`Method::mixture`]; by default, the method finds no mixture.
    fn mixture(run: &Running<Self>) -> Option<Vec<Weighted<Player>>> {
        let _ = run;
        None
    }

    /// Carries out one iteration. An accepted strategy joins the population afterwards.
    ///
    /// # Errors
    ///
    /// Returns the error of the oracle. `run` is then unchanged.
    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration>;

    /// Erases the type of the method, as runs and registries require.
    fn into_any(self) -> Arc<dyn AnyMethod> {
        Arc::new(ErasedMethod(self))
    }
}

/// A run of a method between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Running<K: MethodKind> {
    /// The method with its options.
    pub options: K,
    /// The start and every accepted strategy, in order: each `[dimension]`.
    pub population: Vec<Vec<f64>>,
    /// The rest of the state.
    pub memory: K::Memory,
}

impl<K: MethodKind> Running<K> {
    /// Begins a run with the parameters `start`: `[dimension]`, in parameter space.
    pub fn new(start: Vec<f64>, options: K) -> Running<K> {
        let memory = options.begin(&start);
        Running { options, population: vec![start], memory }
    }

    /// Restores a run from its saved state. `population` contains the start and every accepted strategy, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if `state` is not a state of this method.
    pub fn restore(
        population: Vec<Vec<f64>>,
        options: K,
        state: Value,
    ) -> Result<Self, StateError> {
        let memory = serde_json::from_value(state)?;
        if population.is_empty() {
            return Err(StateError::new("there is no incumbent"));
        }
        let run = Running { options, population, memory };
        K::check(&run).map(|()| run)
    }

    /// Returns the start of the run: `[dimension]`.
    pub fn start(&self) -> &[f64] {
        &self.population[0]
    }

    /// Returns the strategy that was accepted last, or the start: `[dimension]`.
    pub fn last(&self) -> &[f64] {
        self.population.last().expect("a population has its start, at least")
    }
}

impl<K: MethodKind> Method for Running<K> {
    fn incumbent(&self) -> &[f64] {
        K::incumbent(self)
    }

    fn sigma(&self) -> Option<f64> {
        K::sigma(self)
    }

    fn finalists(&self) -> Vec<Vec<f64>> {
        K::finalists(self)
    }

    fn mixture(&self) -> Option<Vec<Weighted<Player>>> {
        K::mixture(self)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let done = K::iterate(self, oracle)?;
        self.population.extend(done.joined.iter().map(|joined| joined.parameters.clone()));
        Ok(done)
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.memory).expect("plain data")
    }
}

/// Deserialises an option that is a step size: a number within [`SIGMA_RANGE`].
pub(super) fn within_sigma_range<'de, D: Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    within(SIGMA_RANGE, from)
}

/// Deserialises an option that is a number within `range`.
pub(super) fn within<'de, D: Deserializer<'de>>(
    range: RangeInclusive<f64>,
    deserializer: D,
) -> Result<f64, D::Error> {
    let found = f64::deserialize(deserializer)?;
    match range.contains(&found) {
        true => Ok(found),
        false => {
            let (least, most) = (range.start(), range.end());
            Err(D::Error::custom(format!("{found} is not from {least} to {most}")))
        }
    }
}

/// Values of options, by name.
pub type OptionValues = Map<String, Value>;

/// The values that an option accepts.
#[derive(Debug, Clone, PartialEq)]
pub enum OptionKind {
    /// An integer within these bounds.
    Count(RangeInclusive<u64>),
    /// Any number.
    Number,
    /// A boolean.
    Flag,
    /// One of these words.
    Word(Vec<String>),
    /// Any other value, which the method itself parses.
    Other,
}

/// An option of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodOption {
    /// The name, in kebab-case.
    pub name: String,
    /// The meaning, in one sentence.
    pub meaning: String,
    /// The values that the option accepts.
    pub kind: OptionKind,
    /// The current value.
    pub value: Value,
    /// The JSON Schema of the values of the option.
    pub schema: Value,
}

/// An error about an unknown option, or about an invalid value of an option.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionError(String);

impl OptionError {
    /// Creates the error for an unknown option.
    pub(super) fn unknown(name: &str) -> OptionError {
        OptionError(format!("there is no option `{name}`"))
    }
}

/// A method that goes on from a saved state, or what is wrong with the state.
pub type Restored = Result<Box<dyn Method>, StateError>;

/// A [`MethodKind`] with its type erased. The name of the method is unique in a registry.
pub trait AnyMethod: Send + Sync {
    /// Same as [`MethodKind::info`].
    fn info(&self) -> MethodInfo<'_>;

    /// Returns the name of the method.
    fn name(&self) -> &str {
        self.info().name
    }

    /// Returns the command that each run starts if the method is an external program, and otherwise `None`.
    fn command(&self) -> Option<&str> {
        None
    }

    /// Returns the options in order, with their current values.
    fn options(&self) -> Vec<MethodOption>;

    /// Returns the method with these values for the named options; the other options keep their current values.
    ///
    /// # Errors
    ///
    /// Returns an error if an option is unknown or a value is invalid.
    fn with_options(&self, values: &OptionValues) -> Result<Arc<dyn AnyMethod>, OptionError>;

    /// Begins a run with the parameters `start`: `[dimension]`, in parameter space.
    fn begin(&self, start: Vec<f64>) -> Box<dyn Method>;

    /// Restores a run from its saved state. `population` contains the start and every accepted strategy, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if `state` is not a state of this method.
    fn restore(&self, population: Vec<Vec<f64>>, state: Value) -> Restored;
}

impl std::fmt::Debug for dyn AnyMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values = self.options().into_iter().map(|option| (option.name, option.value));
        f.debug_tuple(self.name()).field(&OptionValues::from_iter(values)).finish()
    }
}

struct ErasedMethod<M>(M);

impl<M: MethodKind> ErasedMethod<M> {
    /// Returns the values of all options. The map is empty for a method without fields.
    fn values(&self) -> OptionValues {
        match serde_json::to_value(&self.0) {
            Ok(Value::Object(values)) => values,
            _ => OptionValues::new(),
        }
    }
}

impl<M: MethodKind> AnyMethod for ErasedMethod<M> {
    fn info(&self) -> MethodInfo<'_> {
        self.0.info()
    }

    fn options(&self) -> Vec<MethodOption> {
        // Each schema must be complete by itself.
        let settings = SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
        let schema = settings.into_generator().into_root_schema_for::<M>().to_value();
        let option = |(name, value): (String, Value)| {
            let schema = schema["properties"][&name].clone();
            let meaning = schema["description"].as_str().unwrap_or_default().into();
            MethodOption { kind: kind(&schema), name, meaning, value, schema }
        };
        self.values().into_iter().map(option).collect()
    }

    fn with_options(&self, given: &OptionValues) -> Result<Arc<dyn AnyMethod>, OptionError> {
        let mut values = self.values();
        for (name, value) in given {
            let known = values.get_mut(name);
            *known.ok_or_else(|| OptionError::unknown(name))? = value.clone();
        }
        if given.is_empty() {
            return Ok(self.0.clone().into_any());
        }
        let method = serde_json::from_value::<M>(Value::Object(values));
        method.map(M::into_any).map_err(|error| OptionError(error.to_string()))
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(Running::new(start, self.0.clone()))
    }

    fn restore(&self, population: Vec<Vec<f64>>, state: Value) -> Restored {
        Ok(Box::new(Running::restore(population, self.0.clone(), state)?))
    }
}

/// Returns the values that the schema of an option allows.
fn kind(schema: &Value) -> OptionKind {
    // A schema lists variants as words or, if each variant is documented, as schemas of one word each.
    let words: Option<Vec<String>> = match (schema["enum"].as_array(), schema["oneOf"].as_array()) {
        (Some(words), _) => words.iter().map(|word| Some(word.as_str()?.into())).collect(),
        (_, Some(schemas)) => {
            schemas.iter().map(|schema| Some(schema["const"].as_str()?.into())).collect()
        }
        _ => None,
    };
    match (schema["type"].as_str(), words) {
        (_, Some(words)) => OptionKind::Word(words),
        (Some("integer"), _) => {
            let bound = |key: &str, default| schema[key].as_u64().unwrap_or(default);
            OptionKind::Count(bound("minimum", 0)..=bound("maximum", u64::MAX))
        }
        (Some("number"), _) => OptionKind::Number,
        (Some("boolean"), _) => OptionKind::Flag,
        _ => OptionKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use ruse_base::stop::{StopReason, Stopped};
    use serde_json::json;

    use super::*;

    /// The mood of the search.
    #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Mood {
        Calm,
        VeryBold,
    }

    #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    struct Example {
        /// The size of the first step.
        first_step: f64,
        /// The mood of the search.
        mood: Mood,
        /// The number of tries.
        #[schemars(range(min = 1, max = 9))]
        tries: u64,
        /// Whether earlier steps are tried again.
        looks_back: bool,
        /// The name in tables.
        label: Option<String>,
    }

    impl MethodKind for Example {
        type Memory = f64;

        fn info(&self) -> MethodInfo<'_> {
            MethodInfo::new("example", "an example")
        }

        fn begin(&self, _: &[f64]) -> f64 {
            self.first_step
        }

        fn sigma(run: &Running<Example>) -> Option<f64> {
            Some(run.memory)
        }

        fn iterate(_: &mut Running<Example>, _: &mut dyn Oracle) -> Result<Iteration> {
            Err(Stopped(StopReason::Finished))
        }
    }

    fn example() -> Arc<dyn AnyMethod> {
        let (mood, label) = (Mood::Calm, None);
        Example { first_step: 1.0, mood, tries: 3, looks_back: false, label }.into_any()
    }

    #[test]
    fn fields_are_options() {
        let found = example().options();
        let kinds: Vec<_> =
            found.iter().map(|option| (option.name.as_str(), option.kind.clone())).collect();
        let expected = [
            ("first-step", OptionKind::Number),
            ("mood", OptionKind::Word(vec!["calm".into(), "very-bold".into()])),
            ("tries", OptionKind::Count(1..=9)),
            ("looks-back", OptionKind::Flag),
            ("label", OptionKind::Other),
        ];
        assert_eq!(kinds, expected);
        assert_eq!(found[0].meaning, "The size of the first step.");
        assert_eq!(found[2].value, json!(3));
    }

    #[test]
    fn options_that_are_not_given_stay() {
        let given = |value: Value| match value {
            Value::Object(values) => values,
            _ => panic!("a map"),
        };
        let values = |method: &dyn AnyMethod| -> Vec<Value> {
            method.options().into_iter().map(|option| option.value).collect()
        };
        let method = example();
        let bold = method.with_options(&given(json!({"mood": "very-bold"}))).expect("valid");
        let expected = [json!(1.0), json!("very-bold"), json!(3), json!(false), json!(null)];
        assert_eq!(values(bold.as_ref()), expected);
        let again = bold.with_options(&given(json!({"first-step": 0.5}))).expect("valid");
        assert_eq!(values(again.as_ref())[..2], [json!(0.5), json!("very-bold")]);
        assert_eq!(again.begin(vec![0.0]).sigma(), Some(0.5));
        assert_eq!(values(method.as_ref())[0], json!(1.0));
        for wrong in [json!({"mood": "gloomy"}), json!({"moods": "calm"}), json!({"tries": -1})] {
            assert!(method.with_options(&given(wrong.clone())).is_err(), "{wrong}");
        }
    }
}
