//! The view of a seat: everything or, with fog, the area near its own units.

use std::fmt;

use ruse_games::{Seat, Turn};

use super::legal::Usage;
use super::orders::{Cell, Orders, UnitAction};
use super::size::{BoardSize, SmallBoard};
use super::state::{IDLE, RtsState, UnitSet, index_of, mark};
use super::unit::{Facts, UnitKind, UnitTable};

/// The view of a seat in [`Rts`](super::Rts): the board, without the other seat's orders in the same cycle.
#[derive(Clone, Copy)]
pub struct RtsView<'a, S: BoardSize = SmallBoard> {
    pub(super) state: &'a RtsState<S>,
    pub(super) table: &'static UnitTable,
    pub(super) seat: Seat,
    pub(super) cap: u16,
    /// The visible units; `None` without fog, because all units are visible then.
    pub(super) seen: Option<UnitSet<S>>,
}

/// A visible unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeenUnit {
    /// The number of the unit. It never changes, and no other unit in the game has it.
    pub id: u16,
    /// The kind of the unit.
    pub kind: UnitKind,
    /// The owner; `None` for a mine.
    pub owner: Option<Seat>,
    /// The cell that the unit stands on.
    pub cell: Cell,
    /// The resources that the unit carries or, if it is a mine, contains.
    pub carried: u8,
    /// The health of the unit.
    pub hp: u8,
    /// The action of the unit and the remaining number of cycles; `None` if the unit is idle, or a mine.
    pub doing: Option<(UnitAction, u16)>,
}

/// Returns the units that a seat sees under fog: its own units, and the units within their sight.
pub(super) fn seen_by<S: BoardSize>(
    state: &RtsState<S>,
    table: &UnitTable,
    seat: Seat,
) -> UnitSet<S> {
    let owner = index_of(seat) as u8;
    let mut seen = UnitSet::default();
    for (index, unit) in state.units().iter().enumerate() {
        let is_near = || {
            state.units().iter().any(|own| {
                let sight = u32::from(table.facts(own.kind()).sight);
                own.owner == owner && own.distance_squared(unit) <= sight * sight
            })
        };
        if unit.owner == owner || is_near() {
            seen.insert(index);
        }
    }
    seen
}

impl<'a, S: BoardSize> RtsView<'a, S> {
    /// Returns the seat that has this view.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the number of cycles since the start.
    pub fn time(&self) -> u32 {
        self.state.time as u32
    }

    /// Returns the number of cycles after which the game is a draw.
    pub fn cap(&self) -> u16 {
        self.cap
    }

    /// Returns the number of columns of the board.
    pub fn width(&self) -> u8 {
        self.state.width
    }

    /// Returns the number of rows of the board.
    pub fn height(&self) -> u8 {
        self.state.height
    }

