//! The actions of a unit, in their order, and their compatibility.

use ruse_games::Seat;

use super::orders::WAIT;
use super::size::{Array, BoardSize, SmallBoard};
use super::state::{Code, RtsState, Unit, index_of, mark};
use super::unit::{Affordable, UnitTable};

/// Returns the directions in which the neighbouring cell has a mark, as four bits: up, right, down and left, from the
/// lowest bit.
#[inline]
pub(super) fn with_mark(around: u32, mark: u8) -> usize {
    let bytes = (around >> mark.trailing_zeros()) & 0x0101_0101;
    // The product moves the lowest bit of byte i to bit 24 + i; no other two bits coincide.
    (bytes.wrapping_mul(0x0102_0408) >> 24) as usize & 15
}

/// The directions in each set, in increasing order, two bits each.
const DIRECTIONS: [u8; 16] = {
    let mut all = [0; 16];
    let mut set = 0;
    while set < 16 {
        let (mut direction, mut count) = (0, 0);
        while direction < 4 {
            if set >> direction & 1 == 1 {
                all[set] |= (direction as u8) << (2 * count);
                count += 1;
            }
            direction += 1;
        }
        set += 1;
    }
    all
};

/// Returns the `index`th direction, counted from 0, in a set of four bits.
#[inline]
pub(super) fn nth_direction(set: usize, index: u32) -> u8 {
    DIRECTIONS[set & 15] >> (2 * (index & 3)) & 3
}

/// The options of a unit. A set of directions is stored in four bits: up, right, down and left, from the lowest bit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options<'a> {
    /// Adjacent enemies, for a unit that attacks adjacent cells only.
    pub(super) enemies: usize,
    /// Whether the unit attacks from a distance, so that enemies have to be searched for.
    pub(super) shoots: bool,
    /// Adjacent mines, for a worker that carries nothing.
    pub(super) mines: usize,
    /// Adjacent bases of the same player, for a worker that carries something.
    pub(super) bases: usize,
    /// Adjacent cells without a wall or a unit.
    pub(super) free: usize,
    pub(super) moves: bool,
    pub(super) produces: &'a Affordable,
}

impl<S: BoardSize> RtsState<S> {
    #[inline]
    pub(super) fn options<'a>(&self, table: &'a UnitTable, unit: &Unit<S>) -> Options<'a> {
        let kind = unit.kind();
        let facts = table.facts(kind);
        let owner = unit.owner & 1;
        let around = self.around(unit.cell);
        let only_if = |condition: bool, set: usize| if condition { set } else { 0 };
        let free = !with_mark(around, mark::BLOCKED) & 15;
        let harvests = facts.harvest_time > 0;
        Options {
            enemies: only_if(facts.range == 1, with_mark(around, mark::UNIT << (1 - owner))),
            shoots: facts.range > 1,
            mines: only_if(harvests && unit.carried == 0, with_mark(around, mark::MINE)),
            bases: only_if(harvests && unit.carried > 0, with_mark(around, mark::BASE << owner)),
            free,
            moves: facts.move_time > 0,
            produces: table.affordable(kind, self.stock[usize::from(owner)]),
        }
    }

    /// Returns the enemies that a unit can shoot at, in the order of the list.
    #[inline]
    pub(super) fn targets(
        &self,
        table: &UnitTable,
        unit: &Unit<S>,
    ) -> impl Iterator<Item = &Unit<S>> {
        let (enemy, shooter) = ((unit.owner & 1) ^ 1, *unit);
        let range = u32::from(table.facts(unit.kind()).range);
        let in_reach = move |other: &&Unit<S>| {
            other.owner == enemy && shooter.distance_squared(other) <= range * range
        };
        self.units().iter().filter(in_reach)
    }

    /// Calls `add` with each action that a unit may choose, in this order: attacks, harvesting or returning,
    /// productions by kind, moves, waiting.
    #[inline]
    pub(super) fn generate(&self, table: &UnitTable, unit: usize, mut add: impl FnMut(Code, u16)) {
        let unit = self.units[unit];
        let options = self.options(table, &unit);
        if options.shoots {
            self.targets(table, &unit).for_each(|target| add(Code(Code::ATTACK), target.cell));
        }
        let mut each = |set: usize, code: &dyn Fn(u8) -> Code| {
            for index in 0..set.count_ones() {
                let direction = nth_direction(set, index);
                add(code(direction), self.neighbour(unit.cell, direction));
            }
        };
        each(options.enemies, &|_| Code(Code::ATTACK));
        each(options.mines, &|direction| Code::towards(Code::HARVEST, direction));
        each(options.bases, &|direction| Code::towards(Code::RETURN, direction));
        for kind in &options.produces.kinds[..usize::from(options.produces.num_kinds)] {
            each(options.free, &|direction| Code::producing(direction, *kind));
        }
        if options.moves {
            each(options.free, &|direction| Code::towards(Code::MOVE, direction));
        }
        add(Code(Code::WAIT), WAIT);
    }

    pub(super) fn is_generated(&self, table: &UnitTable, unit: usize, action: (Code, u16)) -> bool {
        let mut found = false;
        self.generate(table, unit, |code, target| found |= (code, target) == action);
        found
    }

    /// Returns whether the current assignments allow an action of one of a player's units.
    #[inline]
    pub(super) fn allows(&self, table: &UnitTable, by: usize, (code, target): (Code, u16)) -> bool {
        !code.takes_cell()
            || (self.marks_at(target.into()) & mark::RESERVED == 0
                && (code.verb() != Code::PRODUCE || {
                    let cost = u32::from(table.facts(code.produced()).cost);
                    self.bound[by & 1] + cost <= self.stock[by & 1]
                }))
    }
}

