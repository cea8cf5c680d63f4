//! The directory of an experiment.

mod opening;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ruse_base::files::{
    DirectoryError, Lock, Result, YamlSource, fingerprint, fingerprint_of, reading,
    write_atomically,
};
use ruse_programs::Conduct;
use serde::Serialize;

use super::checkpoint::{CHECKPOINT, Checkpoint, MIXTURE, STRATEGY, check_no_results, is_lost};
use super::finished::{Finished, check_vouched, write_finished};
use super::provenance::{PROVENANCE, Provenance, ShareProvenance, mistakes_in};
use super::published::PublishedRuns;
use super::shared::SharedFiles;
use super::strategy::{ContestantError, StrategyFile};
use crate::kinds::round_robin::RoundRobinFiles;
use crate::kinds::seed_study::{PoolPlan, StudyFiles};
use crate::language::run::Experiment;
use crate::plan::Plan;

/// A directory with one experiment and its results: common files, and a directory for each run.
#[derive(Debug, Clone)]
pub struct RunDirectory {
    path: PathBuf,
    /// The fingerprint of the experiment, which seals its tables.
    seal: String,
    /// The text of the experiment file.
    experiment: Arc<str>,
    /// The lock that keeps other programs out; `None` if the directory is only read.
    lock: Option<Arc<Lock>>,
    /// The published results, which replace the directories of runs.
    published: Option<Arc<PublishedRuns>>,
    is_published: bool,
    /// True if the directories of runs are grouped by family and method.
    is_grouped: bool,
    checkpoint_every: Duration,
}

const RUN_DIRECTORIES: &str = "runs";
/// The default of `checkpoint_every`. Writing an iteration may take a hundred times as long as the iteration, so
/// several are written together. A killed program loses the iteration in progress, and the iterations that ended within
/// this time.
const CHECKPOINT_EVERY: Duration = Duration::from_millis(20);

impl RunDirectory {
    pub(super) const EXPERIMENT: &str = "experiment.yaml";

    /// Creates the value without reading the directory.
    fn at(path: PathBuf) -> RunDirectory {
        RunDirectory {
            path,
            seal: String::new(),
            experiment: "".into(),
            lock: None,
            published: None,
            is_published: false,
            is_grouped: false,
            checkpoint_every: CHECKPOINT_EVERY,
        }
    }

    /// Sets the minimum time between two checkpoints of a run; 20 ms by default.
    #[must_use]
    pub fn with_checkpoint_every(self, checkpoint_every: Duration) -> RunDirectory {
        RunDirectory { checkpoint_every, ..self }
    }

    pub(crate) fn checkpoint_every(&self) -> Duration {
        self.checkpoint_every
    }

    /// Returns `true` if other programs cannot write into the directory. Returns `false` on a file system without
    /// locks, or if the directory is only read.
    pub fn is_exclusive(&self) -> bool {
        self.lock.as_ref().is_some_and(|lock| lock.is_exclusive())
    }

    /// Returns `true` if the experiment is published: it has results, but no state to continue from.
    pub fn is_published(&self) -> bool {
        self.is_published
    }

    pub(super) fn published(&self) -> Option<&PublishedRuns> {
        self.published.as_deref()
    }

    /// Returns `true` if the directory at `path` contains an experiment.
    pub fn is_at(path: &Path) -> bool {
        path.join(Self::EXPERIMENT).is_file()
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the fingerprint in the first line of the experiment file. It seals the tables in the directory.
    pub(crate) fn seal(&self) -> &str {
        &self.seal
    }

    /// Returns the text of the experiment file, as it was read when the directory was opened.
    pub fn experiment(&self) -> &str {
        &self.experiment
    }

    /// Writes the provenance of the results.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn write_provenance(&self, provenance: &Provenance) -> Result {
        write_yaml(&self.path.join(PROVENANCE), provenance).map(drop)
    }

