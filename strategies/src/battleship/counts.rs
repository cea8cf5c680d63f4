//! Counts fleets by the classes of their places and the number of touching pairs.
//!
//! # Counting
//!
//! All ships except the last two are placed one by one, the longest first. If rotations or reflections map several
//! places of the longest ship to each other, only one of these places is tried. With these ships in place, the free
//! places of the shortest ship are counted by their class and by the number of placed ships that they touch. Then the
//! second-shortest ship is placed; each of its free places changes only the counts of nearby places of the shortest
//! ship. If the second and third ship from the end have the same length, the two are counted in one order only.
//!
//! The fleets are counted once per program. This takes a few hundredths of a second and 157 kB of memory for the board
//! of the paper, and about a second and 2.1 MB for the shop board.

use std::sync::LazyLock;

use super::tables::{
    NUM_CLASSES, Once, PaperTables, PlacementSet, ShopTables, Tables, WORD, slots_of, word_range,
};

/// The number of combinations of classes of the two longest ships.
pub(super) const NUM_CLASS_PAIRS: usize = NUM_CLASSES * NUM_CLASSES;
/// The largest number of touching pairs in any fleet, plus one.
pub(super) const MAX_NUM_TOUCHING: usize = num_touching(5);

/// Returns the largest number of touching pairs in a fleet, plus one. Among four ships up to five pairs can touch: six
/// would require four ships that all touch each other, which is impossible. Among five ships up to eight pairs can
/// touch; counting all fleets shows that nine and ten are impossible.
pub(super) const fn num_touching(num_ships: usize) -> usize {
    if num_ships <= 4 { 6 } else { 9 }
}

/// The numbers of fleets of `S` ships, by classes and number of touching pairs.
pub(super) struct Counts<const S: usize> {
    /// The counts, indexed by the classes of the two longest ships, then by the classes of the others (the longest
    /// first) and the number of touching pairs. 32-bit floating-point numbers represent all counts exactly, as
    /// [`Counts::count`] checks.
    counts: Vec<f32>,
}

impl Once for Counts<4> {
    fn get() -> &'static Counts<4> {
        static COUNTS: LazyLock<Counts<4>> = LazyLock::new(|| Counts::count(PaperTables::get()));
        &COUNTS
    }
}

impl Once for Counts<5> {
    fn get() -> &'static Counts<5> {
        static COUNTS: LazyLock<Counts<5>> = LazyLock::new(|| Counts::count(ShopTables::get()));
        &COUNTS
    }
}

impl<const S: usize> Counts<S> {
    /// The number of counts for given classes of the two longest ships.
    pub(super) const ROW: usize = NUM_CLASSES.pow(S as u32 - 2) * num_touching(S);

    /// Returns the counts for given `classes` of the two longest ships, indexed by the classes of the other ships and
    /// the number of touching pairs.
    pub(super) fn row(&self, classes: usize) -> &[f32] {
        &self.counts[classes * Self::ROW..][..Self::ROW]
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.counts.chunks_exact(Self::ROW)
    }

    /// Returns the class of each ship, the shortest first. `longs` is the index of a row: the classes of the two
    /// longest ships. `shorts` is the index of the other ships' classes in the row.
    #[inline]
    pub(super) fn classes(longs: usize, mut shorts: usize) -> [usize; S] {
        let mut classes = [0; S];
        for class in &mut classes[..S - 2] {
            *class = shorts % NUM_CLASSES;
            shorts /= NUM_CLASSES;
        }
        classes[S - 2] = longs % NUM_CLASSES;
        classes[S - 1] = longs / NUM_CLASSES;
        classes
    }

