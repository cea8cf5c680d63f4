//! The ground program: atoms in dependency order, and the ground rules of each atom.

use std::ops::Range;

use crate::clean::{Cleaner, Role, Status};
use crate::error::{Error, Place, Problem};
use crate::graph::{Components, Graph};
use crate::ground::{Functors, Grounding};
use crate::limits::NUMBERS;
use crate::program::{DOES, GOAL, INIT, LEGAL, NEXT, Program, RANDOM, SEES, TERMINAL, TRUE};
use crate::terms::{NONE, TermId, Terms};

/// A ground atom, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AtomId(pub u32);

/// The meaning of a ground atom.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AtomKind {
    /// A fluent, by index, is true; the state determines whether the atom holds.
    True(u32),
    /// A role makes a move; the joint move determines whether the atom holds.
    Does {
        /// The index of the role.
        role: u8,
        /// The index of the move among all moves of this role.
        action: u32,
    },
    /// A move is legal.
    Legal {
        /// The index of the role.
        role: u8,
        /// The index of the move among all moves of this role.
        action: u32,
    },
    /// A fluent, by index, is true after the step.
    Next(u32),
    /// A role, possibly `random`, has a goal value.
    Goal {
        /// The index of the role.
        role: u8,
        /// The value, 0 to 100.
        value: u8,
    },
    /// The game is over.
    Terminal,
    /// A role perceives something.
    Sees {
        /// The index of the role.
        role: u8,
        /// The index of the percept among all percepts of this role.
        percept: u32,
    },
    /// Any other atom.
    Helper,
}

/// A ground rule: its head holds if all atoms of `positive` and no atoms of `negated` hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GroundRule<'a> {
    /// The head.
    pub head: AtomId,
    /// Atoms that must hold, in increasing order.
    pub positive: &'a [AtomId],
    /// Atoms that must not hold, in increasing order.
    pub negated: &'a [AtomId],
}

/// A complete ground program: ground atoms and ground rules, cleaned.
///
/// The fluents have the lowest numbers, followed by the moves, ordered by role, and by the derived atoms. An atom comes
/// after all atoms that it depends on, except atoms of its own [component](Self::components). The derived atoms of
/// [phase A](Self::phase_a), which do not depend on the joint move, come before the atoms of [phase B](Self::phase_b).
/// An atom that always holds has one rule with an empty body. Atoms that never hold, and helpers that are aliases of
/// another atom, are left out.
#[derive(Debug, Clone, Default)]
pub struct GroundProgram {
    kinds: Vec<AtomKind>,
    terms: Vec<TermId>,
    num_fluents: u32,
    num_given: u32,
    end_of_phase_a: u32,
    /// For each derived atom, the index of its first rule.
    rule_starts: Vec<u32>,
    /// For each rule, the positions in `atoms` of the first positive and the first negated atom of its body.
    body_starts: Vec<[u32; 2]>,
    atoms: Vec<AtomId>,
    /// The first atom of each component.
    component_starts: Vec<u32>,
    num_ground_rules_before: usize,
}

impl GroundProgram {
    /// Creates a program with the given atoms and without rules.
    pub(crate) fn without_rules(
        names: &Names,
        roles: &[TermId],
        functors: Functors,
        terms: &mut Terms,
    ) -> Self {
        let mut ground = Self::default();
        ground.give(names, roles, functors, terms);
        ground.end_of_phase_a = ground.num_given;
        ground.rule_starts.push(0);
        ground.component_starts.push(ground.num_given);
        ground
    }

    fn give(&mut self, names: &Names, roles: &[TermId], functors: Functors, terms: &mut Terms) {
        for (index, &fluent) in names.fluents.iter().enumerate() {
            self.kinds.push(AtomKind::True(index as u32));
            self.terms.push(terms.intern(functors.of(TRUE), &[fluent]));
        }
        self.num_fluents = self.kinds.len() as u32;
        for (role, moves) in names.moves.iter().enumerate() {
            for (action, &term) in moves.iter().enumerate() {
                self.kinds.push(AtomKind::Does { role: role as u8, action: action as u32 });
                self.terms.push(terms.intern(functors.of(DOES), &[roles[role], term]));
            }
        }
        self.num_given = self.kinds.len() as u32;
    }

