//! The atoms derived so far, with indices for matching patterns.

use std::collections::HashMap;

use crate::terms::{FunctorId, NONE, TermId, Terms};

/// A term of a rule. Every term without variables is stored as a ground term.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    Variable(u32),
    Ground(TermId),
    Compound(FunctorId, Box<[Pattern]>),
}

impl Pattern {
    /// Collects the values of the variables if the pattern matches a term, and returns whether the rest of the pattern
    /// matches. A variable that occurs twice is collected twice, even with different values.
    pub(crate) fn values(&self, term: TermId, terms: &Terms, out: &mut Vec<(u32, TermId)>) -> bool {
        match self {
            Self::Variable(variable) => {
                out.push((*variable, term));
                true
            }
            Self::Ground(ground) => *ground == term,
            Self::Compound(functor, args) => {
                terms.functor_of(term) == *functor
                    && args
                        .iter()
                        .zip(terms.args(term))
                        .all(|(pattern, &term)| pattern.values(term, terms, out))
            }
        }
    }

    pub(crate) fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Ground(_) => {}
            Self::Compound(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
        }
    }
}

/// A key to look up in an index of one path inside the atoms of a relation.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Key {
    /// The term at the path is the value of this variable.
    Variable(u32),
    /// The term at the path is this term.
    Term(TermId),
    /// The term at the path has this functor.
    Functor(FunctorId),
}

#[derive(Debug, Clone)]
pub(crate) struct BodyAtom {
    pub(crate) relation: u32,
    pub(crate) pattern: Pattern,
    pub(crate) variables: Vec<u32>,
    /// The indices to look up, with their keys.
    pub(crate) probes: Vec<(u32, Key)>,
}

/// A description of an atom's first argument, used to find the body atoms that an atom may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FirstArgument {
    Any,
    Name(FunctorId),
    Term(TermId),
}

impl BodyAtom {
    pub(crate) fn first_argument(&self) -> FirstArgument {
        match &self.pattern {
            Pattern::Compound(_, args) => match args.first() {
                Some(Pattern::Ground(term)) => FirstArgument::Term(*term),
                Some(Pattern::Compound(functor, _)) => FirstArgument::Name(*functor),
                Some(Pattern::Variable(_)) | None => FirstArgument::Any,
            },
            Pattern::Variable(_) | Pattern::Ground(_) => FirstArgument::Any,
        }
    }
}

/// A path to a position inside an atom: an argument, an argument of that argument, and so on.
type Path = Vec<u32>;

/// The atoms derived so far, in order, with their indices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// All derived atoms; an atom's *number* is its position in this list.
    pub(crate) derived: Vec<TermId>,
    relations: Vec<u32>,
    /// For each term, the number of the derived atom that is this term.
    number_of: Vec<u32>,
    /// The numbers of the atoms of each relation.
    of_relation: Vec<Vec<u32>>,
    /// The indices of each relation, each as the number of its path, and whether its keys are functors.
    indices_of: Vec<Vec<(u32, bool)>>,
    paths: Vec<Path>,
    path_ids: HashMap<(u32, Path, bool), u32>,
    /// For each index and key, the position in `numbers` of the list of atoms with this key.
    lists: HashMap<u64, u32, std::hash::BuildHasherDefault<Multiply>>,
    numbers: Vec<Vec<u32>>,
    entries: u64,
}

/// Returns the key of an atom in an index: the term at the end of the path, or its functor.
#[inline]
fn key_at(path: &[u32], by_name: bool, atom: TermId, terms: &Terms) -> Option<u32> {
    let mut term = atom;
    for &at in path {
        term = *terms.args(term).get(at as usize)?;
    }
    Some(if by_name { terms.functor_of(term) } else { term })
}

/// A hasher for integer keys.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Multiply(u64);

impl std::hash::Hasher for Multiply {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

impl Facts {
    pub(crate) fn new(num_relations: usize) -> Self {
        Self {
            of_relation: vec![Vec::new(); num_relations],
            indices_of: vec![Vec::new(); num_relations],
            ..Self::default()
        }
    }

    pub(crate) fn number_of(&self, atom: TermId) -> Option<u32> {
        self.number_of.get(atom as usize).copied().filter(|&number| number != NONE)
    }

    /// Returns the list of atoms with a key in an index, and its length; `None` if the list is empty.
    pub(crate) fn list(&self, index: u32, key: u32) -> Option<(u32, usize)> {
        let list = *self.lists.get(&(u64::from(index) << 32 | u64::from(key)))?;
        Some((list, self.numbers[list as usize].len()))
    }

    /// Returns the number of the atom at a position of a list.
    pub(crate) fn at(&self, list: u32, place: usize) -> Option<u32> {
        self.numbers.get(list as usize)?.get(place).copied()
    }

    pub(crate) fn relation_of(&self, number: u32) -> u32 {
        self.relations[number as usize]
    }

