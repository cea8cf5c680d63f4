//! The difference of the scores of two players against the same opponent, on common deals.

use super::interval::score_interval_at;
use super::tally::Tally;
use crate::arena::{PairResult, SameDeals, Source, StopSignal, Stopped, play_in_parallel};
use crate::rng::StreamKey;

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
