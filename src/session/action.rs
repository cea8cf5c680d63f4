//! What is typed at a turn, and what it leads to.

use ruse_games::{BySeat, NotAnAction, Seat};

/// Why what a person typed was not played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// It is no action of this game.
    #[error(transparent)]
    NotAnAction(#[from] NotAnAction),
    /// The menu ends before.
    #[error("there is no choice {number}: choices are numbered from 1 to {last}")]
    NoSuchChoice {
        /// The number that was typed.
        number: String,
        /// The number of choices.
        last: usize,
    },
    /// The rules forbid it.
    #[error("{problem}")]
    Illegal {
        /// What the rules say.
        problem: String,
    },
    /// No seat is to act.
    #[error("the game is over")]
    GameOver,
    /// A strategy was thinking when somebody asked to stop.
    #[error("the strategy was asked to stop before it had decided")]
    Stopped,
}

/// An action that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The seat that acted.
    pub seat: Seat,
    /// The action, as a person would type it.
    pub typed: String,
    /// What each seat learns of it.
    pub told: BySeat<Option<String>>,
}

/// What may be typed at a turn, for a program that plays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allowed {
    /// What is typed, and what it means where that is not plain: all legal actions where the game lists them, else the
    /// choices, else actions worth comparing.
    pub actions: Vec<(String, String)>,
    /// Whether these are all legal actions.
    pub is_complete: bool,
    /// A regular expression of what is typed; see [`Board::grammar`](ruse_games::Board::grammar).
    pub grammar: String,
}
