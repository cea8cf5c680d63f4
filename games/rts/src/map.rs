//! Maps: walls, units and stocks at the start, built in or read from a drawing.

use ruse_games::{BySeat, Seat};

use super::orders::{Cell, MAX_SIDE};
use super::unit::UnitKind;
use super::xml_fault::XmlFault;

/// The default resources of a mine.
const MINE: u8 = 20;

/// The default resources of each player at the start.
const STOCK: u32 = 5;

/// A unit at the start of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StartUnit {
    /// The kind of the unit.
    pub kind: UnitKind,
    /// The owner; `None` for a mine.
    pub owner: Option<Seat>,
    /// The cell that the unit stands on.
    pub cell: Cell,
    /// The resources that the unit carries or, if it is a mine, contains.
    pub carried: u8,
    /// The health of the unit; `None` for the full health of its kind.
    pub hp: Option<u8>,
}

/// A map: its size, walls, and the units and stocks at the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Map {
    name: String,
    width: u8,
    height: u8,
    walls: Vec<Cell>,
    /// The units, in the order that breaks ties during the game.
    units: Vec<StartUnit>,
    stock: BySeat<u32>,
}

/// The result of reading a map.
pub(crate) type Result<T = (), E = MapError> = std::result::Result<T, E>;

/// The reason why a map was rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MapError {
    /// The map is empty.
    #[error("the map has no cells; write a row of cells on each line")]
    Empty,
    /// The map has too many rows or columns.
    #[error(
        "line {line}, column {column}: the map is larger than {MAX_SIDE} x {MAX_SIDE} cells; shorten it"
    )]
    TooLarge {
        /// The line of the first surplus cell, from 1.
        line: usize,
        /// The column of that cell, from 1.
        column: usize,
    },
    /// The rows have different lengths.
    #[error(
        "line {line}, column {column}: this row ends after {found} cells, but the first one has {expected}; make all rows equally long"
    )]
    Ragged {
        /// The line, from 1.
        line: usize,
        /// The column in which the shorter row ends, from 1.
        column: usize,
        /// The number of cells of this row.
        found: usize,
        /// The number of cells of the first row.
        expected: usize,
    },
    /// The letter has no meaning.
    #[error(
        "line {line}, column {column}: `{found}` stands for nothing; write `.` (empty), `#` (wall), `*` (mine), or one of BKWLHR (first player) and bkwlhr (second player)"
    )]
    UnknownLetter {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The unknown letter.
        found: char,
    },
    /// A player has no unit.
    #[error("the {} player has no unit; write at least one of {}", seat_word(*.seat), letters(*.seat))]
    NoUnits {
        /// The player without units.
        seat: Seat,
    },
    /// Two things are on one cell, or a thing is outside the board.
    #[error("{cell} is not on the board of {width} x {height} cells, or is taken twice")]
    Misplaced {
        /// The cell of the thing.
        cell: Cell,
        /// The number of columns of the board.
        width: u8,
        /// The number of rows of the board.
        height: u8,
    },
    /// A unit has an invalid owner, health or amount of resources.
    #[error("the {} on {cell} must have {rule}", .kind.name())]
    Impossible {
        /// The kind of the unit.
        kind: UnitKind,
        /// The cell that the unit stands on.
        cell: Cell,
        /// The rule that the values violate.
        rule: &'static str,
    },
    /// A map in XML has a fault.
    #[error("line {line}, column {column}: {fault}")]
    Xml {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The fault.
        fault: XmlFault,
    },
}

fn seat_word(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "first",
        Seat::Second => "second",
    }
}

fn letters(seat: Seat) -> &'static str {
    match seat {
        Seat::First => "BKWLHR",
        Seat::Second => "bkwlhr",
    }
}

impl Map {
    /// Creates a map. The order of `units` breaks ties during the game.
    ///
    /// # Errors
    ///
    /// Returns an error if the map is empty or too large, if a thing is misplaced, if a unit has invalid values, or if
    /// a player has no unit.
    pub fn new(
        name: impl Into<String>,
        (width, height): (u8, u8),
        walls: Vec<Cell>,
        units: Vec<StartUnit>,
        stock: BySeat<u32>,
    ) -> Result<Map> {
        if width == 0 || height == 0 {
            return Err(MapError::Empty);
        }
        if usize::from(width.max(height)) > MAX_SIDE {
            let (line, column) = (usize::from(height), usize::from(width));
            let beyond = |side: usize| if side > MAX_SIDE { MAX_SIDE + 1 } else { 1 };
            return Err(MapError::TooLarge { line: beyond(line), column: beyond(column) });
        }
        let mut taken = [[false; MAX_SIDE]; MAX_SIDE];
        for cell in walls.iter().copied().chain(units.iter().map(|unit| unit.cell)) {
            let on_board = cell.x < width && cell.y < height;
            if !on_board
                || std::mem::replace(&mut taken[usize::from(cell.y)][usize::from(cell.x)], true)
            {
                return Err(MapError::Misplaced { cell, width, height });
            }
        }
        for &StartUnit { kind, owner, cell, carried, hp } in &units {
            let impossible = |rule| Err(MapError::Impossible { kind, cell, rule });
            if (kind == UnitKind::Mine) != owner.is_none() {
                return impossible("an owner, unless it is a mine");
            }
            if hp == Some(0) {
                return impossible("at least 1 hp");
            }
            if kind == UnitKind::Mine && carried == 0 {
                return impossible("at least 1 resource");
            }
        }
        for seat in Seat::BOTH {
            if !units.iter().any(|unit| unit.owner == Some(seat)) {
                return Err(MapError::NoUnits { seat });
            }
        }
        Ok(Map { name: name.into(), width, height, walls, units, stock })
    }

