//! Phantom four in a row: stones fall into columns, and neither player sees the board.
//!
//! # Rules
//!
//! A board of 7 columns and 4 rows stands upright. Two players put stones in turn; a stone that is put into a column
//! falls to its lowest free cell. The first player with four stones in a row, horizontally, vertically or diagonally,
//! wins; a full board is a draw. Neither player sees the board. The player to move tells a referee an **order of
//! preference** of the seven columns, which may differ from stone to stone. The referee puts the stone into the first
//! column of the order that is not full, without saying which one (Cauwet & Teytaud 2018, section IV-B).
//!
//! Columns are numbered from 0, from the left. The number of `rows` can be changed.
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
//! If both players use random lists of orders, or random columns, the first wins with probability .531, the second wins
//! with probability .411, and the game is a draw with probability .058 (independent prototype). A player that knows the
//! opponent's list of orders wins from either seat, against each of 10 000 random lists (our result, by search).
//!
//! # Versions
//!
//! 1: the rules above.

mod board;

use std::fmt;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::column_board::{Columns, MAX_ROWS, NUM_COLUMNS, Stones};
use crate::imagine::key_of;
use crate::{AdjustableRules, Game, Imagine, Rule, RulesError, SampleAction, Seat, Turn};

/// An order of preference of the seven columns. Each column takes four bits; the first column takes the lowest bits.
///
/// Any sequence of seven small numbers is representable; [`check`](Game::check) refuses sequences that are not an order
/// of the columns. Numbers above 15 are stored as 15.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; NUM_COLUMNS]", into = "[u8; NUM_COLUMNS]")]
pub struct ColumnOrder {
    packed: u32,
}

impl ColumnOrder {
    /// Returns the columns, the most preferred first.
    #[inline]
    pub fn columns(self) -> [u8; NUM_COLUMNS] {
        std::array::from_fn(|place| (self.packed >> (4 * place) & 15) as u8)
    }

    /// Returns the order that a Fisher-Yates shuffle of 0, 1, ..., 6 yields. For each `n` from 7 down to 2, the shuffle
    /// swaps place `n` - 1 with place `below(n)`, which must be below `n`.
    #[inline]
    pub fn by_swaps(mut below: impl FnMut(u64) -> u64) -> ColumnOrder {
        let index = (2..=NUM_COLUMNS as u64).rev().fold(0, |index, n| index * n + below(n));
        ORDERS[index as usize]
    }

    /// Draws a uniformly random order.
    #[inline]
    pub fn random<R: Rng>(rng: &mut R) -> ColumnOrder {
        // This takes one multiplication and a table look-up. `shuffle` takes six multiplications, and six swaps
        // that each wait for the previous one.
        let index = (u128::from(rng.next_u64()) * NUM_ORDERS as u128) >> 64;
        ORDERS[index as usize]
    }

    fn is_order_of_all_columns(self) -> bool {
        let columns = self.columns().into_iter();
        columns.fold(0u32, |set, column| set | 1 << column) == (1 << NUM_COLUMNS) - 1
    }
}

/// The number of orders, 7 factorial.
const NUM_ORDERS: usize = 5040;

/// All orders. The digits of an order's index, in the bases 7, 6, ..., 2, are the places that yield it in
/// [`by_swaps`](ColumnOrder::by_swaps).
static ORDERS: [ColumnOrder; NUM_ORDERS] = {
    let mut orders = [ColumnOrder { packed: 0 }; NUM_ORDERS];
    let mut index = 0;
    while index < NUM_ORDERS {
        let mut places = [0; NUM_COLUMNS];
        let mut digits = index;
        let mut base = 2;
        while base <= NUM_COLUMNS {
            places[base - 1] = digits % base;
            digits /= base;
            base += 1;
        }
        let mut columns = [0, 1, 2, 3, 4, 5, 6];
        while base > 2 {
            base -= 1;
            columns.swap(base - 1, places[base - 1]);
        }
        let mut place = 0;
        while place < NUM_COLUMNS {
            orders[index].packed |= columns[place] << (4 * place);
            place += 1;
        }
        index += 1;
    }
    orders
};

impl From<[u8; NUM_COLUMNS]> for ColumnOrder {
    #[inline]
    fn from(columns: [u8; NUM_COLUMNS]) -> ColumnOrder {
        let packed = (0..).step_by(4).zip(columns);
        let packed = packed.fold(0, |sum, (at, column)| sum | u32::from(column.min(15)) << at);
        ColumnOrder { packed }
    }
}

impl From<ColumnOrder> for [u8; NUM_COLUMNS] {
    fn from(order: ColumnOrder) -> [u8; NUM_COLUMNS] {
        order.columns()
    }
}

impl Default for ColumnOrder {
    /// Returns the columns from left to right.
    #[inline]
    fn default() -> ColumnOrder {
        ColumnOrder::from(std::array::from_fn(|column| column as u8))
    }
}

impl fmt::Debug for ColumnOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.columns().fmt(f)
    }
}

/// The game of phantom four in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhantomFour {
    columns: Columns,
}

