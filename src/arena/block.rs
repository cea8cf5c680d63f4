//! How many plays are handed to a thread at a time. Nothing that is found out depends on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rayon::prelude::*;

use super::stop::{StopSignal, Stopped};
use crate::rng::StreamKey;

/// How long a task is meant to last: in between, progress is shown and a wish to stop is heard.
const TASK: Duration = Duration::from_millis(20);
/// The fewest plays worth handing to another thread, unless they take long.
const MIN_TASK: usize = 8;
/// Tasks per thread: enough to even out long and short games.
const TASKS_PER_THREAD: usize = 8;
/// How many plays for each thread at once when what comes next depends on each of them: few enough that little is wasted, many
/// enough to keep all threads busy.
const MIN_BLOCK_PER_THREAD: u64 = 16;
/// From here on a game is asked between decisions whether it is to be left.
const SLOW: Duration = Duration::from_millis(1);

/// How long a play takes, as far as it was measured. It decides who waits how long, and nothing else.
#[derive(Debug, Default)]
pub struct Pace(AtomicU64);

impl Pace {
    /// Learns that `num_plays` took so long together.
    pub fn learn(&self, num_plays: usize, time: Duration) {
        let nanoseconds = time.as_nanos() / (num_plays as u128).max(1);
        let nanoseconds = u64::try_from(nanoseconds).unwrap_or(u64::MAX);
        self.0.store(nanoseconds.max(1), Ordering::Relaxed);
    }

    /// The time of one play, if any was measured.
    pub fn of_play(&self) -> Option<Duration> {
        let nanoseconds = self.0.load(Ordering::Relaxed);
        (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
    }

    /// Whether plays are so slow, or so little is known of them, that a wish to stop cannot wait for the end of one.
    pub fn may_be_slow(&self) -> bool {
        self.of_play().is_none_or(|time| time >= SLOW)
    }
}

/// What was seen of the first of many plays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opening<T> {
    /// What was seen.
    pub seen: T,
    /// The expected score of all of them, in [0, 1], where it is known exactly: for instance because neither
    /// chance nor a player drew a random number, so that all are the same.
    pub exact: Option<f64>,
}

/// Something that can be played again and again, each time independent of the others.
pub trait Source: Sync {
    /// What is seen of one play.
    type Item: Copy + Default + Send;
    /// Games in one play.
    const NUM_GAMES: u64;

    /// The [steps](ruse_games::Game::payoff_steps) in which payoffs are counted.
    fn payoff_steps(&self) -> u16 {
        2
    }

    /// Plays `first..first + results.len()` of the comparison named by `key`. What is seen is a function
    /// of the key and the index alone.
    ///
    /// # Errors
    ///
    /// When the work was stopped; the contents of `results` are then meaningless.
    fn play(
        &self,
        key: StreamKey,
        first: u64,
        results: &mut [Self::Item],
        stop: &StopSignal,
    ) -> Result<(), Stopped>;

    /// Plays the first, and says more if that is known.
    ///
    /// # Errors
    ///
    /// As [`play`](Source::play).
    fn open(&self, key: StreamKey, stop: &StopSignal) -> Result<Opening<Self::Item>, Stopped>;

    /// The time of one play, if any was measured.
    fn pace(&self) -> Option<Duration> {
        None
    }
}

/// As many plays of this pace as last for a task.
fn plays_of_task(pace: Option<Duration>) -> u64 {
    let fit = |pace: Duration| TASK.as_nanos() / pace.as_nanos().max(1);
    pace.map_or(u64::MAX, |pace| u64::try_from(fit(pace)).unwrap_or(u64::MAX).max(1))
}

/// How many plays to begin at once when what comes next may depend on each of them.
pub fn least_block<S: Source + ?Sized>(source: &S) -> u64 {
    let per_thread = MIN_BLOCK_PER_THREAD.min(plays_of_task(source.pace()));
    per_thread * rayon::current_num_threads() as u64
}

/// Plays from `first` on, as many as `results` has room for, on the threads of the current pool. Which
/// thread plays what has no influence on the results.
///
/// # Errors
///
/// When the work was stopped; the contents of `results` are then meaningless.
pub fn play_in_parallel<S: Source + ?Sized>(
    source: &S,
    key: StreamKey,
    first: u64,
    results: &mut [S::Item],
    stop: &StopSignal,
) -> Result<(), Stopped> {
    let even = results.len().div_ceil(TASKS_PER_THREAD * rayon::current_num_threads());
    let in_time = usize::try_from(plays_of_task(source.pace())).unwrap_or(usize::MAX);
    let task = even.max(MIN_TASK).min(in_time);
    results.par_chunks_mut(task).enumerate().try_for_each(|(index, results)| {
        stop.check()?;
        source.play(key, first + (index * task) as u64, results, stop)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_plays_are_handed_out_one_by_one() {
        let pace = Pace::default();
        assert!(pace.may_be_slow(), "nothing is known");
        assert_eq!(plays_of_task(pace.of_play()), u64::MAX);
        pace.learn(1000, Duration::from_millis(1));
        assert!(!pace.may_be_slow());
        assert_eq!(plays_of_task(pace.of_play()), 20_000);
        pace.learn(2, Duration::from_secs(60));
        assert!(pace.may_be_slow());
        assert_eq!(plays_of_task(pace.of_play()), 1);
    }
}
