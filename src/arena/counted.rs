//! A duel whose decisions are counted while it is played.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ruse_strategies::PairResult;

use super::block::{Opening, Source};
use super::breadth::CountedDecision;
use super::duel::Duel;
use super::stop::{StopSignal, Stopped};
use crate::rng::StreamKey;

/// The pairs of a duel, of which decisions are counted while they are played.
///
/// What is played, and what comes of it, is the same as without.
pub struct Counted<'a> {
    duel: &'a Duel,
    /// By pair. Threads add theirs as they finish.
    found: Mutex<BTreeMap<u64, Vec<CountedDecision>>>,
}

impl<'a> Counted<'a> {
    /// The pairs of a duel; none if the family cannot count.
    pub fn new(duel: &'a Duel) -> Option<Counted<'a>> {
        duel.counts().then(|| Counted { duel, found: Mutex::default() })
    }

    /// The decisions of a pair that was played, which are then forgotten.
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
