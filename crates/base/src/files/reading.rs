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

use super::error::{DirectoryError, Result};

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
    #[error("line {line}, column {column}: {problem}")]
    NotText {
        /// The line of the first invalid byte, from 1.
        line: usize,
        /// The column of the first invalid byte, from 1.
        column: usize,
        /// The problem.
        problem: &'static str,
    },
    /// The file has a format of other programs.
    #[error("it is {}; {}", .0.name, .0.advice)]
    Foreign(Foreign),
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
            UnreadableFile::NotText { .. }
            | UnreadableFile::Foreign(_)
            | UnreadableFile::LongRow { .. } => io::ErrorKind::InvalidData,
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
pub fn is_there(path: &Path) -> Result<bool> {
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
/// Same as [`read_bytes`], and as [`text_of`].
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    Ok(text_of(read_bytes(path, max_bytes)?)?)
}

/// Converts the bytes of a file to text. A byte-order mark and line ends are kept: see [`with_plain_lines`].
///
/// # Errors
///
/// Returns an error, with the place, if the bytes are not UTF-8 text, as UTF-16 and binary files.
pub fn text_of(bytes: Vec<u8>) -> Result<String, UnreadableFile> {
    let refuse = |before: &[u8], problem| {
        let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
        Err(UnreadableFile::NotText { line, column, problem })
    };
    // Text in UTF-16 begins with a mark, and every second byte of plain text is 0.
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [0, 1..=255, ..] | [1..=255, 0, 1..=255, ..] =
        bytes[..]
    {
        return refuse(&[], "it is UTF-16 text: save it as UTF-8");
    }
    if let Some(at) = bytes.iter().position(|&byte| byte == 0) {
        return refuse(&bytes[..at], "a NUL byte: it is not a text file");
    }
    String::from_utf8(bytes).or_else(|error| {
        let at = error.utf8_error().valid_up_to();
        refuse(&error.as_bytes()[..at], "it is not UTF-8 text from here on: save it as UTF-8")
    })
}

/// Returns the text without a byte-order mark, and with `\n` as the only line end, for formats whose parsers know no
/// others.
pub fn with_plain_lines(text: String) -> String {
    match text.starts_with('\u{feff}') || text.contains('\r') {
        true => text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n"),
        false => text,
    }
}

/// A format of other programs, or a file for another place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreign {
    /// The name of the format, with an article.
    pub name: &'static str,
    /// The advice, in one clause.
    pub advice: &'static str,
    /// The ending of file names in this format.
    ending: &'static str,
    /// The beginnings of files in this format; empty if the beginning says nothing.
    beginnings: &'static [&'static str],
}

const FOREIGN: [Foreign; 6] = [
    Foreign {
        name: "a game of Gambit",
        advice: "it is named as a family, as in `ruse solve FILE.efg`",
        ending: ".efg",
        beginnings: &["EFG ", "NFG "],
    },
    Foreign {
        name: "a record of chess games",
        advice: "`ruse-uci --openings` reads such files, and `ruse race --counts` decides by their results",
        ending: ".pgn",
        beginnings: &["[Event "],
    },
    Foreign {
        name: "a table",
        advice: "`ruse solve` reads tables of payoffs, and `ruse race`, `ruse rank` and `ruse power` read tables of scores",
        ending: ".csv",
        beginnings: &[],
    },
    Foreign {
        name: "an XML file",
        advice: "a map of the real-time strategy game is a part of the family's name, as in `rts-script:FILE.xml`",
        ending: ".xml",
        beginnings: &["<?xml", "<rts."],
    },
    Foreign {
        name: "a rule file",
        advice: "it is named as a family, as in `ruse show FILE.kif`",
        ending: ".kif",
        beginnings: &["(role ", "(ROLE "],
    },
    Foreign {
        name: "a program",
        advice: "a program is named by its command, as in \"program:python3 FILE.py\"",
        ending: ".py",
        beginnings: &[],
    },
];

