//! The betting race: a bettor whose wealth grows disproves a hypothesis.
//!
//! Against the hypothesis "the winning rate is at most m", a bettor starts with a wealth of 1, split into parts by
//! weights w_j. The bettor always stakes the fraction f_j of part j on "more than m" at fair odds. If the hypothesis
//! holds, the wealth is a supermartingale, so the probability that it ever reaches 1/d is at most d (Ville 1939). The
//! hypothesis "at least m" is treated by reversing the observations. The race runs two bettors, one against "at most
//! `m_lo`" and one against "at least `m_hi`".
//!
//! References: Ville, *Etude critique de la notion de collectif*, 1939; Waudby-Smith & Ramdas, *Estimating
//! means of bounded random variables by betting*, JRSS-B 86, 2024; Howard, Ramdas, McAuliffe & Sekhon,
//! *Time-uniform, nonparametric, nonasymptotic confidence sequences*, Annals of Statistics 49, 2021. The
//! grid of fractions and its weights are ours: half of the weight is on the bet that a sequential
//! probability ratio test would make at the border of the precision.
//!
//! The log-wealth is a function of the counts of the possible observations, so rounding does not accumulate, and the
//! order of the observations does not matter. Cost: a few additions per observation; about two dozen cheap exponentials
//! per bettor and test, with roughly several dozen observations between tests; and about a hundred logarithms for the
//! interval, which is computed once. Memory: constant.

mod bound;

use std::ops::ControlFlow;

use super::{Limits, Race, Reason, Verdict};

/// The number of values of an observation (a difference of two pairs) in games that are won, drawn or lost. Graded
/// payoffs can have thousands of values; only the values that occurred are kept.
const FEW_VALUES: usize = 9;
/// The largest fraction that a bettor stakes; with a fraction of 1, one loss would ruin the bettor.
const LARGEST_FRACTION: f64 = 0.98;

/// The maximum number of fractions in a race, which is reached at [`BettingRace::SMALLEST_PRECISION`].
const MAX_FRACTIONS: usize = 32;
/// The number of fractions of a race at precision 0.0025; a race at precision 0.01 has fewer.
const FEW_FRACTIONS: usize = 8;

/// A bettor against "the mean is at most m".
#[derive(Debug, Clone)]
struct Bettor {
    m: f64,
    scale: u16,
    fractions: Vec<f64>,
    log_weights: Vec<f64>,
    /// The values that are counted separately, ascending, from 0 to `scale`.
    values: Vec<u16>,
    /// The logarithm of the factor 1 + f_j (x_v / m - 1) for each value v (row) and each fraction j (column), where x_v
    /// is v divided by `scale`. An observation of v multiplies part j of the wealth by this factor. Rows are padded
    /// with zeros to [`lanes`](Bettor::lanes) entries.
    log_factors: Vec<f64>,
    /// The number of observations before which the target cannot be reached.
    next_test: u64,
}

/// The number of observations of each value.
#[derive(Debug, Clone, Default)]
struct Counts {
    num: usize,
    few: [u64; FEW_VALUES],
    /// All counts, if there are more than [`FEW_VALUES`] values.
    many: Vec<u64>,
}

impl Counts {
    fn new(num: usize) -> Counts {
        let many = if num > FEW_VALUES { vec![0; num] } else { Vec::new() };
        Counts { num, few: [0; FEW_VALUES], many }
    }

    #[inline]
    fn get(&self) -> &[u64] {
        if self.num <= FEW_VALUES { &self.few[..self.num] } else { &self.many }
    }

    #[inline]
    fn get_mut(&mut self) -> &mut [u64] {
        if self.num <= FEW_VALUES { &mut self.few[..self.num] } else { &mut self.many }
    }

    fn reversed(&self) -> Counts {
        let mut counts = self.clone();
        counts.get_mut().reverse();
        counts
    }

    /// Inserts a count of zero at `index`.
    fn insert(&mut self, index: usize) {
        let mut counts = self.get().to_vec();
        counts.insert(index, 0);
        *self = Counts::new(counts.len());
        self.get_mut().copy_from_slice(&counts);
    }
}

/// The logarithm of each part of the wealth; each fraction has one part.
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

    fn log_sum(&self) -> f64 {
        let largest = self.largest();
        let sum: f64 = self.iter().map(|log| libm::exp(log - largest)).sum();
        largest + libm::log(sum)
    }
}

