//! Why an experiment could not be carried out.

use super::ablation::NoSuchGroup;
use super::files::strategy::ContestantError;
use super::spec::error::SpecError;
use crate::family::PlayerError;
use crate::files::{DirectoryError, ReadError};
use crate::optimise::{RunError, StateError};
use crate::portfolio::PayoffError;

/// Why an experiment could not be carried out, or not to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// It was stopped from outside; what was found so far is written.
    #[error("stopped before the end")]
    Stopped,
    /// Its directory cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// Its file cannot be used.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The state that it was resumed from is not one of its method.
    #[error("cannot resume: {0}")]
    State(#[from] StateError),
    /// A method cannot go on, for this reason.
    #[error("{0}")]
    Method(String),
    /// A strategy file that belongs to it cannot be used.
    #[error(transparent)]
    Contestant(#[from] ContestantError),
    /// Its champions do not fit their family.
    #[error(transparent)]
    Matchup(#[from] PlayerError),
    /// There is no portfolio of its champions.
    #[error(transparent)]
    Payoff(#[from] PayoffError),
    /// It is not for these families.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A group of parameters does not exist.
    #[error(transparent)]
    Group(#[from] NoSuchGroup),
    /// A pool has not as many different strategies as are asked for.
    #[error("{pool}: only {found} of {wanted} random strategies are different")]
    TooFewStrategies {
        /// The pool.
        pool: String,
        /// Strategies that differ.
        found: u64,
        /// Strategies that the experiment asks for.
        wanted: u64,
    },
    /// The system gives no threads.
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

/// Whether work was stopped from outside.
///
/// # Errors
///
/// When it failed.
pub(super) fn was_stopped(ended: Result<(), LabError>) -> Result<bool, LabError> {
    match ended {
        Err(LabError::Stopped) => Ok(true),
        ended => ended.map(|()| false),
    }
}
