//! Several players of one game, of which any two can meet.

use std::time::Duration;

use ruse_strategies::PairResult;
use ruse_strategies::search::Thought;

use super::block::Opening;
use super::breadth::CountedPair;
use super::stop::{StopSignal, Stopped};
use crate::rng::StreamKey;

/// Players of one game, by their index. Each is made ready once, however many it meets.
pub trait League: Send + Sync {
    /// The [steps](ruse_games::Game::payoff_steps) in which payoffs are counted.
    fn payoff_steps(&self) -> u16 {
        2
    }

    /// Plays the pairs `first_pair..first_pair + results.len()` of the player of index `a` against the one of index `b`, in the
    /// comparison named by `key`. A pair is a function of its key and index alone.
    ///
    /// # Errors
    ///
    /// When the work was stopped; the contents of `results` are then meaningless.
    ///
    /// # Panics
    ///
    /// When there is no player of such an index.
    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped>;

    /// Plays the same pairs of each of `players` against the one of index `b`, as [`play`](League::play)
    /// one after the other, but quicker if that is a baseline: it is drawn once for all. The results are
    /// those of the first player, then those of the second, and so on: `[player][pair]`.
    ///
    /// # Errors
    ///
    /// As [`play`](League::play).
    ///
    /// # Panics
    ///
    /// As [`play`](League::play), and when there is no room for as many results for each player.
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

    /// Plays one pair as [`play`](League::play), and tells how much either player has thought in it: of a player that does not
    /// search, nothing.
    ///
    /// # Errors
    ///
    /// As [`play`](League::play).
    ///
    /// # Panics
    ///
    /// As [`play`](League::play).
    fn play_thinking(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        pair: u64,
        stop: &StopSignal,
    ) -> Result<(PairResult, [Thought; 2]), Stopped> {
        let mut result = PairResult::default();
        self.play(a, b, key, pair, std::slice::from_mut(&mut result), stop)?;
        Ok((result, [Thought::default(); 2]))
    }

    /// Plays the first pair of the comparison named by `key`, and says more if that is known.
    ///
    /// # Errors
    ///
    /// As [`play`](League::play).
    ///
    /// # Panics
    ///
    /// As [`play`](League::play).
    fn open(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<Opening<PairResult>, Stopped>;

    /// What the player of index `a` scores in pairs against the one of index `b`, in [0, 1], where it can be computed. It may take
    /// seconds.
    ///
    /// # Panics
    ///
    /// As [`play`](League::play).
    fn exact(&self, a: usize, b: usize) -> Option<f64> {
        let _ = (a, b);
        None
    }

    /// Whether it is known how much a player has to choose from at a decision.
    fn counts(&self) -> bool {
        false
    }

    /// Plays the pair of this index as [`play`](League::play) does, and counts what there is to choose from at each decision;
    /// none where that is [not known](League::counts).
    ///
    /// # Errors
    ///
    /// As [`play`](League::play).
    ///
    /// # Panics
    ///
    /// As [`play`](League::play).
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

    /// The time of a pair, if any was measured.
    fn pace(&self) -> Option<Duration> {
        None
    }
}

/// The pairs of each player, when there is room for so many results.
pub(super) fn num_pairs_each(players: &[usize], results: &[PairResult]) -> usize {
    let num_pairs = results.len() / players.len().max(1);
    assert_eq!(num_pairs * players.len(), results.len(), "as many results for each player");
    num_pairs
}
