//! The growing files of a run. A killed run continues where it stopped.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ruse_base::files::{
    DirectoryError, Pace, Result, Rows, fingerprint, make_directory, remove_leftovers,
    sync_directory, unwritable,
};
use ruse_optimise::methods::{IterationRecord, Resumption, SearchState};

use super::answers::{self, ANSWERS, answers_in};
use super::checkpoint::{
    CHECKPOINT, Checkpoint, MIXTURE, ResultPrints, STRATEGY, VERSION, check_no_results,
};
use super::history::{self, HISTORY};
use super::population::{self, POPULATION, strategies};
use super::run_directory::RunDirectory;
use crate::language::run::Experiment;

/// The growing files of a run: `history.csv` with one row per iteration, `population.csv` with one row per accepted
/// strategy, `answers.csv` with the answers to a program, and `checkpoint.yaml`. The checkpoint states the valid part
/// of each file, and the state from which to continue.
#[derive(Debug)]
pub struct RunFiles {
    history: Rows,
    population: Rows,
    /// The answers, if the method is an external program; `None` before the first answer.
    answers: Option<Rows>,
    num_answers: u64,
    run: PathBuf,
    experiment: String,
    /// The checkpoint on disk.
    written: Option<Checkpoint>,
    /// The newest state, unless it is on disk, with the seconds used so far if the run has a time limit.
    unwritten: Option<(SearchState, Option<f64>)>,
    /// The directory of the experiment.
    base: PathBuf,
    last_write: Instant,
    write_every: Duration,
    /// The time from which on a checkpoint waits for the disk. A shorter run is as quickly carried out again.
    sync_from: Instant,
    pace: Pace,
    /// An error to be reported by the next fallible call.
    error: Option<DirectoryError>,
}

/// The time after which a run is worth waiting for the disk before it ends.
const SYNC_AFTER: Duration = Duration::from_secs(1);

impl RunFiles {
    /// Creates the files of a run.
    ///
    /// # Errors
    ///
    /// Returns an error if the files cannot be written, or exist already.
    pub fn create(directory: &RunDirectory, experiment: &Experiment) -> Result<RunFiles> {
        let run = directory.run_path(experiment);
        make_directory(directory.path(), &run)?;
        let history = Rows::create(run.join(HISTORY), history::COLUMNS.map(String::from))?;
        let population = Rows::create(run.join(POPULATION), population::columns(experiment))?;
        Ok(RunFiles::new(directory, experiment, history, population))
    }

    fn new(
        directory: &RunDirectory,
        run: &Experiment,
        history: Rows,
        population: Rows,
    ) -> RunFiles {
        RunFiles {
            history,
            population,
            answers: None,
            num_answers: 0,
            run: directory.run_path(run),
            experiment: fingerprint(&run.resolved),
            written: None,
            unwritten: None,
            base: directory.path().into(),
            last_write: Instant::now(),
            write_every: directory.checkpoint_every(),
            sync_from: Instant::now() + SYNC_AFTER,
            pace: Pace::default(),
            error: None,
        }
    }

    /// Opens the files of a run, and returns the checkpoint and the state from which to continue. Removes everything
    /// outside the valid parts that the checkpoint states, such as an incomplete row. Without a checkpoint, the run
    /// starts from the beginning.
    ///
    /// # Errors
    ///
    /// Returns an error if the files belong to another version or experiment, or were changed. Results without a
    /// checkpoint, as after publication, are also an error, because a new start would replace them.
    pub fn open(
        directory: &RunDirectory,
        experiment: &Experiment,
    ) -> Result<(RunFiles, Option<Checkpoint>, Option<Resumption>)> {
        let run = directory.run_path(experiment);
        make_directory(directory.path(), &run)?;
        let Some(checkpoint) = directory.checkpoint(experiment)? else {
            check_no_results(&run)?;
            remove_leftovers(&run);
            for name in [HISTORY, POPULATION, ANSWERS] {
                remove(&run.join(name))?;
            }
            return Ok((RunFiles::create(directory, experiment)?, None, None));
        };
        let answers_path = run.join(ANSWERS);
        let (answer_rows, answers) = match &checkpoint.answers {
            Some(vouched) => {
                let (rows, found) = Rows::reopen(answers_path.clone(), vouched)?;
                (Some(rows), answers_in(&answers_path, found)?)
            }
            // The program was killed before it wrote a checkpoint with a fingerprint of answers.
            None => (None, remove(&answers_path).map(|()| Vec::new())?),
        };
        let population_path = run.join(POPULATION);
        let (population, found) = Rows::reopen(population_path.clone(), &checkpoint.population)?;
        let history = Rows::reopen_unread(run.join(HISTORY), &checkpoint.history)?;
        let files = RunFiles {
            answers: answer_rows,
            num_answers: answers.len() as u64,
            written: Some(checkpoint.clone()),
            sync_from: Instant::now(),
            ..RunFiles::new(directory, experiment, history, population)
        };
        remove_leftovers(&run);
        let population = strategies(&population_path, found, experiment.family.as_ref())?;
        let resumption = Resumption { state: checkpoint.state.clone(), population, answers };
        let restored = resumption.clone().method(experiment.method.as_ref());
        restored.map_err(|error| DirectoryError::Corrupt {
            path: run.join(CHECKPOINT),
            problem: error.to_string(),
        })?;
        Ok((files, Some(checkpoint), Some(resumption)))
    }

