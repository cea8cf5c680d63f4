//! Why files cannot be read or written.

use std::io;
use std::path::PathBuf;

use super::holder::Holder;
use super::yaml::YamlError;

/// Why a file is not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnwritableFile {
    /// It is a symbolic link.
    #[error("is a link, which may lead anywhere")]
    Link,
    /// It is a directory, a pipe or a device.
    #[error("is {0}, not a regular file")]
    NotAFile(&'static str),
    /// There is a file, and it is to be a new one.
    #[error("is there already")]
    Exists,
    /// There is a file of another kind.
    #[error("is there already, and is not {0}")]
    Foreign(&'static str),
}

/// Why a run directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DirectoryError {
    /// There is something in it already.
    #[error("{} is not empty: {holds}", path.display())]
    Occupied {
        /// The directory.
        path: PathBuf,
        /// What it seems to hold.
        holds: &'static str,
    },
    /// The same experiment was begun there before.
    #[error("{} holds this very experiment already", .0.display())]
    Begun(PathBuf),
    /// There is something else of this name.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// Another program is at work on it.
    #[error("{} is in use by {}", path.display(), holder.as_ref().map_or("another program".into(), Holder::to_string))]
    InUse {
        /// The directory.
        path: PathBuf,
        /// The program, if it says who it is.
        holder: Option<Holder>,
    },
    /// There is nothing of this name.
    #[error("there is no directory {}", .0.display())]
    NotThere(PathBuf),
    /// No experiment was begun there.
    #[error("{} holds no experiment", .0.display())]
    NotBegun(PathBuf),
    /// It is published: there are results, and nothing to go on from.
    #[error("{} is published: it has results, and nothing to go on from", .0.display())]
    Published(PathBuf),
    /// The checkpoint of a run that has results is gone.
    #[error("{} has results, and no checkpoint.yaml to go on from", .0.display())]
    NoCheckpoint(PathBuf),
    /// A file is not what the program has written.
    #[error("{} was changed after it was written", .0.display())]
    Changed(PathBuf),
    /// The state of the run cannot be understood.
    #[error("cannot resume from {}: {problem}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of a run cannot be understood.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The directory for a new file is not there.
    #[error("there is no directory {}", .0.display())]
    NoDirectory(PathBuf),
    /// There is something that is not written into, and not replaced.
    #[error("{} {reason}", path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// What is there.
        reason: UnwritableFile,
    },
    /// It cannot be written to.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

/// Why a file that a user has written was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is a mistake in it.
    #[error(transparent)]
    Yaml(#[from] Box<YamlError>),
    /// It is that of a directory which cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
}