    /// Returns the costs and abilities of a kind.
    pub fn facts(&self, kind: UnitKind) -> &'static Facts {
        self.table.facts(kind)
    }

    /// Returns the seat's own resources, including the costs of productions in progress.
    pub fn stock(&self) -> u32 {
        self.state.stock[index_of(self.seat)]
    }

    /// Returns the part of the seat's own resources that is reserved for productions in progress.
    pub fn bound_stock(&self) -> u32 {
        self.state.bound[index_of(self.seat)]
    }

    /// Returns the resources of the other seat; `None` under fog.
    pub fn other_stock(&self) -> Option<u32> {
        self.seen.is_none().then(|| self.state.stock[index_of(self.seat.other())])
    }

    /// Returns whether things far from the seat's own units are hidden.
    pub fn has_fog(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns the visible units, in the game's order of units.
    pub fn units(&self) -> impl Iterator<Item = SeenUnit> + use<'a, S> {
        let view = *self;
        (0..view.state.num_units())
            .filter(move |&unit| view.sees(unit))
            .map(move |unit| view.unit(unit))
    }

    /// Returns the seat's own units that wait for orders, in the game's order of units.
    pub fn idle_units(&self) -> impl Iterator<Item = SeenUnit> + use<'a, S> {
        let view = *self;
        view.state.idle_units(view.seat).iter().map(move |unit| view.unit(unit))
    }

    /// Returns the actions of the seat's own idle unit on a cell, in the order in which the game lists them; empty if
    /// there is no such unit.
    pub fn actions(&self, cell: Cell) -> Vec<UnitAction> {
        let mut actions = Vec::new();
        if let Some(unit) = self.own_idle(cell) {
            self.state.generate(self.table, unit, |code, target| {
                actions.push(self.state.action_of(code, target));
            });
        }
        actions
    }

    /// Returns all joint orders, or `None` if there are more than `most`. Units are in the game's order; a unit without
    /// an order waits.
    pub(super) fn all_orders(&self, most: usize) -> Option<Vec<Orders>> {
        let mut usage = Usage::default();
        usage.begin(self.state, self.seat);
        let mut all = vec![(Orders::default(), usage)];
        for unit in self.state.idle_units(self.seat).iter() {
            let mut longer = Vec::new();
            for (orders, usage) in &all {
                self.state.generate(self.table, unit, |code, target| {
                    if longer.len() <= most && usage.admits(self.table, (code, target)) {
                        let (mut orders, mut usage) = (orders.clone(), usage.clone());
                        let action = self.state.action_of(code, target);
                        orders.push(self.state.units[unit].place(), action);
                        usage.fix(self.table, (code, target));
                        longer.push((orders, usage));
                    }
                });
            }
            if longer.len() > most {
                return None;
            }
            all = longer;
        }
        Some(all.into_iter().map(|(orders, _)| orders).collect())
    }

    /// Returns whether the current assignments allow an action of the seat's own unit: the cell is not reserved, and
    /// enough resources are left. Does not check for obstacles.
    pub fn allows(&self, unit: Cell, action: UnitAction) -> bool {
        if !self.state.is_on_board(unit) {
            return false;
        }
        let coded = self.state.coded(self.state.place_of(unit) as u16, action);
        coded.is_some_and(|coded| self.state.allows(self.table, index_of(self.seat), coded))
    }

    /// Returns the visible unit on a cell.
    pub fn unit_at(&self, cell: Cell) -> Option<SeenUnit> {
        let place = self.place(cell)?;
        let unit = self.state.has_unit(place).then(|| self.state.unit_at(place))?;
        self.sees(unit).then(|| self.unit(unit))
    }

    /// Returns whether a cell is a wall, or outside the board.
    pub fn is_wall(&self, cell: Cell) -> bool {
        self.place(cell).is_none_or(|place| self.state.marks_at(place) & mark::WALL != 0)
    }

    /// Returns whether neither a wall nor a unit is visible on a cell.
    pub fn is_empty(&self, cell: Cell) -> bool {
        !self.is_wall(cell) && self.unit_at(cell).is_none()
    }

    /// Returns whether a visible unit is moving to a cell or is producing a unit there.
    pub fn is_reserved(&self, cell: Cell) -> bool {
        let Some(place) = self.place(cell) else { return false };
        if self.state.marks_at(place) & mark::RESERVED == 0 {
            return false;
        }
        self.seen.is_none_or(|seen| {
            seen.iter().any(|unit| {
                let record = &self.state.units[unit];
                self.state.done_at[unit] != IDLE
                    && record.code.takes_cell()
                    && usize::from(record.target) == place
            })
        })
    }

    fn place(&self, cell: Cell) -> Option<usize> {
        self.state.is_on_board(cell).then(|| self.state.place_of(cell))
    }

    pub(super) fn sees(&self, unit: usize) -> bool {
        self.seen.is_none_or(|seen| seen.contains(unit))
    }

    /// Returns the index of the seat's own idle unit on a cell.
    pub(super) fn own_idle(&self, cell: Cell) -> Option<usize> {
        let place = self.place(cell)?;
        let unit = self.state.has_unit(place).then(|| self.state.unit_at(place))?;
        self.state.idle_units(self.seat).contains(unit).then_some(unit)
    }

    fn unit(&self, unit: usize) -> SeenUnit {
        let record = &self.state.units[unit & (S::MAX_UNITS - 1)];
        SeenUnit {
            id: record.id,
            kind: record.kind(),
            owner: record.seat(),
            cell: record.place(),
            carried: record.carried,
            hp: record.hp,
            doing: self.state.doing(unit),
        }
    }

    /// Returns the turn. It shows whether the other seat has decided in this cycle or has nothing to decide. Without
    /// fog, the board shows this, too.
    fn turn(&self) -> Turn {
        self.state.turn
    }
}

impl<S: BoardSize> PartialEq for RtsView<'_, S> {
    fn eq(&self, other: &RtsView<'_, S>) -> bool {
        let numbers = |view: &RtsView<'_, S>| {
            let sizes = (view.seat, view.width(), view.height(), view.has_fog());
            (sizes, view.turn(), view.time(), view.stock(), view.bound_stock(), view.other_stock())
        };
        let (state, same) = (self.state, other.state);
        let walls = |state: &RtsState<S>, place: usize| state.marks_at(place) & mark::WALL;
        numbers(self) == numbers(other)
            && (0..state.num_places()).all(|place| walls(state, place) == walls(same, place))
            && self.units().eq(other.units())
    }
}

/// Writes the time, the stocks, and the units with their actions and the cycles left.
impl<S: BoardSize> fmt::Debug for RtsView<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = (0..self.state.num_units()).filter(|&unit| self.sees(unit));
        let units: Vec<_> = units.map(|unit| self.state.unit_text(unit)).collect();
        let other_stock = self.other_stock().map_or("?".into(), |stock| stock.to_string());
        write!(
            f,
            "RtsView {{ time: {}, stock: {}, other_stock: {other_stock}, units: {} }}",
            self.time(),
            self.stock(),
            units.join("; ")
        )
    }
}
