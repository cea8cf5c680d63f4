//! Tables that grow row by row. A checkpoint stores the length and the fingerprint of the valid part of a table.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::atomic::unwritable;
use super::cells::{guarded, rows_of};
use super::error::{DirectoryError, Result};
use super::fingerprint::Fingerprint;
use super::reading::{self, BoundedRows, MAX_ROW_BYTES};
use super::writing;

/// The length and the fingerprint of the valid part of a file. The valid part starts at the beginning of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vouched {
    /// The number of valid bytes, from the beginning.
    pub bytes: u64,
    /// The fingerprint of these bytes.
    pub fingerprint: String,
}

impl Vouched {
    /// Returns the length and the fingerprint of these bytes.
    pub fn of(bytes: &[u8]) -> Vouched {
        let mut fingerprint = Fingerprint::default();
        fingerprint.update(bytes);
        fingerprint.into()
    }
}

impl From<Fingerprint> for Vouched {
    fn from(fingerprint: Fingerprint) -> Vouched {
        Vouched { bytes: fingerprint.num_bytes(), fingerprint: fingerprint.to_string() }
    }
}

/// A file that is being read or written, with the fingerprint of the bytes so far.
#[derive(Debug)]
struct Traced<F> {
    file: F,
    fingerprint: Fingerprint,
    /// Whether a byte that was read is zero. Tables have none, so the system has lost what was written there.
    has_zeros: bool,
}

impl<F> Traced<F> {
    fn new(file: F, fingerprint: Fingerprint) -> Traced<F> {
        Traced { file, fingerprint, has_zeros: false }
    }
}

impl<F: Read> Read for Traced<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let num_read = self.file.read(buffer)?;
        let bytes = &buffer[..num_read];
        self.fingerprint.update(bytes);
        self.has_zeros |= bytes.contains(&0);
        Ok(num_read)
    }
}

impl Write for Traced<File> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let num_written = self.file.write(bytes)?;
        self.fingerprint.update(&bytes[..num_written]);
        Ok(num_written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// A table that grows row by row.
#[derive(Debug)]
pub struct Rows {
    path: PathBuf,
    writer: csv::Writer<Traced<File>>,
    /// The number of bytes that are on the disk.
    num_synced: u64,
}

impl Rows {
    fn new(path: PathBuf, file: File, fingerprint: Fingerprint) -> Rows {
        let writer = csv::Writer::from_writer(Traced::new(file, fingerprint));
        Rows { path, writer, num_synced: 0 }
    }

    /// Creates a table with these columns.
    pub fn create(path: PathBuf, columns: impl IntoIterator<Item = String>) -> Result<Rows> {
        let file = writing::open(&path, File::options().write(true).create_new(true))?;
        let mut rows = Rows::new(path, file, Fingerprint::default());
        rows.append(columns)?;
        rows.flush()?;
        Ok(rows)
    }

    /// Opens a table to add rows after its valid part, removes everything after this part, and returns its rows.
    ///
    /// # Errors
    ///
    /// Same as [`read_rows`]; also returns an error if the table cannot be written.
    pub fn reopen<R: DeserializeOwned>(path: PathBuf, vouched: &Vouched) -> Result<(Rows, Vec<R>)> {
        let opened = writing::open(&path, File::options().read(true).write(true));
        let mut file = opened.map_err(|error| match error {
            DirectoryError::Unwritable { path, source }
                if source.kind() == io::ErrorKind::NotFound =>
            {
                DirectoryError::Lost(path)
            }
            error => error,
        })?;
        let (rows, fingerprint) = parse(&path, &file, Some(vouched))?;
        let cut = file.set_len(vouched.bytes).and_then(|()| file.seek(io::SeekFrom::End(0)));
        cut.map_err(unwritable(&path))?;
        Ok((Rows::new(path, file, fingerprint), rows))
    }

    /// Like [`reopen`](Rows::reopen), if the rows are not needed.
    ///
    /// # Errors
    ///
    /// Same as [`reopen`](Rows::reopen).
    pub fn reopen_unread(path: PathBuf, vouched: &Vouched) -> Result<Rows> {
        Rows::reopen::<IgnoredAny>(path, vouched).map(|(rows, _)| rows)
    }

    /// Adds a row.
    pub fn append(&mut self, row: impl IntoIterator<Item = String>) -> Result {
        let written =
            self.writer.write_record(row.into_iter().map(|cell| guarded(&cell).into_owned()));
        written.map_err(io::Error::from).map_err(unwritable(&self.path))
    }

    /// Writes all buffered rows to the file, and returns the length and the fingerprint of the file.
    pub fn flush(&mut self) -> Result<Vouched> {
        self.writer.flush().map_err(unwritable(&self.path))?;
        Ok(self.writer.get_ref().fingerprint.into())
    }

    /// Like [`flush`](Rows::flush), and waits until the rows are on the disk.
    pub fn sync(&mut self) -> Result<Vouched> {
        let vouched = self.flush()?;
        if vouched.bytes > self.num_synced {
            self.writer.get_ref().file.sync_data().map_err(unwritable(&self.path))?;
            self.num_synced = vouched.bytes;
        }
        Ok(vouched)
    }
}

/// Reads the valid rows of a table. Without a checkpoint, as in published results, all complete rows are valid.
///
/// # Errors
///
/// Returns an error if the table cannot be read, was changed, or does not have rows of this type. A table that is gone,
/// is shorter than its valid part, or has zeros in it, was not changed: it is [lost](DirectoryError::Lost).
pub fn read_rows<R: DeserializeOwned>(path: &Path, vouched: Option<&Vouched>) -> Result<Vec<R>> {
    let file = reading::open(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound if vouched.is_some() => DirectoryError::Lost(path.into()),
        _ => DirectoryError::unreadable(path, error),
    })?;
    parse(path, &file, vouched).map(|(rows, _)| rows)
}

