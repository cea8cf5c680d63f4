//! Tables in files that grow row by row, and keep their rows if the program is killed.
//!
//! The last column of a row contains a fingerprint, which is computed from the row, the names of the columns, and the
//! fingerprint of the preceding row. For the first row, the *seal* takes the place of the preceding fingerprint; it is
//! the fingerprint of the experiment to which the table belongs. An edited, moved, repeated, inserted or removed row is
//! detected, and so is a row of another experiment. Only the removal of rows at the end is not detected, because a
//! killed program leaves a table that looks the same.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::atomic::unwritable;
use super::cells::{csv_of, rows_of};
use super::error::{DirectoryError, Result};
use super::fingerprint::fingerprint_of;
use super::pace::Pace;
use super::{reading, writing};

/// The name of the last column, preceded by a comma.
const FINGERPRINT: &str = ",fingerprint";
/// The largest table that is read, in bytes; no comparison needs a larger one.
const MAX_BYTES: u64 = 1 << 30;
/// The byte that takes the place of bytes that the system has lost. No row contains it.
const LOST: char = '\0';

/// A table to which rows can be added.
#[derive(Debug)]
pub struct GrowingTable {
    path: PathBuf,
    file: File,
    chain: Chain,
    pace: Pace,
}

/// Rows that a power cut takes are measured again, so an error here does no harm.
impl Drop for GrowingTable {
    fn drop(&mut self) {
        let _ = self.file.sync_data();
    }
}

/// The state of a table that determines the fingerprint of the next row.
#[derive(Debug, Clone)]
struct Chain {
    is_empty: bool,
    /// The fingerprint of the last row, or the seal of an empty table.
    print: String,
}

impl Chain {
    fn new(seal: &str) -> Chain {
        Chain { is_empty: true, print: seal.into() }
    }

    /// Returns the row as a line of text. If it is the first row, the header precedes it.
    fn link(&mut self, row: impl Serialize) -> io::Result<String> {
        let text = csv_of([row])?;
        let (columns, row) = text.split_once('\n').expect("a header and a row");
        let row = row.trim_end();
        self.print = self.next(columns, row);
        let line = format!("{row},{}\n", self.print);
        Ok(match std::mem::take(&mut self.is_empty) {
            true => format!("{columns}{FINGERPRINT}\n{line}"),
            false => line,
        })
    }

    /// Returns the fingerprint of `row` as the next row of a table with these columns.
    fn next(&self, columns: &str, row: &str) -> String {
        fingerprint_of(format!("{}\n{columns}\n{row}", self.print))
    }
}

