//! Probabilities of the places of the opponent's ships, given hits and misses.
//!
//! # Model
//!
//! Before the first shot each ship lies at each of its places with a probability proportional to a weight,
//! independently of the others. A *cover* is a choice of places for some of the ships, which are called found. Each of
//! these places has a hit and no miss, no two of the places cross, and together they contain all hits. Given the cover,
//! the other ships lie independently at any of their places that have no shot and do not cross the cover. So they may
//! cross each other. This is the only approximation, and it vanishes once at most one ship is not found. The map shown
//! to people is computed [exactly](exact), which takes a hundred times as long as choosing a shot. The weight of a
//! cover is the product of the weights of its places and, for each ship not found, of the sum of its remaining weights.
//! The *mass* of a cell is the sum, over covers and ships, of the weight of the cover times the probability that the
//! ship contains the cell.
//!
//! With the rule `sunk` a cover also agrees with the announcements: each ship that was announced as sunk is in the
//! cover at the announced place, and every other ship in the cover has a cell without a hit. An announcement gives the
//! length of a ship; either of two ships of that length may be meant, which matters if their weights differ. Ships that
//! are not found have no hit, so nothing is announced about them. Results that are exact without announcements are
//! therefore exact with them.
//!
//! The *probability* of a cell is its mass divided by the weight of all covers: the mean number of ships that contain
//! the cell. The sum over the cells without a shot is the number of ship cells not yet hit. As ships that are not found
//! may cross, the probability can be too large in the middle of the board and too small at its border. The error is up
//! to .04 before the first shot.
//!
//! # Computation
//!
//! The covers are kept in a list. A miss removes the covers that contain the cell; a hit keeps the covers that contain
//! the cell and extends the others by one more ship. In each cover, a hit completes at most the ship that contains it,
//! so only this ship is compared with the announcement, or with the absence of one. The masses of ships not found,
//! without regard to covers, are kept as sums over their places, and each shot removes a few of these. The places that
//! cross the cover are then subtracted. They are few, and all covers that contain a found ship share the sums over it;
//! places that cross two found ships are rare. For most cells a bound shows that they cannot be the best; only the
//! others are computed.
//!
//! Time: about 20 ns per cover and shot; a game has about 4000 covers, and the worst position 20 000. Memory: 1.6 MB of
//! address space for the covers; most games touch a few per cent of it. With five ships the worst known position has
//! 580 000 covers, in 50 MB of address space.

mod apart;
mod exact;

use ruse_games::battleship::{Cell, Cells, SunkShips};

use super::prior::{ByCell, Prior, Sums};
use super::tables::{Once, PlacementSet, Tables, WORD, slots_of, word_range, words_of};

/// The smallest share of a sum that subtractions may leave. If less is left, the sum is computed again from its terms,
/// so that rounding errors stay below 1e-10 of the mass of a shot.
const MIN_SHARE: f64 = 1e-2;
/// The relative difference below which masses count as equal: in the same position, the order of such masses depends on
/// the order of additions.
const TIE: f64 = 1e-9;
/// Returns the initial capacity of the list of covers, for four or five ships. The largest known numbers of covers are
/// about 20 000 with four ships, after four hits far apart, and 580 000 with five ships, after five such hits. If the
/// list has to grow, this costs only an allocation.
pub(super) const fn max_covers(num_ships: usize) -> usize {
    if num_ships <= 4 { 1 << 15 } else { 1 << 20 }
}

/// The value of an unused entry of the field `found` of a [`Cover`].
const NONE: u16 = u16::MAX;

/// A choice of places for some of the ships that explains all hits.
#[derive(Debug, Clone, Copy)]
struct Cover<const S: usize> {
    cells: Cells,
    /// The slots of the found ships, in the order in which they were found.
    found: [u16; S],
    num_found: u8,
    /// The ships that are not found, one bit for each ship.
    unfound: u8,
    /// The product of the weights of the places.
    weight: f64,
}

impl<const S: usize> Cover<S> {
    const NOTHING: Cover<S> = Cover {
        cells: Cells::NONE,
        found: [NONE; S],
        num_found: 0,
        unfound: (1 << S) - 1,
        weight: 1.0,
    };

