//! Where the ships may be, given where shots have hit and missed.
//!
//! # Model
//!
//! Before the first shot each ship lies at each of its places with a probability in proportion to a
//! weight, independently of the others. A *cover* is a choice of places for some ships, the found ones,
//! such that each of them has a hit, none of them has a miss, no two of them cross and together they
//! contain all hits. Given the cover, each ship that is not found lies at any of its places that have
//! no shot and do not cross the cover, independently of the other ships that are not found: these may
//! cross each other, which is the only thing that is not exact, and nothing at all once three ships are
//! found. The weight of a cover is the product of the weights of its places and, for each ship not found,
//! of the sum of the weights left for it. The *mass* of a cell is the sum, over covers and ships, of the
//! weight of the cover times the probability that the ship contains the cell.
//!
//! # How it is computed
//!
//! The covers are kept in a list. A miss removes those that contain the cell; a hit keeps those that
//! contain the cell and extends the others by one more ship. What the ships not found would give if they
//! did not mind the cover is kept as sums over their places, from which each shot takes a few away. The
//! places that cross the cover are then subtracted: their number is small, the sums over one of the
//! found ships are shared by all covers that contain it, and places that cross two found ships at once
//! are rare. At most cells a bound shows that they cannot be the best; only the rest is computed.
//!
//! Time: about 20 ns for each cover and shot, of which a game has some 4000, 20 000 in the worst
//! position. Memory: 1.6 MB of address space for the covers, of which most games touch a few per cent.

use ruse_games::battleship::{Cell, Cells, NUM_CELLS, NUM_SHIPS};

use super::tables::{
    FIRST_WORDS, NUM_CLASSES, NUM_SLOTS, NUM_WORDS, PlacementSet, Tables, slots_of, words_of,
};

/// Logarithms of weights further below the largest one of a ship count as this: the product of four
/// ships still is a number.
const MIN_LOG_WEIGHT: f64 = -150.0;
/// A sum from which so much was subtracted that this share is left is summed anew. Rounding errors then
/// stay below 1e-10 of the mass of a shot.
const MIN_SHARE: f64 = 1e-2;
/// Masses that differ by less than this share are equal: what is larger in one and the same position
/// depends on the order of additions.
const TIE: f64 = 1e-9;
/// Room for the covers. Four hits far apart have about 20 000, which is the most there can be as far as
/// known; a longer list would only cost an allocation.
pub(super) const MAX_COVERS: usize = 1 << 15;

type ByCell = [f64; NUM_CELLS];

/// Weights of all places, and their sums.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prior {
    /// By slot.
    weights: [f64; NUM_SLOTS],
    sums: [Sums; NUM_SHIPS],
}

/// Sums over the places of one ship.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Sums {
    /// Of all weights.
    total: f64,
    /// Of the weights of the places that contain a cell, those in rows and those in columns.
    by_cell: [ByCell; 2],
    /// The total when it was last summed from its terms.
    last_summed: f64,
}

impl Sums {
    const ZERO: Sums = Sums { total: 0.0, by_cell: [[0.0; NUM_CELLS]; 2], last_summed: 0.0 };

    fn sum(
        &mut self,
        tables: &Tables,
        weights: &[f64; NUM_SLOTS],
        ship: usize,
        free: &PlacementSet,
    ) {
        *self = Sums::ZERO;
        for (word, places) in words_of(free, ship) {
            for slot_index in slots_of(word, places) {
                let slot = &tables.slots[slot_index];
                let weight = weights[slot_index];
                self.total += weight;
                let by_cell = &mut self.by_cell[usize::from(slot.direction)];
                slot.cell_indices().for_each(|cell| by_cell[cell] += weight);
            }
        }
        self.last_summed = self.total;
    }
}

impl Prior {
    /// Weights from their logarithms, any finite numbers, for each ship and class of places.
    pub(super) fn new(log_weights: &[[f64; NUM_CLASSES]; NUM_SHIPS]) -> Prior {
        let mut prior = Prior { weights: [0.0; NUM_SLOTS], sums: [Sums::ZERO; NUM_SHIPS] };
        prior.set(log_weights);
        prior
    }

    pub(super) fn set(&mut self, log_weights: &[[f64; NUM_CLASSES]; NUM_SHIPS]) {
        let tables = Tables::get();
        for (ship, log_weights) in log_weights.iter().enumerate() {
            let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (class, log_weight) in log_weights.iter().enumerate() {
                let weight = libm::exp((log_weight - largest).max(MIN_LOG_WEIGHT));
                for &slot_index in tables.class(ship, class) {
                    self.weights[usize::from(slot_index)] = weight;
                }
            }
            self.sums[ship].sum(tables, &self.weights, ship, &tables.all);
        }
    }

