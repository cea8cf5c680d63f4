//! The jobs of a plan. Different programs can do these jobs, on different machines and at different times.
//!
//! Jobs are numbered kind by kind, and longest first within a kind. Kinds are ordered by what they need: runs, then the
//! meetings of their champions, then best responses, then the finale, which merges everything. Numbers and lengths
//! depend only on the plan, so all machines agree on them. Shard i of n contains the jobs i, i + n, i + 2n and so on.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::Serialize;

use super::language::run::Experiment;
use super::plan::Plan;
use super::plan_size::expected_length;

/// The duration of a run with the default budget of its family on one thread, in seconds. Default budgets suit the
/// speed of the games: on a processor from 2020, runs take less than a second (Morra, Nim), 8 s (Flip, Guess Who), 19 s
/// (War), or 42 s (Battleship).
const DEFAULT_BUDGET_S: f64 = 20.0;

ruse_base::named! {
    /// The kind of a job.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[non_exhaustive]
    pub enum JobKind {
        /// A run of a method.
        Run = "run",
        /// A pool for studying the random seed.
        Pool = "pool",
        /// Some meetings of a round robin, played on all threads of one machine.
        RoundRobin = "round-robin",
        /// Some meetings between the champions of a family.
        Meetings = "meetings",
        /// Best responses to the strategies of some runs of a method.
        Responses = "responses",
        /// The final work: merging parts, scoring results, and writing tables and figures.
        Finale = "finale",
    }
}

/// The work of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JobTask {
    /// The run with this index.
    Run(usize),
    /// A part of a study. The study defines the meaning of the two numbers.
    Part {
        index: usize,
        range: Range<usize>,
    },
    Finale,
}

/// A unit of work for one program.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Job {
    /// The number of the job, from 0.
    pub id: usize,
    /// The kind of work.
    pub kind: JobKind,
    /// The name of the job. The name of a run is also the name of its directory.
    pub name: String,
    /// The name of the family in the experiment, if the job has only one family.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The numbers of the jobs that must be finished before this one. Empty for the finale, which needs all other jobs.
    pub needs: Vec<usize>,
    /// An upper bound on the time that the job takes on one thread, in seconds, from the declared speed of the family;
    /// `None` if unknown.
    pub seconds: Option<f64>,
    /// An upper bound on the number of games of the job, as far as it is known.
    pub games: u64,
    #[serde(skip)]
    pub(super) task: JobTask,
    /// The runs whose champions the job needs, as ascending indices in the plan.
    #[serde(skip)]
    pub(super) runs: Vec<usize>,
}

impl Job {
    /// Creates a job without a number that takes no time, plays no games and needs no runs.
    pub(super) fn new(kind: JobKind, name: String, task: JobTask) -> Job {
        Job {
            id: 0,
            kind,
            name,
            family: None,
            needs: Vec::new(),
            seconds: None,
            games: 0,
            task,
            runs: Vec::new(),
        }
    }

    /// Returns the two numbers of a part of a study.
    ///
    /// # Panics
    ///
    /// Panics if the job is not a part of a study.
    pub(crate) fn numbers(&self) -> (usize, Range<usize>) {
        match &self.task {
            JobTask::Part { index, range } => (*index, range.clone()),
            _ => panic!("{} is not a part of a study", self.name),
        }
    }
}

/// Returns the name of the lock that a program holds while it does the job of this kind with this name.
pub(super) fn lock_name(kind: JobKind, name: &str) -> String {
    format!("{}-{name}", kind.name())
}

/// The jobs of a plan.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Jobs {
    /// The fingerprint of the plan.
    pub fingerprint: String,
    /// The jobs, indexed by number.
    pub jobs: Vec<Job>,
}

/// Estimates the time for `games` games in the family of a run, in seconds.
pub(crate) fn seconds(experiment: &Experiment, games: u64) -> f64 {
    games as f64 * DEFAULT_BUDGET_S / experiment.family.info().default_budget as f64
}

impl Jobs {
    /// Returns the jobs of a plan.
    pub fn of(plan: &Plan) -> Jobs {
        let study = plan.study.kind();
        let (games, seconds) = study.last_work(plan);
        let name = JobKind::Finale.name().into();
        let finale = Job { games, seconds, ..Job::new(JobKind::Finale, name, JobTask::Finale) };
        let mut jobs: Vec<Job> = runs(plan).chain(study.jobs(plan)).chain([finale]).collect();
        // Jobs of unknown length may be long, so they come first in their kind. The sort is stable, so equally long jobs
        // keep the order of the plan.
        let length = |job: &Job| job.seconds.unwrap_or(f64::INFINITY);
        jobs.sort_by(|x, y| x.kind.cmp(&y.kind).then(length(y).total_cmp(&length(x))));

        let mut id_of_run = vec![0; plan.runs.len()];
        for (id, job) in jobs.iter_mut().enumerate() {
            job.id = id;
            job.needs = job.runs.iter().map(|&run| id_of_run[run]).collect();
            job.needs.sort_unstable();
            if let JobTask::Run(run) = job.task {
                id_of_run[run] = id;
            }
        }
        Jobs { fingerprint: plan.fingerprint(), jobs }
    }

