//! Observers of an experiment in progress.

use std::path::Path;

use ruse_base::files::DirectoryError;
use ruse_optimise::methods::{IterationRecord, Progress};

use super::outcome::RunOutcome;
use super::plan::Plan;

ruse_base::named! {
    /// The kinds of work other than runs.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Phase {
        /// The champions of all methods race each other.
        Championship = "championship",
        /// The champions of a comparison meet.
        Meetings = "meetings",
        /// Reference players are scored.
        Yardsticks = "yardsticks",
        /// Best responses are computed.
        Responses = "responses",
        /// A response to a strategy is trained.
        Search = "search",
        /// The players of a round robin meet.
        RoundRobin = "round-robin",
        /// The strategies of a pool meet.
        Pool = "pool",
        /// Bandits learn to choose among the strategies of a pool.
        Bandits = "bandits",
    }
}

impl Phase {
    /// Returns the unit in which the work is counted, in the plural.
    pub fn unit(self) -> &'static str {
        match self {
            Phase::Championship => "races",
            Phase::Meetings => "meetings",
            Phase::Yardsticks => "reference players",
            Phase::Responses => "best responses",
            Phase::Search => "games",
            Phase::RoundRobin | Phase::Pool => "pairs",
            Phase::Bandits => "lessons",
        }
    }

    /// Returns the event that this phase begins. `name` is its subject, and `total` its number of units.
    pub(super) fn begins(self, name: &str, total: u64) -> Event<'_> {
        Event::PhaseBegins { phase: self, name, size: 0, total, done: 0 }
    }
}

impl<'a> Event<'a> {
    /// Returns the event that a phase whose units take about equally long has `done` units. `note` is its current part.
    pub(super) fn goes_on(done: u64, note: &'a str) -> Event<'a> {
        Event::PhaseGoesOn { done, fraction: None, note }
    }
}

/// An event of an experiment. Runs are identified by their index in the plan.
#[non_exhaustive]
pub enum Event<'a> {
    /// The directory's file system has no locks, so other programs can write into it.
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
    /// A run begins or resumes.
    RunBegins {
        /// The index of the run.
        run: usize,
        /// The numbers of iterations and games that were done before, if the run resumes.
        done: Option<[u64; 2]>,
    },
    /// A run is in progress. Reported several times per second.
    RunGoesOn {
        /// The index of the run.
        run: usize,
        /// The used fraction of the budget, from 0 to 1.
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
    /// A remark about a run in progress; for example, its program does not answer.
    RunRemark {
        /// The index of the run.
        run: usize,
        /// The remark.
        remark: &'a str,
    },
    /// A file of a run is damaged. If it is only [lost](DirectoryError::Lost), the run begins again; otherwise, the
    /// other runs go on without it.
    RunDamaged {
        /// The index of the run.
        run: usize,
        /// The file and the damage.
        error: &'a DirectoryError,
    },
    /// The search of a run has ended, and its result is about to be scored.
    ScoringBegins {
        /// The index of the run.
        run: usize,
    },
    /// A run has ended, or was interrupted.
    RunDone {
        /// The index of the run.
        run: usize,
        /// The outcome of the run. Without [`learning`](RunOutcome::learning), the run was already finished.
        outcome: &'a RunOutcome<'a>,
    },
    /// All runs have ended, except runs that will not begin.
    RunsDone,
    /// A phase of work other than runs begins. Phases do not overlap.
    PhaseBegins {
        /// The kind of work.
        phase: Phase,
        /// The subject: a family, a strategy or a pool; empty for the whole experiment.
        name: &'a str,
        /// The size of the phase: meetings of a round robin, players of a pool, or pairs from which bandits learn; 0
        /// for other phases.
        size: u64,
        /// The maximum number of [units](Phase::unit); 0 if units are not reported.
        total: u64,
        /// The number of units that were done before the phase began.
        done: u64,
    },
    /// The phase is in progress.
    PhaseGoesOn {
        /// The number of units done.
        done: u64,
        /// The fraction of the work done, from 0 to 1; `None` if all units take about equally long, so that `done`
        /// suffices.
        fraction: Option<f64>,
        /// The current part of the work, in words; may be empty.
        note: &'a str,
    },
    /// The phase has ended, or was stopped.
    PhaseEnds,
    /// The study of a pool is finished.
    PoolDone {
        /// The name of the pool.
        name: &'a str,
        /// The duration of the study, in seconds.
        elapsed_s: f64,
    },
}

/// Receives the events of an experiment. Several threads may call [`on_event`](Watch::on_event) at the same time. Each
/// thread waits until its call returns.
pub trait Watch: Sync {
    /// Receives every event.
    fn on_event(&self, event: &Event<'_>);
}

/// Ignores every event.
impl Watch for () {
    fn on_event(&self, _: &Event<'_>) {}
}