    /// Returns the programs that made mistakes as players, by the provenance of the results so far. Programs with the
    /// same command count as one.
    ///
    /// # Errors
    ///
    /// Returns an error if a provenance cannot be read.
    pub fn mistakes(&self) -> Result<Vec<Conduct>> {
        let shares = self.shared().provenances()?;
        let shares = shares.iter().flat_map(ShareProvenance::mistakes);
        Ok(Conduct::merged(self.mistakes_of_whole()?.into_iter().chain(shares)))
    }

    /// Returns the programs that made mistakes in work that was not shared, or in shares that were put together.
    ///
    /// # Errors
    ///
    /// Returns an error if the provenance cannot be read.
    pub(crate) fn mistakes_of_whole(&self) -> Result<Vec<Conduct>> {
        let path = self.path.join(PROVENANCE);
        let Some(text) = reading::text_if_there(&path, YamlSource::MAX_BYTES)? else {
            return Ok(Vec::new());
        };
        let provenance = YamlSource { path, text }.parse();
        Ok(provenance.map_or(Vec::new(), |provenance| mistakes_in(&provenance)))
    }

    /// Writes a strategy file of a run, [`STRATEGY`] or [`MIXTURE`], and returns the text.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub(crate) fn write_result(
        &self,
        experiment: &Experiment,
        name: &str,
        strategy: &StrategyFile,
    ) -> Result<String> {
        write_yaml(&self.run_path(experiment).join(name), strategy)
    }

    /// Reads the learned strategy of a finished run, if there is one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or was changed after the checkpoint was written.
    pub fn read_strategy(
        &self,
        experiment: &Experiment,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Option<StrategyFile>> {
        Ok(self.read_result(experiment, STRATEGY, checkpoint)?.map(|(strategy, _)| strategy))
    }

    /// Reads the mixed strategy of a finished run, if there is one.
    ///
    /// # Errors
    ///
    /// Same as [`read_strategy`](RunDirectory::read_strategy).
    pub fn read_mixture(
        &self,
        experiment: &Experiment,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Option<StrategyFile>> {
        Ok(self.read_result(experiment, MIXTURE, checkpoint)?.map(|(mixture, _)| mixture))
    }

    /// Reads a strategy file of a run, [`STRATEGY`] or [`MIXTURE`], with its fingerprint. Returns an error if this is
    /// not the fingerprint in the checkpoint, and `None` if the checkpoint has none.
    pub(super) fn read_result(
        &self,
        experiment: &Experiment,
        name: &str,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Option<(StrategyFile, String)>> {
        let expected = checkpoint.map(|checkpoint| checkpoint.result.as_ref()?.of_file(name));
        // Runs of older programs have no mixture, so an existing file does not belong to the run.
        if expected == Some(None) {
            return Ok(None);
        }
        let path = self.run_path(experiment).join(name);
        let text = reading::text_if_there(&path, YamlSource::MAX_BYTES)?;
        let Some(text) = text.filter(|text| !is_lost(text)) else { return Ok(None) };
        let source = YamlSource { path: path.clone(), text };
        let fingerprint = fingerprint_of(&source.text);
        if expected.is_some_and(|expected| expected != Some(fingerprint.as_str())) {
            return Err(DirectoryError::Changed(path));
        }
        match source.parse() {
            Ok(file) => Ok(Some((file, fingerprint))),
            Err(error) => Err(DirectoryError::unreadable(&path, error.message)),
        }
    }

    /// Checks that starting the runs of the plan would not replace results.
    ///
    /// # Errors
    ///
    /// Returns an error if the experiment is published, or a run has results but no checkpoint.
    pub fn check_unpublished(&self, plan: &Plan) -> Result {
        if self.is_published() {
            return Err(DirectoryError::Published(self.path.clone()));
        }
        let mut runs = plan.runs.iter().map(|experiment| self.run_path(experiment));
        // In an experiment with checkpoints, a run without one is reported when it is opened.
        if runs.any(|run| run.join(CHECKPOINT).exists()) {
            return Ok(());
        }
        plan.runs.iter().try_for_each(|experiment| check_no_results(&self.run_path(experiment)))
    }

    /// Writes the common results of all runs, given as names and texts, and then the list of these files with their
    /// fingerprints.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be written.
    pub fn write_finale(&self, files: &[(&str, String)]) -> Result {
        write_finished(&self.path, &self.seal, files)
    }

    /// Reads a file written by [`write_finale`](RunDirectory::write_finale), if it exists.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, or was changed.
    pub fn read_finale(&self, name: &str) -> Result<Option<String>> {
        const MAX_BYTES: u64 = 16 << 20;
        let path = self.path.join(name);
        let Some(text) = reading::text_if_there(&path, MAX_BYTES)? else { return Ok(None) };
        Finished::read_of(&self.path, &self.seal)?;
        check_vouched(&path, &text)?;
        Ok(Some(text))
    }

    /// Writes a text file, such as a figure.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn write_text(&self, name: &str, contents: &str) -> Result {
        write_atomically(&self.path.join(name), contents)
    }

    /// Returns the files of the study of a pool.
    pub fn study(&self, pool: &PoolPlan) -> StudyFiles {
        // The seal includes the name of the pool, so that files of different pools are not confused.
        let seal = fingerprint_of(format!("{}/{}", self.seal, pool.name));
        StudyFiles::of_experiment(self.path.join(&pool.name), seal)
    }

    /// Returns the files of a round robin.
    pub fn round_robin(&self) -> RoundRobinFiles {
        RoundRobinFiles::at(&self.path, &self.seal)
    }

    /// Returns the directory of a run.
    pub fn run_path(&self, experiment: &Experiment) -> PathBuf {
        let [family, method] = &experiment.labels;
        let above = match self.is_grouped {
            true => self.path.join(RUN_DIRECTORIES).join(family).join(method),
            false => self.path.clone(),
        };
        above.join(experiment.run_name())
    }

    /// Returns `true` if programs that shared the directory left parts of results to merge.
    pub fn is_shared(&self) -> bool {
        self.shared().is_there()
    }

    pub(crate) fn shared(&self) -> SharedFiles {
        SharedFiles::at(&self.path)
    }

    /// Reads the checkpoint of a run, or returns `None` if the run has not begun.
    ///
    /// # Errors
    ///
    /// Returns an error if the checkpoint was changed, is invalid, or belongs to another version or experiment.
    pub fn checkpoint(&self, experiment: &Experiment) -> Result<Option<Checkpoint>> {
        let path = self.run_path(experiment).join(CHECKPOINT);
        let Some(checkpoint) = Checkpoint::read_at(&path)? else { return Ok(None) };
        if checkpoint.experiment != fingerprint(&experiment.resolved) {
            let problem = "it is of another experiment than the experiment.yaml above it".into();
            return Err(DirectoryError::Corrupt { path, problem });
        }
        Ok(Some(checkpoint))
    }

    /// Returns `true` if a run has any files or results.
    ///
    /// # Errors
    ///
    /// Returns an error if the system does not say.
    pub fn has_begun(&self, experiment: &Experiment) -> Result<bool> {
        match self.published() {
            Some(published) => Ok(published.strategy(experiment).is_some()),
            None => reading::is_there(&self.run_path(experiment)),
        }
    }

    /// Reads the strategy of a run, from its own file or from the published files. Returns `None` if there is none yet.
    /// An interrupted run may have one.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, was changed, or does not fit its family.
    pub fn learned(&self, run: &Experiment) -> Result<Option<StrategyFile>, ContestantError> {
        if let Some(published) = self.published() {
            return Ok(published.strategy(run).cloned());
        }
        let path = self.strategy_path(run);
        if !reading::is_there(&path)? {
            return Ok(None);
        }
        StrategyFile::read(&path)?.checked(&path, run.family.as_ref()).map(Some)
    }

    pub(crate) fn published_strategy(&self, run: &Experiment) -> Option<&StrategyFile> {
        self.published()?.strategy(run)
    }

    /// Returns the path of the strategy that a run has learned.
    pub fn strategy_path(&self, experiment: &Experiment) -> PathBuf {
        self.run_path(experiment).join(STRATEGY)
    }
}

fn write_yaml(path: &Path, value: &impl Serialize) -> Result<String> {
    let text = serde_yaml::to_string(value).expect("plain data can be written as YAML");
    write_atomically(path, &text)?;
    Ok(text)
}
