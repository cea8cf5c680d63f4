//! Asking long work to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ruse_strategies::StopWish;

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
    /// The method has nothing more to try.
    Finished,
    /// It was asked for.
    Interrupted,
}

/// Long work was stopped before its end, and what was in progress is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped: {0:?}")]
pub struct Stopped(pub StopReason);

/// How long somebody waits at the most who has asked to stop, and wants to know what was found.
const HURRY: Duration = Duration::from_secs(1);

/// A flag that somebody else may raise, and a deadline. Cheap to ask, between blocks of games.
#[derive(Debug, Clone)]
pub struct StopSignal {
    shared: Shared,
    /// The same for players, made once: games are not to allocate.
    wish: StopWish,
}

/// What is asked.
#[derive(Debug, Clone, Default)]
struct Shared {
    interrupted: Arc<AtomicBool>,
    /// Whether anybody has ever asked.
    was_asked: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Shared {
    fn check(&self) -> Result<(), Stopped> {
        // Written once: a write each time would take the line of the cache from all other threads.
        if !self.was_asked.load(Ordering::Relaxed) {
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

impl From<Shared> for StopSignal {
    fn from(shared: Shared) -> StopSignal {
        let asked = shared.clone();
        StopSignal { shared, wish: StopWish::new(move || asked.check().is_err()) }
    }
}

impl Default for StopSignal {
    fn default() -> StopSignal {
        Shared::default().into()
    }
}

impl StopSignal {
    /// A signal that is raised through `interrupted`.
    pub fn new(interrupted: Arc<AtomicBool>) -> StopSignal {
        Shared { interrupted, ..Shared::default() }.into()
    }

    /// The signal of what is still done for somebody who has asked to stop: it cannot be stopped again, and takes a second at
    /// the most.
    pub fn in_a_hurry() -> StopSignal {
        StopSignal::default().with_time_limit(Some(HURRY))
    }

    /// Asks everybody who shares this signal to stop; tells whether somebody had asked before.
    pub fn raise(&self) -> bool {
        self.shared.interrupted.swap(true, Ordering::Relaxed)
    }

    /// Whether anybody who shares this signal has checked it: before, nobody would hear it.
    pub fn is_heard(&self) -> bool {
        self.shared.was_asked.load(Ordering::Relaxed)
    }

    /// The same signal with a deadline, counted from now; none if it lies beyond what a clock can say.
    #[must_use]
    pub fn with_time_limit(&self, limit: Option<Duration>) -> StopSignal {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Shared { deadline, ..self.shared.clone() }.into()
    }

    /// The same for games and players, which hear of it in the middle of a decision.
    pub fn wish(&self) -> &StopWish {
        &self.wish
    }

    /// Goes on as long as nobody asked to stop.
    ///
    /// # Errors
    ///
    /// Says why to stop.
    pub fn check(&self) -> Result<(), Stopped> {
        self.shared.check()
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
        let wish = limited.wish();
        assert!(!wish.is_told());
        assert!(!signal.raise());
        assert!(wish.is_told());
        assert!(limited.raise());
        assert_eq!(limited.check(), Err(Stopped(StopReason::Interrupted)));
    }
}
