//! Counts of the results of a duel.

use std::collections::BTreeMap;

use ruse_games::Payoff;
use ruse_strategies::PairResult;
use serde::{Deserialize, Serialize};

use super::interval::score_interval_at;

/// The results of the pairs of a duel, from the point of view of side A.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// The numbers of pairs of games that were won, drawn or lost. The indices are A's half points in the first seat
    /// and in the second seat.
    pairs: [[u64; 3]; 3],
    /// The results of all other pairs, in ascending order, each with its count.
    graded: Vec<(PairResult, u64)>,
}

/// A score with its interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// Wins plus half the draws, divided by the number of games, in [0, 1].
    pub score: f64,
    /// The confidence interval of the expected score.
    pub interval: [f64; 2],
    /// The level of confidence of the interval.
    pub confidence: f64,
    /// The number of pairs of games in the sample.
    pub pairs: u64,
}

impl Estimate {
    /// Returns a score that is known exactly from one pair.
    pub fn exact(score: f64) -> Estimate {
        Estimate { score, interval: [score; 2], confidence: super::CONFIDENCE, pairs: 1 }
    }

    /// Returns half the width of the interval.
    pub fn half_width(&self) -> f64 {
        let [low, high] = self.interval;
        (high - low) / 2.0
    }

    /// Returns `true` if the score is known exactly.
    pub fn is_exact(&self) -> bool {
        self.interval == [self.score; 2]
    }

    /// Returns the same estimate from the opponent's point of view.
    #[must_use]
    pub fn reversed(self) -> Estimate {
        let [low, high] = self.interval;
        Estimate { score: 1.0 - self.score, interval: [1.0 - high, 1.0 - low], ..self }
    }

    /// Returns a score that was computed, not sampled; `pairs` is the number of pairs that were played anyway.
    pub fn computed(score: f64, pairs: u64) -> Estimate {
        Estimate { score, interval: [score; 2], confidence: super::CONFIDENCE, pairs }
    }
}

/// The largest sum of the two payoffs of a pair, in parts: both games are won.
const PAIR_PARTS: u64 = 2 * Payoff::PARTS as u64;

/// The payoffs of 0, 1 and 2 half points.
const BY_HALF_POINTS: [Payoff; 3] = [Payoff::LOSS, Payoff::DRAW, Payoff::WIN];

impl Tally {
    /// Counts one pair.
    #[inline]
    pub fn add(&mut self, result: PairResult) {
        self.add_many(result, 1);
    }

    /// Counts `num_pairs` pairs with the same result.
    #[inline]
    pub fn add_many(&mut self, result: PairResult, num_pairs: u64) {
        match (result.as_first.half_points(), result.as_second.half_points()) {
            (Some(first), Some(second)) => {
                self.pairs[usize::from(first)][usize::from(second)] += num_pairs;
            }
            _ => self.add_graded(result, num_pairs),
        }
    }

    #[cold]
    fn add_graded(&mut self, result: PairResult, num_pairs: u64) {
        match self.graded.binary_search_by_key(&result, |&(known, _)| known) {
            Ok(index) => self.graded[index].1 += num_pairs,
            Err(index) => self.graded.insert(index, (result, num_pairs)),
        }
    }

    /// Adds the counts of another tally.
    pub fn merge(&mut self, other: &Tally) {
        for (sum, count) in self.pairs.as_flattened_mut().iter_mut().zip(other.pairs.as_flattened())
        {
            *sum += count;
        }
        for &(result, num_pairs) in &other.graded {
            self.add_graded(result, num_pairs);
        }
    }

    /// Iterates over the results of pairs, each with its number of pairs. The nine combinations of wins, draws and
    /// losses come first, even if they did not occur; all other results that occurred follow.
    pub fn results(&self) -> impl Iterator<Item = (PairResult, u64)> {
        let row = |(first, counts): (usize, &[u64; 3])| {
            let as_first = BY_HALF_POINTS[first];
            let counts = *counts;
            (0..3).map(move |second| {
                (PairResult { as_first, as_second: BY_HALF_POINTS[second] }, counts[second])
            })
        };
        self.pairs.iter().enumerate().flat_map(row).chain(self.graded.iter().copied())
    }

