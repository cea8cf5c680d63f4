//! Drawing a fleet.
//!
//! # Law
//!
//! A fleet has a probability in proportion to the product of the weights of its four places times
//! exp(contact x pairs of ships that touch). The weight of a place depends on its class only (9 classes
//! for each ship), so all fleets of the same four classes and the same number of touching pairs are
//! equally likely, and it matters how many these are. They are counted once per program.
//!
//! # Drawing
//!
//! 1. Classes and number of touching pairs are drawn from their exact distribution: count x weight. When
//!    the weights are so far apart that all products vanish, by the logarithms.
//! 2. Places of these classes are drawn uniformly until no two ships cross and as many pairs touch as
//!    they should: what is accepted is uniform.
//!
//! This is exact for all parameters, up to rounding, and cannot go on for ever: step 1 only proposes
//! what exists, and the rarest fleet is one of 240 000 candidates in step 2. On average there are two
//! to three dozen attempts.

use std::sync::LazyLock;

use rand::{Rng, RngExt};
use ruse_games::battleship::{Fleet, NUM_SHIPS, SHIP_LENGTHS};

use super::tables::{
    FIRST_WORDS, NUM_CLASSES, NUM_KINDS, NUM_WORDS, PlacementSet, Tables, slots_of,
};

/// Pairs of ships.
const NUM_PAIRS: usize = NUM_SHIPS * (NUM_SHIPS - 1) / 2;
/// The most pairs that touch in any fleet: six would need four ships each of which touches all others,
/// and there are no such places.
pub(super) const MAX_TOUCHING: usize = 5;
const NUM_TOUCHING: usize = MAX_TOUCHING + 1;
/// Classes of the two long ships, and of the two short ones.
const NUM_CLASS_PAIRS: usize = NUM_CLASSES * NUM_CLASSES;
/// Cells of the table of counts for given classes of the long ships.
const ROW: usize = NUM_CLASS_PAIRS * NUM_TOUCHING;
/// Below this sum of products, which is 1 or more when nothing vanishes, they are computed from
/// logarithms. What vanishes above it has a probability below 1e-100.
const MIN_LINEAR_TOTAL: f64 = 1e-200;

/// How many fleets there are of given classes and number of touching pairs. The largest count, 240 000 at
/// most, is exact in 24 bits.
struct Counts {
    /// By the classes of the ships of five and four cells, then by those of the ships of three and two
    /// and the number of pairs.
    rows: [[f32; ROW]; NUM_CLASS_PAIRS],
}

/// The place of the classes of the two short ships, and a number of pairs, in a row.
#[inline]
fn column(three: usize, two: usize, touching: usize) -> usize {
    (three * NUM_CLASSES + two) * NUM_TOUCHING + touching
}

