//! Opens files for reading. All reading goes through this module, because a path may lead to any kind of file.
//!
//! A pipe would block a reader forever, and `/dev/zero` or a sparse file would exhaust the memory. Therefore only
//! regular files are opened, and nothing is read as a whole without a size limit.
//!
//! All errors are [`io::Error`]s: errors of the system are unchanged, and a file that is refused here causes an
//! [`UnreadableFile`].

use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::path::Path;

use super::error::DirectoryError;

/// The largest size of a row of a table, in bytes. The row of a strategy with 1000 parameters takes 25 kB.
pub const MAX_ROW_BYTES: usize = 1 << 20;

/// The reason why an existing file is not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnreadableFile {
    /// The path is a directory, a pipe or a device.
    #[error("it is {0}, not a regular file")]
    NotAFile(&'static str),
    /// The file is larger than the limit for its kind.
    #[error("it has more than {max_bytes} bytes")]
    TooLarge {
        /// The limit, in bytes.
        max_bytes: u64,
    },
    /// The file is not UTF-8 text.
    #[error("it is not UTF-8 text, from byte {byte} on")]
    NotText {
        /// The position of the first invalid byte, from 1.
        byte: usize,
    },
    /// A row of the table is too long.
    #[error("line {line} is longer than {MAX_ROW_BYTES} bytes")]
    LongRow {
        /// The line in which the row begins, from 1.
        line: u64,
    },
}

impl From<UnreadableFile> for io::Error {
    fn from(refused: UnreadableFile) -> io::Error {
        let kind = match &refused {
            UnreadableFile::NotAFile(_) => io::ErrorKind::InvalidInput,
            UnreadableFile::TooLarge { .. } => io::ErrorKind::FileTooLarge,
            UnreadableFile::NotText { .. } | UnreadableFile::LongRow { .. } => {
                io::ErrorKind::InvalidData
            }
        };
        io::Error::new(kind, refused)
    }
}

/// Checks that a path leads to a regular file, directly or through links, without opening it.
///
/// # Errors
///
/// Returns an error if the path does not exist, or is not a regular file.
pub fn check_is_file(path: &Path) -> io::Result<()> {
    check_kind(fs::metadata(path)?.file_type())
}

fn check_kind(kind: FileType) -> io::Result<()> {
    if kind.is_file() { Ok(()) } else { Err(UnreadableFile::NotAFile(name_of(kind)).into()) }
}

/// Returns the kind of a file that is not regular, with an article.
pub(super) fn name_of(kind: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        if kind.is_fifo() {
            return "a pipe";
        } else if kind.is_socket() {
            return "a socket";
        } else if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if kind.is_dir() { "a directory" } else { "something else" }
}

/// Opens a regular file for reading.
///
/// # Errors
///
/// Returns an error if the file cannot be opened or is not a regular file. The kind is checked before the file is
/// opened, because opening a pipe blocks until another process writes to it.
pub fn open(path: &Path) -> io::Result<File> {
    check_is_file(path)?;
    let file = File::open(path)?;
    // The file may have been replaced since the check.
    check_kind(file.metadata()?.file_type())?;
    Ok(file)
}

/// Returns `true` if something is at this path, or at the end of the links that begin there.
///
/// # Errors
///
/// Returns an error if the system does not say. [`Path::exists`] would take this for an absent file.
pub fn is_there(path: &Path) -> Result<bool, DirectoryError> {
    match path.try_exists() {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        found => found.map_err(|error| DirectoryError::unreadable(path, error)),
    }
}

/// Reads a regular file completely.
///
/// # Errors
///
/// Returns an error if the file cannot be read, is not a regular file, or has more than `max_bytes` bytes.
pub fn read_bytes(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    read_open(&open(path)?, max_bytes)
}

/// Reads an open file completely, like [`read_bytes`].
pub(super) fn read_open(file: &File, max_bytes: u64) -> io::Result<Vec<u8>> {
    let too_large = UnreadableFile::TooLarge { max_bytes };
    let expected = file.metadata()?.len();
    if expected > max_bytes {
        return Err(too_large.into());
    }
    let mut bytes = Vec::with_capacity(expected as usize);
    // The size may be wrong: the file may grow, and files in `/proc` have size 0.
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes { Err(too_large.into()) } else { Ok(bytes) }
}

/// Reads a regular file of UTF-8 text completely.
///
/// # Errors
///
/// Same as [`read_bytes`]; also returns an error if the file is not UTF-8 text.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read_bytes(path, max_bytes)?).map_err(|error| {
        UnreadableFile::NotText { byte: error.utf8_error().valid_up_to() + 1 }.into()
    })
}

/// Reads a file of UTF-8 text that `ruse` has written, or returns `None` if there is no such file.
///
/// # Errors
///
/// Same as [`read_text`].
pub fn text_if_there(path: &Path, max_bytes: u64) -> Result<Option<String>, DirectoryError> {
    match read_text(path, max_bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        text => text.map(Some).map_err(|error| DirectoryError::unreadable(path, error)),
    }
}

