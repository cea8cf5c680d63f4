//! Shares of a plan. A share consists of some jobs of the plan, which a program does while other programs work in the
//! same directory.
//!
//! Jobs are not assigned by a coordinator: the jobs of a share follow from the plan. A share does its runs first. Then
//! it does its meetings and responses, if any program has finished the runs that they need. The remaining jobs are left
//! for the same share at another time, or for [`carry_out`](super::carry_out), which merges everything. A job is locked
//! while it is done, if the file system has locks. Otherwise, no two programs may have the same share.

use std::collections::HashMap;

use super::error::{LabError, was_stopped};
use super::files::measurements::{MeasurementKind, MeasurementsFile};
use super::files::run_directory::RunDirectory;
use super::files::shared::SharedFiles;
use super::jobs::{Job, JobKind, Jobs, Share, Task};
use super::meetings::{MeetingsPart, Schedule};
use super::note::Note;
use super::outcome::RunOutcome;
use super::plan::{Finale, Plan};
use super::round_robin::RoundRobinPart;
use super::runs::Runs;
use super::watch::{Event, Watch};
use super::{responses, seed_study};
use crate::arena::StopSignal;
use crate::family::Player;
use crate::files::{DirectoryError, Holder, Lock};
use crate::registry::Registry;

/// The outcome of a share.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShareOutcome {
    /// The jobs that were finished before.
    pub done_before: Vec<usize>,
    /// The jobs that were finished by this share.
    pub done: Vec<usize>,
    /// The jobs that wait for unfinished runs.
    pub waiting: Vec<usize>,
    /// The jobs that other programs are doing, each with the program, if the program has identified itself.
    pub in_use: Vec<(usize, Option<Holder>)>,
    /// Whether the share was stopped.
    pub was_stopped: bool,
}

/// The exclusive right to a share, until this value is dropped. Dropping the value also removes directories that are
/// then empty.
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

/// Does the unfinished [jobs](Share::jobs) of a share, on the threads of the current pool. Jobs that need unfinished
/// runs are left out, and so is the finale. `directory` must have been [joined](RunDirectory::join).
///
/// # Errors
///
/// Returns an error if another program has the share or the whole directory, or if files cannot be written or were
/// changed. If the share is stopped from outside, this is not an error, but is stated in the outcome.
pub fn carry_out_share(
    plan: &Plan,
    share: Share,
    jobs: &[&Job],
    registry: &Registry,
    directory: &RunDirectory,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<ShareOutcome, LabError> {
    if directory.is_published() {
        return Err(DirectoryError::Published(directory.path().into()).into());
    }
    let shared = directory.shared();
    let is_shared_before = shared.is_there();
    let lock = shared.lock(&format!("share-{}", share.file_name()), &share.in_words())?;
    if !lock.is_exclusive() {
        watch.on_event(&Event::NotExclusive { directory: directory.path() });
    }
    let _joined = Joined { lock: Some(lock), shared: shared.clone() };
    // A program that takes the whole directory takes its lock first and then looks at the locks of shares. Here the
    // lock of the share comes first, and then the lock of the directory is checked.
    Lock::check_free(directory.path())?;

    let note = Note::new(directory, Some(share.file_name()));
    let held = num_meetings(plan, directory)?;
    let schedule = schedule_of(plan);
    let mut work = Work {
        plan,
        registry,
        directory,
        shared: &shared,
        watch,
        stop,
        note: &note,
        schedule: schedule.as_ref(),
        num_held: held,
        is_over: false,
        champions: HashMap::new(),
        outcome: ShareOutcome::default(),
    };
    // When all meetings are played, the shared directory is removed with the parts in it.
    work.is_over =
        !is_shared_before && schedule.as_ref().is_some_and(|schedule| held == schedule.len());
    let done = work.carry_out(jobs);
    let outcome = work.outcome;
    note.end(Vec::new())?;
    done.map(|()| outcome)
}

/// The work of a share in progress.
struct Work<'a> {
    plan: &'a Plan,
    registry: &'a Registry,
    directory: &'a RunDirectory,
    shared: &'a SharedFiles,
    watch: &'a dyn Watch,
    stop: &'a StopSignal,
    note: &'a Note<'a>,
    /// All meetings, if the experiment has any.
    schedule: Option<&'a Schedule<'a>>,
    /// The number of meetings that had been played when the work began.
    num_held: usize,
    /// Whether all parts of results have already been merged.
    is_over: bool,
    /// The champions of finished runs, by the index of the run.
    champions: HashMap<usize, Player>,
    outcome: ShareOutcome,
}