impl PhantomFour {
    /// Returns the game with 4 rows.
    pub const fn standard() -> PhantomFour {
        PhantomFour { columns: Columns::new(4) }
    }

    /// Returns the columns of the board.
    pub const fn columns(&self) -> Columns {
        self.columns
    }

    /// Returns the maximum number of stones of one seat.
    pub const fn max_own_stones(&self) -> u32 {
        self.columns.num_cells().div_ceil(2)
    }

    /// Returns the game before the first stone.
    pub fn start(&self) -> PhantomFourState {
        PhantomFourState { board: Stones::default(), num_stones: 0, turn: Turn::Act(Seat::First) }
    }

    /// Puts a stone of `seat`, whose turn it must be, on a free cell, given as a set of one cell.
    #[inline(always)]
    fn put(&self, state: &mut PhantomFourState, seat: Seat, cell: u64) {
        state.num_stones += 1;
        let is_won = state.board.put(seat, cell);
        state.turn = Turn::after(seat, is_won, state.num_stones == self.columns.num_cells());
    }
}

/// A game of [`PhantomFour`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhantomFourState {
    board: Stones,
    /// The number of stones on the board. It is stored because not all processors count bits in one instruction.
    num_stones: u32,
    turn: Turn,
}

impl PhantomFourState {
    /// Returns the stones on the board.
    pub fn board(&self) -> Stones {
        self.board
    }
}

/// The view of a seat in [`PhantomFour`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhantomFourView {
    /// The number of stones this seat has put.
    pub own_stones: u32,
}

/// The reason why an order of preference was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalColumnOrder {
    /// The numbers are not a permutation of the columns.
    #[error("{found:?} is not an order of the columns 0 to 6, each of them once")]
    NotAnOrder {
        /// The sequence that was given.
        found: [u8; NUM_COLUMNS],
    },
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Game for PhantomFour {
    type State = PhantomFourState;
    type Action = ColumnOrder;
    type View<'a> = PhantomFourView;
    type Illegal = IllegalColumnOrder;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> PhantomFourState {
        self.start()
    }

    #[inline]
    fn turn(&self, state: &PhantomFourState) -> Turn {
        state.turn
    }

    #[inline]
    fn view(&self, state: &PhantomFourState, seat: Seat) -> PhantomFourView {
        let own_stones = match seat {
            Seat::First => state.num_stones.div_ceil(2),
            Seat::Second => state.num_stones / 2,
        };
        PhantomFourView { own_stones }
    }

    fn check(&self, state: &Self::State, action: &ColumnOrder) -> Result<(), Self::Illegal> {
        if let Turn::Over(_) = state.turn {
            return Err(IllegalColumnOrder::GameOver);
        }
        if action.is_order_of_all_columns() {
            Ok(())
        } else {
            Err(IllegalColumnOrder::NotAnOrder { found: action.columns() })
        }
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut Self::State, seat: Seat, action: &ColumnOrder, _: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules");
        let occupied = state.board.occupied();
        let mut rest = action.packed;
        let mut cell = self.columns.landing(occupied, (rest & 7) as u8);
        while cell == 0 {
            rest >>= 4;
            cell = self.columns.landing(occupied, (rest & 7) as u8);
        }
        self.put(state, seat, cell);
    }
}

impl SampleAction for PhantomFour {
    fn sample_action<R: Rng>(&self, _: &PhantomFourView, rng: &mut R, action: &mut ColumnOrder) {
        *action = ColumnOrder::random(rng);
    }
}

/// The largest number of turns of a seat.
const MAX_TURNS: usize = (MAX_ROWS as usize * NUM_COLUMNS).div_ceil(2);

/// The knowledge of a seat in [`PhantomFour`]: the orders that it has told the referee.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PhantomFourKnowledge {
    orders: [ColumnOrder; MAX_TURNS],
    num_orders: usize,
}

/// The possible courses of the game, given the orders of one seat.
struct Courses<'a> {
    game: &'a PhantomFour,
    seat: Seat,
    orders: &'a [ColumnOrder],
}

