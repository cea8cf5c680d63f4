//! The state of CMA-ES as plain data.

use serde::{Deserialize, Serialize};

use super::shape::Covariance;
use crate::methods::SIGMA_RANGE;

/// The part of the state that cannot be recomputed. For n parameters, this part contains n (n + 1) / 2 + 3 n numbers,
/// or 4 n with a diagonal matrix.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct SavedDistribution {
    pub(super) covariance: Covariance,
    pub(super) population_size: usize,
    pub(super) generation: u64,
    pub(super) sigma: f64,
    pub(super) mean: Vec<f64>,
    pub(super) path_sigma: Vec<f64>,
    pub(super) path_c: Vec<f64>,
    /// The covariance matrix, as returned by [`Shape::entries`](super::shape::Shape::entries).
    pub(super) c: Vec<f64>,
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
