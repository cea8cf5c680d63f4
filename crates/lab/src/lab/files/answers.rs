//! `answers.csv`: the answers of a run to its method, if that is an external program. Each row has the score of one
//! candidate.

use std::path::Path;

use super::history::cell;
use crate::files::{DirectoryError, Vouched, parse_rows};
use crate::optimise::{Answered, IterationRecord};

pub(in crate::lab) const ANSWERS: &str = "answers.csv";

pub(in crate::lab) const COLUMNS: [&str; 4] = ["request", "fingerprint", "score", "games-left"];

/// Returns the rows for an iteration's answers. Its requests are numbered from `first`.
pub(in crate::lab) fn rows(
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

/// Reads the answers of the run in the directory `run`, up to the checkpoint.
///
/// # Errors
///
/// Returns an error if the answers cannot be read, were changed, or are invalid.
pub(in crate::lab) fn read_answers(
    run: &Path,
    vouched: &Vouched,
) -> Result<Vec<Answered>, DirectoryError> {
    parse_rows(&run.join(ANSWERS), Some(vouched), |rows| -> Result<_, String> {
        let mut answers: Vec<Answered> = Vec::new();
        for row in rows.records() {
            let row = row.map_err(|error| error.to_string())?;
            let line = row.position().map_or(0, csv::Position::line);
            let parsed = parse(&row).ok_or_else(|| format!("line {line} is not understood"))?;
            let (number, answered) = parsed;
            let num_before = answers.len() as u64;
            match answers.last_mut() {
                Some(last) if number == num_before => last.scores.extend(answered.scores),
                _ if number == num_before + 1 => answers.push(answered),
                _ => return Err(format!("line {line}: request {number} is not in its place")),
            }
        }
        Ok(answers)
    })
}

/// Parses a row: the number of a request, and an answer with the score of one candidate.
fn parse(row: &csv::StringRecord) -> Option<(u64, Answered)> {
    let games_left = match row.get(3)? {
        "" => None,
        games => Some(games.parse().ok()?),
    };
    let request = u64::from_str_radix(row.get(1)?, 16).ok()?;
    let scores = vec![row.get(2)?.parse().ok()?];
    Some((row.get(0)?.parse().ok()?, Answered { request, scores, games_left }))
}
