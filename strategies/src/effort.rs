//! How much a player has thought.

use std::ops::{Add, Sub};

/// What a player that plays on in thought has done. All of it is the same whenever a game is played again, unless the player thinks
/// by the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Turns at which there was a choice.
    pub choices: u64,
    /// Of these, turns at which the choice was proven best.
    pub proven: u64,
    /// Games played on in thought.
    pub playouts: u64,
    /// Stages solved: states of which all successors were made.
    pub expansions: u64,
    /// Steps of the game in thought: those of playouts, and one for each successor.
    pub steps: u64,
}

impl Add for Effort {
    type Output = Effort;

    fn add(self, other: Effort) -> Effort {
        Effort {
            choices: self.choices + other.choices,
            proven: self.proven + other.proven,
            playouts: self.playouts + other.playouts,
            expansions: self.expansions + other.expansions,
            steps: self.steps + other.steps,
        }
    }
}

/// What was done since.
impl Sub for Effort {
    type Output = Effort;

    fn sub(self, before: Effort) -> Effort {
        Effort {
            choices: self.choices - before.choices,
            proven: self.proven - before.proven,
            playouts: self.playouts - before.playouts,
            expansions: self.expansions - before.expansions,
            steps: self.steps - before.steps,
        }
    }
}
