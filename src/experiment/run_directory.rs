//! The files of a run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::provenance::Provenance;
use super::spec::{Experiment, ReadError};
use super::strategy_file::StrategyFile;
use crate::family::Registry;

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
    /// There is something else of this name.
    #[error("{} is not a directory", .0.display())]
    NotADirectory(PathBuf),
    /// Another program is at work on it.
    #[error("{} is in use: another program goes on with this run", .0.display())]
    InUse(PathBuf),
    /// The state of the run cannot be understood.
    #[error("cannot resume from {}: {problem}", path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
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

pub(super) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> DirectoryError {
    let path = path.into();
    move |source| DirectoryError::Unwritable { path, source }
}

/// Replaces the file at `path` by one with these contents, so that nobody ever sees half of it, even if
/// the machine loses its power.
///
/// # Errors
///
/// When the directory cannot be written to, or the disk is full; the old file is then untouched.
pub fn write_atomically(path: &Path, contents: &str) -> Result<(), DirectoryError> {
    let write = || {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // The file may be read by others, as far as the user's umask allows.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(directory.unwrap_or(Path::new(".")))?;
        file.write_all(contents.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(unwritable(path))
}

/// A directory that holds one experiment and what came of it.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: PathBuf,
    run_name: String,
}

impl RunDirectory {
    const EXPERIMENT: &str = "experiment.yaml";

    /// Makes a new directory for `experiment`, at `path`, or under `runs/` by the name of the run and the
    /// first free number.
    ///
    /// # Errors
    ///
    /// When there is something at `path` already, or nothing can be written there.
    pub fn create(
        path: Option<&Path>,
        experiment: &Experiment,
    ) -> Result<RunDirectory, DirectoryError> {
        let run_name = experiment.run_name();
        let path = match path {
            Some(path) => {
                Self::claim(path)?;
                path.to_path_buf()
            }
            None => Self::claim_default(&run_name)?,
        };
        let directory = RunDirectory { path, run_name };
        let run = directory.path.join(&directory.run_name);
        fs::create_dir(&run).map_err(unwritable(&run))?;
        directory.write_yaml(Self::EXPERIMENT, &experiment.resolved)?;
        Ok(directory)
    }

    /// The directory of a run that was begun, and its experiment.
    ///
    /// # Errors
    ///
    /// When there is no experiment, or a mistake in it.
    pub fn open(path: &Path, registry: &Registry) -> Result<(RunDirectory, Experiment), ReadError> {
        let experiment = Experiment::read(&path.join(Self::EXPERIMENT), registry)?;
        let run_name = experiment.run_name();
        Ok((RunDirectory { path: path.into(), run_name }, experiment))
    }

    /// Makes sure that `path` is a directory with nothing in it.
    fn claim(path: &Path) -> Result<(), DirectoryError> {
        fs::create_dir_all(path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                DirectoryError::NotADirectory(path.into())
            }
            _ => unwritable(path)(source),
        })?;
        let mut entries = fs::read_dir(path).map_err(unwritable(path))?;
        if entries.next().is_none() {
            return Ok(());
        }
        let holds = match path.join(Self::EXPERIMENT).exists() {
            true => "it holds an experiment",
            false => "it holds something that is not an experiment",
        };
        Err(DirectoryError::Occupied { path: path.into(), holds })
    }

    fn claim_default(run_name: &str) -> Result<PathBuf, DirectoryError> {
        let parent = Path::new("runs");
        fs::create_dir_all(parent).map_err(unwritable(parent))?;
        let mut number = 1;
        loop {
            let name = match number {
                1 => run_name.to_string(),
                _ => format!("{run_name}-{number}"),
            };
            let path = parent.join(name);
            // Whoever makes the directory owns it: two programs never share one.
            match fs::create_dir(&path) {
                Ok(()) => return Ok(path),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(unwritable(&path)(error)),
            }
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes who made the results, when and on what.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_provenance(&self, provenance: &Provenance) -> Result<(), DirectoryError> {
        self.write_yaml("provenance.yaml", provenance)
    }

    /// Writes what was learned.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_strategy(&self, strategy: &StrategyFile) -> Result<(), DirectoryError> {
        self.write_yaml(&format!("{}/strategy.yaml", self.run_name), strategy)
    }

    /// Writes a text file, such as a figure.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_text(&self, name: &str, contents: &str) -> Result<(), DirectoryError> {
        write_atomically(&self.path.join(name), contents)
    }

    /// Where the files of the run are.
    pub fn run_path(&self) -> PathBuf {
        self.path.join(&self.run_name)
    }

    fn write_yaml(&self, name: &str, value: &impl Serialize) -> Result<(), DirectoryError> {
        let text = serde_yaml::to_string(value).expect("plain data can be written as YAML");
        self.write_text(name, &text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::ExperimentSpec;
    use crate::family::Registry;

    fn experiment() -> Experiment {
        let spec = ExperimentSpec::new("war");
        Experiment::new(spec, &Registry::standard()).expect("defaults are valid")
    }

    #[test]
    fn a_directory_with_contents_is_left_alone() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("run");
        let experiment = experiment();
        RunDirectory::create(Some(&path), &experiment).expect("a new directory");
        let again = RunDirectory::create(Some(&path), &experiment);
        assert!(matches!(again, Err(DirectoryError::Occupied { .. })));

        let other = parent.path().join("other");
        fs::create_dir(&other).expect("writable");
        fs::write(other.join("thesis.tex"), "years of work").expect("writable");
        assert!(RunDirectory::create(Some(&other), &experiment).is_err());
        assert_eq!(fs::read_to_string(other.join("thesis.tex")).expect("there"), "years of work");
        assert_eq!(fs::read_dir(&other).expect("there").count(), 1);

        let file = other.join("thesis.tex");
        for path in [file.clone(), file.join("below")] {
            let refused = RunDirectory::create(Some(&path), &experiment);
            assert!(matches!(refused, Err(DirectoryError::NotADirectory(_))), "{refused:?}");
        }
    }

    #[test]
    fn files_are_replaced_whole() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("file");
        write_atomically(&path, "one").expect("writable");
        write_atomically(&path, "two").expect("writable");
        assert_eq!(fs::read_to_string(&path).expect("there"), "two");
        assert_eq!(fs::read_dir(directory.path()).expect("there").count(), 1);
        assert!(write_atomically(&directory.path().join("no/such/file"), "x").is_err());
    }
}
