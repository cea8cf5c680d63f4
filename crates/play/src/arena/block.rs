//! Divides plays into tasks; each task runs on one thread. Results do not depend on the division.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rayon::prelude::*;
use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

/// The intended duration of a task, in which one thread carries out consecutive plays. Progress is shown and stop
/// requests are checked between tasks.
const TASK: Duration = Duration::from_millis(20);
/// The minimum number of plays in a task, unless they take longer than [`TASK`].
const MIN_TASK: usize = 8;
/// The number of tasks per thread, which is large enough to balance long and short games.
const TASKS_PER_THREAD: usize = 8;
/// The number of plays per thread that are started at once, if the next step may depend on the result of each play.
/// With more plays, more results would be discarded; with fewer, threads would idle.
const MIN_BLOCK_PER_THREAD: u64 = 16;
/// The duration above which a play polls for stop requests between decisions.
const SLOW: Duration = Duration::from_millis(1);

/// The measured duration of a play. It affects waiting times, but not results.
#[derive(Debug, Default)]
pub struct Pace(AtomicU64);

impl Pace {
    /// Records that `num_plays` plays took `time` in total.
    #[inline]
    pub fn learn(&self, num_plays: usize, time: Duration) {
        let nanoseconds = time.as_nanos() / (num_plays as u128).max(1);
        let nanoseconds = u64::try_from(nanoseconds).unwrap_or(u64::MAX);
        self.0.store(nanoseconds.max(1), Ordering::Relaxed);
    }

    /// Returns the duration of one play, or `None` if no duration was measured yet.
    #[inline]
    pub fn of_play(&self) -> Option<Duration> {
        let nanoseconds = self.0.load(Ordering::Relaxed);
        (nanoseconds > 0).then(|| Duration::from_nanos(nanoseconds))
    }

    /// Returns `true` if a play is too slow for a stop request to wait for its end, or was not measured yet.
    #[inline]
    pub fn may_be_slow(&self) -> bool {
        self.of_play().is_none_or(|time| time >= SLOW)
    }
}

/// The result of the first of many plays, and the exact score of all plays if it is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Opening<T> {
    /// The result of the first play.
    pub seen: T,
    /// The expected score of all plays, in [0, 1], or `None` if it is unknown. It is known if, for instance, neither
    /// chance nor a player drew a random number: all plays are then the same.
    pub exact: Option<f64>,
}

/// The opening of a duel between two members of a league.
pub(crate) type Opened = Result<Opening<PairResult>, Stopped>;

/// A source of independent plays, such as the pairs of a duel.
pub trait Source: Sync {
    /// The result of one play.
    type Item: Copy + Default + Send;
    /// The number of games in one play.
    const NUM_GAMES: u64;

    /// Returns the [steps](ruse_games::Game::payoff_steps) in which payoffs are counted.
    fn payoff_steps(&self) -> u16 {
        2
    }

    /// Carries out the plays `first..first + results.len()` of the comparison named by `key`. Each result depends only
    /// on the key and on the index of the play.
    ///
    /// # Errors
    ///
    /// Returns an error if the work was stopped; the contents of `results` are then unspecified.
    fn play(
        &self,
        key: StreamKey,
        first: u64,
        results: &mut [Self::Item],
        stop: &StopSignal,
    ) -> Result<(), Stopped>;

    /// Carries out the first play, and returns the exact expected score if it is known.
    ///
    /// # Errors
    ///
    /// Same as [`play`](Source::play).
    fn open(&self, key: StreamKey, stop: &StopSignal) -> Result<Opening<Self::Item>, Stopped>;

    /// Returns the duration of one play, or `None` if no duration was measured.
    fn pace(&self) -> Option<Duration> {
        None
    }
}

/// Returns the number of plays of duration `pace` that fit into `time`, at least 1.
pub(crate) fn plays_in(time: Duration, pace: Option<Duration>) -> u64 {
    let fit = |pace: Duration| time.as_nanos() / pace.as_nanos().max(1);
    pace.map_or(u64::MAX, |pace| u64::try_from(fit(pace)).unwrap_or(u64::MAX).max(1))
}

/// Returns the number of plays that are started at once if the next step may depend on the result of each play.
pub fn least_block<S: Source + ?Sized>(source: &S) -> u64 {
    let per_thread = MIN_BLOCK_PER_THREAD.min(plays_in(TASK, source.pace()));
    per_thread * rayon::current_num_threads() as u64
}

/// Carries out `results.len()` plays, beginning with play `first`, on the threads of the current pool. The results do
/// not depend on which thread plays which part.
///
/// # Errors
///
/// Returns an error if the work was stopped; the contents of `results` are then unspecified.
pub fn play_in_parallel<S: Source + ?Sized>(
    source: &S,
    key: StreamKey,
    first: u64,
    results: &mut [S::Item],
    stop: &StopSignal,
) -> Result<(), Stopped> {
    let even = results.len().div_ceil(TASKS_PER_THREAD * rayon::current_num_threads());
    let in_time = usize::try_from(plays_in(TASK, source.pace())).unwrap_or(usize::MAX);
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
        assert_eq!(plays_in(TASK, pace.of_play()), u64::MAX);
        pace.learn(1000, Duration::from_millis(1));
        assert!(!pace.may_be_slow());
        assert_eq!(plays_in(TASK, pace.of_play()), 20_000);
        pace.learn(2, Duration::from_secs(60));
        assert!(pace.may_be_slow());
        assert_eq!(plays_in(TASK, pace.of_play()), 1);
    }
}
