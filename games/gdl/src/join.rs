//! Joins: all ways to make the body of a rule true from the atoms derived so far.

use std::collections::HashMap;

use crate::terms::{FunctorId, NONE, TermId, Terms};

/// A term of a rule; what has no variables is a ground term already.
#[derive(Debug, Clone)]
pub(crate) enum Pattern {
    Variable(u32),
    Ground(TermId),
    Compound(FunctorId, Box<[Pattern]>),
}

impl Pattern {
    pub(crate) fn variables(&self, visit: &mut impl FnMut(u32)) {
        match self {
            Self::Variable(variable) => visit(*variable),
            Self::Ground(_) => {}
            Self::Compound(_, args) => args.iter().for_each(|arg| arg.variables(visit)),
        }
    }
}

/// What an index is asked for at a place inside the atoms of a relation.
#[derive(Debug, Clone, Copy)]
enum Key {
    /// The term there is the value of this variable.
    Variable(u32),
    /// The term there is this one.
    Term(TermId),
    /// The term there begins with this name.
    Functor(FunctorId),
}

#[derive(Debug, Clone)]
pub(crate) struct BodyAtom {
    pub(crate) relation: u32,
    pub(crate) pattern: Pattern,
    variables: Vec<u32>,
    /// Numbers of indices, with what they are asked for.
    probes: Vec<(u32, Key)>,
}

/// What the first argument of an atom is, as far as that tells which atoms of bodies it may match.
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

/// A condition that is looked at once its variables are bound.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Distinct(Pattern, Pattern),
    /// Binds the variables of one side, once those of the other are bound.
    Equal(Pattern, Pattern),
    /// The atom has not been derived.
    Absent(Pattern),
}

/// A rule as joins see it.
#[derive(Debug, Clone)]
pub(crate) struct JoinRule {
    pub(crate) head: Pattern,
    pub(crate) atoms: Vec<BodyAtom>,
    pub(crate) conditions: Vec<Condition>,
    /// Negated atoms that are written down and not looked at.
    pub(crate) open: Vec<Pattern>,
    pub(crate) num_variables: usize,
}

/// A place inside the atoms of a relation: the argument, the argument of that, and so on.
type Path = Vec<u32>;

/// The atoms derived so far, in order, with their indices.
#[derive(Debug, Clone, Default)]
pub(crate) struct Facts {
    /// All derived atoms; a place in this list is an atom's *number*.
    pub(crate) derived: Vec<TermId>,
    relations: Vec<u32>,
    /// The number of each term, if it is a derived atom.
    number_of: Vec<u32>,
    /// The numbers of the atoms of each relation.
    of_relation: Vec<Vec<u32>>,
    /// The indices of each relation: numbers of paths, and whether by name.
    indices_of: Vec<Vec<(u32, bool)>>,
    paths: Vec<Path>,
    path_ids: HashMap<(u32, Path, bool), u32>,
    /// Lists of numbers by index and key.
    lists: HashMap<u64, u32, std::hash::BuildHasherDefault<Multiply>>,
    numbers: Vec<Vec<u32>>,
    entries: u64,
}

/// A hasher for keys that are numbers.
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

    /// The relation of the atom with a number.
    pub(crate) fn relation_of(&self, number: u32) -> u32 {
        self.relations[number as usize]
    }

    pub(crate) fn of_relation(&self, relation: u32) -> &[u32] {
        &self.of_relation[relation as usize]
    }

    /// Adds an atom; says whether it is new.
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
            let mut term = Some(atom);
            for &at in &self.paths[index as usize] {
                term = term.and_then(|term| terms.args(term).get(at as usize).copied());
            }
            let Some(term) = term else { continue };
            let key = if by_name { terms.functor_of(term) } else { term };
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

    fn index(&mut self, relation: u32, path: &[u32], by_name: bool) -> u32 {
        let next = self.paths.len() as u32;
        let id = *self.path_ids.entry((relation, path.to_vec(), by_name)).or_insert(next);
        if id == next {
            self.paths.push(path.to_vec());
            self.indices_of[relation as usize].push((id, by_name));
        }
        id
    }

    /// Prepares an atom of a body. `often` says of a variable whether the rule has it elsewhere.
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
            // Deeper terms would cost more than they save.
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

    /// Bytes held, about.
    pub(crate) fn bytes(&self) -> u64 {
        // A list has its head, its entry in the map, and up to twice its numbers.
        self.derived.len() as u64 * 16 + self.entries * 8 + self.numbers.len() as u64 * 52
    }
}

