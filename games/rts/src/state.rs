//! A game in progress, stored in flat arrays.
//!
//! A border of walls gives each cell four neighbours at fixed offsets in the array, so no code has to test whether a
//! cell is on the board. The end of one row and the start of the next share a border.

use std::fmt;

use ruse_games::{BySeat, Payoff, Seat, Turn};

use super::map::Map;
use super::orders::{Cell, Direction, UnitAction};
use super::size::{Array, BoardSize, Narrow, SmallBoard};
use super::unit::{UnitKind, UnitTable};

/// The completion time of idle units, which is later than all other completion times.
pub(super) const IDLE: i16 = i16::MAX;

/// Bits that describe the contents of a cell.
pub(super) mod mark {
    /// A unit of the first player; the next higher bit marks a unit of the second player.
    pub(crate) const UNIT: u8 = 1;
    /// A mine.
    pub(crate) const MINE: u8 = 1 << 2;
    /// A base of the first player; the next higher bit marks a base of the second player.
    pub(crate) const BASE: u8 = 1 << 3;
    /// A unit, a mine, a wall or the border.
    pub(crate) const BLOCKED: u8 = 1 << 5;
    /// A unit is moving to the cell or producing on it.
    pub(crate) const RESERVED: u8 = 1 << 6;
    /// A wall or the border.
    pub(crate) const WALL: u8 = 1 << 7;
}

/// The owner of a mine.
pub(super) const NOBODY: u8 = 2;

#[inline]
pub(super) fn index_of(seat: Seat) -> usize {
    match seat {
        Seat::First => 0,
        Seat::Second => 1,
    }
}

/// An action of a unit, without its target: the verb in the lowest three bits, then the direction in two bits, then the
/// kind of unit to produce in three bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Code(pub(super) u8);

impl Code {
    pub(super) const WAIT: u8 = 0;
    pub(super) const MOVE: u8 = 1;
    pub(super) const HARVEST: u8 = 2;
    pub(super) const RETURN: u8 = 3;
    pub(super) const PRODUCE: u8 = 4;
    pub(super) const ATTACK: u8 = 5;

    #[inline]
    pub(super) const fn towards(verb: u8, direction: u8) -> Code {
        Code(verb | direction << 3)
    }

    #[inline]
    pub(super) const fn producing(direction: u8, kind: UnitKind) -> Code {
        Code(Code::PRODUCE | direction << 3 | (kind as u8) << 5)
    }

    #[inline]
    pub(super) const fn verb(self) -> u8 {
        self.0 & 7
    }

    #[inline]
    pub(super) const fn direction(self) -> u8 {
        self.0 >> 3 & 3
    }

    #[inline]
    pub(super) const fn produced(self) -> UnitKind {
        UnitKind::of_index(self.0 >> 5)
    }

    /// Returns whether the action reserves a cell: the target of a move or of a production.
    #[inline]
    pub(super) const fn takes_cell(self) -> bool {
        (1 << Code::MOVE | 1 << Code::PRODUCE) >> self.verb() & 1 == 1
    }
}

/// A unit. Its action is valid while the unit is busy, and while a recorded order of the first player waits for the
/// second player.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Unit<S: BoardSize> {
    /// The unit's number in the order of assignment; 0 if it has none.
    pub(super) seq: u32,
    /// The place that the unit stands on.
    pub(super) cell: u16,
    /// The place that the action targets or, for waiting, the duration in cycles.
    pub(super) target: u16,
    /// A number that is unique among all units of the game so far.
    pub(super) id: u16,
    pub(super) kind: u8,
    /// The owner: 0, 1 or [`NOBODY`].
    pub(super) owner: u8,
    pub(super) carried: u8,
    pub(super) hp: u8,
    pub(super) code: Code,
    /// The column in the lower half of the bits, the row in the upper half.
    pub(super) xy: S::Narrow,
}

/// Returns the coordinates of a cell as one number.
#[inline]
pub(super) fn packed<N: Narrow>(cell: Cell) -> N {
    N::of(usize::from(cell.x) | usize::from(cell.y) << N::SIDE_BITS)
}

impl<S: BoardSize> Unit<S> {
    /// Returns the column and the row.
    #[inline]
    fn coordinates(&self) -> [usize; 2] {
        let (xy, bits) = (self.xy.get(), S::Narrow::SIDE_BITS);
        [xy & ((1 << bits) - 1), xy >> bits]
    }

