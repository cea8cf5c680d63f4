//! Phantom tic-tac-toe: three in a row, without seeing the opponent's stones.
//!
//! # Rules
//!
//! Two players put stones in turn on the cells of a 3 x 3 board. A player with three stones in a row, a column or a
//! diagonal wins; a full board is a draw. Neither player sees the board. The player to move tells a referee an **order
//! of preference** of the nine cells, and the referee puts the stone on the first free cell of the order, without
//! saying which one (Cauwet & Teytaud 2018, section III-A).
//!
//! Cells are numbered along the rows:
//!
//! ```text
//! 0 1 2
//! 3 4 5
//! 6 7 8
//! ```
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players, at any time | the number of stones of each player |
//!
//! Stones are put in turn, so the opponent's number follows from the player's own number and seat.
//!
//! # Known values
//!
//! Between two players that put their stones on free cells at random, the first wins with probability .584921, the
//! second wins with probability .288095, and the game is a draw with probability .126984. Against such a player the
//! best order for the first seat scores .920573, and the best pair of orders, one for each seat, scores .783567
//! (independent prototype, exact). If each player draws one order from an optimal mixture and uses it for all stones,
//! the first scores .771358 (our result, by double oracle, with a gap below 1e-10).
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod drawing;
mod reconstruct;

use std::fmt;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, BySeat, Game, Imagine, RulesError, SampleAction, Seat, Turn, shuffle,
};

/// The number of cells of the board.
pub const NUM_CELLS: usize = 9;

/// The cells of a full board, one bit each.
const ALL_CELLS: u16 = (1 << NUM_CELLS) - 1;

const LINES: [u16; 8] = [
    0b000_000_111,
    0b000_111_000,
    0b111_000_000,
    0b001_001_001,
    0b010_010_010,
    0b100_100_100,
    0b100_010_001,
    0b001_010_100,
];

/// Whether a set of cells contains a line, indexed by the bits of the set. One look-up replaces eight comparisons.
static HAS_LINE: [bool; 1 << NUM_CELLS] = {
    let mut has_line = [false; 1 << NUM_CELLS];
    let mut cells = 0;
    while cells < has_line.len() {
        let mut line = 0;
        while line < LINES.len() {
            has_line[cells] |= cells as u16 & LINES[line] == LINES[line];
            line += 1;
        }
        cells += 1;
    }
    has_line
};

/// An order of preference of the nine cells. Each cell takes four bits; the first cell takes the lowest bits.
///
/// Any sequence of nine small numbers is representable; [`check`](Game::check) refuses sequences that are not an order
/// of the cells. Numbers above 15 are stored as 15.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; NUM_CELLS]", into = "[u8; NUM_CELLS]")]
pub struct CellOrder {
    packed: u64,
}

impl CellOrder {
    /// Returns the cells, the most preferred first.
    #[inline]
    pub fn cells(self) -> [u8; NUM_CELLS] {
        std::array::from_fn(|place| (self.packed >> (4 * place) & 15) as u8)
    }

    /// Creates the order in which cell `cell` is at place `places[cell]`, counted from 0.
    #[inline]
    pub fn from_places(places: [u8; NUM_CELLS]) -> CellOrder {
        let mut packed = 0;
        for (cell, place) in places.into_iter().enumerate() {
            packed |= (cell as u64) << (4 * (place & 15));
        }
        CellOrder { packed }
    }

    /// Draws a uniformly random order.
    #[inline]
    pub fn random<R: Rng>(rng: &mut R) -> CellOrder {
        let mut cells = std::array::from_fn(|cell| cell as u8);
        shuffle(&mut cells, rng);
        CellOrder::from(cells)
    }

    /// Returns the first cell in this order that is not in the set `taken`.
    #[inline(always)]
    pub fn first_free(self, taken: CellSet) -> u8 {
        let mut rest = self.packed;
        while taken.0 >> (rest & 15) & 1 == 1 {
            rest >>= 4;
        }
        (rest & 15) as u8
    }

    fn is_order_of_all_cells(self) -> bool {
        self.cells().into_iter().fold(0, |cells, cell| cells | 1 << cell) == ALL_CELLS
    }
}

impl From<[u8; NUM_CELLS]> for CellOrder {
    #[inline]
    fn from(cells: [u8; NUM_CELLS]) -> CellOrder {
        let packed = (0..).step_by(4).zip(cells);
        CellOrder { packed: packed.fold(0, |sum, (at, cell)| sum | u64::from(cell.min(15)) << at) }
    }
}

