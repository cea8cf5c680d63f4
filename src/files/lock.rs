//! One directory, one program: a lock that says who holds it.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use super::atomic::unwritable;
use super::error::DirectoryError;
use super::holder::Holder;

/// The file in a directory that the program at work there has locked. It is there only as long as the program, or for
/// ever if the program is killed: what counts is the lock of the operating system, which ends with the program.
pub(crate) const LOCK: &str = ".lock";

/// The right to write into a directory, as long as it lives.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    /// Nothing on a file system without locks.
    file: Option<File>,
}

impl Lock {
    /// Takes the lock of a directory. What a killed program has left behind is taken over.
    ///
    /// # Errors
    ///
    /// When another program has it, or nothing can be written there.
    pub(crate) fn take(directory: &Path) -> Result<Lock, DirectoryError> {
        Self::take_file(directory.join(LOCK), directory)
    }

    /// Takes a lock that is a file of its own, on something that is called `what` where it is in use. What a killed program
    /// has left behind is taken over.
    ///
    /// # Errors
    ///
    /// When another program has it, or the file cannot be written.
    pub(crate) fn take_file(path: PathBuf, what: &Path) -> Result<Lock, DirectoryError> {
        loop {
            let mut options = File::options();
            let file = options.read(true).write(true).create(true).truncate(false).open(&path);
            let mut file = file.map_err(unwritable(&path))?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => {
                    write(&mut file).map_err(unwritable(&path))?;
                    return Ok(Lock { path, file: Some(file) });
                }
                // Its holder has removed the file between the two lines above: the lock is worth nothing.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(DirectoryError::InUse {
                        path: what.into(),
                        holder: read(&mut file),
                    });
                }
                // Some file systems have no locks; they must do without.
                Err(TryLockError::Error(_)) => {
                    write(&mut file).map_err(unwritable(&path))?;
                    return Ok(Lock { path, file: None });
                }
            }
        }
    }

    /// Checks that no program has the lock of a directory, and does not take it. Another program that asks at the same
    /// time is not disturbed.
    ///
    /// # Errors
    ///
    /// When a program has it.
    pub(crate) fn check_free(directory: &Path) -> Result<(), DirectoryError> {
        // Where there is no file, or none that may be read, there is no program to wait for.
        let Ok(mut file) = File::open(directory.join(LOCK)) else { return Ok(()) };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => {
                Err(DirectoryError::InUse { path: directory.into(), holder: read(&mut file) })
            }
            Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        }
    }

    /// Whether other programs are kept away; not so on a file system without locks.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.file.is_some()
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Before the lock ends: the next holder makes a file of its own.
        let _ = fs::remove_file(&self.path);
    }
}

/// Notes who has the lock.
fn write(file: &mut File) -> io::Result<()> {
    let text = serde_yaml::to_string(&Holder::new()).expect("plain data can be written as YAML");
    file.set_len(0)?;
    file.write_all(text.as_bytes())
}

/// The holder of the lock, unless that has had no time to say so.
fn read(file: &mut File) -> Option<Holder> {
    const MAX_BYTES: u64 = 1 << 12;
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    serde_yaml::from_str(&text).ok()
}

/// Whether the open file is still the one of this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let of = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => of(open) == of(named),
        _ => false,
    }
}

/// A file that is open cannot be removed there.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_program_is_told_about_the_first() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        let lock = Lock::take(path).expect("nobody is there");
        assert!(lock.is_exclusive());
        let refused = Lock::take(path).expect_err("in use").to_string();
        let expected = format!("{} is in use by process {}", path.display(), std::process::id());
        assert!(refused.starts_with(&expected), "{refused}");
        assert!(refused.contains(" since 20"), "{refused}");
        drop(lock);
        assert_eq!(fs::read_dir(path).expect("there").count(), 0);
        drop(Lock::take(path).expect("nobody is there any more"));
    }

    #[test]
    fn asking_takes_nothing() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        Lock::check_free(path).expect("there is no file");
        fs::write(path.join(LOCK), "process: 1\nsince: 2999-01-01T00:00:00Z\n").expect("writable");
        Lock::check_free(path).expect("the program was killed");
        let lock = Lock::take(path).expect("nobody has locked it");
        let refused = Lock::check_free(path).expect_err("in use").to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        drop(lock);
        // One lock of several in a directory, by another name.
        let [one, other] = ["one.lock", "other.lock"].map(|name| path.join(name));
        let _one = Lock::take_file(one.clone(), Path::new("shard 1/2")).expect("free");
        let _other = Lock::take_file(other, Path::new("shard 2/2")).expect("another one");
        let refused = Lock::take_file(one, Path::new("shard 1/2")).expect_err("in use").to_string();
        assert!(refused.starts_with("shard 1/2 is in use by process "), "{refused}");
    }

    #[test]
    fn what_a_killed_program_leaves_is_taken_over() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join(LOCK);
        fs::write(&path, "process: 1\nsince: 2018-07-08T00:00:00Z\nand more than there will be\n")
            .expect("writable");
        let lock = Lock::take(directory.path()).expect("nobody has locked it");
        let text = fs::read_to_string(&path).expect("there");
        assert!(text.starts_with(&format!("process: {}\n", std::process::id())), "{text}");
        assert!(!text.contains("and more"), "{text}");
        drop(lock);
        assert!(!path.exists());
    }

    /// Some take and leave the lock at the same time: never two have it.
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
