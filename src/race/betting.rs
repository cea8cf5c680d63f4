//! The betting race: a bettor who gets rich disproves a hypothesis.
//!
//! For the hypothesis "the winning rate is at most m" a bettor starts with a wealth of 1 and stakes
//! constant fractions f_j of it, spread by weights w_j, on "more than m" at fair odds. If the hypothesis
//! holds, the wealth is a supermartingale, so that it reaches 1/d with probability d at most, at any time
//! (Ville 1939). The hypothesis "at least m" is treated by reversing the observations. The race runs two
//! bettors, against "at most `m_lo`" and against "at least `m_hi`".
//!
//! References: Ville, *Etude critique de la notion de collectif*, 1939; Waudby-Smith & Ramdas, *Estimating
//! means of bounded random variables by betting*, JRSS-B 86, 2024; Howard, Ramdas, McAuliffe & Sekhon,
//! *Time-uniform, nonparametric, nonasymptotic confidence sequences*, Annals of Statistics 49, 2021. The
//! grid of fractions and its weights are ours: half of the weight is on the bet that a sequential
//! probability ratio test would make at the border of the precision.
//!
//! The log-wealth is a function of the counts of the possible observations, so no rounding accumulates
//! and the order does not matter. Cost: a few additions an observation; two dozen exponentials for a
//! bettor at those after which he might be rich enough, one in some tens; and a thousand logarithms for the
//! interval, once. Memory: constant.

use std::ops::ControlFlow;

use super::{Limits, Race, Reason, Verdict};

/// The most values an observation can have: those of the difference of two pairs of games.
const MAX_VALUES: usize = 9;
/// Nobody stakes everything: one loss would end the game.
const LARGEST_FRACTION: f64 = 0.98;

/// More fractions than a race has.
const MAX_FRACTIONS: usize = 32;

/// A bettor against "the mean is at most m".
#[derive(Debug, Clone)]
struct Bettor {
    fractions: Vec<f64>,
    log_weights: Vec<f64>,
    /// ln(1 + f_j (x_v / m - 1)) for each value v and fraction j.
    log_factors: [Vec<f64>; MAX_VALUES],
    /// The largest for each fraction: what was staked in this way does not grow faster.
    largest_log_factors: Vec<f64>,
}

/// The parts of a wealth, one for each fraction, as logarithms.
struct LogParts {
    logs: [f64; MAX_FRACTIONS],
    num: usize,
}

impl LogParts {
    fn iter(&self) -> impl Iterator<Item = f64> {
        self.logs[..self.num].iter().copied()
    }

    fn largest(&self) -> f64 {
        self.iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// The logarithm of the sum of the parts.
    fn log_sum(&self) -> f64 {
        let largest = self.largest();
        let sum: f64 = self.iter().map(|log| (log - largest).exp()).sum();
        largest + sum.ln()
    }

    /// No less than the logarithm of the sum, and hardly more: most parts are worth nothing soon, and their
    /// exponentials are not computed. The same if none is worth nothing.
    fn log_sum_above(&self) -> f64 {
        /// A part below exp(-21), in units of the largest, counts as exp(-20).
        const FAINT: (f64, f64) = (-21.0, 2.061_153_622_438_558e-9);
        let largest = self.largest();
        let share = |log| if log < FAINT.0 { FAINT.1 } else { f64::exp(log) };
        let sum: f64 = self.iter().map(|log| share(log - largest)).sum();
        largest + sum.ln()
    }
}

impl Bettor {
    fn new(fractions: &[f64], weights: &[f64], m: f64, scale: u8) -> Bettor {
        let log_factors: [Vec<f64>; MAX_VALUES] = std::array::from_fn(|value| {
            fractions
                .iter()
                .map(|&f| Self::log_factor(f, value.min(scale.into()), m, scale))
                .collect()
        });
        // It is that of a win.
        let largest_log_factors = log_factors[usize::from(scale)].clone();
        Bettor {
            fractions: fractions.to_vec(),
            log_weights: weights.iter().map(|weight| weight.ln()).collect(),
            largest_log_factors,
            log_factors,
        }
    }

    fn log_factor(fraction: f64, value: usize, m: f64, scale: u8) -> f64 {
        let x = value as f64 / f64::from(scale);
        (fraction * (x / m - 1.0)).ln_1p()
    }

