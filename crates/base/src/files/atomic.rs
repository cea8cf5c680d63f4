//! Atomic writing of files: a file is replaced completely or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::error::{DirectoryError, Result};

/// The prefix of the names of files that are being written.
pub const UNFINISHED: &str = ".unfinished-";

/// Returns a function that creates the error for a file that cannot be written.
pub fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> DirectoryError {
    let path = path.into();
    move |source| DirectoryError::Unwritable { path, source }
}

/// Replaces the file at `path` with a file that has these contents. Readers see either the old file or the complete new
/// file, even if the machine loses power.
///
/// # Errors
///
/// Returns an error if the directory cannot be written to, or the disk is full; the old file is then unchanged.
pub fn write_atomically(path: &Path, contents: impl AsRef<[u8]>) -> Result {
    let write = || {
        write_beside(path, contents.as_ref())?.persist(path)?;
        Ok(())
    };
    write().map_err(unwritable(path))
}

/// Waits until the names of the files in a directory are on the disk, such as a name that replaced another one. Does
/// nothing on systems that cannot wait for a directory.
///
/// # Errors
///
/// Returns an error if the disk fails.
pub fn sync_directory(path: &Path) -> Result {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let synced =
        if cfg!(unix) { fs::File::open(path).and_then(|file| file.sync_all()) } else { Ok(()) };
    match synced {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        // A directory that may not be listed cannot be opened.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        synced => synced.map_err(unwritable(path)),
    }
}

/// Creates a file completely or not at all.
///
/// # Errors
///
/// Returns an error if the file exists already, or cannot be written.
pub fn create_atomically(path: &Path, contents: &[u8]) -> io::Result<()> {
    match write_beside(path, contents)?.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Err(error.error),
        // Some file systems support neither links nor renaming without replacement.
        Err(_) => {
            let mut file = fs::File::create_new(path)?;
            file.write_all(contents)?;
            file.sync_all()
        }
    }
}

/// Creates a temporary file with these contents in the directory of `path`.
fn write_beside(path: &Path, contents: &[u8]) -> io::Result<tempfile::NamedTempFile> {
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED);
    #[cfg(unix)]
    {
        // Other users may read the file, as far as the user's umask allows.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory.unwrap_or(Path::new(".")))?;
    file.write_all(contents)?;
    file.as_file().sync_all()?;
    Ok(file)
}
