//! Many pairs at a time, on all threads, with results in order.

use rayon::prelude::*;

use super::matchup::{First, Matchup, PairResult};
use super::stop::{StopSignal, Stopped};
use crate::rng::StreamKey;

/// The fewest pairs worth handing to another thread.
const MIN_TASK_PAIRS: usize = 8;
/// Tasks per thread: enough to even out long and short games.
const TASKS_PER_THREAD: usize = 8;

/// Something that can be played again and again, each time independent of the others.
pub trait Source: Sync {
    /// What is seen of one play.
    type Item: Copy + Default + Send;
    /// Games in one play.
    const NUM_GAMES: u64;

    /// Plays `first..first + results.len()` of the comparison named by `key`. What is seen is a function
    /// of the key and the index alone.
    fn play(&self, key: StreamKey, first: u64, results: &mut [Self::Item]);

    /// Plays the first, and says more if that is known.
    fn play_first(&self, key: StreamKey) -> First<Self::Item>;
}

impl Source for dyn Matchup + '_ {
    type Item = PairResult;
    const NUM_GAMES: u64 = 2;

    fn play(&self, key: StreamKey, first: u64, results: &mut [PairResult]) {
        Matchup::play(self, key, first, results);
    }

    fn play_first(&self, key: StreamKey) -> First<PairResult> {
        Matchup::play_first(self, key)
    }
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
    let num_tasks = TASKS_PER_THREAD * rayon::current_num_threads();
    let task_pairs = results.len().div_ceil(num_tasks).max(MIN_TASK_PAIRS);
    results.par_chunks_mut(task_pairs).enumerate().try_for_each(|(task, results)| {
        stop.check()?;
        source.play(key, first + (task * task_pairs) as u64, results);
        Ok(())
    })
}
