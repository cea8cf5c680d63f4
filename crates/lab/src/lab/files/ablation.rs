//! `ablation.csv`: the worth of each measured group of parameters, for each champion. The file is small, and is
//! replaced as a whole.

use serde::{Deserialize, Serialize};

use super::checkpoint::STRATEGY;
use super::run_directory::RunDirectory;
use crate::files::{DirectoryError, GrowingTable, unwritable};
use crate::lab::plan::Plan;
use crate::lab::records::AblationRecord;
use crate::lab::spec::run::Experiment;

pub(super) const ABLATION: &str = "ablation.csv";

/// A row of `ablation.csv`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Row {
    run: String,
    family: String,
    method: String,
    seed: u64,
    group: String,
    parameters: u64,
    worth: f64,
    low: f64,
    high: f64,
    /// The level of confidence of the interval; the intervals of one champion are simultaneous.
    confidence: f64,
    /// The number of pairs of games; 0 if the worth is exact.
    pairs: u64,
    score_with: Option<f64>,
    score_without: Option<f64>,
    /// The fingerprint of the strategy file; empty for a published strategy.
    strategy: String,
}

impl Row {
    fn of(record: &AblationRecord, run: &Experiment, strategy: &str) -> Row {
        let [low, high] = record.interval;
        Row {
            run: run.run_name(),
            family: record.family.clone(),
            method: record.method.clone(),
            seed: record.seed,
            group: record.group.clone(),
            parameters: record.num_parameters,
            worth: record.worth,
            low,
            high,
            confidence: record.confidence,
            pairs: record.pairs,
            score_with: record.score_with,
            score_without: record.score_without,
            strategy: strategy.into(),
        }
    }

    fn record(self) -> AblationRecord {
        AblationRecord {
            family: self.family,
            method: self.method,
            seed: self.seed,
            group: self.group,
            num_parameters: self.parameters,
            worth: self.worth,
            interval: [self.low, self.high],
            confidence: self.confidence,
            pairs: self.pairs,
            score_with: self.score_with,
            score_without: self.score_without,
        }
    }
}

/// `ablation.csv`: a row for every measured group of every champion.
#[derive(Debug)]
pub(in crate::lab) struct AblationFile {
    rows: Vec<Row>,
}

impl AblationFile {
    /// Reads the records of champions; the result is empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file was changed, or belongs to another experiment or to strategies other than the
    /// present ones.
    pub(in crate::lab) fn read(
        directory: &RunDirectory,
        plan: &Plan,
    ) -> Result<Vec<AblationRecord>, DirectoryError> {
        let path = directory.path().join(ABLATION);
        let rows: Vec<Row> = GrowingTable::read(&path, directory.seal())?;
        let mut records = Vec::new();
        for of_run in rows.chunk_by(|a, b| a.run == b.run) {
            let name = &of_run[0].run;
            let unreadable =
                |problem: String| DirectoryError::Unreadable { path: path.clone(), problem };
            let Some(run) = plan.runs.iter().find(|run| run.run_name() == *name) else {
                return Err(unreadable(format!("the experiment has no run {name}")));
            };
            // A missing strategy will be learned again, with the same result.
            let Some(now) = fingerprint(directory, run)? else { continue };
            if of_run.iter().any(|row| !now.is_of(row)) {
                return Err(unreadable(format!(
                    "its rows of {name} are of another strategy than the one that is there now; put that back, or let \
                     `ruse report DIR --ablate` measure it again"
                )));
            }
            records.extend(of_run.iter().cloned().map(Row::record));
        }
        Ok(records)
    }

    /// Opens the file in order to replace rows.
    ///
    /// # Errors
    ///
    /// Returns an error if the file was changed.
    pub(in crate::lab) fn open(directory: &RunDirectory) -> Result<AblationFile, DirectoryError> {
        let path = directory.path().join(ABLATION);
        Ok(AblationFile { rows: GrowingTable::read(&path, directory.seal())? })
    }

    /// Returns the records of the strategy that a run has found.
    ///
    /// # Errors
    ///
    /// Returns an error if the strategy cannot be read.
    pub(in crate::lab) fn of_run(
        &self,
        directory: &RunDirectory,
        run: &Experiment,
    ) -> Result<Vec<AblationRecord>, DirectoryError> {
        let Some(now) = fingerprint(directory, run)? else { return Ok(Vec::new()) };
        let name = run.run_name();
        let rows = self.rows.iter().filter(|row| row.run == name && now.is_of(row));
        Ok(rows.cloned().map(Row::record).collect())
    }

    /// Replaces all records of the run, and writes the file in the order of the plan.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub(in crate::lab) fn replace(
        &mut self,
        directory: &RunDirectory,
        plan: &Plan,
        run: &Experiment,
        records: &[AblationRecord],
    ) -> Result<(), DirectoryError> {
        let name = run.run_name();
        let strategy = match fingerprint(directory, run)? {
            Some(Print::Of(strategy)) => strategy,
            _ => String::new(),
        };
        self.rows.retain(|row| row.run != name);
        self.rows.extend(records.iter().map(|record| Row::of(record, run, &strategy)));
        // The sort is stable: the groups of a run keep their order.
        self.rows.sort_by_key(|row| plan.runs.iter().position(|run| run.run_name() == row.run));
        let text = GrowingTable::text(directory.seal(), &self.rows);
        let text = text.map_err(unwritable(&directory.path().join(ABLATION)))?;
        directory.write_text(ABLATION, &text)
    }
}

/// The identity of a strategy, which shows whether a row belongs to the strategy.
enum Print {
    /// The fingerprint of the strategy file.
    Of(String),
    /// A published strategy has no file of its own, so its records cannot be checked.
    Published,
}

impl Print {
    fn is_of(&self, row: &Row) -> bool {
        match self {
            Print::Of(strategy) => row.strategy == *strategy,
            Print::Published => true,
        }
    }
}

/// Returns the identity of the strategy that a run has found, or `None` if the run has no result.
fn fingerprint(
    directory: &RunDirectory,
    run: &Experiment,
) -> Result<Option<Print>, DirectoryError> {
    if directory.is_published() {
        return Ok(directory.has_begun(run).then_some(Print::Published));
    }
    let found = directory.read_result(run, STRATEGY, None)?;
    Ok(found.map(|(_, fingerprint)| Print::Of(fingerprint)))
}
