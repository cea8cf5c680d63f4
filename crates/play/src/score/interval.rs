//! Confidence intervals for a score from pairs of games.
//!
//! A pair is worth 0, 1/4, 1/2, 3/4 or 1, or any value between 0 and 1 in games whose payoffs are graded. The interval
//! contains the means of all distributions on [0, 1] whose likelihood is not too far below the likelihood of the
//! observed frequencies: the profile likelihood interval of a multinomial (Owen, *Empirical likelihood ratio confidence
//! intervals for a single functional*, Biometrika 75, 1988). Unlike there, the support is known instead of observed;
//! the calibration by Student's distribution is recommended there for small samples. For many pairs the interval equals
//! the usual normal interval. For few pairs, or if all pairs have the same value, the normal interval would be absurdly
//! confident; this interval stays within [0, 1] and never has width zero.
//!
//! The sample size must be fixed in advance; the interval is not valid if results are inspected while they come in.

use ruse_base::bisection::bisect;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};

/// The level of confidence of all reported intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The minimum number of degrees of freedom for which the quantiles of Student's distribution equal the normal
/// quantiles to four digits.
const MANY_DEGREES: u64 = 29_999;

/// Returns the two-sided quantile of Student's distribution at the level of confidence. With 0 degrees of freedom the
/// quantile is infinite, since a single value says nothing about its variation.
pub fn student_quantile(degrees: u64) -> f64 {
    quantile(degrees, CONFIDENCE)
}

/// Returns the two-sided quantile of the normal distribution at the level of confidence.
pub(super) fn normal_quantile() -> f64 {
    quantile(MANY_DEGREES, CONFIDENCE)
}

fn quantile(degrees: u64, confidence: f64) -> f64 {
    rounded(precise_quantile(degrees, confidence))
}

/// Returns a quantile with all its digits. The last digits depend on the platform: `statrs` calls the exponential and
/// the logarithm of the platform's library, and iterates until the last step is small. The quantiles of two libraries
/// differed by up to 7e-12 at 95% and 8e-11 at other levels, both at about 20 000 degrees. The quantiles of one
/// library, with and without fused multiplication, differed by 3e-14.
fn precise_quantile(degrees: u64, confidence: f64) -> f64 {
    let probability = 0.5 + confidence / 2.0;
    match degrees {
        0 => f64::INFINITY,
        1..MANY_DEGREES => StudentsT::new(0.0, 1.0, degrees as f64)
            .expect("the degrees of freedom are positive")
            .inverse_cdf(probability),
        MANY_DEGREES.. => Normal::standard().inverse_cdf(probability),
    }
}

/// Rounds a quantile to six significant digits, which suffices. Differences between platforms then do not reach the
/// results. The exceptions are levels other than 95%, where about one quantile in ten thousand is so close to the
/// middle of two rounded numbers that its last digits matter.
fn rounded(quantile: f64) -> f64 {
    format!("{quantile:.5e}").parse().expect("what was written as a number is one")
}

/// Returns the largest difference of log-likelihoods that is not rejected: half of the squared quantile.
fn max_log_ratio(num_pairs: u64, confidence: f64) -> f64 {
    let quantile = quantile(num_pairs.saturating_sub(1), confidence);
    quantile * quantile / 2.0
}

/// Returns bounds on the expected score at a level of confidence, within [0, 1]. `values` contains the values of pairs,
/// in [0, 1] and ascending, each with its count. With fewer than two pairs, the bounds are 0 and 1.
pub fn score_interval_at(confidence: f64, values: &[(f64, u64)]) -> [f64; 2] {
    if values.iter().map(|(_, count)| count).sum::<u64>() < 2 {
        return [0.0, 1.0];
    }
    let reversed: Vec<_> =
        values.iter().rev().map(|&(value, count)| (1.0 - value, count)).collect();
    [lower_bound(values, confidence), 1.0 - lower_bound(&reversed, confidence)]
}

/// Returns the smallest mean that is not rejected, by bisection: the log-ratio decreases up to the sample mean.
fn lower_bound(values: &[(f64, u64)], confidence: f64) -> f64 {
    let num_pairs: u64 = values.iter().map(|(_, count)| count).sum();
    let sum: f64 = values.iter().map(|&(value, count)| value * count as f64).sum();
    if sum == 0.0 {
        return 0.0;
    }
    let allowed = max_log_ratio(num_pairs, confidence);
    // 60 halvings of an interval of length 1 end at the precision of a double.
    bisect([0.0, sum / num_pairs as f64], 60, |mean| log_ratio(values, mean) > allowed)[1]
}