    /// Returns the jobs of a shard, in order. The finale belongs to no shard, because it needs all other jobs.
    pub fn of_shard(&self, shard: Shard) -> Vec<&Job> {
        let of_shard = self.jobs.iter().skip(shard.index).step_by(shard.count);
        of_shard.filter(|job| job.kind != JobKind::Finale).collect()
    }

    /// Iterates over the jobs of a kind, in order.
    pub(super) fn of_kind(&self, kind: JobKind) -> impl Iterator<Item = &Job> {
        self.jobs.iter().filter(move |job| job.kind == kind)
    }

    /// Returns the number of jobs of a kind.
    pub fn num_of(&self, kind: JobKind) -> usize {
        self.of_kind(kind).count()
    }
}

fn runs(plan: &Plan) -> impl Iterator<Item = Job> {
    plan.runs.iter().enumerate().map(|(index, run)| {
        let scoring = run.num_scoring_games();
        let learning_s = match run.budget.time {
            Some(time) => time.as_secs_f64(),
            None => DEFAULT_BUDGET_S * expected_length(run),
        };
        Job {
            family: Some(run.labels[0].clone()),
            games: run.budget.games.unwrap_or(0).saturating_add(scoring),
            seconds: Some(learning_s + seconds(run, scoring)),
            ..Job::new(JobKind::Run, run.run_name(), JobTask::Run(index))
        }
    })
}

/// A share of the jobs of a plan: every job whose number is `index` modulo `count`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    index: usize,
    count: usize,
}

/// The error for an invalid shard.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShardError {
    /// The text does not consist of two numbers.
    #[error(
        "`{0}` is not a shard; write it as 3/100: the fourth of a hundred, which are 0/100 to 99/100"
    )]
    NotAShard(String),
    /// The number of shards is 0, or too large.
    #[error("{0} shards are out of range: 1 to {MAX_SHARDS} are allowed")]
    Count(usize),
    /// The index is not less than the number of shards.
    #[error("there is no shard {index} of {count}: they are numbered from 0 to {}", count - 1)]
    Index {
        /// The index of the shard.
        index: usize,
        /// The number of shards.
        count: usize,
    },
}

/// The maximum number of shards. Every plan has fewer jobs.
const MAX_SHARDS: usize = 1_000_000;

impl Shard {
    /// Creates the shard with this index, from 0, of `count` shards.
    ///
    /// # Errors
    ///
    /// Returns an error if `count` is 0 or too large, or `index` is not less than `count`.
    pub fn new(index: usize, count: usize) -> Result<Shard, ShardError> {
        match () {
            () if !(1..=MAX_SHARDS).contains(&count) => Err(ShardError::Count(count)),
            () if index >= count => Err(ShardError::Index { index, count }),
            () => Ok(Shard { index, count }),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Shard, ShardError> {
        let numbers = text.split_once('/').and_then(|(index, count)| {
            Some((index.trim().parse().ok()?, count.trim().parse().ok()?))
        });
        let (index, count) = numbers.ok_or_else(|| ShardError::NotAShard(text.into()))?;
        Shard::new(index, count)
    }
}

/// The jobs that one program does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Share {
    /// The jobs of a shard.
    Shard(Shard),
    /// The job with this number.
    Job(usize),
}

/// The error for a job that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no job {id}: the jobs of this experiment are numbered from 0 to {last}")]
pub struct NoSuchJob {
    /// The number of the job.
    pub id: usize,
    /// The last valid number.
    pub last: usize,
}

impl Share {
    /// Returns the jobs of the share, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such job.
    pub fn jobs(self, jobs: &Jobs) -> Result<Vec<&Job>, NoSuchJob> {
        match self {
            Share::Shard(shard) => Ok(jobs.of_shard(shard)),
            Share::Job(id) => match jobs.jobs.get(id) {
                Some(job) => Ok(vec![job]),
                None => Err(NoSuchJob { id, last: jobs.jobs.len() - 1 }),
            },
        }
    }

    /// Returns the name of the files of the share.
    pub(super) fn file_name(self) -> String {
        match self {
            Share::Shard(Shard { index, count }) => format!("shard-{index}-of-{count}"),
            Share::Job(id) => format!("job-{id}"),
        }
    }