/// Where the atoms that a step of a join tries come from.
#[derive(Debug, Clone, Copy)]
enum Source {
    Relation(u32),
    List(u32),
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    atom: usize,
    source: Source,
    next: usize,
    /// Lengths of the lists below when the frame was made.
    trail: usize,
    checked: usize,
    found: usize,
}

/// The buffers of joins.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joiner {
    pub(crate) binding: Vec<TermId>,
    trail: Vec<u32>,
    done: Vec<bool>,
    /// The atom that each atom of the body stands for.
    pub(crate) matched: Vec<TermId>,
    frames: Vec<Frame>,
    /// Conditions found to hold, in order, and whether each is among them.
    checked: Vec<usize>,
    /// Atoms of the body found to hold as soon as their variables were bound, in order.
    found: Vec<usize>,
    holds: Vec<bool>,
    scratch: Vec<TermId>,
}

/// Which atoms a join may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// The atom of the body that stands for a given one.
    pub(crate) trigger: Option<(usize, u32)>,
    /// Atoms with this number and later ones are not there yet.
    pub(crate) end: u32,
}

/// Whether an atom of the body may stand for the derived atom with this number.
fn is_visible(atom: usize, number: u32, scope: Scope) -> bool {
    match scope.trigger {
        Some((trigger, last)) if atom < trigger => number < last,
        Some((_, last)) => number <= last,
        None => number < scope.end,
    }
}

impl Joiner {
    /// Begins the search of `rule`. Then [`Joiner::advance`] finds one way after the other.
    ///
    /// With a trigger, atoms before it in the body stand for atoms derived before the trigger's, and
    /// atoms after it for those up to it, so that every way is found once: with the latest of its
    /// atoms, at its first place.
    pub(crate) fn begin(
        &mut self,
        rule: &JoinRule,
        scope: Scope,
        terms: &mut Terms,
        facts: &Facts,
    ) -> bool {
        self.binding.clear();
        self.binding.resize(rule.num_variables, NONE);
        self.trail.clear();
        self.done.clear();
        self.done.resize(rule.atoms.len(), false);
        self.matched.clear();
        self.matched.resize(rule.atoms.len(), NONE);
        self.frames.clear();
        self.checked.clear();
        self.found.clear();
        self.holds.clear();
        self.holds.resize(rule.conditions.len(), false);
        if let Some((atom, number)) = scope.trigger {
            let term = facts.derived[number as usize];
            if !self.matches(&rule.atoms[atom].pattern, term, terms) {
                return false;
            }
            self.done[atom] = true;
            self.matched[atom] = term;
        }
        self.conditions(rule, terms, facts) && self.bound_atoms(rule, scope, terms, facts)
    }

    /// The next way to make the body true, in `binding` and `matched`. `first` is true for the first.
    /// Returns `None` when some thousand atoms were tried without a way: the caller may look at the
    /// clock and call again.
    pub(crate) fn advance(
        &mut self,
        rule: &JoinRule,
        scope: Scope,
        first: bool,
        terms: &mut Terms,
        facts: &Facts,
    ) -> Option<bool> {
        const PATIENCE: u64 = 4096;
        if first {
            if self.all_done() {
                return Some(true);
            }
            self.choose(rule, facts);
        }
        // Each step looks at all atoms.
        let mut patience = PATIENCE / (1 + rule.atoms.len() as u64 / 16) + 1;
        while let Some(&frame) = self.frames.last() {
            self.undo(frame);
            let Some(number) = self.candidate(frame, scope, facts) else {
                self.done[frame.atom] = false;
                self.frames.pop();
                continue;
            };
            if let Some(frame) = self.frames.last_mut() {
                frame.next += 1;
            }
            let term = facts.derived[number as usize];
            if self.matches(&rule.atoms[frame.atom].pattern, term, terms)
                && self.conditions(rule, terms, facts)
                && self.bound_atoms(rule, scope, terms, facts)
            {
                self.matched[frame.atom] = term;
                if self.all_done() {
                    return Some(true);
                }
                self.choose(rule, facts);
            }
            patience -= 1;
            if patience == 0 {
                return None;
            }
        }
        Some(false)
    }

