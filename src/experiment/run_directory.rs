//! The files of a run.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::plan::{Plan, ReadError, fingerprint_of};
use super::portfolio_files::StudyFiles;
use super::portfolios::PoolPlan;
use super::provenance::Provenance;
use super::run_files::{Checkpoint, lock, remove_leftovers};
use super::spec::Experiment;
use super::strategy_file::StrategyFile;
use crate::family::Registry;

/// The name of the file that holds what was learned.
pub const STRATEGY: &str = "strategy.yaml";
/// The name of the file that holds the mixed strategy of a method that mixes.
pub const MIXTURE: &str = "mixture.yaml";
/// How the experiment of a directory begins: if it is changed, its results are no longer those beside it.
const FINGERPRINT: &str = "# The results beside this file are of exactly this experiment: ";
pub(super) const CHECKPOINT: &str = "checkpoint.yaml";
/// How the names of files begin that are being written.
pub(super) const UNFINISHED: &str = ".unfinished-";

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
    /// A file of a run cannot be understood.
    #[error("cannot read {}: {problem}", path.display())]
    Unreadable {
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
pub fn write_atomically(path: &Path, contents: impl AsRef<[u8]>) -> Result<(), DirectoryError> {
    let write = || {
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let mut builder = tempfile::Builder::new();
        builder.prefix(UNFINISHED);
        #[cfg(unix)]
        {
            // The file may be read by others, as far as the user's umask allows.
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let mut file = builder.tempfile_in(directory.unwrap_or(Path::new(".")))?;
        file.write_all(contents.as_ref())?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(unwritable(path))
}

/// A directory that holds one experiment and what came of it: files of its own, and a directory for each
/// run.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: PathBuf,
}

impl RunDirectory {
    const EXPERIMENT: &str = "experiment.yaml";

    /// Makes a new directory for `plan`, at `path`, or under `runs/` by its name and the first free number.
    ///
    /// # Errors
    ///
    /// When there is something at `path` already, or nothing can be written there.
    pub fn create(path: Option<&Path>, plan: &Plan) -> Result<RunDirectory, DirectoryError> {
        let path = match path {
            Some(path) => {
                Self::claim(path, plan)?;
                path.to_path_buf()
            }
            None => Self::claim_default(&plan.name())?,
        };
        let directory = RunDirectory { path };
        let text = serde_yaml::to_string(&plan.resolved).expect("an experiment is plain data");
        let text = format!("{FINGERPRINT}{}\n{text}", plan.fingerprint());
        directory.write_text(Self::EXPERIMENT, &text)?;
        Ok(directory)
    }

    /// The fingerprint of the experiment that `path` was made for, if it says so.
    fn fingerprint(path: &Path) -> Option<String> {
        let text = fs::read_to_string(path.join(Self::EXPERIMENT)).ok()?;
        let line = text.lines().next()?.strip_prefix(FINGERPRINT)?;
        Some(line.trim().into())
    }

    /// The directory of a run that was begun, and its experiment.
    ///
    /// # Errors
    ///
    /// When there is no experiment, or a mistake in it.
    pub fn open(path: &Path, registry: &Registry) -> Result<(RunDirectory, Plan), ReadError> {
        let plan = Plan::read(&path.join(Self::EXPERIMENT), registry)?;
        Ok((RunDirectory { path: path.into() }, plan))
    }

    /// Whether there is an experiment in the directory at `path`.
    pub fn is_at(path: &Path) -> bool {
        path.join(Self::EXPERIMENT).is_file()
    }

    /// Checks that all runs in the directory are of this plan.
    ///
    /// # Errors
    ///
    /// When one is not: somebody has changed the experiment.
    pub fn check_runs(&self, plan: &Plan) -> Result<(), DirectoryError> {
        if Self::fingerprint(&self.path).is_some_and(|found| found != plan.fingerprint()) {
            let problem = "it was changed after the experiment began";
            return Err(DirectoryError::Corrupt {
                path: self.path.join(Self::EXPERIMENT),
                problem: problem.into(),
            });
        }
        let unreadable = |error: io::Error| DirectoryError::Corrupt {
            path: self.path.clone(),
            problem: error.to_string(),
        };
        for entry in fs::read_dir(&self.path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_run = entry.path().join(CHECKPOINT).exists();
            if is_run && plan.runs.iter().all(|run| run.run_name() != name) {
                let problem = format!("the experiment has no run {name}, which was begun");
                return Err(DirectoryError::Corrupt {
                    path: self.path.join(Self::EXPERIMENT),
                    problem,
                });
            }
        }
        Ok(())
    }

    /// Removes what was being written when the program was killed, beside the runs.
    pub fn sweep(&self) {
        remove_leftovers(&self.path);
    }

    /// Makes sure that `path` is a directory with nothing in it.
    fn claim(path: &Path, plan: &Plan) -> Result<(), DirectoryError> {
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
        if Self::fingerprint(path).is_some_and(|found| found == plan.fingerprint()) {
            return Err(DirectoryError::Begun(path.into()));
        }
        let holds = match path.join(Self::EXPERIMENT).exists() {
            true => "it holds another experiment",
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
        self.write_yaml("provenance.yaml", provenance).map(drop)
    }

    /// Writes what was learned, in the run of this experiment, and returns the text.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_strategy(
        &self,
        experiment: &Experiment,
        strategy: &StrategyFile,
    ) -> Result<String, DirectoryError> {
        self.write_yaml(&format!("{}/{STRATEGY}", experiment.run_name()), strategy)
    }

    /// Writes the mixed strategy of the run of this experiment, and returns the text.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_mixture(
        &self,
        experiment: &Experiment,
        mixture: &StrategyFile,
    ) -> Result<String, DirectoryError> {
        self.write_yaml(&format!("{}/{MIXTURE}", experiment.run_name()), mixture)
    }

    /// Reads what was learned in a run that came to its end; nothing if the file is not there.
    ///
    /// # Errors
    ///
    /// When it is no longer what the run has written, as far as there is a checkpoint to tell.
    pub fn read_strategy(
        &self,
        experiment: &Experiment,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Option<StrategyFile>, DirectoryError> {
        let expected = checkpoint.map(|checkpoint| checkpoint.result.as_deref());
        let found = self.read_result(experiment, STRATEGY, expected)?;
        Ok(found.map(|(strategy, _)| strategy))
    }

    /// Reads the mixed strategy of a run that came to its end; nothing if the file is not there, or the run
    /// was finished without one.
    ///
    /// # Errors
    ///
    /// As [`read_strategy`](RunDirectory::read_strategy).
    pub fn read_mixture(
        &self,
        experiment: &Experiment,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Option<StrategyFile>, DirectoryError> {
        if checkpoint.is_some_and(|checkpoint| checkpoint.mixture.is_none()) {
            return Ok(None);
        }
        let expected = checkpoint.map(|checkpoint| checkpoint.mixture.as_deref());
        let found = self.read_result(experiment, MIXTURE, expected)?;
        Ok(found.map(|(mixture, _)| mixture))
    }

    /// Reads a strategy file of a run and its fingerprint, which is compared with the expected one if there is a
    /// checkpoint that has one.
    pub(super) fn read_result(
        &self,
        experiment: &Experiment,
        name: &str,
        expected: Option<Option<&str>>,
    ) -> Result<Option<(StrategyFile, String)>, DirectoryError> {
        let path = self.run_path(experiment).join(name);
        let corrupt = |problem: String| DirectoryError::Corrupt { path: path.clone(), problem };
        let text = match fs::read_to_string(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| corrupt(error.to_string()))?,
        };
        let fingerprint = fingerprint_of(&text);
        if expected.is_some_and(|expected| expected != Some(fingerprint.as_str())) {
            return Err(corrupt("it was changed after the run ended".into()));
        }
        match serde_yaml::from_str(&text) {
            Ok(file) => Ok(Some((file, fingerprint))),
            Err(error) => Err(corrupt(error.to_string())),
        }
    }

    /// Writes what was learned in all runs together.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_champion(&self, strategy: &StrategyFile) -> Result<(), DirectoryError> {
        self.write_yaml(STRATEGY, strategy).map(drop)
    }

    /// Writes a text file, such as a figure.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_text(&self, name: &str, contents: &str) -> Result<(), DirectoryError> {
        write_atomically(&self.path.join(name), contents)
    }

    /// Makes sure that no other program goes on with the experiment, as long as the file is open.
    ///
    /// # Errors
    ///
    /// When another one does.
    pub fn lock(&self) -> Result<fs::File, DirectoryError> {
        let path = self.path.join(Self::EXPERIMENT);
        let file = fs::File::open(&path).map_err(unwritable(&path))?;
        lock(&file, &self.path)?;
        Ok(file)
    }

    /// The files of the study of a pool.
    pub fn study(&self, pool: &PoolPlan) -> StudyFiles {
        StudyFiles::at(self.path.join(&pool.name))
    }

    /// Where the files of a run are.
    pub fn run_path(&self, experiment: &Experiment) -> PathBuf {
        self.path.join(experiment.run_name())
    }

    /// Where the strategy is that a run learned.
    pub fn strategy_path(&self, experiment: &Experiment) -> PathBuf {
        self.run_path(experiment).join(STRATEGY)
    }

    fn write_yaml(&self, name: &str, value: &impl Serialize) -> Result<String, DirectoryError> {
        let text = serde_yaml::to_string(value).expect("plain data can be written as YAML");
        self.write_text(name, &text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::ExperimentSpec;
    use crate::family::Registry;

    fn plan() -> Plan {
        let spec = ExperimentSpec::new("war");
        Plan::new(spec, &Registry::standard()).expect("defaults are valid")
    }

    #[test]
    fn a_directory_with_contents_is_left_alone() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("run");
        let plan = plan();
        RunDirectory::create(Some(&path), &plan).expect("a new directory");
        let again = RunDirectory::create(Some(&path), &plan);
        assert!(matches!(again, Err(DirectoryError::Begun(_))), "{again:?}");
        let spec = ExperimentSpec { seed: 2, ..ExperimentSpec::new("war") };
        let different = Plan::new(spec, &Registry::standard()).expect("valid");
        let refused = RunDirectory::create(Some(&path), &different);
        assert!(matches!(refused, Err(DirectoryError::Occupied { .. })), "{refused:?}");

        let other = parent.path().join("other");
        fs::create_dir(&other).expect("writable");
        fs::write(other.join("thesis.tex"), "years of work").expect("writable");
        assert!(RunDirectory::create(Some(&other), &plan).is_err());
        assert_eq!(fs::read_to_string(other.join("thesis.tex")).expect("there"), "years of work");
        assert_eq!(fs::read_dir(&other).expect("there").count(), 1);

        let file = other.join("thesis.tex");
        for path in [file.clone(), file.join("below")] {
            let refused = RunDirectory::create(Some(&path), &plan);
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
