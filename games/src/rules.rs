//! Numeric rules that a user can change: deck sizes, caps, variants.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::Game;

/// A text that is often a constant.
type Text = Cow<'static, str>;

/// A number that a user may change in the rules of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The name that a user types, in kebab-case. Games read from a file define their own names.
    pub name: Text,
    /// The meaning of the number, with its unit.
    pub meaning: Text,
    /// The current value.
    pub value: u64,
    /// The range of valid values; a game may reject combinations of valid values.
    pub range: RangeInclusive<u64>,
}

/// A game with numeric rules that can be changed.
pub trait AdjustableRules: Game {
    /// The rules that files of earlier versions do not have, each with the value that it has there. Files leave out such a
    /// rule at this value, so that older files and their fingerprints stay valid. By default, there are none.
    const IMPLIED: &'static [(&'static str, u64)] = &[];

    /// Returns the rules that can be changed, with their current values. By default, there are none.
    fn rules(&self) -> Vec<Rule> {
        Vec::new()
    }

    /// Returns the value of `rule` that `text` names, or `None` (the default) if it does not name a value.
    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        let _ = (rule, text);
        None
    }

    /// Refuses changes for a reason that the ranges of rules do not express, before names and ranges are checked. By
    /// default, accepts all changes.
    ///
    /// # Errors
    ///
    /// Returns the reason.
    fn check_changes(&self, changes: &BTreeMap<String, u64>) -> Result<(), RulesError> {
        let _ = changes;
        Ok(())
    }

    /// Returns the same game with other values of its [rules](AdjustableRules::rules), in their order. Each value lies in
    /// its range.
    ///
    /// # Errors
    ///
    /// Returns an error for an invalid combination of values.
    fn with_values(&self, values: &[u64]) -> Result<Self, RulesError>;

    /// Returns the same game with the named rules changed.
    ///
    /// # Errors
    ///
    /// Returns an error for an unknown name, a value out of range, or an invalid combination of values.
    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Self, RulesError> {
        self.check_changes(changes)?;
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        let values: Vec<u64> = rules.iter().map(|rule| rule.value).collect();
        self.with_values(&values)
    }
}

/// The reason why rules were rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The game has no rule of this name.
    #[error("there is no rule `{name}`; this game has {}", known_rules(.known))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The valid names.
        known: Vec<Text>,
    },
    /// The value is invalid on its own.
    #[error("rule `{name}` is {value}, but must lie between {} and {}", .range.start(), .range.end())]
    OutOfRange {
        /// The name of the rule.
        name: Text,
        /// The value that was given.
        value: u64,
        /// The valid values.
        range: RangeInclusive<u64>,
    },
    /// Each value is valid alone, but the combination is not.
    #[error("these rules do not go together: {reason}")]
    Inconsistent {
        /// The problem with the combination.
        reason: String,
    },
}

fn known_rules(known: &[Text]) -> String {
    if known.is_empty() { "none".into() } else { known.join(", ") }
}

impl Rule {
    /// Creates a rule from its name, its meaning, its current value, and the range of its valid values.
    pub fn new(
        name: impl Into<Text>,
        meaning: impl Into<Text>,
        value: impl Into<u64>,
        range: RangeInclusive<u64>,
    ) -> Rule {
        Rule::number(name, value, range).meaning(meaning)
    }

    /// Creates a rule from its name, its current value, and the range of its valid values, without a meaning.
    pub fn number(
        name: impl Into<Text>,
        value: impl Into<u64>,
        range: RangeInclusive<u64>,
    ) -> Rule {
        Rule { name: name.into(), meaning: "".into(), value: value.into(), range }
    }

    /// Sets the meaning of the number.
    #[must_use]
    pub fn meaning(self, meaning: impl Into<Text>) -> Rule {
        Rule { meaning: meaning.into(), ..self }
    }

    /// Applies `changes` to the values of `rules`, checking names and ranges.
    ///
    /// # Errors
    ///
    /// Returns [`RulesError::Unknown`] or [`RulesError::OutOfRange`].
    pub fn change(rules: &mut [Rule], changes: &BTreeMap<String, u64>) -> Result<(), RulesError> {
        for (name, &value) in changes {
            let Some(rule) = rules.iter_mut().find(|rule| rule.name == *name) else {
                let known = rules.iter().map(|rule| rule.name.clone()).collect();
                return Err(RulesError::Unknown { name: name.clone(), known });
            };
            if !rule.range.contains(&value) {
                let range = rule.range.clone();
                return Err(RulesError::OutOfRange { name: rule.name.clone(), value, range });
            }
            rule.value = value;
        }
        Ok(())
    }
}
