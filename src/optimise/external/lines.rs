//! The lines of JSON between us and a program that searches.

use serde::{Deserialize, Serialize};

/// The most candidates of a request, and the most pairs for each.
const MOST_CANDIDATES: usize = 100_000;
const MOST_PAIRS: u64 = 1_000_000_000;

/// The first line that a program reads: what is to be done.
#[derive(Debug, Serialize)]
pub(super) struct Task<'a> {
    /// The number of parameters.
    pub(super) dimension: usize,
    /// Where the search is to start: `[dimension]`.
    pub(super) start: &'a [f64],
    /// Where all randomness of the program is to come from.
    pub(super) seed: u64,
    /// Games that it may ask for; none without a limit.
    pub(super) games: Option<u64>,
}

/// What a program reads for each of its requests.
#[derive(Debug, Serialize)]
pub(super) struct Answer<'a> {
    /// The score of each candidate, in their order, from 0 to 1.
    #[serde(skip_serializing_if = "<[f64]>::is_empty")]
    pub(super) scores: &'a [f64],
    /// Games that it may still ask for; none without a limit.
    pub(super) games_left: Option<u64>,
    /// Whether the request was not answered, since it asks for more: the program may still name its champion.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) stop: bool,
}

/// Candidates whose scores a program wants.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Request {
    /// The parameters: `[n][dimension]`.
    pub(super) evaluate: Vec<Vec<f64>>,
    /// Pairs of games for each, all on the same deals.
    pub(super) pairs: u64,
    /// The opponent; none stands for the baseline.
    pub(super) against: Option<Vec<f64>>,
}

impl Request {
    /// The games that it takes.
    pub(super) fn games(&self) -> u64 {
        (2 * self.pairs).saturating_mul(self.evaluate.len() as u64)
    }
}

/// What a program says.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// It asks for scores.
    Request(Request),
    /// It names the best strategy that it knows.
    Champion(Vec<f64>),
    /// It has ended.
    Nothing,
}

/// What a line of a program may hold.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    evaluate: Option<Vec<Vec<f64>>>,
    pairs: Option<u64>,
    against: Option<Vec<f64>>,
    champion: Option<Vec<f64>>,
}

/// Reads a line about strategies of so many parameters.
///
/// # Errors
///
/// In words, when it is neither a request nor a champion.
pub(super) fn read(line: &str, dimension: usize) -> Result<Said, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let of_length = |what: &str, theta: &[f64]| match theta.len() {
        length if length == dimension => Ok(()),
        length => Err(format!("{what} has {length} parameters, and must have {dimension}")),
    };
    match line {
        Line { champion: Some(theta), evaluate: None, pairs: None, against: None } => {
            of_length("the champion", &theta)?;
            Ok(Said::Champion(theta))
        }
        Line { champion: None, evaluate: Some(candidates), pairs: Some(pairs), against } => {
            if candidates.is_empty() || candidates.len() > MOST_CANDIDATES {
                let length = candidates.len();
                return Err(format!(
                    "`evaluate` has {length} candidates, and must have 1 to {MOST_CANDIDATES}"
                ));
            }
            for (number, theta) in (1..).zip(&candidates) {
                of_length(&format!("candidate {number}"), theta)?;
            }
            if let Some(theta) = &against {
                of_length("`against`", theta)?;
            }
            match pairs {
                1..=MOST_PAIRS => {
                    Ok(Said::Request(Request { evaluate: candidates, pairs, against }))
                }
                _ => Err(format!("`pairs` is {pairs}, and must be 1 to {MOST_PAIRS}")),
            }
        }
        _ => {
            Err("a line has `evaluate` and `pairs`, with `against` or without, or `champion` alone"
                .into())
        }
    }
}

/// Checks a line of a program that searches, about strategies of so many parameters.
///
/// # Errors
///
/// In words, when it is neither a request nor a champion: what a run that starts the program ends with.
pub fn check_program_line(line: &str, dimension: usize) -> Result<(), String> {
    read(line, dimension).map(drop)
}
