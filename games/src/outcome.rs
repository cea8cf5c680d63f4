//! How a game stands and how it ended.

use serde::{Deserialize, Serialize};

use crate::Seat;

/// The result of a finished game, from the side named where the value is produced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Outcome {
    /// The named side lost.
    Loss,
    /// Neither side won.
    Draw,
    /// The named side won.
    Win,
}

impl Outcome {
    /// The same result, seen from the other side.
    #[inline]
    pub fn reversed(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// Twice the score: 0 for a loss, 1 for a draw, 2 for a win.
    #[inline]
    pub fn half_points(self) -> u8 {
        match self {
            Outcome::Loss => 0,
            Outcome::Draw => 1,
            Outcome::Win => 2,
        }
    }

    /// The outcome, from the side of [`Seat::First`], of a game that `seat` has won.
    #[inline]
    pub fn won_by(seat: Seat) -> Outcome {
        match seat {
            Seat::First => Outcome::Win,
            Seat::Second => Outcome::Loss,
        }
    }
}

/// What has to happen next in a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Turn {
    /// This seat chooses an action.
    Act(Seat),
    /// The game is over; the outcome is that of [`Seat::First`].
    Over(Outcome),
}
