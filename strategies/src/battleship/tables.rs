//! Places of ships as bits, and classes of places that share a weight.

use std::ops::Range;
use std::sync::LazyLock;

use ruse_games::battleship::{MAX_SHIPS, Placement, Sea};

/// The number of bits of a word.
pub(super) const WORD: usize = 64;

/// The number of kinds of lines, and of kinds of offsets within a line: at the border, next to the border, further
/// inside.
pub(super) const NUM_KINDS: usize = 3;
/// The number of classes of places of one ship: kind of line x kind of offset.
pub(super) const NUM_CLASSES: usize = NUM_KINDS * NUM_KINDS;

/// A set of places in `W` words: one bit, called a slot, for each place of each ship. Each ship starts at a new word,
/// so some bits are unused.
pub(super) type PlacementSet<const W: usize> = [u64; W];

/// Returns the slots of the bits that are set in `word`, which has the index `word_index` in its set of places.
#[inline]
pub(super) fn slots_of(word_index: usize, mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = word.trailing_zeros() as usize;
        (word != 0).then(|| {
            word &= word - 1;
            64 * word_index + bit
        })
    })
}

/// Returns the words of `set` that belong to a ship, with their indices.
#[inline]
pub(super) fn words_of<const S: usize, const W: usize>(
    set: &PlacementSet<W>,
    ship: usize,
) -> impl Iterator<Item = (usize, u64)> {
    let words = word_range::<S>(ship);
    words.clone().zip(set[words].iter().copied())
}

/// Returns the range of the words that belong to a ship in a [`PlacementSet`] of `S` ships.
#[inline(always)]
pub(super) fn word_range<const S: usize>(ship: usize) -> Range<usize> {
    Words::<S>::FIRST[ship]..Words::<S>::FIRST[ship + 1]
}

/// The layout of the words of `S` ships.
struct Words<const S: usize>;

impl<const S: usize> Words<S> {
    /// The index of the first word of each ship in a [`PlacementSet`], and the end of the last ship.
    const FIRST: [usize; MAX_SHIPS + 1] = {
        let sea = sea_of(S);
        let mut first = [0; MAX_SHIPS + 1];
        let mut ship = 0;
        while ship < S {
            let num_places = 2 * sea.side() * (sea.side() + 1 - sea.ship_lengths()[ship]);
            first[ship + 1] = first[ship] + num_places.div_ceil(WORD);
            ship += 1;
        }
        first
    };
}

/// Returns the sea with `num_ships` ships.
///
/// # Panics
///
/// Panics if there is no such sea.
pub(super) const fn sea_of(num_ships: usize) -> Sea {
    let mut index = 0;
    while Sea::ALL[index].num_ships() != num_ships {
        index += 1;
    }
    Sea::ALL[index]
}

/// The place of a slot, with derived data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) place: Placement,
    /// The index of the ship in [`Sea::ship_lengths`].
    pub(super) ship: u8,
    length: u8,
    /// The direction: 0 for a place in a row, 1 for a place in a column.
    pub(super) direction: u8,
    /// The class of the place: kind of line x [`NUM_KINDS`] + kind of offset.
    pub(super) class: u8,
    /// The numbers of the cells; only the first `length` entries are valid.
    numbers: [u8; 5],
}

impl Slot {
    fn new(sea: Sea, ship: usize, place: Placement) -> Slot {
        let (side, length) = (sea.side(), sea.ship_lengths()[ship]);
        let Placement { ship: lies, cells } = place;
        let (row, column) = (lies.end.row(), lies.end.column());
        let (line, offset) = if lies.vertical { (column, row) } else { (row, column) };
        let class = NUM_KINDS * kind(line, side - 1) + kind(offset, side - length);
        let mut numbers = [0; 5];
        for (number, cell) in numbers.iter_mut().zip(cells) {
            *number = sea.number(cell) as u8;
        }
        Slot {
            place,
            ship: ship as u8,
            length: length as u8,
            direction: u8::from(lies.vertical),
            class: class as u8,
            numbers,
        }
    }

    #[inline]
    pub(super) fn first_cell(&self) -> usize {
        usize::from(self.numbers[0])
    }

    #[inline]
    pub(super) fn cell_numbers(&self) -> impl Iterator<Item = usize> {
        self.numbers[..usize::from(self.length)].iter().map(|&number| usize::from(number))
    }
}

/// Returns the kind of an index in `0..=last`: its distance to the nearer end, but at most 2.
fn kind(index: usize, last: usize) -> usize {
    index.min(last - index).min(NUM_KINDS - 1)
}

