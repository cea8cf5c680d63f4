//! The covariance matrix C of the search distribution, with its square root.

use std::ops::RangeInclusive;

use nalgebra::{DMatrix, DVector, SymmetricEigen};
use serde::{Deserialize, Serialize};

/// The part of the covariance matrix that is learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Covariance {
    /// The whole matrix.
    Full,
    /// Only the variance of each parameter, as if the parameters were independent. The variances are learned faster
    /// than the whole matrix.
    Diagonal,
}

impl Covariance {
    /// The largest dimension in which a full matrix is the default. In larger dimensions, learning a full matrix would
    /// take too long: it takes about n² candidates.
    const MAX_FULL_DIMENSION: usize = 100;
    /// Returns the default covariance for `n` parameters.
    pub fn for_dimension(n: usize) -> Covariance {
        if n <= Covariance::MAX_FULL_DIMENSION { Covariance::Full } else { Covariance::Diagonal }
    }
}

/// The bounds on the eigenvalues of C, which bound its condition number by 1e14.
///
/// Without selection, as among equal strategies, the logarithms of the eigenvalues are random walks that tend
/// downwards. Also, while sigma is at its bound, C grows or shrinks instead of sigma.
pub(super) const EIGENVALUE_RANGE: RangeInclusive<f64> = 1e-7..=1e7;

/// The covariance matrix C = B D² Bᵀ. The columns of B are directions, and the diagonal of D contains standard
/// deviations.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shape {
    /// A full matrix with its axes. The axes are a function of the matrix, so a restored state gives the same results
    /// to the last bit.
    Full { matrix: DMatrix<f64>, axes: Axes },
    /// The diagonal only; B is the identity.
    Diagonal { variances: Vec<f64> },
}

/// The factors B and D of a covariance matrix.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axes {
    directions: DMatrix<f64>,
    lengths: DVector<f64>,
    /// Whether an eigenvalue was outside its bounds and was moved to the bound.
    clamped: bool,
}

impl Axes {
    fn of(matrix: &DMatrix<f64>) -> Axes {
        // The decomposition does not terminate for non-finite entries.
        assert!(matrix.iter().all(|c| c.is_finite()), "the covariance matrix is not finite");
        let SymmetricEigen { eigenvectors, eigenvalues } = SymmetricEigen::new(matrix.clone());
        let clamped = eigenvalues.iter().any(|value| !EIGENVALUE_RANGE.contains(value));
        let lengths = eigenvalues.map(|value| clamp(value).sqrt());
        Axes { directions: eigenvectors, lengths, clamped }
    }
}

fn clamp(eigenvalue: f64) -> f64 {
    eigenvalue.clamp(*EIGENVALUE_RANGE.start(), *EIGENVALUE_RANGE.end())
}

/// Adds `weight` y yᵀ to the upper triangle of the matrix.
fn add_outer_product(matrix: &mut DMatrix<f64>, weight: f64, y: &[f64]) {
    for column in 0..y.len() {
        let factor = weight * y[column];
        for row in 0..=column {
            matrix[(row, column)] += factor * y[row];
        }
    }
}

impl Shape {
    pub(super) fn identity(covariance: Covariance, n: usize) -> Shape {
        match covariance {
            Covariance::Full => Shape::of_matrix(DMatrix::identity(n, n)),
            Covariance::Diagonal => Shape::Diagonal { variances: vec![1.0; n] },
        }
    }

    fn of_matrix(matrix: DMatrix<f64>) -> Shape {
        let axes = Axes::of(&matrix);
        Shape::Full { matrix, axes }
    }

    pub(super) fn covariance(&self) -> Covariance {
        match self {
            Shape::Full { .. } => Covariance::Full,
            Shape::Diagonal { .. } => Covariance::Diagonal,
        }
    }

    /// Returns the number of entries of C.
    pub(super) fn num_entries(covariance: Covariance, n: usize) -> usize {
        match covariance {
            Covariance::Full => n * (n + 1) / 2,
            Covariance::Diagonal => n,
        }
    }

    /// Returns C: its upper triangle, column by column, or its diagonal.
    pub(super) fn entries(&self) -> Vec<f64> {
        match self {
            Shape::Full { matrix, .. } => (0..matrix.ncols())
                .flat_map(|column| (0..=column).map(move |row| matrix[(row, column)]))
                .collect(),
            Shape::Diagonal { variances } => variances.clone(),
        }
    }

    /// Restores a shape from its [`Shape::entries`], which are [`Shape::num_entries`] finite numbers.
    pub(super) fn from_entries(covariance: Covariance, n: usize, entries: Vec<f64>) -> Shape {
        match covariance {
            Covariance::Full => {
                let mut matrix = DMatrix::zeros(n, n);
                let places = (0..n).flat_map(|column| (0..=column).map(move |row| (row, column)));
                for (place, entry) in places.zip(entries) {
                    matrix[place] = entry;
                }
                matrix.fill_lower_triangle_with_upper_triangle();
                Shape::of_matrix(matrix)
            }
            // The entries of a valid state are within the bounds already.
            Covariance::Diagonal => {
                Shape::Diagonal { variances: entries.into_iter().map(clamp).collect() }
            }
        }
    }

