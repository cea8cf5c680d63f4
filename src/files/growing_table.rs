//! Tables in files that grow row by row, and keep their rows if the program is killed. Each row has its own
//! fingerprint: a change within a row is detected, the removal of whole rows is not.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::atomic::unwritable;
use super::cells::{csv_of, rows_of};
use super::error::DirectoryError;
use super::fingerprint::fingerprint_of;
use super::{reading, writing};

/// The name of the last column, with the comma in front of it.
const FINGERPRINT: &str = ",fingerprint";
/// The largest table that is read, in bytes. No experiment needs a larger table.
const MAX_BYTES: u64 = 1 << 30;

/// A table to which rows can be added.
#[derive(Debug)]
pub(crate) struct GrowingTable {
    path: PathBuf,
    file: File,
    is_empty: bool,
}

impl GrowingTable {
    /// Reads the rows; if the file does not exist, there are no rows. An incomplete row at the end is ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if a row was changed or is invalid.
    pub(crate) fn read<Row: DeserializeOwned>(path: &Path) -> Result<Vec<Row>, DirectoryError> {
        let unreadable =
            |problem: String| DirectoryError::Unreadable { path: path.into(), problem };
        let bytes = match reading::read_bytes(path, MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes.map_err(|error| unreadable(error.to_string()))?,
        };
        let Ok(text) = std::str::from_utf8(whole_rows(&bytes)) else {
            return Err(DirectoryError::Changed(path.into()));
        };
        let mut lines = text.lines();
        let Some(header) = lines.next() else { return Ok(Vec::new()) };
        let Some(columns) = header.strip_suffix(FINGERPRINT) else {
            return Err(DirectoryError::Changed(path.into()));
        };
        let mut table = format!("{columns}\n");
        for line in lines {
            let row = line.rsplit_once(',').filter(|(row, print)| *print == print_of(columns, row));
            let Some((row, _)) = row else { return Err(DirectoryError::Changed(path.into())) };
            table += row;
            table.push('\n');
        }
        rows_of(table.as_bytes()).map_err(|error| unreadable(error.to_string()))
    }

    /// Opens the file, removes an incomplete row at its end, and returns the rows.
    ///
    /// # Errors
    ///
    /// Same as [`read`](GrowingTable::read); also returns an error if the file cannot be written.
    pub(crate) fn open<Row: DeserializeOwned>(
        path: PathBuf,
    ) -> Result<(GrowingTable, Vec<Row>), DirectoryError> {
        let rows = Self::read(&path)?;
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = writing::open(&path, &mut options)?;
        let mut cut = || {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let num_bytes = whole_rows(&bytes).len() as u64;
            file.set_len(num_bytes)?;
            file.seek(io::SeekFrom::End(0))?;
            Ok(num_bytes == 0)
        };
        let is_empty = cut().map_err(unwritable(&path))?;
        Ok((GrowingTable { path, file, is_empty }, rows))
    }

    /// Adds a row.
    pub(crate) fn append(&mut self, row: impl Serialize) -> Result<(), DirectoryError> {
        self.append_all([row])
    }

    /// Adds several rows in one write.
    pub(crate) fn append_all(
        &mut self,
        rows: impl IntoIterator<Item = impl Serialize>,
    ) -> Result<(), DirectoryError> {
        let mut text = String::new();
        for row in rows {
            let [header, line] = lines_of(row).map_err(unwritable(&self.path))?;
            if std::mem::take(&mut self.is_empty) {
                text = header;
            }
            text += &line;
        }
        self.file.write_all(text.as_bytes()).map_err(unwritable(&self.path))
    }

    /// Returns the text of a whole table with these rows; empty if there are no rows.
    ///
    /// # Errors
    ///
    /// Returns an error if a row cannot be written as text.
    pub(crate) fn text(rows: impl IntoIterator<Item = impl Serialize>) -> io::Result<String> {
        let mut text = String::new();
        for row in rows {
            let [header, line] = lines_of(row)?;
            if text.is_empty() {
                text = header;
            }
            text += &line;
        }
        Ok(text)
    }
}

