//! Wilcoxon's signed-rank test of two methods over families.
//!
//! F. Wilcoxon, *Individual comparisons by ranking methods*, Biometrics Bulletin 1, 1945. Differences of zero are
//! omitted, as in that paper; Demšar splits their ranks between the sides, which counts a family without a difference
//! as evidence for equality. Differences of the same size share their mean rank.

use super::four_digits;

/// The maximum number of differences for which the probability is exact, from all 2^n choices of signs. For more
/// differences, the statistic is approximated as normal, with the continuity correction.
pub const MAX_EXACT_PAIRS: usize = 25;

/// The largest distance between equal differences, which may be sums of the same numbers in a different order.
const ROUNDING: f64 = 1e-12;

/// The sums of the ranks of differences, and their significance.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct SignedRanks {
    /// The number of differences that are not zero.
    pub num_differences: usize,
    /// The sum of the ranks of positive differences.
    pub positive: f64,
    /// The sum of the ranks of negative differences.
    pub negative: f64,
    /// The two-sided probability, to four digits, that the smaller sum is at most as large as observed if both signs
    /// are equally likely.
    pub p_value: f64,
    /// Whether the probability is exact, given the sizes of the differences.
    pub is_exact: bool,
}

/// Tests whether finite differences are below zero as often and as far as they are above zero. Returns `None` if all
/// differences are zero.
///
/// Time and memory are quadratic in the number of differences if the probability is exact.
pub fn wilcoxon(differences: &[f64]) -> Option<SignedRanks> {
    let mut sizes: Vec<(f64, bool)> = differences
        .iter()
        .filter(|difference| difference.abs() > ROUNDING)
        .map(|difference| (difference.abs(), *difference > 0.0))
        .collect();
    if sizes.is_empty() {
        return None;
    }
    sizes.sort_by(|x, y| x.0.total_cmp(&y.0));
    // The ranks are doubled to get whole numbers: the mean of the ranks first + 1 to last is a multiple of one half.
    let mut doubled = Vec::with_capacity(sizes.len());
    while doubled.len() < sizes.len() {
        let first = doubled.len();
        let is_equal = |(size, _): &&(f64, bool)| size - sizes[first].0 <= ROUNDING;
        let count = sizes[first..].iter().take_while(is_equal).count();
        doubled.resize(first + count, 2 * first + count + 1);
    }
    let sum = |is_positive: bool| -> usize {
        let of_sign = sizes.iter().zip(&doubled).filter(|((_, sign), _)| *sign == is_positive);
        of_sign.map(|(_, rank)| rank).sum()
    };
    let [positive, negative] = [true, false].map(sum);
    let smaller = positive.min(negative);
    let is_exact = doubled.len() <= MAX_EXACT_PAIRS;
    let tail =
        if is_exact { exact_tail(&doubled, smaller) } else { normal_tail(&doubled, smaller) };
    Some(SignedRanks {
        num_differences: doubled.len(),
        positive: positive as f64 / 2.0,
        negative: negative as f64 / 2.0,
        p_value: four_digits(2.0 * tail),
        is_exact,
    })
}

/// Returns the share of choices of signs whose sum of positive ranks is at most `largest`.
fn exact_tail(ranks: &[usize], largest: usize) -> f64 {
    // The number of choices for each sum up to `largest`. These are whole numbers far below 2^53.
    let mut counts = vec![0.0; largest + 1];
    counts[0] = 1.0;
    for &rank in ranks {
        for sum in (rank..=largest).rev() {
            counts[sum] += counts[sum - rank];
        }
    }
    counts.iter().sum::<f64>() / libm::exp2(ranks.len() as f64)
}

