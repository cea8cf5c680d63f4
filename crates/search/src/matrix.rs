//! Zero-sum matrix games, solved with a certificate.
//!
//! The equilibrium is the solution of a linear program (Gale, Kuhn & Tucker, *Linear programming and the theory of
//! games*, 1951): all payoffs are shifted and scaled to a matrix B with entries from 1 to 2. The program is: maximise
//! the sum of w subject to B w <= 1 and w >= 0. The start w = 0 is feasible. The column player's mixture is w divided
//! by its sum, and the row player's is the dual solution divided by its sum, so one tableau yields both.
//!
//! The solver is a dense primal simplex in a condensed tableau (Dantzig, *Linear programming and extensions*, 1963).
//! The variable with the largest reduced cost enters. Among rows with equal ratios, the leaving variable is chosen
//! after the right side is perturbed by an infinitesimal multiple of fixed numbers in general position (Charnes,
//! *Optimality and degeneracy in linear programming*, Econometrica 20, 1952). So the simplex does not cycle on matrices
//! of zeros and ones, where nearly all ratios are equal. The last basis is a square part of the matrix, the kernel
//! (Shapley & Snow 1950). Both mixtures are computed directly from the kernel, with pivoting and iterative refinement,
//! so they do not contain the rounding errors of the tableau.
//!
//! The *certificate* does not depend on the solver. It is computed from the mixtures alone: the row player is
//! guaranteed the least entry of x' A, and the column player concedes at most the largest entry of A y. The value lies
//! between the two, even if the solver failed.
//!
//! Time: a pivot takes time proportional to rows times columns, and there are about as many pivots as rows and columns,
//! so the total is cubic. Space: two matrices.

use nalgebra::{DMatrix, DVector};
use ruse_base::hashing::mix;

/// The largest gap that a certificate may have, for payoffs with an absolute value of at most one.
pub const MAX_GAP: f64 = 1e-11;
/// The largest absolute value of a payoff. It keeps the scale of the game finite.
const MAX_PAYOFF: f64 = 1e100;
/// Weights of a mixture up to this value count as rounding errors and are set to zero.
const MIN_WEIGHT: f64 = 1e-13;
/// The smallest pivot. Entries of the tableau are of order one.
const MIN_PIVOT: f64 = 1e-9;
/// The difference below which two ratios count as equal.
const TIE: f64 = 1e-12;
/// The gap below which further steps do not help, in units of the largest absolute payoff: about the rounding error of
/// a sum of products.
const ROUNDING: f64 = 1e-14;
/// The maximum number of times that the tableau is recomputed from its kernel.
const MAX_ROUNDS: usize = 6;

/// The payoffs that the column player pays to the row player in a zero-sum game.
#[derive(Debug, Clone, PartialEq)]
pub struct PayoffMatrix {
    num_rows: usize,
    num_columns: usize,
    /// The payoffs in row-major order.
    payoffs: Vec<f64>,
}

/// An error in a payoff matrix or in its solution.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MatrixError {
    /// A player has no strategies.
    #[error(
        "a matrix game needs at least one row and one column, {num_rows} x {num_columns} found"
    )]
    Empty {
        /// The number of rows.
        num_rows: usize,
        /// The number of columns.
        num_columns: usize,
    },
    /// The rows have different lengths, so payoffs are missing.
    #[error("row {row} of the payoff matrix has {found} entries, {expected} expected")]
    Ragged {
        /// The row, from 0.
        row: usize,
        /// The number of entries of this row.
        found: usize,
        /// The number of entries of the first row.
        expected: usize,
    },
    /// A payoff is infinite, NaN or too large to compute with.
    #[error(
        "the payoff of row {row} against column {column} is {payoff}, not a finite number; play it again"
    )]
    NotFinite {
        /// The row, from 0.
        row: usize,
        /// The column, from 0.
        column: usize,
        /// The payoff found.
        payoff: f64,
    },
    /// The guarantees of the two players differ too much.
    #[error("the matrix game was solved up to {gap:e} only, {MAX_GAP:e} expected")]
    Inexact {
        /// The difference between the guarantees of the two players.
        gap: f64,
    },
}