    /// Returns B D z.
    pub(super) fn stretch(&self, z: &[f64]) -> Vec<f64> {
        match self {
            Shape::Full { axes, .. } => {
                let z = DVector::from_column_slice(z);
                let y = &axes.directions * z.component_mul(&axes.lengths);
                y.as_slice().to_vec()
            }
            Shape::Diagonal { variances } => {
                z.iter().zip(variances).map(|(z, variance)| variance.sqrt() * z).collect()
            }
        }
    }

    /// Returns the standard deviation along the longest axis, in units of sigma.
    pub(super) fn longest(&self) -> f64 {
        match self {
            Shape::Full { axes, .. } => axes.lengths.max(),
            Shape::Diagonal { variances } => variances.iter().copied().fold(0.0, f64::max).sqrt(),
        }
    }

    /// Returns C^(-1/2) y = B D^(-1) Bᵀ y.
    pub(super) fn whiten(&self, y: &[f64]) -> Vec<f64> {
        match self {
            Shape::Full { axes, .. } => {
                let y = DVector::from_column_slice(y);
                let z = axes.directions.tr_mul(&y).component_div(&axes.lengths);
                (&axes.directions * z).as_slice().to_vec()
            }
            Shape::Diagonal { variances } => {
                y.iter().zip(variances).map(|(y, variance)| y / variance.sqrt()).collect()
            }
        }
    }

    /// Updates C to `decay` C + Σ weight y yᵀ, with eigenvalues within [`EIGENVALUE_RANGE`].
    pub(super) fn update<'a>(
        &mut self,
        decay: f64,
        terms: impl IntoIterator<Item = (f64, &'a [f64])>,
    ) {
        match self {
            Shape::Full { matrix, axes } => {
                *matrix *= decay;
                for (weight, y) in terms {
                    add_outer_product(matrix, weight, y);
                }
                matrix.fill_lower_triangle_with_upper_triangle();
                *axes = Axes::of(matrix);
                if axes.clamped {
                    matrix.fill(0.0);
                    for (direction, length) in axes.directions.column_iter().zip(&axes.lengths) {
                        add_outer_product(matrix, length * length, direction.as_slice());
                    }
                    matrix.fill_lower_triangle_with_upper_triangle();
                    *axes = Axes::of(matrix);
                }
            }
            Shape::Diagonal { variances } => {
                variances.iter_mut().for_each(|variance| *variance *= decay);
                for (weight, y) in terms {
                    for (variance, y) in variances.iter_mut().zip(y) {
                        *variance += weight * y * y;
                    }
                }
                variances.iter_mut().for_each(|variance| *variance = clamp(*variance));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The eigenvalues span fourteen orders of magnitude and have random directions. The decomposition must terminate,
    /// its directions must be orthogonal, and the product of its factors must be the matrix, up to rounding.
    #[test]
    fn decompositions_of_ill_conditioned_matrices_are_accurate() {
        let mut draws = crate::methods::distribution::tests::gaussian(11);
        for n in [1, 2, 3, 10, 66, 100] {
            let random = DMatrix::from_fn(n, n, |_, _| draws());
            let directions = random.qr().q();
            for spread in [0.0, 6.0, 14.0] {
                let value = |i: usize| libm::pow(10.0, spread * (i as f64 / n as f64 - 0.5));
                let values = DVector::from_fn(n, |i, _| value(i));
                let matrix = &directions * DMatrix::from_diagonal(&values) * directions.transpose();
                let matrix = (&matrix + matrix.transpose()) * 0.5;
                let found = SymmetricEigen::new(matrix.clone());
                let b = &found.eigenvectors;
                let error = (b.tr_mul(b) - DMatrix::identity(n, n)).abs().max();
                assert!(error < 1e-13, "n = {n}, spread {spread}: {error}");
                let product = b * DMatrix::from_diagonal(&found.eigenvalues) * b.transpose();
                let error = (product - &matrix).abs().max() / matrix.abs().max();
                assert!(error < 1e-13, "n = {n}, spread {spread}: {error}");
            }
        }
    }

    /// The eigenvalues 1e9, 1 and -1 become 1e7, 1 and 1e-7. The first direction is (3, 4, 0) / 5, and the last is (0,
    /// 0, 1).
    #[test]
    fn eigenvalues_are_moved_to_their_bounds() {
        let mut matrix = DMatrix::zeros(3, 3);
        add_outer_product(&mut matrix, 1e9, &[0.6, 0.8, 0.0]);
        add_outer_product(&mut matrix, 1.0, &[-0.8, 0.6, 0.0]);
        add_outer_product(&mut matrix, -1.0, &[0.0, 0.0, 1.0]);
        matrix.fill_lower_triangle_with_upper_triangle();
        let mut shape = Shape::of_matrix(matrix);
        shape.update(1.0, []);
        let expected = [3_600_000.64, 4_799_999.52, 6_400_000.36, 0.0, 0.0, 1e-7];
        for (found, expected) in shape.entries().into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
        assert!((shape.entries()[5] - 1e-7).abs() < 1e-15);

        let mut shape = Shape::from_entries(Covariance::Diagonal, 3, vec![1.0; 3]);
        shape.update(0.5, [(1e9, [1.0, 0.0, 0.0].as_slice()), (-1.0, [0.0, 0.0, 1.0].as_slice())]);
        assert_eq!(shape.entries(), [1e7, 0.5, 1e-7]);
    }
}
