//! The files of a run.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::Serialize;

use super::checkpoint::{CHECKPOINT, Checkpoint, MIXTURE, STRATEGY, check_unpublished};
use super::finished::{check_vouched, write_finished};
use super::provenance::{PROVENANCE, Provenance};
use super::published::PublishedRuns;
use super::references;
use super::shared::{SHARED, SharedFiles};
use super::strategy::ContestantError;
use super::strategy::StrategyFile;
use crate::files::{
    DirectoryError, LOCK, Lock, UNFINISHED, YamlSource, create_atomically, fingerprint,
    fingerprint_of, reading, remove_leftovers, unwritable, write_atomically,
};
use crate::lab::plan::{Plan, ReadError, VOUCHED};
use crate::lab::round_robin::RoundRobinFiles;
use crate::lab::seed_study::{PoolPlan, StudyFiles};
use crate::lab::spec::run::Experiment;
use crate::registry::Registry;

/// The fingerprint in the first line of an experiment, and the text that it vouches for.
fn vouched(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(VOUCHED)?.split_once('\n')
}

/// A directory that holds one experiment and what came of it: files of its own, and a directory for each
/// run.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: PathBuf,
    /// Keeps other programs away as long as it lives; none if the directory is only read.
    lock: Option<Arc<Lock>>,
    /// What came of the runs, if they have no directories of their own.
    published: Option<Arc<PublishedRuns>>,
    /// Whether the directories of runs are in directories of families and methods.
    is_grouped: bool,
    /// Time between two checkpoints of a run, at least.
    checkpoint_every: Duration,
}

/// With more runs their directories are grouped by families and methods: a directory of thousands is slow to list, and on
/// some file systems to write to. With these there is room for tables and figures below 1,000 entries.
const MOST_FLAT: usize = 900;
/// Where grouped directories of runs are.
const RUN_DIRECTORIES: &str = "runs";
/// Iterations may take a hundredth of what it takes to write them: several are then written together, and
/// whoever kills the program loses so much of its work at most, beside the iteration in progress.
const CHECKPOINT_EVERY: Duration = Duration::from_millis(20);

/// Lets `latest` in the directory of runs lead to the newest one. It is a convenience: whatever else has that name stays,
/// and an error is no reason not to run.
fn link_latest(parent: &Path, newest: &Path) {
    #[cfg(unix)]
    {
        let (latest, name) = (parent.join(LATEST), newest.file_name().expect("it was just made"));
        let is_ours = fs::symlink_metadata(&latest).map_or(true, |file| file.is_symlink());
        let unfinished = parent.join(format!("{UNFINISHED}{LATEST}-{}", std::process::id()));
        if is_ours && std::os::unix::fs::symlink(name, &unfinished).is_ok() {
            // In one step: another program may begin a run at the same time.
            if fs::rename(&unfinished, &latest).is_err() {
                let _ = fs::remove_file(&unfinished);
            }
        }
    }
    #[cfg(not(unix))]
    let _ = (parent, newest);
}

/// What leads to the newest run under `runs/`.
#[cfg(unix)]
const LATEST: &str = "latest";

impl RunDirectory {
    pub(super) const EXPERIMENT: &str = "experiment.yaml";

