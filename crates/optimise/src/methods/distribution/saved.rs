//! The state of CMA-ES as plain data.

use serde::{Deserialize, Serialize};

use super::shape::Shape;
use super::{Covariance, Parameters, SearchDistribution};
use crate::methods::SIGMA_RANGE;

/// The part of the state that cannot be recomputed. For n parameters, this part contains n (n + 1) / 2 + 3 n numbers,
/// or 4 n with a diagonal matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SavedDistribution {
    covariance: Covariance,
    population_size: usize,
    generation: u64,
    sigma: f64,
    mean: Vec<f64>,
    path_sigma: Vec<f64>,
    path_c: Vec<f64>,
    /// The covariance matrix, as returned by [`Shape::entries`].
    c: Vec<f64>,
}

/// The reason why a saved state cannot be restored.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SavedDistributionError {
    /// There are no parameters.
    #[error("`mean` is empty")]
    Empty,
    /// The length of a list does not match the mean.
    #[error("`{field}` has {found} numbers where the mean asks for {expected}")]
    Length {
        /// The name of the list.
        field: &'static str,
        /// The length of the list.
        found: usize,
        /// The length that matches the mean.
        expected: usize,
    },
    /// A list contains a number that is infinite or NaN.
    #[error("`{0}` has a number that is not finite")]
    NotFinite(&'static str),
    /// Sigma is out of its range.
    #[error("`sigma` is {0}, not within {min} and {max}", min = SIGMA_RANGE.start(), max = SIGMA_RANGE.end())]
    Sigma(f64),
    /// The population is too small to rank.
    #[error("`population-size` is {0}, less than 2")]
    PopulationSize(usize),
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
            if numbers.len() != expected {
                return Err(SavedDistributionError::Length {
                    field,
                    found: numbers.len(),
                    expected,
                });
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