    /// Removes what a run has written, so that it begins again when it is [opened](RunFiles::open).
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be removed.
    pub fn remove(directory: &RunDirectory, experiment: &Experiment) -> Result {
        let run = directory.run_path(experiment);
        // Results without a checkpoint would be taken for a copy. The other files count only with a checkpoint.
        [STRATEGY, MIXTURE, CHECKPOINT].iter().try_for_each(|name| remove(&run.join(name)))
    }

    /// Appends one iteration, which becomes valid with the next checkpoint. Iterations between two checkpoints are
    /// written together; from then on they survive if the program is killed. `elapsed_s` is recorded for runs with a
    /// time limit.
    ///
    /// # Errors
    ///
    /// Returns an error if this iteration or an earlier one could not be written.
    pub fn write(
        &mut self,
        record: &IterationRecord,
        state: SearchState,
        elapsed_s: Option<f64>,
    ) -> Result {
        self.history.append(history::row(record))?;
        if let Some(row) = population::row(record) {
            self.population.append(row)?;
        }
        if !record.answers.is_empty() {
            let rows = match &mut self.answers {
                Some(rows) => rows,
                none => {
                    let columns = answers::COLUMNS.map(String::from);
                    none.insert(Rows::create(self.run.join(ANSWERS), columns)?)
                }
            };
            for row in answers::rows(record, self.num_answers + 1) {
                rows.append(row)?;
            }
            self.num_answers += record.answers.len() as u64;
        }
        self.unwritten = Some((state, elapsed_s));
        self.flush_if_due();
        self.error.take().map_or(Ok(()), Err)
    }

    /// Writes the waiting iterations if a checkpoint is due. Must be called from time to time. The next fallible call
    /// reports its errors.
    pub fn flush_if_due(&mut self) {
        let every = self.write_every.max(self.pace.interval());
        if self.unwritten.is_some() && self.last_write.elapsed() >= every {
            let written = self.flush();
            self.error = self.error.take().or(written.err());
        }
    }

    /// Writes all waiting iterations.
    ///
    /// # Errors
    ///
    /// Returns an error if an iteration could not be written.
    pub fn flush(&mut self) -> Result {
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        let Some((state, elapsed_s)) = self.unwritten.take() else { return Ok(()) };
        let interrupted = self.written.take().and_then(|checkpoint| checkpoint.interrupted);
        let checkpoint = Checkpoint {
            version: VERSION.into(),
            experiment: self.experiment.clone(),
            state,
            history: self.history.flush()?,
            population: self.population.flush()?,
            answers: self.answers.as_mut().map(Rows::flush).transpose()?,
            elapsed_s,
            result: None,
            interrupted,
        };
        self.write_checkpoint(checkpoint, Instant::now() >= self.sync_from)
    }

    /// Writes the results of the run with `write`, and a checkpoint that vouches for them. `write` returns the texts of
    /// `strategy.yaml` and, if the method computes a mixture, of `mixture.yaml`. The checkpoint marks the results as
    /// temporary if `is_interrupted` is set, otherwise as final. If the run was interrupted before it began, nothing is
    /// written.
    ///
    /// # Errors
    ///
    /// Returns an error if the results, or an earlier iteration, could not be written.
    pub fn conclude(
        mut self,
        is_interrupted: bool,
        write: impl FnOnce() -> Result<(String, Option<String>)>,
    ) -> Result {
        self.flush()?;
        let Some(mut checkpoint) = self.written.take() else {
            debug_assert!(is_interrupted, "a run that has ended has its start in its history");
            return Ok(());
        };
        // If the program is killed between the two writes, a new strategy must not have the fingerprint of an old one.
        if checkpoint.interrupted.take().is_some() {
            self.write_checkpoint(checkpoint.clone(), true)?;
        }
        let (strategy, mixture) = write()?;
        let prints = Some(ResultPrints::of(&strategy, mixture.as_deref()));
        if is_interrupted {
            checkpoint.interrupted = prints
        } else {
            checkpoint.result = prints
        }
        self.write_checkpoint(checkpoint, true)
    }

    /// Writes a checkpoint. If it `waits`, what it vouches for is on the disk before it is, and it is on the disk at the
    /// end.
    fn write_checkpoint(&mut self, checkpoint: Checkpoint, waits: bool) -> Result {
        let Self { history, population, answers, run, base, .. } = self;
        let path = run.join(CHECKPOINT);
        let write = || {
            if !waits {
                return checkpoint.write(&path);
            }
            for rows in [history, population].into_iter().chain(answers) {
                rows.sync()?;
            }
            checkpoint.write(&path)?;
            let above = run.ancestors().take_while(|path| path.starts_with(&base));
            above.into_iter().try_for_each(sync_directory)
        };
        let written = self.pace.time(write);
        self.last_write = Instant::now();
        self.written = Some(checkpoint);
        written
    }
}

fn remove(path: &Path) -> Result {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(unwritable(path)(error)),
        _ => Ok(()),
    }
}
