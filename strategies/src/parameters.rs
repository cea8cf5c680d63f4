//! Layouts of parameter vectors.

use std::borrow::Cow;

/// One coordinate of a parameter space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// A short name, unique in its space.
    pub name: Cow<'static, str>,
    /// What a larger value does.
    pub meaning: Cow<'static, str>,
}

impl Parameter {
    /// The coordinate of this name, of which a larger value does this.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        meaning: impl Into<Cow<'static, str>>,
    ) -> Parameter {
        Parameter { name: name.into(), meaning: meaning.into() }
    }
}

/// The names and meanings of the coordinates of a parameter vector. Every real value is allowed in
/// every coordinate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParameterSpace {
    parameters: Vec<Parameter>,
}

impl ParameterSpace {
    /// A space of the given coordinates, in order.
    pub fn new(parameters: Vec<Parameter>) -> ParameterSpace {
        ParameterSpace { parameters }
    }

    /// The number of parameters.
    pub fn dimension(&self) -> usize {
        self.parameters.len()
    }

    /// The coordinates, in order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Checks that `theta` is a point of this space.
    ///
    /// # Errors
    ///
    /// Another length, or a value that is not finite.
    pub fn check(&self, theta: &[f64]) -> Result<(), ParameterError> {
        if theta.len() != self.dimension() {
            let (expected, found) = (self.dimension(), theta.len());
            return Err(ParameterError::WrongNumber { expected, found });
        }
        match theta.iter().position(|value| !value.is_finite()) {
            None => Ok(()),
            Some(index) => Err(ParameterError::NotFinite {
                index,
                name: self.parameters[index].name.to_string(),
                value: theta[index],
            }),
        }
    }
}

/// Why a parameter vector was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// The vector is too short or too long.
    #[error("{found} parameters given, {expected} expected")]
    WrongNumber {
        /// The dimension of the space.
        expected: usize,
        /// The length of the vector.
        found: usize,
    },
    /// A value is infinite or not a number.
    #[error("parameter {index} (`{name}`) is {value}, and must be a finite number")]
    NotFinite {
        /// The index of the value, from 0.
        index: usize,
        /// The name of the coordinate.
        name: String,
        /// The value.
        value: f64,
    },
}