    /// Returns the number of atoms.
    pub fn num_atoms(&self) -> usize {
        self.kinds.len()
    }

    /// Returns the number of ground rules.
    pub fn num_rules(&self) -> usize {
        self.body_starts.len()
    }

    /// Returns the number of ground rules before cleaning.
    pub fn num_rules_before_cleaning(&self) -> usize {
        self.num_ground_rules_before
    }

    /// Returns the meaning of an atom.
    ///
    /// # Panics
    ///
    /// Panics if the atom does not exist; so does [`rules_of`](Self::rules_of).
    pub fn kind(&self, atom: AtomId) -> AtomKind {
        self.kinds[atom.0 as usize]
    }

    /// Returns the atoms given by the state: `true(f)` for fluent `f` has number `f`.
    pub fn fluents(&self) -> Range<u32> {
        0..self.num_fluents
    }

    /// Returns the atoms given by the joint move, ordered by role and then by move.
    pub fn moves(&self) -> Range<u32> {
        self.num_fluents..self.num_given
    }

    /// Returns the derived atoms that depend on the state alone.
    pub fn phase_a(&self) -> Range<u32> {
        self.num_given..self.end_of_phase_a
    }

    /// Returns the derived atoms that depend on the joint move, and all atoms of `next` and `sees`.
    pub fn phase_b(&self) -> Range<u32> {
        self.end_of_phase_a..self.kinds.len() as u32
    }

    /// Returns the rules of an atom; given atoms have no rules.
    pub fn rules_of(&self, atom: AtomId) -> impl Iterator<Item = GroundRule<'_>> {
        let rules = match atom.0.checked_sub(self.num_given) {
            Some(at) => self.rule_starts[at as usize]..self.rule_starts[at as usize + 1],
            None => 0..0,
        };
        rules.map(move |rule| {
            let [start, middle] = self.body_starts[rule as usize];
            let end =
                self.body_starts.get(rule as usize + 1).map_or(self.atoms.len(), |n| n[0] as usize);
            GroundRule {
                head: atom,
                positive: &self.atoms[start as usize..middle as usize],
                negated: &self.atoms[middle as usize..end],
            }
        })
    }

    /// Returns all rules, ordered by head.
    pub fn rules(&self) -> impl Iterator<Item = GroundRule<'_>> {
        (self.num_given..self.kinds.len() as u32).flat_map(|atom| self.rules_of(AtomId(atom)))
    }

    /// Returns the derived atoms in groups. The atoms of a group depend on each other, without negation; all other
    /// atoms that they depend on come earlier. Nearly all groups have one atom.
    pub fn components(&self) -> impl Iterator<Item = Range<u32>> {
        self.component_starts.windows(2).map(|pair| pair[0]..pair[1])
    }

    pub(crate) fn term(&self, atom: AtomId) -> TermId {
        self.terms[atom.0 as usize]
    }
}

/// The terms that have numbers outside the crate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    /// The fluents, in order of first appearance.
    pub(crate) fluents: Vec<TermId>,
    /// The moves of each role, in the order of their canonical texts.
    pub(crate) moves: Vec<Vec<TermId>>,
    pub(crate) percepts: Vec<Vec<TermId>>,
}

/// Cleans and orders the result of grounding.
pub(crate) fn build(
    program: &Program,
    grounding: &mut Grounding,
) -> Result<(GroundProgram, Names), Error> {
    let mut cleaner = cleaner(grounding);
    cleaner.clean();
    let graph = cleaner.clauses.graph(cleaner.terms.len());
    let components = graph.components();
    stratified(program, grounding, &cleaner, &graph, &components)?;
    cleaner.drop_unneeded();
    check_goals(program, grounding, &cleaner)?;
    let names = names(program, grounding, &cleaner)?;
    let ground = order(program, grounding, &cleaner, &components, &names);
    Ok((ground, names))
}

