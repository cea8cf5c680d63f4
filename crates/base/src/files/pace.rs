//! The pace at which files are synchronised with the disk.

use std::time::{Duration, Instant};

/// The pace at which waiting for the disk takes 1% of the time.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    last: Instant,
    /// The time that the last wait took.
    took: Duration,
}

impl Default for Pace {
    fn default() -> Pace {
        Pace { last: Instant::now(), took: Duration::ZERO }
    }
}

impl Pace {
    /// The ratio of the time between two waits to the time of a wait.
    const RATIO: u32 = 100;

    /// Returns the time from one wait to the next.
    pub fn interval(&self) -> Duration {
        self.took.saturating_mul(Self::RATIO)
    }

    /// Returns `true` if it is time to wait again.
    pub fn is_due(&self) -> bool {
        self.last.elapsed() >= self.interval()
    }

    /// Carries out `wait`, and measures its time.
    pub fn time<T>(&mut self, wait: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let done = wait();
        self.last = Instant::now();
        self.took = self.last - start;
        done
    }
}