/// The status of a job.
enum Standing {
    DoneBefore,
    Waiting,
    Due,
}

impl<'a> Work<'a> {
    /// Returns the part of the meetings that a job plays.
    fn part(&self, job: &Job) -> MeetingsPart<'a> {
        let schedule = self.schedule.expect("there are meetings");
        MeetingsPart::of(schedule, self.directory, job).expect("it is one of meetings")
    }

    fn carry_out(&mut self, jobs: &[&Job]) -> Result<(), LabError> {
        self.runs(jobs)?;
        for job in jobs.iter().filter(|job| job.kind != JobKind::Run) {
            match self.standing(job)? {
                Standing::DoneBefore => self.outcome.done_before.push(job.id),
                Standing::Waiting => self.outcome.waiting.push(job.id),
                Standing::Due => {
                    if self.stop.check().is_err() {
                        break;
                    }
                    self.other(job)?;
                }
            }
        }
        self.outcome.was_stopped = self.stop.check().is_err();
        Ok(())
    }

    /// Carries out those jobs that are runs.
    fn runs(&mut self, jobs: &[&Job]) -> Result<(), LabError> {
        let of_jobs = jobs.iter().filter_map(|job| match job.task {
            Task::Run(run) => Some((run, job.id)),
            _ => None,
        });
        let mut ids: Vec<(usize, usize)> = of_jobs.collect();
        if ids.is_empty() {
            return Ok(());
        }
        ids.sort_unstable();
        let which: Vec<usize> = ids.iter().map(|&(run, _)| run).collect();
        let Work { plan, directory, watch, stop, note, .. } = *self;
        let runs = Runs::new(plan, directory, note, watch, stop).shared();
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

    /// Returns the champion of a run, if the run is finished.
    fn champion(&mut self, run: usize) -> Result<Option<Player>, LabError> {
        if let Some(champion) = self.champions.get(&run) {
            return Ok(Some(champion.clone()));
        }
        let found = RunOutcome::of_finished(self.directory, &self.plan.runs[run])?;
        let champion = found.map(|outcome| outcome.champion());
        if let Some(champion) = &champion {
            self.champions.insert(run, champion.clone());
        }
        Ok(champion)
    }

    /// Returns the champions of these runs, or `None` if one of these runs is not finished.
    fn champions(&mut self, runs: &[usize]) -> Result<Option<Vec<Player>>, LabError> {
        let mut champions = Vec::new();
        for &run in runs {
            match self.champion(run)? {
                Some(champion) => champions.push(champion),
                None => return Ok(None),
            }
        }
        Ok(Some(champions))
    }

    /// Returns the status of a job that is not a run.
    fn standing(&mut self, job: &Job) -> Result<Standing, LabError> {
        let (is_done, runs) = match (&job.task, &self.plan.finale) {
            (Task::Meetings { .. }, _) => {
                let part = self.part(job);
                (part.is_finished(self.num_held)?, part.runs())
            }
            (Task::Responses { runs }, _) => {
                let path = responses::part_of(self.plan, self.directory, job);
                let is_done = path.expect("it is one of responses").exists();
                (self.is_over || is_done, runs.clone().collect())
            }
            (&Task::Pool(index), Finale::Portfolios(of)) => {
                (self.directory.study(&of.pools[index]).is_finished()?, Vec::new())
            }
            (Task::RoundRobin { range }, Finale::RoundRobin(of)) => {
                (RoundRobinPart::new(of, self.directory, range).is_finished()?, Vec::new())
            }
            _ => (false, Vec::new()),
        };
        Ok(match () {
            () if is_done => Standing::DoneBefore,
            () if self.champions(&runs)?.is_none() => Standing::Waiting,
            () => Standing::Due,
        })
    }

    /// Does a due job that is not a run.
    fn other(&mut self, job: &Job) -> Result<(), LabError> {
        let _lock = match self.shared.lock(&job.lock_name(), &job.name) {
            Ok(lock) => lock,
            Err(DirectoryError::InUse { holder, .. }) => {
                self.outcome.in_use.push((job.id, holder));
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        // Another program may have just finished the job.
        if matches!(self.standing(job)?, Standing::DoneBefore) {
            self.outcome.done_before.push(job.id);
            return Ok(());
        }
        self.note.begin()?;
        let Work { plan, registry, directory, watch, stop, .. } = *self;
        let is_whole = match (&job.task, &plan.finale) {
            (Task::Meetings { .. }, _) => {
                let part = self.part(job);
                let champions = self.champions(&part.runs())?.expect("all are finished");
                part.hold(&champions, watch, stop)?
            }
            (Task::Responses { runs }, _) => {
                let path = responses::part_of(plan, directory, job);
                let path = path.expect("it is one of responses");
                responses::compute_part(plan, directory, runs.clone(), &path, watch, stop)?
            }
            (&Task::Pool(index), Finale::Portfolios(of)) => {
                let pool = &of.pools[index];
                let studied =
                    seed_study::study_pool(pool, of.seed, registry, directory, watch, stop);
                !was_stopped(studied)?
            }
            (Task::RoundRobin { range }, Finale::RoundRobin(of)) => {
                let part = RoundRobinPart::new(of, directory, range);
                !was_stopped(part.play(registry, watch, stop))?
            }
            _ => unreachable!("runs are done, and the finale is in no share"),
        };
        if is_whole {
            self.outcome.done.push(job.id);
        }
        Ok(())
    }
}

/// Returns the number of meetings that have been played.
fn num_meetings(plan: &Plan, directory: &RunDirectory) -> Result<usize, LabError> {
    let rows = MeasurementsFile::read(directory, plan)?;
    Ok(rows.iter().filter(|row| row.kind == MeasurementKind::Meeting).count())
}

/// Returns the meetings of a plan, if the plan has meetings.
fn schedule_of(plan: &Plan) -> Option<Schedule<'_>> {
    match &plan.finale {
        Finale::Meetings(spec) => Some(Schedule::new(plan, spec)),
        _ => None,
    }
}

/// Returns the jobs that are not finished, except the finale, in order.
///
/// # Errors
///
/// Returns an error if files cannot be read, or were changed.
pub fn unfinished<'j>(
    plan: &Plan,
    jobs: &'j Jobs,
    registry: &Registry,
    directory: &RunDirectory,
) -> Result<Vec<&'j Job>, LabError> {
    let shared = directory.shared();
    let note = Note::new(directory, None);
    let (stop, mut num_held, mut is_over) = (StopSignal::default(), 0, false);
    let schedule = schedule_of(plan);
    if let Some(schedule) = &schedule {
        num_held = num_meetings(plan, directory)?;
        is_over = !shared.is_there() && num_held == schedule.len();
    }
    let mut work = Work {
        plan,
        registry,
        directory,
        shared: &shared,
        watch: &(),
        stop: &stop,
        note: &note,
        schedule: schedule.as_ref(),
        num_held,
        is_over,
        champions: HashMap::new(),
        outcome: ShareOutcome::default(),
    };
    let mut found = Vec::new();
    for job in &jobs.jobs {
        let is_done = match job.task {
            Task::Finale => true,
            Task::Run(run) => work.champion(run)?.is_some(),
            _ => matches!(work.standing(job)?, Standing::DoneBefore),
        };
        if !is_done {
            found.push(job);
        }
    }
    Ok(found)
}
