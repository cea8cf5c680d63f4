//! CMA-ES: a Gaussian distribution that moves, widens and turns towards the better of its samples.
//!
//! Each generation draws λ candidates from N(m, σ² C) and ranks them. The mean m moves towards the better half; σ grows
//! if successive moves have the same direction, and shrinks if they cancel out; C learns the directions of good moves
//! and unlearns the directions of the worse half. Only the ranks matter, so candidates can be ordered by any criterion,
//! games or otherwise.
//!
//! References: Hansen, *The CMA Evolution Strategy: A Tutorial*, 2016, arXiv:1604.00772v1, whose equations are cited by
//! number; for a diagonal C, Ros & Hansen, *A Simple Modification in CMA-ES Achieving Linear Time and Space
//! Complexity*, PPSN 2008, DOI 10.1007/978-3-540-87700-4_30.
//!
//! Deviations:
//! - σ is kept within [`SIGMA_RANGE`], and the eigenvalues of C between 1e-7 and 1e7: values outside are moved to the
//!   bound. The standard deviations of the distribution are therefore between 3e-7 and 3e6. Without selection, as among
//!   equal strategies, C would eventually become singular.
//! - C is decomposed in every generation. In the tutorial this happens every 1 / (10 n (c_1 + c_mu)) generations
//!   (section B.2), which is at most 1 up to a dimension of about 100.
//! - If C is diagonal, the worse half of the candidates has negative weights, too; Ros & Hansen give this half no
//!   weight. This saves a tenth of the evaluations on an ellipsoid in dimension 200.
//! - Later versions of the tutorial add 1/4 to the numerator of c_mu (eq. 58); this version does not.
//!
//! Cost of a generation with a full C: O(n³) for the decomposition and O(λ n²) for the rest; memory O(n²). With
//! a diagonal C both are O(λ n).

mod parameters;
mod saved;
mod shape;
#[cfg(test)]
mod tests;

pub use saved::SavedDistributionError;
use serde::{Deserialize, Serialize};
pub use shape::Covariance;

use self::parameters::{Parameters, default_population_size};
use self::saved::SavedDistribution;
use self::shape::Shape;
use super::SIGMA_RANGE;

/// The state of CMA-ES between two generations.
///
/// The state contains no random number generator and evaluates nothing. A restored state gives the same results to the
/// last bit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "SavedDistribution", into = "SavedDistribution")]
pub struct SearchDistribution {
    parameters: Parameters,
    generation: u64,
    mean: Vec<f64>,
    sigma: f64,
    path_sigma: Vec<f64>,
    path_c: Vec<f64>,
    shape: Shape,
}

impl SearchDistribution {
    /// Creates the state at the start: candidates are drawn around `mean`, which is `[dimension]` and not empty, with
    /// standard deviation `sigma` in each parameter. Sigma is clamped to [`SIGMA_RANGE`].
    pub fn new(mean: Vec<f64>, sigma: f64, covariance: Covariance) -> SearchDistribution {
        let population_size = default_population_size(mean.len());
        SearchDistribution::with_population_size(mean, sigma, covariance, population_size)
    }

    /// Like [`new`](SearchDistribution::new), but each generation has `population_size` candidates, which must be at
    /// least 2. Populations larger than the default tolerate more noise.
    ///
    /// # Panics
    ///
    /// Panics if the population size is less than 2, the mean is empty, or a number is not finite.
    pub fn with_population_size(
        mean: Vec<f64>,
        sigma: f64,
        covariance: Covariance,
        population_size: usize,
    ) -> SearchDistribution {
        let n = mean.len();
        assert!(n > 0, "there is no parameter to tune");
        assert!(mean.iter().all(|m| m.is_finite()) && sigma.is_finite(), "{mean:?}, {sigma}");
        assert!(population_size >= 2, "a population of {population_size} cannot be ranked");
        SearchDistribution {
            parameters: Parameters::new(n, population_size, covariance),
            generation: 0,
            mean,
            sigma: clamp_sigma(sigma),
            path_sigma: vec![0.0; n],
            path_c: vec![0.0; n],
            shape: Shape::identity(covariance, n),
        }
    }