    /// The probability of each cell to be part of a ship, before the first shot.
    pub(super) fn cell_probabilities(&self, ship: usize) -> ByCell {
        let Sums { total, by_cell: [rows, columns], .. } = &self.sums[ship];
        std::array::from_fn(|cell| (rows[cell] + columns[cell]) / total)
    }
}

/// No ship.
const NONE: u16 = u16::MAX;

/// Some ships that explain all hits.
#[derive(Debug, Clone, Copy)]
struct Cover {
    cells: Cells,
    /// The slots of the ships found, in the order in which they were found.
    found: [u16; NUM_SHIPS],
    num_found: u8,
    /// The ships not found, one bit each.
    unfound: u8,
    /// The product of the weights of the places.
    weight: f64,
}

impl Cover {
    const NOTHING: Cover = Cover {
        cells: Cells::NONE,
        found: [NONE; NUM_SHIPS],
        num_found: 0,
        unfound: (1 << NUM_SHIPS) - 1,
        weight: 1.0,
    };

    fn found(&self) -> &[u16] {
        &self.found[..usize::from(self.num_found)]
    }
}

/// What the covers say about one place of a found ship.
#[derive(Debug, Clone, Copy)]
struct FoundPlace {
    /// The sum of the weights of the free places of each ship that cross it.
    crossing: [f64; NUM_SHIPS],
    /// The sum of the weights of the covers that contain it.
    mass: f64,
    /// The sum, over the covers that contain it, of their weights over the weight left for each ship
    /// not found.
    odds: [f64; NUM_SHIPS],
}

impl FoundPlace {
    const NOTHING: FoundPlace =
        FoundPlace { crossing: [0.0; NUM_SHIPS], mass: 0.0, odds: [0.0; NUM_SHIPS] };
}

/// What is known about the opponent's fleet.
#[derive(Debug)]
pub(super) struct Posterior {
    shots: Cells,
    /// The places without any shot.
    free: PlacementSet,
    /// Sums over the free places of each ship.
    sums: [Sums; NUM_SHIPS],
    covers: Vec<Cover>,
    /// By slot; only those of `active` mean something.
    found_places: Vec<FoundPlace>,
    /// The places of found ships in the covers.
    active: PlacementSet,
    /// Those of them for which the sums over the places that cross them are known.
    summed: PlacementSet,
    /// By slot: how often a free place was counted too often among those that cross a cover, in units
    /// of the odds of its ship.
    overcount: Vec<f64>,
    has_overcount: bool,
    /// The mass that is given cell by cell.
    mass: ByCell,
    /// The sum, over all covers, of their weights over the weight left for each ship not found.
    odds: [f64; NUM_SHIPS],
    /// The sum of the weights of the covers.
    total: f64,
}

impl Default for Posterior {
    /// Of no use before [`begin`](Posterior::begin), and of little size.
    fn default() -> Posterior {
        Posterior {
            shots: Cells::NONE,
            free: [0; NUM_WORDS],
            sums: [Sums::ZERO; NUM_SHIPS],
            covers: Vec::new(),
            found_places: Vec::new(),
            active: [0; NUM_WORDS],
            summed: [0; NUM_WORDS],
            overcount: Vec::new(),
            has_overcount: false,
            mass: [0.0; NUM_CELLS],
            odds: [0.0; NUM_SHIPS],
            total: 0.0,
        }
    }
}

impl Posterior {
    /// Forgets everything but the prior.
    pub(super) fn begin(&mut self, prior: &Prior) {
        if self.found_places.is_empty() {
            self.covers.reserve_exact(MAX_COVERS);
            self.found_places.resize(NUM_SLOTS, FoundPlace::NOTHING);
            self.overcount.resize(NUM_SLOTS, 0.0);
        }
        self.shots = Cells::NONE;
        self.free = Tables::get().all;
        self.sums = prior.sums;
        self.covers.clear();
        self.covers.push(Cover::NOTHING);
    }

    /// Learns the answers to those of `shots` that are new; `hits` are the shots that have hit.
    pub(super) fn learn(&mut self, prior: &Prior, shots: Cells, hits: Cells) {
        for cell in shots.without(self.shots) {
            self.learn_one(Tables::get(), prior, cell, hits.contains(cell));
        }
        self.shots = shots;
    }

