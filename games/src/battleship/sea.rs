//! Boards and fleets, cells, sets of cells, and the placements of ships.

use std::fmt;
use std::ops::{BitAnd, BitOr, BitOrAssign};

use serde::{Deserialize, Serialize};

/// The number of rows, and of columns, of the largest board.
pub const MAX_SIDE: usize = 10;
/// The number of ships of the largest fleet.
pub const MAX_SHIPS: usize = 5;
/// The index of a cell minus the index of the cell above it. An unused column separates the last cell of a row from the
/// first cell of the next row, so that no ship continues, and no cell has a neighbour, across the border.
const STRIDE: usize = MAX_SIDE + 1;

/// A board, and the ships that each player hides on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sea {
    /// The sea of the paper: 9 x 9 cells, and ships of 5, 4, 3 and 2 cells.
    #[default]
    Paper,
    /// The sea of the commercial game: 10 x 10 cells, and ships of 5, 4, 3, 3 and 2 cells.
    Shop,
}

impl Sea {
    /// All seas.
    pub const ALL: [Sea; 2] = [Sea::Paper, Sea::Shop];

    /// Returns the number of rows, which is also the number of columns.
    #[inline]
    pub const fn side(self) -> usize {
        match self {
            Sea::Paper => 9,
            Sea::Shop => 10,
        }
    }

    /// Returns the number of cells of the board.
    #[inline]
    pub const fn num_cells(self) -> usize {
        self.side() * self.side()
    }

    /// Returns the length of each ship, in cells, the shortest first.
    #[inline]
    pub const fn ship_lengths(self) -> &'static [usize] {
        match self {
            Sea::Paper => &[2, 3, 4, 5],
            Sea::Shop => &[2, 3, 3, 4, 5],
        }
    }

    /// Returns the number of ships of a fleet.
    #[inline]
    pub const fn num_ships(self) -> usize {
        self.ship_lengths().len()
    }

    /// Returns the total number of cells of a fleet.
    #[inline]
    pub const fn fleet_cells(self) -> usize {
        match self {
            Sea::Paper => 14,
            Sea::Shop => 17,
        }
    }

    /// Returns the set of all cells of the board.
    #[inline]
    pub const fn cells(self) -> Cells {
        const PAPER: Cells = Cells::board(Sea::Paper.side());
        const SHOP: Cells = Cells::board(Sea::Shop.side());
        match self {
            Sea::Paper => PAPER,
            Sea::Shop => SHOP,
        }
    }

    /// Returns the cell with this number, which must be below [`num_cells`](Sea::num_cells). Cells are numbered row by
    /// row, from 0.
    ///
    /// # Panics
    ///
    /// Panics if the number is too large.
    #[inline]
    pub const fn cell(self, number: usize) -> Cell {
        assert!(number < self.num_cells(), "the board has fewer cells");
        Cell::new(number / self.side(), number % self.side())
    }

    /// Returns the number of a cell of this board. Cells are numbered row by row, from 0.
    #[inline]
    pub const fn number(self, cell: Cell) -> usize {
        cell.row() * self.side() + cell.column()
    }

    /// Returns the placements of the ship with this index in [`ship_lengths`](Sea::ship_lengths): first the horizontal
    /// placements, line by line, then the vertical placements.
    ///
    /// # Panics
    ///
    /// Panics if the sea has no ship with this index.
    #[inline]
    pub fn placements_of(self, ship_index: usize) -> &'static [Placement] {
        match self {
            Sea::Paper => &PAPER_PLACEMENTS[PAPER_STARTS[ship_index]..PAPER_STARTS[ship_index + 1]],
            Sea::Shop => &SHOP_PLACEMENTS[SHOP_STARTS[ship_index]..SHOP_STARTS[ship_index + 1]],
        }
    }

    /// Returns the letter of the last column.
    #[inline]
    pub const fn last_column(self) -> char {
        (b'a' + self.side() as u8 - 1) as char
    }
}

/// A cell of a board. Its text is a column from `a` to `j` and a row from `1` to `10`; the top left cell is `a1`.
/// Cells are ordered row by row.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cell(u8);

impl Cell {
    /// Creates the cell of a row and a column, both from 0 to 9.
    ///
    /// # Panics
    ///
    /// Panics if the row or the column is above 9.
    #[inline]
    pub const fn new(row: usize, column: usize) -> Cell {
        assert!(row < MAX_SIDE && column < MAX_SIDE, "boards have up to 10 rows and 10 columns");
        Cell((row * STRIDE + column) as u8)
    }

