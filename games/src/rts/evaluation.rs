//! How good a position is.

use crate::Seat;

use super::state::{NOBODY, RtsState};
use super::unit::UnitTable;

/// How much of its cost a wounded unit is worth.
///
/// The paper weights a unit by the square root of its health. What its program did has changed, so tables that are
/// compared must say which it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evaluation {
    /// The square root of the part of its health that it has: what the paper says.
    #[default]
    Ratio,
    /// All if it is not wounded, else nothing: the program since October 2016, which divides whole numbers.
    Step,
    /// The square root of its health, divided by its full health: the program until then, and so, probably, the one that
    /// the paper used. A base counts 126.5 points where `Ratio` has 400.
    Legacy,
}

/// Points for a resource in stock.
const STOCK_POINTS: f64 = 20.0;
/// Points for a resource that is carried.
const CARRIED_POINTS: f64 = 10.0;
/// Points for a resource that a unit has cost.
const COST_POINTS: f64 = 40.0;

impl Evaluation {
    /// The part of its cost that a unit is worth.
    fn part(self, hp: u8, full: u8) -> f64 {
        let (hp, full) = (f64::from(hp), f64::from(full));
        match self {
            Evaluation::Ratio => (hp / full).sqrt(),
            Evaluation::Step => (hp / full).floor().sqrt(),
            Evaluation::Legacy => hp.sqrt() / full,
        }
    }
}

impl RtsState {
    /// The points of both players: 20 for a resource in stock, 10 for one that is carried, and 40 times its cost for each
    /// unit, less if it is wounded; 0 for a player without units.
    pub(super) fn points(&self, table: &UnitTable, evaluation: Evaluation) -> [f64; 2] {
        let mut points = self.stock.map(|stock| STOCK_POINTS * f64::from(stock));
        for unit in self.units().iter().filter(|unit| unit.owner != NOBODY) {
            let facts = table.facts(unit.kind());
            let part = if unit.hp == facts.hp && evaluation != Evaluation::Legacy {
                1.0
            } else {
                evaluation.part(unit.hp, facts.hp)
            };
            points[usize::from(unit.owner & 1)] += CARRIED_POINTS * f64::from(unit.carried)
                + COST_POINTS * f64::from(facts.cost) * part;
        }
        for (points, &num_own) in points.iter_mut().zip(&self.num_own) {
            if num_own == 0 {
                *points = 0.0;
            }
        }
        points
    }

    /// The share of the points that a seat has, from -1 (none) to 1 (all); 0 if nobody has any.
    pub(super) fn evaluate(&self, table: &UnitTable, evaluation: Evaluation, seat: Seat) -> f64 {
        let [first, second] = self.points(table, evaluation);
        let share = if first + second == 0.0 { 0.0 } else { (first - second) / (first + second) };
        match seat {
            Seat::First => share,
            Seat::Second => -share,
        }
    }
}