impl Counts {
    fn get() -> &'static Counts {
        static COUNTS: LazyLock<Box<Counts>> = LazyLock::new(|| Box::new(Counts::new()));
        &COUNTS
    }

    /// Counts all fleets. The ships of two cells are counted by the dozen, and of the places of the ship
    /// of five that turns and reflections carry into each other only one is looked at.
    fn new() -> Counts {
        let tables = Tables::get();
        let mut counts = Counts { rows: [[0.0; ROW]; NUM_CLASS_PAIRS] };
        let disjoint = |ship: usize, taken: &PlacementSet, word: usize| {
            let words = FIRST_WORDS[ship]..FIRST_WORDS[ship + 1];
            if words.contains(&word) { tables.all[word] & !taken[word] } else { 0 }
        };
        let places = |ship: usize, taken: PlacementSet| {
            (FIRST_WORDS[ship]..FIRST_WORDS[ship + 1])
                .flat_map(move |word| slots_of(word, disjoint(ship, &taken, word)))
        };
        let union = |a: &PlacementSet, b: &PlacementSet| -> PlacementSet {
            std::array::from_fn(|word| a[word] | b[word])
        };
        let touches = |a: usize, b: usize| tables.touching[a][b / 64] >> (b % 64) & 1 == 1;
        for five in places(3, [0; NUM_WORDS]) {
            let slot = &tables.slots[five];
            let (row, column_index) = (slot.place.ship.end.row(), slot.place.ship.end.column());
            // In a row, in the upper half, starting in the left half of the possible columns.
            if slot.direction != 0 || row > 4 || column_index > 2 {
                continue;
            }
            let images =
                2.0 * if row < 4 { 2.0 } else { 1.0 } * if column_index < 2 { 2.0 } else { 1.0 };
            let taken = &tables.crossing[five];
            for four in places(2, *taken) {
                let taken = union(taken, &tables.crossing[four]);
                let touching = usize::from(touches(five, four));
                let classes =
                    usize::from(slot.class) * NUM_CLASSES + usize::from(tables.slots[four].class);
                let row = &mut counts.rows[classes];
                for three in places(1, taken) {
                    let taken = union(&taken, &tables.crossing[three]);
                    let touching = touching
                        + usize::from(touches(five, three))
                        + usize::from(touches(four, three));
                    let class = usize::from(tables.slots[three].class);
                    for word in FIRST_WORDS[0]..FIRST_WORDS[1] {
                        let free = disjoint(0, &taken, word);
                        let [a, b, c] = [five, four, three].map(|slot| tables.touching[slot][word]);
                        let (once, twice, thrice) = (a | b | c, a & b | c & (a | b), a & b & c);
                        let exactly = [
                            free & !once,
                            free & once & !twice,
                            free & twice & !thrice,
                            free & thrice,
                        ];
                        for (more, places) in exactly.into_iter().enumerate() {
                            if places == 0 {
                                continue;
                            }
                            assert!(touching + more <= MAX_TOUCHING, "more pairs touch than can");
                            for (two, in_class) in tables.in_class.iter().enumerate() {
                                let count = (places & in_class[word]).count_ones();
                                row[column(class, two, touching + more)] += images * count as f32;
                            }
                        }
                    }
                }
            }
        }
        counts
    }
}

/// The law of a fleet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placing {
    /// Of each class of each ship, shifted so that the largest of a ship is 0.
    log_weights: [[f64; NUM_CLASSES]; NUM_SHIPS],
    /// The logarithm of the factor of one touching pair.
    contact: f64,
    /// The factors of classes and numbers of touching pairs, each at most 1.
    weights: [[f64; NUM_CLASSES]; NUM_SHIPS],
    contacts: [f64; NUM_TOUCHING],
    /// What to subtract from logarithms so that the largest product is 1; nothing when products of the
    /// factors do.
    log_scale: Option<f64>,
    /// The weight of all fleets with given classes of the two long ships.
    row_totals: [f64; NUM_CLASS_PAIRS],
    total: f64,
}

impl Placing {
    /// The law of logarithms of weights for each ship and class, and of the factor of a pair that
    /// touches: any numbers whose sum is finite.
    pub(super) fn new(log_weights: &[[f64; NUM_CLASSES]; NUM_SHIPS], contact: f64) -> Placing {
        let mut placing = Placing {
            log_weights: [[0.0; NUM_CLASSES]; NUM_SHIPS],
            contact: 0.0,
            weights: [[0.0; NUM_CLASSES]; NUM_SHIPS],
            contacts: [0.0; NUM_TOUCHING],
            log_scale: None,
            row_totals: [0.0; NUM_CLASS_PAIRS],
            total: 0.0,
        };
        placing.set(log_weights, contact);
        placing
    }

    pub(super) fn set(&mut self, log_weights: &[[f64; NUM_CLASSES]; NUM_SHIPS], contact: f64) {
        self.log_weights = *log_weights;
        for log_weights in &mut self.log_weights {
            let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            log_weights.iter_mut().for_each(|log_weight| *log_weight -= largest);
        }
        self.contact = contact;
        self.weights = self.log_weights.map(|log_weights| log_weights.map(libm::exp));
        let largest = (contact * MAX_TOUCHING as f64).max(0.0);
        self.contacts =
            std::array::from_fn(|touching| libm::exp(contact * touching as f64 - largest));
        self.log_scale = None;
        self.set_totals();
        if self.total < MIN_LINEAR_TOTAL {
            self.log_scale = Some(self.largest_log_product());
            self.set_totals();
        }
    }

