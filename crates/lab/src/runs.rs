//! Carries out all runs of a plan, with several threads several at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ruse_base::files::{DirectoryError, Holder};
use ruse_base::stop::StopSignal;
use ruse_programs::ask_to_start_named;

use super::error::{LabError, Result};
use super::files::run_directory::RunDirectory;
use super::files::run_files::RunFiles;
use super::jobs::{JobKind, lock_name};
use super::language::run::Experiment;
use super::note::Note;
use super::outcome::RunOutcome;
use super::plan::Plan;
use super::plan_size::expected_length;
use super::run::{self, Runs};
use super::watch::{Event, Watch};

impl<'p, 'a> Runs<'p, 'a> {
    pub(super) fn new(
        plan: &'p Plan,
        directory: &'a RunDirectory,
        note: &'a Note<'a>,
        watch: &'a dyn Watch,
        stop: &'a StopSignal,
    ) -> Runs<'p, 'a> {
        let in_use = Mutex::new(Vec::new());
        Runs { plan, directory, note, watch, stop, is_shared: false, in_use }
    }

    /// Returns these runs for a directory shared with other programs. Each unfinished run is locked while it is carried
    /// out. Runs that other programs have locked are left out. A stopped run writes only its checkpoint.
    pub(super) fn shared(self) -> Runs<'p, 'a> {
        Runs { is_shared: true, ..self }
    }

    /// Returns the runs that were left to other programs, with the program if it is known.
    pub(super) fn in_use(&self) -> Vec<(usize, Option<Holder>)> {
        lock(&self.in_use).clone()
    }

    /// Carries out these runs in the order of the plan, except finished runs. Returns the outcomes of all. The outcome
    /// is `None` for a run of another program, and for a run that did not begin before a stop.
    ///
    /// Several runs are carried out at once, one thread each, because this keeps the threads busiest. When fewer runs
    /// than threads are left, the last runs get several threads each.
    pub(super) fn carry_out(&self, which: &[usize]) -> Result<Vec<Option<RunOutcome<'p>>>> {
        // Nothing is written if a program must not be started.
        for run in self.unfinished(which) {
            run.programs().iter().try_for_each(|name| ask_to_start_named(name))?;
        }
        self.watch.on_event(&Event::RunsBegin { plan: self.plan, runs: which });
        let num_threads = rayon::current_num_threads();
        let num_runs = which.len();
        // The longest runs come first. Threads would be idle if a long run began last.
        let mut order: Vec<usize> = (0..num_runs).collect();
        let length = |&run: &usize| expected_length(&self.plan.runs[run]);
        let lengths: Vec<f64> = which.iter().map(length).collect();
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
                match self.on_pool(share, which[index]) {
                    Ok(outcome) => *lock(&outcomes[index]) = outcome,
                    Err(found) => {
                        match &found {
                            LabError::Directory(error) if error.is_damage() => {
                                let run = which[index];
                                self.watch.on_event(&Event::RunDamaged { run, error });
                            }
                            // The other runs stop at their current state and can be resumed.
                            _ => drop(self.stop.raise()),
                        }
                        lock(&failure).get_or_insert(found);
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            let num_workers = num_threads.min(num_runs);
            for _ in 1..num_workers {
                // With fewer threads the runs take longer.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        self.watch.on_event(&Event::RunsDone);
        if let Some(failure) = lock(&failure).take() {
            return Err(failure);
        }
        Ok(outcomes.into_iter().map(|outcome| lock(&outcome).take()).collect())
    }

    /// Returns the unfinished runs among `which` that start a program.
    fn unfinished(&self, which: &[usize]) -> Vec<&'p Experiment> {
        let is_finished = |run: &Experiment| {
            // A damaged checkpoint is reported when the run is opened.
            let checkpoint = self.directory.checkpoint(run).ok().flatten();
            checkpoint.is_some_and(|checkpoint| checkpoint.result.is_some())
        };
        let runs = which.iter().map(|&run| &self.plan.runs[run]);
        runs.filter(|run| !run.programs().is_empty() && !is_finished(run)).collect()
    }

    /// Carries out one run on `num_threads` threads, or returns `None` if another program is already carrying it out.
    fn on_pool(&self, num_threads: usize, index: usize) -> Result<Option<RunOutcome<'p>>> {
        let carry_out = || match self.is_shared {
            true => self.carry_out_shared(index),
            false => self.carry_out_run(index),
        };
        let is_on_pool = rayon::current_thread_index().is_some();
        if is_on_pool && num_threads == rayon::current_num_threads() {
            return carry_out();
        }
        rayon::ThreadPoolBuilder::new().num_threads(num_threads).build()?.install(carry_out)
    }

    /// Carries out a run, or returns `None` if another program is already carrying it out.
    fn carry_out_shared(&self, run: usize) -> Result<Option<RunOutcome<'p>>> {
        let experiment = &self.plan.runs[run];
        let finished = match RunOutcome::of_finished(self.directory, experiment) {
            // The run begins again when it is opened.
            Err(LabError::Directory(DirectoryError::Lost(_))) => None,
            finished => finished?,
        };
        if let Some(outcome) = finished {
            self.watch.on_event(&Event::RunDone { run, outcome: &outcome });
            return Ok(Some(outcome));
        }
        let name = experiment.run_name();
        match self.directory.shared().lock(&lock_name(JobKind::Run, &name), &name) {
            Ok(_lock) => self.carry_out_run(run),
            Err(DirectoryError::InUse { holder, .. }) => {
                lock(&self.in_use).push((run, holder));
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn carry_out_run(&self, run: usize) -> Result<Option<RunOutcome<'p>>> {
        let experiment = &self.plan.runs[run];
        let mut opened = RunFiles::open(self.directory, experiment);
        if let Err(error @ DirectoryError::Lost(_)) = &opened {
            self.watch.on_event(&Event::RunDamaged { run, error });
            RunFiles::remove(self.directory, experiment)?;
            opened = RunFiles::open(self.directory, experiment);
        }
        let (files, checkpoint, resumption) = opened?;
        let finished = match &checkpoint {
            Some(checkpoint) => RunOutcome::read(self.directory, experiment, checkpoint)?,
            None => None,
        };
        let outcome = match finished {
            Some(_) => finished,
            None => {
                self.note.begin()?;
                self.note.starts(experiment.programs())?;
                let elapsed_s =
                    checkpoint.and_then(|checkpoint| checkpoint.elapsed_s).unwrap_or(0.0);
                run::carry_out(self, run, files, resumption, elapsed_s)?
            }
        };
        if let Some(outcome) = &outcome {
            self.watch.on_event(&Event::RunDone { run, outcome });
        }
        Ok(outcome)
    }
}

/// Locks a mutex, even if it is poisoned: a panic under the lock ends the program anyway.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