impl Courses<'_> {
    /// Returns the seat's order for its next stone, or `None` if all known orders have been used.
    fn next_order(&self, state: &PhantomFourState) -> Option<ColumnOrder> {
        self.orders.get(self.game.view(state, self.seat).own_stones as usize).copied()
    }

    /// Plays one game against an opponent that draws its orders at random. Returns the state at the seat's turn after
    /// its last known order, or `None` if the game ends earlier.
    fn at_random<R: Rng>(&self, rng: &mut R) -> Option<PhantomFourState> {
        let mut state = self.game.start();
        loop {
            let Turn::Act(mover) = state.turn else { return None };
            let order = if mover == self.seat {
                let Some(order) = self.next_order(&state) else { return Some(state) };
                order
            } else {
                ColumnOrder::random(rng)
            };
            self.game.apply(&mut state, mover, &order, rng);
        }
    }

    /// Follows all courses at once, turn by turn, against an opponent that draws its orders at random. Resamples the
    /// states if there are more than `width`. Returns a state at the seat's turn after its last known order, or `None`
    /// if all courses end earlier.
    fn at_once<R: Rng>(&self, width: usize, rng: &mut R) -> Option<PhantomFourState> {
        let mut states = vec![(self.game.start(), 1.0)];
        loop {
            let (state, _) = states.first()?;
            let Turn::Act(mover) = state.turn else { return None };
            if mover != self.seat {
                states = self.replies(&states, mover);
            } else if let Some(order) = self.next_order(state) {
                for (state, _) in &mut states {
                    self.game.apply(state, mover, &order, rng);
                }
            } else {
                return drawn(&states, 1, rng).pop();
            }
            states.retain(|(state, _)| matches!(state.turn, Turn::Act(_)));
            if states.len() > width {
                states = drawn(&states, width, rng).into_iter().map(|state| (state, 1.0)).collect();
            }
            let place = |state: &PhantomFourState| state.board.stones(self.seat);
            states.sort_unstable_by_key(|(state, _)| (place(state), state.board.occupied()));
            states.dedup_by(|(state, weight), (kept, sum)| {
                let is_same = state.board == kept.board;
                *sum += if is_same { *weight } else { 0.0 };
                is_same
            });
        }
    }

    /// Returns the states after the opponent's next stone. Each column that is not full is equally likely.
    fn replies(&self, states: &[Weighted], opponent: Seat) -> Vec<Weighted> {
        let columns = self.game.columns;
        let mut replies = Vec::with_capacity(NUM_COLUMNS * states.len());
        for (state, weight) in states {
            let occupied = state.board.occupied();
            let weight = weight / f64::from(columns.full_columns(occupied).count_zeros() - 1);
            let cells = (0..NUM_COLUMNS as u8).map(|column| columns.landing(occupied, column));
            replies.extend(cells.filter(|&cell| cell != 0).map(|cell| {
                let mut next = state.clone();
                self.game.put(&mut next, opponent, cell);
                (next, weight)
            }));
        }
        replies
    }
}

/// A state with its weight.
type Weighted = (PhantomFourState, f64);

/// Draws `count` states in proportion to their weights. The number of copies of a state differs from its expected value
/// by less than one (systematic resampling; Kitagawa, *Monte Carlo filter and smoother*, Journal of Computational and
/// Graphical Statistics 5, 1996).
fn drawn<R: Rng>(states: &[Weighted], count: usize, rng: &mut R) -> Vec<PhantomFourState> {
    let step = states.iter().map(|(_, weight)| weight).sum::<f64>() / count as f64;
    let mut next = step * rng.random::<f64>();
    let mut below = 0.0;
    let mut drawn = Vec::with_capacity(count + 1);
    for (state, weight) in states {
        below += weight;
        while next < below {
            drawn.push(state.clone());
            next += step;
        }
    }
    drawn
}

impl Imagine for PhantomFour {
    type Knowledge = PhantomFourKnowledge;

    fn learn(
        &self,
        knowledge: &mut PhantomFourKnowledge,
        _seat: Seat,
        _view: &PhantomFourView,
        action: &ColumnOrder,
    ) {
        knowledge.orders[knowledge.num_orders] = *action;
        knowledge.num_orders += 1;
    }

    /// Draws each possible state with its probability against an opponent that draws each order at random. Plays games
    /// until one reaches this turn. After 1,000 games that end earlier, follows all courses at once; if there are too
    /// many courses, the probabilities are approximate.
    fn imagine<R: Rng>(
        &self,
        knowledge: &PhantomFourKnowledge,
        seat: Seat,
        view: &PhantomFourView,
        rng: &mut R,
    ) -> PhantomFourState {
        let orders = &knowledge.orders[..knowledge.num_orders];
        assert_eq!(orders.len(), view.own_stones as usize, "one order is known for each stone");
        let courses = Courses { game: self, seat, orders };
        let played = (0..MAX_ATTEMPTS).find_map(|_| courses.at_random(rng));
        played.unwrap_or_else(|| {
            // The last width is enough for all states, so one attempt succeeds.
            let mut widths = std::iter::successors(Some(MIN_WIDTH), |width| width.checked_mul(4));
            widths
                .find_map(|width| courses.at_once(width, rng))
                .expect("the game has come to this turn")
        })
    }

    fn view_key(&self, view: &PhantomFourView) -> u64 {
        key_of([view.own_stones.into()])
    }
}

/// The maximum number of random games played to reach the current turn. If all end earlier, all courses are followed
/// instead.
const MAX_ATTEMPTS: u32 = 1000;

/// The number of states that the first attempt follows; each later attempt follows four times as many.
const MIN_WIDTH: usize = 256;

impl AdjustableRules for PhantomFour {
    fn rules(&self) -> Vec<Rule> {
        vec![self.columns.rule()]
    }

    fn with_values(&self, values: &[u64]) -> Result<PhantomFour, RulesError> {
        Ok(PhantomFour { columns: Columns::new(values[0] as u32) })
    }
}

#[cfg(test)]
mod tests;
