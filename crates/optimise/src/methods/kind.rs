//! Kinds of methods: the name and the options of a method, and the functions that begin and restore its runs.
//!
//! Built-in methods and methods of library users implement the same trait, [`MethodKind`]; a registry stores them as
//! [`AnyMethod`], which accesses options by name.

use std::ops::RangeInclusive;
use std::sync::Arc;

use ruse_play::race::{Accept, Operator};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::SIGMA_RANGE;
use super::method::Method;
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
}

/// A method with its options, which can begin and resume runs.
///
/// The fields of the type are the options of the method, with names in kebab-case. The values of the
/// [registered](crate::registry::Registry::with_method) instance are the defaults. The documentation of a field, one
/// sentence, is shown as the meaning of the option. The attribute `#[schemars(range(..))]` gives the allowed numbers. A
/// method without options has no fields.
pub trait MethodKind:
    Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// Returns the name of the method, as users type it, in kebab-case.
    fn name(&self) -> &str;

    /// Describes the method in half a sentence.
    fn meaning(&self) -> &str;

    /// Returns `true` if the method decides by comparisons, to which an operator and its limits apply.
    fn compares(&self) -> bool {
        true
    }

    /// Returns the default races of the method: the races of the paper, unless overridden.
    fn usual_races(&self) -> UsualRaces {
        UsualRaces::OF_THE_PAPER
    }

    /// Returns the default start of the runs of the method: the start of the paper, unless overridden.
    fn usual_start(&self) -> UsualStart {
        UsualStart::Gaussian
    }

    /// Returns `true` if the method asks for responses among all players of the game
    /// ([`Oracle::respond`](super::Oracle::respond)).
    fn takes_visitors(&self) -> bool {
        false
    }

    /// Returns `true` if the method is one of [all methods](crate::registry::Registry::general_methods), which share a
    /// budget. By default, these are the methods that work with every family.
    fn is_general(&self) -> bool {
        !self.needs_self_play()
    }

    /// Returns `true` if the method needs a family whose action probabilities can be differentiated
    /// ([`AnyFamily::self_play`](ruse_play::family::AnyFamily::self_play)). By default, such a method is not one of all methods.
    fn needs_self_play(&self) -> bool {
        false
    }

    /// Begins a run with the parameters `start`: `[dimension]`, in parameter space.
    fn begin(&self, start: Vec<f64>) -> Box<dyn Method>;

    /// Restores the method from a saved `state`. `population` contains the start and every accepted strategy, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if `state` is not a state of this method.
    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError>;

    /// Erases the type of the method, as runs and registries require.
    fn into_any(self) -> Arc<dyn AnyMethod> {
        Arc::new(ErasedMethod(self))
    }
}

/// Deserialises an option that is a step size: a number within [`SIGMA_RANGE`].
pub(super) fn within_sigma_range<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<f64, D::Error> {
    let found = f64::deserialize(deserializer)?;
    match SIGMA_RANGE.contains(&found) {
        true => Ok(found),
        false => {
            let (least, most) = (SIGMA_RANGE.start(), SIGMA_RANGE.end());
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

/// A [`MethodKind`] with its type erased. The name of the method is unique in a registry.
pub trait AnyMethod: Send + Sync {
    /// Same as [`MethodKind::name`].
    fn name(&self) -> &str;

    /// Same as [`MethodKind::meaning`].
    fn meaning(&self) -> &str;

    /// Returns the command that each run starts if the method is an external program, and otherwise `None`.
    fn command(&self) -> Option<&str> {
        None
    }

    /// Same as [`MethodKind::compares`].
    fn compares(&self) -> bool;

    /// Same as [`MethodKind::usual_races`].
    fn usual_races(&self) -> UsualRaces;

    /// Same as [`MethodKind::usual_start`].
    fn usual_start(&self) -> UsualStart;

    /// Same as [`MethodKind::takes_visitors`].
    fn takes_visitors(&self) -> bool;

    /// Same as [`MethodKind::is_general`].
    fn is_general(&self) -> bool {
        !self.needs_self_play()
    }

    /// Same as [`MethodKind::needs_self_play`].
    fn needs_self_play(&self) -> bool {
        false
    }

    /// Returns the options in order, with their current values.
    fn options(&self) -> Vec<MethodOption>;

    /// Returns the method with these values for the named options; the other options keep their current values.
    ///
    /// # Errors
    ///
    /// Returns an error if an option is unknown or a value is invalid.
    fn with_options(&self, values: &OptionValues) -> Result<Arc<dyn AnyMethod>, OptionError>;

    /// Same as [`MethodKind::begin`].
    fn begin(&self, start: Vec<f64>) -> Box<dyn Method>;

    /// Same as [`MethodKind::restore`].
    ///
    /// # Errors
    ///
    /// Returns an error if `state` is not a state of this method.
    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError>;
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
    fn name(&self) -> &str {
        self.0.name()
    }

    fn meaning(&self) -> &str {
        self.0.meaning()
    }

    fn compares(&self) -> bool {
        self.0.compares()
    }

    fn usual_races(&self) -> UsualRaces {
        self.0.usual_races()
    }

    fn usual_start(&self) -> UsualStart {
        self.0.usual_start()
    }

    fn takes_visitors(&self) -> bool {
        self.0.takes_visitors()
    }

    fn is_general(&self) -> bool {
        self.0.is_general()
    }

    fn needs_self_play(&self) -> bool {
        self.0.needs_self_play()
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
        self.0.begin(start)
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        self.0.restore(population, state)
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
    use serde_json::json;

    use super::*;
    use crate::methods::{OnePlusOne, OnePlusOneKind};

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
        fn name(&self) -> &str {
            "example"
        }

        fn meaning(&self) -> &str {
            "an example"
        }

        fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
            Box::new(OnePlusOne::new(OnePlusOneKind::Naive, vec![start], self.first_step))
        }

        fn restore(
            &self,
            population: Vec<Vec<f64>>,
            _: Value,
        ) -> Result<Box<dyn Method>, StateError> {
            Ok(Box::new(OnePlusOne::new(OnePlusOneKind::Naive, population, self.first_step)))
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
