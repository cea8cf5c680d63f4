//! Verdicts on games that were played elsewhere, from their counts.
//!
//! The tests of a betting race depend on counts only, and so does the interval of one test of a race by intervals.
//! Counts therefore allow the same statements as a race that has just made its last observation, whatever made the
//! games end.
//!
//! If a race ended the games, their mean is biased away from one half. The median-unbiased estimate is the winning rate
//! at which the mean of such a race is above the observed mean as often as below (the ordering by means: Emerson &
//! Fleming, *Parameter estimation following group sequential hypothesis testing*, Biometrika 77, 1990). The races are
//! simulated. Their observations have the observed frequencies, tilted exponentially to the winning rate.
//!
//! Cost: a verdict takes microseconds. An estimate simulates 10,000 races.

use std::ops::ControlFlow;

use rand::Rng;
use rayon::prelude::*;
use ruse_base::bisection::bisect;
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{Result, StopSignal};

use super::{
    AnyRace, BettingRace, Inequality, IntervalRace, Limits, Operator, Race, Reason, Verdict,
};

/// The number of simulated races at each winning rate. The estimate then differs from the exact solution by about a
/// twenty-fifth of the standard deviation of the mean.
const NUM_RACES: u64 = 1000;
/// The number of winning rates at which races are simulated: halvings of the interval.
const HALVINGS: u32 = 10;

/// Returns the verdict on observations, given the number of observations of each value from 0: three numbers for games
/// (lost, drawn, won), or five for pairs. The verdict and its interval are valid at any time of stopping; both bounds
/// of the interval hold at once with probability 1 - delta. If the counts decide nothing, the reason is
/// [`Budget`](Reason::Budget). Returns `None` for [`Majority`](Operator::Majority), which promises nothing.
///
/// # Panics
///
/// Panics if there are no observations, or as [`Operator::race`] does.
pub fn verdict_of_counts(operator: Operator, limits: Limits, counts: &[u64]) -> Option<Verdict> {
    assert!(counts.iter().any(|&count| count > 0), "there is nothing to decide by");
    let by_interval =
        |inequality| Some(IntervalRace::verdict_of_counts(inequality, limits, counts));
    match operator {
        Operator::Bernstein => by_interval(Inequality::EmpiricalBernstein),
        Operator::Hoeffding => by_interval(Inequality::Hoeffding),
        Operator::Betting => Some(BettingRace::verdict_of_counts(0.5, limits, counts)),
        Operator::Majority => None,
    }
}

/// Returns `true` if a race may stop after observations with these counts, and not before. Whether a race by intervals
/// stops depends on the order of the observations; `true` then means that it makes a test.
///
/// # Panics
///
/// Same as [`verdict_of_counts`].
pub fn counts_stop(operator: Operator, limits: Limits, counts: &[u64]) -> bool {
    match operator {
        Operator::Bernstein | Operator::Hoeffding => IntervalRace::tests_after(counts.iter().sum()),
        Operator::Majority => false,
        Operator::Betting => {
            let is_open = |counts: &[u64]| {
                BettingRace::verdict_of_counts(0.5, limits, counts).reason == Reason::Budget
            };
            // Before one of the observations, the race was open.
            let was_open = |value: usize| {
                let mut before = counts.to_vec();
                before[value] -= 1;
                is_open(&before)
            };
            let (num_observations, cap) =
                (counts.iter().sum::<u64>(), BettingRace::cap(0.5, limits));
            let stops = num_observations == cap || (num_observations < cap && !is_open(counts));
            stops && (0..counts.len()).any(|value| counts[value] > 0 && was_open(value))
        }
    }
}

/// Returns the number of further observations that decide a race if they are distributed as those so far. `counts` has the
/// number of observations of each value. Returns 0 if the race is decided, and `None` if ten thousand times as many
/// observations do not decide it.
pub fn missing(counts: &[u64], is_open: impl Fn(&[u64]) -> bool) -> Option<u64> {
    /// The number of doublings that are tried.
    const DOUBLINGS: u32 = 14;
    let num: u64 = counts.iter().sum();
    let is_open_after = |factor: f64| {
        let counts = counts.iter().map(|&count| (count as f64 * factor).round() as u64);
        is_open(&counts.collect::<Vec<_>>())
    };
    if num == 0 || !is_open(counts) {
        return (num > 0).then_some(0);
    }
    let mut factors = (1..=DOUBLINGS).map(|power| f64::from(1u32 << power));
    let above = factors.find(|&factor| !is_open_after(factor))?;
    let [_, factor] = bisect([above / 2.0, above], 6, is_open_after);
    Some(((factor - 1.0) * num as f64).ceil() as u64)
}