/// The bytes of a CSV table, which end with an error at a row longer than [`MAX_ROW_BYTES`]. The limit is needed
/// because a CSV reader keeps a whole row in memory.
#[derive(Debug)]
pub struct BoundedRows<R> {
    source: R,
    /// The current line, from 1.
    line: u64,
    /// The first line of the current row.
    row: u64,
    /// The number of bytes in the row so far.
    num_bytes: usize,
    /// Whether the position is within quotation marks, where the end of a line does not end the row.
    is_quoted: bool,
}

impl<R: Read> BoundedRows<R> {
    /// Wraps `source`, which must be at the beginning of a row.
    pub fn new(source: R) -> BoundedRows<R> {
        BoundedRows { source, line: 1, row: 1, num_bytes: 0, is_quoted: false }
    }

    fn add(&mut self, byte: u8) -> Result<(), UnreadableFile> {
        self.num_bytes += 1;
        if self.num_bytes > MAX_ROW_BYTES {
            return Err(UnreadableFile::LongRow { line: self.row });
        }
        match byte {
            // A quotation mark within quotation marks is doubled, so the first one ends the quotation and the second
            // one begins it again.
            b'"' => self.is_quoted = !self.is_quoted,
            b'\n' => {
                self.line += 1;
                if !self.is_quoted {
                    (self.row, self.num_bytes) = (self.line, 0);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl<R: Read> Read for BoundedRows<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let num_bytes = loop {
            match self.source.read(buffer) {
                // A parser of tables would not repeat an interrupted read.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read?,
            }
        };
        for &byte in &buffer[..num_bytes] {
            self.add(byte)?;
        }
        Ok(num_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(error: &io::Error) -> Option<&UnreadableFile> {
        error.get_ref()?.downcast_ref()
    }

    #[test]
    fn only_regular_files_are_opened() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("a");
        let missing = open(&path).expect_err("nothing there");
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
        fs::write(&path, "text").expect("writable");
        assert!(open(&path).is_ok());
        let error = open(parent.path()).expect_err("a directory");
        assert_eq!(refusal(&error), Some(&UnreadableFile::NotAFile("a directory")));
        assert_eq!(error.to_string(), "it is a directory, not a regular file");
    }

    #[cfg(unix)]
    #[test]
    fn nobody_waits_at_a_pipe_or_drinks_from_a_device() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let pipe = parent.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo is there").success());
        let link = parent.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).expect("writable");
        for (path, kind) in [(&pipe, "a pipe"), (&link, "a device")] {
            let error = read_text(path, 10).expect_err("no file");
            assert_eq!(refusal(&error), Some(&UnreadableFile::NotAFile(kind)));
        }
    }

    #[test]
    fn files_are_read_up_to_their_bound() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("a");
        fs::write(&path, "12345").expect("writable");
        assert_eq!(read_text(&path, 5).expect("small enough"), "12345");
        let error = read_text(&path, 4).expect_err("too large");
        assert_eq!(refusal(&error), Some(&UnreadableFile::TooLarge { max_bytes: 4 }));
        fs::write(&path, b"ab\xff").expect("writable");
        let error = read_text(&path, 5).expect_err("not text");
        assert_eq!(refusal(&error), Some(&UnreadableFile::NotText { byte: 3 }));
    }

    /// The size limit holds even for files in `/proc`, which all report the size 0.
    #[cfg(target_os = "linux")]
    #[test]
    fn sizes_are_not_believed() {
        let path = Path::new("/proc/self/status");
        assert_eq!(fs::metadata(path).expect("there").len(), 0);
        let error = read_text(path, 10).expect_err("it has more than ten bytes");
        assert_eq!(refusal(&error), Some(&UnreadableFile::TooLarge { max_bytes: 10 }));
    }

    /// Returns the number of rows of a table, or the message of the first error.
    fn rows(bytes: impl Read) -> Result<usize, String> {
        let mut builder = csv::ReaderBuilder::new();
        let reader = builder.flexible(true).has_headers(false).from_reader(BoundedRows::new(bytes));
        let mut num_rows = 0;
        for row in reader.into_byte_records() {
            row.map_err(|error| error.to_string())?;
            num_rows += 1;
        }
        Ok(num_rows)
    }

    #[test]
    fn rows_have_a_bound_and_tables_have_none() {
        let row = [vec![b'x'; MAX_ROW_BYTES - 1], b"\n".to_vec()].concat();
        assert_eq!(rows(&*row.repeat(3)), Ok(3));
        let long = Err("line 2 is longer than 1048576 bytes".to_string());
        let longer = [b"a,b\nx", &*row, &row].concat();
        assert_eq!(rows(&*longer), long);
        // A hole in a file reads as an endless sequence of zeros.
        assert_eq!(rows(b"a,b\n".chain(io::repeat(0))), long);
        // Lines within quotation marks belong to one row.
        assert_eq!(rows(b"a,b\n\"".chain(io::repeat(b'\n'))), long);
        assert_eq!(rows(&b"a,\"b\nc\"\"\"\nd,e\n"[..]), Ok(2));
    }
}
