//! Tables of any number of variables, whose allowed tuples are stored as a set of bits (Demeulenaere, Hartert,
//! Lecoutre, Perez, Perron, Régin & Schaus 2016, *Compact-table: efficiently filtering table constraints with
//! reversible sparse bit-sets*).
//!
//! Deviations: domains do not record which values they lost last. A change therefore removes the tuples of all values
//! lost so far or, if fewer values are left than lost, keeps only the tuples of the values left. For each value, only
//! the nonzero words of its tuples are stored, with their places. If a variable has a thousand values, few words are
//! nonzero.

use super::store::{Store, bits, flatten};

/// A table of any number of variables.
#[derive(Debug, Clone)]
pub(super) struct Compact {
    scope: Box<[u32]>,
    /// The index of the cell that holds the first 64 tuples. The cells of the other tuples follow.
    first_cell: u32,
    /// The words in any order, but with the nonzero words first.
    order: Box<[u32]>,
    /// The index of the cell that holds the number of nonzero words.
    num_cell: u32,
    /// The offset of the values of each variable, and the end of the last variable.
    first_values: Box<[u32]>,
    /// The offset of the entries of each value in `places` and `masks`, and the end of the last value.
    first_entries: Box<[u32]>,
    /// For each entry, the index of a word of 64 tuples.
    places: Box<[u32]>,
    /// For each entry, the bits of this word whose tuples contain the value.
    masks: Box<[u64]>,
    /// For each value, the entry in which a support was last found.
    residues: Box<[u32]>,
    /// A buffer with one word for each 64 tuples.
    gathered: Box<[u64]>,
}

impl Compact {
    /// Creates a table. `sizes` contains the number of positions of each variable of the scope; `tuples` contains the
    /// positions of all tuples, one tuple after the other.
    pub(super) fn new(store: &mut Store, scope: &[u32], sizes: &[u32], tuples: &[u16]) -> Compact {
        let num_tuples = tuples.len() / scope.len();
        let num_words = num_tuples.div_ceil(64);
        let mut first_values = vec![0];
        let mut entries: Vec<Vec<(u32, u64)>> = Vec::new();
        for (column, &size) in sizes.iter().enumerate() {
            let first = entries.len();
            entries.resize(first + size as usize, Vec::new());
            first_values.push(entries.len() as u32);
            for (index, tuple) in tuples.chunks_exact(scope.len()).enumerate() {
                let list = &mut entries[first + usize::from(tuple[column])];
                let (place, bit) = ((index / 64) as u32, 1 << (index % 64));
                match list.last_mut() {
                    Some(last) if last.0 == place => last.1 |= bit,
                    _ => list.push((place, bit)),
                }
            }
        }
        let num_values = entries.len();
        let (first_entries, entries) = flatten(&entries);
        let first_cell = store.add_cells(num_words, u64::MAX);
        if !num_tuples.is_multiple_of(64) {
            store.set(first_cell + num_words as u32 - 1, (1 << (num_tuples % 64)) - 1);
        }
        Compact {
            scope: scope.into(),
            first_cell,
            order: (0..num_words as u32).collect(),
            num_cell: store.add_cells(1, num_words as u64),
            first_values: first_values.into(),
            residues: first_entries[..num_values].into(),
            first_entries,
            places: entries.iter().map(|entry| entry.0).collect(),
            masks: entries.iter().map(|entry| entry.1).collect(),
            gathered: vec![0; num_words].into(),
        }
    }

    /// Removes values without support. Bit i of `dirty` is set if variable i of the scope has lost values; bit 63
    /// stands for all variables from 63 on. Returns `false` if a domain would become empty.
    pub(super) fn revise(&mut self, store: &mut Store, dirty: u64, cause: u32) -> bool {
        let mut is_changed = false;
        for column in 0..self.scope.len() {
            if is_dirty(dirty, column) {
                is_changed |= self.drop_tuples(store, column);
                if store.get(self.num_cell) == 0 {
                    return false;
                }
            }
        }
        // At the start, no value has been checked yet.
        if !is_changed && dirty != u64::MAX {
            return true;
        }
        // If only one variable has changed, its remaining values keep their supports.
        let skipped =
            if dirty.count_ones() == 1 { dirty.trailing_zeros() as usize } else { usize::MAX };
        (0..self.scope.len())
            .filter(|&column| column != skipped || column >= 63)
            .all(|column| store.is_fixed(self.scope[column]) || self.filter(store, column, cause))
    }

    /// Drops the tuples whose value in a column has left the domain. Returns `true` if there were such tuples.
    fn drop_tuples(&mut self, store: &mut Store, column: usize) -> bool {
        let num_words = store.get(self.num_cell) as usize;
        let words = store.words(self.scope[column]);
        let first = self.first_values[column] as usize;
        let num_values = self.first_values[column + 1] as usize - first;
        let num_left = store.size(self.scope[column]) as usize;
        let is_by_left = num_left <= num_values - num_left;
        for &place in &self.order[..num_words] {
            self.gathered[place as usize] = 0;
        }
        for (index, &word) in words.iter().enumerate() {
            let in_word = (num_values - 64 * index).min(64);
            let all = if in_word == 64 { u64::MAX } else { (1 << in_word) - 1 };
            for bit in bits(if is_by_left { word } else { all & !word }) {
                let value = first + 64 * index + bit as usize;
                for entry in self.first_entries[value]..self.first_entries[value + 1] {
                    let entry = entry as usize;
                    self.gathered[self.places[entry] as usize] |= self.masks[entry];
                }
            }
        }
        let (mut left, mut is_changed) = (num_words, false);
        // The loop runs backwards: the word that replaces an empty word has been processed already.
        for at in (0..num_words).rev() {
            let place = self.order[at];
            let gathered = self.gathered[place as usize];
            let cell = self.first_cell + place;
            let old = store.get(cell);
            let new = old & if is_by_left { gathered } else { !gathered };
            if new != old {
                is_changed = true;
                store.set(cell, new);
                if new == 0 {
                    left -= 1;
                    self.order.swap(at, left);
                }
            }
        }
        if left != num_words {
            store.set(self.num_cell, left as u64);
        }
        is_changed
    }

    /// Removes the values that occur in no tuple from the domain of a column's variable.
    fn filter(&mut self, store: &mut Store, column: usize, cause: u32) -> bool {
        let first = self.first_values[column] as usize;
        store.retain(self.scope[column], cause, |store, position| {
            self.has_support(store, first + position)
        })
    }

    #[inline]
    fn has_support(&mut self, store: &Store, value: usize) -> bool {
        let entries = self.first_entries[value]..self.first_entries[value + 1];
        if entries.is_empty() {
            return false;
        }
        let is_support = |entry: u32| {
            let place = self.places[entry as usize];
            store.get(self.first_cell + place) & self.masks[entry as usize] != 0
        };
        if is_support(self.residues[value]) {
            return true;
        }
        match entries.into_iter().find(|&entry| is_support(entry)) {
            Some(entry) => {
                self.residues[value] = entry;
                true
            }
            None => false,
        }
    }
}

fn is_dirty(dirty: u64, column: usize) -> bool {
    dirty >> column.min(63) & 1 != 0
}