impl PayoffMatrix {
    /// Creates the game with these rows.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no rows or no columns, rows have different lengths, or a payoff is not finite.
    pub fn from_rows(rows: &[Vec<f64>]) -> Result<PayoffMatrix, MatrixError> {
        let num_columns = rows.first().map_or(0, Vec::len);
        if let Some(row) = rows.iter().position(|row| row.len() != num_columns) {
            return Err(MatrixError::Ragged { row, found: rows[row].len(), expected: num_columns });
        }
        PayoffMatrix::from_fn(rows.len(), num_columns, |row, column| rows[row][column])
    }

    /// Creates the game in which row `i` gets the payoff `payoff(i, j)` against column `j`.
    ///
    /// # Errors
    ///
    /// Returns an error if there are no rows or no columns, or a payoff is not finite.
    pub fn from_fn(
        num_rows: usize,
        num_columns: usize,
        mut payoff: impl FnMut(usize, usize) -> f64,
    ) -> Result<PayoffMatrix, MatrixError> {
        if num_rows == 0 || num_columns == 0 {
            return Err(MatrixError::Empty { num_rows, num_columns });
        }
        let mut payoffs = Vec::with_capacity(num_rows * num_columns);
        for row in 0..num_rows {
            for column in 0..num_columns {
                let payoff = payoff(row, column);
                if payoff.is_nan() || payoff.abs() > MAX_PAYOFF {
                    return Err(MatrixError::NotFinite { row, column, payoff });
                }
                payoffs.push(payoff);
            }
        }
        Ok(PayoffMatrix { num_rows, num_columns, payoffs })
    }

    /// Returns the number of strategies of the row player.
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// Returns the number of strategies of the column player.
    pub fn num_columns(&self) -> usize {
        self.num_columns
    }

    /// Returns the payoff of `row` against `column`.
    ///
    /// # Panics
    ///
    /// Panics if the row or the column does not exist.
    pub fn payoff(&self, row: usize, column: usize) -> f64 {
        self.row(row)[column]
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.payoffs[row * self.num_columns..][..self.num_columns]
    }

    /// Returns A y, the payoff of each row against the mixture `y`, which has `num_columns` entries.
    pub fn of_rows(&self, y: &[f64]) -> Vec<f64> {
        let dot =
            |row| std::iter::zip(self.row(row), y).map(|(payoff, weight)| payoff * weight).sum();
        (0..self.num_rows).map(dot).collect()
    }

