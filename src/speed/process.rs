//! Memory and processor time of this process, as reported by the platform.

use std::time::Instant;

use super::Timed;

/// Returns the peak memory use of this process in bytes, if the platform reports it, as Linux does.
pub fn peak_memory_bytes() -> Option<u64> {
    peak_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Parses the peak size of the resident set (the "high water mark" of proc(5)) from a status file.
fn peak_in(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(1024 * kibibytes)
}

/// Returns the processor time of all threads of this process in seconds, if the platform reports it, as Linux does. It
/// is less than the wall-clock time of a busy thread if other programs are busy, too.
fn cpu_s() -> Option<f64> {
    let mut nanoseconds = 0u64;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let status = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        nanoseconds += status.split_whitespace().next()?.parse::<u64>().ok()?;
    }
    Some(nanoseconds as f64 * 1e-9)
}

/// Measures the wall-clock time and the processor time since the start of the measurement.
pub(super) struct Stopwatch {
    begun: Instant,
    cpu_s: Option<f64>,
}

impl Stopwatch {
    pub(super) fn start() -> Stopwatch {
        let cpu_s = cpu_s();
        Stopwatch { begun: Instant::now(), cpu_s }
    }

    /// Returns the time since the start, in which `games` games were played.
    pub(super) fn timed(&self, games: u64) -> Timed {
        let elapsed_s = self.begun.elapsed().as_secs_f64();
        // Threads may start and end in between, so the difference could be negative.
        let cpu_s = self.cpu_s.zip(cpu_s()).map(|(before, now)| (now - before).max(0.0));
        Timed { games, elapsed_s, cpu_s }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_read_in_kibibytes() {
        let status = "Name:\truse\nVmPeak:\t   10240 kB\nVmHWM:\t    5120 kB\nThreads:\t2\n";
        assert_eq!(peak_in(status), Some(5_242_880));
        assert_eq!(peak_in("Name:\truse\n"), None);
        assert_eq!(peak_in("VmHWM:\t many kB\n"), None);
    }
}