    fn set_totals(&mut self) {
        let mut terms = [0.0; ROW];
        for (classes, counts) in Counts::get().rows.iter().enumerate() {
            // The terms of a row are those of the first one times the weights of the long ships, unless
            // the products vanish.
            if self.log_scale.is_some() || classes == 0 {
                self.set_terms(classes, &mut terms);
            }
            let mut sums = [0.0; 9];
            // Nine sums at once, as additions have to wait for each other.
            for (terms, counts) in terms.chunks_exact(9).zip(counts.chunks_exact(9)) {
                for ((sum, term), &count) in sums.iter_mut().zip(terms).zip(counts) {
                    *sum += term * f64::from(count);
                }
            }
            let factor = if self.log_scale.is_some() { 1.0 } else { self.long_weight(classes) };
            self.row_totals[classes] = factor * sums.iter().sum::<f64>();
        }
        self.total = self.row_totals.iter().sum();
    }

    /// The product of the weights of the two long ships.
    fn long_weight(&self, classes: usize) -> f64 {
        self.weights[3][classes / NUM_CLASSES] * self.weights[2][classes % NUM_CLASSES]
    }

    /// The weights of one fleet for all cells of a row; in units of that of the long ships, unless the
    /// scale is logarithmic.
    fn set_terms(&self, classes: usize, terms: &mut [f64; ROW]) {
        for three in 0..NUM_CLASSES {
            for two in 0..NUM_CLASSES {
                for touching in 0..NUM_TOUCHING {
                    terms[column(three, two, touching)] = match self.log_scale {
                        None => {
                            self.weights[1][three] * self.weights[0][two] * self.contacts[touching]
                        }
                        Some(scale) => {
                            libm::exp(self.log_product(classes, three, two, touching) - scale)
                        }
                    };
                }
            }
        }
    }

    fn log_product(&self, classes: usize, three: usize, two: usize, touching: usize) -> f64 {
        self.log_weights[3][classes / NUM_CLASSES]
            + self.log_weights[2][classes % NUM_CLASSES]
            + self.log_weights[1][three]
            + self.log_weights[0][two]
            + self.contact * touching as f64
    }

    /// The largest logarithm of the weight of a fleet that exists.
    fn largest_log_product(&self) -> f64 {
        let mut largest = f64::NEG_INFINITY;
        for (classes, counts) in Counts::get().rows.iter().enumerate() {
            for (index, &count) in counts.iter().enumerate() {
                if count > 0.0 {
                    let (shorts, touching) = (index / NUM_TOUCHING, index % NUM_TOUCHING);
                    let (three, two) = (shorts / NUM_CLASSES, shorts % NUM_CLASSES);
                    largest = largest.max(self.log_product(classes, three, two, touching));
                }
            }
        }
        largest
    }

    /// Draws a fleet.
    pub(super) fn sample<R: Rng>(&self, rng: &mut R) -> Fleet {
        let classes = sample_index(&self.row_totals, self.total, rng);
        let mut terms = [0.0; ROW];
        self.set_terms(classes, &mut terms);
        for (term, &count) in terms.iter_mut().zip(&Counts::get().rows[classes]) {
            *term *= f64::from(count);
        }
        let index = sample_index(&terms, terms.iter().sum(), rng);
        let (shorts, touching) = (index / NUM_TOUCHING, index % NUM_TOUCHING);
        let ship_classes = [
            shorts % NUM_CLASSES,
            shorts / NUM_CLASSES,
            classes % NUM_CLASSES,
            classes / NUM_CLASSES,
        ];
        sample_of_classes(ship_classes, touching, rng)
    }

