//! Ground terms and atoms, each stored once.

use std::collections::HashMap;

use crate::program::Term;
use crate::text::{Symbol, Symbols};

/// A ground term or atom, by its number.
pub(crate) type TermId = u32;

/// A functor, by its number: a name with a number of arguments. A word differs from a compound without arguments.
pub(crate) type FunctorId = u32;

pub(crate) const NONE: u32 = u32::MAX;

/// A hash table of ids, keyed by the contents of their items, with open addressing and linear probing.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdTable {
    slots: Vec<u32>,
    len: usize,
}

impl IdTable {
    /// Returns the id with this hash for which `equal` holds.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut equal: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                NONE => return None,
                id if equal(id) => return Some(id),
                _ => at = (at + 1) & mask,
            }
        }
    }

    /// Inserts an id that is not in the table; `hash_of` returns the hash of an id in the table.
    pub(crate) fn insert(&mut self, hash: u64, id: u32, hash_of: impl Fn(u32) -> u64) {
        if self.len * 2 >= self.slots.len() {
            let capacity = (self.slots.len() * 2).max(16);
            let old = std::mem::replace(&mut self.slots, vec![NONE; capacity]);
            for id in old.into_iter().filter(|&id| id != NONE) {
                self.place(hash_of(id), id);
            }
        }
        self.place(hash, id);
        self.len += 1;
    }

    fn place(&mut self, hash: u64, id: u32) {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        while self.slots[at] != NONE {
            at = (at + 1) & mask;
        }
        self.slots[at] = id;
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.slots.len() as u64 * 4
    }
}

/// Returns a hash of a few numbers, the same in every run.
#[inline]
pub(crate) fn hash_of(first: u32, rest: impl IntoIterator<Item = u32>) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = u64::from(first).wrapping_add(1).wrapping_mul(K);
    for number in rest {
        hash = (hash.rotate_left(23) ^ u64::from(number)).wrapping_mul(K);
    }
    hash ^ (hash >> 32)
}

/// All terms and atoms created so far.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    functors: Vec<(Symbol, u32)>,
    functor_ids: HashMap<(Symbol, u32), FunctorId>,
    functor_of: Vec<FunctorId>,
    starts: Vec<u32>,
    args: Vec<TermId>,
    depth: Vec<u8>,
    table: IdTable,
}

impl Terms {
    /// Returns the functor of a name with `arity` arguments, or of a word if `arity` is `None`, creating it if needed.
    pub(crate) fn functor(&mut self, name: Symbol, arity: Option<usize>) -> FunctorId {
        let key = (name, arity.map_or(0, |arity| arity as u32 + 1));
        let next = self.functors.len() as FunctorId;
        let id = *self.functor_ids.entry(key).or_insert(next);
        if id == next {
            self.functors.push(key);
        }
        id
    }

    pub(crate) fn len(&self) -> usize {
        self.functor_of.len()
    }

    #[inline]
    pub(crate) fn functor_of(&self, term: TermId) -> FunctorId {
        self.functor_of[term as usize]
    }

    #[inline]
    pub(crate) fn args(&self, term: TermId) -> &[TermId] {
        let term = term as usize;
        let start = self.starts[term] as usize;
        let end = self.starts.get(term + 1).map_or(self.args.len(), |&end| end as usize);
        &self.args[start..end]
    }

    /// Returns the name at the head of a term.
    pub(crate) fn name(&self, term: TermId) -> Symbol {
        self.functors[self.functor_of(term) as usize].0
    }

    /// Returns whether a term is an instance of a pattern in which all variables differ.
    pub(crate) fn fits(&self, term: TermId, pattern: &Term) -> bool {
        let args = self.args(term);
        match pattern {
            Term::Variable(_) => true,
            Term::Word(word) => *word == self.name(term) && args.is_empty(),
            Term::Compound(name, parts) => {
                *name == self.name(term)
                    && parts.len() == args.len()
                    && parts.iter().zip(args).all(|(part, &arg)| self.fits(arg, part))
            }
        }
    }

    /// Returns the nesting depth of a term; a word has depth 1.
    pub(crate) fn depth(&self, term: TermId) -> u64 {
        u64::from(self.depth[term as usize])
    }

    #[inline]
    pub(crate) fn find(&self, functor: FunctorId, args: &[TermId]) -> Option<TermId> {
        let hash = hash_of(functor, args.iter().copied());
        self.table.find(hash, |id| self.functor_of(id) == functor && self.args(id) == args)
    }

    pub(crate) fn intern(&mut self, functor: FunctorId, args: &[TermId]) -> TermId {
        if let Some(id) = self.find(functor, args) {
            return id;
        }
        let id = self.functor_of.len() as TermId;
        let depth = args.iter().map(|&arg| self.depth[arg as usize]).max().unwrap_or(0);
        self.functor_of.push(functor);
        self.starts.push(self.args.len() as u32);
        self.args.extend_from_slice(args);
        self.depth.push(depth.saturating_add(1));
        let (functors, starts, all) = (&self.functor_of, &self.starts, &self.args);
        self.table.insert(hash_of(functor, args.iter().copied()), id, |id| {
            let id = id as usize;
            let end = starts.get(id + 1).map_or(all.len(), |&end| end as usize);
            hash_of(functors[id], all[starts[id] as usize..end].iter().copied())
        });
        id
    }

    /// Returns the canonical text of a term or atom.
    pub(crate) fn text(&self, term: TermId, symbols: &Symbols) -> String {
        let mut out = String::new();
        self.write(term, symbols, &mut out);
        out
    }

    fn write(&self, term: TermId, symbols: &Symbols, out: &mut String) {
        let (name, arity) = self.functors[self.functor_of(term) as usize];
        if arity == 0 {
            out.push_str(symbols.name(name));
            return;
        }
        out.push('(');
        out.push_str(symbols.name(name));
        for &arg in self.args(term) {
            out.push(' ');
            self.write(arg, symbols, out);
        }
        out.push(')');
    }

    /// Returns the approximate memory of the terms, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.len() as u64 * 9 + self.args.len() as u64 * 4 + self.table.bytes()
    }
}
