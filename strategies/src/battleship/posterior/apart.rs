//! Weights of one, two or three ships that lie apart: no two of their places cross.
//!
//! # Computation
//!
//! Ships are straight. So if two or three places all cross each other, their common cells form a line, with one more
//! cell than edges between neighbouring cells. Therefore, the indicator that these places cross is the number of common
//! cells minus the number of common edges. Any sum over crossing places is then a sum over cells minus a sum over
//! edges. A cell or edge contributes a product over the ships: the weights of the places that contain it. Let X be the
//! indicator that two places cross, c the place of one ship, and d and e the places of two other ships. The total
//! weight of the pairs of d and e that lie apart from c and from each other is
//!
//! sum (1 - X(c, d)) (1 - X(c, e)) (1 - X(d, e)) = (D - D(c)) (E - E(c)) - (DE - DE(c))
//!
//! The sum runs over all d and e, and each term is multiplied by their weights. D and E are the weights of all places
//! of the two ships, and D(c) and E(c) the weights of the places that cross c. DE is the weight of all pairs that cross
//! each other, and DE(c) the weight of such pairs with at least one place that crosses c.
//!
//! Numbers for places and for cells are stored in grids, so that each sum runs over shifted grids. Time: about two
//! microseconds for three ships.

use std::array;

/// The number of cells of a grid that stand for cells of a board.
const CELLS: usize = 100;
/// The number of zeros before the first cell and after the last cell. In rows of ten cells, the last cell of a vertical
/// ship of five cells comes 40 cells after its first cell.
const MARGIN: usize = 40;

/// A number for each cell of a board, row by row, between margins of zeros.
pub(super) type Grid = [f64; MARGIN + CELLS + MARGIN];

/// A number for each place of a ship. A place is given by its direction (0 in a row, 1 in a column) and its first cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByPlace([Grid; 2]);

impl ByPlace {
    pub(super) const ZERO: ByPlace = ByPlace([[0.0; MARGIN + CELLS + MARGIN]; 2]);

    /// Returns the number stored for the place in `direction` whose first cell has number `first`.
    #[inline]
    pub(super) fn at(&mut self, direction: u8, first: usize) -> &mut f64 {
        &mut self.0[usize::from(direction)][MARGIN + first]
    }

    #[inline]
    fn inner(&self) -> [&[f64; CELLS]; 2] {
        array::from_fn(|direction| inner(&self.0[direction]))
    }

    fn sum(&self) -> f64 {
        self.inner().into_iter().flatten().sum()
    }
}

#[inline]
fn inner(grid: &Grid) -> &[f64; CELLS] {
    from(grid, MARGIN)
}

#[inline]
fn inner_mut(grid: &mut Grid) -> &mut [f64; CELLS] {
    (&mut grid[MARGIN..MARGIN + CELLS]).try_into().expect("cells of a board")
}

/// Returns the cells of a grid from index `first` on.
#[inline]
fn from(grid: &Grid, first: usize) -> &[f64; CELLS] {
    grid[first..first + CELLS].try_into().expect("a shift within the margins")
}

/// A number for each cell and for each edge between two cells. An edge is given by its direction and its first cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByCellAndEdge {
    cells: Grid,
    edges: [Grid; 2],
}

impl ByCellAndEdge {
    const ZERO: ByCellAndEdge = {
        let grid = [0.0; MARGIN + CELLS + MARGIN];
        ByCellAndEdge { cells: grid, edges: [grid; 2] }
    };
}

/// The distance between the numbers of neighbouring cells in each direction.
type Steps = [usize; 2];

/// A ship: its length, and the weights of its places.
pub(super) type Ship<'a> = (usize, &'a ByPlace);

/// Computes sums over ships that lie apart, with reused buffers.
#[derive(Debug)]
pub(super) struct Apart {
    steps: Steps,
    /// For each ship and each cell or edge, the total weight of the ship's places that contain the cell or edge.
    spread: [ByCellAndEdge; 3],
    /// For each pair of ships and each place of the first ship, the weight of the second ship's places that cross it.
    crossing: [[ByPlace; 3]; 3],
    around: ByCellAndEdge,
    product: ByPlace,
}