impl GrowingTable {
    /// Reads the rows of the table with this seal. Returns no rows if the file does not exist, and ignores an
    /// incomplete row at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if a row is invalid, or differs from the row that was written at that position.
    pub fn read<Row: DeserializeOwned>(path: &Path, seal: &str) -> Result<Vec<Row>> {
        match reading::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            file => {
                let file = file.map_err(|error| DirectoryError::unreadable(path, error))?;
                Self::parse(path, &file, seal).map(|(_, rows, _)| rows)
            }
        }
    }

    /// Reads the rows. Also returns the state of the table, to which the next row can be added, and the number of bytes
    /// before an incomplete row.
    fn parse<Row: DeserializeOwned>(
        path: &Path,
        file: &File,
        seal: &str,
    ) -> Result<(Chain, Vec<Row>, u64)> {
        let mut chain = Chain::new(seal);
        let bytes = reading::read_open(file, MAX_BYTES);
        let bytes = bytes.map_err(|error| DirectoryError::unreadable(path, error))?;
        let Ok(text) = std::str::from_utf8(whole_rows(&bytes)) else {
            return Err(DirectoryError::Changed(path.into()));
        };
        // Changed line ends are a change, too.
        let mut lines = text.split_inclusive('\n');
        let header = lines.next().filter(|header| !header.contains(LOST)).unwrap_or_default();
        if header.is_empty() {
            return Ok((chain, Vec::new(), 0));
        }
        let Some(columns) = header.trim_end_matches('\n').strip_suffix(FINGERPRINT) else {
            return Err(DirectoryError::Changed(path.into()));
        };
        chain.is_empty = false;
        let mut table = format!("{columns}\n");
        let mut num_bytes = header.len() as u64;
        for (line, number) in lines.zip(2..) {
            let cells = line.trim_end_matches('\n').rsplit_once(',');
            match cells.filter(|(row, print)| *print == chain.next(columns, row)) {
                Some((row, print)) => {
                    chain.print = print.into();
                    table += row;
                    table.push('\n');
                }
                None if line.contains(LOST) => break,
                None => return Err(DirectoryError::Unsealed { path: path.into(), line: number }),
            }
            num_bytes += line.len() as u64;
        }
        let rows = rows_of(table.as_bytes());
        Ok((chain, rows.map_err(|error| DirectoryError::unreadable(path, error))?, num_bytes))
    }

    /// Opens the file, removes an incomplete row at its end, and returns the rows.
    ///
    /// # Errors
    ///
    /// Same as [`read`](GrowingTable::read); also returns an error if the file cannot be written.
    pub fn open<R: DeserializeOwned>(path: PathBuf, seal: &str) -> Result<(GrowingTable, Vec<R>)> {
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = writing::open(&path, &mut options)?;
        let (chain, rows, num_bytes) = Self::parse(&path, &file, seal)?;
        let cut = file.set_len(num_bytes).and_then(|()| file.seek(io::SeekFrom::End(0)));
        cut.map_err(unwritable(&path))?;
        Ok((GrowingTable { path, file, chain, pace: Pace::default() }, rows))
    }

    /// Adds a row.
    pub fn append(&mut self, row: impl Serialize) -> Result {
        self.append_all([row])
    }

    /// Adds several rows in one write.
    pub fn append_all(&mut self, rows: impl IntoIterator<Item = impl Serialize>) -> Result {
        let lines = rows.into_iter().map(|row| self.chain.link(row));
        let text = lines.collect::<io::Result<String>>().map_err(unwritable(&self.path))?;
        let mut add = || {
            self.file.write_all(text.as_bytes())?;
            if self.pace.is_due() { self.pace.time(|| self.file.sync_data()) } else { Ok(()) }
        };
        add().map_err(unwritable(&self.path))
    }

    /// Returns the text of a whole table with this seal and these rows. The text is empty if there are no rows.
    ///
    /// # Errors
    ///
    /// Returns an error if a row cannot be written as text.
    pub fn text(seal: &str, rows: impl IntoIterator<Item = impl Serialize>) -> io::Result<String> {
        let mut chain = Chain::new(seal);
        rows.into_iter().map(|row| chain.link(row)).collect()
    }
}

