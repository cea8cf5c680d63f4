//! Locks of directories, which name the program that holds them.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::atomic::unwritable;
use super::error::{DirectoryError, Result, UnwritableFile};
use super::holder::Holder;
use super::writing;

/// The name of the lock file in a directory. A program locks this file while it works in the directory, and removes it
/// at the end, unless it is killed. The directory is in use only if the operating system still has a lock on the file;
/// a lock ends with the program, even if the file remains.
pub const LOCK: &str = ".lock";

/// The exclusive right to write into a directory. The right ends when this value is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// The locked file; `None` on a file system without locks.
    file: Option<File>,
}

impl Lock {
    /// Takes the lock of a directory, even if a killed program has left its lock file behind.
    ///
    /// # Errors
    ///
    /// Returns an error if another program holds the lock, or the lock file cannot be written.
    pub fn take(directory: &Path) -> Result<Lock> {
        Self::take_file(directory.join(LOCK), directory)
    }

    /// Takes the lock in the file `path`, even if a killed program has left the file behind. If another program holds
    /// the lock, the error contains the path `what`.
    ///
    /// # Errors
    ///
    /// Returns an error if another program holds the lock, if the file is a link or not a lock of this program, or if
    /// it cannot be written.
    pub fn take_file(path: PathBuf, what: &Path) -> Result<Lock> {
        loop {
            let mut options = File::options();
            options.read(true).write(true).create(true).truncate(false);
            let mut file = writing::open(&path, &mut options)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    write(&mut file, &path)?;
                    return Ok(Lock { path, file: Some(file) });
                }
                // The last holder removed the file after it was opened here and before it was locked, so this lock is
                // void.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let holder = read(&mut file);
                    return Err(DirectoryError::InUse { path: what.into(), holder });
                }
                // Some file systems have no locks; we continue without one.
                Err(TryLockError::Error(_)) => {
                    write(&mut file, &path)?;
                    return Ok(Lock { path, file: None });
                }
            }
        }
    }

    /// Checks that no program holds the lock of a directory, without taking the lock. Other programs that check at the
    /// same time are not affected.
    ///
    /// # Errors
    ///
    /// Returns an error if a program holds the lock.
    pub fn check_free(directory: &Path) -> Result {
        // If the file does not exist or cannot be read, no program is working in the directory.
        let path = directory.join(LOCK);
        let Ok(mut file) = writing::open(&path, File::options().read(true)) else { return Ok(()) };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                Err(DirectoryError::InUse { path: directory.into(), holder: read(&mut file) })
            }
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    /// Returns `true` if other programs are locked out, which is not possible on a file system without locks.
    pub fn is_exclusive(&self) -> bool {
        self.file.is_some()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // The file is removed before the lock ends; the next holder creates a new one.
        let _ = fs::remove_file(&self.path);
    }
}

/// Records this program as the holder in the lock file, in place of a killed program.
///
/// # Errors
///
/// Returns an error if the file has any other contents, which then stay unchanged, or if it cannot be written.
fn write(file: &mut File, path: &Path) -> Result {
    let found = text_in(file).unwrap_or_default();
    if !found.is_some_and(|text| is_ours(&text)) {
        let reason = UnwritableFile::Foreign("a lock of ruse");
        return Err(DirectoryError::Refused { path: path.into(), reason });
    }
    let text = serde_yaml::to_string(&Holder::new()).expect("plain data can be written as YAML");
    let mut replace = || {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(text.as_bytes())
    };
    replace().map_err(unwritable(path))
}

/// Returns `true` if `text` is the contents of a lock file of this program, or the beginning of these contents. After a
/// power cut, zeros may take the place of the rest.
fn is_ours(text: &str) -> bool {
    const BEGINNING: &str = "process: ";
    let text = text.trim_end_matches('\0');
    text.starts_with(BEGINNING) || BEGINNING.starts_with(text)
}

/// Returns the holder of the lock, or `None` if the file does not name a holder yet.
fn read(file: &mut File) -> Option<Holder> {
    serde_yaml::from_str(&text_in(file).ok()??).ok()
}

/// Returns the contents of the file, or `None` if they are longer than a lock file or are not text.
fn text_in(file: &mut File) -> io::Result<Option<String>> {
    const MAX_BYTES: u64 = 1 << 12;
    let mut bytes = Vec::new();
    file.rewind()?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    let is_short = bytes.len() as u64 <= MAX_BYTES;
    Ok(String::from_utf8(bytes).ok().filter(|_| is_short))
}

/// Returns `true` if the open file is still the file at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(open), Ok(named)) => of(open) == of(named),
        _ => false,
    }
}

