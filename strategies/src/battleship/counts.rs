//! How many fleets there are of given classes and number of touching pairs.
//!
//! # How they are counted
//!
//! All ships but the last two are placed one by one, the longest first. Of the places of the longest ship that turns and
//! reflections carry into each other only one is looked at. Given these ships, the free places of the shortest ship are
//! sorted by their class and by how many of these ships they touch; what remains is to see what each free place of the
//! last ship but one changes, which is only at the places near it. Of two ships of the same length that come second and
//! third from the end, only one order is looked at.
//!
//! Time: once in a program, some hundredths of a second for the board of the paper, and about a second for that of the
//! shops. Memory: 157 kB, and 2.1 MB.

use std::sync::LazyLock;

use super::tables::{
    NUM_CLASSES, Once, PaperTables, PlacementSet, ShopTables, Tables, WORD, slots_of, word_range,
};

/// Classes of the two long ships.
pub(super) const NUM_CLASS_PAIRS: usize = NUM_CLASSES * NUM_CLASSES;
/// One more than the most pairs that touch in any fleet.
pub(super) const MAX_NUM_TOUCHING: usize = num_touching(5);

/// How many numbers of touching pairs there are, with 0. Of four ships five pairs can touch: six would need ships each of
/// which touches all others, and there are no such places. Of five ships eight pairs can
/// touch; that nine and ten cannot is seen when all fleets are counted.
pub(super) const fn num_touching(num_ships: usize) -> usize {
    if num_ships <= 4 { 6 } else { 9 }
}

/// How many fleets of `S` ships there are of given classes and number of touching pairs.
pub(super) struct Counts<const S: usize> {
    /// By the classes of the two longest ships, then by those of the others, the longest first, and the number of pairs.
    /// All are exact in 32-bit floating-point numbers, as [`Counts::count`] checks.
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
    /// The counts for given classes of the long ships.
    pub(super) const ROW: usize = NUM_CLASSES.pow(S as u32 - 2) * num_touching(S);

    /// The counts by the classes of the short ships and the number of touching pairs, for given `classes` of the two
    /// longest ships.
    pub(super) fn row(&self, classes: usize) -> &[f32] {
        &self.counts[classes * Self::ROW..][..Self::ROW]
    }

    /// All rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.counts.chunks_exact(Self::ROW)
    }

    /// The class of each ship, the shortest first, in row `longs`, and in this row with classes `shorts` of the others.
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
            // In a row, in the upper half, starting in the left half of the possible columns.
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
            // Beyond 24 bits this holds because counts have factors of 2: none of the eight images of a fleet is the same.
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

/// Pairs of ships.
const fn num_pairs<const S: usize>() -> usize {
    S * (S - 1) / 2
}

/// The ships that are placed already.
#[derive(Clone, Copy)]
struct Placed {
    /// Their classes, the longest ship first, as digits.
    classes: usize,
    /// How many pairs of them touch.
    touching: usize,
    /// How many fleets this one stands for.
    images: i32,
}

/// A place of the shortest ship that cannot be taken, or touches, if another ship lies where it does.
#[derive(Clone, Copy)]
struct Near {
    /// The place, counted from the first one of the ship.
    place: u8,
    touches: bool,
}

struct Counter<'a, const S: usize, const C: usize, const W: usize> {
    tables: &'a Tables<S, C, W>,
    /// By classes of all ships, the longest first, and by the number of touching pairs, which is anything from 0 to that
    /// of all pairs: what is added and taken away again may be impossible.
    counts: Vec<i32>,
    /// By the place of the last ship but one, counted from its first slot.
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
    /// The free places of a ship, those that touch `others`, and how many of them they touch.
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

    /// Counts the fleets in which the ships after `ship` lie at `others`, which cross the places `taken`.
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

    /// Whether the third ship from the end is as long as the second, so that one order of the two tells about both.
    const HAS_TWINS: bool = {
        let lengths = Tables::<S, C, W>::SEA.ship_lengths();
        lengths[1] == lengths[2]
    };

    /// Counts the fleets in which all ships but the last two lie at `others`, of which the first one comes last.
    fn count_two(&mut self, placed: Placed, taken: &PlacementSet<W>, others: &[usize]) {
        const TAKEN: u16 = u16::MAX;
        let tables = self.tables;
        let num_touching = num_pairs::<S>() + 1;
        // By place of the shortest ship: its class and how many of the others it touches, as in a row of the table.
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
        // The place of the twin, if there is one, counted as that of the last ship but one.
        let twin = others[others.len() - 1] - WORD * word_range::<S>(2).start;
        // How often a class and a number of touching pairs occur.
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

    /// The counts of both orders of twins.
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
        // The numbers of fleets, from independent programs.
        assert_eq!(total(Counts::<4>::get()), 84_547_392.0);
        assert_eq!(total(Counts::<5>::get()), 30_093_975_536.0);
        // A fleet and the number of pairs that touch are found in the table.
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
