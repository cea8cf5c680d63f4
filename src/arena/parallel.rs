//! Many pairs at a time, on all threads, with results in order.

use std::ops::ControlFlow;

use rayon::prelude::*;

use super::matchup::{Matchup, PairResult};
use super::stop::{StopSignal, Stopped};
use crate::rng::StreamKey;

/// The fewest pairs worth handing to another thread.
const MIN_TASK_PAIRS: usize = 8;
/// Tasks per thread: enough to even out long and short games.
const TASKS_PER_THREAD: usize = 8;

/// Plays the pairs from `first_pair` on, as many as `results` has room for, on the threads of the
/// current pool. Which thread plays what has no influence on the results.
///
/// # Errors
///
/// When the work was stopped; the contents of `results` are then meaningless.
pub fn play_pairs(
    matchup: &dyn Matchup,
    key: StreamKey,
    first_pair: u64,
    results: &mut [PairResult],
    stop: &StopSignal,
) -> Result<(), Stopped> {
    let num_tasks = TASKS_PER_THREAD * rayon::current_num_threads();
    let task_pairs = results.len().div_ceil(num_tasks).max(MIN_TASK_PAIRS);
    results.par_chunks_mut(task_pairs).enumerate().try_for_each(|(task, results)| {
        stop.check()?;
        matchup.play(key, first_pair + (task * task_pairs) as u64, results);
        Ok(())
    })
}

/// Somebody who wants pairs of games one by one, and decides how many.
pub trait Collector {
    /// What it has when it has seen enough.
    type Result;

    /// How many pairs to play at once, now that `num_committed` were committed. This has no influence on
    /// what is committed.
    fn block_pairs(&mut self, num_committed: u64) -> usize;

    /// Takes the next pair, and says whether it is the last one wanted.
    fn commit(&mut self, result: PairResult) -> ControlFlow<Self::Result>;
}

/// Plays pairs in parallel and commits them one by one in index order, until the collector breaks off or
/// `max_pairs` are committed. Pairs beyond the last one committed are forgotten.
///
/// # Errors
///
/// When the work was stopped; what was committed until then is a prefix of the pairs.
pub fn play_in_order<C: Collector>(
    matchup: &dyn Matchup,
    key: StreamKey,
    max_pairs: u64,
    stop: &StopSignal,
    collector: &mut C,
) -> Result<Option<C::Result>, Stopped> {
    let mut results = Vec::new();
    let mut num_committed = 0;
    while num_committed < max_pairs {
        let left = usize::try_from(max_pairs - num_committed).unwrap_or(usize::MAX);
        results.clear();
        results.resize(collector.block_pairs(num_committed).clamp(1, left), PairResult::default());
        play_pairs(matchup, key, num_committed, &mut results, stop)?;
        for &result in &results {
            num_committed += 1;
            if let ControlFlow::Break(value) = collector.commit(result) {
                return Ok(Some(value));
            }
        }
    }
    Ok(None)
}