/// Tables for a board of `C` cells and its `S` ships, whose places take `W` words.
#[derive(Debug)]
pub(super) struct Tables<const S: usize, const C: usize, const W: usize> {
    slots: [[Slot; WORD]; W],
    /// All places of all ships.
    pub(super) all: PlacementSet<W>,
    /// The places that contain each cell, indexed by the number of the cell.
    pub(super) at_cell: [PlacementSet<W>; C],
    /// The places that cross the place of each slot.
    crossing: [[PlacementSet<W>; WORD]; W],
    /// The places that touch the place of each slot.
    touching: [[PlacementSet<W>; WORD]; W],
    /// The places in a row, and the places in a column.
    pub(super) in_direction: [PlacementSet<W>; 2],
    /// The slots of all places, by ship and class.
    by_class: Vec<u16>,
    /// For each class of each ship, the range of the class's slots in `by_class`.
    class_ranges: [[(u16, u16); NUM_CLASSES]; S],
}

/// A value that is created once per program.
pub(super) trait Once: Sized + 'static {
    /// Returns the value. The first call creates the value.
    fn get() -> &'static Self;
}

/// The tables of the board of the paper.
pub(super) type PaperTables = Tables<4, 81, 9>;
/// The tables of the shop board.
pub(super) type ShopTables = Tables<5, 100, 14>;

impl Once for PaperTables {
    fn get() -> &'static PaperTables {
        static TABLES: LazyLock<Box<PaperTables>> = LazyLock::new(|| Box::new(Tables::new()));
        &TABLES
    }
}

impl Once for ShopTables {
    fn get() -> &'static ShopTables {
        static TABLES: LazyLock<Box<ShopTables>> = LazyLock::new(|| Box::new(Tables::new()));
        &TABLES
    }
}

impl<const S: usize, const C: usize, const W: usize> Tables<S, C, W> {
    pub(super) const SEA: Sea = {
        let sea = sea_of(S);
        assert!(sea.num_cells() == C && Words::<S>::FIRST[S] == W, "tables are those of a sea");
        sea
    };

    fn new() -> Tables<S, C, W> {
        let nothing: PlacementSet<W> = [0; W];
        let nowhere = Slot::new(Self::SEA, 0, Self::SEA.placements_of(0)[0]);
        let mut tables = Tables {
            slots: [[nowhere; WORD]; W],
            all: nothing,
            at_cell: [nothing; C],
            crossing: [[nothing; WORD]; W],
            touching: [[nothing; WORD]; W],
            in_direction: [nothing; 2],
            by_class: Vec::new(),
            class_ranges: [[(0, 0); NUM_CLASSES]; S],
        };
        for ship in 0..S {
            let first = WORD * word_range::<S>(ship).start;
            for (slot_index, &place) in (first..).zip(Self::SEA.placements_of(ship)) {
                let slot = Slot::new(Self::SEA, ship, place);
                let (word, bit) = (slot_index / WORD, 1 << (slot_index % WORD));
                tables.slots.as_flattened_mut()[slot_index] = slot;
                tables.all[word] |= bit;
                tables.in_direction[usize::from(slot.direction)][word] |= bit;
                for number in slot.cell_numbers() {
                    tables.at_cell[number][word] |= bit;
                }
            }
        }
        let places: Vec<usize> = (0..W).flat_map(|word| slots_of(word, tables.all[word])).collect();
        for &slot_index in &places {
            let cells = tables.slot(slot_index).place.cells;
            for &other in &places {
                let other_cells = tables.slot(other).place.cells;
                let (word, bit) = (other / WORD, 1 << (other % WORD));
                if !other_cells.is_disjoint(cells) {
                    tables.crossing.as_flattened_mut()[slot_index][word] |= bit;
                } else if !other_cells.is_disjoint(cells.neighbours(Self::SEA)) {
                    tables.touching.as_flattened_mut()[slot_index][word] |= bit;
                }
            }
        }
        for ship in 0..S {
            for class in 0..NUM_CLASSES {
                let start = tables.by_class.len();
                let is_one = |slot: &Slot| {
                    (usize::from(slot.ship), usize::from(slot.class)) == (ship, class)
                };
                let slots = places.iter().filter(|&&slot_index| is_one(tables.slot(slot_index)));
                let slots: Vec<u16> = slots.map(|&slot_index| slot_index as u16).collect();
                tables.by_class.extend(slots);
                tables.class_ranges[ship][class] = (start as u16, tables.by_class.len() as u16);
            }
        }
        tables
    }

    #[inline(always)]
    pub(super) fn slot(&self, slot_index: usize) -> &Slot {
        &self.slots.as_flattened()[slot_index]
    }

    /// Returns the places that share a cell with the place of this slot.
    #[inline(always)]
    pub(super) fn crossing(&self, slot_index: usize) -> &PlacementSet<W> {
        &self.crossing.as_flattened()[slot_index]
    }

    /// Returns the places that do not cross the place of this slot, but share a side with it.
    #[inline(always)]
    pub(super) fn touching(&self, slot_index: usize) -> &PlacementSet<W> {
        &self.touching.as_flattened()[slot_index]
    }

    #[inline]
    pub(super) fn class(&self, ship: usize, class: usize) -> &[u16] {
        let (start, end) = self.class_ranges[ship][class];
        &self.by_class[usize::from(start)..usize::from(end)]
    }
}
