//! How large a rule file, and what is made of it, may become.

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
    /// `term-depth`: nesting of derived terms; a word has depth 1. At most 200.
    pub term_depth: u64,
    /// `memory`: estimate of the bytes that grounding holds.
    pub memory: u64,
    /// `ground-seconds`: processor time of grounding (time on the clock where the system does not
    /// tell the processor's).
    pub ground_seconds: f64,
    /// `roles`: roles other than `random`.
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
