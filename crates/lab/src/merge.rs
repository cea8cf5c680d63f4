//! Merges directories in which machines without shared files have worked on one experiment.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ruse_base::files::{
    LOCK, UNFINISHED, fingerprint, make_directory, sync_directory, unwritable, write_atomically,
};

use serde::Serialize;

use super::error::LabError;
use super::files::run_directory::RunDirectory;
use super::files::shared::SharedFiles;
use super::jobs::{Job, JobKind, JobTask, Jobs};
use super::language::run::Experiment;
use super::outcome::RunOutcome;
use super::plan::Plan;
use super::study::StudyKind;

/// The reason why directories cannot be merged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// The directories belong to different experiments.
    #[error("{} holds another experiment than {}", from.display(), into.display())]
    OtherExperiment {
        /// The source directory.
        from: PathBuf,
        /// The target directory.
        into: PathBuf,
    },
    /// The source is the target.
    #[error("{} is given twice", .0.display())]
    Itself(PathBuf),
    /// The two directories have different results for the same job.
    #[error("{} and {} have different results of {name}", from.display(), into.display())]
    Different {
        /// The source directory.
        from: PathBuf,
        /// The target directory.
        into: PathBuf,
        /// The name of the job.
        name: String,
    },
    /// The round robin in the directory was not played in shares.
    #[error("{} holds a round robin that one program played, and only shares can be merged", .0.display())]
    RoundRobin(PathBuf),
    /// A directory cannot be read or written.
    #[error(transparent)]
    Lab(#[from] LabError),
}

/// The number of merged results of each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Merged {
    /// The number of finished runs.
    pub finished_runs: usize,
    /// The number of runs that can continue from their checkpoints.
    pub begun_runs: usize,
    /// The number of parts of meetings, including incomplete parts.
    pub meetings: usize,
    /// The number of parts of responses.
    pub responses: usize,
    /// The number of pools.
    pub pools: usize,
}

impl Merged {
    /// Returns the total number of merged results.
    pub fn num_all(&self) -> usize {
        let Merged { finished_runs, begun_runs, meetings, responses, pools } = *self;
        finished_runs + begun_runs + meetings + responses + pools
    }
}

/// Copies every result that is more advanced in `from` than in `into`. The two directories belong to the same `plan`. A
/// result is copied completely or not at all. Both directories must have been [reopened](RunDirectory::reopen), so that
/// no other program writes into them.
///
/// # Errors
///
/// Returns an error if the directories have different results for a job, or files cannot be read or written.
pub fn merge(plan: &Plan, into: &RunDirectory, from: &RunDirectory) -> Result<Merged, MergeError> {
    let study = plan.study.kind();
    if study.is_whole(from).map_err(LabError::from)? {
        return Err(MergeError::RoundRobin(from.path().into()));
    }
    let both = Both { plan, into, from };
    let mut merged = Merged::default();
    for job in &Jobs::of(plan).jobs {
        match &job.task {
            JobTask::Run(run) => match both.run(&plan.runs[*run], &plan.runs[*run])? {
                Some(true) => merged.finished_runs += 1,
                Some(false) => merged.begun_runs += 1,
                None => {}
            },
            JobTask::Part { .. } => {
                let merged_of_kind = match job.kind {
                    JobKind::Responses => &mut merged.responses,
                    JobKind::Pool => &mut merged.pools,
                    _ => &mut merged.meetings,
                };
                *merged_of_kind += usize::from(both.part(study, job)?);
            }
            JobTask::Finale => {}
        }
    }
    let (of_into, of_from) = (into.shared(), from.shared());
    of_into.take_provenances(&of_from).map_err(LabError::from)?;
    Ok(merged)
}

