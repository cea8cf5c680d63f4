//! Measures the games per second, on one thread and on all threads of the current pool.

use std::time::{Duration, Instant};

use ruse_base::rng::StreamKey;
use ruse_base::stop::{Result, StopSignal};
use ruse_play::arena::{Duel, Source, play_in_parallel};
use ruse_play::family::AnyFamily;
use ruse_programs::ask_to_start_named;
use ruse_strategies::PairResult;

use super::process::Stopwatch;
use super::{Timed, gaussian_duels};

/// The maximum number of pairs that a duel plays in a round.
const MAX_PAIRS: usize = 1 << 16;
/// The intended number of rounds of a measurement. They are many, so that other load affects the speeds on one thread
/// and on all threads equally.
const NUM_ROUNDS: u32 = 12;

/// The speed of the games of a family.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Speed {
    /// The speed on one thread.
    pub one_thread: Timed,
    /// The speed of the same games on all threads of the pool.
    pub all_threads: Timed,
}

impl Speed {
    /// Returns the speed on all threads divided by the speed on one, or `None` unless they were measured.
    pub fn ratio(&self) -> Option<f64> {
        Some(self.all_threads.games_per_s()? / self.one_thread.games_per_s()?)
    }
}

/// Plays games between strategies with Gaussian parameters for about `time`. Each round plays the same games on one
/// thread and then on all threads of the current pool, so that other load affects the two speeds equally. Rounds are
/// always completed, so that long games are not underrepresented.
///
/// Returns the measurement, which is empty if a program plays the games and must not be started; if stopped, the measurement so far, with an error.
pub fn speed(family: &dyn AnyFamily, time: Duration, stop: &StopSignal) -> (Speed, Result) {
    let may_start = |name: &String| ask_to_start_named(name).is_ok();
    let mut speed = Speed::default();
    if !family.descriptions().keys().all(may_start) {
        return (speed, Ok(()));
    }
    let duels = gaussian_duels(family);
    let stopped = measure(&duels, time, stop, &mut speed);
    (speed, stopped)
}

fn measure(duels: &[Duel], time: Duration, stop: &StopSignal, speed: &mut Speed) -> Result {
    let started = Instant::now();
    let mut results = vec![PairResult::default()];
    // A round should be long enough to time and short enough to repeat.
    loop {
        let begun = Instant::now();
        play_alone(duels, &mut results, stop)?;
        let num_pairs = results.len();
        if begun.elapsed() * 2 * NUM_ROUNDS >= time || num_pairs >= MAX_PAIRS {
            break;
        }
        results.resize(2 * num_pairs, PairResult::default());
    }
    let games = 2 * (duels.len() * results.len()) as u64;
    loop {
        let watch = Stopwatch::start();
        play_alone(duels, &mut results, stop)?;
        let one_thread = watch.timed(games);
        let watch = Stopwatch::start();
        for (index, duel) in (0..).zip(duels) {
            play_in_parallel(duel, StreamKey::root(index), 0, &mut results, stop)?;
        }
        speed.all_threads.add(watch.timed(games));
        speed.one_thread.add(one_thread);
        if started.elapsed() >= time {
            return Ok(());
        }
    }
}

/// Plays a round on this thread.
fn play_alone(duels: &[Duel], results: &mut [PairResult], stop: &StopSignal) -> Result {
    /// The number of pairs between two checks for a stop request.
    const BLOCK_PAIRS: usize = 512;
    for (index, duel) in (0..).zip(duels) {
        for (block, results) in (0..).zip(results.chunks_mut(BLOCK_PAIRS)) {
            stop.check()?;
            duel.play(StreamKey::root(index), block * BLOCK_PAIRS as u64, results, stop)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use ruse_registry::Registry;

    use super::*;

    #[test]
    fn both_sides_play_the_same_games() {
        let family = Registry::standard().family("guess-who").expect("known");
        let (speed, stopped) =
            speed(family.as_ref(), Duration::from_millis(1), &StopSignal::default());
        assert_eq!(stopped, Ok(()));
        // Rounds are complete: eight duels, with two games in each pair.
        assert!(speed.one_thread.games > 0 && speed.one_thread.games.is_multiple_of(16));
        assert_eq!(speed.one_thread.games, speed.all_threads.games);
        assert!(speed.ratio().is_some_and(|ratio| ratio > 0.0));
    }

    #[test]
    fn nothing_is_measured_after_an_interruption() {
        let family = Registry::standard().family("guess-who").expect("known");
        let stop = StopSignal::new(Arc::new(AtomicBool::new(true)));
        let (speed, stopped) = speed(family.as_ref(), Duration::from_secs(60), &stop);
        assert!(stopped.is_err());
        assert_eq!((speed, speed.ratio()), (Speed::default(), None));
    }
}
