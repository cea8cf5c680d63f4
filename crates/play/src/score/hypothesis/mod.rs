//! Tests of hypotheses: how often chance alone produces a result at least as extreme as the observed one.
//!
//! The tests for methods over families follow J. Demšar, *Statistical comparisons of classifiers over multiple data
//! sets*, Journal of Machine Learning Research 7, 2006 ("Demšar" in this module): [`friedman`] for all methods at once,
//! with the [`critical_difference`] of Nemenyi, [`wilcoxon`] for two methods, and [`holm`] for several tests together.
//! None of these tests allows peeking: the sample must be complete before the first test.
//!
//! Probabilities have four significant digits, because further digits depend on the platform (see the quantiles of
//! [`crate::score`]).

mod friedman;
mod holm;
mod wilcoxon;

pub use friedman::{Friedman, critical_difference, friedman};
pub use holm::holm;
use statrs::distribution::{ContinuousCDF, StudentsT};
pub use wilcoxon::{MAX_EXACT_PAIRS, SignedRanks, wilcoxon};

/// The allowed probability of error: one minus the level of confidence of all intervals.
pub const SIGNIFICANCE: f64 = 0.05;

/// Returns the two-sided p-value of `t` by Student's distribution with `degrees` degrees of freedom, at least 1. It is
/// the probability of an absolute value of at least `|t|`, to four digits.
pub fn student_p_value(t: f64, degrees: u64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let student = StudentsT::new(0.0, 1.0, degrees as f64);
    let student = student.expect("the degrees of freedom are positive");
    four_digits(2.0 * student.cdf(-t.abs()))
}

/// Returns the degrees of freedom of the difference of two independent means, after B. L. Welch, *The generalization of
/// "Student's" problem when several different population variances are involved*, Biometrika 34, 1947, rounded down.
/// `variances`: the variance of each mean, with its `degrees` of freedom.
pub fn welch_degrees(variances: [f64; 2], degrees: [u64; 2]) -> u64 {
    let sum = variances[0] + variances[1];
    if sum <= 0.0 {
        return degrees[0] + degrees[1];
    }
    let parts = [0, 1].map(|side| variances[side] * variances[side] / degrees[side] as f64);
    // The sum of equal degrees must not be rounded to the number below.
    (sum * sum / (parts[0] + parts[1]) * (1.0 + 1e-12)) as u64
}

fn four_digits(probability: f64) -> f64 {
    let text = format!("{:.3e}", probability.clamp(0.0, 1.0));
    text.parse().expect("what was written as a number is one")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Equal variances have the sum of the degrees. With variances 4 and 1 over 5 and 10 degrees, (4 + 1)^2 /
    /// (16 / 5 + 1 / 10) = 7.58.
    #[test]
    fn unequal_variances_have_fewer_degrees() {
        for (variances, degrees, expected) in [
            ([0.3, 0.3], [9, 9], 18),
            ([4.0, 1.0], [5, 10], 7),
            ([4.0, 0.0], [5, 10], 5),
            ([0.0, 0.0], [5, 10], 15),
            ([1.0, 1.0], [0, 0], 0),
        ] {
            assert_eq!(welch_degrees(variances, degrees), expected);
        }
    }

    #[test]
    fn students_probabilities_are_those_of_tables() {
        // The quantiles are two-sided, at 5% and 1%: NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, with
        // more digits.
        for (t, degrees, expected) in
            [(12.7062, 1, 0.05), (4.302_65, 2, 0.05), (3.182_45, 3, 0.05), (9.924_84, 2, 0.01)]
        {
            assert_eq!(student_p_value(t, degrees), expected);
            assert_eq!(student_p_value(-t, degrees), expected);
        }
        // With one degree of freedom, this is Cauchy's distribution: 1 - 2 arctan(t) / pi, and arctan(1) = pi / 4.
        assert_eq!(student_p_value(1.0, 1), 0.5);
        assert_eq!((student_p_value(0.0, 3), student_p_value(f64::INFINITY, 3)), (1.0, 0.0));
    }
}