    /// The parts of the wealth after observations with these counts.
    fn log_parts(&self, counts: &[u64; MAX_VALUES]) -> LogParts {
        self.parts(counts, |value, gains, count| {
            for (gain, factor) in gains.iter_mut().zip(&self.log_factors[value]) {
                *gain += factor * count;
            }
        })
    }

    /// The logarithm of the wealth after observations with these counts.
    fn log_wealth(&self, counts: &[u64; MAX_VALUES]) -> f64 {
        self.log_parts(counts).log_sum()
    }

    /// The same for another mean.
    fn log_wealth_against(&self, counts: &[u64; MAX_VALUES], m: f64, scale: u8) -> f64 {
        let parts = self.parts(counts, |value, gains, count| {
            for (gain, &fraction) in gains.iter_mut().zip(&self.fractions) {
                *gain += Self::log_factor(fraction, value, m, scale) * count;
            }
        });
        parts.log_sum()
    }

    /// The parts of a wealth; `gain` adds to each part what so many observations of a value gain.
    fn parts(&self, counts: &[u64; MAX_VALUES], gain: impl Fn(usize, &mut [f64], f64)) -> LogParts {
        let num = self.log_weights.len();
        let mut logs = [0.0; MAX_FRACTIONS];
        for (value, &count) in counts.iter().enumerate() {
            if count > 0 {
                gain(value, &mut logs[..num], count as f64);
            }
        }
        for (log, log_weight) in logs.iter_mut().zip(&self.log_weights) {
            *log += log_weight;
        }
        LogParts { logs, num }
    }

    /// How many observations more it takes, at least, until the logarithm of the wealth is `target`; 0 if
    /// it is.
    fn observations_missing(&self, counts: &[u64; MAX_VALUES], target: f64) -> u64 {
        let now = self.log_parts(counts);
        let log_wealth = now.log_sum_above();
        if log_wealth >= target && now.log_sum() >= target {
            return 0;
        }
        // If all goes well from now on, part j is worth exp(L_j + k g_j) after k observations. The logarithm
        // of the sum is convex in k, so it is below its chord from now to a time `late` at which one part
        // alone is worth the target: where the chord is below the target, so is the wealth.
        let growth = || now.iter().zip(&self.largest_log_factors);
        let late = growth().map(|(log, g)| (target - log) / g).fold(f64::INFINITY, f64::min);
        let mut then = LogParts { logs: [f64::NEG_INFINITY; MAX_FRACTIONS], num: now.num };
        for (part, (log, g)) in then.logs.iter_mut().zip(growth()) {
            *part = log + late * g;
        }
        let missing = late * (target - log_wealth) / (then.log_sum_above() - log_wealth);
        // Rounding must not make a test late: a hair less than computed.
        (missing * (1.0 - 1e-9)).ceil().max(1.0) as u64
    }

