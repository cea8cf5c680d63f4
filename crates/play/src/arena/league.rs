//! Players of one game, any two of which can meet.

use std::time::Duration;

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_search::ThinkingCost;
use ruse_strategies::PairResult;

use super::block::{Opened, Opening};
use super::breadth::CountedPair;

/// The players of one game, each identified by an index. Each player is prepared once, regardless of the number of
/// opponents.
pub trait League: Send + Sync {
    /// Returns the [steps](ruse_games::Game::payoff_steps) in which payoffs are counted.
    fn payoff_steps(&self) -> u16 {
        2
    }

    /// Plays the pairs `first_pair..first_pair + results.len()` of player `a` against player `b`, in the comparison
    /// named by `key`. Each pair depends only on its key and its index.
    ///
    /// # Errors
    ///
    /// Returns an error if the work was stopped; the contents of `results` are then unspecified.
    ///
    /// # Panics
    ///
    /// Panics if `a` or `b` is not the index of a player.
    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped>;

    /// Plays the same pairs of each player in `players` against player `b`. The results are in the order
    /// `[player][pair]`, and are the same as if [`play`](League::play) were called for one player after the other. If
    /// `b` is a baseline, this method is faster, because the baseline is drawn once for all players.
    ///
    /// # Errors
    ///
    /// Same as [`play`](League::play).
    ///
    /// # Panics
    ///
    /// Same as [`play`](League::play); also panics if the length of `results` is not a multiple of the number of
    /// players.
    fn play_each(
        &self,
        players: &[usize],
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        let num_pairs = num_pairs_each(players, results);
        for (&a, results) in players.iter().zip(results.chunks_mut(num_pairs.max(1))) {
            self.play(a, b, key, first_pair, results, stop)?;
        }
        Ok(())
    }

    /// Plays one pair like [`play`](League::play), and returns the result and the cost of each player's searches. For a
    /// player that does not search, the cost has its default value.
    ///
    /// # Errors
    ///
    /// Same as [`play`](League::play).
    ///
    /// # Panics
    ///
    /// Same as [`play`](League::play).
    fn play_thinking(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        pair: u64,
        stop: &StopSignal,
    ) -> Result<(PairResult, [ThinkingCost; 2]), Stopped> {
        let mut result = PairResult::default();
        self.play(a, b, key, pair, std::slice::from_mut(&mut result), stop)?;
        Ok((result, [ThinkingCost::default(); 2]))
    }

    /// Plays the first pair of the comparison named by `key`, and returns the exact expected score if it is known; by
    /// default, it is unknown.
    ///
    /// # Errors
    ///
    /// Same as [`play`](League::play).
    ///
    /// # Panics
    ///
    /// Same as [`play`](League::play).
    fn open(&self, a: usize, b: usize, key: StreamKey, stop: &StopSignal) -> Opened {
        let mut seen = PairResult::default();
        self.play(a, b, key, 0, std::slice::from_mut(&mut seen), stop)?;
        Ok(Opening { seen, exact: None })
    }

    /// Returns the score of player `a` in pairs against player `b`, in [0, 1], if it can be computed. The computation
    /// may take seconds.
    ///
    /// # Panics
    ///
    /// Same as [`play`](League::play).
    fn exact(&self, a: usize, b: usize) -> Option<f64> {
        let _ = (a, b);
        None
    }

    /// Returns `true` if the number of possible actions at each decision is known.
    fn counts(&self) -> bool {
        false
    }

    /// Plays the pair with index `pair` like [`play`](League::play), and records the number of actions at each
    /// decision. Returns `None` if the number of actions is [not known](League::counts).
    ///
    /// # Errors
    ///
    /// Same as [`play`](League::play).
    ///
    /// # Panics
    ///
    /// Same as [`play`](League::play).
    fn play_counted(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        pair: u64,
        stop: &StopSignal,
    ) -> Result<Option<CountedPair>, Stopped> {
        let _ = (a, b, key, pair, stop);
        Ok(None)
    }

    /// Returns the duration of a pair, or `None` if no duration was measured.
    fn pace(&self) -> Option<Duration> {
        None
    }
}

/// Returns the number of pairs per player; `results` contains the same number of results for each player.
pub(super) fn num_pairs_each(players: &[usize], results: &[PairResult]) -> usize {
    let num_pairs = results.len() / players.len().max(1);
    assert_eq!(num_pairs * players.len(), results.len(), "as many results for each player");
    num_pairs
}
