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
    /// As many games as the budget says brought nothing new.
    Stalled,
    /// It was asked for.
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
    /// Whether anybody has ever asked.
    was_asked: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl StopSignal {
    /// A signal that is raised through `interrupted`.
    pub fn new(interrupted: Arc<AtomicBool>) -> StopSignal {
        StopSignal { interrupted, ..StopSignal::default() }
    }

    /// Asks everybody who shares this signal to stop; tells whether somebody had asked before.
    pub fn raise(&self) -> bool {
        self.interrupted.swap(true, Ordering::Relaxed)
    }

    /// Whether anybody who shares this signal has checked it: before, nobody would hear it.
    pub fn is_heard(&self) -> bool {
        self.was_asked.load(Ordering::Relaxed)
    }

    /// The same signal with a deadline, counted from now; none if it lies beyond what a clock can say.
    #[must_use]
    pub fn with_time_limit(&self, limit: Option<Duration>) -> StopSignal {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        StopSignal { deadline, ..self.clone() }
    }

    /// Goes on as long as nobody asked to stop.
    ///
    /// # Errors
    ///
    /// Says why to stop.
    pub fn check(&self) -> Result<(), Stopped> {
        // Written once: a write each time would take the line of the cache from all other threads.
        if !self.is_heard() {
            self.was_asked.store(true, Ordering::Relaxed);
        }
        if self.interrupted.load(Ordering::Relaxed) {
            Err(Stopped(StopReason::Interrupted))
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Err(Stopped(StopReason::Time))
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_heard_from_the_first_check_on() {
        let signal = StopSignal::default();
        let limited = signal.with_time_limit(Some(Duration::from_secs(3600)));
        assert!(!signal.is_heard() && !limited.is_heard());
        assert_eq!(limited.check(), Ok(()));
        assert!(signal.is_heard() && limited.is_heard());
        assert!(!signal.raise());
        assert!(limited.raise());
        assert_eq!(limited.check(), Err(Stopped(StopReason::Interrupted)));
    }
}
