//! Typed actions, and their results.

use ruse_games::{BySeat, NotAnAction, Seat};

/// The reason why a typed action was not played.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlayError {
    /// The text is not an action of this game.
    #[error(transparent)]
    NotAnAction(#[from] NotAnAction),
    /// The typed number is larger than the number of choices.
    #[error("there is no choice {number}: choices are numbered from 1 to {last}")]
    NoSuchChoice {
        /// The number that was typed.
        number: String,
        /// The number of choices.
        last: usize,
    },
    /// The rules forbid the action.
    #[error("{problem}")]
    Illegal {
        /// The reason why the rules forbid the action.
        problem: String,
    },
    /// The game is over, so it is not the turn of any seat.
    #[error("the game is over")]
    GameOver,
    /// A stop was requested while a strategy was thinking.
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
    /// The message to each seat about the action.
    pub told: BySeat<Option<String>>,
}

/// The inputs that are allowed at a turn, for a program that plays.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Allowed {
    /// The inputs, each with its meaning unless the meaning is obvious. These are all legal actions if the game lists
    /// them; otherwise, they are the choices or, if there are no choices, actions worth comparing.
    pub actions: Vec<(String, String)>,
    /// Whether `actions` contains all legal actions.
    pub is_complete: bool,
    /// A regular expression for the inputs; see [`Board::grammar`](ruse_games::Board::grammar).
    pub grammar: String,
}
