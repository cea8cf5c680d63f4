//! All runs of a plan, several at the same time where that helps.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use super::error::LabError;
use super::files::provenance::Provenance;
use super::files::run_directory::RunDirectory;
use super::files::run_files::RunFiles;
use super::outcome::RunOutcome;
use super::plan::Plan;
use super::run::{self, Opened};
use super::spec::run::Experiment;
use super::watch::{Event, Watch};
use crate::arena::StopSignal;

/// The runs of a plan, and when the first of them began that was not finished before.
pub(super) struct Runs<'p, 'a> {
    plan: &'p Plan,
    directory: &'a RunDirectory,
    watch: &'a dyn Watch,
    stop: &'a StopSignal,
    num_threads: usize,
    provenance: Mutex<Option<(Provenance, Instant)>>,
}

impl<'p, 'a> Runs<'p, 'a> {
    pub(super) fn new(
        plan: &'p Plan,
        directory: &'a RunDirectory,
        watch: &'a dyn Watch,
        stop: &'a StopSignal,
    ) -> Runs<'p, 'a> {
        let num_threads = rayon::current_num_threads();
        Runs { plan, directory, watch, stop, num_threads, provenance: Mutex::new(None) }
    }

    /// Carries out all runs that are not finished, and returns what came of each, in the order of the
    /// plan; nothing of those that did not begin before the plan was stopped.
    ///
    /// With several threads several runs go on at the same time, each on its own thread: nothing keeps
    /// threads busier. When fewer runs are left than threads, the last ones get several.
    pub(super) fn carry_out(&self) -> Result<Vec<Option<RunOutcome<'p>>>, LabError> {
        self.watch.on_event(&Event::RunsBegin { plan: self.plan });
        let num_threads = self.num_threads;
        let num_runs = self.plan.runs.len();
        // The longest first: a long run that begins last leaves threads idle.
        let mut order: Vec<usize> = (0..num_runs).collect();
        let lengths: Vec<f64> = self.plan.runs.iter().map(expected_length).collect();
        order.sort_by(|&x, &y| lengths[y].total_cmp(&lengths[x]).then(x.cmp(&y)));

        let next = AtomicUsize::new(0);
        let outcomes: Vec<Mutex<Option<RunOutcome<'p>>>> =
            (0..num_runs).map(|_| Mutex::new(None)).collect();
        let failure: Mutex<Option<LabError>> = Mutex::new(None);
        let work = || {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed);
                let Some(&index) = order.get(place) else { return };
                if self.stop.check().is_err() {
                    return;
                }
                let share = (num_threads / (num_runs - place)).max(1);
                match self.on_pool(share, index) {
                    Ok(outcome) => *lock(&outcomes[index]) = Some(outcome),
                    Err(found) => {
                        // The others stop where they are; they can be resumed.
                        lock(&failure).get_or_insert(found);
                        self.stop.raise();
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let num_workers = num_threads.min(num_runs);
            for _ in 1..num_workers {
                scope.spawn(work);
            }
            work();
        });
        self.watch.on_event(&Event::RunsDone);
        if let Some(failure) = lock(&failure).take() {
            return Err(failure);
        }
        Ok(outcomes.into_iter().map(|outcome| lock(&outcome).take()).collect())
    }

    /// Carries out one run on so many threads.
    fn on_pool(&self, num_threads: usize, index: usize) -> Result<RunOutcome<'p>, LabError> {
        let is_on_pool = rayon::current_thread_index().is_some();
        if is_on_pool && num_threads == rayon::current_num_threads() {
            return self.carry_out_run(index);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build()?;
        pool.install(|| self.carry_out_run(index))
    }

    fn carry_out_run(&self, run: usize) -> Result<RunOutcome<'p>, LabError> {
        let experiment = &self.plan.runs[run];
        let (files, checkpoint, resumption) = RunFiles::open(self.directory, experiment)?;
        let outcome = match &checkpoint {
            Some(checkpoint) => RunOutcome::read(self.directory, experiment, checkpoint)?,
            None => None,
        };
        let outcome = match outcome {
            Some(outcome) => outcome,
            None => {
                self.note_start()?;
                let elapsed_s =
                    checkpoint.and_then(|checkpoint| checkpoint.elapsed_s).unwrap_or(0.0);
                let opened = Opened { files, resumption, elapsed_s };
                run::carry_out(run, experiment, self.directory, opened, self.watch, self.stop)?
            }
        };
        self.watch.on_event(&Event::RunDone { run, outcome: &outcome });
        Ok(outcome)
    }

    /// Notes who makes the results, once.
    fn note_start(&self) -> Result<(), LabError> {
        let mut provenance = lock(&self.provenance);
        if provenance.is_none() {
            let begun = Provenance::now(self.num_threads);
            self.directory.write_provenance(&begun)?;
            *provenance = Some((begun, Instant::now()));
        }
        Ok(())
    }

    /// Notes that everything is done; tells whether there was anything to do.
    pub(super) fn note_end(&self) -> Result<bool, LabError> {
        let Some((mut provenance, started)) = lock(&self.provenance).take() else {
            return Ok(false);
        };
        provenance.finish(started.elapsed().as_secs_f64());
        self.directory.write_provenance(&provenance)?;
        Ok(true)
    }
}

/// What a mutex holds. A panic while it is locked ends the program.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// How long a run takes, in units of the time for the default budget of its family; these go by speed.
pub fn expected_length(experiment: &Experiment) -> f64 {
    let default_budget = experiment.family.default_budget() as f64;
    experiment.budget.games.map_or(1.0, |games| games as f64 / default_budget)
}
