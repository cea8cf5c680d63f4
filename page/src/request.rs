//! What a page asks.

use std::collections::BTreeMap;

use ruse::lab::SeatName;
use serde::Deserialize;

/// A question, or something to be done. As JSON it is an object with the name in `call`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "call", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Request {
    /// All families, those of rule files that come with the program among them.
    Families {},
    /// One of them: rules and opponents.
    Family {
        /// The name.
        name: String,
    },
    /// Takes in a file: a strategy, a rule file, a map, or a transcript.
    Open {
        /// The name of the file, which says what it is.
        name: String,
        /// Its contents.
        text: String,
    },
    /// Sits down at a table: the first game is dealt.
    Sit {
        /// The family.
        family: String,
        /// Rules that are not as usual.
        #[serde(default)]
        rules: BTreeMap<String, u64>,
        /// Who is played against; a strong reference strategy, if nobody is named.
        #[serde(default)]
        opponent: Option<Wanted>,
        /// Who sits in the place of the person; none if it is a person.
        #[serde(default)]
        player: Option<Wanted>,
        /// Where the person sits.
        #[serde(default)]
        seat: SeatChoice,
        /// Where all randomness comes from.
        seed: u64,
        /// Whether what is hidden is shown.
        #[serde(default)]
        reveal: bool,
        /// How many letters a line of text has.
        #[serde(default)]
        width: Option<usize>,
    },
    /// Advice at a real table, from what one side saw and did, beside any game in progress.
    Advise {
        /// The family.
        family: String,
        /// Rules that are not as usual.
        #[serde(default)]
        rules: BTreeMap<String, u64>,
        /// The strategy that advises.
        strategy: Wanted,
        /// The text of what was seen and done.
        saw: String,
        /// The seat of the person, if what they saw does not say it.
        #[serde(default)]
        seat: Option<SeatName>,
        /// How many letters a line of text has.
        #[serde(default)]
        width: Option<usize>,
    },
    /// What there is to see.
    Table {},
    /// Shows what is hidden, or hides it again.
    Reveal {
        /// Whether it is shown.
        reveal: bool,
    },
    /// Plays what was typed or chosen for the person.
    Act {
        /// An action, or the number of a choice.
        typed: String,
    },
    /// Plays any legal action for the person.
    Random {},
    /// Plays what a hint says for the person.
    Follow {},
    /// Lets strategies play until it is the turn of the person.
    Go {
        /// How many actions at most.
        steps: u32,
    },
    /// What the opponent would do in the place of the person.
    Hint {},
    /// What the strategy that gives hints believes about the cells of the board.
    Beliefs {},
    /// What the choices are worth.
    Values {
        /// How often each of them is played out at most.
        times: u64,
    },
    /// How the strategy that gives hints decides.
    Decision {
        /// How often it is asked at most.
        times: u64,
    },
    /// What a decision of the person in this game was worth beside the best one.
    Review {
        /// Its number, from 0.
        decision: usize,
        /// How often each choice is played out at most.
        times: u64,
    },
    /// Goes back to before the last action of the person.
    TakeBack {},
    /// Gives the game up.
    Resign {},
    /// Deals the next game at the same table.
    Next {},
    /// All games at this table, as `ruse replay` takes them.
    Transcript {},
}

/// Somebody to play.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wanted {
    /// The baseline, a reference strategy, the champion, or a player that searches.
    Name(String),
    /// A strategy from a file, by its number.
    File(usize),
}

/// Where the person sits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SeatChoice {
    /// In the seat that moves first.
    First,
    /// In the other seat.
    Second,
    /// First in the first game, second in the next, and so on.
    #[default]
    Alternate,
}