/// Returns a tight upper bound on the logarithm of the sum of the parts whose logarithms are `logs`, from upper bounds
/// on exponentials and on a logarithm. `largest` is close to the largest of `logs`.
fn log_sum_above<const N: usize>(logs: &[f64; N], largest: f64) -> f64 {
    let shares = logs.map(|log| exp_above(log - largest));
    largest + log_above(fold_halves(shares, |a, b| a + b))
}

/// Combines `N` numbers into one: the first half with the second half, then the halves of the result, and so on. `N` is
/// a power of two. The compiler can vectorise each step.
#[inline(always)]
fn fold_halves<const N: usize>(mut numbers: [f64; N], f: impl Fn(f64, f64) -> f64) -> f64 {
    let mut half = N / 2;
    while half > 0 {
        for index in 0..half {
            numbers[index] = f(numbers[index], numbers[index + half]);
        }
        half /= 2;
    }
    numbers[0]
}

/// Returns an upper bound on the exponential of `x`, where `x` is at most 0. The relative error is at most 1 in 5 000,
/// and for small results the absolute error is at most 1e-9. Several bounds can be computed at once, which takes a
/// fraction of the time of `exp`.
#[inline(always)]
fn exp_above(x: f64) -> f64 {
    /// A constant for rounding: if it is added to a small number, the lowest bits of the sum contain the nearest
    /// integer.
    const ROUNDER: f64 = 6_755_399_441_055_744.0;
    // Smaller exponentials are negligible.
    let exponent = if x > -21.0 { x } else { -21.0 } * std::f64::consts::LOG2_E;
    let rounded = exponent + ROUNDER;
    // 2^rest is computed by its series; the first omitted term is at most 4e-5.
    let rest = (exponent - (rounded - ROUNDER)) * std::f64::consts::LN_2;
    let series = 1.0 + rest * (1.0 + rest * (0.5 + rest * (1.0 / 6.0 + rest * (1.0 / 24.0))));
    let power = f64::from_bits((rounded.to_bits() << 52).wrapping_add(1.0f64.to_bits()));
    series * (power * 1.000_1)
}

/// Returns an upper bound on the logarithm of `x`, where `x` is above 1e-300. The error is at most 2e-4, and the
/// computation takes half the time of `log`.
#[inline(always)]
fn log_above(x: f64) -> f64 {
    const ROOT_OF_HALF: u64 = std::f64::consts::FRAC_1_SQRT_2.to_bits();
    // x = 2^exponent m, with m from sqrt(1/2) to sqrt(2).
    let exponent = (x.to_bits().wrapping_sub(ROOT_OF_HALF) as i64) >> 52;
    let m = f64::from_bits(x.to_bits().wrapping_sub((exponent << 52) as u64));
    // ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...); the terms from s^5 on are omitted and are at most 6e-5 in absolute value.
    let s = (m - 1.0) / (m + 1.0);
    exponent as f64 * std::f64::consts::LN_2 + 2.0 * s * (1.0 + s * s * (1.0 / 3.0)) + 1e-4
}

impl Bettor {
    fn new(fractions: Vec<f64>, weights: &[f64], m: f64, values: &[u16]) -> Bettor {
        let scale = values.last().copied().unwrap_or(1);
        let mut bettor = Bettor {
            m,
            scale,
            values: values.to_vec(),
            fractions,
            log_weights: weights.iter().map(|&weight| libm::log(weight)).collect(),
            log_factors: Vec::new(),
            next_test: 1,
        };
        bettor.log_factors = values.iter().flat_map(|&value| bettor.row(value)).collect();
        bettor
    }

    /// Returns the log-factors of a value, one for each fraction.
    fn row(&self, value: u16) -> Vec<f64> {
        let mut row = vec![0.0; self.lanes()];
        for (log_factor, &fraction) in row.iter_mut().zip(&self.fractions) {
            *log_factor = Self::log_factor(fraction, value, self.m, self.scale);
        }
        row
    }

    /// Begins to count `value` separately, and stores it at `index`.
    fn insert(&mut self, index: usize, value: u16) {
        let (row, place) = (self.row(value), index * self.lanes());
        self.values.insert(index, value);
        self.log_factors.splice(place..place, row);
    }

    /// Returns the number of parts of the wealth that a test computes at once, including padding.
    #[inline]
    fn lanes(&self) -> usize {
        if self.fractions.len() <= FEW_FRACTIONS { FEW_FRACTIONS } else { MAX_FRACTIONS }
    }

    /// Returns the log-factors of the value with this index, one for each fraction.
    #[inline]
    fn log_factors(&self, index: usize) -> &[f64] {
        &self.log_factors[index * self.lanes()..][..self.lanes()]
    }

