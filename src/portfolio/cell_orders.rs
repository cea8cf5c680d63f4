//! The equilibrium of phantom tic-tac-toe between players who each keep to an order of the cells.
//!
//! The matrix has 9! rows, the orders of the first seat, and as many columns. Turning and reflecting the board
//! for both changes no game, so that there is an equilibrium in which the eight images of an order are played
//! equally often: a row or column stands for such an orbit, of which there are 45 360, and its payoff is the mean
//! over the images of one of the two orders.

use ruse_games::Seat;
use ruse_games::phantom_tic_tac_toe::CellOrder;
use ruse_strategies::phantom_tic_tac_toe::{Mover, best_order, exact_outcome, symmetric_images};

use crate::matrix::{BestResponder, DoubleOracle, MatrixError, double_oracle};

/// Scores differ by multiples of 1/16 times weights; this is rounding.
const TOLERANCE: f64 = 1e-10;

struct CellOrders;

/// The images of all orders of a mixture, as movers.
pub fn with_images(mixture: &[(f64, CellOrder)]) -> Vec<(Mover, f64)> {
    let images = mixture.iter().flat_map(|&(weight, order)| {
        symmetric_images(order).map(|image| (Mover::Order(image), weight / 8.0))
    });
    images.collect()
}

impl BestResponder for CellOrders {
    type Row = CellOrder;
    type Column = CellOrder;

    fn payoff(&self, row: &CellOrder, column: &CellOrder) -> f64 {
        let scores = symmetric_images(*column)
            .map(|column| exact_outcome(Mover::Order(*row), Mover::Order(column)).score());
        scores.iter().sum::<f64>() / 8.0
    }

    fn best_row(&self, mixture: &[(f64, CellOrder)]) -> (f64, CellOrder) {
        best_order(Seat::First, &with_images(mixture))
    }

    fn best_column(&self, mixture: &[(f64, CellOrder)]) -> (f64, CellOrder) {
        let (score, order) = best_order(Seat::Second, &with_images(mixture));
        (1.0 - score, order)
    }
}

/// The equilibrium: what the first seat scores, and the orbits of orders that each seat plays, by one order of
/// each.
///
/// # Errors
///
/// When a linear program is not solved.
pub fn cell_order_equilibrium() -> Result<DoubleOracle<CellOrder, CellOrder>, MatrixError> {
    let order = CellOrder::default();
    double_oracle(&CellOrders, (order, order), TOLERANCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The gap is a proof, as far as best orders are best, which is tested where they are found. The value has no
    /// other source; that nobody who keeps to an order does better than it is what the gap says.
    #[test]
    fn phantom_tic_tac_toe_has_a_value() {
        let solved = cell_order_equilibrium().expect("it is solved");
        assert!((solved.value() - 0.771_358).abs() < 0.6e-6, "{}", solved.value());
        assert!(solved.gap().abs() < TOLERANCE, "{}", solved.gap());
        let sum =
            |mixture: &[(f64, CellOrder)]| mixture.iter().map(|(weight, _)| weight).sum::<f64>();
        assert!((sum(&solved.rows) - 1.0).abs() < 1e-12);
        assert!((sum(&solved.columns) - 1.0).abs() < 1e-12);
    }
}
