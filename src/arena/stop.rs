//! Asking long work to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StopReason {
    /// The games of the budget were played.
    Games,
    /// The iterations of the budget were done.
    Iterations,
    /// The time of the budget was used.
    Time,
    /// Somebody asked for it.
    Interrupted,
}

/// Long work was stopped before its end, and what was in progress is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped: {0:?}")]
pub struct Stopped(pub StopReason);

/// A flag that somebody else may raise, and a deadline. Cheap to ask, between blocks of games.
#[derive(Debug, Clone, Default)]
pub struct StopSignal {
    interrupted: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl StopSignal {
    /// A signal that is raised through `interrupted`.
    pub fn new(interrupted: Arc<AtomicBool>) -> StopSignal {
        StopSignal { interrupted, deadline: None }
    }

    /// Asks everybody who shares this signal to stop.
    pub fn raise(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// The same signal with a deadline, counted from now; none if it lies beyond what a clock can say.
    #[must_use]
    pub fn with_time_limit(&self, limit: Option<Duration>) -> StopSignal {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        StopSignal { interrupted: Arc::clone(&self.interrupted), deadline }
    }

    /// Goes on as long as nobody asked to stop.
    ///
    /// # Errors
    ///
    /// Says why to stop.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.interrupted.load(Ordering::Relaxed) {
            Err(Stopped(StopReason::Interrupted))
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(Stopped(StopReason::Time))
        } else {
            Ok(())
        }
    }
}
