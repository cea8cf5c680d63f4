//! Rules of a game as users write them. The value of a rule is a number, or a name for a number, such as the name of a
//! map.

use std::collections::BTreeMap;
use std::fmt;

use ruse_play::family::AnyFamily;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize};

use super::error::SpecError;

/// The changed rules of a game, by name. Other rules keep their defaults.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RulesSpec(BTreeMap<String, RuleValue>);

impl RulesSpec {
    /// Returns `true` if no rule is changed.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the rules and their values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &RuleValue)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns these rules, completed with the family's values for the other rules that files list.
    pub(crate) fn completed(mut self, family: &dyn AnyFamily) -> RulesSpec {
        for (name, value) in family.rule_values() {
            self.0.entry(name).or_insert(RuleValue::Number(value));
        }
        self
    }

    /// Returns the rules as numbers.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is not a value of the rule in `family`.
    pub fn numbers(&self, family: &dyn AnyFamily) -> Result<BTreeMap<String, u64>, SpecError> {
        let rules = family.rules();
        let number = |(name, value): (&String, &RuleValue)| {
            let number = match value {
                RuleValue::Number(number) => Some(*number),
                // Unknown rules are reported when the rules are applied.
                RuleValue::Name(_) if rules.iter().all(|rule| rule.name != name.as_str()) => {
                    Some(0)
                }
                RuleValue::Name(text) => family.rule_value(name, text),
            };
            let (rule, value) = (name.clone(), value.to_string());
            Ok((name.clone(), number.ok_or(SpecError::RuleValue { rule, value })?))
        };
        self.0.iter().map(number).collect()
    }
}

impl From<BTreeMap<String, u64>> for RulesSpec {
    fn from(rules: BTreeMap<String, u64>) -> RulesSpec {
        rules.into_iter().map(|(name, value)| (name, RuleValue::Number(value))).collect()
    }
}

impl FromIterator<(String, RuleValue)> for RulesSpec {
    fn from_iter<I: IntoIterator<Item = (String, RuleValue)>>(rules: I) -> RulesSpec {
        RulesSpec(rules.into_iter().collect())
    }
}

/// The value of a rule: a number, or the family's name for a number, such as the name of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum RuleValue {
    /// The number itself.
    Number(u64),
    /// A name for the number.
    Name(String),
}

impl fmt::Display for RuleValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleValue::Number(number) => number.fmt(f),
            RuleValue::Name(name) => name.fmt(f),
        }
    }
}

impl JsonSchema for RuleValue {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RuleValue".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "string" }] })
    }
}

impl<'de> Deserialize<'de> for RuleValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RuleValue, D::Error> {
        number_or_text(deserializer, "a whole number, or the name of a value")
    }
}

/// Reads a whole number or a text. Mistakes are reported with what is expected.
pub(crate) fn number_or_text<'de, D: Deserializer<'de>>(
    deserializer: D,
    expecting: &'static str,
) -> Result<RuleValue, D::Error> {
    struct ValueVisitor(&'static str);

    impl Visitor<'_> for ValueVisitor {
        type Value = RuleValue;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }

        fn visit_u64<E>(self, number: u64) -> Result<RuleValue, E> {
            Ok(RuleValue::Number(number))
        }

        fn visit_str<E>(self, name: &str) -> Result<RuleValue, E> {
            Ok(RuleValue::Name(name.into()))
        }
    }

    deserializer.deserialize_any(ValueVisitor(expecting))
}
