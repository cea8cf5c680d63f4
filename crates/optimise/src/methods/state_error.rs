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
}

impl From<serde_json::Error> for StateError {
    fn from(error: serde_json::Error) -> StateError {
        StateError::new(error)
    }
}
