//! The messages between this process and a program that searches. Each message is one line of JSON.

use serde::{Deserialize, Serialize};

/// The maximum number of candidates in a request.
const MAX_CANDIDATES: usize = 100_000;
/// The maximum number of pairs for each candidate of a request.
const MAX_PAIRS: u64 = 1_000_000_000;

/// The first line that a program reads: its task.
#[derive(Debug, Serialize)]
pub(super) struct ProgramTask<'a> {
    pub(super) dimension: usize,
    /// The start of the search: `[dimension]`.
    pub(super) start: &'a [f64],
    /// The seed of all randomness of the program.
    pub(super) seed: u64,
    /// The number of games that the program may request; `None` if games are unlimited.
    pub(super) games: Option<u64>,
    /// The first parameter of each seat and the one after its last; `None` if parameters do not belong to seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seats: Option<[[usize; 2]; 2]>,
}

/// The scores of the candidates of a request, in order, from 0 to 1.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Scores<'a> {
    Means(&'a [f64]),
    /// The scores as first and as second player.
    BySeat(&'a [[f64; 2]]),
}

/// The answer to a request of the program.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    /// The scores; `None` if the request was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) scores: Option<Scores<'a>>,
    /// The number of games that the program may still request; `None` if games are unlimited.
    pub(super) games_left: Option<u64>,
    /// Whether the request was refused because it exceeds the budget; the program may still name its champion.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stop: bool,
}

/// A request for the scores of candidates.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// The parameters of the n candidates: `[n][dimension]`.
    pub(super) evaluate: Vec<Vec<f64>>,
    /// The number of pairs that each candidate plays. All candidates play the same deals.
    pub(super) pairs: u64,
    /// The opponent; `None` stands for the baseline.
    pub(super) against: Option<Vec<f64>>,
    /// Whether the answer has the scores of each seat, and not their mean.
    pub(super) by_seat: bool,
}

impl Request {
    pub(super) fn games(&self) -> u64 {
        (2 * self.pairs).saturating_mul(self.evaluate.len() as u64)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Message {
    Request(Request),
    /// The best strategy that the program has found.
    Champion(Vec<f64>),
}

/// The fields of a line that a program writes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    evaluate: Option<Vec<Vec<f64>>>,
    pairs: Option<u64>,
    against: Option<Vec<f64>>,
    by_seat: Option<bool>,
    champion: Option<Vec<f64>>,
}

/// Parses a line of a program whose strategies have `dimension` parameters.
///
/// # Errors
///
/// Returns a description of the problem if the line is neither a request nor a champion.
pub(super) fn read(line: &str, dimension: usize) -> Result<Message, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let of_length = |what: &str, theta: &[f64]| match theta.len() {
        length if length == dimension => Ok(()),
        length => Err(format!("{what} has {length} parameters, and must have {dimension}")),
    };
    match line {
        Line { champion: Some(theta), evaluate: None, pairs: None, against: None, by_seat: None } => {
            of_length("the champion", &theta)?;
            Ok(Message::Champion(theta))
        }
        Line { champion: None, evaluate: Some(candidates), pairs: Some(pairs), against, by_seat } => {
            if candidates.is_empty() || candidates.len() > MAX_CANDIDATES {
                let length = candidates.len();
                return Err(format!(
                    "`evaluate` has {length} candidates, and must have 1 to {MAX_CANDIDATES}"
                ));
            }
            for (number, theta) in (1..).zip(&candidates) {
                of_length(&format!("candidate {number}"), theta)?;
            }
            if let Some(theta) = &against {
                of_length("`against`", theta)?;
            }
            match pairs {
                1..=MAX_PAIRS => {
                    let by_seat = by_seat.unwrap_or(false);
                    Ok(Message::Request(Request { evaluate: candidates, pairs, against, by_seat }))
                }
                _ => Err(format!("`pairs` is {pairs}, and must be 1 to {MAX_PAIRS}")),
            }
        }
        _ => {
            Err("a line has `evaluate` and `pairs`, perhaps `against` and `by_seat`, or `champion` alone"
                .into())
        }
    }
}

/// Checks a line written by a program that searches for a strategy with `dimension` parameters.
///
/// # Errors
///
/// Returns a description of the problem if the line is neither a request nor a champion. A run of the program would
/// fail with the same message.
pub fn check_program_line(line: &str, dimension: usize) -> Result<(), String> {
    read(line, dimension).map(drop)
}
