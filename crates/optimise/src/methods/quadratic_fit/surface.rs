//! A quadratic surface, fitted by least squares to differences of its heights.

use serde::{Deserialize, Serialize};

/// The largest number of parameters for which products of different parameters are fitted.
const FULL_DIMENSION: usize = 10;
/// The weight of the prior on each coefficient, in squares of terms: with a score's variance of at most 1/4, a coefficient
/// is about one half.
const PRIOR: f64 = 1.0;
/// The prior standard deviation of the curvature of a coordinate, as a fraction of the mean curvature. Cross terms, which
/// are twice the curvature between coordinates, may deviate by sqrt 2 times as much.
const RELATIVE_DEVIATION: f64 = 0.5;
/// The mean curvature is assumed to be at least this number, in units of the score.
const LEAST_CURVATURE: f64 = 1e-6;
/// The largest number of sweeps over all coordinates in the search for the top.
const MAX_SWEEPS: u32 = 1000;
/// The search for the top ends when no coordinate moves by more than this number.
const TOLERANCE: f64 = 1e-9;

/// The sums from which the coefficients follow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Surface {
    dimension: usize,
    num_responses: u64,
    /// The sum of the squares of the responses. Nearly all of it is noise.
    squares: f64,
    /// One block for all coordinates, or one for each.
    blocks: Vec<Block>,
}

/// The normal equations of a part of the coefficients.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    /// The sums of products of terms: the lower triangle, row by row.
    products: Vec<f64>,
    /// The sums of products of a term and the response.
    responses: Vec<f64>,
}

/// The terms of these coordinates: first the coordinates, then their products, row by row.
fn terms(z: &[f64]) -> impl Iterator<Item = f64> {
    let products = (0..z.len()).flat_map(move |i| (0..=i).map(move |j| z[i] * z[j]));
    z.iter().copied().chain(products)
}

/// Returns the number of entries in the first `row` rows of a lower triangle.
fn before(row: usize) -> usize {
    row * (row + 1) / 2
}

impl Block {
    fn new(num_coordinates: usize) -> Block {
        let num_terms = num_coordinates + before(num_coordinates);
        Block { products: vec![0.0; before(num_terms)], responses: vec![0.0; num_terms] }
    }

    fn learn(&mut self, x: &[f64], y: &[f64], response: f64) {
        let terms: Vec<f64> = terms(x).zip(terms(y)).map(|(x, y)| x - y).collect();
        let mut products = self.products.iter_mut();
        for (row, (term, sum)) in terms.iter().zip(&mut self.responses).enumerate() {
            *sum += term * response;
            products.by_ref().zip(&terms[..=row]).for_each(|(sum, other)| *sum += term * other);
        }
    }

    /// Fits the coefficients; `variance` is the variance of a response.
    fn coefficients(&self, variance: f64) -> Vec<f64> {
        let num_terms = self.responses.len();
        let mut sums = self.products.clone();
        for row in 0..num_terms {
            sums[before(row) + row] += PRIOR;
        }
        let first = solve(sums.clone(), self.responses.clone());

        // The terms are the coordinates, and then the lower triangle of their products.
        let size = (0..).find(|&size| size + before(size) == num_terms).expect("as in `new`");
        let squares: Vec<usize> = (0..size).map(|i| size + before(i) + i).collect();
        let share = 1.0 / size as f64;
        let curvature = -share * squares.iter().map(|&square| first[square]).sum::<f64>();
        let deviation = RELATIVE_DEVIATION * curvature.max(LEAST_CURVATURE);
        let weight = variance / (deviation * deviation);
        for row in size..num_terms {
            let is_square = squares.contains(&row);
            sums[before(row) + row] += if is_square { weight } else { weight / 2.0 };
            for &column in squares.iter().filter(|&&column| is_square && column <= row) {
                sums[before(row) + column] -= weight * share;
            }
        }
        solve(sums, self.responses.clone())
    }
}