    /// Returns x' A, the payoff of the mixture `x`, which has `num_rows` entries, against each column.
    pub fn of_columns(&self, x: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.num_columns];
        for (row, &weight) in x.iter().enumerate().filter(|(_, weight)| **weight != 0.0) {
            add_multiple(&mut sums, weight, self.row(row));
        }
        sums
    }

    /// Returns the payoff that the mixture `x` guarantees the row player against every column.
    pub fn guaranteed(&self, x: &[f64]) -> f64 {
        self.of_columns(x).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Returns the largest payoff that the column player's mixture `y` concedes to any row.
    pub fn conceded(&self, y: &[f64]) -> f64 {
        self.of_rows(y).into_iter().fold(f64::NEG_INFINITY, f64::max)
    }

    /// Returns the smallest and the largest payoff, in this order.
    fn range(&self) -> [f64; 2] {
        let of = |pick: fn(f64, f64) -> f64| self.payoffs.iter().copied().reduce(pick);
        let [least, largest] = [of(f64::min), of(f64::max)];
        [least, largest].map(|payoff| payoff.expect("a game is not empty"))
    }

    /// Finds one of the equilibria of the game.
    ///
    /// # Errors
    ///
    /// Returns an error if rounding leaves more than [`MAX_GAP`] between the guarantees of the two players. The unit of
    /// the gap is the largest absolute payoff, but at least 1.
    pub fn solve(&self) -> Result<Equilibrium, MatrixError> {
        self.solve_unless(&|| false)
    }

    /// Like [`solve`](PayoffMatrix::solve), but once `is_stopped` returns `true`, returns mixtures with any gap.
    ///
    /// # Errors
    ///
    /// Returns the same error as [`solve`](PayoffMatrix::solve).
    pub fn solve_unless(&self, is_stopped: &dyn Fn() -> bool) -> Result<Equilibrium, MatrixError> {
        let [least, largest] = self.range();
        let unit = least.abs().max(largest.abs()).max(1.0);
        let mut best = self.simplex(unit, is_stopped);
        for _ in 0..MAX_ROUNDS {
            if best.gap() <= MAX_GAP * unit || is_stopped() {
                return Ok(best);
            }
            best = self.magnified(best, unit, is_stopped);
        }
        Err(MatrixError::Inexact { gap: best.gap() })
    }

    /// Returns the best equilibrium that the simplex algorithm finds.
    fn simplex(&self, unit: f64, is_stopped: &dyn Fn() -> bool) -> Equilibrium {
        let mut tableau = Tableau::new(self);
        let mut best: Option<Equilibrium> = None;
        for _ in 0..MAX_ROUNDS {
            tableau.pivot_to_the_end(is_stopped);
            let kernel = if is_stopped() { None } else { tableau.kernel(self) };
            let solved = kernel.as_ref().and_then(|kernel| kernel.mixtures(self));
            for [x, y] in solved.into_iter().chain([tableau.mixtures()]) {
                let found = certify(self, x, y);
                if best.as_ref().is_none_or(|best| found.gap() < best.gap()) {
                    best = Some(found);
                }
            }
            if best.as_ref().is_some_and(|best| best.gap() <= ROUNDING * unit) {
                break;
            }
            // Recomputing the tableau removes its rounding errors. If nothing is then left to pivot, the gap is due to
            // rounding.
            let Some(fresh) = kernel.and_then(|kernel| tableau.recomputed(&kernel)) else { break };
            tableau = fresh;
            if tableau.entering().is_none() && tableau.is_feasible() {
                break;
            }
        }
        best.expect("there is at least one round")
    }

    /// Solves the part of the game that an equilibrium uses, extended by a best response to each mixture. The payoffs
    /// are scaled by the range of this part, because small differences would vanish next to larger payoffs elsewhere.
    fn magnified(
        &self,
        best: Equilibrium,
        unit: f64,
        is_stopped: &dyn Fn() -> bool,
    ) -> Equilibrium {
        let place_of = |values: Vec<f64>, sign: f64| {
            let places = 0..values.len();
            places.reduce(|a, b| if sign * values[b] > sign * values[a] { b } else { a })
        };
        let mut rows = best.row_support();
        rows.extend(place_of(self.of_rows(&best.column_mixture), 1.0));
        let mut columns = best.column_support();
        columns.extend(place_of(self.of_columns(&best.row_mixture), -1.0));
        for places in [&mut rows, &mut columns] {
            places.sort_unstable();
            places.dedup();
        }
        let payoff = |row: usize, column: usize| self.payoff(rows[row], columns[column]);
        let part = PayoffMatrix::from_fn(rows.len(), columns.len(), payoff);
        let solved = part.expect("a part of a game is one").simplex(unit, is_stopped);
        let x = spread(self.num_rows, &rows, &solved.row_mixture);
        let y = spread(self.num_columns, &columns, &solved.column_mixture);
        let found = certify(self, x, y);
        if found.gap() < best.gap() { found } else { best }
    }
}

impl PayoffMatrix {
    /// Returns whether `found` is certainly the only equilibrium: every strategy outside it is worse, by more than rounding,
    /// and the equations of the strategies inside it have one solution. Equilibria of a zero-sum game are interchangeable, so
    /// no other one has other strategies.
    pub fn is_unique(&self, found: &Equilibrium) -> bool {
        /// The smallest difference, relative to the largest payoff, that is more than rounding.
        const CLEAR: f64 = 1e-9;
        let [least, largest] = self.range();
        let clear = CLEAR * least.abs().max(largest.abs()).max(f64::MIN_POSITIVE);
        let (rows, columns) = (found.row_support(), found.column_support());
        let [low, high] = [found.value() - clear, found.value() + clear];
        let good_rows = self.of_rows(&found.column_mixture).into_iter().filter(|x| *x >= low);
        let good_columns = self.of_columns(&found.row_mixture).into_iter().filter(|x| *x <= high);
        if [good_rows.count(), good_columns.count(), columns.len()] != [rows.len(); 3] {
            return false;
        }
        // The payoffs of all rows are the value, and the weights have sum 1.
        let num = rows.len() + 1;
        let entry = |i: usize, j: usize| match (rows.get(i), columns.get(j)) {
            (Some(&row), Some(&column)) => self.payoff(row, column),
            (None, None) => 0.0,
            _ => largest.abs().max(least.abs()),
        };
        DMatrix::from_fn(num, num, entry).rank(clear) == num
    }
}

