//! The distribution of ships before the first shot: the weights of places, and their sums.

use super::tables::{NUM_CLASSES, Once, PlacementSet, Tables, WORD, slots_of, words_of};

/// Returns the smallest log-weight, relative to the largest of the same ship; smaller log-weights are raised to it. The
/// product of the smallest weights of all ships, e^-600 for four ships and e^-700 for five, is still a positive number.
const fn min_log_weight(num_ships: usize) -> f64 {
    if num_ships <= 4 { -150.0 } else { -140.0 }
}

/// A number for each cell, indexed by the number of the cell.
pub(super) type ByCell<const C: usize> = [f64; C];

/// Weights of all places, and their sums.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prior<const S: usize, const C: usize, const W: usize> {
    /// The weights, indexed by slot.
    pub(super) weights: Weights<W>,
    pub(super) sums: [Sums<C>; S],
}

/// A number for each place, indexed by slot.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Weights<const W: usize>([[f64; WORD]; W]);

impl<const W: usize> Weights<W> {
    #[inline(always)]
    pub(super) fn of(&self, slot_index: usize) -> f64 {
        self.0.as_flattened()[slot_index]
    }
}

/// Sums of the weights of the places of one ship.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Sums<const C: usize> {
    /// The sum of all weights.
    pub(super) total: f64,
    /// For each cell, the sum of the weights of the places that contain the cell: first places in rows, then places in
    /// columns.
    pub(super) by_cell: [ByCell<C>; 2],
    /// The value of `total` when it was last summed from the weights.
    pub(super) last_summed: f64,
}

impl<const C: usize> Sums<C> {
    pub(super) const ZERO: Sums<C> = Sums { total: 0.0, by_cell: [[0.0; C]; 2], last_summed: 0.0 };

    pub(super) fn sum<const S: usize, const W: usize>(
        &mut self,
        tables: &Tables<S, C, W>,
        weights: &Weights<W>,
        ship: usize,
        free: &PlacementSet<W>,
    ) {
        *self = Sums::ZERO;
        for (word, places) in words_of::<S, W>(free, ship) {
            for slot_index in slots_of(word, places) {
                let slot = tables.slot(slot_index);
                let weight = weights.of(slot_index);
                self.total += weight;
                let by_cell = &mut self.by_cell[usize::from(slot.direction)];
                slot.cell_numbers().for_each(|cell| by_cell[cell] += weight);
            }
        }
        self.last_summed = self.total;
    }
}

impl<const S: usize, const C: usize, const W: usize> Prior<S, C, W>
where
    Tables<S, C, W>: Once,
{
    /// Computes the weights of all places from a log-weight for each ship and each class of places. The log-weights may
    /// be any finite numbers.
    pub(super) fn new(log_weights: &[[f64; NUM_CLASSES]; S]) -> Prior<S, C, W> {
        let mut prior = Prior { weights: Weights([[0.0; WORD]; W]), sums: [Sums::ZERO; S] };
        prior.set(log_weights);
        prior
    }

    pub(super) fn set(&mut self, log_weights: &[[f64; NUM_CLASSES]; S]) {
        let tables = Tables::<S, C, W>::get();
        for (ship, log_weights) in log_weights.iter().enumerate() {
            let largest = log_weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            for (class, log_weight) in log_weights.iter().enumerate() {
                let weight = libm::exp((log_weight - largest).max(min_log_weight(S)));
                for &slot_index in tables.class(ship, class) {
                    self.weights.0.as_flattened_mut()[usize::from(slot_index)] = weight;
                }
            }
            self.sums[ship].sum(tables, &self.weights, ship, &tables.all);
        }
    }

    /// Returns, for each cell, the probability before the first shot that the cell is part of `ship`.
    pub(super) fn cell_probabilities(&self, ship: usize) -> ByCell<C> {
        let Sums { total, by_cell: [rows, columns], .. } = &self.sums[ship];
        std::array::from_fn(|cell| (rows[cell] + columns[cell]) / total)
    }
}
