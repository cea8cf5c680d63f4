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

impl Add for Effort {
    type Output = Effort;

    fn add(self, other: Effort) -> Effort {
        Effort {
            choices: self.choices + other.choices,
            proven: self.proven + other.proven,
            tried: self.tried + other.tried,
            playouts: self.playouts + other.playouts,
            expansions: self.expansions + other.expansions,
            steps: self.steps + other.steps,
        }
    }
}

/// The work done since `before`.
impl Sub for Effort {
    type Output = Effort;

    fn sub(self, before: Effort) -> Effort {
        Effort {
            choices: self.choices - before.choices,
            proven: self.proven - before.proven,
            tried: self.tried - before.tried,
            playouts: self.playouts - before.playouts,
            expansions: self.expansions - before.expansions,
            steps: self.steps - before.steps,
        }
    }
}