/// An equilibrium: no player gains by deviating from these mixtures.
#[derive(Debug, Clone, PartialEq)]
pub struct Equilibrium {
    /// The mixture of the row player: `num_rows` numbers, at least 0, with sum 1.
    pub row_mixture: Vec<f64>,
    /// The mixture of the column player: `num_columns` numbers, at least 0, with sum 1.
    pub column_mixture: Vec<f64>,
    /// The least payoff of the row player, computed from its mixture.
    pub guaranteed: f64,
    /// The largest payoff that the column player concedes, computed from its mixture.
    pub conceded: f64,
}

impl Equilibrium {
    /// Returns the value of the game for the row player, accurate to within half the gap.
    pub fn value(&self) -> f64 {
        f64::midpoint(self.guaranteed, self.conceded)
    }

    /// Returns the difference between the guarantees of the two players: zero up to rounding.
    pub fn gap(&self) -> f64 {
        self.conceded - self.guaranteed
    }

    /// Returns the rows with positive weight.
    pub fn row_support(&self) -> Vec<usize> {
        support(&self.row_mixture)
    }

    /// Returns the columns with positive weight.
    pub fn column_support(&self) -> Vec<usize> {
        support(&self.column_mixture)
    }
}

/// Returns the indices of the positive weights of a mixture.
pub fn support(mixture: &[f64]) -> Vec<usize> {
    (0..mixture.len()).filter(|&index| mixture[index] > 0.0).collect()
}

/// Returns a mixture of `length` strategies that gives these weights to the strategies at `places`, and zero to others.
fn spread(length: usize, places: &[usize], weights: &[f64]) -> Vec<f64> {
    let mut mixture = vec![0.0; length];
    for (&place, &weight) in places.iter().zip(weights) {
        mixture[place] = weight;
    }
    mixture
}

/// Cleans and normalises two mixtures, and computes the payoffs that they guarantee.
fn certify(matrix: &PayoffMatrix, mut x: Vec<f64>, mut y: Vec<f64>) -> Equilibrium {
    for mixture in [&mut x, &mut y] {
        for weight in mixture.iter_mut().filter(|w| w.is_nan() || **w <= MIN_WEIGHT) {
            *weight = 0.0;
        }
        let sum: f64 = mixture.iter().sum();
        if sum > 0.0 && sum.is_finite() {
            mixture.iter_mut().for_each(|weight| *weight /= sum);
        } else {
            // If the weights are unusable, the mixture falls back to the first strategy.
            mixture.fill(0.0);
            mixture[0] = 1.0;
        }
    }
    let (guaranteed, conceded) = (matrix.guaranteed(&x), matrix.conceded(&y));
    Equilibrium { row_mixture: x, column_mixture: y, guaranteed, conceded }
}

/// Adds `factor` times `row` to `sums`.
#[inline]
fn add_multiple(sums: &mut [f64], factor: f64, row: &[f64]) {
    for (sum, term) in sums.iter_mut().zip(row) {
        *sum += factor * term;
    }
}

/// The simplex tableau, condensed to the columns of variables outside the basis.
///
/// Variables are numbered 0..n (w) and n..n + m (slacks).
#[derive(Debug, Clone)]
struct Tableau {
    num_rows: usize,
    num_columns: usize,
    /// `num_rows + 1` rows of `num_columns + 2` entries: the last row holds the reduced costs, the last two columns the
    /// right side and its perturbation.
    cells: Vec<f64>,
    /// The variable of each row.
    basis: Vec<usize>,
    /// The variable of each column.
    outside: Vec<usize>,
    /// The scaled matrix B with its right sides and costs, from which the tableau is recomputed.
    original: Vec<f64>,
}

