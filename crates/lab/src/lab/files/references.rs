//! `references.csv`: the scores of the champions of all runs against the reference strategies, with one row for each
//! champion and reference strategy. The file is derived from the strategy files.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rows_of_runs::{by_run, csv_of, rows_of, unreadable};
use super::strategy::StrategyFile;
use crate::files::DirectoryError;
use crate::lab::plan::Plan;
use crate::lab::spec::run::Experiment;
use crate::score::Estimate;

pub(super) const REFERENCES: &str = "references.csv";

/// A row of `references.csv`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Row {
    family: String,
    method: String,
    seed: u64,
    reference: String,
    /// The score of the champion.
    score: f64,
    low: f64,
    high: f64,
    /// The level of confidence of the interval.
    level: f64,
    /// The number of pairs; 0 or 1 if the score was computed exactly.
    pairs: u64,
}

/// The scores of champions, indexed by the name of the run, and then by the name of the reference strategy.
pub(in crate::lab) type Scores = BTreeMap<String, BTreeMap<String, Estimate>>;

/// Returns the text of `references.csv` with these scores, in the order of the plan.
pub(super) fn text(plan: &Plan, scores: &Scores) -> String {
    let rows = plan.runs.iter().flat_map(|experiment| {
        let of_run = scores.get(&experiment.run_name()).into_iter().flatten();
        of_run.map(|(reference, estimate)| {
            let ([family, method], [low, high]) = (experiment.labels.clone(), estimate.interval);
            Row {
                family,
                method,
                seed: experiment.resolved.seed,
                reference: reference.clone(),
                score: estimate.score,
                low,
                high,
                level: estimate.confidence,
                pairs: estimate.pairs,
            }
        })
    });
    csv_of(rows)
}

/// Returns the scores in the strategy files of finished runs.
pub(super) fn scores_of(finished: &[(&Experiment, StrategyFile)]) -> Scores {
    let of_run = |(experiment, file): &(&Experiment, StrategyFile)| {
        (experiment.run_name(), file.score_against_references.clone())
    };
    finished.iter().map(of_run).collect()
}

/// Reads the scores of a published experiment; the result is empty if the file does not exist.
pub(super) fn read(path: &Path, plan: &Plan) -> Result<Scores, DirectoryError> {
    let path = path.join(REFERENCES);
    let rows = rows_of::<Row>(&path)?.unwrap_or_default();
    let place = |row: &Row| (row.family.clone(), row.method.clone(), row.seed);
    let mut scores = Scores::new();
    for (experiment, row) in by_run(&path, plan, rows, place)? {
        let name = experiment.run_name();
        let estimate = Estimate {
            score: row.score,
            interval: [row.low, row.high],
            confidence: row.level,
            pairs: row.pairs,
        };
        let of_run = scores.entry(name.clone()).or_default();
        if of_run.insert(row.reference.clone(), estimate).is_some() {
            let problem = format!("{name}: there are two rows against {}", row.reference);
            return Err(unreadable(&path, problem));
        }
    }
    Ok(scores)
}
