//! `training-scores.csv`: the scores of champions against their training opponents, for runs with a different scoring
//! opponent. The file is derived from the strategy files.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rows_of_runs::{by_run, csv_of, rows_of, unreadable};
use super::strategy::StrategyFile;
use crate::files::DirectoryError;
use crate::lab::plan::Plan;
use crate::lab::spec::run::Experiment;
use crate::score::Estimate;

pub(super) const TRAINING_SCORES: &str = "training-scores.csv";

/// A row of `training-scores.csv`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Row {
    family: String,
    method: String,
    seed: u64,
    /// The name of the baseline.
    trained_against: String,
    /// The name of the scoring opponent; the score against this opponent is in `runs.csv`.
    scored_against: String,
    /// The score of the champion against the baseline.
    score: f64,
    low: f64,
    high: f64,
    /// The level of confidence of the interval.
    level: f64,
    /// The number of pairs; 0 or 1 if the score was computed exactly.
    pairs: u64,
}

/// Returns the text of the file for these finished runs, or `None` if every run is scored against its training
/// opponent.
pub(super) fn text(finished: &[(&Experiment, StrategyFile)]) -> Option<String> {
    let row = |(experiment, file): &(&Experiment, StrategyFile)| {
        let scored_against = file.score_against.as_ref()?.opponent.clone();
        let ([family, method], estimate) =
            (experiment.labels.clone(), file.score_against_baseline?);
        let [low, high] = estimate.interval;
        Some(Row {
            family,
            method,
            seed: experiment.resolved.seed,
            trained_against: experiment.baseline.in_words(),
            scored_against,
            score: estimate.score,
            low,
            high,
            level: estimate.confidence,
            pairs: estimate.pairs,
        })
    };
    let rows: Vec<Row> = finished.iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| csv_of(rows))
}

/// Reads the scores of a published experiment, indexed by the names of the runs. The result is empty if the file does
/// not exist.
pub(super) fn read(path: &Path, plan: &Plan) -> Result<BTreeMap<String, Estimate>, DirectoryError> {
    let path = path.join(TRAINING_SCORES);
    let rows = rows_of::<Row>(&path)?.unwrap_or_default();
    let place = |row: &Row| (row.family.clone(), row.method.clone(), row.seed);
    let mut scores = BTreeMap::new();
    for (experiment, row) in by_run(&path, plan, rows, place)? {
        let name = experiment.run_name();
        let estimate = Estimate {
            score: row.score,
            interval: [row.low, row.high],
            confidence: row.level,
            pairs: row.pairs,
        };
        if scores.insert(name.clone(), estimate).is_some() {
            return Err(unreadable(&path, format!("{name}: there are two rows of it")));
        }
    }
    Ok(scores)
}
