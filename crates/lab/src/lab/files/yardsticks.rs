//! `yardsticks.csv`: the scores of yardsticks against the baselines of an experiment. The file grows row by row, and
//! keeps its rows if the program is killed.

use serde::{Deserialize, Serialize};

use super::run_directory::RunDirectory;
use crate::files::{DirectoryError, GrowingTable};
use crate::lab::plan::Plan;
use crate::lab::records::{YardstickKind, YardstickRecord};
use crate::score::{CONFIDENCE, Estimate};

pub(super) const YARDSTICKS: &str = "yardsticks.csv";

/// A row of `yardsticks.csv`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Row {
    family: String,
    seed: u64,
    kind: YardstickKind,
    name: String,
    score: f64,
    low: f64,
    high: f64,
    /// The number of pairs; 0 if the score was computed exactly.
    pairs: u64,
}

impl Row {
    fn of(record: &YardstickRecord) -> Row {
        let [low, high] = record.score.interval;
        Row {
            family: record.family.clone(),
            seed: record.seed,
            kind: record.kind,
            name: record.name.clone(),
            score: record.score.score,
            low,
            high,
            pairs: if record.score.is_exact() { 0 } else { record.score.pairs },
        }
    }

    fn record(self) -> YardstickRecord {
        let interval = [self.low, self.high];
        let score =
            Estimate { score: self.score, interval, confidence: CONFIDENCE, pairs: self.pairs };
        YardstickRecord {
            family: self.family,
            seed: self.seed,
            kind: self.kind,
            name: self.name,
            score,
        }
    }
}

/// `yardsticks.csv`: one row for each yardstick of each family.
#[derive(Debug)]
pub(in crate::lab) struct YardsticksFile(GrowingTable);

impl YardsticksFile {
    /// Reads the records; the result is empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file was changed, or belongs to another experiment.
    pub(in crate::lab) fn read(
        directory: &RunDirectory,
        plan: &Plan,
    ) -> Result<Vec<YardstickRecord>, DirectoryError> {
        let path = directory.path().join(YARDSTICKS);
        records(directory, plan, GrowingTable::read(&path, directory.seal())?)
    }

    /// Opens the file, removes an incomplete row at its end, and returns the records.
    ///
    /// # Errors
    ///
    /// Same as [`read`](YardsticksFile::read); also returns an error if the file cannot be written.
    pub(in crate::lab) fn open(
        directory: &RunDirectory,
        plan: &Plan,
    ) -> Result<(YardsticksFile, Vec<YardstickRecord>), DirectoryError> {
        let path = directory.path().join(YARDSTICKS);
        let (table, rows) = GrowingTable::open(path, directory.seal())?;
        Ok((YardsticksFile(table), records(directory, plan, rows)?))
    }

    /// Appends the score of a yardstick.
    ///
    /// # Errors
    ///
    /// Returns an error if the score cannot be written.
    pub(in crate::lab) fn append(
        &mut self,
        record: &YardstickRecord,
    ) -> Result<(), DirectoryError> {
        self.0.append(Row::of(record))
    }
}

fn records(
    directory: &RunDirectory,
    plan: &Plan,
    rows: Vec<Row>,
) -> Result<Vec<YardstickRecord>, DirectoryError> {
    if let Some(row) =
        rows.iter().find(|row| plan.runs.iter().all(|run| run.labels[0] != row.family))
    {
        let path = directory.path().join(YARDSTICKS);
        let problem = format!("the experiment has no family {}", row.family);
        return Err(DirectoryError::Unreadable { path, problem });
    }
    Ok(rows.into_iter().map(Row::record).collect())
}
