//! Tables of two variables, stored as rows of bits (Lecoutre & Vion 2008, *Enforcing arc consistency using bitwise
//! operations*), with residual supports (Lecoutre & Hemery 2007, *A study of residual supports in arc consistency*).
//!
//! A value has a support if its row and the domain of the other variable have a bit in common; rows never change, so
//! nothing has to be undone. If one variable is fixed, the row of its value is intersected with the domain of the other
//! variable. Memory: two bits for each pair of values.

use super::store::Store;

/// A table of two variables.
#[derive(Debug, Clone)]
pub(super) struct Binary {
    scope: [u32; 2],
    /// The rows of each variable. There is one row for each position of the variable; it contains the compatible
    /// positions of the other variable.
    rows: [Rows; 2],
}

#[derive(Debug, Clone)]
struct Rows {
    words: Box<[u64]>,
    width: usize,
    /// For each row, the index of the word in which a support was last found.
    residues: Box<[u32]>,
}

impl Rows {
    fn new(num_rows: u32, num_columns: u32) -> Rows {
        let width = num_columns.div_ceil(64).max(1) as usize;
        Rows {
            words: vec![0; width * num_rows as usize].into(),
            width,
            residues: vec![0; num_rows as usize].into(),
        }
    }

    fn add(&mut self, row: u16, column: u16) {
        self.words[usize::from(row) * self.width + usize::from(column / 64)] |= 1 << (column % 64);
    }

    fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.width..][..self.width]
    }

    #[inline]
    fn has_support(&mut self, row: usize, domain: &[u64]) -> bool {
        let words = &self.words[row * self.width..][..self.width];
        let residue = self.residues[row] as usize;
        if words[residue] & domain[residue] != 0 {
            return true;
        }
        match words.iter().zip(domain).position(|(word, domain)| word & domain != 0) {
            Some(found) => {
                self.residues[row] = found as u32;
                true
            }
            None => false,
        }
    }
}

impl Binary {
    /// Creates a table from the allowed pairs of positions, listed one pair after the other in `pairs`.
    pub(super) fn new(scope: [u32; 2], sizes: [u32; 2], pairs: &[u16]) -> Binary {
        let mut rows = [Rows::new(sizes[0], sizes[1]), Rows::new(sizes[1], sizes[0])];
        for pair in pairs.chunks_exact(2) {
            rows[0].add(pair[0], pair[1]);
            rows[1].add(pair[1], pair[0]);
        }
        Binary { scope, rows }
    }

    /// Returns the number of bits that the rows of one side take.
    pub(super) fn num_bits(sizes: [u32; 2]) -> u64 {
        u64::from(sizes[0]) * u64::from(sizes[1].next_multiple_of(64))
    }

    /// Removes values without support. Bit 0 of `dirty` is set if the first variable has lost values, bit 1 if the
    /// second variable has. Returns `false` if a domain would become empty.
    ///
    /// One pass in each direction is enough, because a removed value supports none of the remaining values.
    pub(super) fn revise(&mut self, store: &mut Store, dirty: u64, cause: u32) -> bool {
        (dirty & 1 == 0 || self.revise_side(store, 1, cause))
            && (dirty & 2 == 0 || self.revise_side(store, 0, cause))
    }

    fn revise_side(&mut self, store: &mut Store, side: usize, cause: u32) -> bool {
        let (variable, other) = (self.scope[side], self.scope[1 - side]);
        if store.is_fixed(other) {
            let Some(position) = store.position_from(other, 0) else { return false };
            let row = self.rows[1 - side].row(usize::from(position));
            return store.intersect_all(variable, row, cause);
        }
        let rows = &mut self.rows[side];
        store.retain(variable, cause, |store, row| rows.has_support(row, store.words(other)))
    }
}