/// Returns the bytes up to the end of the last complete line.
fn whole_rows(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde::Deserialize;

    use super::*;

    /// The fingerprint of an experiment.
    const SEAL: &str = "0123456789abcdef";

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct NamedScore {
        name: String,
        score: f64,
    }

    fn row(name: &str, score: f64) -> NamedScore {
        NamedScore { name: name.into(), score }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("table.csv");
        assert_eq!(GrowingTable::read::<NamedScore>(&path, SEAL).expect("nothing is fine"), []);
        let rows = [row("a, \"b\"", 0.1 + 0.2), row("=c", 1.0 / 3.0), row("'-d", -5e-324)];
        for (index, row) in rows.iter().enumerate() {
            let (mut table, found) =
                GrowingTable::open::<NamedScore>(path.clone(), SEAL).expect("writable");
            assert_eq!(found, rows[..index]);
            table.append(row).expect("writable");
        }
        assert_eq!(GrowingTable::read::<NamedScore>(&path, SEAL).expect("readable"), rows);

        // An incomplete row is ignored, and written again.
        let whole = fs::read_to_string(&path).expect("there");
        assert_eq!(GrowingTable::text(SEAL, &rows).expect("text"), whole);
        assert_eq!(GrowingTable::text(SEAL, [(); 0]).expect("text"), "");
        fs::write(&path, &whole[..whole.len() - 3]).expect("writable");
        let (mut table, found) =
            GrowingTable::open::<NamedScore>(path.clone(), SEAL).expect("writable");
        assert_eq!(found, rows[..2]);
        table.append(&rows[2]).expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("there"), whole);
    }

    /// A row that is not at its original position, or belongs to another table, is refused; the error names its line.
    #[test]
    fn rows_have_their_place() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("table.csv");
        let rows = [row("a", 0.25), row("b", 0.5), row("c", 0.75)];
        let whole = GrowingTable::text(SEAL, &rows).expect("text");
        let other = GrowingTable::text("0123456789abcdee", &rows).expect("text");
        let lines: Vec<&str> = whole.lines().collect();
        let foreign: Vec<&str> = other.lines().collect();
        for (kept, refused) in [
            (vec![lines[0], lines[1], lines[2]], None),
            // A row is repeated, moved or removed.
            (vec![lines[0], lines[1], lines[1]], Some(3)),
            (vec![lines[0], lines[1], lines[2], lines[3], lines[3]], Some(5)),
            (vec![lines[0], lines[2], lines[1]], Some(2)),
            (vec![lines[0], lines[1], lines[3]], Some(3)),
            // The rows belong to another experiment.
            (foreign.clone(), Some(2)),
            (vec![lines[0], lines[1], foreign[2]], Some(3)),
        ] {
            fs::write(&path, kept.join("\n") + "\n").expect("writable");
            let found = match GrowingTable::read::<NamedScore>(&path, SEAL) {
                Ok(_) => None,
                Err(DirectoryError::Unsealed { line, .. }) => Some(line),
                Err(error) => panic!("{error:?}"),
            };
            assert_eq!(found, refused, "{kept:?}");
        }
        // Other line ends are a change.
        fs::write(&path, whole.replace('\n', "\r\n")).expect("writable");
        let refused = GrowingTable::read::<NamedScore>(&path, SEAL);
        assert!(matches!(refused, Err(DirectoryError::Changed(_))), "{refused:?}");
        fs::write(&path, format!("{}\n{}\r\n", lines[0], lines[1])).expect("writable");
        let refused = GrowingTable::read::<NamedScore>(&path, SEAL);
        assert!(matches!(refused, Err(DirectoryError::Unsealed { line: 2, .. })), "{refused:?}");
    }

    #[cfg(unix)]
    #[test]
    fn a_table_does_not_grow_through_a_link() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let [path, elsewhere] = ["table.csv", "elsewhere"].map(|name| directory.path().join(name));
        std::os::unix::fs::symlink(&elsewhere, &path).expect("writable");
        let refused = GrowingTable::open::<NamedScore>(path.clone(), SEAL);
        assert!(matches!(refused, Err(DirectoryError::Refused { .. })), "{refused:?}");
        assert!(!elsewhere.exists());
        // An incomplete row at the end of the linked file is not removed.
        fs::write(&elsewhere, "name,score,fingerprint\nyears of work").expect("writable");
        let refused = GrowingTable::open::<NamedScore>(path, SEAL);
        assert!(matches!(refused, Err(DirectoryError::Refused { .. })), "{refused:?}");
        assert_eq!(fs::metadata(&elsewhere).expect("there").len(), 36);
    }

    #[test]
    fn every_change_of_a_byte_is_noticed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("table.csv");
        let (mut table, _) =
            GrowingTable::open::<NamedScore>(path.clone(), SEAL).expect("writable");
        let rows = [row("a", 0.25), row("b", 0.5)];
        rows.iter().for_each(|row| table.append(row).expect("writable"));
        let whole = fs::read(&path).expect("there");
        for place in 0..whole.len() {
            for byte in [0, b'0', b'1', b',', b'\n', b'"', 0xff] {
                let mut changed = whole.clone();
                changed[place] = byte;
                fs::write(&path, &changed).expect("writable");
                match GrowingTable::read::<NamedScore>(&path, SEAL) {
                    Ok(found) if changed == whole => assert_eq!(found, rows),
                    // A row with a zero, or the last row without its line end, is incomplete and is written again.
                    Ok(found) => {
                        let kept = whole[..place].iter().filter(|byte| **byte == b'\n').count();
                        assert!(byte == 0 || place + 1 == whole.len());
                        assert_eq!(found, rows[..kept.saturating_sub(1)]);
                    }
                    Err(error) => {
                        let is_refused = matches!(
                            error,
                            DirectoryError::Changed(_) | DirectoryError::Unsealed { .. }
                        );
                        assert!(is_refused, "{error:?}");
                    }
                }
            }
        }
    }
}