    fn found(&self) -> &[u16] {
        &self.found[..usize::from(self.num_found)]
    }
}

/// Statistics about one place of a found ship, over all covers.
#[derive(Debug, Clone, Copy)]
struct FoundPlace<const S: usize> {
    /// For each ship, the sum of the weights of its free places that cross this place.
    crossing: [f64; S],
    /// The sum of the weights of the covers that contain this place.
    mass: f64,
    /// For each ship, its odds, summed over the covers that contain this place but not the ship. The odds are the
    /// weight of the cover divided by the remaining weight of the ship.
    odds: [f64; S],
}

impl<const S: usize> FoundPlace<S> {
    const NOTHING: FoundPlace<S> = FoundPlace { crossing: [0.0; S], mass: 0.0, odds: [0.0; S] };
}

/// The posterior distribution of the opponent's fleet.
#[derive(Debug, Clone)]
pub(super) struct Posterior<const S: usize, const C: usize, const W: usize> {
    shots: Cells,
    /// The places without any shot.
    free: PlacementSet<W>,
    /// Sums over the free places of each ship.
    sums: [Sums<C>; S],
    covers: Vec<Cover<S>>,
    /// Statistics, indexed by slot; valid only for the slots in `active`.
    found_places: Vec<FoundPlace<S>>,
    /// The places of found ships in the covers.
    active: PlacementSet<W>,
    /// The places in `active` for which the sums over crossing places are known.
    summed: PlacementSet<W>,
    /// For each free place, indexed by slot: the excess in the sum of its ship's odds over the found places that cross
    /// it. If n > 1 of these places are in one cover, its odds are counted n times, and n - 1 times are excess.
    overcount: Vec<f64>,
    has_overcount: bool,
    /// The mass of each cell.
    mass: ByCell<C>,
    /// For each ship, its odds (see [`FoundPlace::odds`]), summed over the covers that do not contain the ship.
    odds: [f64; S],
    /// The sum of the weights of the covers.
    total: f64,
}

impl<const S: usize, const C: usize, const W: usize> Default for Posterior<S, C, W> {
    /// Returns a small, empty value. Call [`begin`](Posterior::begin) before using it.
    fn default() -> Posterior<S, C, W> {
        Posterior {
            shots: Cells::NONE,
            free: [0; W],
            sums: [Sums::ZERO; S],
            covers: Vec::new(),
            found_places: Vec::new(),
            active: [0; W],
            summed: [0; W],
            overcount: Vec::new(),
            has_overcount: false,
            mass: [0.0; C],
            odds: [0.0; S],
            total: 0.0,
        }
    }
}

