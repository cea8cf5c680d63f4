//! `answers.csv`: the answers of a run to its method, if that is an external program. Each row has the score of one
//! candidate.

use std::path::Path;

use ruse_base::files::{DirectoryError, Result};
use ruse_optimise::methods::{Answered, IterationRecord};

use super::history::cell;

pub(crate) const ANSWERS: &str = "answers.csv";

pub(crate) const COLUMNS: [&str; 4] = ["request", "fingerprint", "score", "games-left"];

/// Returns the rows for an iteration's answers. Its requests are numbered from `first`.
pub(crate) fn rows(
    record: &IterationRecord,
    first: u64,
) -> impl Iterator<Item = [String; COLUMNS.len()]> {
    (first..).zip(&record.answers).flat_map(|(number, answered)| {
        let Answered { request, scores, games_left } = answered;
        scores.iter().map(move |score| {
            [number.to_string(), format!("{request:016x}"), score.to_string(), cell(*games_left)]
        })
    })
}

/// A row: the number of a request, its fingerprint, and the score of one candidate.
pub(crate) type AnswerRow = (u64, String, f64, Option<u64>);

/// Returns the answers in these rows of the table at `path`.
///
/// # Errors
///
/// Returns an error if a row is invalid, or not in its place.
pub(crate) fn answers_in(path: &Path, rows: Vec<AnswerRow>) -> Result<Vec<Answered>> {
    let mut answers: Vec<Answered> = Vec::new();
    for (line, (number, request, score, games_left)) in (2..).zip(rows) {
        let invalid = |problem| DirectoryError::unreadable(path, format!("line {line}: {problem}"));
        let request =
            u64::from_str_radix(&request, 16).map_err(|error| invalid(error.to_string()))?;
        let num_before = answers.len() as u64;
        match answers.last_mut() {
            Some(last) if number == num_before => last.scores.push(score),
            _ if number == num_before + 1 => {
                answers.push(Answered { request, scores: vec![score], games_left });
            }
            _ => return Err(invalid(format!("request {number} is not in its place"))),
        }
    }
    Ok(answers)
}