    /// Parses a map drawn as text, a row of cells on each line: `.` empty, `#` wall, `*` mine; B, K, W, L, H and R are
    /// the base, barracks, worker, light, heavy and ranged of the first player, and the lower-case letters are the
    /// units of the second player. Units are listed row by row. Each player has 5 resources, and each mine holds 20.
    ///
    /// # Errors
    ///
    /// Returns an error with the line and the column if the text is not such a map.
    pub fn from_text(name: impl Into<String>, text: &str) -> Result<Map> {
        let rows: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
        Map::drawn(name, &rows, MINE, STOCK)
    }

    fn drawn(name: impl Into<String>, rows: &[&str], mine: u8, stock: u32) -> Result<Map> {
        let width = rows.first().map_or(0, |row| row.chars().count());
        if width == 0 {
            return Err(MapError::Empty);
        }
        let (mut walls, mut units) = (Vec::new(), Vec::new());
        for (y, row) in rows.iter().enumerate() {
            let line = y + 1;
            if y >= MAX_SIDE {
                return Err(MapError::TooLarge { line, column: 1 });
            }
            for (x, found) in row.chars().enumerate() {
                let column = x + 1;
                if x >= MAX_SIDE {
                    return Err(MapError::TooLarge { line, column });
                }
                let cell = Cell::new(x as u8, y as u8);
                match found {
                    '.' => continue,
                    '#' => {
                        walls.push(cell);
                        continue;
                    }
                    _ => {}
                }
                let kind = UnitKind::of_letter(found.to_ascii_uppercase())
                    .ok_or(MapError::UnknownLetter { line, column, found })?;
                let owner = match kind {
                    UnitKind::Mine => None,
                    _ if found.is_ascii_lowercase() => Some(Seat::Second),
                    _ => Some(Seat::First),
                };
                let carried = if kind == UnitKind::Mine { mine } else { 0 };
                units.push(StartUnit { kind, owner, cell, carried, hp: None });
            }
            let found = row.chars().count();
            if found != width {
                let column = found.min(width) + 1;
                return Err(MapError::Ragged { line, column, found, expected: width });
            }
        }
        let stock = BySeat { first: stock, second: stock };
        Map::new(name, (width as u8, rows.len() as u8), walls, units, stock)
    }

    /// Returns the name of the map.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of columns, at most [`MAX_SIDE`].
    pub fn width(&self) -> u8 {
        self.width
    }

    /// Returns the number of rows, at most [`MAX_SIDE`].
    pub fn height(&self) -> u8 {
        self.height
    }

    /// Returns the cells with walls.
    pub fn walls(&self) -> &[Cell] {
        &self.walls
    }

    /// Returns the units, in the order that breaks ties during the game.
    pub fn units(&self) -> &[StartUnit] {
        &self.units
    }

    /// Returns the resources of each player at the start.
    pub fn stock(&self) -> BySeat<u32> {
        self.stock
    }

    /// Returns a hash of the map without its name. It has 53 bits, so that every JSON reader keeps it exactly. It is at
    /// least one million, so that it differs from the indices of built-in maps. Collisions are negligibly rare.
    pub fn number(&self) -> u64 {
        // FNV-1a, which gives the same result on every machine.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |byte: u8| hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        [self.width, self.height].into_iter().for_each(&mut add);
        for wall in &self.walls {
            [b'#', wall.x, wall.y].into_iter().for_each(&mut add);
        }
        for &StartUnit { kind, owner, cell, carried, hp } in &self.units {
            let owner = owner.map_or(0, |seat| 1 + (seat == Seat::Second) as u8);
            let unit = [kind.letter() as u8, owner, cell.x, cell.y, carried, hp.unwrap_or(0)];
            unit.into_iter().for_each(&mut add);
        }
        for stock in [self.stock.first, self.stock.second] {
            stock.to_le_bytes().into_iter().for_each(&mut add);
        }
        const NAMED: u64 = 1_000_000;
        NAMED + hash % ((1 << 53) - NAMED)
    }

    /// Returns the same map with `resources` resources in each mine, at least 1.
    #[must_use]
    pub fn with_mines(&self, resources: u8) -> Map {
        let mut map = self.clone();
        let mines = map.units.iter_mut().filter(|unit| unit.kind == UnitKind::Mine);
        mines.for_each(|mine| mine.carried = resources.max(1));
        map
    }