    /// Returns the number of pairs counted.
    pub fn num_pairs(&self) -> u64 {
        let graded: u64 = self.graded.iter().map(|&(_, count)| count).sum();
        self.pairs.as_flattened().iter().sum::<u64>() + graded
    }

    /// Returns the number of games that were won or were worth more than a draw.
    pub fn wins(&self) -> u64 {
        self.num_games(|payoff| payoff > Payoff::DRAW)
    }

    /// Returns the number of games that were drawn.
    pub fn draws(&self) -> u64 {
        self.num_games(|payoff| payoff == Payoff::DRAW)
    }

    /// Returns the number of games that were lost or were worth less than a draw.
    pub fn losses(&self) -> u64 {
        self.num_games(|payoff| payoff < Payoff::DRAW)
    }

    fn num_games(&self, of: impl Fn(Payoff) -> bool) -> u64 {
        let games =
            |result: PairResult| u64::from(of(result.as_first)) + u64::from(of(result.as_second));
        self.results().map(|(result, count)| count * games(result)).sum()
    }

    /// Returns the sums of A's payoffs in the first seat and in the second seat, in parts of a win.
    fn parts_by_seat(&self) -> [u64; 2] {
        let add = |[first, second]: [u64; 2], (result, count): (PairResult, u64)| {
            let parts = |payoff: Payoff| count * u64::from(payoff.parts());
            [first + parts(result.as_first), second + parts(result.as_second)]
        };
        self.results().fold([0; 2], add)
    }

    /// Returns the number of quarter points of A over all pairs. A pair of two won games has four quarter points. The
    /// result is a whole number unless payoffs are graded.
    pub fn quarter_points(&self) -> f64 {
        self.parts_by_seat().iter().sum::<u64>() as f64 / (PAIR_PARTS / 4) as f64
    }

    /// Returns the numbers of quarter points of A in the first seat and in the second seat. A won game has four quarter
    /// points. The numbers are whole unless payoffs are graded.
    pub fn quarter_points_by_seat(&self) -> [f64; 2] {
        self.parts_by_seat().map(|parts| parts as f64 / f64::from(Payoff::PARTS / 4))
    }

    /// Returns the mean payoff of side A, in [0, 1], or `None` if there are no pairs.
    pub fn score(&self) -> Option<f64> {
        let pairs = self.num_pairs();
        let parts: u64 = self.parts_by_seat().iter().sum();
        (pairs > 0).then(|| parts as f64 / (PAIR_PARTS * pairs) as f64)
    }

    /// Returns the mean payoffs of A in the first seat and in the second seat, or `None` if there are no pairs.
    pub fn score_by_seat(&self) -> Option<[f64; 2]> {
        let games = u64::from(Payoff::PARTS) * self.num_pairs();
        (games > 0).then(|| self.parts_by_seat().map(|parts| parts as f64 / games as f64))
    }

    /// Returns the scores of side A in the first seat and in the second seat, each with its interval, or `None` if
    /// there are no pairs. The sample size is the number of games in the seat.
    pub fn estimates_by_seat(&self) -> Option<[Estimate; 2]> {
        let of_seat: [fn(PairResult) -> Payoff; 2] = [|pair| pair.as_first, |pair| pair.as_second];
        let scores = self.score_by_seat()?;
        let confidence = super::CONFIDENCE;
        let estimate = |seat: usize| {
            let mut counts: BTreeMap<Payoff, u64> = BY_HALF_POINTS.map(|payoff| (payoff, 0)).into();
            for (result, count) in self.results() {
                *counts.entry(of_seat[seat](result)).or_default() += count;
            }
            let values: Vec<_> = counts.into_iter().map(|(of, n)| (of.score(), n)).collect();
            let interval = score_interval_at(confidence, &values);
            Estimate { score: scores[seat], interval, confidence, pairs: self.num_pairs() }
        };
        Some([0, 1].map(estimate))
    }