/// Recognises a file in a format of other programs, by its beginning or by the ending of its name. The formats with the
/// endings `own` are read here.
pub fn foreign(path: &Path, text: &[u8], own: &[&str]) -> Option<Foreign> {
    let name = path.as_os_str().to_ascii_lowercase();
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let begins = |format: &&Foreign| {
        format.beginnings.iter().any(|beginning| text.starts_with(beginning.as_bytes()))
    };
    let ends = |format: &&Foreign| name.as_encoded_bytes().ends_with(format.ending.as_bytes());
    let formats = || FOREIGN.iter().filter(|format| !own.contains(&format.ending));
    let is_own = FOREIGN.iter().any(|format| own.contains(&format.ending) && ends(&format));
    formats().find(begins).or_else(|| formats().find(ends).filter(|_| !is_own)).copied()
}

/// Like [`foreign`], for a file that was not read.
pub fn foreign_file(path: &Path) -> Option<Foreign> {
    /// The number of bytes by which a format is recognised.
    const MOST: u64 = 64;
    let mut beginning = Vec::new();
    open(path).ok()?.take(MOST).read_to_end(&mut beginning).ok()?;
    foreign(path, &beginning, &[])
}

/// Reads a file of UTF-8 text that `ruse` has written, or returns `None` if there is no such file.
///
/// # Errors
///
/// Same as [`read_text`].
pub fn text_if_there(path: &Path, max_bytes: u64) -> Result<Option<String>> {
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
        assert_eq!(open(&path).expect_err("nothing there").kind(), io::ErrorKind::NotFound);
        fs::write(&path, "text").expect("writable");
        assert!(open(&path).is_ok());
        let error = open(parent.path()).expect_err("a directory");
        assert_eq!(refusal(&error), Some(&UnreadableFile::NotAFile("a directory")));
        assert_eq!(error.to_string(), "it is a directory, not a regular file");
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_not_read() {
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
        let place = "line 1, column 3: it is not UTF-8 text from here on: save it as UTF-8";
        assert_eq!(error.to_string(), place);
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

    #[test]
    fn text_of_other_encodings_is_refused_with_the_place() {
        let utf_16 = |bytes: fn(u16) -> [u8; 2]| "a: 1\n".encode_utf16().flat_map(bytes).collect();
        let (little, big): (Vec<u8>, Vec<u8>) =
            (utf_16(u16::to_le_bytes), utf_16(u16::to_be_bytes));
        let marked = [b"\xff\xfe", &little[..]].concat();
        for (bytes, place) in [
            (little, "line 1, column 1: it is UTF-16"),
            (big, "line 1, column 1: it is UTF-16"),
            (marked, "line 1, column 1: it is UTF-16"),
            (b"a\nb\xc3\xa9\0".to_vec(), "line 2, column 3: a NUL byte"),
            (b"\0\0\0".to_vec(), "line 1, column 1: a NUL byte"),
            (b"a\n\nb\xc3\xa9 \xe9t".to_vec(), "line 3, column 4: it is not UTF-8"),
        ] {
            let refused = text_of(bytes).expect_err("not text").to_string();
            assert!(refused.starts_with(place), "{refused}");
        }
        for text in ["", "a", "\u{feff}a\r\nb\rc\n", "\u{e9}\n"] {
            assert_eq!(text_of(text.into()).as_deref(), Ok(text));
        }
        assert_eq!(with_plain_lines("\u{feff}a\r\nb\r\rc\n".into()), "a\nb\n\nc\n");
    }

    #[test]
    fn formats_are_recognised_by_beginning_and_name() {
        let name = |path: &str, text: &str, own: &[&str]| {
            foreign(Path::new(path), text.as_bytes(), own).map(|format| format.ending)
        };
        for (path, text, own, format) in [
            ("a.yaml", "family: war\n", &[][..], None),
            ("a.yaml", "\u{feff}\nEFG 2 R \"\" {}", &[], Some(".efg")),
            ("a.EFG", "", &[], Some(".efg")),
            ("a.efg", "EFG 2", &[".efg"], None),
            ("a", "[Event \"x\"]", &[], Some(".pgn")),
            ("a.csv", "a,b\n", &[], Some(".csv")),
            ("a.txt", "<?xml ?>", &[], Some(".xml")),
            ("a.xml", "<?xml ?>", &[".xml"], None),
            ("a.kif", "(role white)", &[".kif", ".gdl"], None),
            ("a.kif", "NFG 1 R", &[".kif", ".gdl"], Some(".efg")),
            ("a.yaml", "(role white)", &[], Some(".kif")),
            ("bot.py", "", &[], Some(".py")),
        ] {
            assert_eq!(name(path, text, own), format, "{path}: {text}");
        }
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
