//! A table whose tuples are given while the solver is in use, by simple tabular reduction (Ullmann 2007, *Partition
//! search for non-binary constraint satisfaction*): the allowed tuples form a prefix of a list.

use super::compile::position;
use super::store::Store;

/// A table that has no effect until it has tuples.
#[derive(Debug, Clone)]
pub(super) struct Listed {
    scope: Box<[u32]>,
    /// The positions of all tuples, one tuple after the other.
    tuples: Vec<u16>,
    /// The numbers of the tuples. The allowed tuples come first; apart from that, the order is arbitrary.
    order: Vec<u32>,
    /// The index of a cell. The cell holds the number of allowed tuples plus 1, or 0 if no tuples were given.
    num_cell: u32,
    /// For each variable of the scope, the positions that occur in allowed tuples.
    seen: Box<[Box<[u64]>]>,
}

impl Listed {
    pub(super) fn new(store: &mut Store, scope: &[u32]) -> Listed {
        let seen = scope.iter().map(|&variable| vec![0; store.words(variable).len()].into());
        Listed {
            seen: seen.collect(),
            scope: scope.into(),
            tuples: Vec::new(),
            order: Vec::new(),
            num_cell: store.add_cells(1, 0),
        }
    }

    /// Allows only these tuples, until the change is undone. `values` contains the initial values of each variable;
    /// `tuples` contains the tuples, one after the other.
    pub(super) fn give(&mut self, store: &mut Store, values: &[Box<[u16]>], tuples: &[u16]) {
        self.tuples.clear();
        for tuple in tuples.chunks_exact(self.scope.len()) {
            let start = self.tuples.len();
            let pairs = self.scope.iter().zip(tuple);
            let positions = pairs.map_while(|(&id, &value)| position(&values[id as usize], value));
            self.tuples.extend(positions);
            if self.tuples.len() < start + self.scope.len() {
                self.tuples.truncate(start);
            }
        }
        self.order.clear();
        self.order.extend(0..(self.tuples.len() / self.scope.len()) as u32);
        store.set(self.num_cell, self.order.len() as u64 + 1);
    }

    /// Removes the values that occur in no allowed tuple. Returns `false` if a domain would become empty.
    pub(super) fn revise(&mut self, store: &mut Store, cause: u32) -> bool {
        let Some(num) = store.get(self.num_cell).checked_sub(1) else { return true };
        self.seen.iter_mut().for_each(|seen| seen.fill(0));
        let mut left = num as usize;
        for at in (0..left).rev() {
            let first = self.order[at] as usize * self.scope.len();
            let tuple = &self.tuples[first..first + self.scope.len()];
            let mut pairs = self.scope.iter().zip(tuple);
            if pairs.all(|(&variable, &position)| store.contains(variable, position)) {
                for (seen, &position) in self.seen.iter_mut().zip(tuple) {
                    seen[usize::from(position / 64)] |= 1 << (position % 64);
                }
            } else {
                left -= 1;
                self.order.swap(at, left);
            }
        }
        store.set(self.num_cell, left as u64 + 1);
        let mut pairs = self.scope.iter().zip(&self.seen);
        pairs.all(|(&variable, seen)| store.intersect_all(variable, seen, cause))
    }
}