    /// Returns the index of the cell's bit in [`Cells`], row by row. Some indices do not belong to a cell.
    #[inline]
    const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns the row, from 0 to 9.
    #[inline]
    pub const fn row(self) -> usize {
        self.index() / STRIDE
    }

    /// Returns the column, from 0 to 9.
    #[inline]
    pub const fn column(self) -> usize {
        self.index() % STRIDE
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

/// A text that does not name a cell such as `e5`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a cell; cells are a letter from a to j and a number from 1 to 10")]
pub struct NotACell {
    /// The text that was parsed.
    pub text: String,
}

impl std::str::FromStr for Cell {
    type Err = NotACell;

    fn from_str(text: &str) -> Result<Cell, NotACell> {
        let (column, row) = match *text.as_bytes() {
            [column, row @ b'1'..=b'9'] => (column, usize::from(row - b'1')),
            [column, b'1', b'0'] => (column, 9),
            _ => return Err(NotACell { text: text.into() }),
        };
        match column {
            b'a'..=b'j' => Ok(Cell::new(row, usize::from(column - b'a'))),
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

/// A set of cells, with one bit for each cell, row by row. Its text is a list of the cells, separated by blanks.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Cells(u128);

impl Cells {
    /// The empty set.
    pub const NONE: Cells = Cells(0);
    /// Returns all cells of a board.
    const fn board(side: usize) -> Cells {
        let mut bits = 0;
        let mut row = 0;
        while row < side {
            bits |= ((1 << side) - 1) << (row * STRIDE);
            row += 1;
        }
        Cells(bits)
    }

    /// Returns the set that contains only `cell`.
    #[inline]
    pub const fn of(cell: Cell) -> Cells {
        Cells(1 << cell.0)
    }

    /// Returns the set as bits: the cell in row r and column c, both counted from 0, is bit 11 r + c.
    #[inline]
    pub const fn bits(self) -> u128 {
        self.0
    }

    /// Returns the number of cells.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns whether the set is empty.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns whether `cell` is in the set.
    #[inline]
    pub const fn contains(self, cell: Cell) -> bool {
        self.0 >> cell.0 & 1 == 1
    }

    /// Returns whether the sets have no cell in common.
    #[inline]
    pub const fn is_disjoint(self, other: Cells) -> bool {
        self.0 & other.0 == 0
    }

    /// Returns the cells of this set that are not in `other`.
    #[inline]
    pub const fn without(self, other: Cells) -> Cells {
        Cells(self.0 & !other.0)
    }

    /// Returns the cells of the board that share a side with a cell of this set, even if they are in the set.
    #[inline]
    pub const fn neighbours(self, sea: Sea) -> Cells {
        let sideways = self.0 << 1 | self.0 >> 1;
        let up_and_down = self.0 << STRIDE | self.0 >> STRIDE;
        Cells((sideways | up_and_down) & sea.cells().0)
    }

    /// Returns the first cell of the set, row by row, or `None` if the set is empty.
    #[inline]
    pub const fn first(self) -> Option<Cell> {
        if self.0 == 0 { None } else { Some(Cell(self.0.trailing_zeros() as u8)) }
    }

    /// Returns the cell at index `n`, from 0, of the cells listed row by row.
    ///
    /// # Panics
    ///
    /// With debug assertions, panics if the set has at most `n` cells.
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

    /// Removes the first cell of the set, row by row, and returns it.
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

/// The position of a ship; its index in the fleet determines its length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Ship {
    /// The leftmost or topmost cell.
    pub end: Cell,
    /// Whether the ship extends downwards from `end`, in a column; otherwise it extends to the right, in a row.
    pub vertical: bool,
}

impl Ship {
    /// Returns the cells of a ship of `length` cells in this position, or `None` if the ship leaves the board.
    pub const fn cells(self, sea: Sea, length: usize) -> Option<Cells> {
        let (line, offset, step) = if self.vertical {
            (self.end.column(), self.end.row(), STRIDE)
        } else {
            (self.end.row(), self.end.column(), 1)
        };
        if line >= sea.side() || offset + length > sea.side() {
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

/// The ships of one player, in the order of [`Sea::ship_lengths`].
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "ListedFleet", try_from = "ListedFleet")]
pub struct Fleet {
    /// The ships. Unused entries have the default value, so that equal fleets compare equal.
    ships: [Ship; MAX_SHIPS],
    num_ships: u8,
}

/// The serialized form of a fleet.
#[derive(Serialize, Deserialize)]
struct ListedFleet {
    ships: Vec<Ship>,
}

impl From<Fleet> for ListedFleet {
    fn from(fleet: Fleet) -> ListedFleet {
        ListedFleet { ships: fleet.ships().to_vec() }
    }
}

/// The error for a list of more than [`MAX_SHIPS`] ships.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there are {found} ships, but a fleet has at most {MAX_SHIPS}")]
pub struct TooManyShips {
    /// The number of ships in the list.
    pub found: usize,
}

impl TryFrom<ListedFleet> for Fleet {
    type Error = TooManyShips;

    fn try_from(listed: ListedFleet) -> Result<Fleet, TooManyShips> {
        let found = listed.ships.len();
        if found > MAX_SHIPS {
            return Err(TooManyShips { found });
        }
        Ok(Fleet::new(&listed.ships))
    }
}

impl Default for Fleet {
    /// Returns an illegal fleet for the board of the paper, in which all ships begin in the same corner.
    fn default() -> Fleet {
        Fleet::new(&[Ship::default(); Sea::Paper.num_ships()])
    }
}

impl fmt::Debug for Fleet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fleet").field("ships", &self.ships()).finish()
    }
}

impl Fleet {
    /// Creates a fleet of these ships, in the order of [`Sea::ship_lengths`].
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`MAX_SHIPS`] ships.
    #[inline]
    pub fn new(ships: &[Ship]) -> Fleet {
        let mut fleet = Fleet { ships: Default::default(), num_ships: ships.len() as u8 };
        fleet.ships[..ships.len()].copy_from_slice(ships);
        fleet
    }

    /// Returns the ships, in the order of [`Sea::ship_lengths`].
    #[inline]
    pub fn ships(&self) -> &[Ship] {
        &self.ships[..usize::from(self.num_ships)]
    }

    /// Returns the cells of all ships, or `None` if the fleet is illegal: the number of ships is wrong for the sea, a
    /// ship leaves the board, or two ships cross.
    pub fn cells(&self, sea: Sea) -> Option<Cells> {
        let mut all = Cells::NONE;
        for (ship, &length) in self.ships().iter().zip(sea.ship_lengths()) {
            let cells = ship.cells(sea, length)?;
            if !all.is_disjoint(cells) {
                return None;
            }
            all |= cells;
        }
        (self.ships().len() == sea.num_ships()).then_some(all)
    }

    /// Returns the length of the ship that lies on a cell.
    pub(super) fn length_at(&self, sea: Sea, cell: Cell) -> Option<usize> {
        let lies_there = |ship: &Ship, length: usize| {
            ship.cells(sea, length).is_some_and(|cells| cells.contains(cell))
        };
        let mut placed = self.ships().iter().zip(sea.ship_lengths());
        placed.find_map(|(ship, &length)| lies_there(ship, length).then_some(length))
    }
}

/// A placement of a ship of a certain length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The position of the ship.
    pub ship: Ship,
    /// The cells that the ship covers.
    pub cells: Cells,
}

/// The index of each ship's first placement on the board of the paper, and the total number of placements. A ship has 2
/// directions x 9 lines x (10 - length) offsets.
const PAPER_STARTS: [usize; 5] = [0, 144, 270, 378, 468];
/// The index of each ship's first placement on the board of the commercial game, and the total number of placements. A
/// ship has 2 directions x 10 lines x (11 - length) offsets.
const SHOP_STARTS: [usize; 6] = [0, 180, 340, 500, 640, 760];

static PAPER_PLACEMENTS: [Placement; 468] = placements(Sea::Paper);
static SHOP_PLACEMENTS: [Placement; 760] = placements(Sea::Shop);

/// Returns the `N` placements of all ships, the shortest ship first. For each ship, the horizontal placements come
/// first, line by line, then the vertical ones.
const fn placements<const N: usize>(sea: Sea) -> [Placement; N] {
    let nowhere = Placement { ship: Ship { end: Cell(0), vertical: false }, cells: Cells::NONE };
    let mut placements = [nowhere; N];
    let side = sea.side();
    let mut index = 0;
    let mut ship_index = 0;
    while ship_index < sea.num_ships() {
        let length = sea.ship_lengths()[ship_index];
        let mut line = 0;
        while line < 2 * side {
            let vertical = line >= side;
            let mut offset = 0;
            while offset + length <= side {
                let end =
                    if vertical { Cell::new(offset, line - side) } else { Cell::new(line, offset) };
                let ship = Ship { end, vertical };
                let Some(cells) = ship.cells(sea, length) else {
                    panic!("the ship is on the board")
                };
                placements[index] = Placement { ship, cells };
                index += 1;
                offset += 1;
            }
            line += 1;
        }
        ship_index += 1;
    }
    assert!(index == N, "these are all places");
    placements
}
