//! Tables in files that grow row by row, and survive the end of the program.

use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::run_directory::{DirectoryError, unwritable};
use super::run_files::lock;

/// A table to which rows are added. No other program writes to it as long as it is open.
#[derive(Debug)]
pub(super) struct GrowingTable {
    path: PathBuf,
    writer: csv::Writer<File>,
}

impl GrowingTable {
    /// Reads the rows; none if there is no file. Half a row at the end is left out.
    pub(super) fn read<Row: DeserializeOwned>(path: &Path) -> Result<Vec<Row>, DirectoryError> {
        let corrupt = |problem: String| DirectoryError::Corrupt { path: path.into(), problem };
        let bytes = match fs::read(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes.map_err(|error| corrupt(error.to_string()))?,
        };
        let rows = csv::Reader::from_reader(whole_rows(&bytes)).into_deserialize();
        rows.collect::<Result<_, _>>().map_err(|error| corrupt(error.to_string()))
    }

    /// Opens the file, forgets half a row at its end, and returns the rows.
    pub(super) fn open<Row: DeserializeOwned>(
        path: PathBuf,
    ) -> Result<(GrowingTable, Vec<Row>), DirectoryError> {
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
        let rows = Self::read(&path)?;
        let writer = csv::WriterBuilder::new().has_headers(num_bytes == 0).from_writer(file);
        Ok((GrowingTable { path, writer }, rows))
    }

    /// Adds a row.
    pub(super) fn append(&mut self, row: impl Serialize) -> Result<(), DirectoryError> {
        let written = self.writer.serialize(row).map_err(io::Error::from);
        written.and_then(|()| self.writer.flush()).map_err(unwritable(&self.path))
    }
}

/// Up to the end of the last line that is whole.
fn whole_rows(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |place| place + 1);
    &bytes[..end]
}
