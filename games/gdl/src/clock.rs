//! Processor time, and reports of long work.

use std::time::Duration;

use crate::error::Place;

/// A kind of long work on a rule file, with the progress so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LongWork {
    /// Rules are being grounded.
    Grounding {
        /// The rule that is being grounded.
        rule: Place,
        /// The number of ground rules so far.
        ground_rules: u64,
    },
    /// Random games are being played.
    RandomGames {
        /// The number of finished games.
        done: u64,
        /// The number of requested games.
        games: u64,
        /// The total number of steps of all games so far.
        steps: u64,
    },
    /// Values of states are being learned from own play.
    Lessons {
        /// The number of steps so far.
        done: u64,
        /// The number of requested steps.
        steps: u64,
    },
}

/// Notifies an observer, once, of work that takes more than two seconds of processor time.
pub struct Patience<'a> {
    clock: Clock,
    is_over: bool,
    observer: &'a mut dyn FnMut(LongWork),
}

impl<'a> Patience<'a> {
    /// Starts the clock.
    pub fn start(observer: &'a mut dyn FnMut(LongWork)) -> Self {
        Self { clock: Clock::start(), is_over: false, observer }
    }

    /// Starts the clock again; the observer is not notified a second time.
    pub(crate) fn restart(&mut self) {
        self.clock = Clock::start();
    }

    /// Notifies the observer if the work has taken more than two seconds, and returns the seconds since the start.
    pub fn look(&mut self, work: impl FnOnce() -> LongWork) -> f64 {
        const SECONDS: f64 = 2.0;
        let seconds = self.clock.seconds();
        if seconds > SECONDS && !std::mem::replace(&mut self.is_over, true) {
            (self.observer)(work());
        }
        seconds
    }
}

/// A clock that advances only while this thread runs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock(Duration);

impl Clock {
    pub(crate) fn start() -> Self {
        Self(now())
    }

    pub(crate) fn seconds(self) -> f64 {
        now().saturating_sub(self.0).as_secs_f64()
    }
}

#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
fn now() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Returns zero: this system has no clock.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn now() -> Duration {
    Duration::ZERO
}

/// Returns the wall-clock time: this system does not report processor time.
#[cfg(not(any(
    target_os = "linux",
    target_os = "macos",
    target_os = "freebsd",
    all(target_family = "wasm", target_os = "unknown")
)))]
fn now() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
