//! What is wrong with the saved state of a method.

/// The state of a method is not one of this method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state of the method: {0}")]
pub struct StateError(String);

impl StateError {
    /// Says what is wrong with the state.
    pub fn new(problem: impl std::fmt::Display) -> StateError {
        StateError(problem.to_string())
    }
}

impl From<serde_json::Error> for StateError {
    fn from(error: serde_json::Error) -> StateError {
        StateError::new(error)
    }
}