    #[inline]
    pub(super) fn kind(&self) -> UnitKind {
        UnitKind::of_index(self.kind)
    }

    #[inline]
    pub(super) fn seat(&self) -> Option<Seat> {
        match self.owner {
            0 => Some(Seat::First),
            1 => Some(Seat::Second),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn place(&self) -> Cell {
        let [x, y] = self.coordinates();
        Cell::new(x as u8, y as u8)
    }

    #[inline]
    pub(super) fn distance_squared(&self, other: &Unit<S>) -> u32 {
        let ([x, y], [other_x, other_y]) = (self.coordinates(), other.coordinates());
        let (dx, dy) = (x as i32 - other_x as i32, y as i32 - other_y as i32);
        (dx * dx + dy * dy) as u32
    }

    #[inline]
    pub(super) fn marks(&self) -> u8 {
        let owner = self.owner & 1;
        mark::BLOCKED
            | match self.owner {
                NOBODY => mark::MINE,
                _ if self.kind == UnitKind::Base as u8 => (mark::UNIT | mark::BASE) << owner,
                _ => mark::UNIT << owner,
            }
    }
}

/// A set of units, by their index in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnitSet<S: BoardSize>(S::CellBits);

impl<S: BoardSize> Default for UnitSet<S> {
    #[inline]
    fn default() -> UnitSet<S> {
        UnitSet(S::CellBits::filled(0))
    }
}

impl<S: BoardSize> UnitSet<S> {
    const NUM_WORDS: usize = S::MAX_UNITS / 64;

    #[inline]
    pub(super) fn insert(&mut self, unit: usize) {
        self.0[unit >> 6 & (Self::NUM_WORDS - 1)] |= 1 << (unit & 63);
    }

    #[inline]
    pub(super) fn remove(&mut self, unit: usize) {
        self.0[unit >> 6 & (Self::NUM_WORDS - 1)] &= !(1 << (unit & 63));
    }

    #[inline]
    pub(super) fn contains(&self, unit: usize) -> bool {
        self.word(unit >> 6) >> (unit & 63) & 1 == 1
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        *self == UnitSet::default()
    }

    /// Returns the 64 bits of the set that start at unit `64 * index`.
    #[inline]
    pub(super) fn word(&self, index: usize) -> u64 {
        self.0[index & (Self::NUM_WORDS - 1)]
    }

    /// Returns the indices of the units, in increasing order.
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        (0..Self::NUM_WORDS).flat_map(move |index| {
            let mut word = self.word(index);
            std::iter::from_fn(move || {
                let unit = (word != 0).then(|| 64 * index + word.trailing_zeros() as usize);
                word &= word.wrapping_sub(1);
                unit
            })
        })
    }

    /// Removes the index `unit` from the list of units: each larger index decreases by one.
    fn close_gap(&mut self, unit: usize) {
        let first = unit >> 6;
        let below = (1u64 << (unit & 63)) - 1;
        let words = self.0.as_mut();
        for index in first..words.len() {
            let word = words[index];
            let next = words.get(index + 1).copied().unwrap_or(0);
            let moved = word >> 1 | next << 63;
            words[index] = if index == first { word & below | moved & !below } else { moved };
        }
    }
}

/// A game of [`Rts`](super::Rts) in progress.
pub struct RtsState<S: BoardSize = SmallBoard> {
    pub(super) width: u8,
    pub(super) height: u8,
    /// The number of places from a cell to its lower neighbour.
    pub(super) stride: u8,
    /// Whether orders of the first player wait for the orders of the second player.
    pub(super) first_chose: bool,
    pub(super) turn: Turn,
    pub(super) time: i16,
    /// The time at which either seat last gave orders, not counting the current orders; the current time if unknown.
    /// The rules do not depend on it, so it is not part of the position and is not saved.
    pub(super) ordered_at: i16,
    pub(super) num_units: u16,
    /// The number of the next new unit.
    pub(super) next_id: u16,
    /// The next number in the order of assignment.
    pub(super) next_seq: u32,
    pub(super) num_conflicts: u32,
    pub(super) stock: [u32; 2],
    /// The part of the stock that is reserved for productions in progress.
    pub(super) bound: [u32; 2],
    /// The number of units of each player.
    pub(super) num_own: [u16; 2],
    pub(super) idle: [UnitSet<S>; 2],
    /// The time at which each unit completes its action.
    pub(super) done_at: S::PerUnit<i16>,
    pub(super) units: S::PerUnit<Unit<S>>,
    /// The contents of each place.
    pub(super) marks: S::PerPlace<u8>,
    /// The index of the unit on each place.
    pub(super) at: S::PerPlace<S::Narrow>,
}

/// `clone_from` does not copy the array entries beyond the last unit and beyond the board.
impl<S: BoardSize> Clone for RtsState<S> {
    #[inline]
    fn clone(&self) -> RtsState<S> {
        RtsState { turn: self.turn, ..*self }
    }

