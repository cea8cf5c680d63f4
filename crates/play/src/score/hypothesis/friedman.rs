//! Friedman's test of several methods over families, and the critical difference of mean ranks.
//!
//! M. Friedman, *The use of ranks to avoid the assumption of normality implicit in the analysis of variance*, Journal
//! of the American Statistical Association 32, 1937, with the correction for equal ranks; R. L. Iman, J. M. Davenport,
//! *Approximations of the critical region of the Friedman statistic*, Communications in Statistics A9, 1980; P. B.
//! Nemenyi, *Distribution-free multiple comparisons*, thesis, Princeton 1963. All three follow the presentation in
//! Demšar, section 3.2.2.

use std::collections::BTreeMap;

use ruse_base::bisection::bisect;
use statrs::distribution::{ChiSquared, ContinuousCDF, FisherSnedecor};

use super::{SIGNIFICANCE, four_digits};

/// Friedman's test of several methods over several families.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Friedman {
    /// The number of families.
    pub num_families: usize,
    /// The number of methods.
    pub num_methods: usize,
    /// The statistic, with `num_methods - 1` degrees of freedom.
    pub chi_squared: f64,
    /// The probability that `chi_squared` is at least this large if ranks are random, by the chi-squared distribution.
    /// It has four digits.
    pub chi_squared_p_value: f64,
    /// The statistic of Iman and Davenport, with `num_methods - 1` and `(num_methods - 1) * (num_families - 1)` degrees
    /// of freedom; `None` if all families agree.
    pub f: Option<f64>,
    /// The probability that `f` is at least this large if ranks are random, by the F distribution; the exact
    /// probability if all families agree. It has four digits.
    pub f_p_value: f64,
    /// The share of all orders of the ranks within families whose statistic is at least this large, to four digits;
    /// `None` if there are too many orders.
    pub exact_p_value: Option<f64>,
}

impl Friedman {
    /// Returns the exact probability if it is known, and otherwise the probability of `f`.
    pub fn p_value(&self) -> f64 {
        self.exact_p_value.unwrap_or(self.f_p_value)
    }
}

/// The number of methods up to which all orders of a row are listed.
const MAX_METHODS: usize = 6;
/// The number of sums up to which the exact probability is computed: about a tenth of a second.
const MAX_SUMS: usize = 300_000;

/// Tests whether methods have the same ranks. `ranks` contains one row for each family, with the ranks of the methods,
/// counted from 1; equal values share their mean rank. All rows have the same length. Returns `None` if there are fewer
/// than two families or methods, or if all ranks are equal in all families.
pub fn friedman(ranks: &[Vec<f64>]) -> Option<Friedman> {
    let (n, k) = (ranks.len(), ranks.first()?.len());
    if n < 2 || k < 2 {
        return None;
    }
    let (num_families, num_methods) = (n as f64, k as f64);
    let middle = (num_methods + 1.0) / 2.0;
    let sum = |method: usize| ranks.iter().map(|row| row[method] - middle).sum::<f64>();
    let between: f64 = (0..k).map(sum).map(|sum| sum * sum).sum();
    let within: f64 = ranks.iter().flatten().map(|rank| rank - middle).map(|d| d * d).sum();
    if within <= 0.0 {
        return None;
    }
    // Without ties, this is 12 / (n k (k + 1)) times the sum of squares of the sums.
    let degrees = num_methods - 1.0;
    let chi_squared = degrees * between / within;
    let rest = num_families * degrees - chi_squared;
    let f = (rest > 1e-9).then(|| (num_families - 1.0) * chi_squared / rest);
    let of_chi_squared = ChiSquared::new(degrees).expect("the degrees of freedom are positive");
    let of_f = FisherSnedecor::new(degrees, degrees * (num_families - 1.0));
    let of_f = of_f.expect("the degrees of freedom are positive");
    let exact_p_value = exact_p_value(ranks, f.is_none());
    Some(Friedman {
        num_families: n,
        num_methods: k,
        chi_squared,
        chi_squared_p_value: four_digits(of_chi_squared.sf(chi_squared)),
        f,
        f_p_value: f.map_or(exact_p_value.unwrap_or(1.0), |f| four_digits(of_f.sf(f))),
        exact_p_value,
    })
}

