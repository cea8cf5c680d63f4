//! The distribution of the player's own fleet, and the way to draw from it.
//!
//! # Distribution
//!
//! The probability of a fleet is proportional to the product of the weights of its places, times exp(contact x number
//! of touching pairs). Contact is a parameter. The weight of a place depends only on its class (9 classes for each
//! ship). So all fleets with the same classes and the same number of touching pairs are equally likely, and only the
//! number of such fleets matters. Fleets are counted once per program; see `battleship/counts.rs`.
//!
//! # Drawing
//!
//! 1. The classes and the number of touching pairs are drawn from their exact distribution, in proportion to count x
//!    weight. If the weights differ so much that all products vanish, logarithms are used.
//! 2. Places of these classes are drawn uniformly until no two ships cross and the right number of pairs touch: the
//!    accepted fleet is uniform. If this would take too many attempts with five ships, the number of a fleet is drawn
//!    instead, and this fleet is searched for. It is also uniform.
//!
//! This is exact for all parameters, up to rounding, and always terminates: step 1 only proposes fleets that exist. On
//! the board of the paper, step 2 takes two to three dozen attempts on average; the rarest fleet is one of 240 000
//! candidates. With five ships and random weights, it takes 10 to 200 attempts.

use std::fmt::Write;

use rand::{Rng, RngExt};
use ruse_games::battleship::{Fleet, MAX_SHIPS, Sea, Ship};

use super::counts::{Counts, MAX_NUM_TOUCHING, NUM_CLASS_PAIRS, num_touching};
use super::tables::{NUM_CLASSES, NUM_KINDS, Once, Tables, WORD};

/// The smallest sum for which the products are used as they are. If no product vanishes, the sum is at least 1. If the
/// sum is smaller than this limit, the products are computed from logarithms. If a product vanishes in a larger sum, it
/// has a probability below 1e-100.
const MIN_LINEAR_TOTAL: f64 = 1e-200;
/// The largest expected number of attempts. If more are expected, a fleet of five ships is searched for instead, which
/// takes about as long as 20 000 attempts.
const MAX_ATTEMPTS: f64 = 20_000.0;

/// The distribution of the player's own fleet.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Placing<const S: usize, const C: usize, const W: usize> {
    /// The log-weight of each class of each ship, shifted so that the largest log-weight of a ship is 0.
    log_weights: [[f64; NUM_CLASSES]; S],
    /// The logarithm of the factor by which each touching pair multiplies the weight of a fleet.
    contact: f64,
    /// The factor of each class of each ship, at most 1. The next field contains the factor of each number of touching
    /// pairs, which is also at most 1.
    weights: [[f64; NUM_CLASSES]; S],
    contacts: [f64; MAX_NUM_TOUCHING],
    /// The number subtracted from logarithms so that the largest product is 1; `None` if no scale is needed.
    log_scale: Option<f64>,
    /// For each entry of a row of [`Counts`], the weight of one fleet, without the factors of the two longest ships.
    /// These weights are the same for all rows. If `log_scale` is used, the weights include all factors, and are valid
    /// only for the row computed last.
    terms: Vec<f64>,
    /// For each combination of classes of the two longest ships, the total weight of the fleets with these classes.
    row_totals: [f64; NUM_CLASS_PAIRS],
    total: f64,
}

