//! Clauses with two watched literals that are not false (Moskewicz, Madigan, Zhao, Zhang & Malik 2001, *Chaff*).
//!
//! Nothing has to be undone: literals that were not false before a decision are not false after it is taken back. The
//! clauses that watch a literal form a linked list through the clauses, so lists need no allocation.

use super::store::{LiteralNumbers, Place, Store};

const END: u32 = u32::MAX;

/// A set of clauses of at least two distinct literals.
#[derive(Debug, Clone)]
pub(super) struct Clauses {
    /// The literals of all clauses, one clause after the other. The first two literals of each clause are watched.
    literals: Vec<Place>,
    /// The offset of the literals of each clause, and the end of the last clause.
    starts: Vec<u32>,
    /// The constraint of each clause.
    origins: Vec<u32>,
    /// For each literal, by number, the first watch of its list. A watch is twice the number of a clause,
    /// plus 1 if the watched literal is its second literal.
    first_watches: Vec<u32>,
    next_watches: Vec<u32>,
    numbers: LiteralNumbers,
    /// True if a literal counts as false only once its variable is fixed (forward checking).
    is_forward: bool,
}

impl Clauses {
    /// Creates an empty set for variables with these numbers of values.
    pub(super) fn new(sizes: &[u32], is_forward: bool) -> Clauses {
        let numbers = LiteralNumbers::new(sizes);
        Clauses {
            literals: Vec::new(),
            starts: vec![0],
            origins: Vec::new(),
            first_watches: vec![END; numbers.len()],
            next_watches: Vec::new(),
            numbers,
            is_forward,
        }
    }

    /// Adds a clause of at least two literals that are not false.
    pub(super) fn add(&mut self, literals: &[Place], origin: u32) {
        debug_assert!(literals.len() >= 2, "a shorter clause is none or a unit");
        for &literal in &literals[..2] {
            let index = self.numbers.of(literal);
            self.next_watches.push(self.first_watches[index]);
            self.first_watches[index] = self.next_watches.len() as u32 - 1;
        }
        self.literals.extend_from_slice(literals);
        self.starts.push(self.literals.len() as u32);
        self.origins.push(origin);
    }

    /// Returns `true` if `literal` counts as false, so that a watch cannot move to it.
    #[inline]
    fn is_known_false(&self, store: &Store, literal: Place) -> bool {
        store.is_false(literal) && (!self.is_forward || store.is_fixed(literal.variable))
    }

    /// Propagates a literal that has become false to all clauses that watch it. Adds their number to `revisions`.
    pub(super) fn falsified(
        &mut self,
        literal: Place,
        store: &mut Store,
        revisions: &mut u64,
    ) -> Result<(), u32> {
        let index = self.numbers.of(literal);
        let mut previous = END;
        let mut watch = self.first_watches[index];
        while watch != END {
            let next = self.next_watches[watch as usize];
            let (clause, side) = ((watch / 2) as usize, (watch % 2) as usize);
            let start = self.starts[clause] as usize;
            let end = self.starts[clause + 1] as usize;
            *revisions += 1;
            let other = self.literals[start + 1 - side];
            if !store.is_true(other) {
                let free =
                    (start + 2..end).find(|&at| !self.is_known_false(store, self.literals[at]));
                if let Some(at) = free {
                    self.literals.swap(start + side, at);
                    match previous {
                        END => self.first_watches[index] = next,
                        previous => self.next_watches[previous as usize] = next,
                    }
                    let new = self.numbers.of(self.literals[start + side]);
                    self.next_watches[watch as usize] = self.first_watches[new];
                    self.first_watches[new] = watch;
                    watch = next;
                    continue;
                }
                if !store.hold(other) {
                    return Err(self.origins[clause]);
                }
            }
            previous = watch;
            watch = next;
        }
        Ok(())
    }
}
