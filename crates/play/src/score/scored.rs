//! The score of a duel. It is computed exactly if possible, taken from the first pair if this pair determines it, and
//! estimated from a sample otherwise.

use std::time::Duration;

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

use super::interval::normal_quantile;
use super::tally::{Estimate, Tally};
use crate::arena::{Duel, Source, play_in_parallel, plays_in};

/// The results of one player against another, and the exact score if it is known. Both are from the point of view of
/// the first player.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scored {
    /// The pairs played.
    pub tally: Tally,
    /// The expected score, if it is known exactly.
    pub exact: Option<f64>,
}

impl Scored {
    /// Returns the exact score if it is known, otherwise the mean over the pairs. Returns `None` if there are no pairs.
    pub fn score(&self) -> Option<f64> {
        self.exact.or_else(|| self.tally.score())
    }

    /// Returns the confidence interval of the score, as a lower and an upper bound. Both bounds are the score if it is
    /// known exactly.
    pub fn interval(&self) -> [f64; 2] {
        self.exact.map_or_else(|| self.tally.interval_at(super::CONFIDENCE), |exact| [exact, exact])
    }

    /// Returns the score with its interval, or `None` if the score is not known exactly and no pairs were played.
    pub fn estimate(&self) -> Option<Estimate> {
        match self.exact {
            Some(score) => Some(Estimate::computed(score, self.tally.num_pairs())),
            None => self.tally.estimate(),
        }
    }
}

/// The number of pairs to play if a score is not known exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Until {
    /// This number of pairs.
    Pairs(u64),
    /// As many pairs as are needed for an interval whose half-width is at most this number.
    ///
    /// The number is estimated from the variance of the first 64 to 512 pairs. This variance says nothing about the
    /// mean, so the interval is as valid as with a number fixed in advance (Stein, *A two-sample test for a linear
    /// hypothesis whose power is independent of the variance*, Annals of Mathematical Statistics 16, 1945).
    HalfWidth(f64),
}

/// Returns the exact score of a duel if it is known without a sample; otherwise `None`. The score is known if it can be
/// computed, which may take seconds, or if the first pair shows that all pairs are the same. In the latter case, the
/// result includes the first pair.
///
/// # Errors
///
/// Returns an error if the games were stopped from outside.
pub fn known(duel: &Duel, key: StreamKey, stop: &StopSignal) -> Result<Option<Scored>, Stopped> {
    stop.check()?;
    if let Some(exact) = duel.exact() {
        return Ok(Some(Scored { tally: Tally::default(), exact: Some(exact) }));
    }
    let opening = duel.open(key, stop)?;
    let scored = || Scored { tally: [opening.seen].into_iter().collect(), exact: opening.exact };
    Ok(opening.exact.is_some().then(scored))
}

/// Returns the score of side A of a duel. `on_pairs` is called from time to time with the number of pairs played. If
/// the duel is stopped from outside, returns the results of the pairs counted until then, and the reason.
pub fn score(
    duel: &Duel,
    key: StreamKey,
    until: Until,
    stop: &StopSignal,
    mut on_pairs: impl FnMut(u64),
) -> (Scored, Result<(), Stopped>) {
    match known(duel, key, stop) {
        Err(stopped) => return (Scored::default(), Err(stopped)),
        Ok(Some(scored)) => return (scored, Ok(())),
        Ok(None) => {}
    }
    let mut num_played = 0;
    let mut on_results = |results: &[PairResult]| {
        num_played += results.len() as u64;
        on_pairs(num_played);
    };
    let mut tally = Tally::default();
    let played = match until {
        Until::Pairs(num_pairs) => go_on(&mut tally, duel, key, num_pairs, stop, &mut on_results),
        Until::HalfWidth(half_width) => {
            let pilot_pairs = pilot_pairs(half_width);
            go_on(&mut tally, duel, key, pilot_pairs, stop, &mut on_results).and_then(|()| {
                let pilot = tally.estimate().expect("pairs were played").half_width();
                let ratio = pilot / half_width;
                let num_pairs = pilot_pairs as f64 * (ratio * ratio) * PILOT_MARGIN;
                go_on(&mut tally, duel, key, num_pairs.ceil() as u64, stop, &mut on_results)
            })
        }
    };
    (Scored { tally, exact: None }, played)
}