/// Returns the share of orders within rows whose column sums vary at least as much as the sums of `ranks`, or `None` if
/// there are too many orders. `is_unanimous` is true if all rows are equal.
fn exact_p_value(ranks: &[Vec<f64>], is_unanimous: bool) -> Option<f64> {
    let num_methods = ranks[0].len();
    // Ranks are multiples of one half.
    let whole = |rank: f64| (2.0 * rank) as i64 - num_methods as i64 - 1;
    let rows = ranks.iter().map(|row| row.iter().map(|&rank| whole(rank)).collect::<Vec<i64>>());
    if is_unanimous {
        let num_orders = num_orders(&rows.clone().next()?);
        return Some(four_digits(libm::pow(num_orders, 1.0 - ranks.len() as f64)));
    }
    if num_methods > MAX_METHODS {
        return None;
    }
    // Each row is in a random order, so the order of the sums does not matter.
    let mut sums: BTreeMap<Vec<i64>, f64> = [(vec![0; num_methods], 1.0)].into();
    let mut observed = vec![0; num_methods];
    let mut num_sums = 0;
    for row in rows {
        observed.iter_mut().zip(&row).for_each(|(sum, rank)| *sum += rank);
        let orders = orders(row);
        num_sums += sums.len() * orders.len();
        if num_sums > MAX_SUMS {
            return None;
        }
        let mut next = BTreeMap::new();
        for (known, probability) in sums {
            for order in &orders {
                let mut sum: Vec<i64> = known.iter().zip(order).map(|(x, y)| x + y).collect();
                sum.sort_unstable();
                *next.entry(sum).or_insert(0.0) += probability / orders.len() as f64;
            }
        }
        sums = next;
    }
    let size = |sums: &[i64]| sums.iter().map(|sum| sum * sum).sum::<i64>();
    let extreme = sums.iter().filter(|(sums, _)| size(sums) >= size(&observed));
    Some(four_digits(extreme.map(|(_, probability)| probability).sum()))
}

/// Returns the number of different orders of a row: the factorial of its length, divided by the factorials of the
/// numbers of equal values.
fn num_orders(row: &[i64]) -> f64 {
    let equal_so_far = |end: usize| row[..end].iter().filter(|&&rank| rank == row[end]).count() + 1;
    (0..row.len()).map(|end| (end + 1) as f64 / equal_so_far(end) as f64).product()
}

/// Returns all different orders of a row.
fn orders(mut row: Vec<i64>) -> Vec<Vec<i64>> {
    row.sort_unstable();
    let mut orders = vec![row.clone()];
    while let Some(at) = (1..row.len()).rev().find(|&index| row[index - 1] < row[index]) {
        let next = (at..row.len()).rev().find(|&index| row[index] > row[at - 1]);
        row.swap(at - 1, next.unwrap_or(at));
        row[at..].reverse();
        orders.push(row.clone());
    }
    orders
}

/// Returns the smallest difference between two mean ranks that is significant at 5% in Nemenyi's test. `num_methods`
/// must be at least 2, and `num_families` at least 1.
pub fn critical_difference(num_methods: usize, num_families: usize) -> f64 {
    let (k, n) = (num_methods as f64, num_families as f64);
    range_quantile(num_methods) / core::f64::consts::SQRT_2 * (k * (k + 1.0) / (6.0 * n)).sqrt()
}

/// Returns the 95% quantile of the range of `count` standard normal numbers, to six digits.
fn range_quantile(count: usize) -> f64 {
    let is_below = |width| range_within(count, width) < 1.0 - SIGNIFICANCE;
    let [_, quantile] = bisect([0.0, 20.0], 60, is_below);
    format!("{quantile:.5e}").parse().expect("what was written as a number is one")
}

