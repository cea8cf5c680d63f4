//! The lines that are exchanged with a program that plays. Each line is a JSON object. Keys that are not known are
//! ignored, so that the protocol can grow.

use std::collections::BTreeMap;

use ruse_games::{Drawing, Rule, Seat};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// The version of the protocol.
const PROTOCOL: u32 = 1;
/// The maximum number of games that a process plays at once.
const MAX_CONCURRENT: usize = 1000;

/// The first line that a program reads.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Hello {
    hello: Greeting,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
struct Greeting {
    protocol: u32,
    kind: &'static str,
    game: String,
    /// The rules that can be changed, with their values.
    rules: BTreeMap<String, u64>,
    /// The rules in words, and how moves are written.
    how_to_play: String,
}

impl Hello {
    pub(super) fn new(game: &str, rules: &[Rule], how_to_play: &str) -> Hello {
        let rules = rules.iter().map(|rule| (rule.name.to_string(), rule.value)).collect();
        let (game, how_to_play) = (game.into(), how_to_play.into());
        Hello { hello: Greeting { protocol: PROTOCOL, kind: "player", game, rules, how_to_play } }
    }
}

/// The answer to [`Hello`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Introduction {
    pub(super) name: Option<String>,
    /// True if the program's moves depend only on what it is told.
    #[serde(default)]
    pub(super) deterministic: bool,
    /// True if the program is told what its seat sees at turns of the other seat.
    #[serde(default)]
    pub(super) watches: bool,
    /// The number of games that a process plays at once.
    #[serde(default = "one")]
    pub(super) concurrent: usize,
}

fn one() -> usize {
    1
}

impl Introduction {
    /// Parses the answer.
    ///
    /// # Errors
    ///
    /// Returns a description of the problem.
    pub(super) fn read(line: &str) -> Result<Introduction, String> {
        let found: Introduction = serde_json::from_str(line).map_err(|error| {
            format!("expected its name, as in {{\"name\": \"mine\"}} ({error})")
        })?;
        match found.concurrent {
            1..=MAX_CONCURRENT => Ok(found),
            n => Err(format!("`concurrent` is {n}, and must be 1 to {MAX_CONCURRENT}")),
        }
    }
}

/// The announcement of a game.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct New {
    pub(super) new: u64,
    #[serde(serialize_with = "in_lower_case")]
    pub(super) seat: Seat,
    /// A number below 2^53, which is exact in every language.
    pub(super) seed: u64,
    /// The time for each move.
    pub(super) clock_ms: u64,
}

fn in_lower_case<S: Serializer>(seat: &Seat, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match seat {
        Seat::First => "first",
        Seat::Second => "second",
    })
}

/// The request for a move.
#[derive(Serialize)]
pub(super) struct Move {
    #[serde(rename = "move")]
    pub(super) to_move: u64,
    /// The number of moves of this seat before.
    pub(super) step: usize,
    /// The table as the seat sees it.
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) view: Option<Drawing>,
    /// The legal moves; `None` if there are too many to list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) legal: Option<Vec<String>>,
    /// A regular expression for moves, if they are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) grammar: Option<String>,
    /// True if the same question is asked for the second time.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) again: bool,
}

/// A turn of the other seat, in a game that is [watched](ruse_games::Game::is_watched). The program does not answer.
#[derive(Serialize)]
pub(super) struct Watch {
    pub(super) watch: u64,
    /// The table as the seat sees it.
    pub(super) text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) view: Option<Drawing>,
}

/// The end of a game. The score is missing if the game was abandoned.
#[derive(Serialize)]
pub(super) struct Over {
    pub(super) over: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
}

/// Parses the answer to [`Move`].
///
/// # Errors
///
/// Returns a description of the problem.
pub(super) fn read_move(line: &str) -> Result<String, String> {
    let mut answer: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match answer.get_mut("move").map(Value::take) {
        Some(Value::String(text)) => Ok(text),
        // In some games, moves are numbers.
        Some(Value::Number(number)) => Ok(number.to_string()),
        _ => Err(r#"expected a move, as in {"move": "a1"}"#.into()),
    }
}