    /// Returns the keys under which body atoms that may match this atom are stored: its relation, with each description
    /// of its first argument.
    pub(crate) fn match_keys(
        &self,
        number: u32,
        terms: &Terms,
    ) -> impl Iterator<Item = (u32, FirstArgument)> + use<> {
        let relation = self.relation_of(number);
        let first = terms.args(self.derived[number as usize]).first().copied();
        let keys = [
            Some(FirstArgument::Any),
            first.map(|term| FirstArgument::Name(terms.functor_of(term))),
            first.map(FirstArgument::Term),
        ];
        keys.into_iter().flatten().map(move |key| (relation, key))
    }

    pub(crate) fn of_relation(&self, relation: u32) -> &[u32] {
        &self.of_relation[relation as usize]
    }

    /// Returns the derived atoms of a relation, in order.
    pub(crate) fn atoms_of(&self, relation: u32) -> impl ExactSizeIterator<Item = TermId> {
        self.of_relation(relation).iter().map(move |&number| self.derived[number as usize])
    }

    /// Returns the first argument of each derived atom of a relation, in order.
    pub(crate) fn first_arguments(&self, id: u32, terms: &Terms) -> impl Iterator<Item = TermId> {
        self.atoms_of(id).map(move |atom| terms.args(atom)[0])
    }

    /// Adds an atom; returns whether it is new.
    pub(crate) fn derive(&mut self, relation: u32, atom: TermId, terms: &Terms) -> bool {
        if self.number_of(atom).is_some() {
            return false;
        }
        let number = self.derived.len() as u32;
        if self.number_of.len() <= atom as usize {
            self.number_of.resize(terms.len(), NONE);
        }
        self.number_of[atom as usize] = number;
        self.derived.push(atom);
        self.relations.push(relation);
        self.of_relation[relation as usize].push(number);
        for &(index, by_name) in &self.indices_of[relation as usize] {
            let Some(key) = key_at(&self.paths[index as usize], by_name, atom, terms) else {
                continue;
            };
            let next = self.numbers.len() as u32;
            let list = *self.lists.entry(u64::from(index) << 32 | u64::from(key)).or_insert(next);
            if list == next {
                self.numbers.push(Vec::new());
            }
            self.numbers[list as usize].push(number);
            self.entries += 1;
        }
        true
    }

    /// Removes the atom with number `end` and all later atoms.
    pub(crate) fn truncate(&mut self, end: usize, terms: &Terms) {
        while self.derived.len() > end {
            let (Some(atom), Some(relation)) = (self.derived.pop(), self.relations.pop()) else {
                return;
            };
            self.number_of[atom as usize] = NONE;
            self.of_relation[relation as usize].pop();
            for &(index, by_name) in &self.indices_of[relation as usize] {
                let Some(key) = key_at(&self.paths[index as usize], by_name, atom, terms) else {
                    continue;
                };
                if let Some(&list) = self.lists.get(&(u64::from(index) << 32 | u64::from(key))) {
                    self.numbers[list as usize].pop();
                    self.entries -= 1;
                }
            }
        }
    }

    fn index(&mut self, relation: u32, path: &[u32], by_name: bool) -> u32 {
        let next = self.paths.len() as u32;
        let id = *self.path_ids.entry((relation, path.to_vec(), by_name)).or_insert(next);
        if id == next {
            self.paths.push(path.to_vec());
            self.indices_of[relation as usize].push((id, by_name));
        }
        id
    }

    /// Prepares an atom of a body for matching. `often` returns `true` if a variable occurs elsewhere in the rule.
    ///
    /// All atoms of bodies must be prepared before the first atom is derived.
    pub(crate) fn body_atom(
        &mut self,
        relation: u32,
        pattern: Pattern,
        often: &dyn Fn(u32) -> bool,
    ) -> BodyAtom {
        fn probe(
            facts: &mut Facts,
            relation: u32,
            pattern: &Pattern,
            path: &mut Path,
            often: &dyn Fn(u32) -> bool,
            probes: &mut Vec<(u32, Key)>,
        ) {
            // Indexing deeper terms would cost more than it saves.
            const DEPTH: usize = 3;
            let key = match pattern {
                Pattern::Variable(variable) if often(*variable) => Key::Variable(*variable),
                Pattern::Variable(_) => return,
                Pattern::Ground(term) => Key::Term(*term),
                Pattern::Compound(functor, _) => Key::Functor(*functor),
            };
            let by_name = matches!(key, Key::Functor(_));
            probes.push((facts.index(relation, path, by_name), key));
            if let Pattern::Compound(_, args) = pattern
                && path.len() < DEPTH
            {
                for (at, arg) in args.iter().enumerate() {
                    path.push(at as u32);
                    probe(facts, relation, arg, path, often, probes);
                    path.pop();
                }
            }
        }
        let mut variables = Vec::new();
        pattern.variables(&mut |variable| {
            if !variables.contains(&variable) {
                variables.push(variable);
            }
        });
        let mut probes = Vec::new();
        if let Pattern::Compound(_, args) = &pattern {
            for (at, arg) in args.iter().enumerate() {
                probe(self, relation, arg, &mut vec![at as u32], often, &mut probes);
            }
        }
        BodyAtom { relation, pattern, variables, probes }
    }

    /// Returns the approximate memory of the facts, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        // A list takes its header, its entry in the map, and up to twice its numbers.
        self.derived.len() as u64 * 16 + self.entries * 8 + self.numbers.len() as u64 * 52
    }
}
