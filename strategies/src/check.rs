//! The check of parameters.

use ruse_search::{ParameterError, ParameterSpace};

/// Checks that `theta` is a point of a space with this number of dimensions. Creates the space, which allocates memory,
/// only to describe an error.
///
/// # Errors
///
/// Returns an error if the length is wrong, or a value is not finite.
#[inline]
pub fn check_parameters(
    theta: &[f64],
    dimension: usize,
    space: impl FnOnce() -> ParameterSpace,
) -> Result<(), ParameterError> {
    match theta.len() == dimension && theta.iter().all(|value| value.is_finite()) {
        true => Ok(()),
        false => space().check(theta),
    }
}