    /// Makes a new directory for `plan`, at `path`, or under `runs/` by its name and the first free number; then
    /// `runs/latest` leads to it, where there are symbolic links. No other program writes there as long as it lives.
    ///
    /// # Errors
    ///
    /// When there is something at `path` already, another program is at work there, or nothing can be written.
    pub fn create(path: Option<&Path>, plan: &Plan) -> Result<RunDirectory, DirectoryError> {
        let path = match path {
            Some(path) => {
                fs::create_dir_all(path).map_err(|source| match source.kind() {
                    io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                        DirectoryError::NotADirectory(path.into())
                    }
                    _ => unwritable(path)(source),
                })?;
                path.to_path_buf()
            }
            None => Self::create_default(&plan.name())?,
        };
        let lock = Lock::take(&path)?;
        Self::check_empty(&path, plan)?;
        remove_leftovers(&path);
        let file = path.join(Self::EXPERIMENT);
        match create_atomically(&file, &Self::text_of(plan)) {
            Ok(()) => {
                let is_grouped = plan.runs.len() > MOST_FLAT;
                Ok(RunDirectory { lock: Some(Arc::new(lock)), is_grouped, ..Self::at(path) })
            }
            // Without locks another program may have come first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Self::check_empty(&path, plan)?;
                Err(unwritable(&file)(error))
            }
            Err(error) => Err(unwritable(&file)(error)),
        }
    }

    /// The directory at `path`, of which nothing is known yet.
    fn at(path: PathBuf) -> RunDirectory {
        RunDirectory {
            path,
            lock: None,
            published: None,
            is_grouped: false,
            checkpoint_every: CHECKPOINT_EVERY,
        }
    }

    /// The text of the experiment in its directory.
    fn text_of(plan: &Plan) -> String {
        let text = serde_yaml::to_string(&plan.resolved).expect("an experiment is plain data");
        format!("{VOUCHED}{}\n{text}", plan.fingerprint())
    }

    /// The directory of `plan` at `path`, which several programs share: made if it is not there, and joined if it is of the
    /// same experiment. Each writes what nobody else does, and has locks of its own on that.
    ///
    /// # Errors
    ///
    /// When there is something else at `path`, a program has the directory for itself, or nothing can be written.
    pub fn join(path: &Path, plan: &Plan, registry: &Registry) -> Result<RunDirectory, ReadError> {
        fs::create_dir_all(path).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
                DirectoryError::NotADirectory(path.into())
            }
            _ => unwritable(path)(source),
        })?;
        let file = path.join(Self::EXPERIMENT);
        if !file.exists() {
            match Self::check_empty(path, plan) {
                Ok(()) => match create_atomically(&file, &Self::text_of(plan)) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(error) => return Err(unwritable(&file)(error).into()),
                },
                // Another one has made it just now.
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
        Ok(directory)
    }

    /// The plan in a directory that another program may be making at this moment: where files cannot appear whole, it waits a
    /// little for the rest.
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

    /// The same with another time between two checkpoints of a run, at least; 20 ms if nobody says.
    #[must_use]
    pub fn with_checkpoint_every(self, checkpoint_every: Duration) -> RunDirectory {
        RunDirectory { checkpoint_every, ..self }
    }

    /// Time between two checkpoints of a run, at least.
    pub(in crate::lab) fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every
    }

    /// The directory of an experiment that was begun, to read from, and the experiment.
    ///
    /// # Errors
    ///
    /// When there is no experiment, or not the one that was begun.
    pub fn open(path: &Path, registry: &Registry) -> Result<(RunDirectory, Plan), ReadError> {
        let mut directory = Self::at(path.into());
        let plan = directory.read_plan(registry)?;
        Ok((directory, plan))
    }

    /// The directory of an experiment that was begun, to write into, and the experiment. No other program writes
    /// there as long as it lives.
    ///
    /// # Errors
    ///
    /// As [`open`](RunDirectory::open), and when another program is at work there.
    pub fn reopen(path: &Path, registry: &Registry) -> Result<(RunDirectory, Plan), ReadError> {
        // A lock is put only where it belongs.
        if !Self::is_at(path) {
            return Self::open(path, registry);
        }
        let lock = Some(Arc::new(Lock::take(path)?));
        let mut directory = RunDirectory { lock, ..Self::at(path.into()) };
        // Those that share the directory see the lock above, or are seen here.
        directory.shared().check_unused()?;
        remove_leftovers(path);
        let plan = directory.read_plan(registry)?;
        Ok((directory, plan))
    }

    /// Whether other programs are kept from writing there; not so on file systems without locks, nor if it is
    /// only read.
    pub fn is_exclusive(&self) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.is_exclusive())
    }

    /// Whether the experiment is published: its runs have no directories of their own.
    pub fn is_published(&self) -> bool {
        self.published.is_some()
    }

    pub(super) fn published(&self) -> Option<&PublishedRuns> {
        self.published.as_deref()
    }

    /// Whether there is an experiment in the directory at `path`.
    pub fn is_at(path: &Path) -> bool {
        path.join(Self::EXPERIMENT).is_file()
    }

    /// The experiment, if it is the one that was begun, and all runs in the directory are of it.
    fn read_plan(&mut self, registry: &Registry) -> Result<Plan, ReadError> {
        let path = self.path.join(Self::EXPERIMENT);
        if !path.exists() {
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
        let plan = Plan::parse(&source, registry)?;
        let unreadable = |error: io::Error| DirectoryError::Unreadable {
            path: self.path.clone(),
            problem: error.to_string(),
        };
        let names: HashSet<String> = plan.runs.iter().map(Experiment::run_name).collect();
        let mut has_flat = false;
        for entry in fs::read_dir(&self.path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_run = entry.path().join(CHECKPOINT).exists();
            if is_run && !names.contains(&name) {
                let problem = format!("the experiment has no run {name}, which was begun");
                return Err(corrupt(problem).into());
            }
            has_flat |= is_run;
        }
        // Earlier versions did not group them.
        self.is_grouped = plan.runs.len() > MOST_FLAT && !has_flat;
        let has_files = |run: &Experiment| self.run_path(run).exists();
        self.published = PublishedRuns::read(&self.path, &plan, has_files)?.map(Arc::new);
        Ok(plan)
    }

    /// Checks that nothing is there, but for what a program leaves that was killed before it began.
    fn check_empty(path: &Path, plan: &Plan) -> Result<(), DirectoryError> {
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

    fn create_default(run_name: &str) -> Result<PathBuf, DirectoryError> {
        let parent = Path::new("runs");
        fs::create_dir_all(parent).map_err(unwritable(parent))?;
        let mut number = 1;
        loop {
            let name = match number {
                1 => run_name.to_string(),
                _ => format!("{run_name}-{number}"),
            };
            let path = parent.join(name);
            // Two programs never make the same one.
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
        write_yaml(&self.path.join(PROVENANCE), provenance).map(drop)
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
        write_yaml(&self.run_path(experiment).join(STRATEGY), strategy)
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
        write_yaml(&self.run_path(experiment).join(MIXTURE), mixture)
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
        let expected = checkpoint.map(Checkpoint::strategy);
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
        let expected = checkpoint.map(Checkpoint::mixture);
        if expected == Some(None) {
            return Ok(None);
        }
        let found = self.read_result(experiment, MIXTURE, expected)?;
        Ok(found.map(|(mixture, _)| mixture))
    }

    /// Reads a strategy file of a run and its fingerprint, which is compared with the expected one if there is a
    /// checkpoint that has one.
    pub(in crate::lab) fn read_result(
        &self,
        experiment: &Experiment,
        name: &str,
        expected: Option<Option<&str>>,
    ) -> Result<Option<(StrategyFile, String)>, DirectoryError> {
        let path = self.run_path(experiment).join(name);
        let unreadable =
            |problem: String| DirectoryError::Unreadable { path: path.clone(), problem };
        let source = match YamlSource::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            source => source.map_err(|error| unreadable(error.to_string()))?,
        };
        let fingerprint = fingerprint_of(&source.text);
        if expected.is_some_and(|expected| expected != Some(fingerprint.as_str())) {
            return Err(DirectoryError::Changed(path));
        }
        match source.parse() {
            Ok(file) => Ok(Some((file, fingerprint))),
            Err(error) => Err(unreadable(error.message)),
        }
    }

    /// Checks that no run would be begun in the place of published results.
    ///
    /// # Errors
    ///
    /// When a run has results and no checkpoint.
    pub fn check_unpublished(&self, plan: &Plan) -> Result<(), DirectoryError> {
        if self.is_published() {
            return Err(DirectoryError::Published(self.path.clone()));
        }
        for experiment in &plan.runs {
            let run = self.run_path(experiment);
            if !run.join(CHECKPOINT).exists() {
                check_unpublished(&run)?;
            }
        }
        Ok(())
    }

    /// Writes what came of all runs together, by the names of the files, and what vouches for them.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_finale(&self, files: &[(&str, String)]) -> Result<(), DirectoryError> {
        write_finished(&self.path, files)
    }

    /// Reads a file of those that [`write_finale`](RunDirectory::write_finale) has written; nothing if it is not there.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or was changed.
    pub fn read_finale(&self, name: &str) -> Result<Option<String>, DirectoryError> {
        const MAX_BYTES: u64 = 16 << 20;
        let path = self.path.join(name);
        let text = match reading::read_text(&path, MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| DirectoryError::Unreadable {
                path: path.clone(),
                problem: error.to_string(),
            })?,
        };
        check_vouched(&path, &text)?;
        Ok(Some(text))
    }

    /// Writes a text file, such as a figure.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write_text(&self, name: &str, contents: &str) -> Result<(), DirectoryError> {
        write_atomically(&self.path.join(name), contents)
    }

    /// The files of the study of a pool.
    pub fn study(&self, pool: &PoolPlan) -> StudyFiles {
        StudyFiles::at(self.path.join(&pool.name))
    }

    /// The files of a round robin.
    pub fn round_robin(&self) -> RoundRobinFiles {
        RoundRobinFiles::at(&self.path)
    }

    /// Where the files of a run are.
    pub fn run_path(&self, experiment: &Experiment) -> PathBuf {
        let [family, method] = &experiment.labels;
        match self.is_grouped {
            true => self
                .path
                .join(RUN_DIRECTORIES)
                .join(family)
                .join(method)
                .join(experiment.run_name()),
            false => self.path.join(experiment.run_name()),
        }
    }

    /// Whether programs that share the directory have left parts of results there, which are to be put together.
    pub fn is_shared(&self) -> bool {
        self.shared().is_there()
    }

    /// What programs write that share the directory.
    pub(in crate::lab) fn shared(&self) -> SharedFiles {
        SharedFiles::at(&self.path)
    }

    /// The checkpoint of a run, if it was begun.
    ///
    /// # Errors
    ///
    /// When it was changed, is of another version or experiment, or no checkpoint at all.
    pub fn checkpoint(
        &self,
        experiment: &Experiment,
    ) -> Result<Option<Checkpoint>, DirectoryError> {
        let path = self.run_path(experiment).join(CHECKPOINT);
        let Some(checkpoint) = Checkpoint::read_at(&path)? else { return Ok(None) };
        if checkpoint.experiment != fingerprint(&experiment.resolved) {
            let problem = "it is of another experiment than the experiment.yaml above it".into();
            return Err(DirectoryError::Corrupt { path, problem });
        }
        Ok(Some(checkpoint))
    }

    /// Whether there is something of a run.
    pub fn has_begun(&self, experiment: &Experiment) -> bool {
        match self.published() {
            Some(published) => published.strategy(experiment).is_some(),
            None => self.run_path(experiment).exists(),
        }
    }

    /// What a run has found, from a file of its own or from what is published; nothing if it has found nothing yet. A
    /// run that was interrupted may have.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, was changed, or does not suit its family.
    pub fn learned(
        &self,
        experiment: &Experiment,
    ) -> Result<Option<StrategyFile>, ContestantError> {
        if let Some(published) = self.published() {
            return Ok(published.strategy(experiment).cloned());
        }
        let path = self.strategy_path(experiment);
        if !path.is_file() {
            return Ok(None);
        }
        let file = StrategyFile::read(&path)?;
        file.checked(&path, experiment.family.as_ref()).map(Some)
    }

    /// The champion of a run of a published experiment.
    pub(in crate::lab) fn published_strategy(&self, run: &Experiment) -> Option<&StrategyFile> {
        self.published()?.strategy(run)
    }

    /// Writes the scores of champions against reference strategies beside the results.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub(in crate::lab) fn write_references(
        &self,
        plan: &Plan,
        scores: &references::Scores,
    ) -> Result<(), DirectoryError> {
        self.write_text(references::REFERENCES, &references::text(plan, scores))
    }

    /// Where the strategy is that a run learned.
    pub fn strategy_path(&self, experiment: &Experiment) -> PathBuf {
        self.run_path(experiment).join(STRATEGY)
    }
}

fn write_yaml(path: &Path, value: &impl Serialize) -> Result<String, DirectoryError> {
    let text = serde_yaml::to_string(value).expect("plain data can be written as YAML");
    write_atomically(path, &text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::spec::run::ExperimentSpec;
    use crate::registry::Registry;

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
