//! The study of a comparison: meetings between champions of different methods, best responses to the results of runs,
//! and scores of reference players.

use ruse_base::files::reading;
use ruse_play::family::Player;

use crate::error::Result;
use crate::files::measurements::MeasurementsFile;
use crate::files::run_directory::RunDirectory;
use crate::files::summaries::add_scores;
use crate::jobs::{Job, JobKind, JobTask, seconds};
use crate::language::comparison::MeetingsSpec;
use crate::language::outputs::Output;
use crate::meetings::Schedule;
use crate::note::Note;
use crate::outcome::{Concluded, RunOutcome};
use crate::plan::Plan;
use crate::responses::{Responses, compute_part};
use crate::study::{StudyKind, Work};
use crate::yardsticks::{measure_yardsticks, num_yardstick_games};

/// The intended duration of a job that plays meetings, in seconds. It is long compared with the start of the program,
/// and short compared with a run.
const PART_S: f64 = 60.0;
/// The maximum number of parts into which a family's meetings are divided. It keeps the family's directory, which also
/// contains the parts of responses, below 1,000 files.
const MAX_PARTS: usize = 90;
/// The maximum number of runs in one job that computes best responses. All runs of a job use the same method.
const RUNS_OF_RESPONSES: usize = 10;
/// The estimated time for a best response, in seconds. Some families take several seconds. In others, best responses
/// cannot be computed, which takes no time.
const RESPONSE_S: f64 = 1.0;

impl MeetingsSpec {
    /// Returns the jobs that play the meetings. Each job has the index of a family, and a range of indices into
    /// [`MeetingsSpec::pairings`].
    fn meetings(&self, plan: &Plan) -> Vec<Job> {
        let schedule = Schedule::new(plan, self);
        let num_meetings = self.num_meetings_each() as usize;
        let mut jobs = Vec::new();
        for (family, (label, _)) in self.families.iter().enumerate() {
            let first = &plan.runs[family * self.methods.len() * self.num_repeats];
            let games_each = self.num_games_of_meeting(family);
            let whole_s = seconds(first, games_each) * num_meetings as f64;
            // The bounds make the conversion valid even for huge values.
            let num_parts = (whole_s / PART_S).ceil().clamp(1.0, MAX_PARTS as f64) as usize;
            let num_parts = num_parts.min(num_meetings);
            for part in 0..num_parts {
                let bound = |part: usize| part * num_meetings / num_parts;
                let range = bound(part)..bound(part + 1);
                let name = format!("meetings-{label}-{part}");
                jobs.push(Job {
                    family: Some(label.clone()),
                    runs: schedule.runs_of(family, range.clone()),
                    games: games_each.saturating_mul(range.len() as u64),
                    seconds: Some(whole_s * range.len() as f64 / num_meetings as f64),
                    ..Job::new(JobKind::Meetings, name, JobTask::Part { index: family, range })
                });
            }
        }
        jobs
    }

    /// Returns the jobs that compute best responses to the results of runs. Each job has a range of indices of runs.
    fn responses(&self, plan: &Plan) -> Vec<Job> {
        let mut jobs = Vec::new();
        for (index, of_method) in plan.runs.chunks(self.num_repeats).enumerate() {
            for (part, runs) in of_method.chunks(RUNS_OF_RESPONSES).enumerate() {
                let [family, method] = &runs[0].labels;
                let name = format!("responses-{family}-{method}-{part}");
                let start = index * self.num_repeats + part * RUNS_OF_RESPONSES;
                let range = start..start + runs.len();
                jobs.push(Job {
                    family: Some(family.clone()),
                    runs: range.clone().collect(),
                    seconds: Some(RESPONSE_S * runs.len() as f64),
                    ..Job::new(JobKind::Responses, name, JobTask::Part { index, range })
                });
            }
        }
        jobs
    }
}

impl StudyKind for MeetingsSpec {
    fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    fn num_games(&self) -> [u64; 2] {
        let games = self.families.iter().map(|(name, _)| self.num_games(name));
        [games.fold(0, u64::saturating_add), 0]
    }

    fn jobs(&self, plan: &Plan) -> Vec<Job> {
        [self.meetings(plan), self.responses(plan)].concat()
    }

    fn last_work(&self, plan: &Plan) -> (u64, Option<f64>) {
        let runs = plan.runs.chunks(self.methods.len() * self.num_repeats);
        let work = runs.map(|of_family| {
            let games = num_yardstick_games(plan, &of_family[0].labels[0]);
            (games, seconds(&of_family[0], games))
        });
        let sum =
            |(games, s): (u64, f64), (more, t): (u64, f64)| (games.saturating_add(more), s + t);
        let (games, seconds) = work.fold((0, 0.0), sum);
        (games, Some(seconds))
    }

    fn progress(&self, plan: &Plan, directory: &RunDirectory, job: &Job) -> Result<usize> {
        let path = self.part(directory, job);
        match job.kind {
            JobKind::Meetings => Ok(MeasurementsFile::read_at(&path, directory, plan)?.len()),
            _ => Ok(usize::from(reading::is_there(&path)?)),
        }
    }

    fn is_done(&self, work: &Work<'_>, job: &Job) -> Result<bool> {
        let schedule = Schedule::new(work.plan, self);
        let progress = self.progress(work.plan, work.directory, job)?;
        let (family, range) = job.numbers();
        match job.kind {
            JobKind::Meetings => Ok(work.num_meetings()? >= schedule.place(family, range.end)
                || progress == range.len()),
            _ => Ok(progress > 0 || work.is_over(schedule.len())?),
        }
    }

    fn carry_out(&self, work: &Work<'_>, job: &Job, champions: &[Player]) -> Result<bool> {
        match job.kind {
            JobKind::Meetings => Schedule::new(work.plan, self).hold_part(work, job, champions),
            _ => compute_part(work, job),
        }
    }

    fn conclude(&self, work: &Work<'_>, _: &Note<'_>, outcomes: &[RunOutcome<'_>]) -> Concluded {
        let Work { plan, directory, watch, stop, .. } = *work;
        Schedule::new(plan, self).hold_all(work, outcomes)?;
        Responses::compute(plan, directory, watch, stop)?;
        measure_yardsticks(plan, directory, watch, stop)?;
        if stop.check().is_ok() {
            add_scores(directory, plan)?;
        }
        Ok(None)
    }
}