/// Returns the probability that the sum is at most `largest`, in the normal approximation. Ranks are doubled here, so
/// adjacent sums differ by 2.
fn normal_tail(ranks: &[usize], largest: usize) -> f64 {
    let mean = ranks.iter().sum::<usize>() as f64 / 2.0;
    // The sum contains each rank with probability one half, so a rank contributes a quarter of its square to the
    // variance, with or without ties.
    let variance = ranks.iter().map(|&rank| (rank * rank) as f64).sum::<f64>() / 4.0;
    let distance = (mean - largest as f64 - 1.0).max(0.0);
    libm::erfc(distance / (2.0 * variance).sqrt()) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the p-value of the differences 1 to `count`, with the differences in `negative` below zero.
    fn p_value(count: usize, negative: &[usize]) -> f64 {
        let sign = |k: &usize| if negative.contains(k) { -1.0 } else { 1.0 };
        let differences: Vec<f64> = (1..=count).map(|k| sign(&k) * k as f64).collect();
        wilcoxon(&differences).expect("differences").p_value
    }

    #[test]
    fn probabilities_are_exact() {
        // All five differences are on one side: 2 / 32.
        assert_eq!(p_value(5, &[]), 0.0625);
        // Sets of different numbers from 1 to 10 add up to 0, 1, ..., 8 in 1, 1, 1, 2, 2, 3, 4, 5 and 6 ways. These are
        // 25 of 1024 ways, so 8 is the largest sum that is significant at 5%, as in tables (Wilcoxon 1945: 8 for 10
        // pairs).
        assert_eq!(p_value(10, &[8]), 0.048_83);
        assert_eq!(p_value(10, &[3, 5]), 0.048_83);
        // There are 8 ways to get 9, so 33 of 1024 ways give at most 9.
        assert_eq!(p_value(10, &[9]), 0.064_45);
        // Three differences of equal size share rank 2: of 8 choices of signs, one gives the sum 0, and three give 2.
        let tied = wilcoxon(&[0.5, 0.5, -0.5]).expect("differences");
        assert_eq!((tied.positive, tied.negative, tied.p_value), (4.0, 2.0, 1.0));
        assert_eq!(wilcoxon(&[0.5; 3]).expect("differences").p_value, 0.25);
        assert_eq!(wilcoxon(&[0.0, 0.0]), None);
    }

    /// Demšar, table 2: C4.5 with and without a parameter on 14 sets. There, the ranks of the two differences of zero
    /// are split between the sides, and the sums are 93 and 12. If these two differences are omitted, .005 occurs twice
    /// and shares rank 1.5, and .008 has rank 5, so the smaller sum is 1.5 + 5 = 6.5, and both sums add up to 78.
    #[test]
    fn the_example_of_demsar_has_the_same_verdict() {
        let differences = [
            0.005, -0.008, 0.017, 0.033, 0.006, -0.005, 0.007, 0.0, 0.063, 0.0, 0.022, 0.047,
            0.009, 0.021,
        ];
        let found = wilcoxon(&differences).expect("differences");
        assert_eq!((found.num_differences, found.negative, found.positive), (12, 6.5, 71.5));
        // With 12 ranks, sums up to 13 are significant at 5%, and sums up to 7 at 1% (Wilcoxon 1945).
        assert!(found.p_value < 0.01 && found.is_exact, "{found:?}");
    }

    /// The normal probability is close to the exact probability where both are available: with 25 ranks, sums up to 89
    /// are significant at 5% (tables), with an exact probability just below 5%.
    #[test]
    fn the_normal_probability_goes_on_where_the_exact_one_ends() {
        let ranks: Vec<usize> = (1..=25).map(|rank| 2 * rank).collect();
        let (exact, normal) = (exact_tail(&ranks, 2 * 89), normal_tail(&ranks, 2 * 89));
        assert!(2.0 * exact < 0.05 && 2.0 * exact_tail(&ranks, 2 * 90) > 0.05, "{exact}");
        assert!((exact - normal).abs() < 0.001, "{exact}, {normal}");
        // With 26 differences, which are tied in pairs, the probability is normal, with mean 175.5.
        let differences: Vec<f64> = (0..26).map(|k| f64::from(k / 2 + 1)).collect();
        let found = wilcoxon(&differences).expect("differences");
        assert_eq!((found.positive, found.is_exact), (351.0, false));
        assert!(found.p_value < 1e-5, "{found:?}");
    }

    /// The test is wrong in at most 5% of samples without a difference. With 4000 samples of 12 differences, the
    /// standard error is .0034; four standard errors are allowed.
    #[test]
    fn errors_are_as_rare_as_they_should_be() {
        use rand::RngExt;
        let mut rng = ruse_base::rng::StreamKey::root(12).stream();
        let wrong = (0..4000).filter(|_| {
            let differences: Vec<f64> = (0..12).map(|_| rng.random::<f64>() - 0.5).collect();
            wilcoxon(&differences).expect("differences").p_value <= 0.05
        });
        let share = wrong.count() as f64 / 4000.0;
        assert!((0.03..0.064).contains(&share), "{share}");
    }

    /// If the differences are 1 to 26 and the first ten are negative, the smaller sum is 55; the mean is 175.5 and the
    /// variance 26 x 27 x 53 / 24 = 1550.25. With the continuity correction, z = (175.5 - 55 - .5) / 39.3732 = 3.04776,
    /// and 2 Phi(-z) = .002305.
    #[test]
    fn many_differences_are_approximately_normal() {
        let negative: Vec<usize> = (1..=10).collect();
        assert_eq!(p_value(26, &negative), 0.002306);
    }
}