impl<const S: usize, const C: usize, const W: usize> Placing<S, C, W>
where
    Tables<S, C, W>: Once,
    Counts<S>: Once,
{
    /// Creates the distribution. The arguments are the log-weights for each ship and class, and the logarithm of the
    /// factor of a touching pair. They may be any numbers with a finite sum.
    pub(super) fn new(log_weights: &[[f64; NUM_CLASSES]; S], contact: f64) -> Placing<S, C, W> {
        let mut placing = Placing {
            log_weights: [[0.0; NUM_CLASSES]; S],
            contact: 0.0,
            weights: [[0.0; NUM_CLASSES]; S],
            contacts: [0.0; MAX_NUM_TOUCHING],
            log_scale: None,
            terms: vec![0.0; Counts::<S>::ROW],
            row_totals: [0.0; NUM_CLASS_PAIRS],
            total: 0.0,
        };
        placing.set(log_weights, contact);
        placing
    }

    pub(super) fn set(&mut self, log_weights: &[[f64; NUM_CLASSES]; S], contact: f64) {
        self.log_weights = *log_weights;
        for log_weights in &mut self.log_weights {
            let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            log_weights.iter_mut().for_each(|log_weight| *log_weight -= largest);
        }
        self.contact = contact;
        self.weights = self.log_weights.map(|log_weights| log_weights.map(libm::exp));
        let largest = (contact * (num_touching(S) - 1) as f64).max(0.0);
        self.contacts = [0.0; MAX_NUM_TOUCHING];
        for (touching, factor) in self.contacts[..num_touching(S)].iter_mut().enumerate() {
            *factor = libm::exp(contact * touching as f64 - largest);
        }
        self.log_scale = None;
        self.set_totals();
        if self.total < MIN_LINEAR_TOTAL {
            self.log_scale = Some(self.largest_log_product());
            self.set_totals();
        }
    }

    fn set_totals(&mut self) {
        let mut terms = std::mem::take(&mut self.terms);
        for (classes, counts) in Counts::<S>::get().rows().enumerate() {
            // The terms of a row are the terms of the first row times the weights of the two longest ships. If products
            // vanish, the terms of each row are computed separately.
            if self.log_scale.is_some() || classes == 0 {
                self.set_terms(classes, &mut terms);
            }
            let mut sums = [0.0; 9];
            // There are nine independent sums, because each addition has to wait for the previous addition to the same
            // sum.
            for (terms, counts) in terms.chunks_exact(9).zip(counts.chunks_exact(9)) {
                for ((sum, term), &count) in sums.iter_mut().zip(terms).zip(counts) {
                    *sum += term * f64::from(count);
                }
            }
            self.row_totals[classes] = self.long_weight(classes) * sums.iter().sum::<f64>();
        }
        self.terms = terms;
        self.total = self.row_totals.iter().sum();
    }

    /// Returns the factor of the terms of a row: the product of the weights of the two longest ships if they have these
    /// `classes`, or 1 if the terms contain these weights.
    fn long_weight(&self, classes: usize) -> f64 {
        if self.log_scale.is_some() {
            return 1.0;
        }
        self.weights[S - 1][classes / NUM_CLASSES] * self.weights[S - 2][classes % NUM_CLASSES]
    }

    /// For each entry of a row of [`Counts`], computes the weight of one fleet. If no scale is needed, the weights do
    /// not include the factors of the two longest ships. If the scale is logarithmic, the weights include all factors,
    /// and are 0 for entries without fleets.
    fn set_terms(&self, classes: usize, terms: &mut [f64]) {
        let num_touching = num_touching(S);
        let counts = Counts::<S>::get().row(classes);
        for (shorts, terms) in terms.chunks_exact_mut(num_touching).enumerate() {
            let of_ships = Counts::<S>::classes(classes, shorts);
            let weight = (0..S - 2).rev().map(|ship| self.weights[ship][of_ships[ship]]);
            let weight = weight.reduce(|product, weight| product * weight).unwrap_or(1.0);
            for (touching, term) in terms.iter_mut().enumerate() {
                *term = match self.log_scale {
                    None => weight * self.contacts[touching],
                    Some(_) if counts[shorts * num_touching + touching] == 0.0 => 0.0,
                    Some(scale) => libm::exp(self.log_product(&of_ships, touching) - scale),
                };
            }
        }
    }

    fn log_product(&self, classes: &[usize; S], touching: usize) -> f64 {
        let of_ships = (0..S).rev().map(|ship| self.log_weights[ship][classes[ship]]);
        let sum = of_ships.reduce(|sum, log_weight| sum + log_weight).unwrap_or(0.0);
        sum + self.contact * touching as f64
    }

    /// Returns the logarithm of the largest weight that a possible fleet has.
    fn largest_log_product(&self) -> f64 {
        let mut largest = f64::NEG_INFINITY;
        for (classes, counts) in Counts::<S>::get().rows().enumerate() {
            for (index, &count) in counts.iter().enumerate() {
                if count > 0.0 {
                    let (shorts, touching) = (index / num_touching(S), index % num_touching(S));
                    let of_ships = Counts::<S>::classes(classes, shorts);
                    largest = largest.max(self.log_product(&of_ships, touching));
                }
            }
        }
        largest
    }

    pub(super) fn sample<R: Rng>(&self, rng: &mut R) -> Fleet {
        let kind = self.sample_kind(rng);
        if S > 4 && kind.num_attempts::<C, W>() > MAX_ATTEMPTS {
            kind.fleet::<C, W>(rng.random_range(0..kind.num_fleets))
        } else {
            kind.try_fleets::<C, W, R>(rng)
        }
    }

    /// Draws the class of each ship, and the number of touching pairs.
    pub(super) fn sample_kind<R: Rng>(&self, rng: &mut R) -> FleetKind<S> {
        let classes = sample_index(self.row_totals.iter().copied(), self.total, rng);
        let counts = Counts::<S>::get().row(classes);
        let index = match self.log_scale {
            None => {
                let weights = self.terms.iter().zip(counts);
                let weights = weights.map(|(term, &count)| term * f64::from(count));
                sample_index(weights.clone(), weights.sum(), rng)
            }
            Some(scale) => {
                let possible = |index: usize| {
                    let (shorts, touching) = (index / num_touching(S), index % num_touching(S));
                    let of_ships = Counts::<S>::classes(classes, shorts);
                    libm::exp(self.log_product(&of_ships, touching) - scale)
                };
                let weights = counts.iter().enumerate().map(|(index, &count)| {
                    if count == 0.0 { 0.0 } else { possible(index) * f64::from(count) }
                });
                sample_index(weights.clone(), weights.sum(), rng)
            }
        };
        let (shorts, touching) = (index / num_touching(S), index % num_touching(S));
        let num_fleets = counts[index] as u64;
        FleetKind { classes: Counts::<S>::classes(classes, shorts), touching, num_fleets }
    }

    /// Returns the probabilities of some events for a fleet drawn from this distribution.
    pub(super) fn profile(&self) -> PlacingProfile<S> {
        let mut profile = PlacingProfile {
            along_border: [0.0; S],
            in_corner: [0.0; S],
            inside: [0.0; S],
            touching: 0.0,
        };
        let mut terms = self.terms.clone();
        for (classes, counts) in Counts::<S>::get().rows().enumerate() {
            self.set_terms(classes, &mut terms);
            let factor = self.long_weight(classes);
            for (index, (term, &count)) in terms.iter().zip(counts).enumerate() {
                let probability = factor * term * f64::from(count) / self.total;
                let (shorts, touching) = (index / num_touching(S), index % num_touching(S));
                if touching > 0 {
                    profile.touching += probability;
                }
                let of_ships = Counts::<S>::classes(classes, shorts);
                for (ship, class) in of_ships.into_iter().enumerate() {
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

/// The probabilities of some events for a random fleet. Each array has one entry for each ship, in the order of
/// lengths.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PlacingProfile<const S: usize> {
    /// The probability that the ship lies along the border.
    pub(super) along_border: [f64; S],
    /// The probability that the ship lies along the border and has an end in a corner.
    pub(super) in_corner: [f64; S],
    /// The probability that the ship has no cell at the border.
    pub(super) inside: [f64; S],
    /// The probability that at least two ships touch each other.
    pub(super) touching: f64,
}

/// Draws an index with a probability proportional to its weight; the sum of the weights is `total`.
fn sample_index<R: Rng>(weights: impl Iterator<Item = f64>, total: f64, rng: &mut R) -> usize {
    let mut rest = rng.random::<f64>() * total;
    let mut last_possible = 0;
    for (index, weight) in weights.enumerate() {
        if weight > 0.0 {
            if rest < weight {
                return index;
            }
            rest -= weight;
            last_possible = index;
        }
    }
    // Rounding errors can lead here.
    last_possible
}

/// A kind of fleet. All fleets of a kind are equally likely, whatever the parameters.
#[derive(Debug, Clone, Copy)]
pub(super) struct FleetKind<const S: usize> {
    /// The class of each ship, in the order of lengths.
    classes: [usize; S],
    /// The number of touching pairs of ships.
    touching: usize,
    /// The number of fleets of this kind, at least one.
    num_fleets: u64,
}

impl<const S: usize> FleetKind<S> {
    const NUM_PAIRS: usize = S * (S - 1) / 2;

    fn places<const C: usize, const W: usize>(&self, ship: usize) -> &'static [u16]
    where
        Tables<S, C, W>: Once,
    {
        Tables::<S, C, W>::get().class(ship, self.classes[ship])
    }

    /// Returns the number of attempts that `try_fleets` is expected to need for a fleet of this kind.
    pub(super) fn num_attempts<const C: usize, const W: usize>(&self) -> f64
    where
        Tables<S, C, W>: Once,
    {
        let candidates = (0..S).map(|ship| self.places::<C, W>(ship).len() as f64);
        candidates.product::<f64>() / self.num_fleets as f64
    }

    /// Returns the number of touching pairs after placing `ship` at `slot_index`. The later ships, in the order of
    /// lengths, lie at `chosen` with `touching` touching pairs. Returns `None` if the ship crosses a later ship, or if
    /// the right number of pairs has become impossible.
    #[inline]
    fn place<const C: usize, const W: usize>(
        &self,
        ship: usize,
        slot_index: usize,
        chosen: &[usize; S],
        mut touching: usize,
    ) -> Option<usize>
    where
        Tables<S, C, W>: Once,
    {
        let tables = Tables::<S, C, W>::get();
        let (word, bit) = (slot_index / WORD, slot_index % WORD);
        for &other in &chosen[ship + 1..] {
            if tables.crossing(other)[word] >> bit & 1 == 1 {
                return None;
            }
            touching += (tables.touching(other)[word] >> bit & 1) as usize;
        }
        // Pairs that consist of placed ships are final; all other pairs can still touch.
        let pairs_to_come = Self::NUM_PAIRS - (S - ship) * (S - ship - 1) / 2;
        let can_be_right = touching <= self.touching && touching + pairs_to_come >= self.touching;
        can_be_right.then_some(touching)
    }

    /// Draws a uniformly random fleet of this kind by rejection: draws places until they form such a fleet.
    fn try_fleets<const C: usize, const W: usize, R: Rng>(&self, rng: &mut R) -> Fleet
    where
        Tables<S, C, W>: Once,
    {
        let places: [&[u16]; S] = std::array::from_fn(|ship| self.places::<C, W>(ship));
        'attempts: loop {
            let mut chosen = [0; S];
            let mut touching = 0;
            // The longest ship comes first.
            for ship in (0..S).rev() {
                let slot_index = usize::from(places[ship][rng.random_range(0..places[ship].len())]);
                match self.place::<C, W>(ship, slot_index, &chosen, touching) {
                    Some(more) => touching = more,
                    None => continue 'attempts,
                }
                chosen[ship] = slot_index;
            }
            return fleet_of::<S, C, W>(&chosen);
        }
    }

    /// Returns fleet number `number`, from 0 to `num_fleets` - 1.
    ///
    /// # Panics
    ///
    /// Panics if there is no fleet with this number.
    fn fleet<const C: usize, const W: usize>(&self, mut number: u64) -> Fleet
    where
        Tables<S, C, W>: Once,
    {
        let mut chosen = [0; S];
        let is_found = self.search::<C, W>(S - 1, &mut chosen, 0, &mut number);
        assert!(is_found, "there are fewer than {} fleets of this kind", self.num_fleets);
        fleet_of::<S, C, W>(&chosen)
    }

    /// Searches the fleets in which the ships after `ship` lie at `chosen` and have `touching` touching pairs. If there
    /// are more than `number` such fleets, sets `chosen` to fleet number `number`, and returns `true`; otherwise
    /// subtracts the number of such fleets from `number`.
    fn search<const C: usize, const W: usize>(
        &self,
        ship: usize,
        chosen: &mut [usize; S],
        touching: usize,
        number: &mut u64,
    ) -> bool
    where
        Tables<S, C, W>: Once,
    {
        for &slot_index in self.places::<C, W>(ship) {
            let slot_index = usize::from(slot_index);
            let Some(more) = self.place::<C, W>(ship, slot_index, chosen, touching) else {
                continue;
            };
            chosen[ship] = slot_index;
            if ship > 0 {
                if self.search::<C, W>(ship - 1, chosen, more, number) {
                    return true;
                }
            } else if *number == 0 {
                return true;
            } else {
                *number -= 1;
            }
        }
        false
    }
}

/// Returns the fleet whose ships lie at the slots `chosen`.
fn fleet_of<const S: usize, const C: usize, const W: usize>(chosen: &[usize; S]) -> Fleet
where
    Tables<S, C, W>: Once,
{
    let mut ships = [Ship::default(); MAX_SHIPS];
    for (ship, &slot_index) in ships.iter_mut().zip(chosen) {
        *ship = Tables::<S, C, W>::get().slot(slot_index).place.ship;
    }
    Fleet::new(&ships[..S])
}

/// Joins texts about the ships into a list such as "5, 4 and 3", the longest ship first.
fn listed(things: impl DoubleEndedIterator<Item = String>) -> String {
    let things: Vec<_> = things.rev().collect();
    match things.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Lists a probability for each ship, in percent, the longest ship first.
fn in_percent<const S: usize>(probabilities: [f64; S]) -> String {
    listed(probabilities.iter().map(|p| format!("{:.0}", 100.0 * p))) + "%"
}

/// Describes where a strategy places its fleet, compared with a uniformly random fleet.
pub(super) fn words_of_placing<const S: usize>(
    sea: Sea,
    profile: &PlacingProfile<S>,
    at_random: &PlacingProfile<S>,
) -> String {
    let &PlacingProfile { along_border, in_corner, inside, touching } = profile;
    let lengths = listed(sea.ship_lengths().iter().map(ToString::to_string));
    let mut words = format!(
        "lays its ships of {lengths} cells along the border in {} of its games ({} for a \
         random fleet), there with an end in a corner in {}, and away from all borders in {}; ",
        in_percent(along_border),
        in_percent(at_random.along_border),
        in_percent(in_corner),
        in_percent(inside),
    );
    let _ = write!(
        words,
        "two of them touch in {:.0}% ({:.0}%); ",
        100.0 * touching,
        100.0 * at_random.touching
    );
    words
}