    /// Returns the number of candidates of a generation.
    pub fn population_size(&self) -> usize {
        self.parameters.weights.len()
    }

    /// Returns the centre of the distribution: `[dimension]`. If evaluations are noisy, the centre is a better estimate
    /// of the optimum than any candidate.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the current step size.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Returns the number of generations that have updated the distribution.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Updates the distribution when all candidates of the last [`SearchDistribution::ask`] have equal scores: the
    /// search widens (section B.3 of the tutorial, "flat fitness").
    pub fn tell_flat(&mut self) {
        let Parameters { c_sigma, d_sigma, .. } = self.parameters;
        self.sigma = clamp_sigma(self.sigma * libm::exp(0.2 + c_sigma / d_sigma));
        self.generation += 1;
    }

    /// Reduces sigma, if necessary, so that no standard deviation of the distribution exceeds `most`. Sigma stays
    /// within [`SIGMA_RANGE`].
    pub fn limit_spread(&mut self, most: f64) {
        self.sigma = clamp_sigma(self.sigma.min(most / self.shape.longest()));
    }

    /// Draws the candidates of the next generation, each `[dimension]`. `gaussian` returns standard Gaussian numbers.
    pub fn ask(&self, gaussian: &mut dyn FnMut() -> f64) -> Vec<Vec<f64>> {
        let mut candidate = || {
            // (eq. 38)
            let z: Vec<f64> = self.mean.iter().map(|_| gaussian()).collect();
            // (eq. 39)
            let y = self.shape.stretch(&z);
            // (eq. 40)
            self.mean.iter().zip(y).map(|(m, y)| m + self.sigma * y).collect()
        };
        (0..self.population_size()).map(|_| candidate()).collect()
    }

