//! Tables that grow row by row. A checkpoint stores the length and the fingerprint of the valid part of a table.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::atomic::unwritable;
use super::cells::guarded;
use super::error::DirectoryError;
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

/// A file that is being written, with the fingerprint of its contents.
#[derive(Debug)]
struct Traced {
    file: File,
    fingerprint: Fingerprint,
}

impl Write for Traced {
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
    writer: csv::Writer<Traced>,
}

impl Rows {
    /// Creates a table with these columns.
    pub fn create(
        path: PathBuf,
        columns: impl IntoIterator<Item = String>,
    ) -> Result<Rows, DirectoryError> {
        let file = writing::open(&path, File::options().write(true).create_new(true))?;
        let traced = Traced { file, fingerprint: Fingerprint::default() };
        let mut rows = Rows { path, writer: csv::Writer::from_writer(traced) };
        rows.append(columns)?;
        rows.flush()?;
        Ok(rows)
    }

    /// Opens a table to add rows after its valid part, and removes everything after this part.
    ///
    /// # Errors
    ///
    /// Returns an error if the valid part was changed.
    pub fn reopen(path: PathBuf, vouched: &Vouched) -> Result<Rows, DirectoryError> {
        let fingerprint = check(&path, vouched)?;
        let mut file = writing::open(&path, File::options().write(true))?;
        let cut = file.set_len(vouched.bytes).and_then(|()| file.seek(io::SeekFrom::End(0)));
        cut.map_err(unwritable(&path))?;
        Ok(Rows { path, writer: csv::Writer::from_writer(Traced { file, fingerprint }) })
    }

    /// Adds a row.
    pub fn append(&mut self, row: impl IntoIterator<Item = String>) -> Result<(), DirectoryError> {
        let written =
            self.writer.write_record(row.into_iter().map(|cell| guarded(&cell).into_owned()));
        written.map_err(io::Error::from).map_err(unwritable(&self.path))
    }

    /// Writes all buffered rows to the file, and returns the length and the fingerprint of the file.
    pub fn flush(&mut self) -> Result<Vouched, DirectoryError> {
        self.writer.flush().map_err(unwritable(&self.path))?;
        Ok(self.writer.get_ref().fingerprint.into())
    }
}

fn unreadable(path: &Path) -> impl FnOnce(io::Error) -> DirectoryError {
    let path = path.into();
    move |error| DirectoryError::Unreadable { path, problem: error.to_string() }
}

/// Checks that the valid bytes are unchanged, and returns their fingerprint.
fn check(path: &Path, vouched: &Vouched) -> Result<Fingerprint, DirectoryError> {
    let mut fingerprint = Fingerprint::default();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = reading::open(path).map_err(unreadable(path))?.take(vouched.bytes);
    loop {
        match bytes.read(&mut buffer) {
            Ok(0) => break,
            Ok(num_read) => fingerprint.update(&buffer[..num_read]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(path)(error)),
        }
    }
    match fingerprint.to_string() == vouched.fingerprint {
        true => Ok(fingerprint),
        false => Err(DirectoryError::Changed(path.into())),
    }
}

/// Parses the valid rows of a table. Without a checkpoint, as in published results, all complete rows are valid.
///
/// # Errors
///
/// Returns an error if the table cannot be read, was changed, or cannot be parsed.
pub fn parse_rows<T, E: std::fmt::Display>(
    path: &Path,
    vouched: Option<&Vouched>,
    parse: impl FnOnce(&mut csv::Reader<BoundedRows<io::Take<BufReader<File>>>>) -> Result<T, E>,
) -> Result<T, DirectoryError> {
    let num_bytes = match vouched {
        Some(vouched) => check(path, vouched)?.num_bytes(),
        None => end_of_rows(path).map_err(unreadable(path))?,
    };
    let file = BufReader::new(reading::open(path).map_err(unreadable(path))?);
    let mut rows = csv::Reader::from_reader(BoundedRows::new(file.take(num_bytes)));
    let parsed = parse(&mut rows);
    parsed.map_err(|error| DirectoryError::Unreadable {
        path: path.into(),
        problem: error.to_string(),
    })
}

/// Returns the number of bytes up to the end of the last complete row.
fn end_of_rows(path: &Path) -> io::Result<u64> {
    let mut file = reading::open(path)?;
    let num_bytes = file.metadata()?.len();
    let start = num_bytes.saturating_sub(MAX_ROW_BYTES as u64);
    file.seek(io::SeekFrom::Start(start))?;
    let mut end = Vec::new();
    file.take(MAX_ROW_BYTES as u64).read_to_end(&mut end)?;
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

    fn read(path: &Path, vouched: Option<&Vouched>) -> Result<Vec<(u64, f64)>, DirectoryError> {
        parse_rows(path, vouched, |rows| rows.deserialize().collect::<Result<_, csv::Error>>())
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
        let mut rows = Rows::reopen(path.clone(), &first).expect("as written");
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
        for refused in [Rows::reopen(path.clone(), &vouched), Rows::create(path, [])] {
            assert!(matches!(refused, Err(DirectoryError::Refused { .. })), "{refused:?}");
        }
        assert_eq!(fs::read(&elsewhere).expect("there"), longer, "nothing is cut");
    }

    #[test]
    fn what_was_changed_is_refused() {
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
            let refused = Rows::reopen(path.clone(), &vouched);
            assert!(matches!(refused, Err(DirectoryError::Changed(_))), "{refused:?}");
            assert_eq!(fs::read(&path).expect("there"), changed, "nothing is cut");
        }
        fs::write(&path, &whole[..whole.len() - 1]).expect("writable");
        assert!(matches!(read(&path, Some(&vouched)), Err(DirectoryError::Changed(_))));
        fs::remove_file(&path).expect("there");
        fs::create_dir(&path).expect("writable");
        let refused = Rows::reopen(path, &vouched).expect_err("a directory").to_string();
        assert!(refused.ends_with("it is a directory, not a regular file"), "{refused}");
    }
}
