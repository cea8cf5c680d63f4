//! Simulates the time that the jobs of a plan take on many cores. The simulation plays no games.
//!
//! Each shard uses one core and works in two phases: its runs, and, after the runs of all shards, its meetings and
//! responses. The finale follows on one core. If there are more shards than cores, the next shard begins when a core
//! becomes free. A core fails after an exponentially distributed time. The work since the last checkpoint is then lost.
//! The shard resumes on another core when the scheduler has noticed the failure.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::RngExt;
use ruse_base::rng::{Label, Stream, StreamKey};

use super::jobs::{JobKind, Jobs, Shard};

/// The cores of a cluster, and their failures.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// The number of cores that work at the same time, at least one.
    pub cores: usize,
    /// The number of shards of the plan, at least one.
    pub shards: usize,
    /// The time that the scheduler needs to start a shard, in seconds. Shards are started one by one.
    pub start_s: f64,
    /// The mean time until a core fails, in seconds; `None` if cores never fail.
    pub mean_life_s: Option<f64>,
    /// The time from a failure until the shard resumes, in seconds.
    pub notice_s: f64,
    /// The seconds between two checkpoints.
    pub checkpoint_every_s: f64,
}

impl Cluster {
    /// Creates a cluster with Slurm's defaults: a shard starts in .4 s, a lost node is noticed after five minutes, and
    /// its shard restarts two minutes later. Shards write a checkpoint every minute.
    pub fn new(cores: usize, shards: usize) -> Cluster {
        Cluster {
            cores,
            shards,
            start_s: 0.4,
            mean_life_s: None,
            notice_s: 420.0,
            checkpoint_every_s: 60.0,
        }
    }
}

/// The results of a simulation; all times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Simulated {
    /// The time from the start to the end of the finale.
    pub makespan_s: f64,
    /// The time of the work on one core that never fails.
    pub work_s: f64,
    /// The number of cores that failed.
    pub num_failures: u64,
    /// The time for work that was lost in failures and repeated.
    pub lost_s: f64,
}

impl Simulated {
    /// Returns the share of the capacity of `cores` cores that the work used during the makespan, from 0 to 1.
    pub fn efficiency(&self, cores: usize) -> f64 {
        match self.makespan_s > 0.0 {
            true => self.work_s / (self.makespan_s * cores as f64),
            false => 1.0,
        }
    }
}

/// Simulates jobs that take these numbers of seconds, indexed by job. The times of failures are drawn with `key`.
pub fn simulate(jobs: &Jobs, seconds: &[f64], cluster: &Cluster, key: StreamKey) -> Simulated {
    let mut found = Simulated { work_s: seconds.iter().sum(), ..Simulated::default() };
    let mut rng = key.child(Label::Choice, 0).stream();
    let is_first = |kind: JobKind| kind < JobKind::Meetings;
    for stage in [true, false] {
        let lengths = (0..cluster.shards).map(|index| {
            let shard = Shard::new(index, cluster.shards).expect("in range");
            let of_stage =
                jobs.of_shard(shard).into_iter().filter(|job| is_first(job.kind) == stage);
            of_stage.map(|job| seconds[job.id]).sum::<f64>()
        });
        let lengths: Vec<f64> = lengths.filter(|&length| length > 0.0).collect();
        found.makespan_s = array(&lengths, cluster, found.makespan_s, &mut rng, &mut found);
    }
    found.makespan_s += jobs.of_kind(JobKind::Finale).map(|job| seconds[job.id]).sum::<f64>();
    found
}

/// Returns the time at which the last of these shards ends, in seconds. The first begins at `begin_s`, and `lengths`
/// has the duration of each shard's work.
fn array(
    lengths: &[f64],
    cluster: &Cluster,
    begin_s: f64,
    rng: &mut Stream,
    found: &mut Simulated,
) -> f64 {
    // The times at which cores become free, in whole milliseconds, because floats are not `Ord`.
    let milliseconds = |s: f64| (s * 1e3).round() as u64;
    let mut free: BinaryHeap<Reverse<u64>> =
        (0..cluster.cores).map(|_| Reverse(milliseconds(begin_s))).collect();
    let (mut started_s, mut end_s) = (begin_s, begin_s);
    for &length in lengths {
        let Reverse(free_ms) = free.pop().expect("there is a core");
        started_s = (started_s + cluster.start_s).max(free_ms as f64 / 1e3);
        let ends_s = started_s + with_failures(length, cluster, rng, found);
        free.push(Reverse(milliseconds(ends_s)));
        end_s = end_s.max(ends_s);
    }
    end_s
}