impl From<CellOrder> for [u8; NUM_CELLS] {
    fn from(order: CellOrder) -> [u8; NUM_CELLS] {
        order.cells()
    }
}

impl Default for CellOrder {
    /// Returns the cells in the order of their numbers.
    fn default() -> CellOrder {
        CellOrder::from(std::array::from_fn(|cell| cell as u8))
    }
}

impl fmt::Debug for CellOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cells().fmt(f)
    }
}

/// A set of cells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct CellSet(u16);

impl CellSet {
    /// Returns the set with `cell` added. The cell must be on the board.
    #[inline]
    #[must_use]
    pub fn with(self, cell: u8) -> CellSet {
        CellSet(self.0 | 1 << cell)
    }

    /// Returns the cells that are in at least one of the sets.
    #[inline]
    #[must_use]
    pub fn union(self, other: CellSet) -> CellSet {
        CellSet(self.0 | other.0)
    }

    /// Returns whether a cell is in the set.
    #[inline]
    pub fn contains(self, cell: u8) -> bool {
        self.0 >> cell & 1 == 1
    }

    /// Returns the number of cells.
    #[inline]
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether the set is the whole board.
    #[inline]
    pub fn is_full(self) -> bool {
        self.0 == ALL_CELLS
    }

    /// Returns whether the set contains a row, a column or a diagonal.
    #[inline]
    pub fn has_line(self) -> bool {
        HAS_LINE[usize::from(self.0 & ALL_CELLS)]
    }

    /// Returns the cells, in order of their numbers.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        (0..NUM_CELLS as u8).filter(move |&cell| self.contains(cell))
    }
}

impl fmt::Debug for CellSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// A cell that is not on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("there is no cell {0}, cells are numbered from 0 to 8")]
pub struct NoSuchCell(u8);

impl TryFrom<Vec<u8>> for CellSet {
    type Error = NoSuchCell;

    fn try_from(cells: Vec<u8>) -> Result<CellSet, NoSuchCell> {
        cells.into_iter().try_fold(CellSet::default(), |set, cell| {
            if usize::from(cell) < NUM_CELLS { Ok(set.with(cell)) } else { Err(NoSuchCell(cell)) }
        })
    }
}

impl From<CellSet> for Vec<u8> {
    fn from(set: CellSet) -> Vec<u8> {
        set.iter().collect()
    }
}

/// The game of phantom tic-tac-toe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhantomTicTacToe;

impl PhantomTicTacToe {
    /// Returns the game before the first stone.
    pub fn start(&self) -> PhantomTicTacToeState {
        PhantomTicTacToeState { stones: BySeat::default(), turn: Turn::Act(Seat::First) }
    }
}

/// A game of [`PhantomTicTacToe`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhantomTicTacToeState {
    stones: BySeat<CellSet>,
    turn: Turn,
}

impl PhantomTicTacToeState {
    /// Returns the stones of each seat.
    pub fn stones(&self) -> BySeat<CellSet> {
        self.stones
    }

    /// Puts a stone of `seat`, whose turn it must be, on a free cell.
    #[inline(always)]
    fn put(&mut self, seat: Seat, cell: u8) {
        let theirs = self.stones[seat.other()];
        let own = self.stones[seat].with(cell);
        self.stones[seat] = own;
        self.turn = Turn::after(seat, own.has_line(), own.union(theirs).is_full());
    }
}

/// The view of a seat in [`PhantomTicTacToe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhantomTicTacToeView {
    /// The number of stones this seat has put on the board.
    pub own_stones: u32,
}

/// The reason why an order of preference was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalCellOrder {
    /// The numbers are not a permutation of the cells.
    #[error("{found:?} is not an order of the cells 0 to 8, each of them once")]
    NotAnOrder {
        /// The sequence that was given.
        found: [u8; NUM_CELLS],
    },
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Game for PhantomTicTacToe {
    type State = PhantomTicTacToeState;
    type Action = CellOrder;
    type View<'a> = PhantomTicTacToeView;
    type Illegal = IllegalCellOrder;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> PhantomTicTacToeState {
        self.start()
    }

    #[inline]
    fn turn(&self, state: &PhantomTicTacToeState) -> Turn {
        state.turn
    }

    #[inline]
    fn view(&self, state: &PhantomTicTacToeState, seat: Seat) -> PhantomTicTacToeView {
        PhantomTicTacToeView { own_stones: state.stones[seat].len() }
    }

    fn check(&self, state: &Self::State, action: &CellOrder) -> Result<(), Self::Illegal> {
        if let Turn::Over(_) = state.turn {
            return Err(IllegalCellOrder::GameOver);
        }
        if action.is_order_of_all_cells() {
            Ok(())
        } else {
            Err(IllegalCellOrder::NotAnOrder { found: action.cells() })
        }
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut Self::State, seat: Seat, action: &CellOrder, _: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules");
        let taken = state.stones[seat].union(state.stones[seat.other()]);
        state.put(seat, action.first_free(taken));
    }
}