    fn all_done(&self) -> bool {
        self.done.iter().all(|&done| done)
    }

    fn undo(&mut self, frame: Frame) {
        for variable in self.trail.drain(frame.trail..) {
            self.binding[variable as usize] = NONE;
        }
        for condition in self.checked.drain(frame.checked..) {
            self.holds[condition] = false;
        }
        for atom in self.found.drain(frame.found..) {
            self.done[atom] = false;
        }
    }

    fn candidate(&self, frame: Frame, scope: Scope, facts: &Facts) -> Option<u32> {
        let number = match frame.source {
            Source::Relation(relation) => *facts.of_relation[relation as usize].get(frame.next)?,
            Source::List(list) => *facts.numbers.get(list as usize)?.get(frame.next)?,
        };
        // The lists are in increasing order: nothing after this one is there yet either.
        is_visible(frame.atom, number, scope).then_some(number)
    }

    /// Looks at all atoms without free variables: either one of them fails, or none needs a frame.
    fn bound_atoms(&mut self, rule: &JoinRule, scope: Scope, terms: &Terms, facts: &Facts) -> bool {
        for (index, atom) in rule.atoms.iter().enumerate() {
            let is_bound = |&variable: &u32| self.binding[variable as usize] != NONE;
            if self.done[index] || !atom.variables.iter().all(is_bound) {
                continue;
            }
            let Some(term) = self.find(&atom.pattern, terms) else { return false };
            match facts.number_of(term) {
                Some(number) if is_visible(index, number, scope) => {}
                _ => return false,
            }
            self.matched[index] = term;
            self.done[index] = true;
            self.found.push(index);
        }
        true
    }

    /// Pushes a frame for the atom with the fewest candidates.
    fn choose(&mut self, rule: &JoinRule, facts: &Facts) {
        let mut best: Option<(usize, usize, Source)> = None;
        for (index, atom) in rule.atoms.iter().enumerate() {
            if self.done[index] {
                continue;
            }
            let (count, source) = self.candidates(atom, facts);
            if best.is_none_or(|(least, ..)| count < least) {
                best = Some((count, index, source));
            }
            if count == 0 {
                break;
            }
        }
        if let Some((_, atom, source)) = best {
            self.done[atom] = true;
            let (trail, checked, found) = (self.trail.len(), self.checked.len(), self.found.len());
            self.frames.push(Frame { atom, source, next: 0, trail, checked, found });
        }
    }

    fn candidates(&self, atom: &BodyAtom, facts: &Facts) -> (usize, Source) {
        const EMPTY: Source = Source::List(NONE);
        let mut best =
            (facts.of_relation[atom.relation as usize].len(), Source::Relation(atom.relation));
        for &(index, key) in &atom.probes {
            let key = match key {
                Key::Variable(variable) => self.binding[variable as usize],
                Key::Term(key) | Key::Functor(key) => key,
            };
            if key == NONE {
                continue;
            }
            let Some(&list) = facts.lists.get(&(u64::from(index) << 32 | u64::from(key))) else {
                return (0, EMPTY);
            };
            let count = facts.numbers[list as usize].len();
            if count < best.0 {
                best = (count, Source::List(list));
            }
        }
        best
    }

