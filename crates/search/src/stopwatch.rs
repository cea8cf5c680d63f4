//! Measures the time of decisions.

use std::time::{Duration, Instant};

/// A clock that measures the time since its start; always zero in a browser, which has no clock.
pub(super) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    pub(super) fn start() -> Stopwatch {
        let has_clock = !cfg!(all(target_family = "wasm", target_os = "unknown"));
        Stopwatch(has_clock.then(Instant::now))
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }
}