impl SampleAction for PhantomTicTacToe {
    fn sample_action<R: Rng>(&self, _: &PhantomTicTacToeView, rng: &mut R, action: &mut CellOrder) {
        *action = CellOrder::random(rng);
    }
}

/// The largest number of turns of a seat.
const MAX_TURNS: usize = NUM_CELLS.div_ceil(2);

/// The knowledge of a seat in [`PhantomTicTacToe`]: the orders that it has told the referee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhantomTicTacToeKnowledge {
    orders: [CellOrder; MAX_TURNS],
    num_orders: usize,
}

/// The possible courses of the game, given the orders of one seat.
struct Courses<'a> {
    seat: Seat,
    orders: &'a [CellOrder],
}

impl Courses<'_> {
    /// Follows each course from `state` to the seat's turn after its last known order, and calls `visit` with the state
    /// at this turn. Stops when `visit` breaks.
    fn visit(
        &self,
        state: &PhantomTicTacToeState,
        visit: &mut impl FnMut(&PhantomTicTacToeState) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Turn::Act(mover) = state.turn else { return ControlFlow::Continue(()) };
        let taken = state.stones.first.union(state.stones.second);
        let mut go_on_from = |cell| {
            let mut next = state.clone();
            next.put(mover, cell);
            self.visit(&next, visit)
        };
        if mover != self.seat {
            return (0..NUM_CELLS as u8)
                .filter(|&cell| !taken.contains(cell))
                .try_for_each(go_on_from);
        }
        match self.orders.get(state.stones[mover].len() as usize) {
            Some(order) => go_on_from(order.first_free(taken)),
            None => visit(state),
        }
    }
}

impl Imagine for PhantomTicTacToe {
    type Knowledge = PhantomTicTacToeKnowledge;

    fn learn(
        &self,
        knowledge: &mut PhantomTicTacToeKnowledge,
        _seat: Seat,
        _view: &PhantomTicTacToeView,
        action: &CellOrder,
    ) {
        knowledge.orders[knowledge.num_orders] = *action;
        knowledge.num_orders += 1;
    }

    /// Draws uniformly from the possible courses: the opponent puts its stones on any free cells, and neither seat has
    /// a line. This is exact for an opponent that draws each order at random, since all courses have the same number of
    /// free cells at each turn.
    ///
    /// There are at most 945 courses: 9 x 7 x 5 x 3, for the second seat before its last stone.
    fn imagine<R: Rng>(
        &self,
        knowledge: &PhantomTicTacToeKnowledge,
        seat: Seat,
        view: &PhantomTicTacToeView,
        rng: &mut R,
    ) -> PhantomTicTacToeState {
        let orders = &knowledge.orders[..knowledge.num_orders];
        assert_eq!(orders.len(), view.own_stones as usize, "one order is known for each stone");
        let (courses, start) = (Courses { seat, orders }, self.start());
        let mut num_courses = 0;
        let _ = courses.visit(&start, &mut |_| {
            num_courses += 1;
            ControlFlow::Continue(())
        });
        assert!(num_courses > 0, "no game goes on after {orders:?}");
        let mut left = rng.random_range(0..num_courses);
        let mut drawn = start.clone();
        let _ = courses.visit(&start, &mut |state| {
            if left > 0 {
                left -= 1;
                return ControlFlow::Continue(());
            }
            drawn = state.clone();
            ControlFlow::Break(())
        });
        drawn
    }

    fn view_key(&self, view: &PhantomTicTacToeView) -> u64 {
        key_of([view.own_stones.into()])
    }
}

impl AdjustableRules for PhantomTicTacToe {
    fn with_values(&self, _: &[u64]) -> Result<PhantomTicTacToe, RulesError> {
        Ok(PhantomTicTacToe)
    }
}

#[cfg(test)]
mod tests;
