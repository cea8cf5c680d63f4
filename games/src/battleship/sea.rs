//! The sea: cells, sets of cells, and the places where a ship can lie.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign, Not};

use serde::{Deserialize, Serialize};

/// Rows of the board, and columns.
pub const SIDE: usize = 9;
/// Cells of the board.
pub const NUM_CELLS: usize = SIDE * SIDE;
/// Ships of a fleet.
pub const NUM_SHIPS: usize = 4;
/// Cells of each ship.
pub const SHIP_LENGTHS: [usize; NUM_SHIPS] = [2, 3, 4, 5];
/// Cells of a fleet.
pub const FLEET_CELLS: usize = 14;
/// Places of each ship: 2 directions x 9 lines x (10 - length) offsets.
pub const NUM_PLACEMENTS: [usize; NUM_SHIPS] = [144, 126, 108, 90];
/// Places of all ships together.
pub const ALL_PLACEMENTS: usize = 468;

/// A cell of the board. In text a column from `a` to `i` and a row from `1` to `9`, the top left cell
/// being `a1`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cell(u8);

impl Cell {
    /// The cell of a row and a column, both from 0 to 8.
    ///
    /// # Panics
    ///
    /// When there is no such row or column.
    #[inline]
    pub const fn new(row: usize, column: usize) -> Cell {
        assert!(row < SIDE && column < SIDE, "the board has 9 rows and 9 columns");
        Cell((row * SIDE + column) as u8)
    }

    /// The cell of an index from 0 to 80, row by row.
    ///
    /// # Panics
    ///
    /// When the index is too large.
    #[inline]
    pub const fn from_index(index: usize) -> Cell {
        assert!(index < NUM_CELLS, "the board has 81 cells");
        Cell(index as u8)
    }

    /// The index, from 0 to 80, row by row.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row, from 0 to 8.
    #[inline]
    pub const fn row(self) -> usize {
        self.index() / SIDE
    }

    /// The column, from 0 to 8.
    #[inline]
    pub const fn column(self) -> usize {
        self.index() % SIDE
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", (b'a' + self.column() as u8) as char, self.row() + 1)
    }
}

impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// A text that is not a cell such as `e5`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a cell; cells are a letter from a to i and a digit from 1 to 9")]
pub struct NotACell {
    /// The text.
    pub text: String,
}

impl std::str::FromStr for Cell {
    type Err = NotACell;

    fn from_str(text: &str) -> Result<Cell, NotACell> {
        match *text.as_bytes() {
            [column @ b'a'..=b'i', row @ b'1'..=b'9'] => {
                Ok(Cell::new(usize::from(row - b'1'), usize::from(column - b'a')))
            }
            _ => Err(NotACell { text: text.into() }),
        }
    }
}

impl From<Cell> for String {
    fn from(cell: Cell) -> String {
        cell.to_string()
    }
}

impl TryFrom<String> for Cell {
    type Error = NotACell;

    fn try_from(text: String) -> Result<Cell, NotACell> {
        text.parse()
    }
}

/// A set of cells: bit `i` stands for the cell of index `i`. In text the cells, separated by blanks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cells(u128);

impl Cells {
    /// No cell.
    pub const NONE: Cells = Cells(0);
    /// The whole board.
    pub const ALL: Cells = Cells((1 << NUM_CELLS) - 1);
    /// The leftmost column.
    const FIRST_COLUMN: Cells = {
        let mut bits = 0;
        let mut row = 0;
        while row < SIDE {
            bits |= 1 << (row * SIDE);
            row += 1;
        }
        Cells(bits)
    };

    /// The set of one cell.
    #[inline]
    pub const fn of(cell: Cell) -> Cells {
        Cells(1 << cell.0)
    }

    /// The bits, one for each cell.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// The number of cells.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether there is no cell.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether `cell` is one of these.
    #[inline]
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Whether no cell is in both sets.
    #[inline]
    pub const fn is_disjoint(self, other: Cells) -> bool {
        self.0 & other.0 == 0
    }

    /// The cells of this set that are not in `other`.
    #[inline]
    pub const fn without(self, other: Cells) -> Cells {
        Cells(self.0 & !other.0)
    }

    /// The cells that share a side with one of these; cells of the set itself are among them when they
    /// have a neighbour in it.
    #[inline]
    pub const fn neighbours(self) -> Cells {
        let last_column = Self::FIRST_COLUMN.0 << (SIDE - 1);
        let sideways = (self.0 & !last_column) << 1 | (self.0 & !Self::FIRST_COLUMN.0) >> 1;
        let up_and_down = self.0 << SIDE | self.0 >> SIDE;
        Cells((sideways | up_and_down) & Self::ALL.0)
    }

    /// The cell of the lowest index.
    #[inline]
    pub const fn first(self) -> Option<Cell> {
        if self.0 == 0 { None } else { Some(Cell(self.0.trailing_zeros() as u8)) }
    }

