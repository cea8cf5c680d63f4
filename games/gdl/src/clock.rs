//! How long the processor worked.

use std::time::Duration;

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
