//! The errors that can occur while an experiment is carried out.

use ruse_base::files::{DirectoryError, ReadError};
use ruse_optimise::methods::{RunError, StateError};
use ruse_optimise::portfolio::PayoffError;
use ruse_play::family::PlayerError;
use ruse_programs::RefusedProgram;

use super::ablation::NoSuchGroup;
use super::files::strategy::ContestantError;
use super::language::error::SpecError;

/// The result of a part of an experiment.
pub(crate) type Result<T = (), E = LabError> = std::result::Result<T, E>;

/// The reason why an experiment could not be completed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum LabError {
    /// The experiment was stopped from outside; the results so far are written.
    #[error("stopped before the end")]
    Stopped,
    /// The directory of the experiment cannot be used.
    Directory(#[from] DirectoryError),
    /// The experiment file cannot be used.
    Read(#[from] ReadError),
    /// The saved state is not a valid state of the method.
    #[error("cannot resume: {0}")]
    State(#[from] StateError),
    /// A method failed with this message.
    #[error("{0}")]
    Method(String),
    /// A strategy file of the experiment cannot be used.
    Contestant(#[from] ContestantError),
    /// A player of the experiment does not fit its family.
    Matchup(#[from] PlayerError),
    /// The mixture of the champions could not be computed.
    Payoff(#[from] PayoffError),
    /// These families do not support the experiment.
    Spec(#[from] SpecError),
    /// A group of parameters does not exist.
    Group(#[from] NoSuchGroup),
    /// A pool has fewer different strategies than required.
    #[error("{pool}: only {found} of {wanted} random strategies are different")]
    TooFewStrategies {
        /// The name of the pool.
        pool: String,
        /// The number of different strategies.
        found: u64,
        /// The number of strategies that the experiment requires.
        wanted: u64,
    },
    /// The experiment names a program that [must not](ruse_programs::guard_programs) be started.
    Program(#[from] RefusedProgram),
    /// The system cannot create threads.
    #[error("cannot start threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl From<RunError<DirectoryError>> for LabError {
    fn from(error: RunError<DirectoryError>) -> LabError {
        match error {
            RunError::State(error) => error.into(),
            RunError::Method(reason) => LabError::Method(reason),
            RunError::Observer(error) => error.into(),
        }
    }
}