/// Parses the valid rows of an open file, and returns their fingerprint. The bytes are hashed while they are parsed.
fn parse<Row: DeserializeOwned>(
    path: &Path,
    mut file: &File,
    vouched: Option<&Vouched>,
) -> Result<(Vec<Row>, Fingerprint)> {
    let unreadable = |error| DirectoryError::unreadable(path, error);
    let num_bytes = match vouched {
        Some(vouched) => vouched.bytes,
        None => end_of_rows(file).map_err(unreadable)?,
    };
    let mut bytes = Traced::new((&mut file).take(num_bytes), Fingerprint::default());
    let rows = rows_of(BoundedRows::new(&mut bytes));
    if let Some(vouched) = vouched {
        // A row that is not understood has left the rest unread.
        io::copy(&mut bytes, &mut io::sink()).map_err(unreadable)?;
        let found = Vouched::from(bytes.fingerprint);
        if found != *vouched {
            return Err(match found.bytes < vouched.bytes || bytes.has_zeros {
                true => DirectoryError::Lost(path.into()),
                false => DirectoryError::Changed(path.into()),
            });
        }
    }
    Ok((rows.map_err(|error| DirectoryError::unreadable(path, error))?, bytes.fingerprint))
}

/// Returns the number of bytes up to the end of the last complete row.
fn end_of_rows(mut file: &File) -> io::Result<u64> {
    let start = file.metadata()?.len().saturating_sub(MAX_ROW_BYTES as u64);
    file.seek(io::SeekFrom::Start(start))?;
    let mut end = Vec::new();
    file.take(MAX_ROW_BYTES as u64).read_to_end(&mut end)?;
    file.rewind()?;
    let last = end.iter().rposition(|&byte| byte == b'\n');
    Ok(last.map_or(0, |place| start + place as u64 + 1))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn row(number: u64) -> [String; 2] {
        [number.to_string(), format!("{:.3}", 1.0 / number as f64)]
    }

    fn read(path: &Path, vouched: Option<&Vouched>) -> Result<Vec<(u64, f64)>> {
        read_rows(path, vouched)
    }

    #[test]
    fn a_table_goes_on_where_it_was_vouched_for() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("rows.csv");
        let mut rows = Rows::create(path.clone(), ["a", "b"].map(String::from)).expect("new");
        rows.append(row(1)).expect("writable");
        let first = rows.flush().expect("writable");
        rows.append(row(2)).expect("writable");
        let both = rows.flush().expect("writable");
        drop(rows);
        let whole = fs::read(&path).expect("there");
        assert_eq!(whole, b"a,b\n1,1.000\n2,0.500\n");
        assert_eq!((first.bytes, both.bytes), (12, 20));
        assert_eq!(read(&path, Some(&first)).expect("as written"), [(1, 1.0)]);
        assert_eq!(read(&path, Some(&both)).expect("as written"), [(1, 1.0), (2, 0.5)]);

        // The rest of the file may have any contents.
        fs::write(&path, [&whole[..], b"3,0."].concat()).expect("writable");
        assert_eq!(read(&path, None).expect("two whole rows").len(), 2);
        let mut rows = Rows::reopen_unread(path.clone(), &first).expect("as written");
        rows.append(row(2)).expect("writable");
        assert_eq!(rows.flush().expect("writable"), both);
        assert_eq!(fs::read(&path).expect("there"), whole);
    }

    #[cfg(unix)]
    #[test]
    fn a_table_is_not_written_through_a_link() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let [path, elsewhere] = ["rows.csv", "elsewhere"].map(|name| directory.path().join(name));
        let mut rows = Rows::create(path.clone(), ["=a", "b"].map(String::from)).expect("new");
        let vouched = rows.flush().expect("writable");
        drop(rows);
        let longer = [fs::read(&path).expect("there").as_slice(), b"years of work"].concat();
        assert!(longer.starts_with(b"'=a,b\n"));
        fs::write(&elsewhere, &longer).expect("writable");
        fs::remove_file(&path).expect("there");
        std::os::unix::fs::symlink(&elsewhere, &path).expect("writable");
        for refused in [Rows::reopen_unread(path.clone(), &vouched), Rows::create(path, [])] {
            assert!(matches!(refused, Err(DirectoryError::Refused { .. })), "{refused:?}");
        }
        assert_eq!(fs::read(&elsewhere).expect("there"), longer, "nothing is cut");
    }

    #[test]
    fn changed_rows_are_refused() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("rows.csv");
        let mut rows = Rows::create(path.clone(), ["a", "b"].map(String::from)).expect("new");
        rows.append(row(1)).expect("writable");
        let vouched = rows.flush().expect("writable");
        let whole = fs::read(&path).expect("there");
        for place in 0..whole.len() {
            let mut changed = whole.clone();
            changed[place] ^= 1;
            fs::write(&path, &changed).expect("writable");
            assert!(matches!(read(&path, Some(&vouched)), Err(DirectoryError::Changed(_))));
            let refused = Rows::reopen_unread(path.clone(), &vouched);
            assert!(matches!(refused, Err(DirectoryError::Changed(_))), "{refused:?}");
            assert_eq!(fs::read(&path).expect("there"), changed, "nothing is cut");
        }
        fs::remove_file(&path).expect("there");
        fs::create_dir(&path).expect("writable");
        let refused = Rows::reopen_unread(path, &vouched).expect_err("a directory").to_string();
        assert!(refused.ends_with("is a directory, not a regular file"), "{refused}");
    }

    /// A power cut leaves a shorter file, zeros, or no file at all.
    #[test]
    fn rows_lost_in_a_power_cut_are_not_changes() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("rows.csv");
        let mut rows = Rows::create(path.clone(), ["a", "b"].map(String::from)).expect("new");
        rows.append(row(1)).expect("writable");
        let vouched = rows.sync().expect("writable");
        let whole = fs::read(&path).expect("there");
        for length in 0..whole.len() {
            let mut zeros = whole.clone();
            zeros[length..].fill(0);
            for left in [&whole[..length], &zeros] {
                fs::write(&path, left).expect("writable");
                assert!(matches!(read(&path, Some(&vouched)), Err(DirectoryError::Lost(_))));
                let lost = Rows::reopen_unread(path.clone(), &vouched);
                assert!(matches!(lost, Err(DirectoryError::Lost(_))), "{lost:?}");
                assert_eq!(fs::read(&path).expect("there"), left, "nothing is cut");
            }
        }
        fs::remove_file(&path).expect("there");
        assert!(matches!(read(&path, Some(&vouched)), Err(DirectoryError::Lost(_))));
        let lost = Rows::reopen_unread(path, &vouched);
        assert!(matches!(lost, Err(DirectoryError::Lost(_))), "{lost:?}");
    }
}