/// Observations with a distribution on the values from 0.
struct Observations {
    /// For each value except the last, the probability that an observation is at most this value, times 2^32.
    at_most: Vec<u64>,
}

impl Observations {
    /// Creates observations whose probabilities are proportional to `weights`, tilted exponentially so that the mean,
    /// divided by the largest value, is `mean`. The first and the last weight are positive, and `mean` is within (0, 1).
    fn tilted(weights: &[f64], mean: f64) -> Observations {
        let scale = (weights.len() - 1) as f64;
        let tilt = |lambda: f64| -> Vec<f64> {
            // Exponents are at most 0, so nothing overflows.
            let largest = lambda.max(0.0);
            let value = |index: usize| index as f64 / scale;
            let parts = weights.iter().enumerate();
            parts.map(|(i, weight)| weight * libm::exp(lambda * value(i) - largest)).collect()
        };
        let mean_of = |parts: &[f64]| {
            let points = parts.iter().enumerate().map(|(index, part)| index as f64 * part);
            points.sum::<f64>() / (scale * parts.iter().sum::<f64>())
        };
        // Beyond these tilts, all observations are equal.
        let [lambda, _] = bisect([-700.0, 700.0], 60, |lambda| mean_of(&tilt(lambda)) < mean);
        let parts = tilt(lambda);
        let total: f64 = parts.iter().sum();
        let mut sum = 0.0;
        let at_most = parts[..parts.len() - 1].iter().map(|part| {
            sum += part;
            (sum / total * 4_294_967_296.0).round() as u64
        });
        Observations { at_most: at_most.collect() }
    }

    /// Returns the observation that 32 random bits stand for. It grows with them.
    fn of_bits(&self, bits: u64) -> u16 {
        self.at_most.iter().filter(|&&bound| bound <= bits).count() as u16
    }

    /// Runs a race to its end, and returns the mean of its observations, in [0, 1].
    fn mean_of_race(&self, mut race: AnyRace, key: StreamKey, stop: &StopSignal) -> Result<f64> {
        /// The number of observations, halved, between two checks of the signal.
        const BLOCK: u32 = 1 << 14;
        let mut stream = key.stream();
        loop {
            stop.check()?;
            for _ in 0..BLOCK {
                let bits = stream.next_u64();
                for half in [bits >> 32, bits & 0xFFFF_FFFF] {
                    if let ControlFlow::Break(verdict) = race.push(self.of_bits(half)) {
                        return Ok(verdict.score);
                    }
                }
            }
        }
    }
}

/// Returns the median-unbiased estimate of the winning rate after a race that stopped at these counts, within the
/// interval of [`verdict_of_counts`]. The same streams of `key` are used at each winning rate.
///
/// # Errors
///
/// Returns an error if the simulation was stopped from outside.
///
/// # Panics
///
/// Panics for [`Majority`](Operator::Majority), and like [`verdict_of_counts`].
pub fn median_unbiased(
    operator: Operator,
    limits: Limits,
    counts: &[u64],
    key: StreamKey,
    stop: &StopSignal,
) -> Result<f64> {
    simulated(operator, limits, counts, NUM_RACES, key, stop)
}

fn simulated(
    operator: Operator,
    limits: Limits,
    counts: &[u64],
    num_races: u64,
    key: StreamKey,
    stop: &StopSignal,
) -> Result<f64> {
    /// Means that differ by less are equal.
    const ROUNDING: f64 = 1e-12;
    let verdict = verdict_of_counts(operator, limits, counts).expect("an operator with bounds");
    let mut weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    // Every mean must be possible, even if all games were won.
    for end in [0, counts.len() - 1] {
        weights[end] = weights[end].max(0.5);
    }
    let race = operator.race(limits, counts.len() as u16 - 1);
    let [mut low, mut high] = verdict.interval;
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        let observations = Observations::tilted(&weights, middle);
        // Twice the number of races with a larger mean; equal means count once.
        let above = |number: u64| -> Result<u64> {
            let key = key.child(Label::Race, number);
            Ok(match observations.mean_of_race(race.clone(), key, stop)? - verdict.score {
                above if above > ROUNDING => 2,
                equal if equal > -ROUNDING => 1,
                _ => 0,
            })
        };
        let num_above: u64 = (0..num_races).into_par_iter().map(above).sum::<Result<u64>>()?;
        if num_above < num_races { low = middle } else { high = middle }
    }
    Ok((low + high) / 2.0)
}

#[cfg(test)]
mod tests;
