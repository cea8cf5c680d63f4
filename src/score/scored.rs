//! The score of a duel: exactly where it is known, else by the first pair if that is certain, else from a sample.

use std::time::Duration;

use ruse_strategies::PairResult;

use super::interval::normal_quantile;
use super::tally::{Estimate, Tally};
use crate::arena::{Duel, Source, StopSignal, Stopped, play_in_parallel};
use crate::rng::StreamKey;

/// What is known of the score of one player against another, for the first of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scored {
    /// The pairs that were played.
    pub tally: Tally,
    /// The expected score, where it is known.
    pub exact: Option<f64>,
}

impl Scored {
    /// The score that is known, or the mean of the pairs; none if there are no pairs.
    pub fn score(&self) -> Option<f64> {
        self.exact.or_else(|| self.tally.score())
    }

    /// The bounds of the score at the level of confidence.
    pub fn interval(&self) -> [f64; 2] {
        match self.exact {
            Some(exact) => [exact, exact],
            None => self.tally.interval_at(super::CONFIDENCE),
        }
    }

    /// The score with its interval; none if nothing is known of it.
    pub fn estimate(&self) -> Option<Estimate> {
        match self.exact {
            Some(score) => Some(Estimate::computed(score, self.tally.num_pairs())),
            None => self.tally.estimate(),
        }
    }
}

/// How much is played where a score is not known exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Until {
    /// So many pairs.
    Pairs(u64),
    /// So many pairs that the interval is no wider than this to each side.
    ///
    /// How many that are is judged by the variance of the first 64 to 512, which says nothing about their mean: the
    /// interval is as good as with a number fixed in advance (Stein, *A two-sample test for a linear hypothesis
    /// whose power is independent of the variance*, Annals of Mathematical Statistics 16, 1945).
    HalfWidth(f64),
}

/// What is known of a duel without a sample: its exact score where it can be computed, which may take seconds, or where the first
/// pair, which is counted then, shows that all are the same.
///
/// # Errors
///
/// When it was stopped from outside.
pub fn known(duel: &Duel, key: StreamKey, stop: &StopSignal) -> Result<Option<Scored>, Stopped> {
    stop.check()?;
    if let Some(exact) = duel.exact() {
        return Ok(Some(Scored { tally: Tally::default(), exact: Some(exact) }));
    }
    let opening = duel.open(key, stop)?;
    let scored = || Scored { tally: [opening.seen].into_iter().collect(), exact: opening.exact };
    Ok(opening.exact.is_some().then(scored))
}

/// The score of side A of a duel; `on_pairs` learns now and then how many pairs were played. When
/// stopped from outside, returns what was counted until then, and why it stopped.
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

/// Plays `num_pairs` pairs and counts them, whatever is known; `on_results` sees the results of all pairs, in their order, a block
/// at a time. When stopped from outside, returns what was counted until then, and why it stopped.
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

/// The fewest and the most pairs to play at once: progress is shown, and a wish to stop heard, in between.
const BLOCK_PAIRS: [u64; 2] = [64, 2048];

/// Plays on until there are `num_pairs` pairs, of which those that were counted are the first.
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

/// How many pairs of this pace all threads play in about a second, at least one each: a player that searches may take seconds
/// for a game, and whoever waits wants to see that something happens.
fn pairs_of_a_second(pace: Option<Duration>) -> u64 {
    let threads = rayon::current_num_threads() as u64;
    let fit = |pace: Duration| Duration::from_secs(1).as_nanos() / pace.as_nanos().max(1);
    let in_a_thread = pace.map_or(u64::MAX, |pace| u64::try_from(fit(pace)).unwrap_or(u64::MAX));
    in_a_thread.max(1).saturating_mul(threads)
}

/// Pairs by which the variance of a score is judged: a quarter of those that may be needed, within bounds.
const PILOT_PAIRS: [u64; 2] = [64, 512];
/// How much more than the variance of so few pairs asks for is played: it is wrong by a twentieth or so.
const PILOT_MARGIN: f64 = 1.15;

fn pilot_pairs(half_width: f64) -> u64 {
    let [fewest, most] = PILOT_PAIRS;
    (max_pairs_to_half_width(half_width) / 4).clamp(fewest, most)
}

/// The most pairs that an interval of this `half_width` takes: if all pairs are won or lost as a whole.
pub fn max_pairs_to_half_width(half_width: f64) -> u64 {
    let deviations = normal_quantile();
    let ratio = 0.5 * deviations / half_width;
    let num_pairs = ratio * ratio * PILOT_MARGIN;
    PILOT_PAIRS[0].max(num_pairs.ceil() as u64)
}