    #[inline]
    fn clone_from(&mut self, source: &RtsState<S>) {
        let num_units = source.num_units();
        let num_places = source.num_places();
        self.width = source.width;
        self.height = source.height;
        self.stride = source.stride;
        self.first_chose = source.first_chose;
        self.turn = source.turn;
        self.time = source.time;
        self.ordered_at = source.ordered_at;
        self.num_units = source.num_units;
        self.next_id = source.next_id;
        self.next_seq = source.next_seq;
        self.num_conflicts = source.num_conflicts;
        self.stock = source.stock;
        self.bound = source.bound;
        self.num_own = source.num_own;
        self.idle = source.idle;
        self.done_at[..num_units].copy_from_slice(&source.done_at[..num_units]);
        self.units[..num_units].copy_from_slice(&source.units[..num_units]);
        self.marks[..num_places].copy_from_slice(&source.marks[..num_places]);
        self.at[..num_places].copy_from_slice(&source.at[..num_places]);
    }
}

impl<S: BoardSize> PartialEq for RtsState<S> {
    fn eq(&self, other: &RtsState<S>) -> bool {
        let numbers = |state: &RtsState<S>| {
            let sizes = (state.width, state.height, state.num_units, state.next_id);
            let seats = (state.stock, state.bound, state.num_own, state.idle);
            (
                sizes,
                state.first_chose,
                state.turn,
                state.time,
                state.next_seq,
                state.num_conflicts,
                seats,
            )
        };
        numbers(self) == numbers(other)
            && self.units() == other.units()
            && self.done_at[..self.num_units()] == other.done_at[..self.num_units()]
            && self.marks[..self.num_places()] == other.marks[..self.num_places()]
    }
}

impl<S: BoardSize> fmt::Debug for RtsState<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = (0..self.num_units()).map(|unit| self.full_text(unit)).collect::<Vec<_>>();
        f.debug_struct("RtsState")
            .field("time", &self.time)
            .field("turn", &self.turn)
            .field("stock", &self.stock)
            .field("units", &units.join(";"))
            .finish_non_exhaustive()
    }
}

impl<S: BoardSize> RtsState<S> {
    pub(super) fn empty(width: u8, height: u8, walls: &[Cell], stock: [u32; 2]) -> RtsState<S> {
        let mut state = RtsState {
            width,
            height,
            stride: width + 1,
            first_chose: false,
            turn: Turn::Over(Payoff::DRAW),
            time: 0,
            ordered_at: 0,
            num_units: 0,
            next_id: 0,
            next_seq: 1,
            num_conflicts: 0,
            stock,
            bound: [0; 2],
            num_own: [0; 2],
            idle: [UnitSet::default(); 2],
            done_at: Array::filled(IDLE),
            units: Array::filled(Unit::default()),
            marks: Array::filled(mark::WALL | mark::BLOCKED),
            at: Array::filled(S::Narrow::default()),
        };
        for y in 0..height {
            for x in 0..width {
                let place = state.place_of(Cell::new(x, y));
                state.set_marks(place, 0);
            }
        }
        for &wall in walls {
            let place = state.place_of(wall);
            state.set_marks(place, mark::WALL | mark::BLOCKED);
        }
        state
    }

    pub(super) fn start(map: &Map, table: &UnitTable) -> RtsState<S> {
        let BySeat { first, second } = map.stock();
        let mut state = RtsState::empty(map.width(), map.height(), map.walls(), [first, second]);
        for unit in map.units() {
            let owner = unit.owner.map_or(NOBODY, |seat| index_of(seat) as u8);
            let place = state.place_of(unit.cell);
            let hp = unit.hp.unwrap_or(table.facts(unit.kind).hp);
            state.add(unit.kind, owner, place, (unit.carried, hp));
        }
        state.set_turn(false);
        state
    }