/// Plays `num_pairs` pairs and counts them, even if the score is known exactly. `on_results` receives the results of
/// all pairs in order, one block at a time. If the duel is stopped from outside, returns the results of the pairs
/// counted until then, and the reason.
pub fn sample<S: Source<Item = PairResult> + ?Sized>(
    duel: &S,
    key: StreamKey,
    num_pairs: u64,
    stop: &StopSignal,
    mut on_results: impl FnMut(&[PairResult]),
) -> (Tally, Result<(), Stopped>) {
    let mut tally = Tally::default();
    let played = go_on(&mut tally, duel, key, num_pairs, stop, &mut on_results);
    (tally, played)
}

/// The smallest and largest number of pairs played at once. Between such blocks, progress is shown and stop requests
/// are checked.
const BLOCK_PAIRS: [u64; 2] = [64, 2048];

/// Plays further pairs until the tally contains `num_pairs` pairs.
fn go_on<S: Source<Item = PairResult> + ?Sized>(
    tally: &mut Tally,
    duel: &S,
    key: StreamKey,
    num_pairs: u64,
    stop: &StopSignal,
    on_results: &mut impl FnMut(&[PairResult]),
) -> Result<(), Stopped> {
    let [fewest, most] = BLOCK_PAIRS;
    let mut results = Vec::new();
    let mut num_played = tally.num_pairs();
    while num_played < num_pairs {
        let block = num_played.clamp(fewest, most).min(pairs_of_a_second(duel.pace()));
        let block = block.min(num_pairs - num_played);
        results.clear();
        results.resize(block as usize, PairResult::default());
        play_in_parallel(duel, key, num_played, &mut results, stop)?;
        results.iter().for_each(|&result| tally.add(result));
        num_played += block;
        on_results(&results);
    }
    Ok(())
}

/// Returns the number of pairs that all threads play in about a second at this pace, but at least one pair per thread.
/// The number is small for players that search, which may take seconds for a game, so that the progress still moves.
fn pairs_of_a_second(pace: Option<Duration>) -> u64 {
    let threads = rayon::current_num_threads() as u64;
    plays_in(Duration::from_secs(1), pace).saturating_mul(threads)
}

/// The smallest and largest number of pairs from which the variance of a score is estimated. Between these bounds, a
/// quarter of the pairs that may be needed are used.
const PILOT_PAIRS: [u64; 2] = [64, 512];
/// The safety factor for a variance estimated from the first few pairs, which has an error of about a twentieth.
const PILOT_MARGIN: f64 = 1.15;

fn pilot_pairs(half_width: f64) -> u64 {
    let [fewest, most] = PILOT_PAIRS;
    (max_pairs_to_half_width(half_width) / 4).clamp(fewest, most)
}

