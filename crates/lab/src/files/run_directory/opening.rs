//! Creates, joins and reopens directories of experiments.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use ruse_base::files::{
    DirectoryError, LOCK, Lock, ReadError, Result, UNFINISHED, YamlSource, create_atomically,
    fingerprint_of, reading, remove_leftovers, sync_directory, unwritable,
};
use ruse_registry::Registry;

use super::RunDirectory;
use crate::files::checkpoint::CHECKPOINT;
use crate::files::finished::{FINISHED, Finished, read_descriptions, write_descriptions};
use crate::files::published::PublishedRuns;
use crate::files::shared::SHARED;
use crate::language::run::Experiment;
use crate::plan::{Plan, VOUCHED};

/// The maximum number of runs without directories grouped by family and method. It keeps the directory below 1,000
/// entries, including tables and figures. Directories with thousands of entries are slow to list and, on some file
/// systems, slow to write to.
const MAX_FLAT: usize = 900;

/// Splits an experiment file into the fingerprint in its first line, and the rest, for which the fingerprint vouches.
fn vouched(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(VOUCHED)?.split_once('\n')
}

/// Creates a directory and those above it, if they are missing.
fn make(path: &Path) -> Result {
    fs::create_dir_all(path).map_err(|source| match source.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            DirectoryError::NotADirectory(path.into())
        }
        _ => unwritable(path)(source),
    })
}

/// Creates the link `latest`, in the directory of runs, to the newest run. Errors are ignored, because the link is only
/// a convenience. A file named `latest` is kept unless it is a link.
fn link_latest(parent: &Path, newest: &Path) {
    #[cfg(unix)]
    {
        let (latest, name) = (parent.join(LATEST), newest.file_name().expect("it was just made"));
        let is_ours = fs::symlink_metadata(&latest).map_or(true, |file| file.is_symlink());
        let unfinished = parent.join(format!("{UNFINISHED}{LATEST}-{}", std::process::id()));
        if is_ours && std::os::unix::fs::symlink(name, &unfinished).is_ok() {
            // The link is replaced in one step, because another program may begin a run at the same time.
            if fs::rename(&unfinished, &latest).is_err() {
                let _ = fs::remove_file(&unfinished);
            }
        }
    }
    #[cfg(not(unix))]
    let _ = (parent, newest);
}

#[cfg(unix)]
const LATEST: &str = "latest";

impl RunDirectory {
    /// Creates a new directory for `plan` at `path`. Without a path, creates it under `runs/`, named after the plan and
    /// the first free number; `runs/latest` then links to it, if the system has symbolic links. Until the returned
    /// value is dropped, no other program can write into the directory.
    ///
    /// # Errors
    ///
    /// Returns an error if `path` is not empty, if another program is working there, or if the directory cannot be
    /// written to.
    pub fn create(path: Option<&Path>, plan: &Plan) -> Result<RunDirectory> {
        let Some(path) = path else { return Self::create_under(Path::new("runs"), plan) };
        make(path)?;
        Self::begin(path.into(), plan)
    }

    /// Creates a new directory for `plan` under `parent`, and writes the experiment into it. `parent` is created if it
    /// does not exist.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be created or written to.
    pub fn create_under(parent: &Path, plan: &Plan) -> Result<RunDirectory> {
        Self::begin(Self::make_under(parent, &plan.name())?, plan)
    }

    /// Writes the experiment into an empty directory.
    fn begin(path: PathBuf, plan: &Plan) -> Result<RunDirectory> {
        let lock = Lock::take(&path)?;
        Self::check_empty(&path, plan)?;
        remove_leftovers(&path);
        let file = path.join(Self::EXPERIMENT);
        let experiment: Arc<str> = Self::text_of(plan).into();
        if let Err(error) = create_atomically(&file, experiment.as_bytes()) {
            // Without locks, another program may have begun first.
            if error.kind() == io::ErrorKind::AlreadyExists {
                Self::check_empty(&path, plan)?;
            }
            return Err(unwritable(&file)(error));
        }
        for directory in path.ancestors().take(2) {
            sync_directory(directory)?;
        }
        let is_grouped = plan.runs.len() > MAX_FLAT;
        let (lock, seal) = (Some(Arc::new(lock)), plan.fingerprint());
        write_descriptions(&path, &seal, plan.descriptions())?;
        Ok(RunDirectory { lock, seal, experiment, is_grouped, ..Self::at(path) })
    }