    #[inline]
    pub(super) fn num_units(&self) -> usize {
        usize::from(self.num_units).min(S::MAX_UNITS)
    }

    #[inline]
    pub(super) fn units(&self) -> &[Unit<S>] {
        &self.units[..self.num_units()]
    }

    /// Returns the number of places of the board, including its border.
    #[inline]
    pub(super) fn num_places(&self) -> usize {
        ((usize::from(self.height) + 2) * usize::from(self.stride)).min(S::NUM_PLACES)
    }

    /// Returns the place of a cell, which must be on the board.
    #[inline]
    pub(super) fn place_of(&self, cell: Cell) -> usize {
        (usize::from(cell.y) + 1) * usize::from(self.stride) + usize::from(cell.x)
    }

    /// Returns the cell at a place, which must be on the board.
    pub(super) fn cell_at(&self, place: u16) -> Cell {
        let stride = u16::from(self.stride);
        Cell::new((place % stride) as u8, (place / stride).wrapping_sub(1) as u8)
    }

    pub(super) fn is_on_board(&self, cell: Cell) -> bool {
        cell.x < self.width && cell.y < self.height
    }

    #[inline]
    pub(super) fn marks_at(&self, place: usize) -> u8 {
        self.marks[place & (S::NUM_PLACES - 1)]
    }

    #[inline]
    pub(super) fn set_marks(&mut self, place: usize, marks: u8) {
        self.marks[place & (S::NUM_PLACES - 1)] = marks;
    }

    /// Returns the index of the unit at a place, which must not be empty.
    #[inline]
    pub(super) fn unit_at(&self, place: usize) -> usize {
        self.at[place & (S::NUM_PLACES - 1)].get()
    }

    #[inline]
    pub(super) fn set_unit_at(&mut self, place: usize, unit: usize) {
        self.at[place & (S::NUM_PLACES - 1)] = S::Narrow::of(unit);
    }

    /// Returns whether a unit or a mine stands at a place.
    #[inline]
    pub(super) fn has_unit(&self, place: usize) -> bool {
        self.marks_at(place) & (mark::BLOCKED | mark::WALL) == mark::BLOCKED
    }

    /// Returns the place of the neighbour in a direction: 0 is up, and 1 to 3 follow clockwise.
    #[inline]
    pub(super) fn neighbour(&self, place: u16, direction: u8) -> u16 {
        let stride = i16::from(self.stride);
        let step = match direction & 3 {
            0 => -stride,
            1 => 1,
            2 => stride,
            _ => -1,
        };
        place.wrapping_add_signed(step)
    }

    /// Returns the contents of the four neighbours, one byte each, starting with up in the lowest byte.
    #[inline]
    pub(super) fn around(&self, place: u16) -> u32 {
        let (place, stride) = (usize::from(place), usize::from(self.stride));
        u32::from_le_bytes([
            self.marks_at(place.wrapping_sub(stride)),
            self.marks_at(place + 1),
            self.marks_at(place + stride),
            self.marks_at(place.wrapping_sub(1)),
        ])
    }

    /// Adds an idle unit at the end of the list.
    pub(super) fn add(&mut self, kind: UnitKind, owner: u8, place: usize, (carried, hp): (u8, u8)) {
        let unit = self.num_units();
        let cell = self.cell_at(place as u16);
        let added = Unit {
            cell: place as u16,
            id: self.next_id,
            kind: kind as u8,
            owner,
            carried,
            hp,
            xy: packed(cell),
            ..Unit::default()
        };
        self.next_id = self.next_id.wrapping_add(1);
        self.units[unit] = added;
        self.done_at[unit] = IDLE;
        self.set_marks(place, added.marks());
        self.set_unit_at(place, unit);
        self.num_units += 1;
        if owner < NOBODY {
            self.num_own[usize::from(owner & 1)] += 1;
            self.idle[usize::from(owner & 1)].insert(unit);
        }
    }

    /// Releases the cell and the resources that a busy unit has reserved.
    #[inline]
    pub(super) fn release(&mut self, table: &UnitTable, unit: &Unit<S>) {
        if unit.code.takes_cell() {
            let place = usize::from(unit.target);
            self.set_marks(place, self.marks_at(place) & !mark::RESERVED);
            if unit.code.verb() == Code::PRODUCE {
                let cost = u32::from(table.facts(unit.code.produced()).cost);
                self.bound[usize::from(unit.owner & 1)] -= cost;
            }
        }
    }