    /// Returns the number of pairs with each mean payoff, ascending. The mean payoffs of games that are won, drawn or
    /// lost (0, 1/4, 1/2, 3/4 and 1) are always included.
    pub fn values(&self) -> Vec<(f64, u64)> {
        let mut counts = [0; 5];
        for (first, row) in self.pairs.iter().enumerate() {
            for (second, count) in row.iter().enumerate() {
                counts[first + second] += count;
            }
        }
        let mut values: Vec<_> = (0u8..)
            .zip(counts)
            .map(|(quarters, count)| (f64::from(quarters) / 4.0, count))
            .collect();
        for &(result, count) in &self.graded {
            let score = result.score();
            match values.binary_search_by(|(value, _)| value.total_cmp(&score)) {
                Ok(index) => values[index].1 += count,
                Err(index) => values.insert(index, (score, count)),
            }
        }
        values
    }

    /// Returns the bounds on the expected score at a level of confidence, within [0, 1].
    pub fn interval_at(&self, confidence: f64) -> [f64; 2] {
        score_interval_at(confidence, &self.values())
    }

    /// Returns the score of side A with its interval, or `None` if there are no pairs.
    pub fn estimate(&self) -> Option<Estimate> {
        let confidence = super::CONFIDENCE;
        let interval = self.interval_at(confidence);
        self.score().map(|score| Estimate { score, interval, confidence, pairs: self.num_pairs() })
    }
}

