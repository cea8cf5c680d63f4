//! Opens files for writing. All writing goes through this module, because a name in a directory of unknown origin may
//! be a link to any file.
//!
//! A link in an archive of results may lead to a file of the user who unpacks it. Therefore files are never opened
//! through a link, and created directories are never links.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use super::atomic::unwritable;
use super::error::{DirectoryError, Result, UnwritableFile};
use super::reading;

/// Returns the error for a file that must not be written.
pub(super) fn refused(path: &Path, reason: UnwritableFile) -> DirectoryError {
    DirectoryError::Refused { path: path.into(), reason }
}

/// Checks that `path` is a regular file or does not exist.
pub(super) fn check_kind(path: &Path, metadata: io::Result<fs::Metadata>) -> Result {
    match metadata {
        Ok(metadata) if metadata.is_symlink() => Err(refused(path, UnwritableFile::Link)),
        Ok(metadata) if !metadata.is_file() => {
            let kind = reading::name_of(metadata.file_type());
            Err(refused(path, UnwritableFile::NotAFile(kind)))
        }
        // Other problems are reported when the file is opened.
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Opens a regular file with these options, never through a link.
///
/// # Errors
///
/// Returns an error if the path is a link or not a regular file, or cannot be opened.
pub(crate) fn open(path: &Path, options: &mut OpenOptions) -> Result<File> {
    check_kind(path, fs::symlink_metadata(path))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;
        // If the file is replaced by a link or a pipe after the check, the link is not followed, and the pipe does not
        // block.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        options.custom_flags(flags.bits().cast_signed());
    }
    let file = options.open(path).map_err(|error| {
        let found = check_kind(path, fs::symlink_metadata(path));
        found.err().unwrap_or_else(|| unwritable(path)(error))
    })?;
    check_kind(path, file.metadata())?;
    Ok(file)
}

/// Creates a file, and waits until it is on the disk.
///
/// # Errors
///
/// Returns an error if the path exists, or the file cannot be written.
pub fn create(path: &Path, contents: impl AsRef<[u8]>) -> Result {
    let mut file = open(path, File::options().write(true).create_new(true))?;
    file.write_all(contents.as_ref()).and_then(|()| file.sync_all()).map_err(unwritable(path))
}

/// Creates the directory `path`, which is below `base`, and the directories between them. A link on the way is refused,
/// so files written into `path` stay below `base`.
///
/// # Errors
///
/// Returns an error if a link or a file is in the way, or a directory cannot be created.
pub fn make_directory(base: &Path, path: &Path) -> Result {
    let mut at = base.to_path_buf();
    let below = path.strip_prefix(base).expect("it is below the base");
    fs::create_dir_all(base).map_err(unwritable(base))?;
    for part in below.components() {
        at.push(part);
        let Err(error) = fs::create_dir(&at) else { continue };
        match fs::symlink_metadata(&at) {
            Ok(found) if found.is_dir() => {}
            Ok(found) if found.is_symlink() => return Err(refused(&at, UnwritableFile::Link)),
            Ok(_) => return Err(DirectoryError::NotADirectory(at)),
            // The path existed, but cannot be examined: another program may have just removed it.
            Err(gone) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(unwritable(&at)(gone));
            }
            Err(_) => return Err(unwritable(&at)(error)),
        }
    }
    Ok(())
}

/// Checks that a path does not exist, not even as a dangling link.
///
/// # Errors
///
/// Returns an error if the path exists.
pub fn check_absent(path: &Path) -> Result {
    match fs::symlink_metadata(path) {
        Ok(_) => Err(refused(path, UnwritableFile::Exists)),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(result: Result<impl Sized>) -> UnwritableFile {
        match result {
            Err(DirectoryError::Refused { reason, .. }) => reason,
            Err(error) => panic!("{error:?}"),
            Ok(_) => panic!("it was written"),
        }
    }

    #[cfg(unix)]
    #[test]
    fn nothing_is_opened_through_a_link() {
        use std::os::unix::fs::symlink;
        let parent = tempfile::tempdir().expect("a temporary directory");
        let [precious, link, dangling, nowhere] =
            ["precious", "link", "dangling", "nowhere"].map(|name| parent.path().join(name));
        fs::write(&precious, "years of work").expect("writable");
        symlink(&precious, &link).expect("writable");
        symlink(&nowhere, &dangling).expect("writable");
        let all = || {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(true);
            options
        };
        for path in [&link, &dangling] {
            assert_eq!(reason(open(path, &mut all())), UnwritableFile::Link);
            assert_eq!(reason(open(path, File::options().read(true))), UnwritableFile::Link);
            assert_eq!(reason(create(path, "new")), UnwritableFile::Link);
            assert_eq!(reason(check_absent(path)), UnwritableFile::Exists);
        }
        assert!(!nowhere.exists());
        assert_eq!(fs::read_to_string(&precious).expect("there"), "years of work");
        open(&precious, File::options().append(true)).expect("a regular file");
        open(&nowhere, &mut all()).expect("a new file");
    }

    /// If a link replaces the file after the first check, the system refuses to follow the link.
    #[cfg(unix)]
    #[test]
    fn the_system_follows_no_link_either() {
        use std::os::unix::fs::{OpenOptionsExt, symlink};
        let parent = tempfile::tempdir().expect("a temporary directory");
        let [precious, link] = ["precious", "link"].map(|name| parent.path().join(name));
        fs::write(&precious, "years of work").expect("writable");
        symlink(&precious, &link).expect("writable");
        let mut options = File::options();
        options.write(true).truncate(true);
        open(&precious, options.append(false).truncate(false)).expect("a regular file");
        // The options keep the flags from the earlier call.
        let error = options.open(&link).expect_err("a link");
        assert_ne!(error.kind(), io::ErrorKind::NotFound);
        let plain = options.custom_flags(0).open(&link);
        plain.expect("without the flags the link is followed");
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
        let all = open(&path, File::options().read(true).write(true).create(true).truncate(false));
        assert_eq!(reason(all), UnwritableFile::NotAFile("a pipe"));
    }

    #[cfg(unix)]
    #[test]
    fn no_directory_is_made_through_a_link() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let [base, elsewhere] = ["base", "elsewhere"].map(|name| parent.path().join(name));
        fs::create_dir(&elsewhere).expect("writable");
        make_directory(&base, &base.join("a/b")).expect("all are made");
        make_directory(&base, &base.join("a/b")).expect("all are there");
        std::os::unix::fs::symlink(&elsewhere, base.join("link")).expect("writable");
        for below in ["link", "link/c"] {
            assert_eq!(reason(make_directory(&base, &base.join(below))), UnwritableFile::Link);
        }
        assert_eq!(fs::read_dir(&elsewhere).expect("there").count(), 0);
        fs::write(base.join("file"), "").expect("writable");
        let error = make_directory(&base, &base.join("file/d")).expect_err("a file");
        assert!(matches!(error, DirectoryError::NotADirectory(_)), "{error:?}");
        // The user names the base, so it may be a link.
        let named = parent.path().join("named");
        std::os::unix::fs::symlink(&base, &named).expect("writable");
        make_directory(&named, &named.join("a/e")).expect("below the base");
    }
}
