//! Shares of a plan: jobs that one program does while other programs work in the same directory.
//!
//! There is no coordinator: the jobs of a share follow from the plan. A share does its runs first, and then the
//! meetings and responses whose runs are finished, by any program. Other jobs wait until the share is carried out
//! again, or until [`carry_out`](super::carry_out) merges everything. A program locks the job that it does. On a file
//! system without locks, no two programs may have the same share.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use ruse_base::files::{DirectoryError, Holder, Lock};
use ruse_base::stop::StopSignal;
use ruse_play::family::Player;
use ruse_registry::Registry;

use super::error::{LabError, Result};
use super::files::run_directory::RunDirectory;
use super::files::shared::SharedFiles;
use super::jobs::{Job, JobKind, JobTask, Jobs, Share, lock_name};
use super::note::Note;
use super::outcome::RunOutcome;
use super::plan::Plan;
use super::run::Runs;
use super::study::Work;
use super::watch::{Event, Watch};

/// The outcome of a share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShareOutcome {
    /// The jobs that were finished before.
    pub done_before: Vec<usize>,
    /// The jobs that this share finished.
    pub done: Vec<usize>,
    /// The jobs that wait for unfinished runs.
    pub waiting: Vec<usize>,
    /// The jobs that other programs are doing, with the program if it is known.
    pub in_use: Vec<(usize, Option<Holder>)>,
    /// True if the share was stopped.
    pub was_stopped: bool,
}

/// The exclusive right to a share. Dropping it gives up the right, and removes directories that are then empty.
struct Joined {
    lock: Option<Lock>,
    shared: SharedFiles,
}

impl Drop for Joined {
    fn drop(&mut self) {
        drop(self.lock.take());
        self.shared.sweep();
    }
}

/// Does the unfinished [jobs](Share::jobs) of a share, on the threads of the current pool. Leaves out the finale, and
/// jobs that need unfinished runs. `directory` must have been [joined](RunDirectory::join).
///
/// # Errors
///
/// Returns an error if another program holds the share or the whole directory, or if files cannot be written or were
/// changed. A stop from outside is not an error: the outcome records it.
pub fn carry_out_share(
    plan: &Plan,
    share: Share,
    jobs: &[&Job],
    registry: &Registry,
    directory: &RunDirectory,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<ShareOutcome> {
    if directory.is_published() {
        return Err(DirectoryError::Published(directory.path().into()).into());
    }
    let shared = directory.shared();
    let work = Work::new(plan, registry, directory, watch, stop);
    let lock = shared.lock(&format!("share-{}", share.file_name()), &share.in_words())?;
    if !lock.is_exclusive() {
        watch.on_event(&Event::NotExclusive { directory: directory.path() });
    }
    let _joined = Joined { lock: Some(lock), shared: shared.clone() };
    // A program that takes the whole directory locks the directory, and then checks the locks of shares. This program
    // locks its share, and then checks the lock of the directory.
    Lock::check_free(directory.path())?;

    let note = Note::new(directory, Some(share.file_name()));
    let mut of_share = OfShare {
        work: &work,
        shared: &shared,
        note: &note,
        champions: HashMap::new(),
        outcome: ShareOutcome::default(),
    };
    let done = of_share.carry_out(jobs);
    let outcome = of_share.outcome;
    note.end(Vec::new())?;
    done.map(|()| outcome)
}

struct OfShare<'a> {
    work: &'a Work<'a>,
    shared: &'a SharedFiles,
    note: &'a Note<'a>,
    /// The champions of finished runs, by index.
    champions: HashMap<usize, Player>,
    outcome: ShareOutcome,
}