fn cleaner(grounding: &mut Grounding) -> Cleaner {
    let f = grounding.functors;
    // Interns these atoms before the closures borrow the terms.
    let mut gives = std::collections::HashMap::new();
    for instance in 0..grounding.instances.len() {
        let head = grounding.instances.heads[instance];
        let functor = grounding.terms.functor_of(head);
        let args = grounding.terms.args(head).to_vec();
        if functor == f.of(NEXT) {
            let starts = {
                let init = grounding.terms.intern(f.of(INIT), &args);
                grounding.facts.number_of(init).is_some()
            };
            if !starts {
                gives.insert(head, grounding.terms.intern(f.of(TRUE), &args));
            }
        } else if functor == f.of(LEGAL) {
            gives.insert(head, grounding.terms.intern(f.of(DOES), &args));
        }
    }
    let (terms, facts) = (&grounding.terms, &grounding.facts);
    let keywords = [NEXT, LEGAL, GOAL, TERMINAL, SEES].map(|keyword| f.of(keyword));
    let role_of = |term: TermId| {
        let functor = terms.functor_of(term);
        if functor == f.of(TRUE) || functor == f.of(DOES) {
            Role::Given
        } else if keywords.contains(&functor) {
            Role::Keyword
        } else {
            Role::Helper
        }
    };
    Cleaner::new(
        &grounding.instances,
        terms.len(),
        role_of,
        |term| facts.number_of(term).is_some(),
        |term| gives.get(&term).copied(),
    )
}

/// Checks that no ground atom depends on its own negation.
fn stratified(
    program: &Program,
    grounding: &Grounding,
    cleaner: &Cleaner,
    graph: &Graph,
    components: &Components,
) -> Result<(), Error> {
    let clauses = &cleaner.clauses;
    for clause in 0..clauses.len() {
        let head = clauses.heads[clause];
        for &lit in clauses.body(clause) {
            let atom = lit / 2;
            if lit % 2 == 0 || components.of[atom as usize] != components.of[head as usize] {
                continue;
            }
            let text = |atom: u32| {
                let text = grounding.terms.text(cleaner.terms[atom as usize], &program.symbols);
                // A relation without arguments is shown as a word.
                match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
                    Some(name) if !name.contains(' ') => name.to_string(),
                    _ => text,
                }
            };
            let problem = Problem::OwnNegation {
                name: text(head),
                through: graph.way(atom, head).into_iter().map(text).collect(),
            };
            let rule = &program.rules[clauses.rules[clause] as usize];
            return Err(Error::new(rule.place, problem));
        }
    }
    Ok(())
}

/// Returns the goal value that a text denotes, or `None` if the text is not a whole number from 0 to 100.
pub(crate) fn goal_value(text: &str) -> Option<u8> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&value| digits && value <= 100)
}

fn check_goals(program: &Program, grounding: &Grounding, cleaner: &Cleaner) -> Result<(), Error> {
    let goal = grounding.functors.of(GOAL);
    for clause in 0..cleaner.clauses.len() {
        let term = cleaner.terms[cleaner.clauses.heads[clause] as usize];
        if grounding.terms.functor_of(term) != goal {
            continue;
        }
        let text =
            |at: usize| grounding.terms.text(grounding.terms.args(term)[at], &program.symbols);
        if text(0) != RANDOM && goal_value(&text(1)).is_none() {
            let place = program.rules[cleaner.clauses.rules[clause] as usize].place;
            return Err(Error::new(place, Problem::GoalValue(text(1))));
        }
    }
    Ok(())
}

