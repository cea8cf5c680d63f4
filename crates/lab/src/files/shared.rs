//! The files of programs that share the directory of an experiment: locks, parts of tables, and provenance.
//!
//! The files are in one hidden directory, which is removed when the experiment is finished. Runs have their usual
//! directories.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ruse_base::files::{
    DirectoryError, Lock, Result, YamlSource, make_directory, unwritable, write_atomically,
};
use serde::Serialize;

use super::provenance::ShareProvenance;

pub(crate) const SHARED: &str = ".shards";
const LOCKS: &str = "locks";
const PARTS: &str = "parts";
const PROVENANCES: &str = "provenance";

/// The shared files of an experiment.
#[derive(Debug, Clone)]
pub(crate) struct SharedFiles {
    directory: PathBuf,
    path: PathBuf,
}

impl SharedFiles {
    pub(crate) fn at(directory: &Path) -> SharedFiles {
        SharedFiles { directory: directory.into(), path: directory.join(SHARED) }
    }

    pub(crate) fn is_there(&self) -> bool {
        self.path.is_dir()
    }

    /// Takes the lock with this name.
    ///
    /// # Errors
    ///
    /// Returns an error if another program holds the lock, or the lock file cannot be written.
    pub(crate) fn lock(&self, name: &str, what: &str) -> Result<Lock> {
        /// The maximum number of attempts to create the lock file. An attempt fails if another program has just removed
        /// the empty directory of locks.
        const MAX_TRIES: u32 = 100;
        let locks = self.path.join(LOCKS);
        let mut num_tries = 0;
        loop {
            num_tries += 1;
            let file = locks.join(format!("{name}.lock"));
            let made = make_directory(&self.directory, &locks);
            match made.and_then(|()| Lock::take_file(file, Path::new(what))) {
                Err(DirectoryError::Unwritable { source, .. })
                    if source.kind() == io::ErrorKind::NotFound && num_tries < MAX_TRIES => {}
                taken => return taken,
            }
        }
    }