impl Apart {
    /// Creates the calculator for a board of `side` rows and columns.
    pub(super) fn new(side: usize) -> Apart {
        Apart {
            steps: [1, side],
            spread: [ByCellAndEdge::ZERO; 3],
            crossing: [[ByPlace::ZERO; 3]; 3],
            around: ByCellAndEdge::ZERO,
            product: ByPlace::ZERO,
        }
    }
}

/// Calls a function for ships of `$length` cells, which have `$length` - 1 edges.
macro_rules! of_length {
    ($length:expr, $function:ident($($argument:expr),*)) => {
        match $length {
            2 => $function::<2, 1>($($argument),*),
            3 => $function::<3, 2>($($argument),*),
            4 => $function::<4, 3>($($argument),*),
            5 => $function::<5, 4>($($argument),*),
            length => panic!("a ship of {length} cells"),
        }
    };
}

impl Apart {
    /// For each place of each ship, adds `scale` times the weight of all fleets of these ships that contain the place
    /// to `sums`. Returns the total weight of these fleets, and their total weight if ships may cross.
    ///
    /// # Panics
    ///
    /// Panics unless there are one to three ships, of two to five cells.
    pub(super) fn add<const N: usize>(
        &mut self,
        ships: [Ship<'_>; N],
        scale: f64,
        sums: [&mut ByPlace; N],
    ) -> [f64; 2] {
        assert!((1..=3).contains(&N), "sums over {N} ships");
        let totals: [f64; N] = ships.map(|(_, weights)| weights.sum());
        if N > 1 {
            for (ship, (length, weights)) in ships.into_iter().enumerate() {
                of_length!(length, spread(self.steps, weights, &mut self.spread[ship]));
            }
            for (ship, (length, _)) in ships.into_iter().enumerate() {
                for other in (0..N).filter(|&other| other != ship) {
                    let (from, to) = (&self.spread[other], &mut self.crossing[ship][other]);
                    of_length!(length, gather(self.steps, from, to));
                }
            }
        }
        let mut total = 0.0;
        for (ship, sums) in sums.into_iter().enumerate() {
            let weights = ships[ship].1;
            // The total weight of the other ships, given the place of this ship.
            total = match N {
                1 => add_products(weights, |_, _| 1.0, scale, sums),
                2 => {
                    let other = 1 - ship;
                    let crossing = self.crossing[ship][other].inner();
                    let left =
                        |direction: usize, at: usize| totals[other] - crossing[direction][at];
                    add_products(weights, left, scale, sums)
                }
                _ => {
                    let [one, other] = [(ship + 1) % 3, (ship + 2) % 3];
                    let pairs =
                        self.pairs_around(ships[ship].0, [one, other], [ships[one], ships[other]]);
                    let crossing = [one, other].map(|other| self.crossing[ship][other].inner());
                    let around = self.product.inner();
                    let left = |direction: usize, at: usize| {
                        let [one_left, other_left] = [
                            totals[one] - crossing[0][direction][at],
                            totals[other] - crossing[1][direction][at],
                        ];
                        one_left * other_left - (pairs - around[direction][at])
                    };
                    add_products(weights, left, scale, sums)
                }
            };
        }
        [total, totals.iter().product()]
    }

    /// Returns the weight of the pairs of two ships that cross each other. `product` receives, for each place of a ship
    /// of `length` cells, the weight of the pairs in which one or both places cross this place.
    fn pairs_around(&mut self, length: usize, [a, b]: [usize; 2], ships: [Ship<'_>; 2]) -> f64 {
        let mut pairs = 0.0;
        let [first, second] = [&self.spread[a], &self.spread[b]];
        // The sums of both ships contain the pairs in which both places cross this place, so these pairs are subtracted
        // once.
        subtract_product(&first.cells, &second.cells, &mut self.around.cells);
        for direction in 0..2 {
            let edges = [&first.edges[direction], &second.edges[direction]];
            subtract_product(edges[0], edges[1], &mut self.around.edges[direction]);
        }
        for ((ship, other), (length, weights)) in [(a, b), (b, a)].into_iter().zip(ships) {
            pairs = multiply(weights, &self.crossing[ship][other], &mut self.product);
            of_length!(length, spread_more(self.steps, &self.product, &mut self.around));
        }
        of_length!(length, gather(self.steps, &self.around, &mut self.product));
        pairs
    }
}

/// Adds, for each place, the product of `scale`, `weights` and `others` to `sums`. Returns the sum of these products
/// without the factor `scale`.
#[inline]
fn add_products(
    weights: &ByPlace,
    others: impl Fn(usize, usize) -> f64,
    scale: f64,
    sums: &mut ByPlace,
) -> f64 {
    let mut total = [0.0; 2];
    for (direction, (weights, sums)) in weights.inner().into_iter().zip(&mut sums.0).enumerate() {
        for (at, (weight, sum)) in weights.iter().zip(inner_mut(sums)).enumerate() {
            let product = weight * others(direction, at);
            total[at & 1] += product;
            *sum += scale * product;
        }
    }
    total[0] + total[1]
}

/// Multiplies two numbers for each place, and returns the sum of the products.
#[inline]
fn multiply(first: &ByPlace, second: &ByPlace, product: &mut ByPlace) -> f64 {
    let mut total = [0.0; 2];
    for direction in 0..2 {
        let factors = first.inner()[direction].iter().zip(second.inner()[direction]);
        for (at, (product, (first, second))) in
            inner_mut(&mut product.0[direction]).iter_mut().zip(factors).enumerate()
        {
            *product = first * second;
            total[at & 1] += *product;
        }
    }
    total[0] + total[1]
}

#[inline]
fn subtract_product(first: &Grid, second: &Grid, product: &mut Grid) {
    let factors = inner(first).iter().zip(inner(second));
    for (product, (first, second)) in inner_mut(product).iter_mut().zip(factors) {
        *product = -(first * second);
    }
}

/// Computes, for each cell and each edge, the sum of the numbers of the places that contain the cell or edge. A ship
/// has `L` cells and `E` edges.
#[inline]
fn spread<const L: usize, const E: usize>(steps: Steps, places: &ByPlace, to: &mut ByCellAndEdge) {
    inner_mut(&mut to.cells).fill(0.0);
    to.edges.iter_mut().for_each(|edges| inner_mut(edges).fill(0.0));
    spread_more::<L, E>(steps, places, to);
}

/// Like [`spread`], but adds the sums to the numbers in `to`.
#[inline]
fn spread_more<const L: usize, const E: usize>(
    steps: Steps,
    places: &ByPlace,
    to: &mut ByCellAndEdge,
) {
    for (direction, step) in steps.into_iter().enumerate() {
        // No place starts so near to the end of its line that it would continue on the next line.
        let shifted: [&[f64; CELLS]; E] =
            array::from_fn(|k| from(&places.0[direction], MARGIN - k * step));
        let last = from(&places.0[direction], MARGIN - E * step);
        let (cells, edges) = (inner_mut(&mut to.cells), inner_mut(&mut to.edges[direction]));
        for at in 0..CELLS {
            let mut sum = shifted[0][at];
            for numbers in &shifted[1..] {
                sum += numbers[at];
            }
            edges[at] += sum;
            cells[at] += sum + last[at];
        }
    }
}

/// Computes, for each place of a ship of `L` cells, the sum over its cells minus the sum over its edges.
#[inline]
fn gather<const L: usize, const E: usize>(steps: Steps, grids: &ByCellAndEdge, to: &mut ByPlace) {
    for (direction, step) in steps.into_iter().enumerate() {
        let cells: [&[f64; CELLS]; L] = array::from_fn(|k| from(&grids.cells, MARGIN + k * step));
        let edges: [&[f64; CELLS]; E] =
            array::from_fn(|k| from(&grids.edges[direction], MARGIN + k * step));
        let to = inner_mut(&mut to.0[direction]);
        for at in 0..CELLS {
            let mut sum = cells[0][at];
            for k in 0..E {
                sum += cells[k + 1][at] - edges[k][at];
            }
            to[at] = sum;
        }
    }
}