/// Copies the runs of `plan` that `from`, the directory of `other`, has, too, unless `into` has more of them. Runs are the same if
/// they have the same game, method, settings and seed, whatever they are called. Returns their number.
///
/// # Errors
///
/// Returns an error if a run in `from` is of another version or was changed, or if files cannot be read or written.
pub fn reuse(
    plan: &Plan,
    into: &RunDirectory,
    (from, other): (&RunDirectory, &Plan),
) -> Result<usize, MergeError> {
    let both = Both { plan, into, from };
    let known = other.runs.iter().map(|run| (fingerprint(&run.resolved), run));
    let known: HashMap<String, &Experiment> = known.collect();
    let found =
        plan.runs.iter().filter_map(|run| Some((run, known.get(&fingerprint(&run.resolved))?)));
    let taken = found.map(|(run, theirs)| Ok(usize::from(both.run(run, theirs)?.is_some())));
    taken.sum()
}

struct Both<'a> {
    plan: &'a Plan,
    into: &'a RunDirectory,
    from: &'a RunDirectory,
}

impl Both<'_> {
    fn different(&self, name: String) -> MergeError {
        let [from, into] = [self.from, self.into].map(|directory| directory.path().to_path_buf());
        MergeError::Different { from, into, name }
    }

    /// Copies the run, which is `theirs` in the source directory, if its state there is more advanced. Returns `Some(true)`
    /// if the copied run is finished, or `None` if nothing was copied.
    fn run(&self, run: &Experiment, theirs: &Experiment) -> Result<Option<bool>, MergeError> {
        let Both { into, from, .. } = self;
        let Some(found) = from.checkpoint(theirs).map_err(LabError::from)? else {
            return Ok(None);
        };
        let is_finished = RunOutcome::read(from, theirs, &found)?.is_some();
        let ours = into.checkpoint(run).map_err(LabError::from)?;
        if let Some(ours) = &ours {
            let is_ours_finished = RunOutcome::read(into, run, ours)?.is_some();
            match (is_ours_finished, is_finished) {
                (true, true) if ours.result != found.result => {
                    return Err(self.different(run.run_name()));
                }
                (true, _) => return Ok(None),
                (false, false) if ours.state.iteration >= found.state.iteration => {
                    return Ok(None);
                }
                (false, _) => {}
            }
        }
        self.copy(&from.run_path(theirs), &into.run_path(run))?;
        Ok(Some(is_finished))
    }

    /// Copies the results of a job if the source directory has more of them. Returns `true` if it copied them.
    fn part(&self, study: &dyn StudyKind, job: &Job) -> Result<bool, MergeError> {
        let progress = |directory| study.progress(self.plan, directory, job);
        if progress(self.from)? <= progress(self.into)? {
            return Ok(false);
        }
        let [ours, theirs] = [self.into, self.from].map(|directory| study.part(directory, job));
        if theirs.is_dir() {
            self.copy(&theirs, &ours)?;
        } else {
            SharedFiles::prepare(&ours).map_err(LabError::from)?;
            let contents =
                fs::read(&theirs).map_err(unwritable(&theirs)).map_err(LabError::from)?;
            write_atomically(&ours, contents).map_err(LabError::from)?;
        }
        Ok(true)
    }

    /// Replaces a directory with a copy of another directory.
    fn copy(&self, from: &Path, to: &Path) -> Result<(), MergeError> {
        let parent = to.parent().expect("it is below the directory");
        make_directory(self.into.path(), parent).map_err(LabError::from)?;
        let copied = || -> io::Result<()> {
            let beside =
                tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(self.into.path())?;
            let [new, old] = ["new", "old"].map(|name| beside.path().join(name));
            fs::create_dir(&new)?;
            for entry in fs::read_dir(from)? {
                let entry = entry?;
                let name = entry.file_name();
                let is_own = |name: &str| name == LOCK || name.starts_with(UNFINISHED);
                if entry.file_type()?.is_file() && !is_own(&name.to_string_lossy()) {
                    let copy = new.join(name);
                    fs::copy(entry.path(), &copy)?;
                    fs::File::open(&copy)?.sync_all()?;
                }
            }
            // If the program is killed between the two steps, the target has no files of the job, and the source has
            // all.
            if to.exists() {
                fs::rename(to, &old)?;
            }
            fs::rename(&new, to)
        };
        copied().map_err(unwritable(to)).map_err(LabError::from)?;
        Ok([to, parent].into_iter().try_for_each(sync_directory).map_err(LabError::from)?)
    }
}