    /// Looks at the conditions whose variables are bound, until no equation binds more.
    fn conditions(&mut self, rule: &JoinRule, terms: &mut Terms, facts: &Facts) -> bool {
        let mut again = true;
        while again {
            again = false;
            for (index, condition) in rule.conditions.iter().enumerate() {
                if self.holds[index] {
                    continue;
                }
                let holds = match condition {
                    Condition::Distinct(t, u) if self.is_bound(t) && self.is_bound(u) => {
                        !self.same(t, u, terms)
                    }
                    Condition::Equal(t, u) if self.is_bound(t) && self.is_bound(u) => {
                        self.same(t, u, terms)
                    }
                    Condition::Equal(t, u) if self.is_bound(t) || self.is_bound(u) => {
                        let (bound, free) = if self.is_bound(t) { (t, u) } else { (u, t) };
                        again = true;
                        let term = self.build(bound, terms);
                        self.matches(free, term, terms)
                    }
                    Condition::Absent(atom) if self.is_bound(atom) => {
                        let found = self.find(atom, terms);
                        found.and_then(|atom| facts.number_of(atom)).is_none()
                    }
                    _ => continue,
                };
                if !holds {
                    return false;
                }
                self.holds[index] = true;
                self.checked.push(index);
            }
        }
        true
    }

    fn is_bound(&self, pattern: &Pattern) -> bool {
        match pattern {
            Pattern::Variable(variable) => self.binding[*variable as usize] != NONE,
            Pattern::Ground(_) => true,
            Pattern::Compound(_, args) => args.iter().all(|arg| self.is_bound(arg)),
        }
    }

    /// The term of a pattern without variables at its top.
    fn value<'p>(&self, pattern: &'p Pattern) -> Result<TermId, &'p Pattern> {
        match pattern {
            Pattern::Variable(variable) => Ok(self.binding[*variable as usize]),
            Pattern::Ground(term) => Ok(*term),
            Pattern::Compound(..) => Err(pattern),
        }
    }

    /// Whether two bound patterns are the same term.
    fn same(&mut self, t: &Pattern, u: &Pattern, terms: &Terms) -> bool {
        match (self.value(t), self.value(u)) {
            (Ok(t), Ok(u)) => t == u,
            (Ok(term), Err(pattern)) | (Err(pattern), Ok(term)) => {
                self.matches(pattern, term, terms)
            }
            (Err(Pattern::Compound(f, t)), Err(Pattern::Compound(g, u))) => {
                f == g && t.iter().zip(u).all(|(t, u)| self.same(t, u, terms))
            }
            _ => false,
        }
    }

    /// Matches a pattern with a term; binds its free variables.
    fn matches(&mut self, pattern: &Pattern, term: TermId, terms: &Terms) -> bool {
        match pattern {
            Pattern::Ground(ground) => *ground == term,
            Pattern::Variable(variable) => {
                let bound = &mut self.binding[*variable as usize];
                if *bound == NONE {
                    *bound = term;
                    self.trail.push(*variable);
                }
                *bound == term
            }
            Pattern::Compound(functor, args) => {
                terms.functor_of(term) == *functor
                    && args
                        .iter()
                        .zip(terms.args(term))
                        .all(|(pattern, &term)| self.matches(pattern, term, terms))
            }
        }
    }

    /// The term of a bound pattern, if there is one.
    pub(crate) fn find(&mut self, pattern: &Pattern, terms: &Terms) -> Option<TermId> {
        match pattern {
            Pattern::Ground(term) => Some(*term),
            Pattern::Variable(variable) => Some(self.binding[*variable as usize]),
            Pattern::Compound(functor, args) => {
                let start = self.scratch.len();
                for arg in args {
                    let Some(term) = self.find(arg, terms) else {
                        self.scratch.truncate(start);
                        return None;
                    };
                    self.scratch.push(term);
                }
                let found = terms.find(*functor, &self.scratch[start..]);
                self.scratch.truncate(start);
                found
            }
        }
    }

    /// The term of a bound pattern, made if there is none.
    pub(crate) fn build(&mut self, pattern: &Pattern, terms: &mut Terms) -> TermId {
        match pattern {
            Pattern::Ground(term) => *term,
            Pattern::Variable(variable) => self.binding[*variable as usize],
            Pattern::Compound(functor, args) => {
                let start = self.scratch.len();
                for arg in args {
                    let term = self.build(arg, terms);
                    self.scratch.push(term);
                }
                let term = terms.intern(*functor, &self.scratch[start..]);
                self.scratch.truncate(start);
                term
            }
        }
    }
}