    /// Checks that no program works in the directory, and removes the locks of killed programs.
    ///
    /// # Errors
    ///
    /// Returns an error if a program holds a lock, or the directory of locks is a link.
    pub(crate) fn check_unused(&self) -> Result {
        let locks = self.path.join(LOCKS);
        if !locks.exists() {
            return Ok(());
        }
        make_directory(&self.directory, &locks)?;
        let Ok(entries) = fs::read_dir(&locks) else { return Ok(()) };
        for entry in entries.flatten() {
            // If this program takes the lock, it removes the file when it drops the lock. After another error, the file
            // has just been removed or is not writable, so the holder is unknown.
            let taken = Lock::take_file(entry.path(), &self.directory);
            if let Err(error @ DirectoryError::InUse { .. }) = taken {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Returns the path of a part of a table, in the directory of this family.
    pub(crate) fn part(&self, family: &str, name: &str) -> PathBuf {
        self.path.join(PARTS).join(family).join(format!("{name}.csv"))
    }

    /// Creates the directory of a part, and removes leftovers of killed programs.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be created.
    pub(crate) fn prepare(part: &Path) -> Result {
        let directory = part.parent().expect("a part is in a directory");
        let shared = part.ancestors().find(|above| above.ends_with(SHARED));
        let experiment = shared.and_then(Path::parent).expect("a part is below an experiment");
        make_directory(experiment, directory)
    }

    /// Writes the provenance of a share of the work.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub(crate) fn write_provenance(&self, name: &str, provenance: &impl Serialize) -> Result {
        let path = self.path.join(PROVENANCES).join(format!("{name}.yaml"));
        Self::prepare(&path)?;
        let text = serde_yaml::to_string(provenance).expect("plain data can be written as YAML");
        write_atomically(&path, text)
    }

    /// Copies the provenance of shares from another directory.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub(crate) fn take_provenances(&self, from: &SharedFiles) -> Result {
        for ShareProvenance { share, of } in from.provenances()? {
            self.write_provenance(&share, &of)?;
        }
        Ok(())
    }

    /// Returns the provenance of all shares, by name. Files of other kinds are ignored.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read.
    pub(crate) fn provenances(&self) -> Result<Vec<ShareProvenance>> {
        let directory = self.path.join(PROVENANCES);
        let entries = match fs::read_dir(&directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| DirectoryError::unreadable(&directory, error))?,
        };
        let mut found = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| DirectoryError::unreadable(&directory, error))?.path();
            if path.extension().is_none_or(|extension| extension != "yaml") {
                continue;
            }
            let source = YamlSource::read(&path);
            let source = source.map_err(|error| DirectoryError::unreadable(&path, error))?;
            let share = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            found.extend(source.parse().ok().map(|of| ShareProvenance { share, of }));
        }
        found.sort_by(|x, y| x.share.cmp(&y.share));
        Ok(found)
    }

    /// Removes the directory of locks, and then the hidden directory, if they are empty.
    pub(crate) fn sweep(&self) {
        // Directories that are not empty are not removed.
        let _ = fs::remove_dir(self.path.join(LOCKS));
        let _ = fs::remove_dir(&self.path);
    }

    /// Removes all shared files after they were merged into the tables.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be removed.
    pub(crate) fn remove(&self) -> Result {
        match fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(unwritable(&self.path)(error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::provenance::Provenance;

    #[test]
    fn a_program_with_a_lock_is_seen() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let shared = SharedFiles::at(directory.path());
        shared.check_unused().expect("no program is there");
        let lock = shared.lock("shard-0-of-2", "shard 0/2").expect("free");
        let refused = shared.lock("shard-0-of-2", "shard 0/2").expect_err("taken").to_string();
        assert!(refused.starts_with("shard 0/2 is in use by process "), "{refused}");
        drop(shared.lock("shard-1-of-2", "shard 1/2").expect("another one"));
        assert!(matches!(shared.check_unused(), Err(DirectoryError::InUse { .. })));
        shared.sweep();
        assert!(shared.is_there(), "a lock is in it");
        drop(lock);
        // A killed program leaves such a file behind.
        fs::write(directory.path().join(".shards/locks/x.lock"), "process: 1\n").expect("writable");
        shared.check_unused().expect("the program was killed");
        shared.sweep();
        assert!(!shared.is_there());
    }

    /// Directories of locks or parts must not be links, because files in the linked directory would be emptied and
    /// removed.
    #[cfg(unix)]
    #[test]
    fn locks_and_parts_are_not_elsewhere() {
        use std::os::unix::fs::symlink;
        let parent = tempfile::tempdir().expect("a temporary directory");
        let [precious, experiment] =
            ["precious", "experiment"].map(|name| parent.path().join(name));
        fs::create_dir(&precious).expect("writable");
        fs::create_dir_all(experiment.join(SHARED)).expect("writable");
        for (name, text) in [("empty.lock", ""), ("work", "years of it"), (".unfinished-x", "")] {
            fs::write(precious.join(name), text).expect("writable");
        }
        let is_refused = |result: Result| matches!(result, Err(DirectoryError::Refused { .. }));
        let shared = SharedFiles::at(&experiment);
        symlink(&precious, shared.path.join(LOCKS)).expect("writable");
        assert!(is_refused(shared.check_unused()));
        assert!(is_refused(shared.lock("name", "what").map(drop)));
        symlink(&precious, shared.path.join(PARTS)).expect("writable");
        assert!(is_refused(SharedFiles::prepare(&shared.part("war", "meetings"))));
        shared.remove().expect("links are removed, and not what they lead to");
        symlink(&precious, experiment.join(SHARED)).expect("writable");
        assert!(is_refused(shared.lock("name", "what").map(drop)));
        shared.remove().expect("a link");
        assert!(!shared.is_there());
        assert_eq!(fs::read_dir(&precious).expect("there").count(), 3);
    }

    #[test]
    fn provenances_are_read_as_they_were_written() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let shared = SharedFiles::at(directory.path());
        assert_eq!(shared.provenances().expect("readable"), []);
        for name in ["shard-1-of-2", "shard-0-of-2"] {
            shared.write_provenance(name, &Provenance::now(1)).expect("writable");
        }
        let found = shared.provenances().expect("readable");
        let names: Vec<_> = found.iter().map(|provenance| provenance.share.as_str()).collect();
        assert_eq!(names, ["shard-0-of-2", "shard-1-of-2"]);
        let text = serde_yaml::to_string(&found).expect("plain data");
        assert!(text.contains("- share: shard-0-of-2\n  version: "), "{text}");
        shared.remove().expect("writable");
        shared.remove().expect("nothing is there");
        assert!(!shared.is_there());
    }
}
