//! Leagues some of whose scores the family can compute.

use std::collections::HashMap;

use rayon::prelude::*;

use super::payoffs::PayoffError;
use crate::arena::{First, League, PairResult, StopSignal};
use crate::family::{AnyFamily, ContestantSpec};
use crate::rng::StreamKey;

/// A league, with the scores of its members that the family can compute.
pub struct KnownScores<'a> {
    league: &'a dyn League,
    /// By the members that meet, the smaller index first.
    exact: HashMap<(usize, usize), f64>,
}

impl<'a> KnownScores<'a> {
    /// Computes the scores between `members`, the first of the league, unless they are many.
    ///
    /// # Errors
    ///
    /// When a member is not of the family, or it was stopped from outside.
    pub fn new(
        league: &'a dyn League,
        family: &dyn AnyFamily,
        members: &[&ContestantSpec],
        stop: &StopSignal,
    ) -> Result<KnownScores<'a>, PayoffError> {
        /// A score may take seconds: those of more members take longer than games.
        const MAX_MEMBERS: usize = 24;
        if members.len() > MAX_MEMBERS {
            return Ok(KnownScores { league, exact: HashMap::new() });
        }
        let pairs = (0..members.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let pairs: Vec<(usize, usize)> = pairs.collect();
        let scores = pairs.into_par_iter().map(|(i, j)| {
            stop.check()?;
            let score = family.exact_score(members[i], members[j])?;
            Ok(score.map(|score| ((i, j), score)))
        });
        let scores: Vec<_> = scores.collect::<Result<_, PayoffError>>()?;
        Ok(KnownScores { league, exact: scores.into_iter().flatten().collect() })
    }
}

impl League for KnownScores<'_> {
    fn play(
        &self,
        a: usize,
        b: usize,
        key: StreamKey,
        first_pair: u64,
        results: &mut [PairResult],
    ) {
        self.league.play(a, b, key, first_pair, results);
    }

    fn play_first(&self, a: usize, b: usize, key: StreamKey) -> First<PairResult> {
        let first = self.league.play_first(a, b, key);
        let known = match a < b {
            true => self.exact.get(&(a, b)).copied(),
            false => self.exact.get(&(b, a)).map(|score| 1.0 - score),
        };
        First { exact: first.exact.or(known), ..first }
    }
}