/// Returns the arguments of the possible atoms of `keyword`.
fn possible<'a>(
    grounding: &'a Grounding,
    cleaner: &'a Cleaner,
    keyword: u32,
) -> impl Iterator<Item = &'a [TermId]> {
    let Grounding { terms, functors, .. } = grounding;
    let atoms = cleaner.terms.iter().zip(&cleaner.status);
    let may_hold = atoms.filter(|(_, status)| **status != Status::False).map(|(&term, _)| term);
    let of_keyword = may_hold.filter(move |&term| terms.functor_of(term) == functors.of(keyword));
    of_keyword.map(move |term| terms.args(term))
}

/// Sorts the terms of each role by their texts. `what` names the terms in errors.
pub(crate) fn by_text(
    mut lists: Vec<Vec<TermId>>,
    what: &'static str,
    program: &Program,
    roles: &[TermId],
    terms: &Terms,
) -> Result<Vec<Vec<TermId>>, Error> {
    for (list, &role) in lists.iter_mut().zip(roles) {
        let text = |term| terms.text(term, &program.symbols);
        list.sort_by_cached_key(|&term| text(term));
        if list.len() as u64 > NUMBERS {
            let problem = Problem::Numbers { what, role: text(role), most: NUMBERS };
            return Err(Error::new(Place::START, problem));
        }
    }
    Ok(lists)
}

fn names(program: &Program, grounding: &Grounding, cleaner: &Cleaner) -> Result<Names, Error> {
    let sorted = |keyword, what| {
        let mut lists = vec![Vec::new(); grounding.roles.len()];
        for args in possible(grounding, cleaner, keyword) {
            if let Some(role) = grounding.roles.iter().position(|&role| role == args[0]) {
                lists[role].push(args[1]);
            }
        }
        by_text(lists, what, program, &grounding.roles, &grounding.terms)
    };
    // A fluent is possible if it holds at the start, or if `next` may derive it.
    let mut may_hold = vec![false; grounding.terms.len()];
    let init = grounding.facts.first_arguments(INIT, &grounding.terms);
    let next = possible(grounding, cleaner, NEXT).map(|args| args[0]);
    init.chain(next).for_each(|fluent| may_hold[fluent as usize] = true);
    let fluents = grounding.facts.first_arguments(TRUE, &grounding.terms);
    let fluents = fluents.filter(|&fluent| may_hold[fluent as usize]);
    let (moves, percepts) = (sorted(LEGAL, "moves")?, sorted(SEES, "percepts")?);
    Ok(Names { fluents: fluents.collect(), moves, percepts })
}

/// Numbers the atoms, and lists the rules by head.
fn order(
    program: &Program,
    grounding: &mut Grounding,
    cleaner: &Cleaner,
    components: &Components,
    names: &Names,
) -> GroundProgram {
    let mut ground = GroundProgram {
        num_ground_rules_before: grounding.instances.len(),
        ..GroundProgram::default()
    };
    let f = grounding.functors;
    ground.give(names, &grounding.roles, f, &mut grounding.terms);

    let clauses = &cleaner.clauses;
    let num_atoms = cleaner.terms.len();
    let by_head = Graph::new(
        num_atoms,
        clauses.heads.iter().enumerate().map(|(clause, &head)| (head, clause as u32)),
    );
    let late = late(grounding, cleaner);
    let mut new_number = vec![NONE; num_atoms];
    let number_of_term: std::collections::HashMap<TermId, u32> =
        ground.terms.iter().enumerate().map(|(number, &term)| (term, number as u32)).collect();
    for (number, term) in new_number.iter_mut().zip(&cleaner.terms) {
        *number = number_of_term.get(term).copied().unwrap_or(NONE);
    }
    ground.component_starts.push(ground.num_given);
    let kinds = Kinds::new(names);
    for phase in [false, true] {
        for component in 0..components.num() {
            for &atom in components.nodes(component) {
                if late[atom as usize] != phase || by_head.successors(atom).is_empty() {
                    continue;
                }
                new_number[atom as usize] = ground.kinds.len() as u32;
                ground.kinds.push(kinds.of(program, grounding, cleaner.terms[atom as usize]));
                ground.terms.push(cleaner.terms[atom as usize]);
            }
            let end = ground.kinds.len() as u32;
            if ground.component_starts.last() != Some(&end) {
                ground.component_starts.push(end);
            }
        }
        if !phase {
            ground.end_of_phase_a = ground.kinds.len() as u32;
        }
    }
    let mut old_number = vec![NONE; ground.kinds.len()];
    for (atom, &number) in new_number.iter().enumerate() {
        if number != NONE && !by_head.successors(atom as u32).is_empty() {
            old_number[number as usize] = atom as u32;
        }
    }
    for &atom in &old_number[ground.num_given as usize..] {
        ground.rule_starts.push(ground.body_starts.len() as u32);
        for &clause in by_head.successors(atom) {
            let start = ground.atoms.len();
            let body = clauses.body(clause as usize);
            let side = |sign: u32| {
                let mut atoms: Vec<AtomId> = body
                    .iter()
                    .filter(|&lit| lit % 2 == sign)
                    .map(|lit| AtomId(new_number[*lit as usize / 2]))
                    .collect();
                atoms.sort_unstable();
                atoms
            };
            ground.atoms.extend(side(0));
            ground.body_starts.push([start as u32, ground.atoms.len() as u32]);
            ground.atoms.extend(side(1));
        }
    }
    ground.rule_starts.push(ground.body_starts.len() as u32);
    ground
}