/// Returns the log-likelihood of the observed frequencies minus the log-likelihood of the best distribution with mean
/// `mean`, which is above 0 and below the sample mean. By duality this difference is the largest log-wealth of a bettor
/// that stakes a constant fraction on "more than `mean`": max over f in [0, 1] of sum_j counts_j ln(1 + f (x_j / mean -
/// 1)).
fn log_ratio(values: &[(f64, u64)], mean: f64) -> f64 {
    let seen = values.iter().filter(|&&(_, count)| count > 0);
    let terms: Vec<_> = seen.map(|&(x, count)| (x / mean - 1.0, count as f64)).collect();
    let sum = |value: &dyn Fn(f64) -> f64| -> f64 {
        terms.iter().map(|&(gain, count)| count * value(gain)).sum()
    };
    // The log-wealth is concave in f, so its slope changes sign once.
    let slope = |fraction: f64| sum(&|gain| gain / (1.0 + fraction * gain));
    let [fraction, _] = bisect([0.0, 1.0], 60, |fraction| slope(fraction) > 0.0);
    sum(&|gain| libm::log1p(fraction * gain))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;

    /// Returns the values of pairs of games that are won, drawn or lost, with their counts.
    fn quarters(counts: [u64; 5]) -> [(f64, u64); 5] {
        std::array::from_fn(|quarters| (quarters as f64 / 4.0, counts[quarters]))
    }

    fn score_interval(counts: [u64; 5]) -> [f64; 2] {
        score_interval_at(CONFIDENCE, &quarters(counts))
    }

    /// If two pairs are won, a mean m is rejected if 2 ln(1 / m) is above 12.7062^2 / 2 = 80.7238: m = 2.9584e-18. The
    /// last of 60 halvings is 2^-60 = 8.7e-19.
    #[test]
    fn two_pairs_have_an_interval() {
        let [low, high] = score_interval([0, 0, 0, 0, 2]);
        assert!((2.95e-18..3.83e-18).contains(&low) && high == 1.0, "{low} to {high}");
        assert_eq!(score_interval([0, 0, 0, 0, 1]), [0.0, 1.0]);
    }

    #[test]
    fn quantiles_are_those_of_tables_to_six_digits() {
        // The NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, gives these two-sided quantiles of Student's
        // distribution at 95% to three decimals.
        let table = [(1, 12.7062), (2, 4.30265), (9, 2.26216), (30, 2.04227), (100, 1.98397)];
        for (degrees, expected) in table {
            assert_eq!(student_quantile(degrees), expected);
        }
        assert_eq!((student_quantile(0), normal_quantile()), (f64::INFINITY, 1.95996));
        assert_eq!(quantile(9, 0.99), 3.24984);
    }

    /// Differences between platforms do not change a rounded quantile, even if they are larger than all observed
    /// differences.
    #[test]
    fn quantiles_do_not_depend_on_the_last_digits() {
        const NOISE: f64 = 1e-11;
        let is_firm = |degrees, confidence| {
            let precise = precise_quantile(degrees, confidence);
            rounded(precise * (1.0 - NOISE)) == rounded(precise * (1.0 + NOISE))
        };
        let shaky: Vec<u64> =
            (1..=MANY_DEGREES).filter(|&degrees| !is_firm(degrees, CONFIDENCE)).collect();
        assert!(shaky.is_empty(), "{shaky:?}");
        for confidence in [0.5, 0.8, 0.9, 0.99, 0.999] {
            let shaky = (1..=2000).filter(|&degrees| !is_firm(degrees, confidence)).count();
            assert!(shaky <= 1, "{confidence}: {shaky}");
        }
    }

    fn assert_close(found: [f64; 2], expected: [f64; 2], tolerance: f64) {
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < tolerance, "{found}, {expected} expected");
        }
    }

    #[test]
    fn extreme_samples_have_closed_forms() {
        // If ten pairs are won, the likelihood of "1 with probability m, 0 otherwise" is m^10, and the bound is where
        // its logarithm is -t^2 / 2, with Student's quantile t = 2.26216 for 9 degrees of freedom (tables).
        let bound = libm::exp(-2.262_16 * 2.262_16 / 2.0 / 10.0);
        assert_close(score_interval([0, 0, 0, 0, 10]), [bound, 1.0], 1e-6);
        assert_close(score_interval([10, 0, 0, 0, 0]), [0.0, 1.0 - bound], 1e-6);
        // Ten split pairs: the other values did not occur, but they are possible.
        assert_close(score_interval([0, 0, 10, 0, 0]), [bound / 2.0, 1.0 - bound / 2.0], 1e-6);
        assert_eq!(score_interval([0; 5]), [0.0, 1.0]);
        assert_eq!(score_interval([0, 0, 0, 0, 1]), [0.0, 1.0]);
        // At 99% the quantile is 3.24984.
        let bound = libm::exp(-3.249_84 * 3.249_84 / 2.0 / 10.0);
        assert_close(score_interval_at(0.99, &quarters([0, 0, 0, 0, 10])), [bound, 1.0], 1e-6);
    }

    #[test]
    fn two_outcomes_give_the_likelihood_interval_of_a_binomial() {
        // 3 of 10: the solutions of 3 ln(0.3/p) + 7 ln(0.7/(1-p)) = 2.26216^2 / 2.
        let [low, high] = score_interval([7, 0, 0, 0, 3]);
        for p in [low, high] {
            let ratio = 3.0 * libm::log(0.3 / p) + 7.0 * libm::log(0.7 / (1.0 - p));
            assert!((ratio - 2.262_16 * 2.262_16 / 2.0).abs() < 1e-5, "{p}: {ratio}");
        }
        assert!(0.05 < low && low < 0.3 && 0.3 < high && high < 0.7);
    }

    #[test]
    fn many_pairs_give_the_normal_interval() {
        let counts = [21_000, 0, 48_000, 0, 131_000];
        let n = 200_000f64;
        let mean = (0.5 * 48_000.0 + 131_000.0) / n;
        let variance = (0.25 * 48_000.0 + 131_000.0) / n - mean * mean;
        let half_width = 1.959_964 * (variance / n).sqrt();
        assert_close(score_interval(counts), [mean - half_width, mean + half_width], 1e-5);
    }

    #[test]
    fn intervals_cover_the_true_score() {
        check_coverage(500);
    }

    #[test]
    #[ignore = "long"]
    fn intervals_cover_the_true_score_of_more_samples() {
        check_coverage(2000);
    }

    /// The interval contains the true score about as often as it claims, even for 20 pairs from a skewed distribution.
    /// The coverage may differ from .95 by three standard errors, and from below by four for 20 pairs: with 500 samples of
    /// each distribution by .029 and .039, and with 2000 by .015 and .019.
    fn check_coverage(num_samples: u32) {
        let error = (0.95 * 0.05 / f64::from(num_samples)).sqrt();
        let mut rng = ruse_base::rng::StreamKey::root(3).stream();
        let distributions: [[f64; 5]; 4] = [
            [0.1, 0.0, 0.25, 0.0, 0.65],
            [0.05, 0.2, 0.5, 0.2, 0.05],
            [0.0, 0.0, 0.9, 0.0, 0.1],
            [0.3, 0.1, 0.1, 0.2, 0.3],
        ];
        for probabilities in distributions {
            let mean: f64 = (0..).zip(probabilities).map(|(j, p)| f64::from(j) / 4.0 * p).sum();
            for num_pairs in [20, 100, 1000] {
                let covered = (0..num_samples).filter(|_| {
                    let mut counts = [0; 5];
                    for _ in 0..num_pairs {
                        let mut draw: f64 = rng.random();
                        let index = probabilities.iter().position(|p| {
                            draw -= p;
                            draw < 0.0
                        });
                        counts[index.unwrap_or(4)] += 1;
                    }
                    let [low, high] = score_interval(counts);
                    low <= mean && mean <= high
                });
                let coverage = covered.count() as f64 / f64::from(num_samples);
                let low = 0.95 - if num_pairs == 20 { 4.0 } else { 3.0 } * error;
                let allowed = if num_pairs == 20 { low..=1.0 } else { low..=0.95 + 3.0 * error };
                assert!(
                    allowed.contains(&coverage),
                    "{probabilities:?}, {num_pairs} pairs: covered {coverage}"
                );
            }
        }
    }
}
