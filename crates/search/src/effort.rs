//! The work of a player while it thinks.

use std::ops::{Add, Sub};

/// The work of a player that simulates games. All counts are reproducible, unless the thinking time is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// The number of turns with more than one legal action.
    pub choices: u64,
    /// The number of choices that were proven best.
    pub proven: u64,
    /// The number of different actions that were tried at the choices, by searches that try each several times.
    pub tried: u64,
    /// The number of games simulated to evaluate a choice.
    pub playouts: u64,
    /// The number of stages solved: states for which all successors were generated.
    pub expansions: u64,
    /// The number of simulated steps of the game: all steps of playouts, and one step for each successor.
    pub steps: u64,
}

impl Effort {
    /// Combines each count with that of `other`.
    fn with(self, other: Effort, count: fn(u64, u64) -> u64) -> Effort {
        Effort {
            choices: count(self.choices, other.choices),
            proven: count(self.proven, other.proven),
            tried: count(self.tried, other.tried),
            playouts: count(self.playouts, other.playouts),
            expansions: count(self.expansions, other.expansions),
            steps: count(self.steps, other.steps),
        }
    }
}

impl Add for Effort {
    type Output = Effort;

    fn add(self, other: Effort) -> Effort {
        self.with(other, u64::add)
    }
}

/// The work done since `before`.
impl Sub for Effort {
    type Output = Effort;

    fn sub(self, before: Effort) -> Effort {
        self.with(before, u64::sub)
    }
}
