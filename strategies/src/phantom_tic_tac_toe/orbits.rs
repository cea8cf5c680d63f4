//! The matrix game of phantom tic-tac-toe between players that each follow one order of the cells.
//!
//! The matrix has 9! rows, the orders of the first seat, and as many columns. Turning or reflecting the board for both
//! players changes no game, so some equilibrium plays the eight images of an order, its orbit, equally often. There are
//! 45 360 orbits. A row or column can therefore stand for an orbit, and a payoff is the mean over the images of one of
//! the two orders.

use ruse_games::Seat;
use ruse_games::phantom_tic_tac_toe::CellOrder;

use super::{Mover, best_order, exact_outcome, symmetric_images};
use crate::BestResponder;

/// The matrix game in which each seat chooses an orbit of orders; one order represents each orbit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orbits;

impl Orbits {
    /// The largest difference between two scores that counts as rounding. A payoff is a multiple of 1/16, and a score
    /// is a mean of payoffs, weighted by a mixture.
    pub const TOLERANCE: f64 = 1e-10;
}

/// Returns the images of all orders of a mixture, as movers.
pub fn with_images(mixture: &[(f64, CellOrder)]) -> Vec<(Mover, f64)> {
    let images = mixture.iter().flat_map(|&(weight, order)| {
        symmetric_images(order).map(|image| (Mover::Order(image), weight / 8.0))
    });
    images.collect()
}

impl BestResponder for Orbits {
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