    /// About the mean against which the logarithm of the wealth is `target`, by Newton's method; none if
    /// there is none, or it was not found.
    fn mean_at(&self, counts: &[u64; MAX_VALUES], target: f64, scale: u8) -> Option<f64> {
        /// Steps are enough: each doubles the digits, once it is near.
        const MAX_STEPS: usize = 30;
        /// The step after one of this length is lost in rounding.
        const LAST_STEP: f64 = 1e-9;
        let n: u64 = counts.iter().sum();
        let points: u64 = (0..).zip(counts).map(|(value, count): (u64, _)| value * count).sum();
        if points == 0 {
            return None;
        }
        let mean = points as f64 / (f64::from(scale) * n as f64);
        // Where a Gaussian would be of variance 1/8.
        let mut m = (mean - (target / (4.0 * n as f64)).sqrt()).max(mean / 4.0);
        for _ in 0..MAX_STEPS {
            let parts = self.parts(counts, |value, gains, count| {
                let x = value as f64 / f64::from(scale);
                for (gain, f) in gains.iter_mut().zip(&self.fractions) {
                    *gain += (1.0 - f + f * x / m).ln() * count;
                }
            });
            let largest = parts.largest();
            let (mut sum, mut slope) = (0.0, 0.0);
            for (log, f) in parts.iter().zip(&self.fractions) {
                let share = (log - largest).exp();
                // d/dm ln(1 - f + f x / m)
                let slope_of =
                    |(x, &count): (f64, &u64)| count as f64 * f * x / (m * (m - f * m + f * x));
                let observed = counts.iter().enumerate();
                let xs = observed.map(|(value, count)| (value as f64 / f64::from(scale), count));
                sum += share;
                slope -= share * xs.map(slope_of).sum::<f64>();
            }
            let excess = largest + sum.ln() - target;
            // The log-wealth is convex in m, so steps from the left do not go too far.
            let next = (m - excess * sum / slope).clamp(m / 4.0, (1.0 + m) / 2.0);
            let step = next - m;
            m = next;
            if step.abs() < LAST_STEP {
                return Some(m);
            }
        }
        None
    }
}

/// The fractions of a bettor against "at most `m`" in a race whose hypotheses are `gap` apart, and their
/// weights.
fn grid(m: f64, gap: f64, scale: u8) -> (Vec<f64>, Vec<f64>) {
    let geometric = |first: f64| -> Vec<f64> {
        // The ratio of neighbours is at most 2.
        let steps = ((LARGEST_FRACTION / first).log2() - 1e-9).ceil().max(1.0);
        let ratio = LARGEST_FRACTION / first;
        (0..=steps as u32).map(|k| first * ratio.powf(f64::from(k) / steps)).collect()
    };
    // The variance of an even game, and that of the mean of two independent ones; a difference of two
    // pairs, (1 + X' - X) / 2, has no more than a pair.
    let variance = if scale > 2 { 0.125 } else { 0.25 };
    let first = 0.875 * gap / variance * m;
    if first >= LARGEST_FRACTION {
        return (vec![LARGEST_FRACTION], vec![1.0]);
    }
    let mut fractions = geometric(first);
    if scale > 2 {
        // Pairs may vary less than two independent games: a smaller stake for that case.
        fractions.push(first / 2.0);
    }
    let others = 0.5 / (fractions.len() - 1) as f64;
    let mut weights = vec![others; fractions.len()];
    weights[0] = 0.5;
    (fractions, weights)
}

/// A betting race in progress.
#[derive(Debug, Clone)]
pub struct BettingRace {
    accept: Bettor,
    reject: Bettor,
    /// Logarithms of the wealth that accepts, and that rejects.
    log_accept: f64,
    log_reject: f64,
    /// Where the two hypotheses meet.
    middle: f64,
    /// Observations after which the mean decides, at the cost of a share of the error probability.
    cap: u64,
    /// Error probability of each bound of the interval that is reported.
    bound_delta: f64,
    scale: u8,
    counts: [u64; MAX_VALUES],
    num_observations: u64,
    /// No bettor can be rich enough before his.
    next_accept_test: u64,
    next_reject_test: u64,
}

/// The share of delta that pays for the cap on the number of observations.
const CAP_SHARE: f64 = 0.2;

impl BettingRace {
    /// The race for accepting a candidate: it must prove a rate above 1/2, and is refused as soon as a
    /// rate below 1/2 + 2 precision is proven. A candidate of rate 1/2 or less is accepted with
    /// probability delta at most, one of rate 1/2 + 2 precision or more refused with that probability.
    ///
    /// Observations go from 0 to `scale`: 2 for games, 4 for pairs.
    pub fn superiority(limits: Limits, scale: u8) -> BettingRace {
        let eps = limits.precision.min(0.24);
        let delta = limits.delta * (1.0 - CAP_SHARE);
        // By the inequality of Hoeffding and Azuma, a mean is off by `eps` with the rest of delta.
        let cap = ((1.0 / (limits.delta * CAP_SHARE)).ln() / (2.0 * eps * eps)).ceil() as u64;
        Self::new(0.5, 0.5 + 2.0 * eps, [delta; 2], scale, cap)
    }

    /// The race between "at most `m_lo`" and "at least `m_hi`", with the error probabilities of accepting
    /// and of rejecting.
    fn new(
        m_lo: f64,
        m_hi: f64,
        [accept_delta, reject_delta]: [f64; 2],
        scale: u8,
        cap: u64,
    ) -> BettingRace {
        let bettor = |m| {
            let (fractions, weights) = grid(m, m_hi - m_lo, scale);
            Bettor::new(&fractions, &weights, m, scale)
        };
        BettingRace {
            accept: bettor(m_lo),
            reject: bettor(1.0 - m_hi),
            log_accept: (1.0 / accept_delta).ln(),
            log_reject: (1.0 / reject_delta).ln(),
            middle: (m_lo + m_hi) / 2.0,
            cap,
            bound_delta: accept_delta.max(reject_delta),
            scale,
            counts: [0; MAX_VALUES],
            num_observations: 0,
            next_accept_test: 1,
            next_reject_test: 1,
        }
    }

