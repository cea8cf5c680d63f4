//! The places of the ships as bits, and the classes of places that share a weight.

use std::sync::LazyLock;

use ruse_games::battleship::{
    ALL_PLACEMENTS, NUM_CELLS, NUM_SHIPS, Placement, SHIP_LENGTHS, SIDE, placements_of,
};

/// Words of a [`PlacementSet`].
pub(super) const NUM_WORDS: usize = 9;
/// Where the words of each ship start in a [`PlacementSet`], and where those of the last one end.
pub(super) const FIRST_WORDS: [usize; NUM_SHIPS + 1] = [0, 3, 5, 7, NUM_WORDS];
/// Bits of a [`PlacementSet`], some of which stand for nothing.
pub(super) const NUM_SLOTS: usize = 64 * NUM_WORDS;

/// Kinds of lines, and of offsets within a line: at the border, next to it, further inside.
pub(super) const NUM_KINDS: usize = 3;
/// Classes of places of one ship: kind of line x kind of offset.
pub(super) const NUM_CLASSES: usize = NUM_KINDS * NUM_KINDS;

/// A set of places: one bit, called slot, for each place of each ship. Each ship has words of its own.
pub(super) type PlacementSet = [u64; NUM_WORDS];

/// The slots of the bits of `word`, which is the one of index `word_index`.
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

/// The words of a ship in `set`, with their indices.
#[inline]
pub(super) fn words_of(set: &PlacementSet, ship: usize) -> impl Iterator<Item = (usize, u64)> {
    let words = FIRST_WORDS[ship]..FIRST_WORDS[ship + 1];
    words.clone().zip(set[words].iter().copied())
}

/// What there is to know about the place of a slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) place: Placement,
    /// The index of the ship in [`SHIP_LENGTHS`].
    pub(super) ship: u8,
    /// 0 for places in a row, 1 for those in a column.
    pub(super) direction: u8,
    /// Kind of line x [`NUM_KINDS`] + kind of offset.
    pub(super) class: u8,
    /// The indices of the cells, as many as the ship has.
    indices: [u8; 5],
}

impl Slot {
    fn new(ship: usize, place: Placement) -> Slot {
        let Placement { ship: lies, cells } = place;
        let (row, column) = (lies.end.row(), lies.end.column());
        let (line, offset) = if lies.vertical { (column, row) } else { (row, column) };
        let class = NUM_KINDS * kind(line, SIDE - 1) + kind(offset, SIDE - SHIP_LENGTHS[ship]);
        let mut indices = [0; 5];
        for (index, cell) in indices.iter_mut().zip(cells) {
            *index = cell.index() as u8;
        }
        Slot {
            place,
            ship: ship as u8,
            direction: u8::from(lies.vertical),
            class: class as u8,
            indices,
        }
    }

    /// The indices of the cells.
    #[inline]
    pub(super) fn cell_indices(&self) -> impl Iterator<Item = usize> {
        let length = usize::from(self.ship) + SHIP_LENGTHS[0];
        self.indices[..length].iter().map(|&index| usize::from(index))
    }
}

/// The distance to the nearer end of `0..=last`, as a kind: 0, 1, or more.
fn kind(index: usize, last: usize) -> usize {
    index.min(last - index).min(NUM_KINDS - 1)
}

/// Tables that depend on nothing but the board and the ships.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) slots: [Slot; NUM_SLOTS],
    /// All places of all ships.
    pub(super) all: PlacementSet,
    /// The places that contain each cell.
    pub(super) at_cell: [PlacementSet; NUM_CELLS],
    /// The places that share a cell with the place of each slot.
    pub(super) crossing: [PlacementSet; NUM_SLOTS],
    /// The places that do not cross the place of each slot, but share a side with it.
    pub(super) touching: [PlacementSet; NUM_SLOTS],
    /// The places in a row, and those in a column.
    pub(super) in_direction: [PlacementSet; 2],
    /// The places of each class of each ship, in the words of the ship.
    pub(super) in_class: [PlacementSet; NUM_CLASSES],
    /// The slots of all places, ship by ship and class by class.
    by_class: [u16; ALL_PLACEMENTS],
    /// Where the slots of each class of each ship start in `by_class`, and where they end.
    class_ranges: [[(u16, u16); NUM_CLASSES]; NUM_SHIPS],
}

impl Tables {
    /// The tables, which are made once.
    pub(super) fn get() -> &'static Tables {
        static TABLES: LazyLock<Box<Tables>> = LazyLock::new(|| Box::new(Tables::new()));
        &TABLES
    }

    fn new() -> Tables {
        let nothing: PlacementSet = [0; NUM_WORDS];
        let nowhere = Slot::new(0, placements_of(0)[0]);
        let mut tables = Tables {
            slots: [nowhere; NUM_SLOTS],
            all: nothing,
            at_cell: [nothing; NUM_CELLS],
            crossing: [nothing; NUM_SLOTS],
            touching: [nothing; NUM_SLOTS],
            in_direction: [nothing; 2],
            in_class: [nothing; NUM_CLASSES],
            by_class: [0; ALL_PLACEMENTS],
            class_ranges: [[(0, 0); NUM_CLASSES]; NUM_SHIPS],
        };
        for (ship, first_word) in (0..NUM_SHIPS).zip(FIRST_WORDS) {
            for (slot_index, &place) in (64 * first_word..).zip(placements_of(ship)) {
                let slot = Slot::new(ship, place);
                let (word, bit) = (slot_index / 64, 1 << (slot_index % 64));
                tables.slots[slot_index] = slot;
                tables.all[word] |= bit;
                tables.in_direction[usize::from(slot.direction)][word] |= bit;
                tables.in_class[usize::from(slot.class)][word] |= bit;
                for cell in place.cells {
                    tables.at_cell[cell.index()][word] |= bit;
                }
            }
        }
        let places: Vec<usize> =
            (0..NUM_WORDS).flat_map(|word| slots_of(word, tables.all[word])).collect();
        for &slot_index in &places {
            let cells = tables.slots[slot_index].place.cells;
            for &other in &places {
                let other_cells = tables.slots[other].place.cells;
                let (word, bit) = (other / 64, 1 << (other % 64));
                if !other_cells.is_disjoint(cells) {
                    tables.crossing[slot_index][word] |= bit;
                } else if !other_cells.is_disjoint(cells.neighbours()) {
                    tables.touching[slot_index][word] |= bit;
                }
            }
        }
        let mut end = 0;
        for ship in 0..NUM_SHIPS {
            for class in 0..NUM_CLASSES {
                let start = end;
                for &slot_index in &places {
                    let slot = &tables.slots[slot_index];
                    if (usize::from(slot.ship), usize::from(slot.class)) == (ship, class) {
                        tables.by_class[end] = slot_index as u16;
                        end += 1;
                    }
                }
                tables.class_ranges[ship][class] = (start as u16, end as u16);
            }
        }
        tables
    }

    /// The slots of a class of a ship.
    #[inline]
    pub(super) fn class(&self, ship: usize, class: usize) -> &[u16] {
        let (start, end) = self.class_ranges[ship][class];
        &self.by_class[usize::from(start)..usize::from(end)]
    }
}
