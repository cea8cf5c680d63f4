//! Watching an experiment: what happens, told while it happens.

use std::path::Path;

use super::outcome::RunOutcome;
use super::plan::{Plan, Program};
use super::spec::run::Experiment;
use crate::exploit::SearchStage;
use crate::optimise::{IterationRecord, Progress};

/// Something that happens in an experiment. Runs are named by their index in the plan.
#[non_exhaustive]
pub enum Event<'a> {
    /// The file system of the directory has no locks: nothing keeps other programs from writing there.
    NotExclusive {
        /// The directory.
        directory: &'a Path,
    },
    /// The runs of a plan are about to be carried out, as far as they are not finished.
    RunsBegin {
        /// The plan.
        plan: &'a Plan,
        /// Those of its runs that are.
        runs: &'a [usize],
    },
    /// Runs that are not finished are about to start a program.
    ProgramsStart {
        /// The program.
        program: &'a Program<'a>,
    },
    /// A run begins, or goes on.
    RunBegins {
        /// Which run.
        run: usize,
        /// Iterations and games that were done before.
        done: Option<[u64; 2]>,
    },
    /// A run goes on; several times a second.
    RunGoesOn {
        /// Which run.
        run: usize,
        /// The part of its budget that is used, from 0 to 1.
        fraction: f64,
        /// Where it is.
        progress: Progress,
    },
    /// An iteration of a run is done and written down.
    IterationDone {
        /// Which run.
        run: usize,
        /// What came of it.
        record: &'a IterationRecord,
    },
    /// There is something to know about a run that goes on, such as that its program is silent.
    RunRemark {
        /// Which run.
        run: usize,
        /// What there is to know.
        remark: &'a str,
    },
    /// A run has ended; it may have been interrupted.
    RunDone {
        /// Which run.
        run: usize,
        /// What came of it. It was finished before if it has no [`learning`](RunOutcome::learning).
        outcome: &'a RunOutcome<'a>,
    },
    /// All runs have ended, or do not begin any more.
    RunsDone,
    /// The champions of all methods race.
    ChampionshipBegins {
        /// One of the runs whose champions meet.
        experiment: &'a Experiment,
    },
    /// Champions of a comparison meet.
    MeetingsBegin {
        /// Meetings that there are in all.
        num_meetings: u64,
    },
    /// Two champions meet.
    MeetingBegins {
        /// The family, as the comparison calls it.
        family: &'a str,
        /// Meetings that were held before.
        num_done: u64,
    },
    /// No more champions meet.
    MeetingsDone,
    /// Players that were not learned are scored.
    YardsticksBegin {
        /// Scores that are not known yet.
        num_scores: u64,
    },
    /// Such a player was scored.
    YardstickDone {
        /// The family, as the comparison calls it.
        family: &'a str,
    },
    /// No more such players are scored.
    YardsticksDone,
    /// Best responses are computed.
    ResponsesBegin {
        /// Strategies to respond to.
        num_strategies: u64,
    },
    /// It is known whether there is a best response to a strategy.
    ResponseDone {
        /// The family, as the comparison calls it.
        family: &'a str,
    },
    /// No more responses are computed.
    ResponsesDone,
    /// A search for a good response begins.
    SearchBegins {
        /// The strategy to respond to: the name of its run, and whether it is a mixture.
        name: &'a str,
        /// Which search, from 1, of how many.
        number: [u64; 2],
        /// Runs of the search, and games of each.
        size: [u64; 2],
    },
    /// A search goes on.
    SearchGoesOn {
        /// Where it is.
        stage: SearchStage,
    },
    /// A search has ended.
    SearchDone,
    /// The players of a round robin meet.
    RoundRobinBegins {
        /// Meetings that there are in all.
        num_meetings: u64,
        /// Pairs of games that they come to at most.
        num_pairs: u64,
        /// Pairs that were played before.
        num_done: u64,
    },
    /// A pair of a round robin was played and is written down.
    RoundRobinGoesOn {
        /// Pairs that are played.
        num_done: u64,
        /// The part of the work that is done, from 0 to 1.
        fraction: f64,
    },
    /// No more pairs are played.
    RoundRobinDone,
    /// The strategies of a pool meet.
    PoolBegins {
        /// The pool.
        name: &'a str,
        /// Its strategies.
        num_members: u64,
        /// Pairs of games that they play at most.
        num_pairs: u64,
    },
    /// They have played so many pairs.
    PoolGoesOn {
        /// Pairs of games.
        num_pairs: u64,
    },
    /// All have met; bandits learn.
    PoolHasMet {
        /// The pool.
        name: &'a str,
        /// Pairs of games that were played.
        num_pairs: u64,
    },
    /// A pool is finished, or its study was stopped.
    PoolDone {
        /// The pool.
        name: &'a str,
        /// Seconds that it took; none if it was stopped.
        elapsed_s: Option<f64>,
    },
}

/// Learns what happens in an experiment. Several threads tell it at the same time, and wait until it returns.
pub trait Watch: Sync {
    /// Something happens.
    fn on_event(&self, event: &Event<'_>);
}

/// Ignores every event.
impl Watch for () {
    fn on_event(&self, _: &Event<'_>) {}
}
