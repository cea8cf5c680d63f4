//! Phantom tic-tac-toe: three in a row, without seeing what the opponent does.
//!
//! # Rules
//!
//! Two players put stones in turn on the cells of a board of 3 x 3 until somebody has three of their own in
//! a row, a column or a diagonal, and wins, or the board is full, which is a draw. Neither sees the board.
//! A player who is to move tells a referee an **order of preference** of the nine cells, and the referee
//! puts the stone on the first of them that is free, without saying where that was (Cauwet & Teytaud
//! 2018, section III-A).
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
//! | both players, at any time | how many stones each has put |
//!
//! Stones are put in turn, so the number of the opponent's follows from one's own and from who began.
//!
//! # Known values
//!
//! Between two players who put their stones on free cells at random, the first wins with probability
//! .584921, the second with .288095, and .126984 are draws. Against such a player the best first order
//! scores .920573 and the best doubled player, who has an order for each seat, .783567 (independent
//! prototype, exact). If both keep to an order for all their stones, drawn from an optimal mixture, the first scores
//! .771358 (ours, by double oracle, with a gap below 1e-10).
//!
//! # Versions
//!
//! 1: as above.

mod board;
mod drawing;
mod retell;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, BySeat, Game, Imagine, Payoff, Rule, RulesError, SampleAction, Seat, Turn,
    shuffle,
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

/// Whether a set of cells contains a line, by set: one look instead of eight comparisons.
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

/// An order of preference of the nine cells, packed: four bits for each cell, the first in the lowest.
///
/// This is any sequence of nine small numbers; [`check`](Game::check) refuses those that are not an order
/// of the cells. A number above 15 is kept as 15.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; NUM_CELLS]", into = "[u8; NUM_CELLS]")]
pub struct CellOrder {
    packed: u64,
}

impl CellOrder {
    /// The cells, the one preferred most first.
    #[inline]
    pub fn cells(self) -> [u8; NUM_CELLS] {
        std::array::from_fn(|place| (self.packed >> (4 * place) & 15) as u8)
    }

    /// The order in which cell `cell` has place `places[cell]`, counted from 0.
    #[inline]
    pub fn from_places(places: [u8; NUM_CELLS]) -> CellOrder {
        let mut packed = 0;
        for (cell, place) in places.into_iter().enumerate() {
            packed |= (cell as u64) << (4 * (place & 15));
        }
        CellOrder { packed }
    }

    /// A uniformly random order.
    #[inline]
    pub fn random<R: Rng>(rng: &mut R) -> CellOrder {
        let mut cells = std::array::from_fn(|cell| cell as u8);
        shuffle(&mut cells, rng);
        CellOrder::from(cells)
    }

    /// The first of the cells in this order that is not in the set `taken`.
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
    /// The cells as they are numbered.
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
    /// The set with one more cell, which must be on the board.
    #[inline]
    #[must_use]
    pub fn with(self, cell: u8) -> CellSet {
        CellSet(self.0 | 1 << cell)
    }

    /// The cells of either set.
    #[inline]
    #[must_use]
    pub fn union(self, other: CellSet) -> CellSet {
        CellSet(self.0 | other.0)
    }

    /// Whether a cell is in the set.
    #[inline]
    pub fn contains(self, cell: u8) -> bool {
        self.0 >> cell & 1 == 1
    }

    /// The number of cells.
    #[inline]
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no cell in the set.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the set is the whole board.
    #[inline]
    pub fn is_full(self) -> bool {
        self.0 == ALL_CELLS
    }

    /// Whether three of the cells are in a row, a column or a diagonal.
    #[inline]
    pub fn has_line(self) -> bool {
        HAS_LINE[usize::from(self.0 & ALL_CELLS)]
    }

    /// The cells, in order of their numbers.
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
    /// The game before the first stone.
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
    /// Where each seat has its stones.
    pub fn stones(&self) -> BySeat<CellSet> {
        self.stones
    }

    /// What happens when `seat`, whose turn it is, gets its stone on a free cell.
    #[inline(always)]
    fn put(&mut self, seat: Seat, cell: u8) {
        let theirs = self.stones[seat.other()];
        let own = self.stones[seat].with(cell);
        self.stones[seat] = own;
        self.turn = if own.has_line() {
            Turn::Over(Payoff::won_by(seat))
        } else if own.union(theirs).is_full() {
            Turn::Over(Payoff::DRAW)
        } else {
            Turn::Act(seat.other())
        };
    }
}

/// What a seat sees of [`PhantomTicTacToe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhantomTicTacToeView {
    /// The stones this seat has put on the board.
    pub own_stones: u32,
}

/// Why an order of preference was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalCellOrder {
    /// A cell is missing.
    #[error("{found:?} is not an order of the cells 0 to 8, each of them once")]
    NotAnOrder {
        /// What was said.
        found: [u8; NUM_CELLS],
    },
    /// No seat is to move.
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

    fn check(
        &self,
        state: &PhantomTicTacToeState,
        action: &CellOrder,
    ) -> Result<(), IllegalCellOrder> {
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
    fn apply<R: Rng>(
        &self,
        state: &mut PhantomTicTacToeState,
        seat: Seat,
        action: &CellOrder,
        _rng: &mut R,
    ) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules");
        let taken = state.stones[seat].union(state.stones[seat.other()]);
        state.put(seat, action.first_free(taken));
    }
}

impl SampleAction for PhantomTicTacToe {
    fn sample_action<R: Rng>(
        &self,
        _view: &PhantomTicTacToeView,
        rng: &mut R,
        action: &mut CellOrder,
    ) {
        *action = CellOrder::random(rng);
    }
}

/// The most turns of a seat.
const MAX_TURNS: usize = NUM_CELLS.div_ceil(2);

/// What a seat knows in [`PhantomTicTacToe`]: the orders that it has told the referee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhantomTicTacToeKnowledge {
    orders: [CellOrder; MAX_TURNS],
    num_orders: usize,
}

/// A walk through the courses that a game can have taken, as far as a seat knows that has told these orders.
struct Courses<'a> {
    seat: Seat,
    orders: &'a [CellOrder],
}

impl Courses<'_> {
    /// Calls `visit` with the state at the end of each course that goes on from `state` up to the turn of the seat
    /// after all its orders, until it breaks.
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

    /// All courses are equally likely that the game can have taken: the stones of the opponent on any free cells,
    /// nobody with a line. This is exact for an opponent who draws every order at random, since all courses have
    /// the same numbers of free cells.
    ///
    /// There are 945 at most, 9 x 7 x 5 x 3 for the second seat before its last stone.
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
    fn rules(&self) -> Vec<Rule> {
        Vec::new()
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<PhantomTicTacToe, RulesError> {
        Rule::change(&mut [], changes)?;
        Ok(PhantomTicTacToe)
    }
}

#[cfg(test)]
mod tests;
