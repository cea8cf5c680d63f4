//! Counting the results of a match.

use ruse_games::Outcome;
use serde::{Deserialize, Serialize};

use super::interval::{normal_quantile, score_interval};
use crate::arena::{Matchup, PairResult, StopSignal, Stopped, play_in_parallel};
use crate::rng::StreamKey;

/// The results of the pairs of a match, for side A.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
    /// Pairs by their quarter points, from both games lost to both won.
    pub pairs_by_points: [u64; 5],
}

/// A score with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Wins and half the draws, over the games, in [0, 1].
    pub score: f64,
    /// Bounds of the expected score at the level of confidence.
    pub interval: [f64; 2],
    /// The level of confidence of the interval.
    pub confidence: f64,
    /// Sample size: pairs of games.
    pub pairs: u64,
}

impl Estimate {
    /// A score that is known exactly: one pair says it all.
    pub fn exact(score: f64) -> Estimate {
        Estimate { score, interval: [score; 2], confidence: super::CONFIDENCE, pairs: 1 }
    }

    /// Half of the width of the interval.
    pub fn half_width(&self) -> f64 {
        let [low, high] = self.interval;
        (high - low) / 2.0
    }

    /// Whether the score is known exactly.
    pub fn is_exact(&self) -> bool {
        self.interval == [self.score; 2]
    }

    /// A score that is computed, not sampled; `pairs` were played besides.
    pub fn computed(score: f64, pairs: u64) -> Estimate {
        Estimate { score, interval: [score; 2], confidence: super::CONFIDENCE, pairs }
    }
}

impl Tally {
    /// Counts one pair.
    pub fn add(&mut self, result: PairResult) {
        for outcome in [result.as_first, result.as_second] {
            match outcome {
                Outcome::Win => self.wins += 1,
                Outcome::Draw => self.draws += 1,
                Outcome::Loss => self.losses += 1,
            }
        }
        self.pairs_by_points[usize::from(result.quarter_points())] += 1;
    }

    /// Plays on until there are `num_pairs` pairs, of which those that were counted are the first.
    fn go_on(
        &mut self,
        matchup: &dyn Matchup,
        key: StreamKey,
        num_pairs: u64,
        stop: &StopSignal,
        mut on_results: impl FnMut(&[PairResult]),
    ) -> Result<(), Stopped> {
        let mut results = Vec::new();
        let mut num_played = self.num_pairs();
        while num_played < num_pairs {
            let block =
                num_played.clamp(MIN_BLOCK_PAIRS, MAX_BLOCK_PAIRS).min(num_pairs - num_played);
            results.clear();
            results.resize(block as usize, PairResult::default());
            play_in_parallel(matchup, key, num_played, &mut results, stop)?;
            results.iter().for_each(|&result| self.add(result));
            num_played += block;
            on_results(&results);
        }
        Ok(())
    }

    /// Adds what another tally has counted.
    pub fn merge(&mut self, other: &Tally) {
        self.wins += other.wins;
        self.draws += other.draws;
        self.losses += other.losses;
        for (sum, pairs) in self.pairs_by_points.iter_mut().zip(other.pairs_by_points) {
            *sum += pairs;
        }
    }

    /// Quarters of a point, over all pairs: four for a pair of games won.
    pub fn quarter_points(&self) -> u64 {
        (0..).zip(self.pairs_by_points).map(|(points, n)| points * n).sum()
    }

    /// The number of pairs counted.
    pub fn num_pairs(&self) -> u64 {
        self.pairs_by_points.iter().sum()
    }

    /// The score of side A with its interval; none without pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        let pairs = self.num_pairs();
        if pairs == 0 {
            return None;
        }
        Some(Estimate {
            score: self.quarter_points() as f64 / (4 * pairs) as f64,
            interval: score_interval(self.pairs_by_points),
            confidence: super::CONFIDENCE,
            pairs,
        })
    }
}

impl FromIterator<PairResult> for Tally {
    fn from_iter<I: IntoIterator<Item = PairResult>>(results: I) -> Tally {
        let mut tally = Tally::default();
        results.into_iter().for_each(|result| tally.add(result));
        tally
    }
}

