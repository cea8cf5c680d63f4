//! The difference of the scores of two players against the same opponent, on common deals.

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

use super::interval::score_interval_at;
use super::tally::Tally;
use crate::arena::{SameDeals, Source, play_in_parallel};

/// A difference of two scores on the same deals.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The score of the first player minus the score of the second, in [-1, 1].
    pub mean: f64,
    /// The confidence interval of the expected difference.
    pub interval: [f64; 2],
    /// The level of confidence.
    pub confidence: f64,
    /// The number of deals that both players played, each as a pair of games; 1 if the first pair determines the
    /// difference.
    pub pairs: u64,
    /// Whether the difference is known exactly.
    pub is_exact: bool,
    /// The results of the first player and of the second player.
    pub tallies: [Tally; 2],
}

/// The maximum number of deals played at once; stop requests are checked between such blocks of deals.
const BLOCK_PAIRS: u64 = 2048;

/// Plays `num_pairs` deals, but at least two, or one deal if it determines the difference exactly. The interval is
/// computed as for a score ([`Tally::interval_at`]), from differences instead of scores.
///
/// # Errors
///
/// Returns an error if the games were stopped from outside.
pub fn difference(
    deals: &SameDeals,
    key: StreamKey,
    num_pairs: u64,
    confidence: f64,
    stop: &StopSignal,
) -> Result<Difference, Stopped> {
    stop.check()?;
    let opening = deals.open(key, stop)?;
    if let Some(z) = opening.exact {
        // Z = (1 + X' - X) / 2.
        let mean = 2.0 * z - 1.0;
        let tallies = opening.seen.map(|result| [result].into_iter().collect());
        return Ok(Difference {
            mean,
            interval: [mean; 2],
            confidence,
            pairs: 1,
            is_exact: true,
            tallies,
        });
    }
    let num_pairs = num_pairs.max(2);
    let steps = deals.payoff_steps();
    // The points of the first player minus the points of the second lie between -2 steps and 2 steps.
    let middle = i32::from(2 * steps);
    let mut counts = vec![0u64; 2 * usize::from(2 * steps) + 1];
    let mut tallies = [Tally::default(), Tally::default()];
    let mut results = Vec::new();
    let mut num_played = 0;
    while num_played < num_pairs {
        let block = BLOCK_PAIRS.min(num_pairs - num_played);
        results.clear();
        results.resize(block as usize, [PairResult::default(); 2]);
        play_in_parallel(deals, key, num_played, &mut results, stop)?;
        for result in &results {
            let [first, second] = result.map(|pair| i32::from(pair.points(steps)));
            counts[(middle + first - second) as usize] += 1;
            tallies.iter_mut().zip(result).for_each(|(tally, &pair)| tally.add(pair));
        }
        num_played += block;
    }
    let width = 2.0 * f64::from(middle);
    let shares: Vec<(f64, u64)> =
        (0u32..).zip(counts).map(|(place, count)| (f64::from(place) / width, count)).collect();
    let sum: f64 = shares.iter().map(|&(share, count)| share * count as f64).sum();
    let whole = |share: f64| 2.0 * share - 1.0;
    Ok(Difference {
        mean: whole(sum / num_pairs as f64),
        interval: score_interval_at(confidence, &shares).map(whole),
        confidence,
        pairs: num_pairs,
        is_exact: false,
        tallies,
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::score::CONFIDENCE;
    use crate::score::tests::{Listed, pair};

    /// Compares players 0 and 1, whose results against player 2 are listed, over `num_pairs` deals.
    fn compared(first: Vec<PairResult>, second: Vec<PairResult>, num_pairs: u64) -> Difference {
        let results = vec![(0, 2, first), (1, 2, second)];
        let league = Arc::new(Listed { results, ..Listed::default() });
        let deals = SameDeals { league, players: [0, 1], opponent: 2 };
        difference(&deals, StreamKey::root(1), num_pairs, CONFIDENCE, &StopSignal::default())
            .expect("not stopped")
    }

    /// The difference is 1 in three deals of ten, and -1 in the others: the mean is (3 - 7) / 10. The interval is the
    /// interval of a binomial with 3 of 10, from 0 to 1, stretched to [-1, 1]; an independent program solved the
    /// equation of the likelihood with 40 digits.
    #[test]
    fn a_difference_has_the_interval_of_its_values() {
        let (won, lost) = (pair(2, 2), pair(0, 0));
        let first: Vec<_> = (0..10).map(|deal| if deal < 3 { won } else { lost }).collect();
        let second: Vec<_> = (0..10).map(|deal| if deal < 3 { lost } else { won }).collect();
        let found = compared(first.clone(), second.clone(), 10);
        assert!((found.mean + 0.4).abs() < 1e-12, "{found:?}");
        for (found, expected) in found.interval.into_iter().zip([-0.869_832_373, 0.303_396_954]) {
            assert!((found - expected).abs() < 1e-8, "{found}, {expected} expected");
        }
        assert_eq!((found.pairs, found.is_exact, found.confidence), (10, false, 0.95));
        assert_eq!(found.tallies.clone().map(|tally| tally.wins()), [6, 14]);
        // The deals are played in two blocks.
        let found = compared(first, second, 2050);
        assert!((found.mean + 0.4).abs() < 1e-12, "{found:?}");
        assert_eq!((found.pairs, found.tallies[0].num_pairs()), (2050, 2050));
        assert_eq!(found.tallies[1].wins(), 2870);
    }

    /// Player 0 has 4, 2, 2 and 0 quarter points, and player 1 always has 3: the differences are 1, -1, -1 and -3
    /// quarters, with mean -1/4.
    #[test]
    fn quarters_are_subtracted() {
        let first = vec![pair(2, 2), pair(2, 0), pair(1, 1), pair(0, 0)];
        let found = compared(first.clone(), vec![pair(2, 1)], 8);
        assert!((found.mean + 0.25).abs() < 1e-12, "{found:?}");
        // At least two deals are played.
        let found = compared(first, vec![pair(2, 1)], 0);
        assert_eq!((found.mean, found.pairs), (0.0, 2));
    }

    /// In all deals, player 0 has a whole point and player 1 a quarter.
    #[test]
    fn finer_steps_change_no_difference() {
        let results = vec![(0, 2, vec![pair(2, 2); 2]), (1, 2, vec![pair(1, 0); 2])];
        let league = Arc::new(Listed { results, steps: Some(10), ..Listed::default() });
        let deals = SameDeals { league, players: [0, 1], opponent: 2 };
        let found = difference(&deals, StreamKey::root(1), 10, CONFIDENCE, &StopSignal::default());
        assert_eq!(found.expect("not stopped").mean, 0.75);
    }

    #[test]
    fn exact_scores_have_an_exact_difference() {
        let found = compared(vec![pair(2, 2)], vec![pair(1, 0)], 100);
        assert_eq!((found.mean, found.interval, found.pairs), (0.75, [0.75; 2], 1));
        assert!(found.is_exact);
        assert_eq!(found.tallies.map(|tally| (tally.num_pairs(), tally.wins())), [(1, 2), (1, 0)]);
    }
}