/// Solves a system of linear equations by Cholesky's decomposition. `l` is the lower triangle of a positive definite
/// matrix, row by row.
fn solve(mut l: Vec<f64>, mut solution: Vec<f64>) -> Vec<f64> {
    let size = solution.len();
    for row in 0..size {
        for column in 0..=row {
            let [a, b] = [before(row), before(column)];
            let known: f64 = (0..column).map(|k| l[a + k] * l[b + k]).sum();
            let rest = l[a + column] - known;
            l[a + column] = if row == column { rest.sqrt() } else { rest / l[b + column] };
        }
    }
    for row in 0..size {
        let known: f64 = (0..row).map(|k| l[before(row) + k] * solution[k]).sum();
        solution[row] = (solution[row] - known) / l[before(row) + row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|k| l[before(k) + row] * solution[k]).sum();
        solution[row] = (solution[row] - known) / l[before(row) + row];
    }
    solution
}

/// Finds the highest point of a surface by steps along single coordinates, which may move by at most `radius` from
/// `centre`.
fn climb(coefficients: &[f64], centre: &[f64], radius: f64) -> Vec<f64> {
    let (linear, quadratic) = coefficients.split_at(centre.len());
    let entry = |i: usize, j: usize| quadratic[before(i.max(j)) + i.min(j)];
    let mut z = centre.to_vec();
    for _ in 0..MAX_SWEEPS {
        let mut largest_move: f64 = 0.0;
        for i in 0..z.len() {
            let others = (0..z.len()).filter(|&j| j != i);
            let slope = linear[i] + others.map(|j| entry(i, j) * z[j]).sum::<f64>();
            let curvature = entry(i, i);
            let height = |x: f64| (slope + curvature * x) * x;
            let ends = [centre[i] - radius, centre[i] + radius];
            let best = if curvature < 0.0 {
                (slope / (-2.0 * curvature)).clamp(ends[0], ends[1])
            } else {
                // If no end is higher, as without any effect, the coordinate stays.
                let higher = |x, end| if height(end) > height(x) { end } else { x };
                ends.into_iter().fold(z[i], higher)
            };
            largest_move = largest_move.max((best - z[i]).abs());
            z[i] = best;
        }
        if largest_move < TOLERANCE {
            break;
        }
    }
    z
}

impl Surface {
    pub(super) fn new(dimension: usize) -> Surface {
        let blocks = match dimension <= FULL_DIMENSION {
            true => vec![Block::new(dimension)],
            false => vec![Block::new(1); dimension],
        };
        Surface { dimension, num_responses: 0, squares: 0.0, blocks }
    }

    /// Returns `true` if the state is valid for parameters of this dimension.
    pub(super) fn is_sound(&self, dimension: usize) -> bool {
        let empty = Surface::new(dimension);
        let fits = |(block, empty): (&Block, &Block)| {
            let sizes = |block: &Block| [block.products.len(), block.responses.len()];
            sizes(block) == sizes(empty)
                && block.products.iter().chain(&block.responses).all(|sum| sum.is_finite())
        };
        self.dimension == dimension
            && self.squares.is_finite()
            && self.squares >= 0.0
            && self.blocks.len() == empty.blocks.len()
            && self.blocks.iter().zip(&empty.blocks).all(fits)
    }

    /// Learns that the height at `x` is `response` more than the height at `y`; both are `[dimension]`.
    pub(super) fn learn(&mut self, x: &[f64], y: &[f64], response: f64) {
        self.num_responses += 1;
        self.squares += response * response;
        let size = self.dimension / self.blocks.len();
        let coordinates = x.chunks_exact(size).zip(y.chunks_exact(size));
        for (block, (x, y)) in self.blocks.iter_mut().zip(coordinates) {
            block.learn(x, y, response);
        }
    }

    /// Returns the highest point of the fitted surface whose coordinates are at most `radius` away from `centre`.
    pub(super) fn top(&self, centre: &[f64], radius: f64) -> Vec<f64> {
        let parts = centre.chunks_exact(self.dimension / self.blocks.len());
        let variance = self.squares / self.num_responses.max(1) as f64;
        let top_of =
            |(block, part): (&Block, &[f64])| climb(&block.coefficients(variance), part, radius);
        self.blocks.iter().zip(parts).flat_map(top_of).collect()
    }
}

#[cfg(test)]
mod tests;