    fn reversed_counts(&self) -> [u64; MAX_VALUES] {
        let mut counts = self.counts;
        counts[..=usize::from(self.scale)].reverse();
        counts
    }

    fn mean(&self) -> f64 {
        if self.num_observations == 0 {
            return 0.5;
        }
        let points: u64 = (0..).zip(self.counts).map(|(value, count)| value * count).sum();
        points as f64 / (f64::from(self.scale) * self.num_observations as f64)
    }

    fn stop(&self, reason: Reason, candidate_leads: bool) -> ControlFlow<Verdict> {
        ControlFlow::Break(self.verdict(reason, candidate_leads))
    }

    fn verdict(&self, reason: Reason, candidate_leads: bool) -> Verdict {
        let lower = self.lower_bound(&self.accept, &self.counts);
        let upper = 1.0 - self.lower_bound(&self.reject, &self.reversed_counts());
        Verdict {
            candidate_leads,
            reason,
            num_observations: self.num_observations,
            score: self.mean(),
            interval: [lower, upper],
        }
    }

    /// The largest mean that the bettor disproves with the error probability of a bound, by bisection:
    /// his wealth decreases with the mean he bets against.
    fn lower_bound(&self, bettor: &Bettor, counts: &[u64; MAX_VALUES]) -> f64 {
        /// Rounding moves the result by a thirtieth of this, at most.
        const NEAR: f64 = 1.0 / (1u64 << 45) as f64;
        let target = (1.0 / self.bound_delta).ln();
        let disproves = |m| bettor.log_wealth_against(counts, m, self.scale) >= target;
        // Most steps of the bisection are known beforehand if somebody says where it ends, and is right.
        let known = bettor.mean_at(counts, target, self.scale).map(|m| [m - NEAR, m + NEAR]);
        let known = known.filter(|&[below, above]| disproves(below) && !disproves(above));
        let [below, above] = known.unwrap_or([0.0, 1.0]);
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            if middle <= below || (middle < above && disproves(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    fn test(&mut self) -> ControlFlow<Verdict> {
        let n = self.num_observations;
        let is_rich = |bettor: &Bettor, counts, target, next_test: &mut u64| {
            if n < *next_test {
                return false;
            }
            let missing = bettor.observations_missing(counts, target);
            *next_test = n + missing;
            missing == 0
        };
        let reversed_counts = self.reversed_counts();
        let accepts =
            is_rich(&self.accept, &self.counts, self.log_accept, &mut self.next_accept_test);
        let rejects =
            is_rich(&self.reject, &reversed_counts, self.log_reject, &mut self.next_reject_test);
        match (accepts, rejects) {
            (true, true) => self.stop(Reason::Equivalent, false),
            (true, false) => self.stop(Reason::Better, true),
            (false, true) => self.stop(Reason::NotBetter, false),
            (false, false) => ControlFlow::Continue(()),
        }
    }

    /// No bettor can be rich enough before.
    fn next_test(&self) -> u64 {
        self.next_accept_test.min(self.next_reject_test)
    }
}

impl Race for BettingRace {
    #[inline]
    fn push(&mut self, observation: u8) -> ControlFlow<Verdict> {
        debug_assert!(observation <= self.scale, "observation {observation} of {}", self.scale);
        self.num_observations += 1;
        self.counts[usize::from(observation)] += 1;
        if self.num_observations >= self.next_test() {
            self.test()?;
        }
        if self.num_observations >= self.cap {
            return self.stop(Reason::Cap, self.mean() > self.middle);
        }
        ControlFlow::Continue(())
    }

    fn observations_before_stop(&self) -> u64 {
        self.next_test().min(self.cap) - self.num_observations
    }

    fn doubt(&self) -> f64 {
        self.reject.log_wealth(&self.reversed_counts())
    }

    fn out_of_budget(&self) -> Verdict {
        self.verdict(Reason::Budget, self.mean() > 0.5)
    }
}

#[cfg(test)]
mod tests;
