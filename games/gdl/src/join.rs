//! Joins: enumerates all ways to satisfy the body of a rule with the atoms derived so far.

use std::collections::HashMap;

use crate::facts::{BodyAtom, Facts, FirstArgument, Key, Pattern};
use crate::terms::{NONE, TermId, Terms};

/// A condition, checked once its variables are bound.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Distinct(Pattern, Pattern),
    /// Two terms are equal. Binds the variables of one side once the variables of the other side are bound.
    Equal(Pattern, Pattern),
    /// The atom has not been derived.
    Absent(Pattern),
}

/// A rule in the form that joins use.
#[derive(Debug, Clone)]
pub(crate) struct JoinRule {
    pub(crate) head: Pattern,
    pub(crate) atoms: Vec<BodyAtom>,
    pub(crate) conditions: Vec<Condition>,
    /// Negated atoms that are recorded in instances, but not checked.
    pub(crate) open: Vec<Pattern>,
    pub(crate) num_variables: usize,
}

/// The source of candidate atoms in a join.
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
    /// `trail`, `checked` and `found` are the lengths of the joiner's lists when the frame was created.
    trail: usize,
    checked: usize,
    found: usize,
}

/// A search for the matches of a rule's body, with buffers that are reused.
#[derive(Debug, Clone, Default)]
pub(crate) struct Joiner {
    /// Whether no match has been looked for.
    is_new: bool,
    pub(crate) binding: Vec<TermId>,
    trail: Vec<u32>,
    done: Vec<bool>,
    /// The derived atom that matches each atom of the body.
    pub(crate) matched: Vec<TermId>,
    frames: Vec<Frame>,
    /// The indices of the conditions that hold, in the order in which they were checked.
    checked: Vec<usize>,
    /// The indices of the body atoms that were looked up once their variables were bound, in order.
    found: Vec<usize>,
    holds: Vec<bool>,
    /// The number of candidates tried since the caller last reset it.
    pub(crate) steps: u64,
    scratch: Vec<TermId>,
}

/// The atoms that a join may use.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scope {
    /// The index of a body atom, and the number of the derived atom that it must match.
    pub(crate) trigger: Option<(usize, u32)>,
    /// Atoms with this number or a higher one are hidden.
    pub(crate) end: u32,
}

/// Rules that are joined together until they derive no new atom.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// The rules that are joined only once, because no atom of the stage triggers them.
    pub(crate) once: Vec<usize>,
    /// The rules that an atom of the stage triggers, each with the index of the matching literal.
    triggers: HashMap<(u32, FirstArgument), Vec<(usize, usize)>>,
    /// Whether a rule has negated atoms that are not checked.
    pub(crate) negates: bool,
}

impl Stage {
    /// Creates the stage of the rules with the indices `own`. `is_inside` returns `true` for the relations of its atoms.
    pub(crate) fn new(
        rules: &[JoinRule],
        own: impl IntoIterator<Item = usize>,
        is_inside: impl Fn(u32) -> bool,
    ) -> Self {
        let mut stage = Self::default();
        for index in own {
            let rule = &rules[index];
            stage.negates |= !rule.open.is_empty();
            let mut waits = false;
            for (at, atom) in rule.atoms.iter().enumerate() {
                if is_inside(atom.relation) {
                    let key = (atom.relation, atom.first_argument());
                    stage.triggers.entry(key).or_default().push((index, at));
                    waits = true;
                }
            }
            if !waits {
                stage.once.push(index);
            }
        }
        stage
    }

    /// Returns the rules that the derived atom with this number triggers, each with the scope of its join.
    pub(crate) fn triggered<'s>(
        &'s self,
        number: u32,
        terms: &Terms,
        facts: &Facts,
    ) -> impl Iterator<Item = (usize, Scope)> + use<'s> {
        let rules = facts.match_keys(number, terms).filter_map(move |key| self.triggers.get(&key));
        rules
            .flatten()
            .map(move |&(rule, at)| (rule, Scope { trigger: Some((at, number)), end: number }))
    }
}

/// Returns whether an atom of the body may match the derived atom with this number.
fn is_visible(atom: usize, number: u32, scope: Scope) -> bool {
    match scope.trigger {
        Some((trigger, last)) if atom < trigger => number < last,
        Some((_, last)) => number <= last,
        None => number < scope.end,
    }
}

impl Joiner {
    /// Begins the search for matches of `rule`; [`Joiner::advance`] then finds one match after the other.
    ///
    /// With a trigger, body atoms before the trigger match only atoms older than the trigger's atom. Body atoms after
    /// it may match that atom, too, but no newer atom. So each match is found exactly once: its newest atom is the
    /// trigger's atom, and the trigger is the first body atom that matches it.
    pub(crate) fn begin(
        &mut self,
        rule: &JoinRule,
        scope: Scope,
        terms: &mut Terms,
        facts: &Facts,
    ) -> bool {
        self.is_new = true;
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

    /// Finds the next match, and stores it in `binding` and `matched`. Returns `None` after a few thousand atoms without
    /// a match, so that the caller can check the clock.
    pub(crate) fn advance(
        &mut self,
        rule: &JoinRule,
        scope: Scope,
        terms: &mut Terms,
        facts: &Facts,
    ) -> Option<bool> {
        const PATIENCE: u64 = 4096;
        if std::mem::take(&mut self.is_new) {
            if self.all_done() {
                return Some(true);
            }
            self.choose(rule, facts);
        }
        // Each step examines all atoms of the body.
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
            self.steps += 1;
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
            Source::Relation(relation) => *facts.of_relation(relation).get(frame.next)?,
            Source::List(list) => facts.at(list, frame.next)?,
        };
        // The lists are in increasing order, so all later atoms are invisible, too.
        is_visible(frame.atom, number, scope).then_some(number)
    }

    /// Looks up all body atoms without free variables, which need no frame. Returns whether all exist.
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
        let mut best = (facts.of_relation(atom.relation).len(), Source::Relation(atom.relation));
        for &(index, key) in &atom.probes {
            let key = match key {
                Key::Variable(variable) => self.binding[variable as usize],
                Key::Term(key) | Key::Functor(key) => key,
            };
            if key == NONE {
                continue;
            }
            let Some((list, count)) = facts.list(index, key) else { return (0, EMPTY) };
            if count < best.0 {
                best = (count, Source::List(list));
            }
        }
        best
    }

    /// Checks the conditions whose variables are bound, until no equation binds more variables. Returns `false` if a
    /// condition fails.
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
                        self.find(atom, terms).and_then(|atom| facts.number_of(atom)).is_none()
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

    /// Returns the term of a variable or of a ground term; returns any other pattern itself.
    fn value<'p>(&self, pattern: &'p Pattern) -> Result<TermId, &'p Pattern> {
        match pattern {
            Pattern::Variable(variable) => Ok(self.binding[*variable as usize]),
            Pattern::Ground(term) => Ok(*term),
            Pattern::Compound(..) => Err(pattern),
        }
    }

    /// Returns whether two bound patterns are the same term.
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

    /// Matches a pattern with a term, and binds its free variables.
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

    /// Returns the term of a bound pattern, or `None` if it does not exist.
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

    /// Returns the term of a bound pattern, creating it if needed.
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
