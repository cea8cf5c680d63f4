//! How long the processor worked, and who is told when that is long.

use std::time::Duration;

use crate::error::Place;

/// Work on a rule file that takes long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LongWork {
    /// Rules are being grounded.
    Grounding {
        /// The rule that is at work.
        rule: Place,
        /// Ground rules so far.
        ground_rules: u64,
    },
    /// Random games are being played.
    RandomGames {
        /// Games that are over.
        done: u64,
        /// Games that were asked for.
        games: u64,
        /// Steps so far, of all games.
        steps: u64,
    },
}

/// Tells an observer, once, that work has taken more than two seconds of processor time.
pub(crate) struct Patience<'a> {
    clock: Clock,
    is_over: bool,
    observer: &'a mut dyn FnMut(LongWork),
}

impl<'a> Patience<'a> {
    pub(crate) fn start(observer: &'a mut dyn FnMut(LongWork)) -> Self {
        Self { clock: Clock::start(), is_over: false, observer }
    }

    /// Looks at the clock; returns the seconds since the start.
    pub(crate) fn look(&mut self, work: impl FnOnce() -> LongWork) -> f64 {
        const SECONDS: f64 = 2.0;
        let seconds = self.clock.seconds();
        if seconds > SECONDS && !std::mem::replace(&mut self.is_over, true) {
            (self.observer)(work());
        }
        seconds
    }
}

/// A clock that runs while this thread does.
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

/// No time goes by: there is no clock.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
fn now() -> Duration {
    Duration::ZERO
}

/// Time on the clock: this system does not tell the processor's.
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