    /// Updates the distribution with the candidates of the last [`SearchDistribution::ask`], ranked from best to worst.
    ///
    /// # Panics
    ///
    /// Panics if the number of candidates is not the population size, or a candidate does not have the dimension of the
    /// mean.
    pub fn tell(&mut self, ranked: &[Vec<f64>]) {
        let Parameters { mu, mu_eff, ref weights, c_sigma, d_sigma, c_c, c_1, c_mu, chi_n } =
            self.parameters;
        let n = self.mean.len();
        assert_eq!(ranked.len(), weights.len(), "candidates for a population");
        assert!(ranked.iter().all(|x| x.len() == n), "a candidate is not of dimension {n}");

        // y_{i:λ}, from (eq. 40)
        let step = |x: &Vec<f64>| -> Vec<f64> {
            x.iter().zip(&self.mean).map(|(x, m)| (x - m) / self.sigma).collect()
        };
        let steps: Vec<Vec<f64>> = ranked.iter().map(step).collect();

        // Selection and recombination: <y>_w (eq. 41), m (eq. 42) with c_m = 1 (eq. 54)
        let mut y_w = vec![0.0; n];
        for (weight, y) in weights[..mu].iter().zip(&steps) {
            y_w.iter_mut().zip(y).for_each(|(sum, y)| *sum += weight * y);
        }
        self.mean.iter_mut().zip(&y_w).for_each(|(m, y)| *m += self.sigma * y);

        // Step-size control: p_sigma (eq. 43), sigma (eq. 44)
        let scale = (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt();
        for (p, y) in self.path_sigma.iter_mut().zip(self.shape.whiten(&y_w)) {
            *p = (1.0 - c_sigma) * *p + scale * y;
        }
        let path_length = squared_length(&self.path_sigma).sqrt();
        self.sigma =
            clamp_sigma(self.sigma * libm::exp(c_sigma / d_sigma * (path_length / chi_n - 1.0)));

        // h_sigma, after (eq. 45): p_c stalls while p_sigma is long. Otherwise a start with too small a sigma would
        // stretch C needlessly.
        let age = 2.0 * (self.generation + 1) as f64;
        let start_bias = (1.0 - libm::pow(1.0 - c_sigma, age)).sqrt();
        let is_long = path_length / start_bias >= (1.4 + 2.0 / (n as f64 + 1.0)) * chi_n;
        let h_sigma = if is_long { 0.0 } else { 1.0 };
        let delta_h_sigma = (1.0 - h_sigma) * c_c * (2.0 - c_c);

        // p_c (eq. 45)
        let scale = h_sigma * (c_c * (2.0 - c_c) * mu_eff).sqrt();
        for (p, y) in self.path_c.iter_mut().zip(&y_w) {
            *p = (1.0 - c_c) * *p + scale * y;
        }

        // w° (eq. 46): a bad step counts as if it had the mean length. A step of length 0 does not count.
        let adjusted_weight = |weight: f64, y: &[f64]| {
            if weight >= 0.0 {
                return weight;
            }
            let squared = squared_length(&self.shape.whiten(y)).max(f64::MIN_POSITIVE);
            weight * n as f64 / squared
        };
        let adjusted: Vec<f64> =
            weights.iter().zip(&steps).map(|(weight, y)| adjusted_weight(*weight, y)).collect();

        // Covariance matrix adaptation (eq. 47)
        let decay = 1.0 + c_1 * delta_h_sigma - c_1 - c_mu * weights.iter().sum::<f64>();
        let rank_one = (c_1, self.path_c.as_slice());
        let rank_mu = adjusted.iter().zip(&steps).map(|(weight, y)| (c_mu * weight, y.as_slice()));
        self.shape.update(decay, std::iter::once(rank_one).chain(rank_mu));

        self.generation += 1;
    }
}

impl From<SearchDistribution> for SavedDistribution {
    fn from(state: SearchDistribution) -> SavedDistribution {
        SavedDistribution {
            covariance: state.shape.covariance(),
            population_size: state.population_size(),
            generation: state.generation,
            sigma: state.sigma,
            c: state.shape.entries(),
            mean: state.mean,
            path_sigma: state.path_sigma,
            path_c: state.path_c,
        }
    }
}

impl TryFrom<SavedDistribution> for SearchDistribution {
    type Error = SavedDistributionError;

    fn try_from(saved: SavedDistribution) -> Result<SearchDistribution, SavedDistributionError> {
        let n = saved.mean.len();
        if n == 0 {
            return Err(SavedDistributionError::Empty);
        }
        for (field, numbers, expected) in [
            ("mean", &saved.mean, n),
            ("path-sigma", &saved.path_sigma, n),
            ("path-c", &saved.path_c, n),
            ("c", &saved.c, Shape::num_entries(saved.covariance, n)),
        ] {
            let found = numbers.len();
            if found != expected {
                return Err(SavedDistributionError::Length { field, found, expected });
            }
            if !numbers.iter().all(|number| number.is_finite()) {
                return Err(SavedDistributionError::NotFinite(field));
            }
        }
        if !SIGMA_RANGE.contains(&saved.sigma) {
            return Err(SavedDistributionError::Sigma(saved.sigma));
        }
        if saved.population_size < 2 {
            return Err(SavedDistributionError::PopulationSize(saved.population_size));
        }
        Ok(SearchDistribution {
            parameters: Parameters::new(n, saved.population_size, saved.covariance),
            generation: saved.generation,
            sigma: saved.sigma,
            mean: saved.mean,
            path_sigma: saved.path_sigma,
            path_c: saved.path_c,
            shape: Shape::from_entries(saved.covariance, n, saved.c),
        })
    }
}

fn clamp_sigma(sigma: f64) -> f64 {
    sigma.clamp(*SIGMA_RANGE.start(), *SIGMA_RANGE.end())
}

fn squared_length(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum()
}