/// Returns the probability that the range of `count` independent standard normal numbers is at most `width`. The
/// probability is an integral over the smallest number z, where all other numbers are between z and z + `width`.
fn range_within(count: usize, width: f64) -> f64 {
    /// The distance from 0 beyond which the normal density is below 1e-15.
    const END: f64 = 8.5;
    const NUM_STEPS: usize = 400;
    let below = |z: f64| libm::erfc(-z / core::f64::consts::SQRT_2) / 2.0;
    let density = |z: f64| libm::exp(-z * z / 2.0) / (2.0 * core::f64::consts::PI).sqrt();
    let value = |step: usize| {
        let z = END * (2.0 * step as f64 / NUM_STEPS as f64 - 1.0);
        density(z) * libm::pow(below(z + width) - below(z), (count - 1) as f64)
    };
    // The trapezoidal rule converges exponentially for a smooth function that vanishes at both ends.
    let sum: f64 = (0..=NUM_STEPS).map(value).sum();
    count as f64 * sum * (2.0 * END / NUM_STEPS as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: f64, expected: f64, tolerance: f64) {
        assert!((found - expected).abs() < tolerance, "{found}, {expected} expected");
    }

    /// The ranks of Demšar, table 6: four methods on 14 sets, with mean ranks 3.143, 2.000, 2.893 and 1.964.
    const DEMSAR: [[f64; 4]; 14] = [
        [4.0, 3.0, 2.0, 1.0],
        [1.0, 2.0, 3.0, 4.0],
        [4.0, 1.0, 2.0, 3.0],
        [4.0, 1.0, 3.0, 2.0],
        [4.0, 2.0, 3.0, 1.0],
        [1.0, 2.5, 4.0, 2.5],
        [3.0, 2.0, 4.0, 1.0],
        [2.5, 2.5, 4.0, 1.0],
        [4.0, 3.0, 2.0, 1.0],
        [2.5, 2.5, 2.5, 2.5],
        [4.0, 2.5, 1.0, 2.5],
        [3.0, 2.0, 4.0, 1.0],
        [4.0, 1.0, 2.0, 3.0],
        [3.0, 1.0, 4.0, 2.0],
    ];

    #[test]
    fn the_example_of_demsar_is_reproduced_except_ties() {
        let ranks = DEMSAR.map(Vec::from);
        for (method, expected) in [3.143, 2.0, 2.893, 1.964].into_iter().enumerate() {
            let mean = ranks.iter().map(|row| row[method]).sum::<f64>() / 14.0;
            assert_close(mean, expected, 5e-4);
        }
        let found = friedman(&ranks).expect("ranks");
        // Without the correction for ties, Demšar has 9.28 and F = 3.69. The statistic is then 12 sum / (14 x 4 x 5),
        // where the sum adds (44 - 35)^2, (28 - 35)^2, (40.5 - 35)^2 and (27.5 - 35)^2: 81 + 49 + 30.25 + 56.25 =
        // 216.5, so the statistic is 9.279. With the correction, the sum of squares, 14 x 5 = 70, is reduced by .5 for
        // each of three pairs of equal ranks, and by 5 for one group of four equal ranks: 3 x 216.5 / 63.5 = 10.228.
        assert_close(found.chi_squared, 3.0 * 216.5 / 63.5, 1e-12);
        assert_close(
            found.f.expect("families differ"),
            13.0 * 10.228_35 / (42.0 - 10.228_35),
            1e-5,
        );
        // F(3, 39) exceeds 2.85 with probability .05 (Demšar). Chi-squared with three degrees of freedom exceeds 7.815
        // with probability .05, and 11.345 with probability .01 (tables).
        assert!(found.f_p_value < 0.05, "{found:?}");
        assert!((0.01..0.05).contains(&found.chi_squared_p_value), "{found:?}");
    }

    #[test]
    fn ranks_without_ties_have_the_usual_statistic() {
        // Two methods have the same order in all n families: chi-squared is n, and F is infinite.
        let same = vec![vec![1.0, 2.0]; 5];
        let found = friedman(&same).expect("ranks");
        assert_close(found.chi_squared, 5.0, 1e-12);
        // All four other families must have the order of the first: 2^-4.
        assert_eq!((found.f, found.f_p_value, found.p_value()), (None, 0.0625, 0.0625));
        // Sums 4, 6 and 8 over three families: 12 / (3 x 3 x 4) x (4 + 0 + 4) = 2.667; F = 2 x 2.667 / (6 - 2.667) = 1.6.
        let ranks = vec![vec![1.0, 2.0, 3.0], vec![1.0, 3.0, 2.0], vec![2.0, 1.0, 3.0]];
        let found = friedman(&ranks).expect("ranks");
        assert_close(found.chi_squared, 8.0 / 3.0, 1e-12);
        assert_close(found.f.expect("families differ"), 1.6, 1e-12);
        // With two degrees of freedom chi-squared is exponential: exp(-4/3) = .263597.
        assert_eq!(found.chi_squared_p_value, 0.2636);
        assert_eq!(friedman(&[vec![1.5, 1.5], vec![1.5, 1.5]]), None);
        assert_eq!(friedman(&[vec![1.0, 2.0]]), None);
        assert_eq!(friedman(&[]), None);
    }

    #[test]
    fn critical_values_are_those_of_tables() {
        // Demšar, table 5(a): critical values of Nemenyi's test at 5% for 2 to 10 methods; these are rounded ranges
        // divided by the root of two. For seven methods the table has 2.949, and other tables have 2.948.
        let table = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        for (num_methods, expected) in (2..).zip(table) {
            let found = range_quantile(num_methods) / core::f64::consts::SQRT_2;
            assert_close(found, expected, 1.1e-3);
        }
        // Demšar: 2.569 sqrt(4 x 5 / (6 x 14)) = 1.25.
        assert_close(critical_difference(4, 14), 1.25, 5e-3);
    }

    /// An independent program integrated the distribution of the range with 15 digits: 2.7718076, 3.3144932, 3.6331596
    /// and 4.1695542.
    #[test]
    fn ranges_have_six_digits() {
        for (count, expected) in [(2, 2.771_81), (3, 3.314_49), (4, 3.633_16), (7, 4.169_55)] {
            assert_eq!(range_quantile(count), expected, "{count}");
        }
    }

    /// Exact probabilities from tables of Friedman's statistic (Hollander & Wolfe, *Nonparametric statistical methods*,
    /// table A.22): three methods on five families have .0394 for 6.4 and .0085 for 8.4.
    #[test]
    fn small_designs_have_exact_probabilities() {
        let rows = |rows: &[&[u8]]| -> Vec<Vec<f64>> {
            rows.iter().map(|row| row.iter().copied().map(f64::from).collect()).collect()
        };
        let [same, near, far] = [&[1, 2, 3][..], &[2, 1, 3], &[1, 3, 2]];
        for (ranks, chi_squared, expected) in [
            (rows(&[same, same, same, near, far]), 6.4, 0.0394),
            (rows(&[same, same, same, same, near]), 8.4, 0.0085),
        ] {
            let found = friedman(&ranks).expect("ranks");
            assert_close(found.chi_squared, chi_squared, 1e-9);
            let exact = found.exact_p_value.expect("few orders");
            assert!((exact - expected).abs() < 6e-5 && found.p_value() == exact, "{exact}");
        }
        // Two methods share a rank in one of two families: 6 of 6 x 3 orders give the sums 2.5, 3.5 and 6.
        let tied = [vec![1.0, 2.0, 3.0], vec![1.5, 1.5, 3.0]];
        assert_eq!(friedman(&tied).expect("ranks").exact_p_value, Some(0.3333));
        let many: Vec<Vec<f64>> =
            (0..10).map(|shift| (0..7).map(|m| f64::from((m + shift) % 7 + 1)).collect()).collect();
        let found = friedman(&many).expect("ranks");
        assert_eq!((found.exact_p_value, found.p_value()), (None, found.f_p_value));
    }

    /// Two families agree on three methods: chi-squared is n (k - 1) = 4, and exp(-4/2) = .135335. Sums 5, 3 and 4 have
    /// chi-squared 12 / (2 x 3 x 4) x 2 = 1 and F = 1 / (4 - 1); F(2, 2) exceeds x with probability 1 / (1 + x).
    #[test]
    fn two_families_are_enough() {
        let found = friedman(&[vec![1.0, 2.0, 3.0], vec![1.0, 2.0, 3.0]]).expect("ranks");
        assert_eq!((found.chi_squared, found.chi_squared_p_value), (4.0, 0.1353));
        assert_eq!((found.num_families, found.num_methods, found.f), (2, 3, None));
        // The second family must have the order of the first, one of six.
        assert_eq!(found.p_value(), 0.1667);
        let found = friedman(&[vec![2.0, 1.0, 3.0], vec![3.0, 2.0, 1.0]]).expect("ranks");
        assert_eq!((found.chi_squared, found.f_p_value), (1.0, 0.75));
        assert_close(found.f.expect("families differ"), 1.0 / 3.0, 1e-15);
        // F(2, 4) exceeds x with probability (1 + x / 2)^-2; for x = 1.6 this is .308642.
        let ranks = vec![vec![1.0, 2.0, 3.0], vec![1.0, 3.0, 2.0], vec![2.0, 1.0, 3.0]];
        assert_eq!(friedman(&ranks).expect("ranks").f_p_value, 0.3086);
    }
}