impl Tableau {
    fn new(matrix: &PayoffMatrix) -> Tableau {
        let (m, n) = (matrix.num_rows, matrix.num_columns);
        let [least, largest] = matrix.range();
        let range = if largest > least { largest - least } else { 1.0 };
        let mut cells = Vec::with_capacity((m + 1) * (n + 2));
        for row in 0..m {
            cells.extend(matrix.row(row).iter().map(|payoff| 1.0 + (payoff - least) / range));
            cells.extend([1.0, perturbation(row)]);
        }
        cells.resize(m * (n + 2) + n, -1.0);
        cells.extend([0.0, 0.0]);
        Tableau {
            num_rows: m,
            num_columns: n,
            original: cells.clone(),
            cells,
            basis: (n..n + m).collect(),
            outside: (0..n).collect(),
        }
    }

    fn stride(&self) -> usize {
        self.num_columns + 2
    }

    fn row(&self, row: usize) -> &[f64] {
        &self.cells[row * self.stride()..][..self.stride()]
    }

    /// Returns the column whose variable improves the objective most.
    fn entering(&self) -> Option<usize> {
        let costs = &self.row(self.num_rows)[..self.num_columns];
        let (column, cost) = costs.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1))?;
        (*cost < -TIE).then_some(column)
    }

    /// Returns the row whose variable first reaches zero as the variable of `column` grows. The perturbed right side
    /// breaks ties.
    fn leaving(&self, column: usize) -> Option<usize> {
        let mut best: Option<(usize, f64, f64)> = None;
        for index in 0..self.num_rows {
            let row = self.row(index);
            let pivot = row[column];
            if pivot <= MIN_PIVOT {
                continue;
            }
            let ratio = row[self.num_columns].max(0.0) / pivot;
            let second = row[self.num_columns + 1] / pivot;
            let is_less = best.is_none_or(|(_, least, least_second)| {
                ratio < least - TIE || (ratio <= least + TIE && second < least_second)
            });
            if is_less {
                best = Some((index, ratio, second));
            }
        }
        best.map(|(index, ..)| index)
    }

    fn is_feasible(&self) -> bool {
        (0..self.num_rows).all(|row| self.row(row)[self.num_columns] >= -TIE)
    }

    fn pivot_to_the_end(&mut self, is_stopped: &dyn Fn() -> bool) {
        // Far more than any observed number of pivots; only rounding errors could require more.
        let max_pivots = 100 + 20 * (self.num_rows + self.num_columns);
        for _ in 0..max_pivots {
            let Some(column) = self.entering().filter(|_| !is_stopped()) else { return };
            let Some(row) = self.leaving(column) else { return };
            self.pivot(row, column);
        }
    }

    /// Exchanges the variables of `row` and `column`.
    fn pivot(&mut self, row: usize, column: usize) {
        let stride = self.stride();
        let (above, rest) = self.cells.split_at_mut(row * stride);
        let (pivot_row, below) = rest.split_at_mut(stride);
        let inverse = 1.0 / pivot_row[column];
        pivot_row[column] = 1.0;
        pivot_row.iter_mut().for_each(|cell| *cell *= inverse);
        for cells in above.chunks_exact_mut(stride).chain(below.chunks_exact_mut(stride)) {
            let factor = cells[column];
            if factor != 0.0 {
                cells[column] = 0.0;
                add_multiple(cells, -factor, pivot_row);
            }
        }
        std::mem::swap(&mut self.basis[row], &mut self.outside[column]);
    }

    /// Returns both mixtures, x and y, up to a factor, with the rounding errors of all pivots.
    fn mixtures(&self) -> [Vec<f64>; 2] {
        let (m, n) = (self.num_rows, self.num_columns);
        let (mut x, mut y) = (vec![0.0; m], vec![0.0; n]);
        for (row, &variable) in self.basis.iter().enumerate().filter(|(_, v)| **v < n) {
            y[variable] = self.row(row)[n];
        }
        for (column, &variable) in self.outside.iter().enumerate().filter(|(_, v)| **v >= n) {
            x[variable - n] = self.row(m)[column];
        }
        [x, y]
    }

    /// Returns the kernel: the rows whose slack is outside the basis, and the columns whose variable is in the basis.
    fn kernel(&self, matrix: &PayoffMatrix) -> Option<Kernel> {
        let n = matrix.num_columns;
        let mut columns: Vec<_> = self.basis.iter().copied().filter(|&v| v < n).collect();
        let slacks = self.outside.iter().copied().filter(|&v| v >= n);
        let mut rows: Vec<_> = slacks.map(|v| v - n).collect();
        columns.sort_unstable();
        rows.sort_unstable();
        let stride = self.stride();
        let part = DMatrix::from_fn(rows.len(), columns.len(), |i, j| {
            self.original[rows[i] * stride + columns[j]]
        });
        (!rows.is_empty()).then_some(Kernel { rows, columns, part })
    }

    /// Recomputes the tableau of the same basis from the matrix in one step, without repeating the pivots.
    ///
    /// If the matrix consists of the blocks (K, R; C, D), where K is the kernel, then pivoting on all of K gives the
    /// blocks (K^-1, K^-1 R; -C K^-1, D - C K^-1 R).
    fn recomputed(&self, kernel: &Kernel) -> Option<Tableau> {
        let (n, stride) = (self.num_columns, self.stride());
        let size = kernel.rows.len();
        let inverse = kernel.part.clone().try_inverse()?;
        let other_rows: Vec<_> =
            (0..self.num_rows).filter(|row| kernel.rows.binary_search(row).is_err()).collect();
        let other_columns: Vec<_> =
            (0..n).filter(|column| kernel.columns.binary_search(column).is_err()).collect();
        let original = |row: usize, column: usize| self.original[row * stride + column];
        // The costs are the last row, and the right sides are the last columns.
        let lower: Vec<_> = other_rows.iter().copied().chain([self.num_rows]).collect();
        let right: Vec<_> = other_columns.iter().copied().chain([n, n + 1]).collect();
        let upper_right =
            DMatrix::from_fn(size, right.len(), |i, j| original(kernel.rows[i], right[j]));
        let lower_left =
            DMatrix::from_fn(lower.len(), size, |i, j| original(lower[i], kernel.columns[j]));
        let solved = &inverse * upper_right;
        let minus = &lower_left * &inverse;
        let rest = DMatrix::from_fn(lower.len(), right.len(), |i, j| original(lower[i], right[j]))
            - &lower_left * &solved;
        let mut cells = Vec::with_capacity(self.cells.len());
        for i in 0..size {
            cells.extend((0..size).map(|j| inverse[(i, j)]));
            cells.extend((0..right.len()).map(|j| solved[(i, j)]));
        }
        for i in 0..lower.len() {
            cells.extend((0..size).map(|j| -minus[(i, j)]));
            cells.extend((0..right.len()).map(|j| rest[(i, j)]));
        }
        let slack = |row: &usize| n + row;
        Some(Tableau {
            basis: kernel.columns.iter().copied().chain(other_rows.iter().map(slack)).collect(),
            outside: kernel.rows.iter().map(slack).chain(other_columns).collect(),
            cells,
            original: self.original.clone(),
            ..*self
        })
    }
}