    fn learn_one(&mut self, tables: &Tables, prior: &Prior, cell: Cell, is_hit: bool) {
        let mut fitting = [0; NUM_WORDS];
        for (word, fitting) in fitting.iter_mut().enumerate() {
            *fitting = tables.at_cell[cell.index()][word] & self.free[word];
            self.free[word] &= !*fitting;
        }
        for ship in 0..NUM_SHIPS {
            let sums = &mut self.sums[ship];
            for (word, places) in words_of(&fitting, ship) {
                for slot_index in slots_of(word, places) {
                    let slot = &tables.slots[slot_index];
                    let weight = prior.weights[slot_index];
                    sums.total -= weight;
                    let by_cell = &mut sums.by_cell[usize::from(slot.direction)];
                    slot.cell_indices().for_each(|cell| by_cell[cell] -= weight);
                }
            }
            if sums.total < MIN_SHARE * sums.last_summed {
                sums.sum(tables, &prior.weights, ship, &self.free);
            }
        }
        if is_hit {
            self.extend_covers(tables, prior, cell, &fitting);
        } else {
            self.covers.retain(|cover| !cover.cells.contains(cell) && cover.weight > 0.0);
        }
    }

    /// Makes the covers explain one more hit, by a ship found before or by a place of `fitting`.
    fn extend_covers(&mut self, tables: &Tables, prior: &Prior, hit: Cell, fitting: &PlacementSet) {
        let num_covers = self.covers.len();
        let mut num_kept = 0;
        for index in 0..num_covers {
            let cover = self.covers[index];
            if cover.weight == 0.0 {
                continue;
            }
            if cover.cells.contains(hit) {
                self.covers[num_kept] = cover;
                num_kept += 1;
                continue;
            }
            for ship in (0..NUM_SHIPS).filter(|ship| cover.unfound >> ship & 1 == 1) {
                for (word, places) in words_of(fitting, ship) {
                    for slot_index in slots_of(word, places) {
                        let cells = tables.slots[slot_index].place.cells;
                        if cells.is_disjoint(cover.cells) {
                            let mut next = cover;
                            next.cells |= cells;
                            next.found[usize::from(next.num_found)] = slot_index as u16;
                            next.num_found += 1;
                            next.unfound &= !(1 << ship);
                            next.weight *= prior.weights[slot_index];
                            self.covers.push(next);
                        }
                    }
                }
            }
        }
        self.covers.drain(num_kept..num_covers);
    }

    /// Weighs all covers.
    fn weigh(&mut self, tables: &Tables, prior: &Prior) {
        self.mass = [0.0; NUM_CELLS];
        self.odds = [0.0; NUM_SHIPS];
        self.total = 0.0;
        self.active = [0; NUM_WORDS];
        if self.has_overcount {
            self.overcount.fill(0.0);
            self.has_overcount = false;
        }
        self.summed = [0; NUM_WORDS];
        let mut covers = std::mem::take(&mut self.covers);
        let unfound = covers.iter().fold(0, |unfound, cover| unfound | cover.unfound);
        for cover in &mut covers {
            for &slot_index in cover.found() {
                let slot_index = usize::from(slot_index);
                let (word, bit) = (slot_index / 64, 1 << (slot_index % 64));
                if self.active[word] & bit == 0 {
                    self.active[word] |= bit;
                    self.found_places[slot_index] = FoundPlace::NOTHING;
                }
                // Where all ships are found, nothing can cross them.
                if cover.unfound != 0 && self.summed[word] & bit == 0 {
                    self.summed[word] |= bit;
                    self.sum_crossing(tables, prior, slot_index, unfound);
                }
            }
            if cover.unfound == 0 {
                self.total += cover.weight;
                for &slot_index in cover.found() {
                    self.found_places[usize::from(slot_index)].mass += cover.weight;
                }
            } else {
                self.weigh_one(tables, prior, cover);
            }
        }
        self.covers = covers;
    }