    fn log_factor(fraction: f64, value: u16, m: f64, scale: u16) -> f64 {
        let x = f64::from(value) / f64::from(scale);
        libm::log1p(fraction * (x / m - 1.0))
    }

    /// Returns the parts of the wealth after observations with these counts.
    fn log_parts(&self, counts: &[u64]) -> LogParts {
        self.parts(counts, |index, gains, count| {
            for (gain, factor) in gains.iter_mut().zip(self.log_factors(index)) {
                *gain += factor * count;
            }
        })
    }

    fn log_wealth(&self, counts: &[u64]) -> f64 {
        self.log_parts(counts).log_sum()
    }

    /// Like `log_wealth`, for a bettor against the mean `m`.
    fn log_wealth_against(&self, counts: &[u64], m: f64) -> f64 {
        self.log_parts_against(counts, m).log_sum()
    }

    fn log_parts_against(&self, counts: &[u64], m: f64) -> LogParts {
        self.parts(counts, |index, gains, count| {
            let value = self.values[index];
            for (gain, &fraction) in gains.iter_mut().zip(&self.fractions) {
                *gain += Self::log_factor(fraction, value, m, self.scale) * count;
            }
        })
    }

    /// Computes the parts of the wealth. `gain(index, logs, count)` adds, to each part, the gain from `count`
    /// observations of the value with this index.
    fn parts(&self, counts: &[u64], gain: impl Fn(usize, &mut [f64], f64)) -> LogParts {
        let num = self.log_weights.len();
        let mut logs = [0.0; MAX_FRACTIONS];
        for (index, &count) in counts.iter().enumerate() {
            if count > 0 {
                gain(index, &mut logs[..num], count as f64);
            }
        }
        for (log, log_weight) in logs.iter_mut().zip(&self.log_weights) {
            *log += log_weight;
        }
        LogParts { logs, num }
    }

    /// Returns `true` if the logarithm of the wealth has reached `target` after `n` observations with these counts.
    fn is_rich(&mut self, n: u64, counts: &[u64], target: f64) -> bool {
        if n < self.next_test {
            return false;
        }
        let missing = self.observations_missing(counts, target);
        self.next_test = n + missing;
        missing == 0
    }

    /// Returns a lower bound on the number of observations until the logarithm of the wealth is `target`, or 0 if the
    /// wealth has reached the target.
    fn observations_missing(&self, counts: &[u64], target: f64) -> u64 {
        if self.lanes() == FEW_FRACTIONS {
            self.observations_missing_in::<FEW_FRACTIONS>(counts, target)
        } else {
            self.observations_missing_in::<MAX_FRACTIONS>(counts, target)
        }
    }

    fn observations_missing_in<const LANES: usize>(&self, counts: &[u64], target: f64) -> u64 {
        let (rows, _) = self.log_factors.as_chunks::<LANES>();
        // Unused lanes have a wealth of 0.
        let mut now = [f64::NEG_INFINITY; LANES];
        now[..self.log_weights.len()].copy_from_slice(&self.log_weights);
        for (row, &count) in rows.iter().zip(counts) {
            for (log, factor) in now.iter_mut().zip(row) {
                *log += factor * count as f64;
            }
        }
        let largest = fold_halves(now, |a, b| if a > b { a } else { b });
        let log_wealth = log_sum_above(&now, largest);
        if log_wealth >= target {
            return u64::from(self.log_wealth(counts) < target);
        }
        // If all further observations are wins, part j is worth exp(L_j + k g_j) after k wins, where g_j is the
        // log-factor of a win. Let `late` be the first time at which a part alone is worth the target. The logarithm of
        // the sum is convex in k, so until `late` it lies below its chord. While the chord is below the target, so is
        // the wealth.
        let growth = &rows[rows.len() - 1];
        let times = std::array::from_fn::<f64, LANES, _>(|j| (target - now[j]) / growth[j]);
        let late = fold_halves(times, |a, b| if a < b { a } else { b });
        let then = std::array::from_fn::<f64, LANES, _>(|j| now[j] + late * growth[j]);
        let missing = late * (target - log_wealth) / (log_sum_above(&then, target) - log_wealth);
        // Rounding must not delay a test, so the bound is lowered slightly.
        (missing * (1.0 - 1e-9)) as u64 + 1
    }
}

