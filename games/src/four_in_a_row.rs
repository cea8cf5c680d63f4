//! Four in a row: stones fall into columns, in full view of both players.
//!
//! # Rules
//!
//! A board of 7 columns and 6 rows stands upright. In turn, two players put a stone into a column that is not full; the
//! stone falls to the lowest free cell of the column. The first player with four stones in a row, horizontally,
//! vertically or diagonally, wins; a full board is a draw.
//!
//! The game has no hidden information and no chance: it shows that methods for partially observable games also work for
//! other games (Cauwet & Teytaud 2018, section IV-B). Columns are numbered from 0, from the left. The number of `rows`
//! can be changed.
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players, at any time | the board, and the owner of each stone |
//!
//! # Known values
//!
//! With best play, the first player wins, by putting the first stone into the middle column (Allis, *A knowledge-based
//! approach of Connect-Four*, 1988). After 0, 1, 2, ... stones there are 1, 7, 49, 238, 1120, 4263, 16422, ...
//! positions (Tromp, sequence A212693 of the On-Line Encyclopedia of Integer Sequences).
//!
//! # Versions
//!
//! 1: the rules above.

mod board;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::column_board::{Columns, NUM_COLUMNS, Stones, has_four};
use crate::imagine::key_of;
use crate::{AdjustableRules, Game, Imagine, Legal, Rule, RulesError, SampleAction, Seat, Turn};

/// The game of four in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FourInARow {
    columns: Columns,
}

impl FourInARow {
    /// Returns the game with 6 rows.
    pub const fn standard() -> FourInARow {
        FourInARow { columns: Columns::new(6) }
    }

    /// Returns the columns of the board.
    pub const fn columns(&self) -> Columns {
        self.columns
    }

    /// Returns the game before the first stone.
    pub fn start(&self) -> FourInARowState {
        FourInARowState { board: Stones::default(), turn: Turn::Act(Seat::First) }
    }

    /// Puts a stone into a column that is not full. `own` is the set of the player's stones, and `opponent` the set of
    /// the other player's stones.
    ///
    /// This is [`apply`](Game::apply) without seats and without a state, for players that try millions of stones.
    #[inline(always)]
    pub const fn put(&self, own: u64, opponent: u64, column: u8) -> Put {
        let cell = self.columns.landing(own | opponent, column);
        let own = own | cell;
        Put { own, is_won: has_four(own), is_full: self.columns.is_full(own | opponent) }
    }

    pub(crate) fn legal_columns(&self, view: &FourInARowView<'_>) -> impl Iterator<Item = u8> {
        let occupied = view.board.occupied();
        (0..NUM_COLUMNS as u8).filter(move |&column| self.columns.landing(occupied, column) != 0)
    }
}

/// The result of [putting a stone](FourInARow::put).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Put {
    /// The player's stones with the new stone, as a set of cells.
    pub own: u64,
    /// Whether this player now has four in a row and has won.
    pub is_won: bool,
    /// Whether the board is full, which is a draw unless the player has won.
    pub is_full: bool,
}

/// A game of [`FourInARow`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FourInARowState {
    board: Stones,
    turn: Turn,
}

impl FourInARowState {
    /// Returns the stones on the board.
    pub fn board(&self) -> Stones {
        self.board
    }
}

/// The view of a seat in [`FourInARow`], which shows everything.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FourInARowView<'a> {
    /// The stones on the board.
    pub board: &'a Stones,
    /// The seat that has this view.
    pub seat: Seat,
}

/// The reason why a column was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalColumn {
    /// The column does not exist.
    #[error("there is no column {column}, columns are numbered from 0 to 6")]
    NoSuchColumn {
        /// The requested column.
        column: u8,
    },
    /// The column is full.
    #[error("column {column} is full")]
    Full {
        /// The requested column.
        column: u8,
    },
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Game for FourInARow {
    type State = FourInARowState;
    /// The column into which the stone is put, counted from 0.
    type Action = u8;
    type View<'a> = FourInARowView<'a>;
    type Illegal = IllegalColumn;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> FourInARowState {
        self.start()
    }

    #[inline]
    fn turn(&self, state: &FourInARowState) -> Turn {
        state.turn
    }

    #[inline]
    fn view<'a>(&self, state: &'a FourInARowState, seat: Seat) -> FourInARowView<'a> {
        FourInARowView { board: &state.board, seat }
    }

    fn check(&self, state: &FourInARowState, &column: &u8) -> Result<(), IllegalColumn> {
        if let Turn::Over(_) = state.turn {
            return Err(IllegalColumn::GameOver);
        }
        if usize::from(column) >= NUM_COLUMNS {
            return Err(IllegalColumn::NoSuchColumn { column });
        }
        if self.columns.landing(state.board.occupied(), column) == 0 {
            return Err(IllegalColumn::Full { column });
        }
        Ok(())
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut FourInARowState, seat: Seat, &column: &u8, _rng: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, &column), Ok(()), "a strategy broke the rules");
        let put = self.put(state.board.stones(seat), state.board.stones(seat.other()), column);
        state.board.set(seat, put.own);
        state.turn = Turn::after(seat, put.is_won, put.is_full);
    }
}

impl SampleAction for FourInARow {
    fn sample_action<R: Rng>(&self, view: &FourInARowView<'_>, rng: &mut R, action: &mut u8) {
        let num_legal = self.legal_columns(view).count();
        let index = rng.random_range(0..num_legal);
        *action = self.legal_columns(view).nth(index).expect("an index below their number");
    }
}

impl Legal for FourInARow {
    fn legal(&self, view: &FourInARowView<'_>, actions: &mut Vec<u8>) {
        actions.extend(self.legal_columns(view));
    }
}

impl Imagine for FourInARow {
    /// Empty, because nothing is hidden.
    type Knowledge = ();

    fn imagine<R: Rng>(
        &self,
        (): &(),
        seat: Seat,
        view: &FourInARowView<'_>,
        _rng: &mut R,
    ) -> FourInARowState {
        FourInARowState { board: *view.board, turn: Turn::Act(seat) }
    }

    fn view_key(&self, view: &FourInARowView<'_>) -> u64 {
        let FourInARowView { board, seat } = view;
        key_of([board.stones(Seat::First), board.stones(Seat::Second), *seat as u64])
    }

    fn is_determined(&self, _state: &FourInARowState) -> bool {
        true
    }
}

impl AdjustableRules for FourInARow {
    fn rules(&self) -> Vec<Rule> {
        vec![self.columns.rule()]
    }

    fn with_values(&self, values: &[u64]) -> Result<FourInARow, RulesError> {
        Ok(FourInARow { columns: Columns::new(values[0] as u32) })
    }
}

#[cfg(test)]
mod tests;