    fn count<const C: usize, const W: usize>(tables: &Tables<S, C, W>) -> Counts<S> {
        let sea = Tables::<S, C, W>::SEA;
        let mut counter = Counter {
            tables,
            counts: vec![0; NUM_CLASSES.pow(S as u32) * (num_pairs::<S>() + 1)],
            near: near_places(tables),
        };
        let longest = S - 1;
        let last_offset = sea.side() - sea.ship_lengths()[longest];
        for slot_index in word_range::<S>(longest).flat_map(|w| slots_of(w, tables.all[w])) {
            let slot = tables.slot(slot_index);
            let (row, column) = (slot.place.ship.end.row(), slot.place.ship.end.column());
            // Only one place of each orbit is used: the horizontal place in the upper half that starts in the left half
            // of the possible columns.
            let (mirrored_row, mirrored_column) =
                (sea.side() - 1 - row, last_offset.checked_sub(column));
            if slot.direction != 0 || row > mirrored_row || Some(column) > mirrored_column {
                continue;
            }
            let images = 2
                * if row < mirrored_row { 2 } else { 1 }
                * if Some(column) < mirrored_column { 2 } else { 1 };
            let taken = tables.crossing(slot_index);
            let placed = Placed { classes: usize::from(slot.class), touching: 0, images };
            counter.place(longest - 1, placed, taken, &[slot_index]);
        }
        let exact = |count: i64| {
            let float = count as f32;
            // Counts of more than 24 bits are exact as well, because they have factors of 2: the eight images of a
            // fleet all differ.
            assert_eq!(float as i64, count, "a count is not exact");
            float
        };
        let mut counts = Vec::with_capacity(NUM_CLASS_PAIRS * Self::ROW);
        for of_classes in counter.both_orders().chunks_exact(num_pairs::<S>() + 1) {
            let (exist, others) = of_classes.split_at(num_touching(S));
            assert!(others.iter().all(|&count| count == 0), "more pairs touch than can");
            counts.extend(exist.iter().map(|&count| exact(count)));
        }
        Counts { counts }
    }
}

const fn num_pairs<const S: usize>() -> usize {
    S * (S - 1) / 2
}

#[derive(Clone, Copy)]
struct Placed {
    /// The classes of the placed ships, as the digits of a number, the longest ship first.
    classes: usize,
    /// The number of touching pairs among the placed ships.
    touching: usize,
    /// The number of fleets that these ships represent: their images under rotations and reflections.
    images: i32,
}

/// A place of the shortest ship that crosses or touches a given place of another ship.
#[derive(Clone, Copy)]
struct Near {
    /// The number of the place, counted from the first place of the ship.
    place: u8,
    touches: bool,
}

struct Counter<'a, const S: usize, const C: usize, const W: usize> {
    tables: &'a Tables<S, C, W>,
    /// The counts, indexed by the classes of all ships, the longest first, and by the number of touching pairs, which
    /// ranges from 0 to the number of pairs. Impossible fleets are added first and subtracted later.
    counts: Vec<i32>,
    /// For each place of the second-shortest ship, the places of the shortest ship that cross or touch it. Index 0 is
    /// the first slot of the second-shortest ship.
    near: Vec<Vec<Near>>,
}

fn near_places<const S: usize, const C: usize, const W: usize>(
    tables: &Tables<S, C, W>,
) -> Vec<Vec<Near>> {
    let of_set = |set: &PlacementSet<W>, touches: bool| {
        let slots = word_range::<S>(0).flat_map(|word| slots_of(word, set[word]));
        slots.map(|slot| Near { place: slot as u8, touches }).collect::<Vec<_>>()
    };
    let first = WORD * word_range::<S>(1).start;
    let slots = word_range::<S>(1).flat_map(|word| slots_of(word, tables.all[word]));
    slots
        .enumerate()
        .map(|(place, slot)| {
            assert_eq!(first + place, slot, "the slots of a ship have no gaps");
            let mut near = of_set(tables.crossing(slot), false);
            near.extend(of_set(tables.touching(slot), true));
            near
        })
        .collect()
}