    /// Removes a unit from the board and from the list, together with its action.
    #[cold]
    pub(super) fn remove(&mut self, table: &UnitTable, unit: usize) {
        let removed = self.units[unit];
        if self.done_at[unit] != IDLE {
            self.release(table, &removed);
        }
        self.set_marks(usize::from(removed.cell), 0);
        let num_units = self.num_units();
        self.units.as_mut().copy_within(unit + 1..num_units, unit);
        self.done_at.as_mut().copy_within(unit + 1..num_units, unit);
        self.num_units -= 1;
        for index in unit..num_units - 1 {
            self.set_unit_at(usize::from(self.units[index].cell), index);
        }
        self.idle.iter_mut().for_each(|idle| idle.close_gap(unit));
        if removed.owner < NOBODY {
            self.num_own[usize::from(removed.owner & 1)] -= 1;
        }
    }

    #[inline]
    pub(super) fn idle_units(&self, seat: Seat) -> UnitSet<S> {
        self.idle[index_of(seat)]
    }

    /// Sets whose turn it is in a game that is not over.
    #[inline]
    pub(super) fn set_turn(&mut self, asks_every_cycle: bool) {
        let first_acts = !self.first_chose && (asks_every_cycle || !self.idle[0].is_empty());
        let nobody_acts = !asks_every_cycle && !self.is_anybody_idle();
        let first = first_acts || nobody_acts;
        self.turn = Turn::Act(if first { Seat::First } else { Seat::Second });
    }

    /// Returns the action of a busy unit, and the number of cycles until it is done.
    pub(super) fn doing(&self, unit: usize) -> Option<(UnitAction, u16)> {
        let left = (self.done_at[unit] != IDLE).then(|| self.done_at[unit] - self.time)?;
        Some((self.action_of(self.units[unit].code, self.units[unit].target), left as u16))
    }

    pub(super) fn action_of(&self, code: Code, target: u16) -> UnitAction {
        let direction = Direction::of_index(code.direction());
        match code.verb() {
            Code::MOVE => UnitAction::Move(direction),
            Code::HARVEST => UnitAction::Harvest(direction),
            Code::RETURN => UnitAction::Return(direction),
            Code::PRODUCE => UnitAction::Produce(direction, code.produced()),
            Code::ATTACK => UnitAction::Attack(self.cell_at(target)),
            _ => UnitAction::Wait(target),
        }
    }

    /// Returns the code and the target of `action` for a unit at `place`, or `None` for an attack on a cell outside the
    /// board.
    pub(super) fn coded(&self, place: u16, action: UnitAction) -> Option<(Code, u16)> {
        let towards = |verb, direction: Direction| {
            (Code::towards(verb, direction as u8), self.neighbour(place, direction as u8))
        };
        Some(match action {
            UnitAction::Wait(cycles) => (Code(Code::WAIT), cycles),
            UnitAction::Move(direction) => towards(Code::MOVE, direction),
            UnitAction::Harvest(direction) => towards(Code::HARVEST, direction),
            UnitAction::Return(direction) => towards(Code::RETURN, direction),
            UnitAction::Produce(direction, kind) => {
                let direction = direction as u8;
                (Code::producing(direction, kind), self.neighbour(place, direction))
            }
            UnitAction::Attack(cell) if self.is_on_board(cell) => {
                (Code(Code::ATTACK), self.place_of(cell) as u16)
            }
            UnitAction::Attack(_) => return None,
        })
    }

    /// Describes a unit on one line: its kind and owner, cell, resources, health, and action with the cycles left.
    pub(super) fn unit_text(&self, index: usize) -> String {
        let unit = &self.units[index];
        let owner = ["0", "1", "-"][usize::from(unit.owner)];
        let (letter, cell) = (unit.kind().letter(), unit.place());
        let text = format!("{letter}{owner} {cell} {} {}", unit.carried, unit.hp);
        match self.doing(index) {
            Some((action, left)) => format!("{text} {action} {left}"),
            None => text,
        }
    }

    /// Like [`unit_text`](RtsState::unit_text), but includes the recorded order of an idle unit.
    fn full_text(&self, index: usize) -> String {
        let unit = &self.units[index];
        let text = self.unit_text(index);
        match self.done_at[index] == IDLE && unit.seq > 0 {
            true => format!("{text} next {}", self.action_of(unit.code, unit.target)),
            false => text,
        }
    }
}
