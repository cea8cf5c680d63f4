//! The default parameters of CMA-ES.

use super::shape::Covariance;

/// Returns the default population size λ for `n` parameters.
pub(super) fn default_population_size(n: usize) -> usize {
    // (eq. 48)
    4 + (3.0 * libm::log(n as f64)).floor() as usize
}

/// The parameters in table 1 of the tutorial, named after the symbols used there.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parameters {
    pub(super) mu: usize,
    pub(super) mu_eff: f64,
    /// The weights of the ranked candidates: `[λ]`. The weights of the best μ sum to 1; all others are zero or
    /// negative.
    pub(super) weights: Vec<f64>,
    pub(super) c_sigma: f64,
    pub(super) d_sigma: f64,
    pub(super) c_c: f64,
    pub(super) c_1: f64,
    pub(super) c_mu: f64,
    /// The mean length of a standard Gaussian vector.
    pub(super) chi_n: f64,
}

impl Parameters {
    /// Computes the parameters for `n` dimensions and populations of λ = `population_size` candidates; λ must be at
    /// least 2.
    pub(super) fn new(n: usize, population_size: usize, covariance: Covariance) -> Parameters {
        let n = n as f64;
        let mu = population_size / 2;

        // w'_i (eq. 49)
        let middle = (population_size as f64 + 1.0) / 2.0;
        let raw: Vec<f64> =
            (1..=population_size).map(|i| libm::log(middle) - libm::log(i as f64)).collect();
        let (best, rest) = raw.split_at(mu);
        let mu_eff = effective_number(best);
        let mu_eff_minus = effective_number(rest);

        // (eq. 55)
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let d_sigma = 1.0 + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + c_sigma;
        // (eq. 56)
        let c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n);

        // n variances are learned faster than n (n + 1) / 2 covariances (Ros & Hansen, section 3).
        let acceleration = match covariance {
            Covariance::Full => 1.0,
            Covariance::Diagonal => (n + 2.0) / 3.0,
        };
        const ALPHA_COV: f64 = 2.0;
        // (eq. 57)
        let c_1 = (acceleration * ALPHA_COV / ((n + 1.3) * (n + 1.3) + mu_eff)).min(1.0);
        // (eq. 58)
        let c_mu = acceleration * ALPHA_COV * (mu_eff - 2.0 + 1.0 / mu_eff)
            / ((n + 2.0) * (n + 2.0) + ALPHA_COV * mu_eff / 2.0);
        let c_mu = c_mu.min(1.0 - c_1);

        // The absolute value of the sum of the negative weights is the smallest of these three. The last keeps C
        // positive definite.
        let alpha_mu_minus = 1.0 + c_1 / c_mu; // (eq. 50)
        let alpha_mu_eff_minus = 1.0 + 2.0 * mu_eff_minus / (mu_eff + 2.0); // (eq. 51)
        let alpha_pos_def_minus = (1.0 - c_1 - c_mu) / (n * c_mu); // (eq. 52)
        let alpha_minus = alpha_mu_minus.min(alpha_mu_eff_minus).min(alpha_pos_def_minus);
        let positive_sum: f64 = raw.iter().filter(|w| **w > 0.0).sum();
        let negative_sum: f64 = raw.iter().filter(|w| **w < 0.0).sum();
        // (eq. 53)
        let weights = raw
            .iter()
            .map(|w| if *w >= 0.0 { w / positive_sum } else { -alpha_minus * w / negative_sum })
            .collect();

        // E |N(0, I)|, after (eq. 44)
        let chi_n = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));
        Parameters { mu, mu_eff, weights, c_sigma, d_sigma, c_c, c_1, c_mu, chi_n }
    }
}

/// Returns the number of equal weights that would average out noise as well as these weights (table 1).
fn effective_number(weights: &[f64]) -> f64 {
    let sum: f64 = weights.iter().sum();
    sum * sum / weights.iter().map(|w| w * w).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(found: f64, expected: f64) {
        assert!((found - expected).abs() <= 1e-12 * expected.abs(), "{found} for {expected}");
    }

    /// The expected values were computed from the formulas of table 1 by a separate program. μ_eff = 3.167 for λ = 10
    /// is well known.
    #[test]
    fn ten_parameters() {
        assert_eq!(default_population_size(10), 10);
        let p = Parameters::new(10, 10, Covariance::Full);
        assert_eq!(p.mu, 5);
        assert_close(p.mu_eff, 3.1672992814107026);
        assert_close(p.c_sigma, 0.2844285879463675);
        assert_close(p.d_sigma, 1.2844285879463675);
        assert_close(p.c_c, 0.29499038303562225);
        assert_close(p.c_1, 0.015283824524751714);
        assert_close(p.c_mu, 0.02015428276120838);
        assert_close(p.chi_n, 3.0847265651690123);
        #[rustfmt::skip]
        let weights = [
            0.45627264690340597, 0.2707530970017852, 0.16223111715866978,
            0.08523354710016448, 0.025509591835974777, -0.08532086250759853,
            -0.236476601148097, -0.3674136577116645, -0.4829083267842344,
            -0.5862218287788354,
        ];
        for (found, expected) in p.weights.iter().zip(weights) {
            assert_close(*found, expected);
        }
    }

    #[test]
    fn population_sizes() {
        // 3 ln n = 0, 2.08, 3.30, 12.57, 13.82, 18.12
        for (n, expected) in [(1, 4), (2, 6), (3, 7), (66, 16), (100, 17), (420, 22)] {
            assert_eq!(default_population_size(n), expected, "{n} parameters");
        }
    }

    /// The expected values come from a separate program; c_1 and c_mu are 202 / 3 times as large as for a full matrix.
    #[test]
    fn two_hundred_variances() {
        let p = Parameters::new(200, 19, Covariance::Diagonal);
        assert_close(p.mu_eff, 5.647567327551318);
        assert_close(p.c_sigma, 0.03630503510947058);
        assert_close(p.c_c, 0.01974079883202314);
        assert_close(p.c_1, 0.0033228599446718313);
        assert_close(p.c_mu, 0.012620810008824458);
        // The three sums are 1.263, 2.957 and 0.390: the last, which keeps C positive definite, applies.
        let negative: f64 = p.weights.iter().filter(|w| **w < 0.0).sum();
        assert_close(negative, -0.38985466438305166);
        // The tenth of 19 candidates is in the middle, so its weight is 0.
        assert_eq!(p.weights[9], 0.0);
    }

    /// In the smallest populations and dimensions, the learning rates are in range, and C stays positive definite. By
    /// (eq. 46) and (eq. 47), C stays positive definite if 1 - c_1 - c_mu is at least n c_mu times the absolute value
    /// of the sum of the negative weights.
    #[test]
    fn extremes() {
        for covariance in [Covariance::Full, Covariance::Diagonal] {
            for n in [1, 2, 3, 10, 100, 1000] {
                for population_size in [2, 3, 4, 5, 20, 1000] {
                    let p = Parameters::new(n, population_size, covariance);
                    let context = format!("{covariance:?}, {n}, {population_size}: {p:?}");
                    for rate in [p.c_sigma, p.c_c, p.c_1, p.c_mu] {
                        assert!((0.0..=1.0).contains(&rate), "{context}");
                    }
                    assert!(p.weights.iter().all(|w| w.is_finite()), "{context}");
                    let negative: f64 = p.weights.iter().filter(|w| **w < 0.0).sum();
                    let left = 1.0 - p.c_1 - p.c_mu + n as f64 * p.c_mu * negative;
                    assert!(left >= -1e-15, "{context}");
                }
            }
        }
    }
}