/// Returns whether each atom belongs to phase B: it depends on a move, or is an atom of `next` or `sees`.
fn late(grounding: &Grounding, cleaner: &Cleaner) -> Vec<bool> {
    let keywords = [DOES, NEXT, SEES].map(|keyword| grounding.functors.of(keyword));
    let terms = cleaner.terms.iter().enumerate();
    let first = terms.filter(|(_, term)| keywords.contains(&grounding.terms.functor_of(**term)));
    let users = cleaner.clauses.edges().map(|(head, atom)| (atom, head));
    Graph::new(cleaner.terms.len(), users).reached(first.map(|(atom, _)| atom as u32))
}

/// The index of each fluent, and of each move and percept of each role.
struct Kinds {
    fluents: std::collections::HashMap<TermId, u32>,
    moves: Vec<std::collections::HashMap<TermId, u32>>,
    percepts: Vec<std::collections::HashMap<TermId, u32>>,
}

impl Kinds {
    fn new(names: &Names) -> Self {
        let numbers = |list: &Vec<TermId>| {
            list.iter().enumerate().map(|(number, &term)| (term, number as u32)).collect()
        };
        Self {
            fluents: numbers(&names.fluents),
            moves: names.moves.iter().map(numbers).collect(),
            percepts: names.percepts.iter().map(numbers).collect(),
        }
    }

    fn of(&self, program: &Program, grounding: &Grounding, term: TermId) -> AtomKind {
        let functor = grounding.terms.functor_of(term);
        let args = grounding.terms.args(term);
        let f = grounding.functors;
        let role = || {
            let role = grounding.roles.iter().position(|&role| role == args[0]);
            role.expect("only atoms of roles are kept") as u8
        };
        if functor == f.of(NEXT) {
            AtomKind::Next(self.fluents[&args[0]])
        } else if functor == f.of(LEGAL) {
            AtomKind::Legal { role: role(), action: self.moves[role() as usize][&args[1]] }
        } else if functor == f.of(SEES) {
            AtomKind::Sees { role: role(), percept: self.percepts[role() as usize][&args[1]] }
        } else if functor == f.of(TERMINAL) {
            AtomKind::Terminal
        } else if functor == f.of(GOAL) {
            // Only `random` may have other goal values, and they are never queried.
            let value = goal_value(&grounding.terms.text(args[1], &program.symbols));
            value.map_or(AtomKind::Helper, |value| AtomKind::Goal { role: role(), value })
        } else {
            AtomKind::Helper
        }
    }
}