    /// Returns the text of the experiment file, beginning with its fingerprint.
    fn text_of(plan: &Plan) -> String {
        let text = serde_yaml::to_string(&plan.resolved).expect("an experiment is plain data");
        format!("{VOUCHED}{}\n{text}", plan.fingerprint())
    }

    /// Opens the directory of `plan` at `path`, which several programs may share. Creates the directory if it does not
    /// exist; joins it if it belongs to the same experiment. Each program writes its own files, under its own locks.
    ///
    /// # Errors
    ///
    /// Returns an error if `path` contains anything other than this experiment, if a program uses the directory
    /// exclusively, or if the directory cannot be written to.
    pub fn join(path: &Path, plan: &Plan, registry: &Registry) -> Result<RunDirectory, ReadError> {
        make(path)?;
        let file = path.join(Self::EXPERIMENT);
        if !file.exists() {
            match Self::check_empty(path, plan) {
                Ok(()) => match create_atomically(&file, Self::text_of(plan).as_bytes()) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(unwritable(&file)(error).into()),
                },
                // Another program has just begun the experiment.
                Err(DirectoryError::Begun(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let mut directory = Self::at(path.into());
        let found = directory.read_shared_plan(registry)?;
        if found.fingerprint() != plan.fingerprint() {
            let holds = "it holds another experiment";
            return Err(DirectoryError::Occupied { path: path.into(), holds }.into());
        }
        Lock::check_free(path)?;
        write_descriptions(path, directory.seal(), plan.descriptions())?;
        Ok(directory)
    }

    /// Reads the plan in a directory that another program may be creating. On a file system that cannot create files
    /// atomically, waits briefly for the rest of the file.
    fn read_shared_plan(&mut self, registry: &Registry) -> Result<Plan, ReadError> {
        const PATIENCE: Duration = Duration::from_secs(2);
        const PAUSE: Duration = Duration::from_millis(50);
        let started = Instant::now();
        loop {
            match self.read_plan(registry) {
                Err(ReadError::Directory(DirectoryError::Corrupt { .. }))
                    if started.elapsed() < PATIENCE =>
                {
                    std::thread::sleep(PAUSE);
                }
                plan => return plan,
            }
        }
    }

    /// Opens the directory of an existing experiment for reading.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory contains no experiment, or the experiment was changed.
    pub fn open(path: &Path, registry: &Registry) -> Result<(RunDirectory, Plan), ReadError> {
        let mut directory = Self::at(path.into());
        let plan = directory.read_plan(registry)?;
        Ok((directory, plan))
    }

    /// Opens the directory of an existing experiment for writing. Until the returned value is dropped, no other program
    /// can write into the directory.
    ///
    /// # Errors
    ///
    /// Same as [`open`](RunDirectory::open); also returns an error if another program is working there.
    pub fn reopen(path: &Path, registry: &Registry) -> Result<(RunDirectory, Plan), ReadError> {
        // Only the directories of experiments are locked.
        if !Self::is_at(path) {
            return Self::open(path, registry);
        }
        let lock = Some(Arc::new(Lock::take(path)?));
        let mut directory = RunDirectory { lock, ..Self::at(path.into()) };
        // A program that shares the directory either finds the lock, or is found here.
        directory.shared().check_unused()?;
        remove_leftovers(path);
        let plan = directory.read_plan(registry)?;
        // Earlier versions did not write the descriptions.
        write_descriptions(path, directory.seal(), plan.descriptions())?;
        Ok((directory, plan))
    }

    /// Reads the experiment. Checks that it was not changed, and that all runs in the directory belong to it.
    fn read_plan(&mut self, registry: &Registry) -> Result<Plan, ReadError> {
        let path = self.path.join(Self::EXPERIMENT);
        if !reading::is_there(&path)? {
            let at = self.path.clone();
            return Err(match (at.is_dir(), at.exists()) {
                (true, _) => DirectoryError::NotBegun(at),
                (false, true) => DirectoryError::NotADirectory(at),
                (false, false) => DirectoryError::NotThere(at),
            }
            .into());
        }
        let source = YamlSource::read(&path)
            .map_err(|source| ReadError::Unreadable { path: path.clone(), source })?;
        let corrupt = |problem: String| DirectoryError::Corrupt { path: path.clone(), problem };
        let Some((fingerprint, text)) = vouched(&source.text) else {
            let problem =
                "its first line is not the one that was written when the experiment began";
            return Err(corrupt(problem.into()).into());
        };
        if fingerprint_of(text) != fingerprint {
            return Err(corrupt("it was changed after the experiment began".into()).into());
        }
        self.seal = fingerprint.into();
        let descriptions = read_descriptions(&self.path, &self.seal)?;
        registry.describe(&descriptions).map_err(|error| corrupt(error.to_string()))?;
        self.experiment = source.text.as_str().into();
        let plan = Plan::parse(&source, registry)?;
        let unreadable = |error: io::Error| DirectoryError::unreadable(&self.path, error);
        let names: HashSet<String> = plan.runs.iter().map(Experiment::run_name).collect();
        let mut has_flat = false;
        for entry in fs::read_dir(&self.path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_run = reading::is_there(&entry.path().join(CHECKPOINT))?;
            if is_run && !names.contains(&name) {
                let problem = format!("the experiment has no run {name}, which was begun");
                return Err(corrupt(problem).into());
            }
            has_flat |= is_run;
        }
        // Earlier versions did not group the directories of runs.
        self.is_grouped = plan.runs.len() > MAX_FLAT && !has_flat;
        let has_files = |run: &Experiment| reading::is_there(&self.run_path(run));
        let published = PublishedRuns::read(&self.path, &self.seal, &plan, has_files)?;
        self.published = published.map(Arc::new);
        if self.published.is_some() {
            let list = Finished::read_of(&self.path, &self.seal)?.filter(Finished::is_published);
            let list = list.ok_or_else(|| {
                let problem = "it does not list the files that are published";
                DirectoryError::unreadable(&self.path.join(FINISHED), problem)
            })?;
            list.check_all(&self.path)?;
        }
        self.is_published = self.published.is_some() || plan.study.kind().is_published(self)?;
        Ok(plan)
    }

    /// Checks that the directory is empty, except for leftovers of a program that was killed before it began the
    /// experiment.
    fn check_empty(path: &Path, plan: &Plan) -> Result {
        let is_leftover =
            |name: &str| [LOCK, SHARED].contains(&name) || name.starts_with(UNFINISHED);
        let mut is_empty = true;
        for entry in fs::read_dir(path).map_err(unwritable(path))? {
            let entry = entry.map_err(unwritable(path))?;
            is_empty &= is_leftover(&entry.file_name().to_string_lossy());
        }
        if is_empty {
            return Ok(());
        }
        let experiment = path.join(Self::EXPERIMENT);
        let found = YamlSource::read(&experiment).ok();
        let found = found.as_ref().and_then(|source| vouched(&source.text));
        if found.is_some_and(|(fingerprint, _)| fingerprint == plan.fingerprint()) {
            return Err(DirectoryError::Begun(path.into()));
        }
        let holds = match experiment.exists() {
            true => "it holds another experiment",
            false => "it holds something that is not an experiment",
        };
        Err(DirectoryError::Occupied { path: path.into(), holds })
    }

    /// Makes a new directory, `parent/run_name`, with a number at its end if there is one of this name.
    ///
    /// # Errors
    ///
    /// Returns an error if the directory cannot be made.
    pub fn make_under(parent: &Path, run_name: &str) -> Result<PathBuf> {
        fs::create_dir_all(parent).map_err(unwritable(parent))?;
        let mut number = 1;
        loop {
            let name = if number == 1 { run_name.into() } else { format!("{run_name}-{number}") };
            let path = parent.join(name);
            // Only one program can create a directory with this name.
            match fs::create_dir(&path) {
                Ok(()) => {
                    link_latest(parent, &path);
                    return Ok(path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => number += 1,
                Err(error) => return Err(unwritable(&path)(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::plan;

    #[test]
    fn a_directory_with_contents_is_left_alone() {
        let parent = tempfile::tempdir().expect("a temporary directory");
        let path = parent.path().join("run");
        let plan = plan("family: war").expect("valid");
        RunDirectory::create(Some(&path), &plan).expect("a new directory");
        let again = RunDirectory::create(Some(&path), &plan);
        assert!(matches!(again, Err(DirectoryError::Begun(_))), "{again:?}");

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
}