/// The places taken by current assignments and by the choices so far, and the stock that is left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage<S: BoardSize = SmallBoard> {
    /// The reserved places, and the places of the choices so far.
    places: S::PlaceBits,
    /// The stock that neither productions in progress nor the choices so far need.
    stock_left: u32,
}

impl<S: BoardSize> Default for Usage<S> {
    fn default() -> Usage<S> {
        Usage { places: S::PlaceBits::filled(0), stock_left: 0 }
    }
}

impl<S: BoardSize> Usage<S> {
    /// Resets the usage to the current assignments, without any choice.
    #[inline]
    pub(super) fn begin(&mut self, state: &RtsState<S>, seat: Seat) {
        let owner = index_of(seat);
        self.places = S::PlaceBits::filled(0);
        self.stock_left = state.stock[owner].saturating_sub(state.bound[owner]);
        for unit in 0..state.num_units().min(S::MAX_UNITS) {
            let record = &state.units[unit];
            if state.done_at[unit] != super::state::IDLE && record.code.takes_cell() {
                self.take_place(record.target);
            }
        }
    }

    #[inline]
    fn take_place(&mut self, place: u16) {
        let last = self.places.as_ref().len() - 1;
        self.places[usize::from(place >> 6).min(last)] |= 1 << (place & 63);
    }

    #[inline]
    pub(super) fn admits(&self, table: &UnitTable, (code, target): (Code, u16)) -> bool {
        if !code.takes_cell() {
            return true;
        }
        let is_taken = self.takes(target);
        let cost = match code.verb() {
            Code::PRODUCE => u32::from(table.facts(code.produced()).cost),
            _ => 0,
        };
        !is_taken && cost <= self.stock_left
    }

    #[inline]
    pub(super) fn takes(&self, place: u16) -> bool {
        let last = self.places.as_ref().len() - 1;
        self.places[usize::from(place >> 6).min(last)] >> (place & 63) & 1 == 1
    }

    #[inline]
    pub(super) fn stock_left(&self) -> u32 {
        self.stock_left
    }

    /// Adds an admitted action.
    #[inline]
    pub(super) fn fix(&mut self, table: &UnitTable, (code, target): (Code, u16)) {
        if code.takes_cell() {
            self.take_place(target);
            if code.verb() == Code::PRODUCE {
                self.stock_left -= u32::from(table.facts(code.produced()).cost);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_are_numbered_from_up_clockwise() {
        assert_eq!(nth_direction(0b1111, 3), 3);
        assert_eq!(nth_direction(0b1010, 0), 1);
        assert_eq!(nth_direction(0b1010, 1), 3);
        assert_eq!(nth_direction(0b0100, 0), 2);
        // Up and left are blocked, right is a mine, and down is free.
        let around =
            u32::from_le_bytes([mark::BLOCKED, mark::MINE | mark::BLOCKED, 0, mark::BLOCKED]);
        assert_eq!(with_mark(around, mark::BLOCKED), 0b1011);
        assert_eq!(with_mark(around, mark::MINE), 0b0010);
        for set in 0..16u32 {
            let around = u32::from_le_bytes([0, 1, 2, 3].map(|bit| (set >> bit & 1) as u8 * 255));
            for bit in 0..8 {
                assert_eq!(with_mark(around, 1 << bit), set as usize);
            }
        }
    }
}
