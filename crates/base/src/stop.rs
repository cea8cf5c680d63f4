//! Signals that ask long work to stop.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A stop signal for long games and slow players. Once set, it stays set. The default signal is never set.
///
/// A player that heeds the signal stops thinking and takes any legal action. The caller then
/// abandons the game and discards its result.
#[derive(Clone, Default)]
pub struct StopRequest(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl StopRequest {
    /// Creates a signal that is set once `is_set` returns `true`. The signal is polled every few playouts, so `is_set`
    /// should be fast.
    pub fn new(is_set: impl Fn() -> bool + Send + Sync + 'static) -> StopRequest {
        StopRequest(Some(Arc::new(is_set)))
    }

    /// Returns `true` if the signal is set.
    #[inline]
    pub fn is_set(&self) -> bool {
        self.0.as_ref().is_some_and(|is_set| is_set())
    }
}

impl fmt::Debug for StopRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StopRequest").field("is_there", &self.0.is_some()).finish()
    }
}

/// The reason why a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// All games of the budget have been played.
    Games,
    /// All iterations of the budget have been carried out.
    Iterations,
    /// The time of the budget has been used up.
    Time,
    /// The number of games without progress reached the limit that the budget sets.
    Stalled,
    /// The method has nothing more to try.
    Finished,
    /// A stop was requested.
    Interrupted,
}

/// The error that is returned by work that was stopped. Unfinished results are discarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped: {0:?}")]
pub struct Stopped(pub StopReason);

/// The result of work that can be stopped.
pub type Result<T = (), E = Stopped> = std::result::Result<T, E>;

/// The longest time that a part of the remaining work may take after a stop request. A command has two such parts at most,
/// and ends within a second.
const HURRY: Duration = Duration::from_millis(400);

/// A flag that another thread may raise, with an optional deadline. Checking the flag between blocks of games is cheap.
#[derive(Debug, Clone)]
pub struct StopSignal {
    shared: Shared,
    /// The signal in the form that players poll. It is created once, because games must not allocate memory.
    request: StopRequest,
}

/// The flags shared by all clones of a signal, and the deadline.
#[derive(Debug, Clone, Default)]
struct Shared {
    interrupted: Arc<AtomicBool>,
    /// Whether the signal was ever checked.
    was_asked: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Shared {
    #[inline]
    fn check(&self) -> Result {
        // The flag is written only once: a write per check would invalidate the cache line of all other threads.
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
        StopSignal { shared, request: StopRequest::new(move || asked.check().is_err()) }
    }
}

impl Default for StopSignal {
    fn default() -> StopSignal {
        Shared::default().into()
    }
}

impl StopSignal {
    /// Creates a signal that is raised when `interrupted` is set.
    pub fn new(interrupted: Arc<AtomicBool>) -> StopSignal {
        Shared { interrupted, ..Shared::default() }.into()
    }

    /// Creates the signal for a part of the work that remains after a stop request. The signal stops it after .4 s.
    /// A second stop request by the user does not reach the work.
    pub fn in_a_hurry() -> StopSignal {
        StopSignal::default().with_time_limit(Some(HURRY))
    }

    /// Requests a stop from all work that shares this signal. Returns `true` if a stop was already requested.
    pub fn raise(&self) -> bool {
        self.shared.interrupted.swap(true, Ordering::Relaxed)
    }

    /// Returns `true` if any work that shares this signal has checked it. Otherwise, the work might not react to a stop
    /// request.
    pub fn is_heard(&self) -> bool {
        self.shared.was_asked.load(Ordering::Relaxed)
    }

    /// Returns the same signal with a deadline: the current time plus `limit`. There is no deadline if `limit` is
    /// `None` or too large for the clock.
    #[must_use]
    pub fn with_time_limit(&self, limit: Option<Duration>) -> StopSignal {
        let deadline = limit.and_then(|limit| Instant::now().checked_add(limit));
        Shared { deadline, ..self.shared.clone() }.into()
    }

    /// Returns this signal in the form that games and players check in the middle of a decision.
    #[inline]
    pub fn request(&self) -> &StopRequest {
        &self.request
    }

    /// Returns `Ok` unless a stop was requested.
    ///
    /// # Errors
    ///
    /// Returns the reason to stop.
    #[inline]
    pub fn check(&self) -> Result {
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
        let request = limited.request();
        assert!(!request.is_set());
        assert!(!signal.raise());
        assert!(request.is_set());
        assert!(limited.raise());
        assert_eq!(limited.check(), Err(Stopped(StopReason::Interrupted)));
    }
}