/// Returns `true`, since an open file cannot be removed on these systems.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_program_learns_of_the_first() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        let lock = Lock::take(path).expect("no program is there");
        assert!(lock.is_exclusive());
        let refused = Lock::take(path).expect_err("in use").to_string();
        let expected = format!("{} is in use by process {}", path.display(), std::process::id());
        assert!(refused.starts_with(&expected), "{refused}");
        assert!(refused.contains(" since 20"), "{refused}");
        drop(lock);
        assert_eq!(fs::read_dir(path).expect("there").count(), 0);
        drop(Lock::take(path).expect("the lock was removed"));
    }

    #[test]
    fn asking_takes_nothing() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        Lock::check_free(path).expect("there is no file");
        fs::write(path.join(LOCK), "process: 1\nsince: 2999-01-01T00:00:00Z\n").expect("writable");
        Lock::check_free(path).expect("the program was killed");
        let lock = Lock::take(path).expect("no program has locked it");
        let refused = Lock::check_free(path).expect_err("in use").to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(lock);
        // A directory may have several locks with different names.
        let [one, other] = ["one.lock", "other.lock"].map(|name| path.join(name));
        let _one = Lock::take_file(one.clone(), Path::new("shard 1/2")).expect("free");
        let _other = Lock::take_file(other, Path::new("shard 2/2")).expect("another one");
        let refused = Lock::take_file(one, Path::new("shard 1/2")).expect_err("in use").to_string();
        assert!(refused.starts_with("shard 1/2 is in use by process "), "{refused}");
    }

    #[test]
    fn the_lock_of_a_killed_program_is_taken_over() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join(LOCK);
        fs::write(&path, "process: 1\nsince: 2018-07-08T00:00:00Z\nand more than there will be\n")
            .expect("writable");
        let lock = Lock::take(directory.path()).expect("no program has locked it");
        let text = fs::read_to_string(&path).expect("there");
        assert!(text.starts_with(&format!("process: {}\n", std::process::id())), "{text}");
        assert!(!text.contains("and more"), "{text}");
        drop(lock);
        assert!(!path.exists());
    }

    #[test]
    fn other_files_are_not_taken_for_locks() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join(LOCK);
        let refuse = || match Lock::take(directory.path()) {
            Err(DirectoryError::Refused { reason, .. }) => reason,
            other => panic!("{other:?}"),
        };
        let long = format!("process: 1\n{}", "#".repeat(5000));
        for text in ["years of work\n", " ", "Process: 1\n", &long] {
            fs::write(&path, text).expect("writable");
            assert_eq!(refuse(), UnwritableFile::Foreign("a lock of ruse"));
            assert_eq!(fs::read_to_string(&path).expect("there"), text);
        }
        fs::write(&path, b"process: \xff").expect("writable");
        assert_eq!(refuse(), UnwritableFile::Foreign("a lock of ruse"));
        for left in ["", "proc", "process: 12", "\0\0\0"] {
            fs::write(&path, left).expect("writable");
            drop(Lock::take(directory.path()).expect("a program was killed while it wrote this"));
        }
        fs::create_dir(&path).expect("writable");
        assert_eq!(refuse(), UnwritableFile::NotAFile("a directory"));
        Lock::check_free(directory.path()).expect("it is not a lock");
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_that_is_a_link_is_refused() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let [directory, precious, nowhere] =
            ["directory", "precious", "nowhere"].map(|name| parent.path().join(name));
        fs::create_dir(&directory).expect("writable");
        // The target may even look like a lock.
        fs::write(&precious, "process: 1\nsince: 2018-07-08T00:00:00Z\n").expect("writable");
        for target in [&precious, &nowhere] {
            std::os::unix::fs::symlink(target, directory.join(LOCK)).expect("writable");
            let refused = Lock::take(&directory).expect_err("a link");
            let is_link =
                |e| matches!(e, DirectoryError::Refused { reason: UnwritableFile::Link, .. });
            assert!(is_link(refused));
            Lock::check_free(&directory).expect("it is not a lock");
            fs::remove_file(directory.join(LOCK)).expect("there");
        }
        assert!(fs::read_to_string(&precious).expect("there").starts_with("process: 1\n"));
        assert!(!nowhere.exists());
    }

    /// Several threads take and release the lock at the same time; at any time, at most one of them holds the lock.
    #[test]
    fn never_two_have_it() {
        use std::sync::atomic::{AtomicU32, Ordering};
        let directory = tempfile::tempdir().expect("a temporary directory");
        let (holders, num_taken) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let Ok(lock) = Lock::take(directory.path()) else { continue };
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                        num_taken.fetch_add(1, Ordering::SeqCst);
                        std::thread::yield_now();
                        holders.fetch_sub(1, Ordering::SeqCst);
                        drop(lock);
                    }
                });
            }
        });
        assert!(num_taken.into_inner() > 0);
    }
}