    /// Returns the built-in map with this name.
    pub fn named(name: &str) -> Option<Map> {
        let of_name = |text: &&str| text.split(' ').next() == Some(name);
        let (first, rows) = BUILT_IN.split("\n\n").find(of_name)?.split_once('\n')?;
        let words: Vec<&str> = first.split(' ').collect();
        let [_, mine, stock, ref order @ ..] = words[..] else { return None };
        let (mine, stock) = (mine.parse().ok()?, stock.parse().ok()?);
        let rows: Vec<&str> = rows.lines().collect();
        let mut map = Map::drawn(name, &rows, mine, stock).expect("a map of this program");
        let place = |unit: &StartUnit| {
            let place = format!("{:x}{:x}", unit.cell.x, unit.cell.y);
            order.iter().position(|listed| *listed == place)
        };
        map.units.sort_by_key(place);
        Some(map)
    }

    /// Returns the built-in map with this index in [`MAP_NAMES`].
    pub fn built_in(index: usize) -> Option<Map> {
        Map::named(MAP_NAMES.get(index)?)
    }
}

/// The names of the built-in maps, in the order of their indices.
pub const MAP_NAMES: [&str; 12] = [
    "8x8-1", "8x8-2", "8x8-3", "8x8-4", "12x12-1", "12x12-2", "12x12-3", "12x12-4", "12x12-6",
    "16x16-1", "walls8x8", "melee8x8",
];

/// The built-in maps, with blank lines between them. The first line of a map has its name, the resources in a mine and in
/// a stock, and the cells of the units, in the order that breaks ties. Each cell is written as x and y in hexadecimal.
///
/// They are the maps of Ontañón (2017), where 8x8-1 is called 8x8-1base, and three other maps. The order of units follows
/// the program of the paper. So do the mines of two maps: they hold 10 resources in the program, but 20 according to the
/// paper.
const BUILT_IN: &str = include_str!("maps.txt");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_read_from_text() {
        let map = Map::from_text("small", "*.B#\r\n.wW.\n\n").expect("a map");
        assert_eq!((map.width(), map.height(), map.walls()), (4, 2, &[Cell::new(3, 0)][..]));
        let units: Vec<_> =
            map.units().iter().map(|u| (u.kind.letter(), u.owner, u.carried)).collect();
        let (first, second) = (Some(Seat::First), Some(Seat::Second));
        assert_eq!(units, [('*', None, 20), ('B', first, 0), ('W', second, 0), ('W', first, 0)]);
        assert_eq!(map.stock(), BySeat { first: 5, second: 5 });
        assert!(
            map.with_mines(7).units().iter().all(|unit| unit.owner.is_some() || unit.carried == 7)
        );
    }

    #[test]
    fn errors_of_maps_name_line_and_column() {
        let long = "W".repeat(65);
        let high = "Ww\n".repeat(65);
        for (text, expected) in [
            ("", "the map has no cells"),
            ("\n\n", "the map has no cells"),
            (
                "B..\n..\n.b.",
                "line 2, column 3: this row ends after 2 cells, but the first one has 3",
            ),
            ("B..\n.b..", "line 2, column 4: this row ends after 4 cells"),
            ("B..\n.bX", "line 2, column 3: `X` stands for nothing"),
            ("B..\n.b ..", "line 2, column 3: ` ` stands for nothing"),
            (&long, "line 1, column 65: the map is larger than 64 x 64 cells"),
            (&high, "line 65, column 1: the map is larger"),
            ("B..", "the second player has no unit; write at least one of bkwlhr"),
            ("*.b", "the first player has no unit; write at least one of BKWLHR"),
        ] {
            let error = Map::from_text("wrong", text).expect_err(text).to_string();
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }

    /// Each map lists each of its units once, and is symmetric under a half turn.
    #[test]
    fn built_in_maps_are_whole() {
        for name in MAP_NAMES {
            let map = Map::named(name).expect("a built-in map");
            let first = BUILT_IN.lines().find(|line| line.split(' ').next() == Some(name));
            let order: Vec<&str> = first.expect("the same").split(' ').skip(3).collect();
            assert_eq!(order.len(), map.units().len(), "{name}");
            for (unit, listed) in map.units().iter().zip(order) {
                assert_eq!(format!("{:x}{:x}", unit.cell.x, unit.cell.y), listed, "{name}");
                let turned =
                    Cell::new(map.width() - 1 - unit.cell.x, map.height() - 1 - unit.cell.y);
                let owner = unit.owner.map(Seat::other);
                let other = map.units().iter().find(|other| other.cell == turned);
                assert_eq!(
                    other.map(|other| (other.kind, other.owner)),
                    Some((unit.kind, owner)),
                    "{name}"
                );
            }
        }
        assert_eq!(Map::named("8x8-1base"), None);
        assert_eq!(Map::built_in(12), None);
    }
}
