//! The errors of reading and writing files.

use std::io;
use std::path::{Path, PathBuf};

use super::holder::Holder;

/// The reason why a file is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnwritableFile {
    /// The path is a symbolic link.
    #[error("is a link, which may lead anywhere")]
    Link,
    /// The path is a directory, a pipe or a device.
    #[error("is {0}, not a regular file")]
    NotAFile(&'static str),
    /// The file exists already, but must be new.
    #[error("is there already")]
    Exists,
    /// A file of another kind exists already.
    #[error("is there already, and is not {0}")]
    Foreign(&'static str),
}

/// The result of reading or writing files of a run.
pub type Result<T = (), E = DirectoryError> = std::result::Result<T, E>;

/// The reason why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// The directory is not empty.
    #[error("{} is not empty: {holds}", path.display())]
    Occupied {
        /// The path of the directory.
        path: PathBuf,
        /// A description of the apparent contents of the directory.
        holds: &'static str,
    },
    /// The same experiment was begun in this directory before.
    #[error("{} holds this very experiment already", .0.display())]
    Begun(PathBuf),
    /// The path is not a directory.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// Another program is working in the directory.
    #[error("{} is in use by {}", path.display(), holder.as_ref().map_or("another program".into(), Holder::to_string))]
    InUse {
        /// The path of the directory.
        path: PathBuf,
        /// The other program, if it has identified itself.
        holder: Option<Holder>,
    },
    /// The path does not exist.
    #[error("there is no directory {}", .0.display())]
    NotThere(PathBuf),
    /// No experiment was begun in this directory.
    #[error("{} holds no experiment", .0.display())]
    NotBegun(PathBuf),
    /// The experiment is published: its directory contains results, but no state to continue from.
    #[error("{} is published: it has results, and nothing to go on from", .0.display())]
    Published(PathBuf),
    /// The run has results, but its checkpoint is missing.
    #[error("{} has results, and no checkpoint.yaml to go on from", .0.display())]
    NoCheckpoint(PathBuf),
    /// A file was changed after the program wrote it.
    #[error("{} was changed after it was written", .0.display())]
    Changed(PathBuf),
    /// A file lacks bytes that the program wrote. A power cut leaves such a file.
    #[error("{} is gone, or lacks a part that was written, as after a power cut", .0.display())]
    Lost(PathBuf),
    /// A row of a table differs from the row that was written at that position for this experiment.
    #[error(
        "{}:{line}: this row was not written here: it was edited, moved or repeated, rows before it are missing, or it is \
         of another experiment",
        path.display()
    )]
    Unsealed {
        /// The path of the table.
        path: PathBuf,
        /// The line number of the row, from 1.
        line: usize,
    },
    /// The state of the run is invalid.
    #[error("cannot resume from {}: {problem}", path.display())]
    Corrupt {
        /// The path of the file.
        path: PathBuf,
        /// A description of the problem.
        problem: String,
    },
    /// A file of a run is invalid.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// A description of the problem.
        problem: String,
    },
    /// The directory for a new file does not exist.
    #[error("there is no directory {}", .0.display())]
    NoDirectory(PathBuf),
    /// The path exists and must not be written into or replaced.
    #[error("{} {reason}", path.display())]
    Refused {
        /// The path of the file.
        path: PathBuf,
        /// The reason why the file is not written.
        reason: UnwritableFile,
    },
    /// The path cannot be written to.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The path of the file or directory.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl DirectoryError {
    /// Returns `true` if a file is not as the program wrote it. Other files may be whole.
    pub fn is_damage(&self) -> bool {
        use DirectoryError::{Changed, Corrupt, Lost, NoCheckpoint, Unreadable, Unsealed};
        matches!(
            self,
            Changed(_)
                | Corrupt { .. }
                | Lost(_)
                | NoCheckpoint(_)
                | Unreadable { .. }
                | Unsealed { .. }
        )
    }

    /// Creates the error for a file that cannot be read because of `problem`.
    pub fn unreadable(path: &Path, problem: impl ToString) -> DirectoryError {
        DirectoryError::Unreadable { path: path.into(), problem: problem.to_string() }
    }
}