    /// Sums the weights of the free places of the ships `unfound` that cross the place of a slot.
    fn sum_crossing(&mut self, tables: &Tables, prior: &Prior, slot_index: usize, unfound: u8) {
        let slot = &tables.slots[slot_index];
        let direction = usize::from(slot.direction);
        let unfound = unfound & !(1 << slot.ship);
        for ship in (0..NUM_SHIPS).filter(|ship| unfound >> ship & 1 == 1) {
            // A place in the other direction shares one cell with it, which has no shot.
            let across = &self.sums[ship].by_cell[1 - direction];
            let mut sum: f64 = slot.cell_indices().map(|cell| across[cell]).sum();
            for word in FIRST_WORDS[ship]..FIRST_WORDS[ship + 1] {
                let along = self.free[word]
                    & tables.crossing[slot_index][word]
                    & tables.in_direction[direction][word];
                sum += slots_of(word, along).map(|other| prior.weights[other]).sum::<f64>();
            }
            self.found_places[slot_index].crossing[ship] = sum;
        }
    }

    #[inline]
    fn weigh_one(&mut self, tables: &Tables, prior: &Prior, cover: &mut Cover) {
        let found = cover.found;
        let found = &found[..usize::from(cover.num_found)];
        let mut left = [1.0; NUM_SHIPS];
        let mut few_left = 0u8;
        let unfound = cover.unfound;
        let is_unfound = |&ship: &usize| unfound >> ship & 1 == 1;
        for ship in (0..NUM_SHIPS).filter(is_unfound) {
            let total = self.sums[ship].total;
            let mut sum = total;
            for &slot_index in found {
                sum -= self.found_places[usize::from(slot_index)].crossing[ship];
            }
            if found.len() > 1 {
                for word in FIRST_WORDS[ship]..FIRST_WORDS[ship + 1] {
                    let [twice, thrice] = self.crossed_more_than_once(tables, found, word);
                    for again in [twice, thrice] {
                        sum += slots_of(word, again).map(|other| prior.weights[other]).sum::<f64>();
                    }
                }
            }
            if sum <= MIN_SHARE * total {
                few_left |= 1 << ship;
                sum = self.places_left(tables, ship, found).map(|other| prior.weights[other]).sum();
            }
            left[ship] = sum;
        }
        let mut weight = cover.weight * (left[0] * left[1]) * (left[2] * left[3]);
        if weight <= 0.0 {
            // A ship has no place left, and will not get any: the cover is out of the question.
            cover.weight = 0.0;
            weight = 0.0;
        }
        self.total += weight;
        for &slot_index in found {
            self.found_places[usize::from(slot_index)].mass += weight;
        }
        if weight == 0.0 {
            return;
        }
        for ship in (0..NUM_SHIPS).filter(is_unfound) {
            let odds = weight / left[ship];
            if few_left >> ship & 1 == 1 {
                // The difference of two nearly equal sums would be nothing but rounding errors.
                for word in FIRST_WORDS[ship]..FIRST_WORDS[ship + 1] {
                    for slot_index in slots_of(word, self.word_left(tables, word, found)) {
                        let mass = odds * prior.weights[slot_index];
                        let cells = tables.slots[slot_index].cell_indices();
                        cells.for_each(|cell| self.mass[cell] += mass);
                    }
                }
                continue;
            }
            self.odds[ship] += odds;
            for &slot_index in found {
                self.found_places[usize::from(slot_index)].odds[ship] += odds;
            }
            if found.len() > 1 {
                for word in FIRST_WORDS[ship]..FIRST_WORDS[ship + 1] {
                    for again in self.crossed_more_than_once(tables, found, word) {
                        for other in slots_of(word, again) {
                            self.overcount[other] += odds;
                            self.has_overcount = true;
                        }
                    }
                }
            }
        }
    }

    /// The free places of a word that cross at least two, and three, of the places `found`. There are
    /// at most three of these when there is a ship not found.
    #[inline]
    fn crossed_more_than_once(&self, tables: &Tables, found: &[u16], word: usize) -> [u64; 2] {
        let crossing = |index: usize| tables.crossing[usize::from(found[index])][word];
        let free = self.free[word];
        match found.len() {
            2 => [crossing(0) & crossing(1) & free, 0],
            3 => {
                let [a, b, c] = [crossing(0), crossing(1), crossing(2)];
                [(a & b | c & (a | b)) & free, a & b & c & free]
            }
            _ => [0, 0],
        }
    }

    /// The free places of a word that cross none of the places `found`.
    fn word_left(&self, tables: &Tables, word: usize, found: &[u16]) -> u64 {
        found
            .iter()
            .fold(self.free[word], |left, &slot| left & !tables.crossing[usize::from(slot)][word])
    }

