//! Sets of pairs of fluents.

use ruse_gdl::State;

/// A set of pairs of different fluents that are assumed never to hold together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pairs {
    num_fluents: usize,
    /// The number of 64-bit words in a row.
    width: usize,
    /// For each fluent, a row with one bit for each fluent. Each pair is stored in the rows of both fluents.
    bits: Vec<u64>,
}

impl Pairs {
    pub(super) fn none(num_fluents: usize) -> Self {
        let width = num_fluents.div_ceil(64);
        Self { num_fluents, width, bits: vec![0; width * num_fluents] }
    }

    /// Creates the set of all pairs.
    pub(super) fn all(num_fluents: usize) -> Self {
        let mut pairs = Self::none(num_fluents);
        for first in 0..num_fluents {
            for second in 0..first {
                pairs.set(first as u32, second as u32, true);
            }
        }
        pairs
    }

    #[inline]
    pub(super) fn contains(&self, first: u32, second: u32) -> bool {
        let word = self.bits[first as usize * self.width + second as usize / 64];
        word >> (second % 64) & 1 == 1
    }

    pub(super) fn set(&mut self, first: u32, second: u32, value: bool) {
        for (row, column) in [(first, second), (second, first)] {
            let word = &mut self.bits[row as usize * self.width + column as usize / 64];
            let bit = 1 << (column % 64);
            *word = if value { *word | bit } else { *word & !bit };
        }
    }

    /// Removes the pairs of fluents that hold together in `state`.
    pub(super) fn remove(&mut self, state: &State) {
        for fluent in state.iter() {
            let row = &mut self.bits[fluent as usize * self.width..][..self.width];
            row.iter_mut().zip(state.words()).for_each(|(row, &holds)| *row &= !holds);
        }
    }

    /// Removes the pairs that `other` does not contain.
    pub(super) fn retain(&mut self, other: &Self) {
        self.bits.iter_mut().zip(&other.bits).for_each(|(word, &other)| *word &= other);
    }

    /// Iterates over the pairs in increasing order, the smaller fluent first.
    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let num_fluents = self.num_fluents as u32;
        (0..num_fluents).flat_map(move |first| {
            let rest = first + 1..num_fluents;
            rest.filter(move |&second| self.contains(first, second)).map(move |s| (first, s))
        })
    }

    /// Returns `true` if all pairs of these fluents are exclusive.
    pub(super) fn exclude(&self, fluents: &[u32]) -> bool {
        fluents
            .iter()
            .enumerate()
            .all(|(at, &first)| fluents[..at].iter().all(|&second| self.contains(first, second)))
    }
}

#[cfg(test)]
mod tests {
    use ruse_gdl::State;

    use super::Pairs;

    #[test]
    fn a_state_removes_the_pairs_that_hold_in_it() {
        let mut pairs = Pairs::all(70);
        let mut state = State::empty(70);
        for fluent in [1, 3, 68] {
            state.set(fluent, true);
        }
        pairs.remove(&state);
        assert_eq!(pairs.iter().count(), 70 * 69 / 2 - 3);
        for (first, second) in [(1, 3), (68, 1), (3, 68)] {
            assert!(!pairs.contains(first, second) && !pairs.contains(second, first));
        }
        assert!(pairs.exclude(&[1, 2, 69]) && !pairs.exclude(&[1, 2, 68]));
    }
}
