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
    /// Bounds on the expected difference at the level of confidence.
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

/// The largest number of deals played at once; stop requests are checked in between.
const BLOCK_PAIRS: u64 = 2048;

/// Plays `num_pairs` deals, at least two, or one if the first deal determines the difference exactly. The interval is
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
    // Points of the first player minus points of the second, from -2 steps to 2 steps.
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
    use super::*;
    use crate::family::Player;
    use crate::registry::Registry;

    fn deals(family: &str, players: [&str; 2], opponent: Player) -> SameDeals {
        let registry = Registry::standard();
        let family = registry.family(family).expect("known");
        let [first, second] = players.map(|name| Player::Named(name.into()));
        let league = family.league(&[&first, &second, &opponent]).expect("references");
        SameDeals { league, players: [0, 1], opponent: 2 }
    }

    fn played(deals: &SameDeals, seed: u64, num_pairs: u64) -> Difference {
        let stop = StopSignal::default();
        difference(deals, StreamKey::root(seed), num_pairs, 0.95, &stop).expect("no stop")
    }

    /// The mean difference agrees with the tallies, changes its sign if the players are exchanged, and is zero between
    /// a player and itself.
    #[test]
    fn the_difference_is_that_of_the_scores() {
        let found = played(&deals("war", ["descending", "random"], Player::Redrawn), 1, 500);
        let [first, second] = [0, 1].map(|index| found.tallies[index].score().expect("played"));
        assert!((found.mean - (first - second)).abs() < 1e-12);
        assert!(found.interval[0] > 0.05 && found.interval[1] < 0.3, "{found:?}");

        let reversed = played(&deals("war", ["random", "descending"], Player::Redrawn), 1, 500);
        assert!((found.mean + reversed.mean).abs() < 1e-12);
        assert!((found.interval[0] + reversed.interval[1]).abs() < 1e-9);

        let same = played(&deals("war", ["descending", "descending"], Player::Redrawn), 1, 500);
        assert_eq!(same.mean, 0.0);
    }

    /// If the scores against the baseline can be computed, so can the difference.
    #[test]
    fn exact_scores_make_exact_differences() {
        let registry = Registry::standard();
        let family = registry.family("phantom-tic-tac-toe").expect("known");
        let from_the_top: Vec<f64> = (0..18).map(|cell| -f64::from(cell)).collect();
        let from_the_bottom: Vec<f64> = (0..18).map(|cell| f64::from((cell * 5) % 18)).collect();
        let players = [from_the_top, from_the_bottom].map(Player::Parameters);
        let exact = |player: &Player| {
            family.exact_score(player, &Player::Redrawn).expect("players").expect("exact")
        };
        let [first, second] = [0, 1].map(|index| exact(&players[index]));
        assert!(first != second);
        let league = family.league(&[&players[0], &players[1], &Player::Redrawn]).expect("players");
        let found = played(&SameDeals { league, players: [0, 1], opponent: 2 }, 1, 500);
        assert!(found.is_exact && found.pairs == 1);
        assert!((found.mean - (first - second)).abs() < 1e-12, "{found:?}");
        assert_eq!(found.interval, [found.mean; 2]);
    }

    /// Two players whose difference is known exactly: `optimal` and `hold-20` of Pig against `hold-25`, from the exact
    /// values that the family computes. At most 22 of 200 intervals at 95% may miss the difference: if each misses it
    /// with probability 5%, the probability of more than 22 misses is below 1 in 10,000.
    #[test]
    fn intervals_cover_a_known_difference() {
        let registry = Registry::standard();
        let family = registry.family("pig").expect("known");
        let name = |name: &str| Player::Named(name.into());
        let exact = |player: &str| {
            let score = family.exact_score(&name(player), &name("hold-25"));
            score.expect("references").expect("pig is solved")
        };
        let known = exact("optimal") - exact("hold-20");
        let deals = deals("pig", ["optimal", "hold-20"], name("hold-25"));
        let covers = |seed: &u64| {
            // `open` would return the exact difference; this test is about sampled ones.
            let Difference { interval: [low, high], is_exact, .. } = played(&deals, *seed, 200);
            is_exact || (low..=high).contains(&known)
        };
        let num_covered = (1..=200).filter(covers).count();
        assert!(num_covered >= 178, "{num_covered} of 200 intervals contain {known}");
    }
}
