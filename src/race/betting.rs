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
//! and the order does not matter. Cost: a few additions an observation, and a dozen exponentials at those
//! after which the race might stop. Memory: constant.

use std::ops::ControlFlow;

use super::{Limits, Race, Reason, Verdict};

/// The most values an observation can have: those of the difference of two pairs of games.
const MAX_VALUES: usize = 9;
/// Nobody stakes everything: one loss would end the game.
const LARGEST_FRACTION: f64 = 0.98;

/// A bettor against "the mean is at most m".
#[derive(Debug, Clone)]
struct Bettor {
    fractions: Vec<f64>,
    log_weights: Vec<f64>,
    /// ln(1 + f_j (x_v / m - 1)) for each fraction j and value v.
    log_factors: Vec<[f64; MAX_VALUES]>,
    /// The largest of them: the wealth does not grow faster.
    largest_log_factor: f64,
}

impl Bettor {
    fn new(fractions: &[f64], weights: &[f64], m: f64, scale: u8) -> Bettor {
        let log_factors: Vec<[f64; MAX_VALUES]> =
            fractions.iter().map(|&fraction| Self::log_factors(fraction, m, scale)).collect();
        let all = log_factors.iter().flatten().copied();
        Bettor {
            fractions: fractions.to_vec(),
            log_weights: weights.iter().map(|weight| weight.ln()).collect(),
            largest_log_factor: all.fold(0.0, f64::max),
            log_factors,
        }
    }

    fn log_factors(fraction: f64, m: f64, scale: u8) -> [f64; MAX_VALUES] {
        std::array::from_fn(|value| {
            let x = (value as f64 / f64::from(scale)).min(1.0);
            (fraction * (x / m - 1.0)).ln_1p()
        })
    }

    /// The logarithm of the wealth after observations with these counts.
    fn log_wealth(&self, counts: &[u64; MAX_VALUES]) -> f64 {
        Self::mixture(&self.log_weights, self.log_factors.iter().copied(), counts)
    }

    /// The same for another mean.
    fn log_wealth_against(&self, counts: &[u64; MAX_VALUES], m: f64, scale: u8) -> f64 {
        let factors = self.fractions.iter().map(|&fraction| Self::log_factors(fraction, m, scale));
        Self::mixture(&self.log_weights, factors, counts)
    }

    fn mixture(
        log_weights: &[f64],
        log_factors: impl Iterator<Item = [f64; MAX_VALUES]>,
        counts: &[u64; MAX_VALUES],
    ) -> f64 {
        /// More fractions than a race has.
        const MAX_FRACTIONS: usize = 32;
        let mut logs = [f64::NEG_INFINITY; MAX_FRACTIONS];
        for ((log, log_weight), factors) in logs.iter_mut().zip(log_weights).zip(log_factors) {
            let gains = factors.iter().zip(counts).map(|(factor, &count)| factor * count as f64);
            *log = log_weight + gains.sum::<f64>();
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = logs[..log_weights.len()].iter().map(|log| (log - largest).exp()).sum();
        largest + sum.ln()
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
    /// No bettor can be rich enough before.
    next_test: u64,
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
            next_test: 1,
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
        let target = (1.0 / self.bound_delta).ln();
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..50 {
            let middle = (low + high) / 2.0;
            if bettor.log_wealth_against(counts, middle, self.scale) >= target {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    fn test(&mut self) -> ControlFlow<Verdict> {
        let accept = self.accept.log_wealth(&self.counts);
        let reject = self.reject.log_wealth(&self.reversed_counts());
        match (accept >= self.log_accept, reject >= self.log_reject) {
            (true, true) => return self.stop(Reason::Equivalent, false),
            (true, false) => return self.stop(Reason::Better, true),
            (false, true) => return self.stop(Reason::NotBetter, false),
            (false, false) => {}
        }
        // Even if all goes well for one of them, it takes him so many observations.
        let steps = |bettor: &Bettor, missing: f64| missing / bettor.largest_log_factor;
        let accept = steps(&self.accept, self.log_accept - accept);
        let reject = steps(&self.reject, self.log_reject - reject);
        // Rounding must not make a test late: a hair less than computed.
        let until = (accept.min(reject) * (1.0 - 1e-9)).ceil().max(1.0) as u64;
        self.next_test = self.num_observations + until;
        ControlFlow::Continue(())
    }
}

impl Race for BettingRace {
    #[inline]
    fn push(&mut self, observation: u8) -> ControlFlow<Verdict> {
        debug_assert!(observation <= self.scale, "observation {observation} of {}", self.scale);
        self.num_observations += 1;
        self.counts[usize::from(observation)] += 1;
        if self.num_observations >= self.next_test {
            self.test()?;
        }
        if self.num_observations >= self.cap {
            return self.stop(Reason::Cap, self.mean() > self.middle);
        }
        ControlFlow::Continue(())
    }

    fn observations_before_stop(&self) -> u64 {
        self.next_test.min(self.cap) - self.num_observations
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
