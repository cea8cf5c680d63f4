//! The meetings of the champions of a comparison: a file that grows, and survives the end of the program.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::run_directory::{DirectoryError, RunDirectory, unwritable};
use super::run_files::lock;
use crate::evaluate::{CONFIDENCE, Estimate};
use crate::report::{MeetingRecord, RunId};

const MEETINGS: &str = "meetings.csv";

/// A row of the file.
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

/// `meetings.csv`: a row for every meeting of two champions, in the order of the plan.
#[derive(Debug)]
pub struct MeetingsFile {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl MeetingsFile {
    /// Reads the meetings that were held; none if none was.
    ///
    /// # Errors
    ///
    /// When somebody has written something else there.
    pub fn read(directory: &RunDirectory) -> Result<Vec<MeetingRecord>, DirectoryError> {
        let path = directory.path().join(MEETINGS);
        match fs::read(&path) {
            Ok(bytes) => parse(&path, whole_rows(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(DirectoryError::Corrupt { path, problem: error.to_string() }),
        }
    }

    /// Opens the file, forgets half a row at its end, and returns the meetings that were held.
    ///
    /// # Errors
    ///
    /// When it cannot be written, another program does so, or somebody has written something else there.
    pub fn open(
        directory: &RunDirectory,
    ) -> Result<(MeetingsFile, Vec<MeetingRecord>), DirectoryError> {
        let path = directory.path().join(MEETINGS);
        let open = || {
            let mut options = File::options();
            let mut file =
                options.read(true).write(true).create(true).truncate(false).open(&path)?;
            let num_bytes = whole_rows(&fs::read(&path)?).len() as u64;
            file.set_len(num_bytes)?;
            file.seek(io::SeekFrom::End(0))?;
            Ok((file, num_bytes))
        };
        let (file, num_bytes) = open().map_err(unwritable(&path))?;
        lock(&file, &path)?;
        let records = Self::read(directory)?;
        let writer = csv::WriterBuilder::new().has_headers(num_bytes == 0).from_writer(file);
        Ok((MeetingsFile { path, writer }, records))
    }

    /// Adds a meeting.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn append(&mut self, meeting: &MeetingRecord) -> Result<(), DirectoryError> {
        let written = self.writer.serialize(Row::from(meeting)).map_err(io::Error::from);
        written.and_then(|()| self.writer.flush()).map_err(unwritable(&self.path))
    }
}

/// Up to the end of the last line that is whole.
fn whole_rows(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    &bytes[..end]
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<MeetingRecord>, DirectoryError> {
    let rows = csv::Reader::from_reader(bytes).into_deserialize::<Row>();
    let rows = rows.map(|row| row.map(MeetingRecord::from)).collect::<Result<Vec<_>, _>>();
    rows.map_err(|error| DirectoryError::Corrupt { path: path.into(), problem: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{ExperimentSpec, Plan};
    use crate::family::Registry;

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
        assert!(matches!(MeetingsFile::open(&directory), Err(DirectoryError::InUse(_))));
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

        fs::write(&csv, whole.replace("naive,2", "naive,two")).expect("writable");
        let refused = MeetingsFile::open(&directory).expect_err("not a number").to_string();
        assert!(refused.contains("invalid digit"), "{refused}");
    }
}