impl<const S: usize, const C: usize, const W: usize> Posterior<S, C, W>
where
    Tables<S, C, W>: Once,
{
    /// Resets everything except the prior.
    pub(super) fn begin(&mut self, prior: &Prior<S, C, W>) {
        if self.found_places.is_empty() {
            self.covers.reserve_exact(max_covers(S));
            self.found_places.resize(WORD * W, FoundPlace::NOTHING);
            self.overcount.resize(WORD * W, 0.0);
        }
        self.shots = Cells::NONE;
        self.free = Tables::<S, C, W>::get().all;
        self.sums = prior.sums;
        self.covers.clear();
        self.covers.push(Cover::NOTHING);
    }

    /// Learns the answers to the new shots in `shots`. `hits` are the shots that hit, and `sunk` the sunk ships, if
    /// sinkings are announced.
    pub(super) fn learn(
        &mut self,
        prior: &Prior<S, C, W>,
        shots: Cells,
        hits: Cells,
        sunk: Option<&SunkShips>,
    ) {
        let tables = Tables::<S, C, W>::get();
        let mut learnt = self.shots & hits;
        for cell in shots.without(self.shots) {
            let is_hit = hits.contains(cell);
            self.learn_one(tables, prior, cell, is_hit);
            if let Some(sunk) = sunk.filter(|_| is_hit) {
                learnt |= Cells::of(cell);
                self.keep_told(tables, cell, learnt, sunk);
            }
        }
        self.shots = shots;
    }

    /// Keeps the covers that agree with the announcement about `hit`, the last of `hits`. The announcement gives the
    /// place of the ship that this shot has sunk, or states that the shot has sunk no ship.
    fn keep_told(&mut self, tables: &Tables<S, C, W>, hit: Cell, hits: Cells, sunk: &SunkShips) {
        let is_complete = |cells: Cells| cells.without(hits).is_empty();
        let ships = sunk.iter().zip(Tables::<S, C, W>::SEA.ship_lengths());
        let told = ships
            .filter_map(|(ship, &length)| (*ship)?.cells(Tables::<S, C, W>::SEA, length))
            .find(|&cells| cells.contains(hit) && is_complete(cells));
        self.covers.retain(|cover| {
            let places = cover.found().iter();
            let mut places = places.map(|&index| tables.slot(usize::from(index)).place.cells);
            let of_hit = places.find(|cells| cells.contains(hit));
            of_hit.is_some_and(|cells| told.map_or(!is_complete(cells), |told| told == cells))
        });
    }

    fn learn_one(
        &mut self,
        tables: &Tables<S, C, W>,
        prior: &Prior<S, C, W>,
        cell: Cell,
        is_hit: bool,
    ) {
        let number = Tables::<S, C, W>::SEA.number(cell);
        let mut fitting = [0; W];
        for (word, fitting) in fitting.iter_mut().enumerate() {
            *fitting = tables.at_cell[number][word] & self.free[word];
            self.free[word] &= !*fitting;
        }
        for ship in 0..S {
            let sums = &mut self.sums[ship];
            for (word, places) in words_of::<S, W>(&fitting, ship) {
                for slot_index in slots_of(word, places) {
                    let slot = tables.slot(slot_index);
                    let weight = prior.weights.of(slot_index);
                    sums.total -= weight;
                    let by_cell = &mut sums.by_cell[usize::from(slot.direction)];
                    slot.cell_numbers().for_each(|cell| by_cell[cell] -= weight);
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

    /// Extends the covers so that they explain one more hit: either a ship found before contains the hit, or another
    /// ship is found at a place in `fitting`.
    fn extend_covers(
        &mut self,
        tables: &Tables<S, C, W>,
        prior: &Prior<S, C, W>,
        hit: Cell,
        fitting: &PlacementSet<W>,
    ) {
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
            for ship in (0..S).filter(|ship| cover.unfound >> ship & 1 == 1) {
                for (word, places) in words_of::<S, W>(fitting, ship) {
                    for slot_index in slots_of(word, places) {
                        let cells = tables.slot(slot_index).place.cells;
                        if cells.is_disjoint(cover.cells) {
                            let mut next = cover;
                            next.cells |= cells;
                            next.found[usize::from(next.num_found)] = slot_index as u16;
                            next.num_found += 1;
                            next.unfound &= !(1 << ship);
                            next.weight *= prior.weights.of(slot_index);
                            self.covers.push(next);
                        }
                    }
                }
            }
        }
        self.covers.drain(num_kept..num_covers);
    }

    /// Computes the weights of all covers.
    fn weigh(&mut self, tables: &Tables<S, C, W>, prior: &Prior<S, C, W>) {
        self.mass = [0.0; C];
        self.odds = [0.0; S];
        self.total = 0.0;
        self.active = [0; W];
        if self.has_overcount {
            self.overcount.fill(0.0);
            self.has_overcount = false;
        }
        self.summed = [0; W];
        let mut covers = std::mem::take(&mut self.covers);
        let unfound = covers.iter().fold(0, |unfound, cover| unfound | cover.unfound);
        for cover in &mut covers {
            for &slot_index in cover.found() {
                let slot_index = usize::from(slot_index);
                let (word, bit) = (slot_index / WORD, 1 << (slot_index % WORD));
                if self.active[word] & bit == 0 {
                    self.active[word] |= bit;
                    self.found_places[slot_index] = FoundPlace::NOTHING;
                }
                // If all ships are found, no free ship can cross them.
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

    /// Sums, for each ship in `unfound`, the weights of its free places that cross the place of a slot.
    fn sum_crossing(
        &mut self,
        tables: &Tables<S, C, W>,
        prior: &Prior<S, C, W>,
        slot_index: usize,
        unfound: u8,
    ) {
        let slot = tables.slot(slot_index);
        let direction = usize::from(slot.direction);
        let unfound = unfound & !(1 << slot.ship);
        for ship in (0..S).filter(|ship| unfound >> ship & 1 == 1) {
            // A place in the other direction that crosses the place of the slot shares exactly one cell with it. This
            // cell has no shot.
            let across = &self.sums[ship].by_cell[1 - direction];
            let mut sum: f64 = slot.cell_numbers().map(|cell| across[cell]).sum();
            for word in word_range::<S>(ship) {
                let along = self.free[word]
                    & tables.crossing(slot_index)[word]
                    & tables.in_direction[direction][word];
                sum += slots_of(word, along).map(|other| prior.weights.of(other)).sum::<f64>();
            }
            self.found_places[slot_index].crossing[ship] = sum;
        }
    }

    #[inline]
    fn weigh_one(
        &mut self,
        tables: &Tables<S, C, W>,
        prior: &Prior<S, C, W>,
        cover: &mut Cover<S>,
    ) {
        let found = cover.found;
        let found = &found[..usize::from(cover.num_found)];
        let mut left = [1.0; S];
        let mut few_left = 0u8;
        let unfound = cover.unfound;
        let is_unfound = |&ship: &usize| unfound >> ship & 1 == 1;
        for ship in (0..S).filter(is_unfound) {
            let total = self.sums[ship].total;
            let mut sum = total;
            for &slot_index in found {
                sum -= self.found_places[usize::from(slot_index)].crossing[ship];
            }
            if found.len() > 1 {
                for word in word_range::<S>(ship) {
                    for again in self.crossed_again(tables, found, word) {
                        sum +=
                            slots_of(word, again).map(|other| prior.weights.of(other)).sum::<f64>();
                    }
                }
            }
            if sum <= MIN_SHARE * total {
                few_left |= 1 << ship;
                sum = self
                    .places_left(tables, ship, found)
                    .map(|other| prior.weights.of(other))
                    .sum();
            }
            left[ship] = sum;
        }
        let mut weight = cover.weight * (left[0] * left[1]) * (left[2] * left[3]);
        left[4..].iter().for_each(|left| weight *= left);
        if weight <= 0.0 {
            // A ship has no place left, so the cover is impossible from now on.
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
        for ship in (0..S).filter(is_unfound) {
            let odds = weight / left[ship];
            if few_left >> ship & 1 == 1 {
                // The difference of two nearly equal sums would consist mostly of rounding errors.
                for word in word_range::<S>(ship) {
                    for slot_index in slots_of(word, self.word_left(tables, word, found)) {
                        let mass = odds * prior.weights.of(slot_index);
                        let cells = tables.slot(slot_index).cell_numbers();
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
                for word in word_range::<S>(ship) {
                    for again in self.crossed_again(tables, found, word) {
                        for other in slots_of(word, again) {
                            self.overcount[other] += odds;
                            self.has_overcount = true;
                        }
                    }
                }
            }
        }
    }

    /// Returns three sets of free places within a word: the places that cross at least two, at least three, and four of
    /// the places `found`. There are at most four places in `found`, because at least one ship is not found.
    #[inline]
    fn crossed_again(&self, tables: &Tables<S, C, W>, found: &[u16], word: usize) -> [u64; 3] {
        let crossing = |index: usize| tables.crossing(usize::from(found[index]))[word];
        let free = self.free[word];
        match found.len() {
            2 => [crossing(0) & crossing(1) & free, 0, 0],
            3 => {
                let [a, b, c] = [crossing(0), crossing(1), crossing(2)];
                [(a & b | c & (a | b)) & free, a & b & c & free, 0]
            }
            4 if S > 4 => {
                let [a, b, c, d] = [crossing(0), crossing(1), crossing(2), crossing(3)];
                let (all_ab, any_ab) = (a & b, a | b);
                let (all_cd, any_cd) = (c & d, c | d);
                let twice = all_ab | all_cd | any_ab & any_cd;
                let thrice = all_ab & any_cd | any_ab & all_cd;
                [twice & free, thrice & free, all_ab & all_cd & free]
            }
            _ => [0, 0, 0],
        }
    }

    /// Returns the free places of a word that do not cross any of the places `found`.
    fn word_left(&self, tables: &Tables<S, C, W>, word: usize, found: &[u16]) -> u64 {
        found
            .iter()
            .fold(self.free[word], |left, &slot| left & !tables.crossing(usize::from(slot))[word])
    }

    /// Returns the free places of a ship that do not cross any of the places `found`.
    fn places_left(
        &self,
        tables: &Tables<S, C, W>,
        ship: usize,
        found: &[u16],
    ) -> impl Iterator<Item = usize> {
        (word_range::<S>(ship))
            .flat_map(move |word| slots_of(word, self.word_left(tables, word, found)))
    }

    /// Computes an upper bound on the mass of each cell: the mass of the found ships plus the mass of the other ships,
    /// as if these could cross the covers.
    fn bound_masses(&mut self, tables: &Tables<S, C, W>) {
        for word in 0..W {
            for slot_index in slots_of(word, self.active[word]) {
                let mass = self.found_places[slot_index].mass;
                tables.slot(slot_index).cell_numbers().for_each(|cell| self.mass[cell] += mass);
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

    /// Returns the mass by which the bound at `cell` is too large: for each cover, the bound includes the places of
    /// ships not found that contain the cell but cross a found place.
    fn excess(&self, tables: &Tables<S, C, W>, prior: &Prior<S, C, W>, cell: usize) -> f64 {
        let mut excess = 0.0;
        for ship in 0..S {
            if self.odds[ship] == 0.0 {
                continue;
            }
            for word in word_range::<S>(ship) {
                let places = tables.at_cell[cell][word] & self.free[word];
                for slot_index in slots_of(word, places) {
                    let mut odds = -self.overcount[slot_index];
                    for word in 0..W {
                        let found = tables.crossing(slot_index)[word] & self.active[word];
                        for other in slots_of(word, found) {
                            odds += self.found_places[other].odds[ship];
                        }
                    }
                    excess += odds * prior.weights.of(slot_index);
                }
            }
        }
        excess
    }

    /// Returns the cells without a shot that have the largest mass.
    pub(super) fn best_cells(&mut self, prior: &Prior<S, C, W>) -> Cells {
        let tables = Tables::<S, C, W>::get();
        self.weigh(tables, prior);
        self.bound_masses(tables);
        let nothing_is_found = self.active == [0; W];
        for cell in self.shots {
            self.mass[Tables::<S, C, W>::SEA.number(cell)] = f64::NEG_INFINITY;
        }
        let mut best = f64::NEG_INFINITY;
        let mut best_cells = Cells::NONE;
        if nothing_is_found {
            best = self.mass.iter().copied().fold(best, f64::max);
            for (cell, &mass) in self.mass.iter().enumerate() {
                if mass >= best * (1.0 - TIE) {
                    best_cells |= Cells::of(Tables::<S, C, W>::SEA.cell(cell));
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
                best_cells |= Cells::of(Tables::<S, C, W>::SEA.cell(cell));
            }
            best = best.max(mass);
        }
        best_cells
    }

    /// Returns, for each cell without a shot, the model's probability in [0, 1] that a ship contains it; 0 for other
    /// cells.
    pub(super) fn probabilities(&mut self, prior: &Prior<S, C, W>) -> ByCell<C> {
        let tables = Tables::<S, C, W>::get();
        self.weigh(tables, prior);
        self.bound_masses(tables);
        std::array::from_fn(|cell| {
            if self.shots.contains(Tables::<S, C, W>::SEA.cell(cell)) {
                return 0.0;
            }
            let mass = self.mass[cell] - self.excess(tables, prior, cell);
            // Rounding can lead to values below 0, and ships that may cross can lead to values above 1.
            (mass / self.total).clamp(0.0, 1.0)
        })
    }

    /// Returns the largest number of ships that are not found in one cover.
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
