//! The power of tests: how many pairs of games, or how many runs of a method, show a difference.
//!
//! A test shows a difference if its interval at [`CONFIDENCE`] lies on one side of zero. Its power is the probability
//! of this, if the difference has a given size. The statistic of Student's test then follows the noncentral t
//! distribution: with noncentrality delta, nu degrees of freedom and critical value t, the power is the mean of
//! Phi(delta - t sqrt(V / nu)), where V follows the chi-square distribution with nu degrees of freedom (Johnson, Kotz &
//! Balakrishnan, *Continuous univariate distributions*, volume 2, 1995, chapter 31). The mean is an integral, computed
//! by Simpson's rule. Differences that are shown with the wrong sign do not count. Two methods with unequal spreads have
//! the degrees of freedom of Welch's test.
//!
//! The result is as good as the variance that it starts from. It assumes means that are approximately normal: if a
//! method fails for one seed in ten, few runs show nothing of it.
//!
//! [`CONFIDENCE`]: super::CONFIDENCE

use ruse_base::bisection::bisect;

use super::hypothesis::welch_degrees;
use super::interval::{CONFIDENCE, normal_quantile, score_interval_at, student_quantile};

/// The number of steps of Simpson's rule.
const NUM_STEPS: u32 = 512;
/// The number of degrees of freedom from which Student's distribution is replaced by the normal distribution, as in
/// [`student_quantile`].
const MANY_DEGREES: u64 = 29_999;
/// The largest number of pairs or runs that is considered.
const MAX_NUMBER: u64 = 1 << 50;

/// Returns the smallest number of pairs that shows that an expected score differs from one half by `difference`, with
/// probability `power`. `variance` is the variance of the score of a pair. Returns `None` if no feasible number of
/// pairs suffices.
///
/// # Panics
///
/// Panics unless `difference` is above 0, `variance` is at least 0, and `power` is between 0 and 1.
pub fn pairs_to_show(difference: f64, variance: f64, power: f64) -> Option<u64> {
    check(difference, variance, power);
    smallest(|pairs| {
        let standard_error = (variance / pairs as f64).sqrt();
        shows(difference, standard_error, pairs - 1) >= power
    })
}

/// Returns the smallest variance of the values of pairs with the mean .5 + `difference`, and the smallest number of such
/// pairs whose interval lies above one half; `None` if no feasible number suffices. `values` are the possible values,
/// ascending and up to 1, each with its count.
///
/// A sample without variance does not show that all further pairs are equal, so no calculation should start from less.
pub fn least_to_show(difference: f64, values: &[(f64, u64)]) -> (f64, Option<u64>) {
    let mean = 0.5 + difference;
    let values = || values.iter().map(|&(value, _)| value);
    let below = values().filter(|&value| value <= mean).fold(0.0, f64::max);
    let above = values().filter(|&value| value >= mean).fold(1.0, f64::min);
    let share = if above > below { (mean - below) / (above - below) } else { 0.0 };
    let pairs = smallest(|pairs| {
        let num_above = (share * pairs as f64) as u64;
        let sample = [(below, pairs - num_above), (above, num_above)];
        score_interval_at(CONFIDENCE, &sample)[0] > 0.5
    });
    ((above - mean) * (mean - below), pairs)
}

/// Returns the smallest number of runs of each of two methods that shows that their expected scores differ by
/// `difference`, with probability `power`. `deviations` are the standard deviations of the score of a run of either
/// method. Returns `None` if no feasible number of runs suffices.
///
/// # Panics
///
/// Panics unless `difference` is above 0, the deviations are at least 0, and `power` is between 0 and 1.
pub fn runs_to_show(difference: f64, deviations: [f64; 2], power: f64) -> Option<u64> {
    deviations.into_iter().for_each(|deviation| check(difference, deviation, power));
    smallest(|runs| power_of_runs(runs, difference, deviations) >= power)
}

/// Returns the smallest difference of the expected scores of two methods that `runs` runs of each of them show with
/// probability `power`. `deviations` are the standard deviations of the score of a run of either method. Returns `None`
/// if there are fewer than two runs, or if runs show no difference below 1 with this probability.
///
/// # Panics
///
/// Panics unless the deviations are at least 0 and `power` is between 0 and 1.
pub fn difference_shown(runs: u64, deviations: [f64; 2], power: f64) -> Option<f64> {
    deviations.into_iter().for_each(|deviation| check(1.0, deviation, power));
    let is_shown = |difference| power_of_runs(runs, difference, deviations) >= power;
    if runs < 2 || !is_shown(1.0) {
        return None;
    }
    // 50 halvings of an interval of length 1 end at the precision of a double.
    Some(bisect([0.0, 1.0], 50, |difference| !is_shown(difference))[1])
}

fn check(difference: f64, spread: f64, power: f64) {
    assert!(difference > 0.0, "a difference of {difference} cannot be shown");
    assert!(spread >= 0.0, "{spread} is not a spread");
    assert!(power > 0.0 && power < 1.0, "{power} is not a power");
}