impl OfShare<'_> {
    fn carry_out(&mut self, jobs: &[&Job]) -> Result {
        self.runs(jobs)?;
        for job in jobs.iter().filter(|job| job.kind != JobKind::Run) {
            if self.work.plan.study.kind().is_done(self.work, job)? {
                self.outcome.done_before.push(job.id);
                continue;
            }
            let Some(champions) = self.champions(&job.runs)? else {
                self.outcome.waiting.push(job.id);
                continue;
            };
            if self.work.stop.check().is_err() {
                break;
            }
            self.other(job, &champions)?;
        }
        self.outcome.was_stopped = self.work.stop.check().is_err();
        Ok(())
    }

    fn runs(&mut self, jobs: &[&Job]) -> Result {
        let of_jobs = jobs.iter().filter_map(|job| match job.task {
            JobTask::Run(run) => Some((run, job.id)),
            _ => None,
        });
        let mut ids: Vec<(usize, usize)> = of_jobs.collect();
        if ids.is_empty() {
            return Ok(());
        }
        ids.sort_unstable();
        let which: Vec<usize> = ids.iter().map(|&(run, _)| run).collect();
        let Work { plan, directory, watch, stop, .. } = *self.work;
        let runs = Runs::new(plan, directory, self.note, watch, stop).shared();
        let outcomes = runs.carry_out(&which)?;
        for (&(run, id), outcome) in ids.iter().zip(&outcomes) {
            let Some(outcome) = outcome else { continue };
            match outcome.learning {
                None => self.outcome.done_before.push(id),
                Some(_) => self.outcome.done.push(id),
            }
            self.champions.insert(run, outcome.champion());
        }
        for (run, holder) in runs.in_use() {
            let place = which.binary_search(&run).expect("it is one of them");
            self.outcome.in_use.push((ids[place].1, holder));
        }
        Ok(())
    }

    /// Returns the champions of these runs, or `None` if a run is not finished.
    fn champions(&mut self, runs: &[usize]) -> Result<Option<Vec<Player>>> {
        let Work { plan, directory, .. } = *self.work;
        for &run in runs {
            if let Entry::Vacant(unknown) = self.champions.entry(run) {
                let found = RunOutcome::of_finished(directory, &plan.runs[run])?;
                let Some(outcome) = found else { return Ok(None) };
                unknown.insert(outcome.champion());
            }
        }
        Ok(Some(runs.iter().map(|run| self.champions[run].clone()).collect()))
    }

    /// Does a job that is not a run, with the champions that it needs.
    fn other(&mut self, job: &Job, champions: &[Player]) -> Result {
        let study = self.work.plan.study.kind();
        let _lock = match self.shared.lock(&lock_name(job.kind, &job.name), &job.name) {
            Ok(lock) => lock,
            Err(DirectoryError::InUse { holder, .. }) => {
                self.outcome.in_use.push((job.id, holder));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        // Another program may have just finished the job.
        if study.is_done(self.work, job)? {
            self.outcome.done_before.push(job.id);
            return Ok(());
        }
        self.note.begin()?;
        let is_whole = match study.carry_out(self.work, job, champions) {
            Err(LabError::Stopped) => false,
            is_whole => is_whole?,
        };
        if is_whole {
            self.outcome.done.push(job.id);
        }
        Ok(())
    }
}

/// Returns the unfinished jobs in order, except the finale.
///
/// # Errors
///
/// Returns an error if files cannot be read, or were changed.
pub fn unfinished<'j>(
    plan: &Plan,
    jobs: &'j Jobs,
    registry: &Registry,
    directory: &RunDirectory,
) -> Result<Vec<&'j Job>> {
    let stop = StopSignal::default();
    let work = Work::new(plan, registry, directory, &(), &stop);
    let mut found = Vec::new();
    for job in &jobs.jobs {
        let is_done = match job.task {
            JobTask::Finale => true,
            JobTask::Run(run) => RunOutcome::of_finished(directory, &plan.runs[run])?.is_some(),
            JobTask::Part { .. } => plan.study.kind().is_done(&work, job)?,
        };
        if !is_done {
            found.push(job);
        }
    }
    Ok(found)
}