impl<const S: usize, const C: usize, const W: usize> Counter<'_, S, C, W> {
    /// Returns the free places of a ship, each with the number of places in `others` that it touches.
    fn free_places(
        &self,
        ship: usize,
        taken: &PlacementSet<W>,
        others: &[usize],
    ) -> Vec<(usize, usize)> {
        let tables = self.tables;
        let slots =
            word_range::<S>(ship).flat_map(|word| slots_of(word, tables.all[word] & !taken[word]));
        let touches = |slot: usize, other: usize| {
            tables.touching(other)[slot / WORD] >> (slot % WORD) & 1 == 1
        };
        let touching = |slot: usize| others.iter().filter(|&&other| touches(slot, other)).count();
        slots.map(|slot| (slot, touching(slot))).collect()
    }

    /// Counts the fleets in which the ships after `ship` lie at the slots `others`. `taken` contains the places that
    /// cross these ships.
    fn place(&mut self, ship: usize, placed: Placed, taken: &PlacementSet<W>, others: &[usize]) {
        if ship == 1 {
            self.count_two(placed, taken, others);
            return;
        }
        for (slot, touching) in self.free_places(ship, taken, others) {
            let crossing = self.tables.crossing(slot);
            let taken = std::array::from_fn(|word| taken[word] | crossing[word]);
            let placed = Placed {
                classes: placed.classes * NUM_CLASSES + usize::from(self.tables.slot(slot).class),
                touching: placed.touching + touching,
                ..placed
            };
            let others: Vec<usize> = others.iter().copied().chain([slot]).collect();
            self.place(ship - 1, placed, &taken, &others);
        }
    }

    /// True if the second-to-last and the third-to-last ship have the same length. They are then placed in one order
    /// only, and the other order is counted later.
    const HAS_TWINS: bool = {
        let lengths = Tables::<S, C, W>::SEA.ship_lengths();
        lengths[1] == lengths[2]
    };

    /// Counts the fleets whose ships, except the last two, lie at the slots `others`. The last entry of `others` is the
    /// place of the third-to-last ship.
    fn count_two(&mut self, placed: Placed, taken: &PlacementSet<W>, others: &[usize]) {
        const TAKEN: u16 = u16::MAX;
        let tables = self.tables;
        let num_touching = num_pairs::<S>() + 1;
        // For each place of the shortest ship, the index of its count in a row of the table. The index depends on the
        // class of the place and on the number of other ships that it touches.
        let mut columns = [TAKEN; 3 * WORD];
        let mut free = vec![0; NUM_CLASSES * num_touching];
        for (slot, touching) in self.free_places(0, taken, others) {
            let column = usize::from(tables.slot(slot).class) * num_touching + touching;
            columns[slot] = column as u16;
            free[column] += placed.images;
        }
        let free: Vec<(usize, i32)> =
            free.into_iter().enumerate().filter(|&(_, count)| count > 0).collect();
        let first_slot = WORD * word_range::<S>(1).start;
        // The place of the third-to-last ship, counted from its first slot. It is used only if the ship is a twin.
        let twin = others[others.len() - 1] - WORD * word_range::<S>(2).start;
        // The number of places of the second-to-last ship, by class and by the number of touching pairs so far.
        let mut num_second = vec![0; NUM_CLASSES * num_touching];
        for (slot, touching) in self.free_places(1, taken, others) {
            let place = slot - first_slot;
            if Self::HAS_TWINS && place < twin {
                continue;
            }
            let class = usize::from(tables.slot(slot).class);
            let touching = placed.touching + touching;
            num_second[class * num_touching + touching] += 1;
            let start = (placed.classes * NUM_CLASSES + class) * NUM_CLASSES * num_touching;
            let counts = &mut self.counts[start..];
            for near in &self.near[place] {
                let column = columns[usize::from(near.place)];
                if column != TAKEN {
                    let column = usize::from(column) + touching;
                    counts[column] -= placed.images;
                    if near.touches {
                        counts[column + 1] += placed.images;
                    }
                }
            }
        }
        for (index, count) in num_second.into_iter().enumerate().filter(|&(_, count)| count > 0) {
            let (class, touching) = (index / num_touching, index % num_touching);
            let start = (placed.classes * NUM_CLASSES + class) * NUM_CLASSES * num_touching;
            for &(column, free) in &free {
                self.counts[start + column + touching] += count * free;
            }
        }
    }

    /// Returns the final counts, in which ships of the same length appear in both orders.
    fn both_orders(&self) -> Vec<i64> {
        let last = NUM_CLASSES * (num_pairs::<S>() + 1);
        let other_order = |index: usize| {
            let (classes, rest) = (index / last, index % last);
            let (class, twin) = (classes % NUM_CLASSES, classes / NUM_CLASSES % NUM_CLASSES);
            let exchanged =
                classes / NUM_CLASS_PAIRS * NUM_CLASS_PAIRS + class * NUM_CLASSES + twin;
            exchanged * last + rest
        };
        (0..self.counts.len())
            .map(|index| {
                let other = if Self::HAS_TWINS { self.counts[other_order(index)] } else { 0 };
                i64::from(self.counts[index]) + i64::from(other)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn total<const S: usize>(counts: &Counts<S>) -> f64 {
        counts.counts.iter().map(|&count| f64::from(count)).sum()
    }

    #[test]
    fn all_fleets_are_counted() {
        // Independent programs found these numbers of fleets.
        assert_eq!(total(Counts::<4>::get()), 84_547_392.0);
        assert_eq!(total(Counts::<5>::get()), 30_093_975_536.0);
        // The documentation of this module and of `placing.rs` states these numbers.
        let largest = Counts::<4>::get().counts.iter().copied().fold(0.0, f32::max);
        assert!(largest <= 240_000.0, "{largest}");
        let most = |num_touching: usize, counts: &[f32]| {
            let found = counts.iter().enumerate().filter(|&(_, &count)| count > 0.0);
            found.map(|(index, _)| index % num_touching).max()
        };
        assert_eq!(most(6, &Counts::<4>::get().counts), Some(5));
        assert_eq!(most(9, &Counts::<5>::get().counts), Some(8));
    }
}
