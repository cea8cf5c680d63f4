//! `meetings.csv`: the meetings of the champions of a comparison. The file grows row by row, and keeps its rows if the
//! program is killed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::run_directory::RunDirectory;
use crate::files::{DirectoryError, GrowingTable};
use crate::lab::records::{MeetingRecord, RunId};
use crate::score::{CONFIDENCE, Estimate};

pub(super) const MEETINGS: &str = "meetings.csv";

/// A row of `meetings.csv`.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Row {
    family: String,
    a: String,
    a_seed: u64,
    b: String,
    b_seed: u64,
    score: f64,
    low: f64,
    high: f64,
    pairs: u64,
}

impl From<&MeetingRecord> for Row {
    fn from(MeetingRecord { family, a, b, estimate }: &MeetingRecord) -> Row {
        let [low, high] = estimate.interval;
        Row {
            family: family.clone(),
            a: a.method.clone(),
            a_seed: a.seed,
            b: b.method.clone(),
            b_seed: b.seed,
            score: estimate.score,
            low,
            high,
            pairs: estimate.pairs,
        }
    }
}

impl From<Row> for MeetingRecord {
    fn from(row: Row) -> MeetingRecord {
        MeetingRecord {
            family: row.family,
            a: RunId { method: row.a, seed: row.a_seed },
            b: RunId { method: row.b, seed: row.b_seed },
            estimate: Estimate {
                score: row.score,
                interval: [row.low, row.high],
                confidence: CONFIDENCE,
                pairs: row.pairs,
            },
        }
    }
}

/// `meetings.csv`: one row for each meeting of two champions, in the order of the plan.
#[derive(Debug)]
pub struct MeetingsFile(GrowingTable);

impl MeetingsFile {
    /// Reads the finished meetings; the result is empty if the file does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or was changed.
    pub fn read(directory: &RunDirectory) -> Result<Vec<MeetingRecord>, DirectoryError> {
        Self::read_at(&directory.path().join(MEETINGS), directory.seal())
    }

    /// Reads the file at `path`, which is a `meetings.csv` or a part of one.
    ///
    /// # Errors
    ///
    /// Same as [`read`](MeetingsFile::read).
    pub(in crate::lab) fn read_at(
        path: &Path,
        seal: &str,
    ) -> Result<Vec<MeetingRecord>, DirectoryError> {
        let rows: Vec<Row> = GrowingTable::read(path, seal)?;
        Ok(rows.into_iter().map(MeetingRecord::from).collect())
    }

    /// Opens the file, removes an incomplete row at its end, and returns the finished meetings.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, or was changed.
    pub fn open(
        directory: &RunDirectory,
    ) -> Result<(MeetingsFile, Vec<MeetingRecord>), DirectoryError> {
        Self::open_at(directory.path().join(MEETINGS), directory.seal())
    }

    /// Opens the file at `path`, which is a `meetings.csv` or a part of one.
    ///
    /// # Errors
    ///
    /// Same as [`open`](MeetingsFile::open).
    pub(in crate::lab) fn open_at(
        path: PathBuf,
        seal: &str,
    ) -> Result<(MeetingsFile, Vec<MeetingRecord>), DirectoryError> {
        let (table, rows) = GrowingTable::open::<Row>(path, seal)?;
        Ok((MeetingsFile(table), rows.into_iter().map(MeetingRecord::from).collect()))
    }

    /// Appends a meeting.
    ///
    /// # Errors
    ///
    /// Returns an error if the meeting cannot be written.
    pub fn append(&mut self, meeting: &MeetingRecord) -> Result<(), DirectoryError> {
        self.append_all(std::slice::from_ref(meeting))
    }

    /// Appends several meetings in one write.
    ///
    /// # Errors
    ///
    /// Returns an error if the meetings cannot be written.
    pub(in crate::lab) fn append_all(
        &mut self,
        meetings: &[MeetingRecord],
    ) -> Result<(), DirectoryError> {
        self.0.append_all(meetings.iter().map(Row::from))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::lab::plan::Plan;
    use crate::lab::spec::run::ExperimentSpec;
    use crate::registry::Registry;

    #[test]
    fn half_a_row_is_forgotten() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let plan = Plan::new(ExperimentSpec::new("war"), &Registry::standard()).expect("valid");
        let path = parent.path().join("run");
        let directory = RunDirectory::create(Some(&path), &plan).expect("a new directory");
        assert_eq!(MeetingsFile::read(&directory).expect("nothing is fine"), []);

        let meeting = |seed| MeetingRecord {
            family: "war".into(),
            a: RunId { method: "naive".into(), seed },
            b: RunId { method: "seeds".into(), seed: 1 },
            estimate: Estimate {
                score: 0.1 + 0.2,
                interval: [0.25, 1.0 / 3.0],
                confidence: CONFIDENCE,
                pairs: 7,
            },
        };
        let (mut file, held) = MeetingsFile::open(&directory).expect("writable");
        assert_eq!(held, []);
        file.append(&meeting(1)).expect("writable");
        file.append(&meeting(2)).expect("writable");
        drop(file);

        let csv = path.join(MEETINGS);
        let whole = fs::read_to_string(&csv).expect("there");
        fs::write(&csv, &whole[..whole.len() - 3]).expect("writable");
        let (mut file, held) = MeetingsFile::open(&directory).expect("writable");
        assert_eq!(held, [meeting(1)]);
        file.append(&meeting(2)).expect("writable");
        assert_eq!(fs::read_to_string(&csv).expect("there"), whole);
        drop(file);

        // A meeting whose row was changed is refused.
        fs::write(&csv, whole.replace("naive,2", "naive,3")).expect("writable");
        let refused = MeetingsFile::open(&directory).expect_err("changed").to_string();
        assert!(refused.contains("meetings.csv:3: this row was not written here"), "{refused}");
    }
}
