//! The largest mean that a bettor disproves, which is the lower bound of the interval.
//!
//! The result equals, to the last bit, the result of fifty halvings of [0, 1], but costs about two evaluations of the
//! wealth. The logarithms are computed exactly at one mean, and expanded into power series about this mean: as
//! functions of t = 1 / m, the parts of the log-wealth are sums of ln(1 - f + f x t), whose derivatives are powers. The
//! mean that the series locate differs from the result of the halvings because logarithms are rounded. This difference
//! is bounded, and only halvings within the bound are carried out.

use ruse_base::bisection::bisect;

use super::{Bettor, LogParts, MAX_FRACTIONS};

/// The relative rounding error of one operation.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// Power series of the parts of a log-wealth about t = 1 / m: at t + d, part j is L + d (P1 - d (P2 / 2 - d P3 / 3)),
/// where L is the part at t.
struct Series {
    logs: LogParts,
    /// P1, P2 and P3 of each part: the sums, over the observations, of the first, second and third powers of f x / (1 -
    /// f + f x t).
    powers: [[f64; MAX_FRACTIONS]; 3],
    /// Upper bounds on the rounding error of each part, in units of [`ROUNDING`].
    noise: [f64; MAX_FRACTIONS],
}

/// The log-wealth at a point of a [`Series`].
struct Wealth {
    log: f64,
    /// The derivative with respect to t.
    slope: f64,
    /// An upper bound on the rounding error of `log`, in units of [`ROUNDING`].
    noise: f64,
}

impl Series {
    fn at(&self, d: f64) -> Wealth {
        /// The logarithm of the ratio to the largest part below which a part vanishes in rounding.
        const NOTHING: f64 = -40.0;
        let [p1, p2, p3] = &self.powers;
        let mut logs = [0.0; MAX_FRACTIONS];
        let known = &self.logs.logs[..self.logs.num];
        for (j, (log, known)) in logs.iter_mut().zip(known).enumerate() {
            *log = known + d * (p1[j] - d * (p2[j] / 2.0 - d * (p3[j] / 3.0)));
        }
        let logs = &logs[..self.logs.num];
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (mut sum, mut slope, mut noise) = (0.0, 0.0, 0.0);
        for (j, log) in logs.iter().enumerate() {
            if log - largest > NOTHING {
                let share = libm::exp(log - largest);
                sum += share;
                slope += share * (p1[j] - d * (p2[j] - d * p3[j]));
                noise += share * self.noise[j];
            }
        }
        // The exponentials, their sum and its logarithm are rounded as well.
        let noise = noise / sum + 16.0 + largest.abs();
        Wealth { log: largest + libm::log(sum), slope: slope / sum, noise }
    }
}

impl Bettor {
    /// Returns the largest mean against which the log-wealth reaches `target`. Uses bisection, which works because the
    /// wealth falls as the mean in the hypothesis grows.
    pub(super) fn lower_bound(&self, counts: &[u64], target: f64) -> f64 {
        let disproves = |m| self.log_wealth_against(counts, m) >= target;
        let [below, above] = self.bracket(counts, target).unwrap_or([0.0, 1.0]);
        let is_disproved = |m: f64| m <= below || (m < above && disproves(m));
        bisect([0.0, 1.0], 50, is_disproved)[0]
    }

    /// Returns two means between which the computed log-wealth falls below `target`, or `None` if they were not found.
    /// Regardless of rounding, the log-wealth is at least `target` for every mean below the first, and less than
    /// `target` for every mean above the second.
    pub(super) fn bracket(&self, counts: &[u64], target: f64) -> Option<[f64; 2]> {
        /// The maximum number of steps. Close to the root, each step multiplies the number of correct digits by four.
        const MAX_STEPS: usize = 20;
        /// The length of a step below which the error of the series vanishes in rounding.
        const LAST_STEP: f64 = 1e-5;
        if counts[1..].iter().all(|&count| count == 0) {
            return None;
        }
        let mut m = self.m;
        let mut logs = self.log_parts(counts);
        for _ in 0..MAX_STEPS {
            let series = self.series(counts, m, logs);
            let (d, wealth) = solve(&series, target, 1.0 / m);
            let root = m - m * m * d / (1.0 + m * d);
            if let Some(wealth) = wealth
                && d.abs() < LAST_STEP
            {
                // The rounding error counts twice: once for the value at the last mean, and once for the value at the
                // mean that is compared with it.
                let noise = 2.0 * ROUNDING * wealth.noise / wealth.slope;
                let margin = root * root * noise + 2.0 * ROUNDING;
                return Some([root - margin, root + margin]);
            }
            m = root;
            logs = self.log_parts_against(counts, m);
        }
        None
    }

    fn series(&self, counts: &[u64], m: f64, logs: LogParts) -> Series {
        let [mut p1, mut p2, mut p3, mut noise] = [[0.0; MAX_FRACTIONS]; 4];
        for (&value, &count) in self.values.iter().zip(counts) {
            if count == 0 {
                continue;
            }
            let (x, count) = (f64::from(value) / f64::from(self.scale), count as f64);
            let odds = x / m - 1.0;
            // The quotient, the difference and the product in ln(1 + f (x / m - 1)) are rounded, and so are the
            // logarithm, its product with the count, and up to four sums.
            let rounded = x / m + 8.0 * odds.abs();
            for (j, f) in self.fractions.iter().enumerate() {
                let of_one = f / (1.0 + f * odds);
                let power = of_one * x;
                p1[j] += count * power;
                p2[j] += count * power * power;
                p3[j] += count * power * power * power;
                noise[j] += count * of_one * rounded;
            }
        }
        Series { logs, powers: [p1, p2, p3], noise }
    }
}

/// Finds where the log-wealth of a series about `t` equals `target`, by Newton's method. Returns the difference from
/// `t`, and, if the method converged, the wealth at this point.
fn solve(series: &Series, target: f64, t: f64) -> (f64, Option<Wealth>) {
    const MAX_STEPS: usize = 20;
    /// The distance from the target below which the next step is the last. The remaining error is then about the square
    /// of this distance, and vanishes in rounding.
    const NEAR: f64 = 1e-8;
    let mut d = 0.0;
    for _ in 0..MAX_STEPS {
        let wealth = series.at(d);
        let missing = target - wealth.log;
        let step = missing / wealth.slope;
        if missing.abs() < NEAR {
            return (d + step, Some(wealth));
        }
        // Keeps the mean between 0 and 1.
        let next = (d + step).clamp((1.0 - t) / 2.0, 3.0 * t);
        if next == d {
            break;
        }
        d = next;
    }
    // The method has not converged, so the caller continues with the series about this point.
    (d, None)
}
