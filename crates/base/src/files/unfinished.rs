//! Atomic creation of directories, and removal of the unfinished files of killed programs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::atomic::{UNFINISHED, unwritable};
use super::error::{DirectoryError, Result};
use super::lock::{LOCK, Lock};

/// The prefix of temporary directories in which new directories are created. Each temporary directory is locked until
/// the new directory in it is finished.
const NEW: &str = ".unfinished-new-";

/// A new directory, which has a temporary name and a lock until it is finished.
///
/// Creating another new directory in the same place removes the leftovers of killed programs.
pub struct NewDirectory {
    /// The lock of the temporary directory; dropped before the directory is removed.
    _lock: Lock,
    around: TempDir,
}

impl NewDirectory {
    /// Begins a new directory in the directory `parent`.
    ///
    /// # Errors
    ///
    /// Returns an error if the parent directory cannot be written to.
    pub fn begin(parent: &Path) -> Result<NewDirectory> {
        /// The maximum number of attempts to create a temporary directory. An attempt fails if another program takes
        /// the directory for a leftover and removes it before it is locked.
        const MAX_TRIES: u32 = 100;
        remove_new(parent);
        let mut num_tries = 0;
        loop {
            num_tries += 1;
            let around = tempfile::Builder::new().prefix(NEW).tempdir_in(parent);
            let around = around.map_err(unwritable(parent))?;
            let is_taken = |error: &DirectoryError| match error {
                DirectoryError::InUse { .. } => true,
                DirectoryError::Unwritable { source, .. } => {
                    source.kind() == io::ErrorKind::NotFound
                }
                _ => false,
            };
            match Lock::take(around.path()) {
                Err(error) if is_taken(&error) && num_tries < MAX_TRIES => {}
                lock => {
                    let new = NewDirectory { _lock: lock?, around };
                    fs::create_dir(new.path()).map_err(unwritable(parent))?;
                    return Ok(new);
                }
            }
        }
    }

    /// Returns the temporary path of the directory.
    pub fn path(&self) -> PathBuf {
        self.around.path().join("new")
    }

    /// Moves the directory to its final path in one step.
    ///
    /// # Errors
    ///
    /// Returns an error if the path cannot be written to, or exists and is not an empty directory.
    pub fn finish(self, at: &Path) -> io::Result<()> {
        fs::rename(self.path(), at)
    }
}

/// Removes new directories in `parent` that killed programs have left behind. On a file system without locks, leftovers
/// look like directories in use, so no directory is removed.
fn remove_new(parent: &Path) {
    for directory in unfinished_in(parent, NEW).filter(|path| is_directory(path)) {
        if !directory.join(LOCK).exists() {
            // Either the program was killed before it took the lock, or it is about to take the lock and will retry.
            let _ = fs::remove_dir(&directory);
        } else if let Ok(lock) = Lock::take(&directory)
            && lock.is_exclusive()
        {
            let _ = fs::remove_dir_all(&directory);
        }
    }
}

/// Removes the incomplete files and directories that killed programs have left in `directory`.
pub fn remove_leftovers(directory: &Path) {
    remove_new(directory);
    for path in unfinished_in(directory, UNFINISHED) {
        let is_new = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(NEW));
        // A leftover that cannot be removed does no harm.
        let _ = match is_directory(&path) {
            true if is_new => Ok(()),
            true => fs::remove_dir_all(path),
            false => fs::remove_file(path),
        };
    }
}

/// Returns `true` if the path is a directory and not a link.
fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// Iterates over the paths in a directory whose names begin with `prefix`.
fn unfinished_in<'a>(directory: &Path, prefix: &'a str) -> impl Iterator<Item = PathBuf> + use<'a> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let is_wanted =
        move |entry: &fs::DirEntry| entry.file_name().to_string_lossy().starts_with(prefix);
    entries.filter(is_wanted).map(|entry| entry.path())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &Path) -> Vec<String> {
        let entries = fs::read_dir(path).expect("there").flatten();
        let mut names: Vec<_> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_directory_appears_when_it_is_finished() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let parent = parent.path();
        let new = NewDirectory::begin(parent).expect("writable");
        fs::write(new.path().join("a"), "1").expect("writable");
        assert!(names(parent).iter().all(|name| name.starts_with(NEW)));
        new.finish(&parent.join("out")).expect("nothing is there");
        assert_eq!(names(parent), ["out"]);
        assert_eq!(names(&parent.join("out")), ["a"]);
        // A directory that is dropped, or whose final path is taken, leaves nothing behind.
        drop(NewDirectory::begin(parent).expect("writable"));
        let late = NewDirectory::begin(parent).expect("writable");
        assert!(late.finish(&parent.join("out")).is_err());
        assert_eq!(names(parent), ["out"]);
    }

    #[test]
    fn only_files_of_killed_programs_are_removed() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let parent = parent.path();
        let killed = ["a", "b"].map(|name| parent.join(format!("{NEW}{name}")));
        for directory in &killed {
            fs::create_dir_all(directory.join("new")).expect("writable");
            fs::write(directory.join(LOCK), "process: 1\n").expect("writable");
        }
        fs::create_dir(parent.join(format!("{NEW}c"))).expect("writable");
        // These are unrelated files, and a directory that never had a lock.
        fs::write(parent.join(".unfinished-file"), "").expect("writable");
        fs::create_dir_all(parent.join(format!("{NEW}mine/x"))).expect("writable");
        let held = NewDirectory::begin(parent).expect("writable");
        let again = NewDirectory::begin(parent).expect("writable");
        assert!(held.path().is_dir());
        assert_eq!(names(parent).len(), 4, "{:?}", names(parent));
        remove_leftovers(parent);
        assert!(held.path().is_dir() && again.path().is_dir());
        drop((held, again));
        assert_eq!(names(parent), [format!("{NEW}mine")]);
    }

    /// Several threads create directories in the same place, and remove leftovers, at the same time. No thread removes
    /// the directory of another thread.
    #[test]
    fn simultaneous_starts_do_not_conflict() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let parent = parent.path();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                scope.spawn(move || {
                    for round in 0..50 {
                        let new = NewDirectory::begin(parent).expect("writable");
                        fs::write(new.path().join("a"), "1").expect("it is still there");
                        new.finish(&parent.join(format!("{thread}-{round}"))).expect("free");
                    }
                });
            }
        });
        assert_eq!(names(parent).len(), 200);
    }
}