/// Returns the header for a table of such rows, and the row itself, each with a line end.
fn lines_of(row: impl Serialize) -> io::Result<[String; 2]> {
    let text = csv_of([row])?;
    let (columns, row) = text.split_once('\n').expect("a header and a row");
    let row = row.trim_end();
    Ok([format!("{columns}{FINGERPRINT}\n"), format!("{row},{}\n", print_of(columns, row))])
}

/// Returns the fingerprint of a row together with the names of its columns.
fn print_of(columns: &str, row: &str) -> String {
    fingerprint_of(format!("{columns}\n{row}"))
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

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Row {
        name: String,
        score: f64,
    }

    fn row(name: &str, score: f64) -> Row {
        Row { name: name.into(), score }
    }

    #[test]
    fn rows_are_read_as_they_were_written() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("table.csv");
        assert_eq!(GrowingTable::read::<Row>(&path).expect("nothing is fine"), []);
        let rows = [row("a, \"b\"", 0.1 + 0.2), row("=c", 1.0 / 3.0), row("'-d", -5e-324)];
        for (index, row) in rows.iter().enumerate() {
            let (mut table, found) = GrowingTable::open::<Row>(path.clone()).expect("writable");
            assert_eq!(found, rows[..index]);
            table.append(row).expect("writable");
        }
        assert_eq!(GrowingTable::read::<Row>(&path).expect("readable"), rows);

        // An incomplete row is ignored; a missing row is not detected.
        let whole = fs::read_to_string(&path).expect("there");
        assert_eq!(GrowingTable::text(&rows).expect("text"), whole);
        assert_eq!(GrowingTable::text([(); 0]).expect("text"), "");
        fs::write(&path, &whole[..whole.len() - 3]).expect("writable");
        let (mut table, found) = GrowingTable::open::<Row>(path.clone()).expect("writable");
        assert_eq!(found, rows[..2]);
        table.append(&rows[2]).expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("there"), whole);
        let lines: Vec<&str> = whole.lines().collect();
        fs::write(&path, format!("{}\n{}\n", lines[0], lines[3])).expect("writable");
        assert_eq!(GrowingTable::read::<Row>(&path).expect("readable"), rows[2..]);
    }

    #[cfg(unix)]
    #[test]
    fn a_table_does_not_grow_through_a_link() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let [path, elsewhere] = ["table.csv", "elsewhere"].map(|name| directory.path().join(name));
        std::os::unix::fs::symlink(&elsewhere, &path).expect("writable");
        let refused = GrowingTable::open::<Row>(path.clone());
        assert!(matches!(refused, Err(DirectoryError::Refused { .. })), "{refused:?}");
        assert!(!elsewhere.exists());
        // An incomplete row at the end of the linked file is not removed.
        fs::write(&elsewhere, "name,score,fingerprint\nyears of work").expect("writable");
        let refused = GrowingTable::open::<Row>(path);
        assert!(matches!(refused, Err(DirectoryError::Refused { .. })), "{refused:?}");
        assert_eq!(fs::metadata(&elsewhere).expect("there").len(), 36);
    }

    #[test]
    fn every_change_of_a_byte_is_noticed() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("table.csv");
        let (mut table, _) = GrowingTable::open::<Row>(path.clone()).expect("writable");
        let rows = [row("a", 0.25), row("b", 0.5)];
        rows.iter().for_each(|row| table.append(row).expect("writable"));
        let whole = fs::read(&path).expect("there");
        for place in 0..whole.len() {
            for byte in [0, b'0', b'1', b',', b'\n', b'"', 0xff] {
                let mut changed = whole.clone();
                changed[place] = byte;
                fs::write(&path, &changed).expect("writable");
                match GrowingTable::read::<Row>(&path) {
                    Ok(found) if changed == whole => assert_eq!(found, rows),
                    // Without its line end, the last row is incomplete and is written again.
                    Ok(found) => assert_eq!((found, place + 1), (rows[..1].to_vec(), whole.len())),
                    Err(error) => {
                        assert!(matches!(error, DirectoryError::Changed(_)), "{error:?}");
                    }
                }
            }
        }
    }
}
