//! Rules that can be changed by number: deck sizes, caps, variants.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::Game;

/// A number in the rules of a game that a user may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// The name a user types, in kebab-case. A game that is read from a file has names of its own.
    pub name: Cow<'static, str>,
    /// What the number stands for, with its unit.
    pub meaning: Cow<'static, str>,
    /// The value in force.
    pub value: u64,
    /// The values that make sense on their own; a game may refuse combinations of them.
    pub range: RangeInclusive<u64>,
}

/// A game some of whose rules are parameters.
pub trait AdjustableRules: Game {
    /// The rules that can be changed, with the values in force.
    fn rules(&self) -> Vec<Rule>;

    /// The value of a rule that a text stands for, where values have names: none, as by default, for other texts and rules.
    fn rule_value(&self, rule: &str, text: &str) -> Option<u64> {
        let _ = (rule, text);
        None
    }

    /// The same game with the named rules changed.
    ///
    /// # Errors
    ///
    /// Fails on an unknown name, a value out of range, or values that do not go together.
    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Self, RulesError>;
}

/// Why rules were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The game has no rule of this name.
    #[error("there is no rule `{name}`; this game has {}", known_rules(.known))]
    Unknown {
        /// The name that was given.
        name: String,
        /// The names there are.
        known: Vec<Cow<'static, str>>,
    },
    /// The value makes no sense, whatever the other rules are.
    #[error("rule `{name}` is {value}, but must lie between {} and {}", .range.start(), .range.end())]
    OutOfRange {
        /// The name of the rule.
        name: Cow<'static, str>,
        /// The value that was given.
        value: u64,
        /// The values that can be given.
        range: RangeInclusive<u64>,
    },
    /// Each value makes sense alone, but not with the others.
    #[error("these rules do not go together: {reason}")]
    Inconsistent {
        /// What is wrong with the combination.
        reason: String,
    },
}

fn known_rules(known: &[Cow<'static, str>]) -> String {
    if known.is_empty() { "none".into() } else { known.join(", ") }
}

impl Rule {
    /// Changes the values of `rules` to those of `changes`, checking names and ranges.
    ///
    /// # Errors
    ///
    /// [`RulesError::Unknown`] or [`RulesError::OutOfRange`].
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
