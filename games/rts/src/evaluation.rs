//! The evaluation of positions.

use ruse_games::Seat;

use super::size::BoardSize;
use super::state::{NOBODY, RtsState};
use super::unit::UnitTable;

/// The rule for a unit's worth: a fraction of its cost that depends on its health.
///
/// The paper weights a unit by the square root of its health. The program of the paper has changed over time, so
/// results can be compared only if they use the same evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Evaluation {
    /// The square root of the remaining fraction of the health, as in the paper.
    #[default]
    Ratio,
    /// 1 for a unit with full health, 0 for a wounded unit: the rule of the paper's program since October 2016, because
    /// it divides the amounts of health as integers.
    Step,
    /// sqrt(remaining health) / full health: the rule of the paper's program until October 2016, and so probably of the
    /// paper's experiments. With this rule a base with full health counts 126.5 points; with `Ratio` it counts 400.
    Legacy,
}

/// The points for each resource in stock.
const STOCK_POINTS: f64 = 20.0;
/// The points for each carried resource.
const CARRIED_POINTS: f64 = 10.0;
/// The points of a unit for each resource of its cost.
const COST_POINTS: f64 = 40.0;

impl Evaluation {
    /// Returns the worth of a unit as a fraction of its cost.
    fn part(self, hp: u8, full: u8) -> f64 {
        let (hp, full) = (f64::from(hp), f64::from(full));
        match self {
            Evaluation::Ratio => (hp / full).sqrt(),
            Evaluation::Step => (hp / full).floor().sqrt(),
            Evaluation::Legacy => hp.sqrt() / full,
        }
    }
}

impl<S: BoardSize> RtsState<S> {
    /// Returns the points of both players: 20 for each resource in stock, 10 for each carried resource, and 40 times
    /// the cost of each unit, or less if the unit is wounded. A player without units has 0 points.
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

    /// Returns the evaluation for a seat, from -1 (the opponent has all points) to 1 (the seat has all points); 0 if
    /// neither player has points.
    pub(super) fn evaluate(&self, table: &UnitTable, evaluation: Evaluation, seat: Seat) -> f64 {
        let [first, second] = self.points(table, evaluation);
        let share = if first + second == 0.0 { 0.0 } else { (first - second) / (first + second) };
        match seat {
            Seat::First => share,
            Seat::Second => -share,
        }
    }
}