/// Returns the fractions, and their weights, of a bettor against "at most `m`" in a race whose hypotheses are `gap`
/// apart.
fn grid(m: f64, gap: f64, scale: u16) -> (Vec<f64>, Vec<f64>) {
    let geometric = |first: f64| -> Vec<f64> {
        // The ratio of neighbouring fractions is at most 2.
        let steps = (libm::log2(LARGEST_FRACTION / first) - 1e-9).ceil().max(1.0);
        let ratio = LARGEST_FRACTION / first;
        (0..=steps as u32).map(|k| first * libm::pow(ratio, f64::from(k) / steps)).collect()
    };
    // An even game has variance 1/4; the mean of two independent even games has variance 1/8. A difference of two
    // pairs, (1 + X' - X) / 2, has at most the variance of a pair.
    let variance = if scale > 2 { 0.125 } else { 0.25 };
    let first = 0.875 * gap / variance * m;
    if first >= LARGEST_FRACTION {
        return (vec![LARGEST_FRACTION], vec![1.0]);
    }
    let mut fractions = geometric(first);
    if scale > 2 {
        // Pairs can vary less than two independent games; a smaller stake covers that case.
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
    /// The log-wealth of `accept` at which the candidate is accepted, and of `reject` at which it is rejected.
    log_target: f64,
    /// The mean at which the two hypotheses meet.
    middle: f64,
    /// The number of observations after which the mean decides, at the cost of `CAP_SHARE`.
    cap: u64,
    /// The error probability of each bound of the reported interval.
    bound_delta: f64,
    scale: u16,
    counts: Counts,
    num_observations: u64,
}

/// The share of delta that is spent on the decision at the cap.
const CAP_SHARE: f64 = 0.2;

impl BettingRace {
    /// The smallest precision of a comparison. For a smaller precision, the largest number of fractions would not
    /// suffice.
    ///
    /// A comparison of two contestants against a third halves the precision; let eps be the precision of the race. The
    /// smallest fraction is 7 eps, and neighbouring fractions differ by a factor of at most 2: log2(.98 / (7 *
    /// 1.5e-10)) = 29.8, so there are 31 fractions, and 32 with the smaller stake for pairs.
    pub const SMALLEST_PRECISION: f64 = 3e-10;

    /// Creates the race that decides whether to accept a candidate. The race accepts as soon as a rate above 1/2 is
    /// proven, and refuses as soon as a rate below 1/2 + 2 precision is proven. Each of two errors has probability at
    /// most delta: accepting a candidate with a rate of 1/2 or less, and refusing a candidate with a rate of 1/2 + 2
    /// precision or more.
    ///
    /// Observations are integers from 0 to `scale`, which is 2 for games and 4 for pairs.
    ///
    /// # Panics
    ///
    /// Panics if the precision is less than half of [`SMALLEST_PRECISION`](BettingRace::SMALLEST_PRECISION).
    pub fn superiority(limits: Limits, scale: u16) -> BettingRace {
        BettingRace::above(0.5, limits, scale)
    }

    /// Creates the same race about the rate `against`, in (0, 1), instead of 1/2.
    ///
    /// # Panics
    ///
    /// Panics if the precision is less than half of [`SMALLEST_PRECISION`](BettingRace::SMALLEST_PRECISION); the closer
    /// `against` is to 0 or 1, the larger this bound is.
    pub fn above(against: f64, limits: Limits, scale: u16) -> BettingRace {
        let m_hi = against + 2.0 * Self::precision(against, limits);
        // The smallest fraction of a bettor is proportional to this product.
        assert!(
            limits.precision * against.min(1.0 - m_hi) >= Self::SMALLEST_PRECISION / 4.01,
            "no betting race has a precision of {} about {against}",
            limits.precision
        );
        let delta = limits.delta * (1.0 - CAP_SHARE);
        Self::new(against, m_hi, delta, scale, Self::cap(against, limits))
    }

    fn precision(against: f64, limits: Limits) -> f64 {
        limits.precision.min(0.48 * (1.0 - against))
    }

    /// Returns the number of observations after which the mean decides: by the inequality of Hoeffding and Azuma, the
    /// probability that the mean is off by the precision is at most the share of delta for the cap.
    pub(super) fn cap(against: f64, limits: Limits) -> u64 {
        let eps = Self::precision(against, limits);
        (libm::log(1.0 / (limits.delta * CAP_SHARE)) / (2.0 * eps * eps)).ceil() as u64
    }

    /// Creates a race between "at most `m_lo`" and "at least `m_hi`". Both errors, accepting and rejecting wrongly, have
    /// the probability `delta`.
    fn new(m_lo: f64, m_hi: f64, delta: f64, scale: u16, cap: u64) -> BettingRace {
        // If there are many values, only the smallest and the largest are stored until others occur; each value that
        // occurs is stored with its mirror image.
        let values: Vec<u16> = match usize::from(scale) < FEW_VALUES {
            true => (0..=scale).collect(),
            false => vec![0, scale],
        };
        let bettor = |m| {
            let (fractions, weights) = grid(m, m_hi - m_lo, scale);
            Bettor::new(fractions, &weights, m, &values)
        };
        BettingRace {
            accept: bettor(m_lo),
            reject: bettor(1.0 - m_hi),
            log_target: libm::log(1.0 / delta),
            middle: (m_lo + m_hi) / 2.0,
            cap,
            bound_delta: delta,
            scale,
            counts: Counts::new(values.len()),
            num_observations: 0,
        }
    }

    /// Returns the verdict of a race [above](BettingRace::above) a rate that the number of observations of each value
    /// from 0 allows, at any time of stopping, except for the cap. If they decide nothing, the reason is
    /// [`Budget`](Reason::Budget). Both bounds of the interval hold at once with probability 1 - delta.
    ///
    /// # Panics
    ///
    /// Same as [`superiority`](BettingRace::superiority).
    pub fn verdict_of_counts(against: f64, limits: Limits, counts: &[u64]) -> Verdict {
        let mut race = BettingRace::above(against, limits, counts.len() as u16 - 1);
        race.bound_delta = limits.delta / 2.0;
        for (value, &count) in (0..).zip(counts).filter(|&(_, &count)| count > 0) {
            let index = race.index_of(value);
            race.counts.get_mut()[index] += count;
            race.num_observations += count;
        }
        race.test().break_value().unwrap_or_else(|| race.out_of_budget())
    }

    /// Returns the index of the value of an observation. A new value is counted separately from now on.
    #[inline]
    fn index_of(&mut self, observation: u16) -> usize {
        if usize::from(self.scale) < FEW_VALUES {
            return usize::from(observation);
        }
        let search = |race: &Self, value| race.accept.values.binary_search(&value);
        for value in [observation, self.scale - observation] {
            if let Err(index) = search(self, value) {
                self.accept.insert(index, value);
                self.reject.insert(index, value);
                self.counts.insert(index);
            }
        }
        search(self, observation).expect("it is told apart")
    }

    fn mean(&self) -> f64 {
        if self.num_observations == 0 {
            return 0.5;
        }
        let values = self.accept.values.iter().map(|&value| u64::from(value));
        let points: u64 = values.zip(self.counts.get()).map(|(value, count)| value * count).sum();
        points as f64 / (f64::from(self.scale) * self.num_observations as f64)
    }

    fn stop(&self, reason: Reason, candidate_leads: bool) -> ControlFlow<Verdict> {
        ControlFlow::Break(self.verdict(reason, candidate_leads))
    }

    fn verdict(&self, reason: Reason, candidate_leads: bool) -> Verdict {
        let target = libm::log(1.0 / self.bound_delta);
        let lower = self.accept.lower_bound(self.counts.get(), target);
        let upper = 1.0 - self.reject.lower_bound(self.counts.reversed().get(), target);
        Verdict {
            candidate_leads,
            reason,
            num_observations: self.num_observations,
            score: self.mean(),
            interval: [lower, upper],
        }
    }

    fn test(&mut self) -> ControlFlow<Verdict> {
        let (n, target) = (self.num_observations, self.log_target);
        let accepts = self.accept.is_rich(n, self.counts.get(), target);
        let rejects = self.reject.is_rich(n, self.counts.reversed().get(), target);
        match (accepts, rejects) {
            (true, true) => self.stop(Reason::Equivalent, false),
            (true, false) => self.stop(Reason::Better, true),
            (false, true) => self.stop(Reason::NotBetter, false),
            (false, false) => ControlFlow::Continue(()),
        }
    }

    /// Returns the number of observations before which neither bettor can reach its target.
    fn next_test(&self) -> u64 {
        self.accept.next_test.min(self.reject.next_test)
    }
}

impl Race for BettingRace {
    #[inline]
    fn push(&mut self, observation: u16) -> ControlFlow<Verdict> {
        debug_assert!(observation <= self.scale, "observation {observation} of {}", self.scale);
        self.num_observations += 1;
        let index = self.index_of(observation);
        self.counts.get_mut()[index] += 1;
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
        self.reject.log_wealth(self.counts.reversed().get())
    }

    fn out_of_budget(&self) -> Verdict {
        self.verdict(Reason::Budget, self.mean() > 0.5)
    }
}

#[cfg(test)]
mod tests;