    /// The free places of a ship that cross none of the places `found`.
    fn places_left(
        &self,
        tables: &Tables,
        ship: usize,
        found: &[u16],
    ) -> impl Iterator<Item = usize> {
        (FIRST_WORDS[ship]..FIRST_WORDS[ship + 1])
            .flat_map(move |word| slots_of(word, self.word_left(tables, word, found)))
    }

    /// For each cell the mass of the covers, and that of all ships not found as if they did not mind the
    /// cover: not less than its mass.
    fn bound_masses(&mut self, tables: &Tables) {
        for word in 0..NUM_WORDS {
            for slot_index in slots_of(word, self.active[word]) {
                let mass = self.found_places[slot_index].mass;
                tables.slots[slot_index].cell_indices().for_each(|cell| self.mass[cell] += mass);
            }
        }
        for (sums, odds) in self.sums.iter().zip(self.odds) {
            if odds > 0.0 {
                let [rows, columns] = &sums.by_cell;
                for ((mass, row), column) in self.mass.iter_mut().zip(rows).zip(columns) {
                    *mass += odds * (row + column);
                }
            }
        }
    }

    /// The part of the bound at `cell` that belongs to places that cross the cover.
    fn excess(&self, tables: &Tables, prior: &Prior, cell: usize) -> f64 {
        let mut excess = 0.0;
        for ship in 0..NUM_SHIPS {
            if self.odds[ship] == 0.0 {
                continue;
            }
            for word in FIRST_WORDS[ship]..FIRST_WORDS[ship + 1] {
                let places = tables.at_cell[cell][word] & self.free[word];
                for slot_index in slots_of(word, places) {
                    let mut odds = -self.overcount[slot_index];
                    for word in 0..NUM_WORDS {
                        let found = tables.crossing[slot_index][word] & self.active[word];
                        for other in slots_of(word, found) {
                            odds += self.found_places[other].odds[ship];
                        }
                    }
                    excess += odds * prior.weights[slot_index];
                }
            }
        }
        excess
    }

    /// The cells without a shot that have the largest mass.
    pub(super) fn best_cells(&mut self, prior: &Prior) -> Cells {
        let tables = Tables::get();
        self.weigh(tables, prior);
        self.bound_masses(tables);
        let nothing_is_found = self.active == [0; NUM_WORDS];
        for cell in self.shots {
            self.mass[cell.index()] = f64::NEG_INFINITY;
        }
        let mut best = f64::NEG_INFINITY;
        let mut best_cells = Cells::NONE;
        if nothing_is_found {
            best = self.mass.iter().copied().fold(best, f64::max);
            for (cell, &mass) in self.mass.iter().enumerate() {
                if mass >= best * (1.0 - TIE) {
                    best_cells |= Cells::of(Cell::from_index(cell));
                }
            }
            return best_cells;
        }
        let mut bounds = self.mass;
        loop {
            let (cell, bound) = bounds.iter().enumerate().fold(
                (0, f64::NEG_INFINITY),
                |(cell, bound), (other, &other_bound)| {
                    if other_bound > bound { (other, other_bound) } else { (cell, bound) }
                },
            );
            if bound == f64::NEG_INFINITY || bound < best * (1.0 - TIE) {
                break;
            }
            bounds[cell] = f64::NEG_INFINITY;
            let mass = bound - self.excess(tables, prior, cell);
            self.mass[cell] = mass;
            if mass > best * (1.0 + TIE) {
                best_cells = Cells::NONE;
            }
            if mass >= best * (1.0 - TIE) {
                best_cells |= Cells::of(Cell::from_index(cell));
            }
            best = best.max(mass);
        }
        best_cells
    }

    /// For each cell the mean number of ships that contain it; zero where there was a shot.
    #[cfg(test)]
    pub(super) fn probabilities(&mut self, prior: &Prior) -> ByCell {
        let tables = Tables::get();
        self.weigh(tables, prior);
        self.bound_masses(tables);
        std::array::from_fn(|cell| {
            let is_shot = self.shots.contains(Cell::from_index(cell));
            let mass = self.mass[cell] - self.excess(tables, prior, cell);
            if is_shot { 0.0 } else { mass / self.total }
        })
    }

    /// The largest number of ships without a hit.
    #[cfg(test)]
    pub(super) fn max_unfound(&self) -> u32 {
        self.covers.iter().map(|cover| cover.unfound.count_ones()).max().unwrap_or(0)
    }

    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.covers.capacity()
    }

    #[cfg(test)]
    pub(super) fn num_covers(&self) -> usize {
        self.covers.len()
    }
}