/// Returns the duration of a shard with this amount of work, including time lost to failures, in seconds.
fn with_failures(length: f64, cluster: &Cluster, rng: &mut Stream, found: &mut Simulated) -> f64 {
    /// The maximum number of failures of a shard. Without it, a shard that fails before every checkpoint would never
    /// end.
    const MAX_FAILURES: u64 = 10_000;
    let Some(mean_life_s) = cluster.mean_life_s else { return length };
    let (mut left, mut elapsed) = (length, 0.0);
    for _ in 0..MAX_FAILURES {
        // The inverse of the distribution function; 1 - u is never 0.
        let life = -libm::log(1.0 - rng.random::<f64>()) * mean_life_s;
        if life >= left {
            return elapsed + left;
        }
        let kept = (life / cluster.checkpoint_every_s).floor() * cluster.checkpoint_every_s;
        found.num_failures += 1;
        found.lost_s += life - kept;
        left -= kept;
        elapsed += life + cluster.notice_s;
    }
    f64::INFINITY
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::plan;

    /// Returns jobs (eight runs, some meetings, two responses and the finale), and their lengths.
    fn jobs(run_s: f64, other_s: f64) -> (Jobs, Vec<f64>) {
        let text = "families: [pig]\nmethods: [naive, seeds]\nrepeats: 4\nhalf-width: 0.1";
        let jobs = Jobs::of(&plan(text).expect("valid"));
        assert_eq!(jobs.num_of(JobKind::Run), 8);
        assert_eq!(jobs.num_of(JobKind::Meetings), 1);
        let length = |kind| if kind == JobKind::Run { run_s } else { other_s };
        let seconds = jobs.jobs.iter().map(|job| length(job.kind)).collect();
        (jobs, seconds)
    }

    fn perfect(cores: usize, shards: usize) -> Cluster {
        Cluster { start_s: 0.0, ..Cluster::new(cores, shards) }
    }

    #[test]
    fn shards_are_as_long_as_their_jobs() {
        let (jobs, seconds) = jobs(100.0, 10.0);
        let key = StreamKey::root(1);
        // Eight runs, one part of the meetings, two methods with responses and the finale take 800 + 40 s.
        for (cores, shards, makespan_s) in [
            (1, 1, 840.0),
            // Each of the two shards has four runs. One also has two of the three other jobs, and the finale follows.
            (2, 2, 400.0 + 20.0 + 10.0),
            (4, 4, 200.0 + 10.0 + 10.0),
            (8, 8, 100.0 + 10.0 + 10.0),
            // With more cores than jobs, all runs take place at once.
            (100, 100, 120.0),
            // The shards have 3, 3 and 2 runs. On two cores, they take as long as five runs one after the other.
            (2, 3, 500.0 + 20.0 + 10.0),
        ] {
            let found = simulate(&jobs, &seconds, &perfect(cores, shards), key);
            assert!((found.makespan_s - makespan_s).abs() < 0.01, "{cores}, {shards}: {found:?}");
            assert_eq!((found.work_s, found.num_failures), (840.0, 0));
            let efficiency = 840.0 / makespan_s / cores as f64;
            assert!((found.efficiency(cores) - efficiency).abs() < 1e-4);
        }
        // The scheduler starts the eight shards of the first array one by one, and then the three of the second.
        let slow = Cluster { start_s: 1.0, ..Cluster::new(8, 8) };
        let found = simulate(&jobs, &seconds, &slow, key);
        assert!((found.makespan_s - (108.0 + 13.0 + 10.0)).abs() < 0.01, "{found:?}");
    }

    /// A core fails after L seconds on average, so there are about W / L failures during a shard of W seconds.
    #[test]
    fn failures_cost_time() {
        let (jobs, seconds) = jobs(10_000.0, 0.0);
        let cluster = Cluster { mean_life_s: Some(2_000.0), ..perfect(8, 8) };
        let (mut failures, mut lost) = (0, 0.0);
        let num_simulations = 200;
        for seed in 0..num_simulations {
            let found = simulate(&jobs, &seconds, &cluster, StreamKey::root(seed));
            assert!(found.makespan_s > 10_000.0);
            failures += found.num_failures;
            lost += found.lost_s;
        }
        // Eight shards take 10,000 s plus the lost work. Each failure loses half a minute: 8 * 5 * (1 + 30 / 2000) =
        // 40.6 failures. Over 200 simulations, the sum has a standard deviation of 90; four of these are 1.8 per
        // simulation.
        let mean = failures as f64 / num_simulations as f64;
        assert!((mean - 40.6).abs() < 1.8, "{mean}");
        let lost_each = lost / failures as f64;
        assert!((lost_each - 30.0).abs() < 1.0, "{lost_each}");
        let again = simulate(&jobs, &seconds, &cluster, StreamKey::root(3));
        assert_eq!(again, simulate(&jobs, &seconds, &cluster, StreamKey::root(3)));
    }
}
