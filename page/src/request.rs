//! The requests that a page can make.

use std::collections::BTreeMap;

use ruse::lab::{SeatChoice, SeatName};
use serde::Deserialize;

/// A request. In JSON, it is an object with the request's name under the key `call`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Request {
    /// Lists all families, including the families of bundled rule files.
    Families {},
    /// Returns the rules and opponents of a family.
    Family {
        /// The name of the family.
        name: String,
    },
    /// Opens a file: a strategy, a rule file, a map, or a transcript.
    Open {
        /// The name of the file, which determines its kind.
        name: String,
        /// The contents of the file.
        text: String,
    },
    /// Starts games at a new table, and deals the first game.
    Sit {
        /// The name of the family.
        family: String,
        /// The rules that differ from the defaults.
        #[serde(default)]
        rules: BTreeMap<String, u64>,
        /// The opponent; by default a strong reference strategy.
        opponent: Option<Wanted>,
        /// The strategy in place of the person; `None` if a person plays.
        player: Option<Wanted>,
        /// The seat of the person.
        #[serde(default)]
        seat: SeatChoice,
        /// The seed of all randomness.
        seed: u64,
        /// True if hidden information is shown.
        #[serde(default)]
        reveal: bool,
        /// The number of characters in a line of text.
        width: Option<usize>,
    },
    /// Asks for advice in a game elsewhere, from a description of what one side saw and did. Does not affect a game on
    /// the page.
    Advise {
        /// The name of the family.
        family: String,
        /// The rules that differ from the defaults.
        #[serde(default)]
        rules: BTreeMap<String, u64>,
        /// The strategy that advises.
        strategy: Wanted,
        /// A description of what was seen and done.
        saw: String,
        /// The seat of the person, if `saw` does not imply it.
        seat: Option<SeatName>,
        /// The number of characters in a line of text.
        width: Option<usize>,
    },
    /// Returns the state of the table.
    Table {},
    /// Shows hidden information, or hides it again.
    Reveal {
        /// True if hidden information is shown.
        reveal: bool,
    },
    /// Plays a typed or chosen action for the person.
    Act {
        /// The input, or the number of a choice.
        typed: String,
    },
    /// Plays a random legal action for the person.
    Random {},
    /// Plays the action that the adviser would play.
    Follow {},
    /// Lets strategies play up to the person's turn.
    Go {
        /// The maximum number of actions.
        steps: u32,
    },
    /// Returns the action that the adviser would play.
    Hint {},
    /// Returns the beliefs of the adviser about the cells of the board.
    Beliefs {},
    /// Returns the values of the choices.
    Values {
        /// The maximum number of playouts of each choice.
        times: u64,
    },
    /// Returns the frequencies of the adviser's actions.
    Decision {
        /// The maximum number of requests for the adviser's action.
        times: u64,
    },
    /// Compares a decision of the person in this game with the best one.
    Review {
        /// The number of the decision, from 0.
        decision: usize,
        /// The maximum number of playouts of each choice.
        times: u64,
    },
    /// Takes back the person's last action, and all later actions.
    TakeBack {},
    /// Resigns the game for the person.
    Resign {},
    /// Deals the next game at the same table.
    Next {},
    /// Returns all games at this table in the format of `ruse replay`.
    Transcript {},
}

/// The player that a request names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// The name of the baseline, a reference strategy, the champion, or a player that searches.
    Name(String),
    /// The number of a strategy from a file, as returned when it was opened.
    File(usize),
}