    /// What can be said about the fleets in numbers.
    pub(super) fn profile(&self) -> PlacingProfile {
        let mut profile = PlacingProfile::default();
        let mut terms = [0.0; ROW];
        for (classes, counts) in Counts::get().rows.iter().enumerate() {
            self.set_terms(classes, &mut terms);
            let factor = if self.log_scale.is_some() { 1.0 } else { self.long_weight(classes) };
            for (index, (term, &count)) in terms.iter().zip(counts).enumerate() {
                let probability = factor * term * f64::from(count) / self.total;
                let (shorts, touching) = (index / NUM_TOUCHING, index % NUM_TOUCHING);
                let ship_classes = [
                    shorts % NUM_CLASSES,
                    shorts / NUM_CLASSES,
                    classes % NUM_CLASSES,
                    classes / NUM_CLASSES,
                ];
                if touching > 0 {
                    profile.touching += probability;
                }
                for (ship, class) in ship_classes.into_iter().enumerate() {
                    if class / NUM_KINDS == 0 {
                        profile.along_border[ship] += probability;
                        if class % NUM_KINDS == 0 {
                            profile.in_corner[ship] += probability;
                        }
                    } else if class % NUM_KINDS != 0 {
                        profile.inside[ship] += probability;
                    }
                }
            }
        }
        profile
    }
}

/// Probabilities of a random fleet; of each ship in the order of lengths.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct PlacingProfile {
    /// That it lies along the border.
    pub(super) along_border: [f64; NUM_SHIPS],
    /// That it lies along the border and has an end in a corner.
    pub(super) in_corner: [f64; NUM_SHIPS],
    /// That it has no cell at the border.
    pub(super) inside: [f64; NUM_SHIPS],
    /// That any two ships touch.
    pub(super) touching: f64,
}

/// An index with a probability in proportion to its weight; the sum of the weights is `total`.
fn sample_index<R: Rng>(weights: &[f64], total: f64, rng: &mut R) -> usize {
    let mut rest = rng.random::<f64>() * total;
    let mut last_possible = 0;
    for (index, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            if rest < weight {
                return index;
            }
            rest -= weight;
            last_possible = index;
        }
    }
    // Only by rounding.
    last_possible
}

/// A uniformly random fleet with these classes of the ships, in the order of lengths, in which as many
/// pairs of ships touch. There must be one.
fn sample_of_classes<R: Rng>(classes: [usize; NUM_SHIPS], touching: usize, rng: &mut R) -> Fleet {
    let tables = Tables::get();
    let places: [&[u16]; NUM_SHIPS] = std::array::from_fn(|ship| tables.class(ship, classes[ship]));
    'attempts: loop {
        let mut chosen = [0; NUM_SHIPS];
        let mut num_touching = 0;
        // The longest ship first; pairs that can still touch are those of a ship to come.
        for ship in (0..NUM_SHIPS).rev() {
            let slot_index = usize::from(places[ship][rng.random_range(0..places[ship].len())]);
            let (word, bit) = (slot_index / 64, slot_index % 64);
            for &other in &chosen[ship + 1..] {
                let other: usize = other;
                if tables.crossing[other][word] >> bit & 1 == 1 {
                    continue 'attempts;
                }
                num_touching += (tables.touching[other][word] >> bit & 1) as usize;
            }
            let pairs_to_come = NUM_PAIRS - (NUM_SHIPS - ship) * (NUM_SHIPS - ship - 1) / 2;
            if num_touching > touching || num_touching + pairs_to_come < touching {
                continue 'attempts;
            }
            chosen[ship] = slot_index;
        }
        return Fleet { ships: chosen.map(|slot_index| tables.slots[slot_index].place.ship) };
    }
}

const _: () =
    assert!(SHIP_LENGTHS[0] == 2 && SHIP_LENGTHS[3] == 5, "rows are those of the long ships");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fleets_are_counted() {
        let counts = Counts::get();
        let total: f64 = counts.rows.iter().flatten().map(|&count| f64::from(count)).sum();
        // The number of fleets, from an independent prototype.
        assert_eq!(total, 84_547_392.0);
        // A fleet and the number of pairs that touch are found in the table.
        let largest = counts.rows.iter().flatten().copied().fold(0.0, f32::max);
        assert!(largest <= 240_000.0, "{largest}");
    }
}
