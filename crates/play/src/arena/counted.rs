//! A duel that records its decisions while it is played.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

use super::block::{Opening, Source};
use super::breadth::CountedDecision;
use super::duel::Duel;

/// A duel that records the decisions of its pairs while they are played.
///
/// The games and their results are the same as without recording.
pub struct Counted<'a> {
    duel: &'a Duel,
    /// The decisions of each pair, keyed by the index of the pair. A thread inserts the decisions when the pair ends.
    found: Mutex<BTreeMap<u64, Vec<CountedDecision>>>,
}

impl<'a> Counted<'a> {
    /// Wraps a duel, or returns `None` if its family cannot count actions.
    pub fn new(duel: &'a Duel) -> Option<Counted<'a>> {
        duel.counts().then(|| Counted { duel, found: Mutex::default() })
    }

    /// Removes and returns the decisions of a pair that was played.
    pub fn take(&self, pair: u64) -> Option<Vec<CountedDecision>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner).remove(&pair)
    }
}

impl Source for Counted<'_> {
    type Item = PairResult;
    const NUM_GAMES: u64 = Duel::NUM_GAMES;

    fn payoff_steps(&self) -> u16 {
        self.duel.payoff_steps()
    }

    fn play(
        &self,
        key: StreamKey,
        first: u64,
        results: &mut [PairResult],
        stop: &StopSignal,
    ) -> Result<(), Stopped> {
        for (pair, result) in (first..).zip(results) {
            let counted = self.duel.play_counted(key, pair, stop)?;
            *result = counted.result;
            let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
            found.insert(pair, counted.decisions);
        }
        Ok(())
    }

    fn open(&self, key: StreamKey, stop: &StopSignal) -> Result<Opening<PairResult>, Stopped> {
        self.duel.open(key, stop)
    }

    fn pace(&self) -> Option<Duration> {
        self.duel.pace()
    }
}
