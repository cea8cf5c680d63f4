//! The exact score of lists of orders against a player that chooses columns at random. The redrawn baseline is such a
//! player: its orders are drawn independently, so its earlier moves do not predict its next move.
//!
//! All positions after the same number of stones are kept with their probabilities, and then replaced by the positions
//! one stone later. A stone whose lines all contain a stone of the opponent or leave the board cannot be part of a
//! four. It is assigned to neither player, which reduces the positions to a third or fewer. A position takes 56 bits,
//! two for each cell.
//!
//! Cost: for most lists on four rows, 1 to 2 million positions and up to 30 MB for both seats. A fifth row would
//! multiply the positions and the memory.

use ruse_base::hashing::mix;
use ruse_games::Seat;
use ruse_games::column_board::{Columns, NUM_COLUMNS, cells_in_fours, has_four};
use ruse_games::phantom_four::ColumnOrder;

use crate::phantom_tic_tac_toe::OutcomeProbabilities;

/// The largest number of rows: higher boards have too many positions, and two bits per cell would not fit.
pub(super) const MAX_ROWS: u32 = 4;

/// The relevant part of a position: for each player, the cells that are free or contain a stone of the player that may
/// still be part of a four.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Position {
    mine: u64,
    theirs: u64,
}

impl Position {
    fn free(self) -> u64 {
        self.mine & self.theirs
    }

    fn reversed(self) -> Position {
        Position { mine: self.theirs, theirs: self.mine }
    }

    /// Returns the position after player `mine` has put a stone on the free cell `cell` (a set of one cell), or `None`
    /// if the stone completes four in a row.
    #[inline(always)]
    fn put(self, cell: u64) -> Option<Position> {
        let stones = self.mine & !self.theirs | cell;
        if has_four(stones) {
            return None;
        }
        let free = self.free() & !cell;
        let theirs = self.theirs & !cell;
        Some(Position {
            mine: free | stones & cells_in_fours(self.mine),
            theirs: free | theirs & cells_in_fours(theirs),
        })
    }

    /// Returns the key of the position. Columns of four cells are half bytes, so the two sets can be interleaved.
    fn key(self) -> u64 {
        self.mine | self.theirs << MAX_ROWS
    }

    fn of_key(key: u64) -> Position {
        /// The bits of the lower half of each byte.
        const HALVES: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        Position { mine: key & HALVES, theirs: key >> MAX_ROWS & HALVES }
    }
}

/// The positions after a number of stones, with their probabilities: a hash table with open addressing and a
/// reproducible order.
struct Layer {
    /// The slots, each with a key and a probability. A vacant slot has key 0; other keys have the highest bit set.
    slots: Vec<(u64, f64)>,
    num_positions: usize,
}

impl Layer {
    const TAKEN: u64 = 1 << 63;

    /// Creates an empty layer with space for `num_positions` positions.
    fn with_room_for(num_positions: usize) -> Layer {
        let num_slots = (2 * num_positions).next_power_of_two().max(16);
        Layer { slots: vec![(0, 0.0); num_slots], num_positions: 0 }
    }

    #[inline]
    fn add(&mut self, position: Position, probability: f64) {
        if 2 * self.num_positions >= self.slots.len() {
            self.grow();
        }
        self.add_key(position.key() | Layer::TAKEN, probability);
    }

    #[inline]
    fn add_key(&mut self, key: u64, probability: f64) {
        let last = self.slots.len() - 1;
        // The positions of the previous layer come in the order of their hashes, so the hashes of their successors must
        // be unrelated; a mere product would fill one part of the table after the other.
        let mut index = mix(key) as usize & last;
        loop {
            let slot = &mut self.slots[index];
            if slot.0 == key {
                slot.1 += probability;
                return;
            }
            if slot.0 == 0 {
                *slot = (key, probability);
                self.num_positions += 1;
                return;
            }
            index = (index + 1) & last;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let mut larger = Layer::with_room_for(self.slots.len());
        for &(key, probability) in self.slots.iter().filter(|slot| slot.0 != 0) {
            larger.add_key(key, probability);
        }
        *self = larger;
    }

    fn positions(&self) -> impl Iterator<Item = (Position, f64)> {
        let taken = self.slots.iter().filter(|slot| slot.0 != 0);
        taken.map(|&(key, probability)| (Position::of_key(key & !Layer::TAKEN), probability))
    }
}

/// Returns the probabilities of the outcomes for a player that follows `orders` in `seat` against random columns. The
/// board has at most [`MAX_ROWS`] rows.
pub(super) fn outcome_against_random(
    columns: Columns,
    orders: &[ColumnOrder],
    seat: Seat,
) -> OutcomeProbabilities {
    debug_assert!(columns.num_rows() <= MAX_ROWS, "{} rows", columns.num_rows());
    let cells = columns.cells();
    let mut sum = OutcomeProbabilities::default();
    let mut layer = Layer::with_room_for(1);
    layer.add(Position { mine: cells, theirs: cells }, 1.0);
    for num_stones in 0..columns.num_cells() as usize {
        let mut next = Layer::with_room_for(layer.num_positions);
        let is_own_turn = (num_stones % 2 == 0) == (seat == Seat::First);
        for (position, probability) in layer.positions() {
            let occupied = cells & !position.free();
            let landing = |column| columns.landing(occupied, column);
            if is_own_turn {
                let order = orders[num_stones / 2].columns();
                let cell = order.into_iter().map(landing).find(|&cell| cell != 0);
                match position.put(cell.expect("the board is not full")) {
                    Some(position) => next.add(position, probability),
                    None => sum.win += probability,
                }
                continue;
            }
            let num_full = columns.full_columns(occupied).count_ones();
            let share = probability / f64::from(NUM_COLUMNS as u32 - num_full);
            let free_cells = (0..NUM_COLUMNS as u8).map(landing).filter(|&cell| cell != 0);
            for cell in free_cells {
                match position.reversed().put(cell) {
                    Some(position) => next.add(position.reversed(), share),
                    None => sum.loss += share,
                }
            }
        }
        layer = next;
    }
    sum.draw = layer.positions().map(|(_, probability)| probability).sum();
    sum
}
