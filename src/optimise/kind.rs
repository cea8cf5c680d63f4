//! A method by its name: how a run of it begins and goes on, and what its options are.
//!
//! Built-in methods and those of anybody else implement the same trait, [`MethodKind`]; a registry keeps them behind
//! [`AnyMethod`], which knows the options by name.

use std::ops::RangeInclusive;
use std::sync::Arc;

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::method::Method;
use super::state_error::StateError;
use crate::race::{Accept, Operator};

/// Where the runs of a method begin unless the user says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UsualStart {
    /// At standard Gaussian parameters, as in the paper.
    #[default]
    Gaussian,
    /// Where all parameters are 0: the mean of the Gaussian ones.
    Zero,
}

/// How a method compares unless the user says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UsualRaces {
    /// The comparison operator.
    pub comparison: Operator,
    /// Which leads are enough.
    pub accept: Accept,
}

impl UsualRaces {
    /// The limited Bernstein race, in which a lead is enough: that of Cauwet & Teytaud 2018.
    pub const OF_THE_PAPER: UsualRaces =
        UsualRaces { comparison: Operator::Bernstein, accept: Accept::Leading };
    /// The betting race, in which a candidate has to be proven better: ours.
    pub const OURS: UsualRaces =
        UsualRaces { comparison: Operator::Betting, accept: Accept::Proven };
}

/// A method by its name: how a run of it begins, and goes on.
///
/// Its fields are its options, by which it is known in files and on the command line: each has a name in kebab-case, and
/// the values of the instance that is [registered](crate::registry::Registry::with_method) are their defaults. The
/// sentence in the documentation of a field is shown as its meaning, and the attribute `#[schemars(range(..))]` says
/// which numbers are allowed. A method without options has no fields.
pub trait MethodKind:
    Clone + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// The name that a user types, in kebab-case.
    fn name(&self) -> &str;

    /// What the method does, in half a sentence.
    fn meaning(&self) -> &str;

    /// Whether the method decides by comparisons, to which an operator and its limits apply.
    fn compares(&self) -> bool {
        true
    }

    /// How the method compares unless the user says otherwise; by default as in the paper.
    fn usual_races(&self) -> UsualRaces {
        UsualRaces::OF_THE_PAPER
    }

    /// Where its runs begin unless the user says otherwise; by default as in the paper.
    fn usual_start(&self) -> UsualStart {
        UsualStart::Gaussian
    }

    /// The method at the start of a run, from the parameters `start`: `[dimension]`, in parameter space.
    fn begin(&self, start: Vec<f64>) -> Box<dyn Method>;

    /// The method in a `state` in which it was, with the start and every strategy that was accepted, in order.
    ///
    /// # Errors
    ///
    /// When it is not a state of this method.
    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError>;

    /// The method with its type forgotten, as runs and registries take it.
    fn into_any(self) -> Arc<dyn AnyMethod> {
        Arc::new(ErasedMethod(self))
    }
}

/// Values of options, by their names.
pub type OptionValues = Map<String, Value>;

/// What may be given for an option.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum OptionKind {
    /// A whole number within these bounds.
    Count(RangeInclusive<u64>),
    /// Any number.
    Number,
    /// Yes or no.
    Flag,
    /// One of these words.
    Word(Vec<String>),
    /// Something else, which the method itself reads.
    Other,
}

/// An option of a method.
#[derive(Debug, Clone, PartialEq)]
pub struct MethodOption {
    /// Its name, in kebab-case.
    pub name: String,
    /// What it is, in one sentence.
    pub meaning: String,
    /// What may be given for it.
    pub kind: OptionKind,
    /// Its value.
    pub value: Value,
    /// The JSON Schema of its values.
    pub schema: Value,
}

/// The value of an option is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OptionError(String);

impl OptionError {
    /// There is no option of this name.
    pub(super) fn unknown(name: &str) -> OptionError {
        OptionError(format!("there is no option `{name}`"))
    }
}

/// A [`MethodKind`] whose type is forgotten. Its name is unique in a registry.
pub trait AnyMethod: Send + Sync {
    /// As [`MethodKind::name`].
    fn name(&self) -> &str;

    /// As [`MethodKind::meaning`].
    fn meaning(&self) -> &str;

    /// The command that each run starts, of methods that are programs.
    fn command(&self) -> Option<&str> {
        None
    }

    /// As [`MethodKind::compares`].
    fn compares(&self) -> bool;

    /// As [`MethodKind::usual_races`].
    fn usual_races(&self) -> UsualRaces;

    /// As [`MethodKind::usual_start`].
    fn usual_start(&self) -> UsualStart;

    /// The options, in their order, with the values that they have here.
    fn options(&self) -> Vec<MethodOption>;

    /// The method with these values, and those that it has for all other options.
    ///
    /// # Errors
    ///
    /// When an option is not one of this method, or cannot have the value.
    fn with_options(&self, values: &OptionValues) -> Result<Arc<dyn AnyMethod>, OptionError>;

    /// As [`MethodKind::begin`].
    fn begin(&self, start: Vec<f64>) -> Box<dyn Method>;

    /// As [`MethodKind::restore`].
    ///
    /// # Errors
    ///
    /// When it is not a state of this method.
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
    /// The values of all options; none of a method without fields.
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

    fn options(&self) -> Vec<MethodOption> {
        // Each schema is to be whole by itself.
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

/// What the schema of an option allows.
fn kind(schema: &Value) -> OptionKind {
    // Variants are a list of words, or, where each is explained, of schemas of one word.
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
    use serde::Deserialize;
    use serde_json::json;

    use super::*;
    use crate::optimise::Naive;

    /// How bold it is.
    #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    enum Mood {
        Calm,
        VeryBold,
    }

    #[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    struct Example {
        /// How far it steps.
        first_step: f64,
        /// How bold it is.
        mood: Mood,
        /// How often it tries.
        #[schemars(range(min = 1, max = 9))]
        tries: u64,
        /// Whether it looks back.
        looks_back: bool,
        /// What it is called.
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
            Box::new(Naive::new(vec![start], self.first_step))
        }

        fn restore(
            &self,
            population: Vec<Vec<f64>>,
            _: Value,
        ) -> Result<Box<dyn Method>, StateError> {
            Ok(Box::new(Naive::new(population, self.first_step)))
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
        assert_eq!(found[0].meaning, "How far it steps.");
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
