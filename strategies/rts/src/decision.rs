//! The orders of one decision of a script, while they are chosen.

use ruse_rts::{BoardSize, Cell, Direction, Orders, RtsView, SeenUnit, UnitAction, UnitKind};

use super::path::{CellSet, PathFinder};
use super::surroundings::{best_side, cell_taken, direction_to, is_free, nearest};

pub(super) fn is_building(unit: &SeenUnit) -> bool {
    matches!(unit.kind, UnitKind::Base | UnitKind::Barracks)
}

/// The orders so far, with what they use, and the actions that units can be told to take.
pub(super) struct Decision<'a, 'b, S: BoardSize> {
    pub(super) view: &'a RtsView<'b, S>,
    pub(super) units: &'a [SeenUnit],
    pub(super) paths: &'a mut PathFinder,
    orders: &'a mut Orders,
    /// Cells that the orders occupy.
    taken: CellSet<S>,
    /// The resources in stock that are left for further orders.
    left: u32,
}

impl<'a, 'b, S: BoardSize> Decision<'a, 'b, S> {
    /// Begins a decision. `units` are all units in the view, and `orders` is empty.
    pub(super) fn new(
        view: &'a RtsView<'b, S>,
        units: &'a [SeenUnit],
        paths: &'a mut PathFinder,
        orders: &'a mut Orders,
    ) -> Self {
        let left = view.stock().saturating_sub(view.bound_stock());
        Decision { view, units, paths, orders, taken: CellSet::default(), left }
    }

    /// Returns the resources in stock that are left for further orders.
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    pub(super) fn cost(&self, kind: UnitKind) -> u32 {
        self.view.facts(kind).cost.into()
    }

    /// Gives an order if it is compatible with the earlier orders. Returns whether it is.
    pub(super) fn tell(&mut self, unit: &SeenUnit, action: UnitAction) -> bool {
        let cell = cell_taken(unit.cell, action);
        let cost = if let UnitAction::Produce(_, kind) = action { self.cost(kind) } else { 0 };
        let is_open =
            cell.is_none_or(|cell| self.view.is_empty(cell) && !self.taken.contains(cell));
        let fits = is_open && cost <= self.left && self.view.allows(unit.cell, action);
        if fits {
            self.left -= cost;
            if let Some(cell) = cell {
                self.taken.insert(cell);
            }
            self.orders.push(unit.cell, action);
        }
        fits
    }

    pub(super) fn is_own(&self, unit: &SeenUnit) -> bool {
        unit.owner == Some(self.view.seat())
    }

    pub(super) fn is_enemy(&self, unit: &SeenUnit) -> bool {
        unit.owner == Some(self.view.seat().other())
    }

    /// Returns whether a unit can move to a cell, or be produced there.
    pub(super) fn is_open(&self, cell: Cell) -> bool {
        is_free(self.view, cell) && !self.taken.contains(cell)
    }

    /// Counts the seat's units of a kind, including units in production.
    pub(super) fn count(&self, kind: UnitKind) -> usize {
        let own = self.units.iter().filter(|unit| self.is_own(unit));
        let number = |unit: &SeenUnit| {
            let produces =
                matches!(unit.doing, Some((UnitAction::Produce(_, made), _)) if made == kind);
            usize::from(unit.kind == kind) + usize::from(produces)
        };
        own.map(number).sum()
    }

    /// Counts the units of a kind that are ordered in this decision.
    pub(super) fn num_ordered(&self, kind: UnitKind) -> usize {
        let is_kind = |action| matches!(action, UnitAction::Produce(_, made) if made == kind);
        self.orders.orders.iter().filter(|order| is_kind(order.action)).count()
    }

    /// Returns the best side of a worker for a building, and how good it is: a base belongs near a mine, and barracks
    /// out of the way.
    pub(super) fn site(&self, worker: &SeenUnit, kind: UnitKind) -> Option<(i64, Direction)> {
        let sides = Direction::ALL.into_iter().filter_map(|direction| {
            let cell = worker.cell.neighbour(direction).filter(|&cell| self.is_open(cell))?;
            let steps = |found: Option<SeenUnit>| {
                found.map_or(0, |unit| i64::from(unit.cell.steps_to(cell)))
            };
            let to_mine = steps(nearest(self.units, cell, |u| u.kind == UnitKind::Mine));
            let to_building =
                steps(nearest(self.units, cell, |u| self.is_own(u) && is_building(u)));
            // A base two steps from the mine is best: a worker between them need not move.
            let worth = match kind {
                UnitKind::Base => -(to_mine - 2).abs(),
                _ => to_mine.min(to_building).min(3),
            };
            Some((worth, direction))
        });
        sides.max_by_key(|(worth, _)| *worth)
    }

    /// Orders a building to train a unit. Returns whether it can.
    pub(super) fn train(&mut self, building: &SeenUnit, kind: UnitKind) -> bool {
        let side = best_side(self.units, self.view, building.cell, kind);
        side.is_some_and(|side| self.tell(building, UnitAction::Produce(side, kind)))
    }

    /// Returns an attack on an enemy within range: preferably one that this hit destroys, then one that can fight, then
    /// the enemy with the least health.
    pub(super) fn at_once(&self, unit: &SeenUnit) -> Option<UnitAction> {
        let facts = self.view.facts(unit.kind);
        let range = u32::from(facts.range);
        let in_range = |other: &&SeenUnit| {
            self.is_enemy(other) && other.cell.distance_squared(unit.cell) <= range * range
        };
        let urgency = |other: &&SeenUnit| {
            let is_dangerous = self.view.facts(other.kind).damage > 0;
            (other.hp > facts.damage, !is_dangerous, other.hp)
        };
        let target = self.units.iter().filter(in_range).min_by_key(urgency);
        target.filter(|_| facts.damage > 0).map(|target| UnitAction::Attack(target.cell))
    }

    /// Returns the first step of a unit towards a cell, up to a distance of `range`.
    pub(super) fn step(&mut self, unit: &SeenUnit, goal: Cell, range: u32) -> Option<Direction> {
        let (view, taken) = (self.view, &self.taken);
        let is_open = |cell| is_free(view, cell) && !taken.contains(cell);
        self.paths.first_step::<S>(unit.cell, goal, range, is_open)
    }

    /// Returns the mine where a worker harvests or, if it carries something, the base to which it goes.
    pub(super) fn harvest_goal(&self, worker: &SeenUnit) -> Option<SeenUnit> {
        nearest(self.units, worker.cell, |unit| match worker.carried > 0 {
            true => self.is_own(unit) && unit.kind == UnitKind::Base,
            false => unit.kind == UnitKind::Mine,
        })
    }

    /// Returns the next action of a worker that harvests; `None` if there is no goal, or no path to it.
    pub(super) fn harvest(&mut self, worker: &SeenUnit) -> Option<UnitAction> {
        let goal = self.harvest_goal(worker)?;
        match direction_to(worker.cell, goal.cell) {
            Some(direction) if worker.carried > 0 => Some(UnitAction::Return(direction)),
            Some(direction) => Some(UnitAction::Harvest(direction)),
            None => self.step(worker, goal.cell, 1).map(UnitAction::Move),
        }
    }
}
