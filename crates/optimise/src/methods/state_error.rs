//! The error about an invalid saved state of a method.

/// The saved state does not belong to this method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state of the method: {0}")]
pub struct StateError(String);

impl StateError {
    /// Creates an error that describes the problem with the state.
    pub fn new(problem: impl std::fmt::Display) -> StateError {
        StateError(problem.to_string())
    }

    /// Returns an error unless the state fits the population of its run.
    pub fn unless(is_sound: bool) -> Result<(), StateError> {
        if is_sound { Ok(()) } else { Err(StateError::new("it does not fit the population")) }
    }
}

impl From<serde_json::Error> for StateError {
    fn from(error: serde_json::Error) -> StateError {
        StateError::new(error)
    }
}

/// Returns `true` if a vector has this dimension and finite numbers.
pub(super) fn fits(vector: &[f64], dimension: usize) -> bool {
    vector.len() == dimension && vector.iter().all(|x| x.is_finite())
}