/// Returns the smallest number from 2 on for which `suffices` holds, if there is one. The condition must hold for all
/// larger numbers as well.
fn smallest(suffices: impl Fn(u64) -> bool) -> Option<u64> {
    let mut high = 2;
    while !suffices(high) {
        high *= 2;
        if high > MAX_NUMBER {
            return None;
        }
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if suffices(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// Returns the power of Welch's test of two samples of `runs` runs each.
fn power_of_runs(runs: u64, difference: f64, deviations: [f64; 2]) -> f64 {
    let variances = deviations.map(|deviation| deviation * deviation / runs as f64);
    let degrees = welch_degrees(variances, [runs.saturating_sub(1); 2]);
    shows(difference, (variances[0] + variances[1]).sqrt(), degrees)
}

/// Returns the probability that a test with this standard error and these degrees of freedom shows `difference`.
fn shows(difference: f64, standard_error: f64, degrees: u64) -> f64 {
    match (degrees, standard_error) {
        (0, _) => 0.0,
        (_, 0.0) => 1.0,
        (MANY_DEGREES.., error) => normal(difference / error - normal_quantile()),
        (degrees, error) => power_of_student(difference / error, degrees),
    }
}

fn power_of_student(noncentrality: f64, degrees: u64) -> f64 {
    let critical = student_quantile(degrees);
    let nu = degrees as f64;
    // The density of s = sqrt(V / nu) is 2 (nu / 2)^(nu / 2) / Gamma(nu / 2) s^(nu - 1) exp(-nu s^2 / 2).
    let constant = std::f64::consts::LN_2 + nu / 2.0 * libm::log(nu / 2.0) - libm::lgamma(nu / 2.0);
    let term = |s: f64| {
        let log_density = constant + (nu - 1.0) * libm::log(s) - nu * s * s / 2.0;
        libm::exp(log_density) * normal(noncentrality - critical * s)
    };
    // The standard deviation of s is at most 1 / sqrt(2 nu), and its mean at most 1.
    let reach = 9.0 / (2.0 * nu).sqrt();
    let (low, high) = ((1.0 - reach).max(1e-9), 1.0 + reach);
    let width = (high - low) / f64::from(NUM_STEPS);
    let inner: f64 = (1..NUM_STEPS)
        .map(|step| {
            let weight = if step % 2 == 1 { 4.0 } else { 2.0 };
            weight * term(low + f64::from(step) * width)
        })
        .sum();
    // The term at the upper end is negligible.
    ((term(low) + inner) * width / 3.0).clamp(0.0, 1.0)
}

/// Returns the distribution function of the normal distribution.
fn normal(x: f64) -> f64 {
    libm::erfc(-x / std::f64::consts::SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cohen, *Statistical power analysis for the behavioral sciences*, 2nd edition, 1988, table 2.4.1 (two-sided 5%):
    /// sizes of each of two samples for effect sizes d.
    #[test]
    fn samples_are_those_of_cohens_table() {
        for (effect, power, expected) in [
            (0.2, 0.8, 394),
            (0.5, 0.8, 64),
            (0.8, 0.8, 26),
            (1.0, 0.8, 17),
            (1.4, 0.8, 10),
            (0.5, 0.9, 86),
            (0.8, 0.9, 34),
            (0.2, 0.95, 651),
        ] {
            let found = runs_to_show(effect, [1.0; 2], power).expect("some number suffices");
            let tolerance = 1 + expected / 300;
            assert!(found.abs_diff(expected) <= tolerance, "d {effect}, {power}: {found}");
        }
    }

    /// The normal approximation is n = (1.959964 + 1.281552)^2 variance / difference^2 = 10.5074 variance / difference^2
    /// for a power of .9. With a variance of 1/4 and a difference of .01 this is 26,269; Student's quantile adds two.
    #[test]
    fn many_pairs_follow_the_normal_approximation() {
        let found = pairs_to_show(0.01, 0.25, 0.9).expect("some number suffices");
        assert!((26_268..=26_272).contains(&found), "{found}");
        // Without variance, two pairs suffice.
        assert_eq!(pairs_to_show(0.01, 0.0, 0.9), Some(2));
        assert_eq!(pairs_to_show(1e-12, 0.25, 0.9), None);
    }

    /// An independent program drew 300,000 times two samples of three: with a power of .8 and .9, they show differences
    /// of 3.074 and 3.594 standard deviations. The standard errors are about .004.
    #[test]
    fn the_difference_and_the_number_of_runs_are_inverse() {
        for (power, expected) in [(0.8, 3.074), (0.9, 3.594)] {
            let found = difference_shown(3, [0.02; 2], power).expect("it shows something") / 0.02;
            assert!((found - expected).abs() < 0.015, "{power}: {found}");
        }
        for runs in [2, 3, 5, 10, 40] {
            let difference = difference_shown(runs, [0.02; 2], 0.8).expect("it shows something");
            assert_eq!(runs_to_show(difference, [0.02; 2], 0.8), Some(runs));
            assert!(runs_to_show(0.99 * difference, [0.02; 2], 0.8) > Some(runs));
        }
        assert_eq!(difference_shown(1, [0.02; 2], 0.8), None);
        assert_eq!(difference_shown(2, [1.0; 2], 0.9), None);
        assert_eq!(difference_shown(2, [0.0; 2], 0.9).map(|found| found < 1e-9), Some(true));
    }

    /// An independent program integrated the noncentral t distribution with 40 digits. The powers of the given numbers
    /// and of one less are, in this order: .8764, .7905; .8413, .7961; .8070, .7814.
    #[test]
    fn few_runs_suffice_for_large_differences() {
        for (difference, expected) in [(2.0, 6), (1.4, 10), (1.0, 17)] {
            assert_eq!(runs_to_show(difference, [1.0; 2], 0.8), Some(expected), "{difference}");
        }
    }

    /// A deviation of .171 beside one of .015 has the degrees of freedom of the first method alone: at a difference of
    /// .02 this is an effect of .02 / .1717 = .1165 of one sample, whose number is 10.5074 / .1165^2 = 774 by the normal
    /// approximation, and about two more by Student's.
    #[test]
    fn unlike_spreads_are_not_pooled() {
        let found = runs_to_show(0.02, [0.171, 0.015], 0.9).expect("some number suffices");
        assert!((774..=778).contains(&found), "{found}");
        let even = runs_to_show(0.02, [0.0175, 0.015], 0.9).expect("some number suffices");
        assert!((14..=16).contains(&even), "{even}");
        assert_eq!(runs_to_show(0.02, [0.015, 0.0175], 0.9), Some(even));
    }

    /// A mean of .52 in quarters has at least 8% of pairs at .75 and the others at .5: the variance .02 x .23. If k of
    /// n pairs are at .75 and the others at .5, one half is rejected if k ln(1.5) > 1.96^2 / 2, or k > 4.7: at least
    /// five pairs in 63, whose quantile of 2.0 makes it k > 4.93. If all pairs are at .75, n ln(1.5) must be above half
    /// the squared quantile: 2.447^2 / 2 / .405 = 7.4 for seven pairs, and 2.365^2 / 2 / .405 = 6.9 for eight.
    #[test]
    fn a_sample_without_variance_is_not_taken_at_its_word() {
        let quarters = [0.0, 0.25, 0.5, 0.75, 1.0].map(|value| (value, 0));
        let (variance, pairs) = least_to_show(0.02, &quarters);
        assert!((variance - 0.0046).abs() < 1e-12);
        assert_eq!((pairs, least_to_show(0.25, &quarters)), (Some(63), (0.0, Some(8))));
    }

    /// From the same program: .8031, .7480; .9089, .7550; .5101, .4261.
    #[test]
    fn few_pairs_suffice_for_large_differences() {
        for (difference, variance, power, expected) in
            [(0.2, 0.04, 0.8, 10), (0.2, 0.04, 0.75, 10), (0.4, 0.04, 0.9, 5), (0.2, 0.05, 0.5, 7)]
        {
            assert_eq!(pairs_to_show(difference, variance, power), Some(expected), "{difference}");
        }
    }

    /// From the same program.
    #[test]
    fn power_is_the_tail_of_the_noncentral_distribution() {
        for (noncentrality, degrees, expected) in
            [(10.0, 1, 0.567_306_737), (2.0, 4, 0.335_809_846), (3.0, 10, 0.771_399_894)]
        {
            let found = power_of_student(noncentrality, degrees);
            assert!((found - expected).abs() < 1e-8, "{noncentrality}, {degrees}: {found}");
        }
        assert_eq!(shows(1.0, 0.1, 0), 0.0);
        assert_eq!(shows(1.0, 0.0, 1), 1.0);
        // Phi(3 - 1.95996) = Phi(1.04004) = .850841 (tables have .8508 for 1.04).
        assert!((shows(0.3, 0.1, 29_999) - 0.850_84).abs() < 1e-4);
    }

    #[test]
    fn the_smallest_number_is_found() {
        for expected in [2, 3, 5, 8, 1000, MAX_NUMBER] {
            assert_eq!(smallest(|number| number >= expected), Some(expected));
        }
        assert_eq!(smallest(|number| number > MAX_NUMBER), None);
    }

    #[test]
    #[should_panic(expected = "a difference of 0 cannot be shown")]
    fn no_difference_cannot_be_shown() {
        pairs_to_show(0.0, 0.25, 0.8);
    }

    #[test]
    #[should_panic(expected = "1 is not a power")]
    fn certainty_is_not_a_power() {
        runs_to_show(0.1, [0.25; 2], 1.0);
    }

    #[test]
    #[should_panic(expected = "-1 is not a spread")]
    fn spreads_are_not_negative() {
        difference_shown(3, [1.0, -1.0], 0.8);
    }
}
