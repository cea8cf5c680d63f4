//! Studies: the kinds of experiments.
//!
//! An experiment has runs and a study. Runs learn. The study measures the champions of the runs, or players that need
//! no runs. Resuming, shards, merging, publishing and the sizes of plans are based on the jobs of a study. A new kind
//! of experiment needs an implementation of [`StudyKind`], and lines in the table of [`kinds`](super::kinds).

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use ruse_base::files::DirectoryError;
use ruse_base::stop::StopSignal;
use ruse_play::family::Player;
use ruse_registry::Registry;

use super::files::measurements::MeasurementsFile;
use super::files::run_directory::RunDirectory;
use super::jobs::Job;
use super::language::outputs::Output;
use super::measurement::MeasurementKind;
use super::note::Note;
use super::outcome::{Concluded, RunOutcome};
use super::plan::Plan;
use super::watch::Watch;
use crate::error::Result;

/// The work on a plan in a directory.
pub(crate) struct Work<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) registry: &'a Registry,
    pub(crate) directory: &'a RunDirectory,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) stop: &'a StopSignal,
    /// True if the directory had parts of results when the work began.
    was_shared: bool,
    num_meetings: OnceCell<usize>,
}

impl<'a> Work<'a> {
    pub(crate) fn new(
        plan: &'a Plan,
        registry: &'a Registry,
        directory: &'a RunDirectory,
        watch: &'a dyn Watch,
        stop: &'a StopSignal,
    ) -> Work<'a> {
        let was_shared = directory.is_shared();
        let num_meetings = OnceCell::new();
        Work { plan, registry, directory, watch, stop, was_shared, num_meetings }
    }

    /// Returns the number of meetings in `measurements.csv` when the work began.
    pub(crate) fn num_meetings(&self) -> Result<usize, DirectoryError> {
        if let Some(num) = self.num_meetings.get() {
            return Ok(*num);
        }
        let rows = MeasurementsFile::read(self.directory, self.plan)?;
        let num = rows.iter().filter(|row| row.kind == MeasurementKind::Meeting).count();
        Ok(*self.num_meetings.get_or_init(|| num))
    }

    /// Returns `true` if, when the work began, `measurements.csv` had `num_all` meetings, and the parts were already
    /// removed.
    pub(crate) fn is_over(&self, num_all: usize) -> Result<bool, DirectoryError> {
        Ok(!self.was_shared && self.num_meetings()? == num_all)
    }
}

/// A kind of experiment.
///
/// Each job has its results in one file or directory, so that the directories of several machines can be merged.
pub(crate) trait StudyKind {
    /// Returns the requested outputs.
    fn outputs(&self) -> &[Output] {
        &[]
    }

    /// Returns upper bounds on the number of games between players, and of games that bandits learn from.
    fn num_games(&self) -> [u64; 2] {
        [0, 0]
    }

    /// Returns the jobs other than runs, in the order of the plan.
    fn jobs(&self, _: &Plan) -> Vec<Job> {
        Vec::new()
    }

    /// Returns an upper bound on the number of games after all jobs, and their estimated time in seconds, if known.
    fn last_work(&self, _: &Plan) -> (u64, Option<f64>) {
        (0, Some(0.0))
    }

    /// Returns the names of the players that are programs, except opponents of runs.
    fn programs(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Returns the descriptions of the families whose games programs play, except families of runs.
    fn descriptions(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Returns the file or directory with the results of a job.
    fn part(&self, directory: &RunDirectory, job: &Job) -> PathBuf {
        let family = job.family.as_deref().unwrap_or(job.kind.name());
        directory.shared().part(family, &job.name)
    }

    /// Returns a number that grows with the results of a job; 0 if they are not usable.
    fn progress(&self, _: &Plan, _: &RunDirectory, _: &Job) -> Result<usize> {
        Ok(0)
    }

    /// Returns `true` if a job is finished.
    fn is_done(&self, _: &Work<'_>, _: &Job) -> Result<bool> {
        Ok(false)
    }

    /// Does a job with the champions of the [runs](Job::runs) that it needs. Returns `false` if stopped.
    fn carry_out(&self, _: &Work<'_>, _: &Job, _: &[Player]) -> Result<bool> {
        Ok(false)
    }

    /// Does the work after the runs, and combines the results of finished jobs.
    fn conclude(&self, _: &Work<'_>, _: &Note<'_>, _: &[RunOutcome<'_>]) -> Concluded {
        Ok(None)
    }

    /// Returns `true` if one program has played all meetings as a whole, not job by job. Merging would lose them.
    fn is_whole(&self, _: &RunDirectory) -> Result<bool, DirectoryError> {
        Ok(false)
    }

    /// Returns `true` if the directory of an experiment without runs is published.
    fn is_published(&self, _: &RunDirectory) -> Result<bool, DirectoryError> {
        Ok(false)
    }

    /// Checks that files to publish have not changed since they were written, except files of runs and measurements.
    /// Returns their names.
    fn published(&self, _: &RunDirectory) -> Result<Vec<String>, DirectoryError> {
        Ok(Vec::new())
    }

    /// Returns the numbers of finished and of all parts, if the experiment has no runs.
    fn num_finished(&self, _: &RunDirectory) -> Result<Option<[usize; 2]>, DirectoryError> {
        Ok(None)
    }
}

/// The study of a single run: no other work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoStudy;

impl StudyKind for NoStudy {}
