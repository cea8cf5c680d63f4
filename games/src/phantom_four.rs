//! Phantom four in a row: stones fall into columns, and nobody sees anything.
//!
//! # Rules
//!
//! A board of 7 columns and 4 rows stands upright. Two players put stones in turn; a stone that is put
//! into a column falls to its lowest free cell. Who first has four stones in a row, horizontally,
//! vertically or diagonally, wins; a full board is a draw. Neither player sees the board. A player who is
//! to move tells a referee an **order of preference** of the seven columns, a new one for each stone if he
//! likes, and the referee puts the stone into the first of them that is not full, without saying which it
//! was (Cauwet & Teytaud 2018, section IV-B).
//!
//! Columns are numbered from 0, from the left. The number of `rows` can be changed.
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
//! Between two players of random lists of orders, or of random columns, the first wins with probability
//! .531, the second with .411, and .058 are draws (independent prototype). Who knows the list of the other wins from
//! either seat, against all of 10 000 random lists (ours, by search).
//!
//! # Versions
//!
//! 1: as above.

mod board;

use std::collections::BTreeMap;
use std::fmt;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::column_board::{Columns, MAX_ROWS, NUM_COLUMNS, Stones};
use crate::{AdjustableRules, Game, Outcome, Redeal, Rule, RulesError, SampleAction, Seat, Turn};

/// An order of preference of the seven columns, packed: four bits for each column, the first in the
/// lowest.
///
/// This is any sequence of seven small numbers; [`check`](Game::check) refuses those that are not an order
/// of the columns. A number above 15 is kept as 15.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "[u8; NUM_COLUMNS]", into = "[u8; NUM_COLUMNS]")]
pub struct ColumnOrder {
    packed: u32,
}

impl ColumnOrder {
    /// The columns, the one preferred most first.
    #[inline]
    pub fn columns(self) -> [u8; NUM_COLUMNS] {
        std::array::from_fn(|place| (self.packed >> (4 * place) & 15) as u8)
    }

    /// The order that the swaps of Fisher & Yates make of 0, 1, ..., 6: `below(n)` is to give a place below
    /// `n`, to swap with place `n` - 1, for `n` from 7 down to 2.
    #[inline]
    pub fn by_swaps(mut below: impl FnMut(u64) -> u64) -> ColumnOrder {
        let index = (2..=NUM_COLUMNS as u64).rev().fold(0, |index, n| index * n + below(n));
        ORDERS[index as usize]
    }

    /// A uniformly random order.
    #[inline]
    pub fn random<R: Rng>(rng: &mut R) -> ColumnOrder {
        // One multiplication, as in `shuffle`, which takes six, and as many swaps that wait for each other.
        let index = (u128::from(rng.next_u64()) * NUM_ORDERS as u128) >> 64;
        ORDERS[index as usize]
    }

    fn is_order_of_all_columns(self) -> bool {
        let columns = self.columns().into_iter();
        columns.fold(0u32, |set, column| set | 1 << column) == (1 << NUM_COLUMNS) - 1
    }
}

/// 7 factorial.
const NUM_ORDERS: usize = 5040;

/// All orders; the index has the places of the swaps that make them as digits, of bases 7, 6, ..., 2.
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
    /// From the left to the right.
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
    /// The game with 4 rows.
    pub const fn standard() -> PhantomFour {
        PhantomFour { columns: Columns::new(4) }
    }

    /// How high the columns are.
    pub const fn columns(&self) -> Columns {
        self.columns
    }

    /// The largest number of stones that one seat puts in a game.
    pub const fn max_own_stones(&self) -> u32 {
        self.columns.num_cells().div_ceil(2)
    }

    /// The game before the first stone.
    pub fn start(&self) -> PhantomFourState {
        PhantomFourState { board: Stones::default(), num_stones: 0, turn: Turn::Act(Seat::First) }
    }
}

/// A game of [`PhantomFour`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhantomFourState {
    board: Stones,
    /// The stones on the board. Not all processors count bits in one instruction.
    num_stones: u32,
    turn: Turn,
}

impl PhantomFourState {
    /// Where the stones are.
    pub fn board(&self) -> Stones {
        self.board
    }
}

/// What a seat sees of [`PhantomFour`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhantomFourView {
    /// The stones this seat has put.
    pub own_stones: u32,
}

/// Why an order of preference was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalColumnOrder {
    /// A column is missing.
    #[error("{found:?} is not an order of the columns 0 to 6, each of them once")]
    NotAnOrder {
        /// What was said.
        found: [u8; NUM_COLUMNS],
    },
    /// Nobody is to move.
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

    fn check(
        &self,
        state: &PhantomFourState,
        action: &ColumnOrder,
    ) -> Result<(), IllegalColumnOrder> {
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
    fn apply<R: Rng>(
        &self,
        state: &mut PhantomFourState,
        seat: Seat,
        action: &ColumnOrder,
        _rng: &mut R,
    ) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules");
        let occupied = state.board.occupied();
        let mut rest = action.packed;
        let mut cell = self.columns.landing(occupied, (rest & 7) as u8);
        while cell == 0 {
            rest >>= 4;
            cell = self.columns.landing(occupied, (rest & 7) as u8);
        }
        state.num_stones += 1;
        state.turn = if state.board.put(seat, cell) {
            Turn::Over(Outcome::won_by(seat))
        } else if state.num_stones == self.columns.num_cells() {
            Turn::Over(Outcome::Draw)
        } else {
            Turn::Act(seat.other())
        };
    }
}

impl SampleAction for PhantomFour {
    fn sample_action<R: Rng>(
        &self,
        _state: &PhantomFourState,
        rng: &mut R,
        action: &mut ColumnOrder,
    ) {
        *action = ColumnOrder::random(rng);
    }
}

impl Redeal for PhantomFour {
    /// Nobody knows where any stone is: as many as there are go into random columns, until the game stands
    /// as it did.
    fn redeal<R: Rng>(
        &self,
        state: &PhantomFourState,
        _seat: Seat,
        rng: &mut R,
    ) -> PhantomFourState {
        loop {
            let mut next = self.start();
            for _ in 0..state.num_stones {
                let Turn::Act(seat) = next.turn else { break };
                self.apply(&mut next, seat, &ColumnOrder::random(rng), rng);
            }
            if (next.num_stones, next.turn) == (state.num_stones, state.turn) {
                return next;
            }
        }
    }
}

impl AdjustableRules for PhantomFour {
    fn rules(&self) -> Vec<Rule> {
        vec![Rule {
            name: "rows",
            meaning: "cells in each of the 7 columns",
            value: u64::from(self.columns.num_rows()),
            range: 1..=u64::from(MAX_ROWS),
        }]
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<PhantomFour, RulesError> {
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        Ok(PhantomFour { columns: Columns::new(rules[0].value as u32) })
    }
}

#[cfg(test)]
mod tests;