impl FromIterator<PairResult> for Tally {
    fn from_iter<I: IntoIterator<Item = PairResult>>(results: I) -> Tally {
        let mut tally = Tally::default();
        results.into_iter().for_each(|result| tally.add(result));
        tally
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(as_first: Payoff, as_second: Payoff) -> PairResult {
        PairResult { as_first, as_second }
    }

    #[test]
    fn results_are_counted_as_games_and_as_pairs() {
        let mut tally = Tally::default();
        assert_eq!((tally.estimate(), tally.score_by_seat()), (None, None));
        for (as_first, as_second) in [
            (Payoff::WIN, Payoff::WIN),
            (Payoff::WIN, Payoff::LOSS),
            (Payoff::DRAW, Payoff::DRAW),
            (Payoff::LOSS, Payoff::DRAW),
        ] {
            tally.add(pair(as_first, as_second));
        }
        assert_eq!((tally.wins(), tally.draws(), tally.losses()), (3, 3, 2));
        assert_eq!(tally.values(), [(0.0, 0), (0.25, 1), (0.5, 2), (0.75, 0), (1.0, 1)]);
        let estimate = tally.estimate().expect("there are pairs");
        assert_eq!((estimate.score, estimate.pairs), (4.5 / 8.0, 4));
        assert_eq!(tally.score_by_seat(), Some([2.5 / 4.0, 2.0 / 4.0]));
        assert_eq!((tally.quarter_points_by_seat(), tally.quarter_points()), ([10.0, 8.0], 9.0));
    }

    /// A seat that won 80 and lost 20 of 100 games scores .8. By the likelihood, the interval is about
    /// .8 ± 1.98 sqrt(.8 x .2 / 100) = .8 ± .079; the other seat scores .25, with .25 ± .086.
    #[test]
    fn seats_have_scores_of_their_own() {
        let mut tally = Tally::default();
        assert_eq!(tally.estimates_by_seat(), None);
        tally.add_many(pair(Payoff::WIN, Payoff::LOSS), 75);
        tally.add_many(pair(Payoff::WIN, Payoff::WIN), 5);
        tally.add_many(pair(Payoff::LOSS, Payoff::WIN), 20);
        let [first, second] = tally.estimates_by_seat().expect("pairs were played");
        for (seat, score, half_width) in [(first, 0.8, 0.079), (second, 0.25, 0.086)] {
            assert!((seat.score - score).abs() < 1e-12, "{seat:?}");
            assert_eq!(seat.pairs, 100);
            assert!((seat.half_width() - half_width).abs() < 0.003, "{seat:?}");
        }
    }

    #[test]
    fn graded_results_are_counted_beside_the_others() {
        // Goals of 80 against 30, and of 10 against 30: (80 - 30 + 100) / 200 = .75, and .4.
        let graded = pair(
            Payoff::from_parts(9000).expect("in range"),
            Payoff::from_parts(4800).expect("in range"),
        );
        let mut tally: Tally =
            [graded, pair(Payoff::WIN, Payoff::LOSS), graded].into_iter().collect();
        assert_eq!((tally.wins(), tally.draws(), tally.losses()), (3, 0, 3));
        let seen: Vec<_> = tally.values().into_iter().filter(|value| value.1 > 0).collect();
        assert_eq!(seen, [(0.5, 1), (0.575, 2)]);
        // By hand: (2 x .575 + .5) / 3.
        assert!((tally.score().expect("three pairs") - 0.55).abs() < 1e-15);
        tally.merge(&tally.clone());
        assert_eq!((tally.num_pairs(), tally.wins()), (6, 6));
    }

    #[test]
    fn estimates_have_another_side() {
        let sampled = Estimate { score: 0.75, interval: [0.5, 0.875], confidence: 0.95, pairs: 7 };
        assert_eq!((sampled.half_width(), sampled.is_exact()), (0.1875, false));
        let reversed = Estimate { score: 0.25, interval: [0.125, 0.5], ..sampled };
        assert_eq!(sampled.reversed(), reversed);
        let computed = Estimate::computed(0.25, 3);
        assert_eq!((computed.interval, computed.pairs), ([0.25; 2], 3));
        assert!(computed.is_exact() && Estimate::exact(0.25).is_exact());
        assert_eq!(Estimate::exact(0.25).pairs, 1);
    }

    /// Graded pairs of the same mean are counted together: payoffs of .75 and .4 in either order.
    #[test]
    fn graded_results_have_values_and_quarters() {
        let [high, low] = [9000, 4800].map(|parts| Payoff::from_parts(parts).expect("in range"));
        let mut tally = Tally::default();
        tally.add_many(pair(high, low), 2);
        tally.add_many(pair(low, high), 3);
        tally.add_many(pair(low, high), 1);
        tally.add(pair(Payoff::DRAW, high));
        let seen: Vec<_> = tally.values().into_iter().filter(|value| value.1 > 0).collect();
        assert_eq!(seen, [(0.575, 6), (0.625, 1)]);
        assert_eq!((tally.wins(), tally.draws(), tally.losses()), (7, 1, 6));
        // In quarter points, the first seat has 2 x 3 + 4 x 1.6 + 2 = 14.4, and the second 2 x 1.6 + 4 x 3 + 3 = 18.2.
        let [first, second] = tally.quarter_points_by_seat();
        assert!((first - 14.4).abs() < 1e-12 && (second - 18.2).abs() < 1e-12);
        assert!((tally.quarter_points() - 16.3).abs() < 1e-12);
        // Results without graded payoffs are not listed among the graded.
        assert_eq!(tally.graded.len(), 3);
        tally.add(pair(Payoff::WIN, Payoff::DRAW));
        assert_eq!(tally.graded.len(), 3);
    }

    /// Three of ten pairs are won twice, and the others are lost twice. The bounds solve 3 ln(.3 / p) + 7 ln(.7 / (1 -
    /// p)) = 2.26216^2 / 2; an independent program finds .0650838 and .6516985.
    #[test]
    fn intervals_are_those_of_the_values() {
        let mut tally = Tally::default();
        tally.add_many(pair(Payoff::WIN, Payoff::WIN), 3);
        tally.add_many(pair(Payoff::LOSS, Payoff::LOSS), 7);
        let [low, high] = tally.interval_at(super::super::CONFIDENCE);
        assert!((low - 0.065_083_8).abs() < 1e-6 && (high - 0.651_698_5).abs() < 1e-6);
        assert_eq!(tally.estimate().expect("pairs").interval, [low, high]);
    }
}
