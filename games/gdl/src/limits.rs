//! Limits on the size of rule files and of their ground form.

use thiserror::Error;

use crate::named::named;

/// Limits on texts and on grounding. A text that exceeds a limit is rejected with an error that names the limit, unless
/// its rules can be [played without grounding](crate::Rules::is_grounded). Otherwise the result does not depend on the
/// limits.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// `text-bytes`: the length of the text, in bytes.
    pub text_bytes: u64,
    /// `ground-rules`: the number of instances of rules.
    pub ground_rules: u64,
    /// `ground-atoms`: the number of atoms that are or may become true.
    pub ground_atoms: u64,
    /// `term-depth`: the nesting of derived terms, at most 200; a word has depth 1.
    pub term_depth: u64,
    /// `memory`: the estimated number of bytes that grounding uses.
    pub memory: u64,
    /// `ground-seconds`: the processor time of grounding (wall-clock time on systems that do not report processor
    /// time).
    pub ground_seconds: f64,
    /// `roles`: the number of roles other than `random`, at most 200.
    pub roles: u64,
    /// `disjuncts`: the number of rules that one rule with `or` becomes.
    pub disjuncts: u64,
    /// `literals`: the number of literals of all rules after `or` is expanded.
    pub literals: u64,
    /// `body-literals`: the number of literals in one body; each step of a join examines all of them.
    pub body_literals: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            text_bytes: 2 << 20,
            ground_rules: 5_000_000,
            ground_atoms: 2_000_000,
            term_depth: 32,
            memory: 2 << 30,
            ground_seconds: 120.0,
            roles: 16,
            disjuncts: 10_000,
            literals: 10_000_000,
            body_literals: 10_000,
        }
    }
}

named! {
    /// The name of a limit, used in errors and options, such as `ground-rules`.
    pub enum LimitName {
        /// [`Limits::text_bytes`].
        TextBytes = "text-bytes",
        /// [`Limits::ground_rules`].
        GroundRules = "ground-rules",
        /// [`Limits::ground_atoms`].
        GroundAtoms = "ground-atoms",
        /// [`Limits::term_depth`].
        TermDepth = "term-depth",
        /// [`Limits::memory`].
        Memory = "memory",
        /// [`Limits::ground_seconds`].
        GroundSeconds = "ground-seconds",
        /// [`Limits::roles`].
        Roles = "roles",
        /// [`Limits::disjuncts`].
        Disjuncts = "disjuncts",
        /// [`Limits::literals`].
        Literals = "literals",
        /// [`Limits::body_literals`].
        BodyLiterals = "body-literals",
    }
}

impl LimitName {
    /// Returns the maximum of the limit.
    pub(crate) const fn most(self) -> u64 {
        match self {
            Self::TermDepth => MAX_DEPTH,
            Self::Roles => MAX_ROLES,
            Self::Memory | Self::GroundSeconds => u64::MAX,
            _ => LARGEST,
        }
    }

    /// Returns the valid values in words.
    const fn range(self) -> &'static str {
        match self {
            Self::TermDepth | Self::Roles => "1 to 200",
            Self::Memory => "1 or more bytes",
            Self::GroundSeconds => "a number above 0",
            _ => "1 to 1,000,000,000",
        }
    }

    /// Returns the names of all limits, separated by commas.
    fn list() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}

/// The reason why a limit cannot be set.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LimitError {
    /// No limit has this name.
    #[error("no limit `{name}`: there are {}", LimitName::list())]
    Name {
        /// The unknown name.
        name: String,
    },
    /// The value is not a number, or is out of range.
    #[error("limit `{name}` cannot be `{value}`: expected {expected}")]
    Value {
        /// The name of the limit.
        name: LimitName,
        /// The value that was rejected, as given.
        value: String,
        /// A description of the valid values.
        expected: &'static str,
    },
}

impl Limits {
    /// Sets a limit by name, for command-line options.
    ///
    /// # Errors
    ///
    /// Returns an error if no limit has this name, or if the value is invalid for the limit.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), LimitError> {
        let Some(name) = LimitName::ALL.into_iter().find(|known| known.name() == name) else {
            return Err(LimitError::Name { name: name.into() });
        };
        let refuse = || LimitError::Value { name, value: value.into(), expected: name.range() };
        let field = match name {
            LimitName::GroundSeconds => {
                let seconds = value.parse().ok().filter(|&s: &f64| s.is_finite() && s > 0.0);
                self.ground_seconds = seconds.ok_or_else(refuse)?;
                return Ok(());
            }
            LimitName::TextBytes => &mut self.text_bytes,
            LimitName::GroundRules => &mut self.ground_rules,
            LimitName::GroundAtoms => &mut self.ground_atoms,
            LimitName::TermDepth => &mut self.term_depth,
            LimitName::Memory => &mut self.memory,
            LimitName::Roles => &mut self.roles,
            LimitName::Disjuncts => &mut self.disjuncts,
            LimitName::Literals => &mut self.literals,
            LimitName::BodyLiterals => &mut self.body_literals,
        };
        let number = value.parse().ok().filter(|number| (1..=name.most()).contains(number));
        *field = number.ok_or_else(refuse)?;
        Ok(())
    }
}

/// The maximum of `term-depth`; like the maximum of `roles` below, it is stored in 8 bits.
pub(crate) const MAX_DEPTH: u64 = 200;
pub(crate) const MAX_ROLES: u64 = 200;

/// The maximum of limits on counts, which are stored in 32 bits.
const LARGEST: u64 = 1_000_000_000;

/// The maximum number of moves, or percepts, of one role. Each move takes an output bit of every evaluator, and a
/// hundred bytes of the rules; amazons on a board of 10 x 10 squares has 86,980 moves.
pub(crate) const NUMBERS: u64 = 1 << 18;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_set_by_name_within_their_range() {
        let mut limits = Limits::default();
        for name in LimitName::ALL {
            assert_eq!(limits.set(name.name(), "7"), Ok(()), "{name}");
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