/// Returns the perturbation of a row: a number in [1, 2). The perturbations of all rows are in general position.
fn perturbation(row: usize) -> f64 {
    1.0 + (mix(row as u64) >> 11) as f64 / (1u64 << 53) as f64
}

/// The kernel (Shapley & Snow 1950): the square part of the scaled matrix with the rows and columns that the players
/// mix.
struct Kernel {
    rows: Vec<usize>,
    columns: Vec<usize>,
    part: DMatrix<f64>,
}

impl Kernel {
    /// Returns both mixtures up to a factor: K y = 1 and K' x = 1.
    fn mixtures(&self, matrix: &PayoffMatrix) -> Option<[Vec<f64>; 2]> {
        let y = solve_for_ones(&self.part)?;
        let x = solve_for_ones(&self.part.transpose())?;
        let x = spread(matrix.num_rows, &self.rows, x.as_slice());
        Some([x, spread(matrix.num_columns, &self.columns, y.as_slice())])
    }
}

/// Solves `matrix` w = 1 by elimination with row pivots and two steps of refinement.
fn solve_for_ones(matrix: &DMatrix<f64>) -> Option<DVector<f64>> {
    let ones = DVector::from_element(matrix.nrows(), 1.0);
    let factors = matrix.clone().lu();
    let mut solution = factors.solve(&ones)?;
    for _ in 0..2 {
        let residual = &ones - matrix * &solution;
        solution += factors.solve(&residual)?;
    }
    Some(solution)
}

#[cfg(test)]
mod tests;
