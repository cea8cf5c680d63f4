//! Observers of an experiment in progress.

use std::path::Path;

use super::outcome::RunOutcome;
use super::plan::{Plan, Program};
use super::spec::run::Experiment;
use crate::exploit::SearchStage;
use crate::optimise::{IterationRecord, Progress};

/// An event of an experiment. Runs are identified by their index in the plan.
#[non_exhaustive]
pub enum Event<'a> {
    /// The file system of the directory has no locks, so other programs can write into the directory.
    NotExclusive {
        /// The directory.
        directory: &'a Path,
    },
    /// The unfinished runs of a plan are about to be carried out.
    RunsBegin {
        /// The plan.
        plan: &'a Plan,
        /// The indices of the unfinished runs.
        runs: &'a [usize],
    },
    /// Unfinished runs are about to start a program.
    ProgramsStart {
        /// The program.
        program: &'a Program<'a>,
    },
    /// A run begins or resumes.
    RunBegins {
        /// The index of the run.
        run: usize,
        /// The numbers of iterations and games that were done before, if the run resumes.
        done: Option<[u64; 2]>,
    },
    /// A run is in progress; reported several times per second.
    RunGoesOn {
        /// The index of the run.
        run: usize,
        /// The fraction of the budget that is used, from 0 to 1.
        fraction: f64,
        /// The progress of the run.
        progress: Progress,
    },
    /// An iteration of a run is done and recorded.
    IterationDone {
        /// The index of the run.
        run: usize,
        /// The record of the iteration.
        record: &'a IterationRecord,
    },
    /// A remark about a run in progress, for example that the program of the run does not answer.
    RunRemark {
        /// The index of the run.
        run: usize,
        /// The remark.
        remark: &'a str,
    },
    /// A run has ended, or was interrupted.
    RunDone {
        /// The index of the run.
        run: usize,
        /// The outcome of the run. If the outcome has no [`learning`](RunOutcome::learning), the run was finished
        /// before.
        outcome: &'a RunOutcome<'a>,
    },
    /// All runs have ended, or will not begin.
    RunsDone,
    /// The champions of all methods begin to race each other.
    ChampionshipBegins {
        /// One of the runs whose champions race.
        experiment: &'a Experiment,
    },
    /// The champions of a comparison begin to meet.
    MeetingsBegin {
        /// The total number of meetings.
        num_meetings: u64,
    },
    /// Two champions meet.
    MeetingBegins {
        /// The family, as named in the comparison.
        family: &'a str,
        /// The number of meetings already played.
        num_done: u64,
    },
    /// The meetings have ended.
    MeetingsDone,
    /// The yardsticks are about to be scored.
    YardsticksBegin {
        /// The number of missing scores.
        num_scores: u64,
    },
    /// A yardstick was scored.
    YardstickDone {
        /// The family, as named in the comparison.
        family: &'a str,
    },
    /// The scoring of yardsticks has ended.
    YardsticksDone,
    /// Best responses are about to be computed.
    ResponsesBegin {
        /// The number of strategies to respond to.
        num_strategies: u64,
    },
    /// The best response to a strategy was computed, or there is no way to compute it.
    ResponseDone {
        /// The family, as named in the comparison.
        family: &'a str,
    },
    /// The computation of best responses has ended.
    ResponsesDone,
    /// A search for a good response begins.
    SearchBegins {
        /// The strategy to respond to: the name of its run, and whether it is a mixture.
        name: &'a str,
        /// The number of the search, from 1, and the total number of searches.
        number: [u64; 2],
        /// The number of runs in the search, and the number of games in each.
        size: [u64; 2],
    },
    /// A search is in progress.
    SearchGoesOn {
        /// The stage of the search.
        stage: SearchStage,
    },
    /// A search has ended.
    SearchDone,
    /// The players of a round robin begin to meet.
    RoundRobinBegins {
        /// The total number of meetings.
        num_meetings: u64,
        /// The largest possible number of pairs of games.
        num_pairs: u64,
        /// The number of pairs played before.
        num_done: u64,
    },
    /// A pair of a round robin was played and recorded.
    RoundRobinGoesOn {
        /// The number of pairs played.
        num_done: u64,
        /// The fraction of the work done, from 0 to 1.
        fraction: f64,
    },
    /// The round robin has ended.
    RoundRobinDone,
    /// The strategies of a pool begin to meet.
    PoolBegins {
        /// The name of the pool.
        name: &'a str,
        /// The number of strategies in the pool.
        num_members: u64,
        /// The largest possible number of pairs of games.
        num_pairs: u64,
    },
    /// The strategies of a pool are playing.
    PoolGoesOn {
        /// The number of pairs played.
        num_pairs: u64,
    },
    /// All strategies of a pool have met; bandits begin to learn.
    PoolHasMet {
        /// The name of the pool.
        name: &'a str,
        /// The number of pairs played.
        num_pairs: u64,
    },
    /// A pool is finished, or its study was stopped.
    PoolDone {
        /// The name of the pool.
        name: &'a str,
        /// The duration of the study in seconds; `None` if the study was stopped.
        elapsed_s: Option<f64>,
    },
}

/// Receives the events of an experiment. Several threads may call [`on_event`](Watch::on_event) at the same time, and
/// each thread waits until its call returns.
pub trait Watch: Sync {
    /// Receives every event.
    fn on_event(&self, event: &Event<'_>);
}

/// Ignores every event.
impl Watch for () {
    fn on_event(&self, _: &Event<'_>) {}
}