/// Returns the largest number of pairs that may be needed for an interval of this `half_width`. This number is needed
/// if each pair is either won twice or lost twice.
pub fn max_pairs_to_half_width(half_width: f64) -> u64 {
    let deviations = normal_quantile();
    let ratio = 0.5 * deviations / half_width;
    let num_pairs = ratio * ratio * PILOT_MARGIN;
    PILOT_PAIRS[0].max(num_pairs.ceil() as u64)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ruse_games::Payoff;

    use super::*;
    use crate::arena::League;
    use crate::score::tests::{Listed, pair};

    fn duel(results: Vec<PairResult>, computed: Option<f64>, pace: Option<Duration>) -> Duel {
        let computed = computed.map(|score| (0, 1, score)).into_iter().collect();
        let results = vec![(0, 1, results)];
        let league: Arc<dyn League> =
            Arc::new(Listed { results, computed, pace, ..Listed::default() });
        Duel::new(&league, 0, 1)
    }

    /// Scores a duel, and returns the numbers of pairs that were reported while it was played.
    fn scored(duel: &Duel, until: Until) -> (Scored, Vec<u64>) {
        let mut reported = Vec::new();
        let on_pairs = |pairs| reported.push(pairs);
        let (found, played) =
            score(duel, StreamKey::root(1), until, &StopSignal::default(), on_pairs);
        played.expect("not stopped");
        (found, reported)
    }

    #[test]
    fn known_scores_take_no_sample() {
        let of = |duel: &Duel| {
            known(duel, StreamKey::root(1), &StopSignal::default()).expect("not stopped")
        };
        let computed = of(&duel(vec![pair(2, 2), pair(0, 0)], Some(0.3), None)).expect("computed");
        assert_eq!((computed.exact, computed.tally.num_pairs()), (Some(0.3), 0));
        let certain = of(&duel(vec![pair(2, 1)], None, None)).expect("certain");
        assert_eq!((certain.exact, certain.tally.num_pairs()), (Some(0.75), 1));
        assert_eq!(of(&duel(vec![pair(2, 2), pair(0, 0)], None, None)), None);
        let (found, reported) = scored(&duel(vec![pair(2, 1)], None, None), Until::Pairs(1000));
        assert_eq!((found, reported), (certain, vec![]));
    }

    #[test]
    fn an_exact_score_comes_before_a_sample() {
        let tally: Tally = [pair(2, 2), pair(2, 2)].into_iter().collect();
        let sampled = Scored { tally: tally.clone(), exact: None };
        assert_eq!((sampled.score(), sampled.interval()[1]), (Some(1.0), 1.0));
        assert!(sampled.interval()[0] < 1.0);
        let exact = Scored { tally, exact: Some(0.25) };
        assert_eq!((exact.score(), exact.interval()), (Some(0.25), [0.25; 2]));
        let estimate = exact.estimate().expect("known");
        assert_eq!((estimate.score, estimate.pairs), (0.25, 2));
        assert_eq!(Scored::default().estimate(), None);
    }

    /// Blocks have as many pairs as were played before, but 64 to 2048, and the last block contains the rest.
    #[test]
    fn pairs_are_played_in_growing_blocks() {
        let duel = duel(vec![pair(2, 2), pair(2, 0), pair(1, 1), pair(0, 1)], None, None);
        let (found, reported) = scored(&duel, Until::Pairs(9000));
        assert_eq!(reported, [64, 128, 256, 512, 1024, 2048, 4096, 6144, 8192, 9000]);
        assert_eq!((found.exact, found.tally.num_pairs()), (None, 9000));
        // (4 + 2 + 2 + 1) / 16.
        assert_eq!(found.score(), Some(0.5625));
        let (tally, played) =
            sample(&duel, StreamKey::root(1), 3, &StopSignal::default(), |results| {
                assert_eq!(results, [pair(2, 2), pair(2, 0), pair(1, 1)]);
            });
        played.expect("not stopped");
        let games = |payoff: Payoff| PairResult { as_first: payoff, as_second: payoff };
        assert_eq!(
            tally,
            [games(Payoff::WIN), pair(2, 0), games(Payoff::DRAW)].into_iter().collect()
        );
    }

    /// On three threads, 12 pairs of a quarter of a second take a second, and pairs of two seconds are played three at
    /// once.
    #[test]
    fn slow_pairs_are_played_in_small_blocks() {
        let three = rayon::ThreadPoolBuilder::new().num_threads(3).build().expect("threads");
        three.install(|| {
            let pace = |milliseconds| Some(Duration::from_millis(milliseconds));
            assert_eq!(pairs_of_a_second(None), u64::MAX);
            assert_eq!(pairs_of_a_second(pace(250)), 12);
            assert_eq!(pairs_of_a_second(pace(2000)), 3);
            assert_eq!(pairs_of_a_second(pace(0)), 3_000_000_000);
            let slow = duel(vec![pair(2, 2), pair(0, 0)], None, pace(250));
            assert_eq!(scored(&slow, Until::Pairs(30)).1, [12, 24, 30]);
        });
    }

    /// For half-width h, (1.95996 / (2 h))^2 x 1.15 pairs, and a quarter of this number at first.
    #[test]
    fn narrow_intervals_take_many_pairs() {
        for (half_width, all, at_first) in
            [(0.5, 64, 64), (0.05, 442, 110), (0.02, 2762, 512), (0.01, 11_045, 512)]
        {
            assert_eq!(max_pairs_to_half_width(half_width), all, "{half_width}");
            assert_eq!(pilot_pairs(half_width), at_first, "{half_width}");
        }
        // After 110 pairs, half of which were won, an independent program finds a half-width of .0936494. For .05, 110
        // x (.0936494 / .05)^2 x 1.15 = 443.77 pairs are needed.
        let duel = duel(vec![pair(2, 2), pair(0, 0)], None, None);
        let (found, reported) = scored(&duel, Until::HalfWidth(0.05));
        assert_eq!(reported, [64, 110, 220, 440, 444]);
        assert_eq!((found.tally.num_pairs(), found.tally.wins()), (444, 444));
        assert!(found.estimate().expect("pairs").half_width() <= 0.05);
    }
}