    /// The `n`th cell in the order of indices, counted from 0.
    ///
    /// # Panics
    ///
    /// With debug assertions, when there are not so many.
    #[inline]
    pub fn nth(self, n: usize) -> Cell {
        debug_assert!(n < self.len(), "cell {n} of {}", self.len());
        let mut bits = self.0;
        for _ in 0..n {
            bits &= bits - 1;
        }
        Cell(bits.trailing_zeros() as u8)
    }
}

impl Iterator for Cells {
    type Item = Cell;

    /// Takes out the cell of the lowest index.
    #[inline]
    fn next(&mut self) -> Option<Cell> {
        let cell = self.first()?;
        self.0 &= self.0 - 1;
        Some(cell)
    }
}

impl BitOr for Cells {
    type Output = Cells;

    #[inline]
    fn bitor(self, other: Cells) -> Cells {
        Cells(self.0 | other.0)
    }
}

impl BitOrAssign for Cells {
    #[inline]
    fn bitor_assign(&mut self, other: Cells) {
        self.0 |= other.0;
    }
}

impl BitAnd for Cells {
    type Output = Cells;

    #[inline]
    fn bitand(self, other: Cells) -> Cells {
        Cells(self.0 & other.0)
    }
}

impl Not for Cells {
    type Output = Cells;

    #[inline]
    fn not(self) -> Cells {
        Self::ALL.without(self)
    }
}

impl fmt::Display for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, cell) in self.enumerate() {
            let separator = if index == 0 { "" } else { " " };
            write!(f, "{separator}{cell}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl From<Cells> for String {
    fn from(cells: Cells) -> String {
        cells.to_string()
    }
}

impl TryFrom<String> for Cells {
    type Error = NotACell;

    fn try_from(text: String) -> Result<Cells, NotACell> {
        text.split_whitespace()
            .try_fold(Cells::NONE, |cells, cell| Ok(cells | Cells::of(cell.parse()?)))
    }
}

/// Where a ship lies; its length is that of its place in the fleet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ship {
    /// The leftmost or topmost cell.
    pub end: Cell,
    /// Whether it lies in a column, downwards from `end`; in a row, to the right of it, otherwise.
    pub vertical: bool,
}

impl Ship {
    /// The cells of a ship of `length` cells that lies here, or nothing when it leaves the board.
    pub const fn cells(self, length: usize) -> Option<Cells> {
        let (offset, step) =
            if self.vertical { (self.end.row(), SIDE) } else { (self.end.column(), 1) };
        if offset + length > SIDE {
            return None;
        }
        let mut bits = 0;
        let mut i = 0;
        while i < length {
            bits |= 1 << (self.end.index() + i * step);
            i += 1;
        }
        Some(Cells(bits))
    }
}

/// The ships of one player, in the order of [`SHIP_LENGTHS`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Fleet {
    /// The ships.
    pub ships: [Ship; NUM_SHIPS],
}

impl Fleet {
    /// The cells of all ships; nothing when a ship leaves the board or two of them cross.
    pub fn cells(&self) -> Option<Cells> {
        let mut all = Cells::NONE;
        for (ship, length) in self.ships.iter().zip(SHIP_LENGTHS) {
            let cells = ship.cells(length)?;
            if !all.is_disjoint(cells) {
                return None;
            }
            all |= cells;
        }
        Some(all)
    }
}

/// One of the places where a ship of a certain length can lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The place.
    pub ship: Ship,
    /// The cells that the ship covers.
    pub cells: Cells,
}

/// The places of all ships, those of the shortest ship first; of each ship first those in a row, line
/// by line, then those in a column.
pub static PLACEMENTS: [Placement; ALL_PLACEMENTS] = {
    let nowhere = Placement { ship: Ship { end: Cell(0), vertical: false }, cells: Cells::NONE };
    let mut placements = [nowhere; ALL_PLACEMENTS];
    let mut index = 0;
    let mut ship_index = 0;
    while ship_index < NUM_SHIPS {
        let length = SHIP_LENGTHS[ship_index];
        let mut line = 0;
        while line < 2 * SIDE {
            let vertical = line >= SIDE;
            let mut offset = 0;
            while offset + length <= SIDE {
                let end =
                    if vertical { Cell::new(offset, line - SIDE) } else { Cell::new(line, offset) };
                let ship = Ship { end, vertical };
                let Some(cells) = ship.cells(length) else { panic!("the ship is on the board") };
                placements[index] = Placement { ship, cells };
                index += 1;
                offset += 1;
            }
            line += 1;
        }
        ship_index += 1;
    }
    placements
};

/// The place of the first placement of each ship in [`PLACEMENTS`].
pub const FIRST_PLACEMENTS: [usize; NUM_SHIPS] = [0, 144, 270, 378];

/// The places of the ship of an index in [`SHIP_LENGTHS`].
///
/// # Panics
///
/// When there is no such ship.
#[inline]
pub fn placements_of(ship_index: usize) -> &'static [Placement] {
    &PLACEMENTS[FIRST_PLACEMENTS[ship_index]..][..NUM_PLACEMENTS[ship_index]]
}