    /// Describes the share in words.
    pub fn in_words(self) -> String {
        match self {
            Share::Shard(shard) => format!("shard {shard}"),
            Share::Job(id) => format!("job {id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use ruse_registry::Registry;

    use super::*;
    use crate::fixtures::plan;

    fn jobs(text: &str) -> (Plan, Jobs) {
        let plan = plan(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let jobs = Jobs::of(&plan);
        (plan, jobs)
    }

    const COMPARISON: &str = "families: [{family: pig, budget: 1M}, {family: war, budget: 2M}]\n\
                              methods: [naive, seeds, cma-es]\nrepeats: 12\nhalf-width: 0.0002\n";

    #[test]
    fn the_longest_come_first_and_need_what_came_before() {
        let (plan, jobs) = jobs(COMPARISON);
        assert_eq!(jobs.fingerprint, plan.fingerprint());
        let kinds: Vec<JobKind> = jobs.jobs.iter().map(|job| job.kind).collect();
        assert!(kinds.is_sorted());
        assert!(jobs.jobs.iter().enumerate().all(|(index, job)| job.id == index));
        assert_eq!(jobs.num_of(JobKind::Run), 72);
        // There are three methods and two families. In each, twelve runs are divided into parts of ten and two.
        assert_eq!(jobs.num_of(JobKind::Responses), 12);
        assert_eq!(jobs.num_of(JobKind::Finale), 1);
        // In War, 2M games (a fifth of the default budget) take 4 s. In Pig, 1M games (a tenth) take 2 s. Scoring comes
        // on top.
        assert!(jobs.jobs[0].name.starts_with("war-"), "{}", jobs.jobs[0].name);
        for pair in jobs.jobs.windows(2).filter(|pair| pair[0].kind == pair[1].kind) {
            assert!(pair[0].seconds >= pair[1].seconds, "{pair:?}");
        }
        for job in &jobs.jobs {
            assert!(job.needs.iter().all(|&need| jobs.jobs[need].kind == JobKind::Run), "{job:?}");
        }
        let names: HashSet<&str> = jobs.jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names.len(), jobs.jobs.len());
    }

    /// Every meeting and every run is in exactly one job.
    #[test]
    fn parts_are_the_whole() {
        let (plan, jobs) = jobs(COMPARISON);
        let crate::Study::Meetings(spec) = &plan.study else { panic!("a comparison") };
        let pairings = spec.pairings();
        for family in 0..2 {
            let ranges = jobs.jobs.iter().filter_map(|job| match &job.task {
                JobTask::Part { index, range }
                    if job.kind == JobKind::Meetings && *index == family =>
                {
                    let sides = pairings[range.clone()].iter().flatten();
                    let runs: HashSet<usize> = sides.map(|side| family * 36 + side).collect();
                    let needs = job.needs.iter().map(|&need| match jobs.jobs[need].task {
                        JobTask::Run(run) => run,
                        ref task => panic!("{task:?}"),
                    });
                    assert_eq!(needs.collect::<HashSet<_>>(), runs);
                    Some(range.clone())
                }
                _ => None,
            });
            let mut ranges: Vec<_> = ranges.collect();
            ranges.sort_by_key(|range| range.start);
            assert!(ranges.len() > 1, "{ranges:?}");
            assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, pairings.len()));
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
        let responses = jobs.jobs.iter().filter_map(|job| match &job.task {
            JobTask::Part { range, .. } if job.kind == JobKind::Responses => Some(range.clone()),
            _ => None,
        });
        let mut runs: Vec<usize> = responses.flatten().collect();
        runs.sort_unstable();
        assert!(runs.into_iter().eq(0..72));
    }

    #[test]
    fn shards_are_the_whole() {
        let (_, jobs) = jobs(COMPARISON);
        for count in [1, 2, 7, 1000] {
            let shards = (0..count).flat_map(|index| {
                jobs.of_shard(Shard::new(index, count).expect("in range")).into_iter()
            });
            let mut ids: Vec<usize> = shards.map(|job| job.id).collect();
            ids.sort_unstable();
            assert!(ids.into_iter().eq(0..jobs.jobs.len() - 1), "{count}");
        }
    }

    #[test]
    fn other_experiments_have_jobs_too() {
        let kinds = |text: &str| -> Vec<(JobKind, usize)> {
            let (_, jobs) = jobs(text);
            let counts = JobKind::ALL.map(|kind| (kind, jobs.num_of(kind)));
            counts.into_iter().filter(|(_, count)| *count > 0).collect()
        };
        use JobKind::{Finale, Pool, RoundRobin, Run};
        assert_eq!(kinds("family: war"), [(Run, 1), (Finale, 1)]);
        let methods = Registry::standard().general_methods().count();
        assert_eq!(kinds("family: war\nmethod: all"), [(Run, methods), (Finale, 1)]);
        let pools =
            "portfolios: [{family: pig, random: [4], pairs: 50}, {family: war, random: [3]}]\n";
        assert_eq!(kinds(pools), [(Pool, 2), (Finale, 1)]);
        let players = "family: nim\nplayers: [optimal, random]\n";
        assert_eq!(kinds(players), [(RoundRobin, 1), (Finale, 1)]);
    }
}