/// The fewest and the most pairs to play at once: progress is shown, and a wish to stop heard, in between.
const MIN_BLOCK_PAIRS: u64 = 64;
const MAX_BLOCK_PAIRS: u64 = 2048;

/// Plays `num_pairs` pairs and counts them; `on_pairs` learns now and then how many were played. When
/// stopped from outside, returns what was counted until then, and why it stopped.
pub fn score(
    matchup: &dyn Matchup,
    key: StreamKey,
    num_pairs: u64,
    stop: &StopSignal,
    mut on_pairs: impl FnMut(u64),
) -> (Tally, Result<(), Stopped>) {
    let mut num_played = 0;
    score_watched(matchup, key, num_pairs, stop, |results| {
        num_played += results.len() as u64;
        on_pairs(num_played);
    })
}

/// As [`score`], but `on_results` sees the results of all pairs, in their order, a block at a time.
pub fn score_watched(
    matchup: &dyn Matchup,
    key: StreamKey,
    num_pairs: u64,
    stop: &StopSignal,
    on_results: impl FnMut(&[PairResult]),
) -> (Tally, Result<(), Stopped>) {
    let mut tally = Tally::default();
    let played = tally.go_on(matchup, key, num_pairs, stop, on_results);
    (tally, played)
}

/// Pairs by which the variance of a score is judged: a quarter of those that may be needed, within bounds.
const PILOT_PAIRS: [u64; 2] = [64, 512];
/// How much more than the variance of so few pairs asks for is played: it is wrong by a twentieth or so.
const PILOT_MARGIN: f64 = 1.15;

/// The most pairs that an interval of this `half_width` takes: if all pairs are won or lost as a whole.
pub fn max_pairs_to_half_width(half_width: f64) -> u64 {
    let deviations = normal_quantile();
    let ratio = 0.5 * deviations / half_width;
    let num_pairs = ratio * ratio * PILOT_MARGIN;
    PILOT_PAIRS[0].max(num_pairs.ceil() as u64)
}

/// The score of side A, from so many pairs that its interval is no wider than `half_width` to each side;
/// from one pair where the score is known exactly, with an interval of no width.
///
/// How many that are is judged by the variance of the first 64 to 512, which says nothing about their mean: the
/// interval is as good as with a number fixed in advance (Stein, *A two-sample test for a linear hypothesis
/// whose power is independent of the variance*, Annals of Mathematical Statistics 16, 1945).
///
/// # Errors
///
/// When it was stopped from outside.
pub fn score_to_half_width(
    matchup: &dyn Matchup,
    key: StreamKey,
    half_width: f64,
    stop: &StopSignal,
) -> Result<Estimate, Stopped> {
    stop.check()?;
    if let Some(score) = matchup.play_first(key).exact {
        return Ok(Estimate::exact(score));
    }
    let [fewest, most] = PILOT_PAIRS;
    let pilot_pairs = (max_pairs_to_half_width(half_width) / 4).clamp(fewest, most);
    let (mut tally, played) = score(matchup, key, pilot_pairs, stop, |_| ());
    played?;
    let pilot = tally.estimate().expect("pairs were played").half_width();
    let ratio = pilot / half_width;
    let num_pairs = pilot_pairs as f64 * (ratio * ratio) * PILOT_MARGIN;
    tally.go_on(matchup, key, num_pairs.ceil() as u64, stop, |_| ())?;
    Ok(tally.estimate().expect("pairs were played"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_as_games_and_as_pairs() {
        let mut tally = Tally::default();
        assert_eq!(tally.estimate(), None);
        for (as_first, as_second) in [
            (Outcome::Win, Outcome::Win),
            (Outcome::Win, Outcome::Loss),
            (Outcome::Draw, Outcome::Draw),
            (Outcome::Loss, Outcome::Draw),
        ] {
            tally.add(PairResult { as_first, as_second });
        }
        assert_eq!((tally.wins, tally.draws, tally.losses), (3, 3, 2));
        assert_eq!(tally.pairs_by_points, [0, 1, 2, 0, 1]);
        let estimate = tally.estimate().expect("there are pairs");
        assert_eq!((estimate.score, estimate.pairs), (4.5 / 8.0, 4));
    }
}
