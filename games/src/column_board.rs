//! A board of seven columns in which stones fall to the lowest free cell, and detection of four in a row.
//!
//! Cells are bits: row r of column c is bit 8 c + r, where rows are counted from the bottom and columns from the left,
//! both from 0. There are at most 7 rows, so the highest bit of each byte is always 0, and a line that leaves the board
//! on one side does not reappear on the other (as in J. Tromp's *Fhourstones* and many programs since).

pub(crate) mod drawing;
pub(crate) mod text;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BySeat, Rule, Seat};

/// The number of columns.
pub const NUM_COLUMNS: usize = 7;

/// The largest number of rows.
pub const MAX_ROWS: u32 = 7;

/// One bit for the bottom cell of each column.
const BOTTOM: u64 = 0x0001_0101_0101_0101;

/// The columns of a board, all of the same height.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Columns {
    num_rows: u32,
    /// The cells of the first column, as a set.
    column: u64,
}

impl Columns {
    /// Returns the rule that sets the number of rows.
    pub(crate) fn rule(self) -> Rule {
        let meaning = "cells in each of the 7 columns";
        Rule::new("rows", meaning, self.num_rows(), 1..=u64::from(MAX_ROWS))
    }

    /// Creates columns of `num_rows` cells each, at most [`MAX_ROWS`].
    ///
    /// # Panics
    ///
    /// Panics if `num_rows` is 0 or above [`MAX_ROWS`].
    pub const fn new(num_rows: u32) -> Columns {
        assert!(0 < num_rows && num_rows <= MAX_ROWS, "a board has 1 to 7 rows");
        Columns { num_rows, column: (1 << num_rows) - 1 }
    }

    /// Returns the number of rows.
    pub const fn num_rows(self) -> u32 {
        self.num_rows
    }

    /// Returns the number of cells of the board.
    pub const fn num_cells(self) -> u32 {
        self.num_rows * NUM_COLUMNS as u32
    }

    /// Returns the set of all cells.
    pub const fn cells(self) -> u64 {
        BOTTOM * self.column
    }

    /// Returns the cell in which a stone dropped into `column` lands, as a set; empty if the column is full.
    #[inline(always)]
    pub const fn landing(self, occupied: u64, column: u8) -> u64 {
        // Stones fill a column from its lowest bit, so adding one there carries to the first free cell.
        (occupied + (1 << (8 * column))) & (self.column << (8 * column))
    }

    /// Returns the full columns, one bit each.
    #[inline(always)]
    pub const fn full_columns(self, occupied: u64) -> u8 {
        // The product gathers the lowest bits of all bytes in the highest byte.
        let tops = occupied >> (self.num_rows - 1) & BOTTOM;
        (tops.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
    }

    /// Returns whether all columns are full.
    #[inline(always)]
    pub const fn is_full(self, occupied: u64) -> bool {
        occupied == self.cells()
    }
}

/// The differences between the bit indices of neighbouring cells in four directions: up; down and right; right; up and
/// right.
const STEPS: [u32; 4] = [1, 7, 8, 9];

/// Returns whether the set contains four cells in a row, in any of the four directions.
#[inline(always)]
pub const fn has_four(cells: u64) -> bool {
    let mut lines = 0;
    let mut index = 0;
    while index < 4 {
        let step = STEPS[index];
        let pairs = cells & (cells >> step);
        lines |= pairs & (pairs >> (2 * step));
        index += 1;
    }
    lines != 0
}

/// Returns the cells of the set that are part of four in a row.
#[inline(always)]
pub const fn cells_in_fours(cells: u64) -> u64 {
    let mut found = 0;
    let mut index = 0;
    while index < 4 {
        let step = STEPS[index];
        let pairs = cells & (cells >> step);
        // `first` contains the first cell of each four, `two` contains the first two cells, and `found` all four.
        let first = pairs & (pairs >> (2 * step));
        let two = first | first << step;
        found |= two | two << (2 * step);
        index += 1;
    }
    found
}

/// The stones on the board. The serialized form is one text for each column, from the bottom, with `x` for the first
/// seat and `o` for the second.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(try_from = "[String; NUM_COLUMNS]", into = "[String; NUM_COLUMNS]")]
pub struct Stones {
    stones: BySeat<u64>,
}

impl Stones {
    /// Returns the stones of a seat, as a set of cells.
    #[inline(always)]
    pub fn stones(&self, seat: Seat) -> u64 {
        match seat {
            Seat::First => self.stones.first,
            Seat::Second => self.stones.second,
        }
    }

    /// Returns the occupied cells.
    #[inline(always)]
    pub fn occupied(&self) -> u64 {
        self.stones.first | self.stones.second
    }

    /// Sets the stones of a seat, as a set of cells.
    #[inline(always)]
    pub(crate) fn set(&mut self, seat: Seat, stones: u64) {
        self.stones[seat] = stones;
    }

    /// Adds a stone to `cell`, a set of one cell, and returns whether the seat now has four in a row.
    #[inline(always)]
    pub(crate) fn put(&mut self, seat: Seat, cell: u64) -> bool {
        let own = self.stones(seat) | cell;
        self.stones[seat] = own;
        has_four(own)
    }
}

impl From<Stones> for [String; NUM_COLUMNS] {
    fn from(board: Stones) -> [String; NUM_COLUMNS] {
        std::array::from_fn(|column| {
            let cells = (0..MAX_ROWS as usize).map(|row| 8 * column + row);
            let stones = cells.filter_map(|cell| match () {
                () if board.stones.first >> cell & 1 == 1 => Some('x'),
                () if board.stones.second >> cell & 1 == 1 => Some('o'),
                () => None,
            });
            stones.collect()
        })
    }
}

/// An invalid column of stones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("column `{column}` is not of at most {MAX_ROWS} stones `x` and `o`")]
pub struct NotAColumn {
    column: String,
}

impl TryFrom<[String; NUM_COLUMNS]> for Stones {
    type Error = NotAColumn;

    fn try_from(columns: [String; NUM_COLUMNS]) -> Result<Stones, NotAColumn> {
        let mut board = Stones::default();
        for (index, column) in columns.into_iter().enumerate() {
            if column.len() > MAX_ROWS as usize {
                return Err(NotAColumn { column });
            }
            for (row, stone) in column.bytes().enumerate() {
                let seat = match stone {
                    b'x' => Seat::First,
                    b'o' => Seat::Second,
                    _ => return Err(NotAColumn { column }),
                };
                board.stones[seat] |= 1 << (8 * index + row);
            }
        }
        Ok(board)
    }
}

impl fmt::Debug for Stones {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        <[String; NUM_COLUMNS]>::from(*self).fmt(f)
    }
}

#[cfg(test)]
mod tests;
