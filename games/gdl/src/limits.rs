//! How large a rule file, and what is made of it, may become.

use thiserror::Error;

use crate::error::Problem;

/// Limits on texts and on grounding. A text that passes one is refused with an error that names the
/// limit; a limit never influences what is made of a text that is within it.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// `text-bytes`: length of the text, in bytes.
    pub text_bytes: u64,
    /// `ground-rules`: instances of rules.
    pub ground_rules: u64,
    /// `ground-atoms`: atoms that are or may become true.
    pub ground_atoms: u64,
    /// `term-depth`: nesting of derived terms, at most 200; a word has depth 1.
    pub term_depth: u64,
    /// `memory`: estimate of the bytes that grounding holds.
    pub memory: u64,
    /// `ground-seconds`: processor time of grounding (time on the clock where the system does not
    /// tell the processor's).
    pub ground_seconds: f64,
    /// `roles`: roles other than `random`, at most 200.
    pub roles: u64,
    /// `disjuncts`: rules that one rule with `or` comes to.
    pub disjuncts: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 16 << 20,
            ground_rules: 5_000_000,
            ground_atoms: 2_000_000,
            term_depth: 32,
            memory: 2 << 30,
            ground_seconds: 120.0,
            roles: 16,
            disjuncts: 10_000,
        }
    }
}

/// Why a limit cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitError {
    /// No limit has this name.
    #[error("no limit `{name}`: there are {}", Limits::NAMES.join(", "))]
    Name {
        /// The name.
        name: String,
    },
    /// The value is no number, or none that the limit may have.
    #[error("limit `{name}` cannot be `{value}`: expected {expected}")]
    Value {
        /// The limit.
        name: &'static str,
        /// The value.
        value: String,
        /// What may be given.
        expected: &'static str,
    },
}

impl Limits {
    /// The names of the limits, as they stand in errors.
    pub const NAMES: [&'static str; 8] = [
        "text-bytes",
        "ground-rules",
        "ground-atoms",
        "term-depth",
        "memory",
        "ground-seconds",
        "roles",
        "disjuncts",
    ];

    /// Sets a limit by name, as options of programs do.
    ///
    /// # Errors
    ///
    /// There is no such limit, or it cannot have this value.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), LimitError> {
        let Some(&name) = Self::NAMES.iter().find(|&&known| known == name) else {
            return Err(LimitError::Name { name: name.into() });
        };
        let refuse = |expected| LimitError::Value { name, value: value.into(), expected };
        if name == "ground-seconds" {
            let seconds = value.parse().ok().filter(|&s: &f64| s.is_finite() && s > 0.0);
            self.ground_seconds = seconds.ok_or_else(|| refuse("a number above 0"))?;
            return Ok(());
        }
        let (field, most, expected) = match name {
            "text-bytes" => (&mut self.text_bytes, LARGEST, "1 to 1,000,000,000"),
            "ground-rules" => (&mut self.ground_rules, LARGEST, "1 to 1,000,000,000"),
            "ground-atoms" => (&mut self.ground_atoms, LARGEST, "1 to 1,000,000,000"),
            "term-depth" => (&mut self.term_depth, MOST_DEPTH, "1 to 200"),
            "memory" => (&mut self.memory, u64::MAX, "1 or more bytes"),
            "roles" => (&mut self.roles, MOST_ROLES, "1 to 200"),
            _ => (&mut self.disjuncts, LARGEST, "1 to 1,000,000,000"),
        };
        let number = value.parse().ok().filter(|number| (1..=most).contains(number));
        *field = number.ok_or_else(|| refuse(expected))?;
        Ok(())
    }
}

/// Depths and roles have numbers of 8 bits.
pub(crate) const MOST_DEPTH: u64 = 200;
pub(crate) const MOST_ROLES: u64 = 200;

/// What is counted has numbers of 32 bits.
const LARGEST: u64 = 1_000_000_000;

/// The most literals that the rules of a text may have after `or` is taken apart. A bound on memory
/// that no written file comes near.
pub(crate) const NORMAL_LITERALS: u64 = 10_000_000;

/// The most literals in one body: joins look at all of them at each step.
pub(crate) const BODY_LITERALS: u64 = 10_000;

/// The most moves, or percepts, of one role: their numbers have 16 bits.
pub(crate) const MOVES: u64 = 1 << 16;

/// The problem of a limit that no rule is to blame for.
pub(crate) fn exceeded(name: &'static str, what: &'static str, limit: u64) -> Problem {
    Problem::Limit { name, what, limit, reached: 0, worst: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_by_name_within_their_range() {
        let mut limits = Limits::default();
        for name in Limits::NAMES {
            assert_eq!(limits.set(name, "7"), Ok(()), "{name}");
        }
        assert_eq!((limits.roles, limits.memory, limits.ground_seconds), (7, 7, 7.0));
        let error = |name, value| Limits::default().set(name, value).map_err(|e| e.to_string());
        assert_eq!(
            error("term-depth", "201"),
            Err("limit `term-depth` cannot be `201`: expected 1 to 200".into())
        );
        assert!(error("ground-seconds", "nan").is_err() && error("roles", "0").is_err());
        assert!(error("depth", "1").is_err_and(|error| error.starts_with("no limit `depth`")));
    }
}
