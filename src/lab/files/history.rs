//! The history of a run: a row for every iteration.

use serde::Deserialize;

use super::checkpoint::Checkpoint;
use super::run_directory::RunDirectory;
use crate::files::{DirectoryError, parse_rows};
use crate::lab::spec::run::Experiment;
use crate::optimise::IterationRecord;
use crate::race::Reason;
use crate::score::{CONFIDENCE, Estimate};

pub(in crate::lab) const HISTORY: &str = "history.csv";

pub(in crate::lab) const COLUMNS: [&str; 13] = [
    "iteration",
    "sigma",
    "accepted",
    "reason",
    "iteration-games",
    "score",
    "low",
    "high",
    "games",
    "baseline-score",
    "baseline-low",
    "baseline-high",
    "baseline-pairs",
];

/// The row of an iteration.
pub(in crate::lab) fn row(record: &IterationRecord) -> [String; COLUMNS.len()] {
    let decision = record.decision.as_ref();
    let verdict = decision.map(|decision| &decision.verdict);
    let baseline = record.baseline_score.as_ref();
    [
        record.iteration.to_string(),
        cell(record.sigma),
        cell(decision.map(|decision| u8::from(decision.accepted))),
        cell(verdict.map(|verdict| verdict.reason)),
        cell(decision.map(|_| record.iteration_games)),
        cell(verdict.map(|verdict| verdict.score)),
        cell(verdict.map(|verdict| verdict.interval[0])),
        cell(verdict.map(|verdict| verdict.interval[1])),
        record.games.to_string(),
        cell(baseline.map(|estimate| estimate.score)),
        cell(baseline.map(|estimate| estimate.interval[0])),
        cell(baseline.map(|estimate| estimate.interval[1])),
        cell(baseline.map(|estimate| estimate.pairs)),
    ]
}

pub(in crate::lab) fn cell<T: ToString>(value: Option<T>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

/// A point of a learning curve: the score of an incumbent against the baseline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Games in comparisons until then.
    pub games: u64,
    /// The score.
    pub estimate: Estimate,
}

/// A row of the history of a run: one iteration. Row 0 is the start.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct HistoryRow {
    /// The iteration, 0 for the start.
    pub iteration: u64,
    /// The step size after it, of methods that have one.
    pub sigma: Option<f64>,
    /// 1 if the candidate was accepted, 0 if not; none if nothing was compared.
    pub accepted: Option<u8>,
    /// Why the comparison stopped.
    pub reason: Option<Reason>,
    /// Games in comparisons until then.
    pub games: u64,
    baseline_score: Option<f64>,
    baseline_low: Option<f64>,
    baseline_high: Option<f64>,
    baseline_pairs: Option<u64>,
}

impl HistoryRow {
    /// The score of the incumbent against the baseline, if this iteration has a new one.
    pub fn curve_point(&self) -> Option<CurvePoint> {
        let interval = [self.baseline_low?, self.baseline_high?];
        let (score, pairs) = (self.baseline_score?, self.baseline_pairs?);
        let estimate = Estimate { score, interval, confidence: CONFIDENCE, pairs };
        Some(CurvePoint { games: self.games, estimate })
    }

    /// Whether the candidate was accepted; none if no candidate was put to the question, as in a
    /// generation that is played to learn from it.
    pub fn decision(&self) -> Option<bool> {
        let asked = self.reason.is_some_and(|reason| reason != Reason::Generation);
        self.accepted.filter(|_| asked).map(|accepted| accepted != 0)
    }
}

/// Reads the history of a run, as far as its checkpoint vouches for it; all of it where there is no checkpoint, as in
/// results that were published.
///
/// # Errors
///
/// When it cannot be read, or was changed; half a row at the end, of a run that was killed, is left out.
pub fn read_history(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<HistoryRow>, DirectoryError> {
    let checkpoint = Checkpoint::read(directory, experiment)?;
    let path = directory.run_path(experiment).join(HISTORY);
    let vouched = checkpoint.as_ref().map(|checkpoint| &checkpoint.history);
    parse_rows(&path, vouched, |rows| rows.deserialize().collect())
}

/// Reads the learning curve from the history of a run.
///
/// # Errors
///
/// When the history cannot be read.
pub fn read_curve(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<CurvePoint>, DirectoryError> {
    Ok(read_history(directory, experiment)?.iter().filter_map(HistoryRow::curve_point).collect())
}
