//! Evaluation without grounding: derives what holds in a state from the rules themselves.
//!
//! Some files have too many ground rules, although each state needs only a few of them. For such files the atoms of a
//! state are derived when the state is entered: one component of relations after the other, semi-naively, by joins over
//! the static relations and the atoms of the state (Ullman 1989, *Principles of database and knowledge-base systems*,
//! volume 2). If relations of a component depend on their own negation, but atoms do not, the alternating fixpoint
//! evaluates the component (Van Gelder 1993, *The alternating fixpoint of logic programs with negation*).
//!
//! This takes ten to a thousand times as long as the circuit: a random game of chess takes a hundredth of a second
//! instead of a thousandth. The last state and the last joint move are remembered, and so are the terms created so far,
//! up to a maximum number.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::check::{self, Dependencies};
use crate::circuit::Circuit;
use crate::clock::{LongWork, Patience};
use crate::error::{Error, Place};
use crate::facts::Facts;
use crate::ground::Functors;
use crate::ids::MoveId;
use crate::join::{JoinRule, Joiner, Scope, Stage};
use crate::limits::{LimitName, Limits};
use crate::network::{Names, goal_value};
use crate::patterns::join_rule;
use crate::program::{
    DOES, GOAL, INIT, LEGAL, Literal, NEXT, Program, ROLE, RelationId, SEES, TERMINAL, TRUE, Term,
};
use crate::state::State;
use crate::terms::{TermId, Terms};
use crate::universe::{self, Known};

/// The rules of a game, prepared for deduction.
#[derive(Debug)]
pub(crate) struct Deduction {
    pub(crate) rules: Vec<JoinRule>,
    /// The relation in the head of each rule.
    heads: Vec<RelationId>,
    phase_a: Vec<Stage>,
    phase_b: Vec<Stage>,
    /// The terms that all states share.
    pub(crate) terms: Terms,
    /// The atoms of the static relations.
    pub(crate) facts: Facts,
    pub(crate) roles: Vec<TermId>,
    pub(crate) functors: Functors,
    /// The possible goals: the index of the role, the term of the goal, and its value.
    pub(crate) goal_terms: Vec<(usize, TermId, u8)>,
    /// For each fluent, the atom of `true` that contains it.
    fluents: Vec<TermId>,
    /// For each role, the atoms of `does`.
    moves: Vec<Vec<TermId>>,
    /// The output bit of each atom of a keyword.
    outputs: HashMap<TermId, u32>,
    circuit: Arc<Circuit>,
}

/// The state of an evaluation that may be interrupted.
struct Work<'a> {
    rules: &'a [JoinRule],
    heads: &'a [RelationId],
    roles: &'a [TermId],
    terms: &'a mut Terms,
    facts: &'a mut Facts,
    joiner: &'a mut Joiner,
    /// The atoms that count as true in negations within a component.
    assumed: HashSet<TermId>,
    /// The number of join steps left until `pause` is called.
    left: u64,
    pause: &'a mut dyn FnMut(&Terms, &Facts) -> Result<u64, Error>,
}

impl Work<'_> {
    fn spend(&mut self, steps: u64) -> Result<(), Error> {
        self.left = self.left.saturating_sub(steps);
        if self.left == 0 {
            self.left = (self.pause)(self.terms, self.facts)?;
        }
        Ok(())
    }

    fn stage(&mut self, stage: &Stage) -> Result<(), Error> {
        if !stage.negates {
            return self.least_model(stage);
        }
        // Overestimates and underestimates alternate: in each least model, negations refer to the previous estimate.
        let start = self.facts.derived.len();
        let mut low = HashSet::new();
        loop {
            let mut estimate = |assumed| {
                self.facts.truncate(start, self.terms);
                self.assumed = assumed;
                self.least_model(stage)?;
                Ok::<_, Error>(self.facts.derived[start..].iter().copied().collect::<HashSet<_>>())
            };
            let high = estimate(low.clone())?;
            let higher = estimate(high)?;
            if higher == low {
                self.assumed.clear();
                return Ok(());
            }
            low = higher;
        }
    }

    /// Derives the atoms of a component. A negation inside the component holds if its atom is not in `assumed`.
    fn least_model(&mut self, stage: &Stage) -> Result<(), Error> {
        let mut next = self.facts.derived.len();
        for &rule in &stage.once {
            let end = self.facts.derived.len() as u32;
            self.join(rule, Scope { trigger: None, end })?;
        }
        while next < self.facts.derived.len() {
            for (rule, scope) in stage.triggered(next as u32, self.terms, self.facts) {
                self.join(rule, scope)?;
            }
            next += 1;
        }
        Ok(())
    }

    fn join(&mut self, index: usize, scope: Scope) -> Result<(), Error> {
        let rules = self.rules;
        let rule = &rules[index];
        self.spend(1 + rule.atoms.len() as u64 / 16)?;
        if !self.joiner.begin(rule, scope, self.terms, self.facts) {
            return Ok(());
        }
        loop {
            let found = self.joiner.advance(rule, scope, self.terms, self.facts);
            let steps = std::mem::take(&mut self.joiner.steps);
            self.spend(steps)?;
            match found {
                Some(true) => self.emit(index),
                Some(false) => return Ok(()),
                None => {}
            }
        }
    }

    fn emit(&mut self, index: usize) {
        let rule = &self.rules[index];
        for pattern in &rule.open {
            let negated = self.joiner.find(pattern, self.terms);
            if negated.is_some_and(|atom| self.assumed.contains(&atom)) {
                return;
            }
        }
        let head = self.joiner.build(&rule.head, self.terms);
        let relation = self.heads[index];
        if matches!(relation, LEGAL | GOAL | SEES)
            && !self.roles.contains(&self.terms.args(head)[0])
        {
            return;
        }
        self.facts.derive(relation, head, self.terms);
    }
}

impl Deduction {
    /// Prepares a program: evaluates the static relations, and finds everything that may become true. Returns the names
    /// of the fluents, moves and percepts, too.
    pub(crate) fn new(
        program: &Program,
        dependencies: &Dependencies,
        limits: &Limits,
        patience: &mut Patience<'_>,
    ) -> Result<(Self, Names), Error> {
        let mut terms = Terms::default();
        let functors = Functors::new(program, &mut terms);
        let mut facts = Facts::new(program.relations.len());
        let component = |relation: RelationId| dependencies.components.of[relation as usize];
        let mut rules = Vec::new();
        for rule in &program.rules {
            let own = component(rule.head.relation);
            let is_open = |relation| component(relation) == own;
            rules.push(join_rule(program, rule, is_open, &mut terms, &mut facts));
        }
        let heads: Vec<RelationId> = program.rules.iter().map(|rule| rule.head.relation).collect();
        let needed = check::graph(program).reached([ROLE, INIT, NEXT, LEGAL, GOAL, TERMINAL, SEES]);
        let (mut statics, mut phase_a, mut phase_b) = (Vec::new(), Vec::new(), Vec::new());
        for index in 0..dependencies.components.num() {
            let relations = dependencies.components.nodes(index);
            if !relations.iter().any(|&relation| needed[relation as usize]) {
                continue;
            }
            let is_inside = |relation: RelationId| relations.contains(&relation);
            let own = (0..rules.len()).filter(|&rule| is_inside(heads[rule]));
            let stage = Stage::new(&rules, own, is_inside);
            let is = |flags: &[bool]| relations.iter().any(|&relation| flags[relation as usize]);
            let list = match (is(&dependencies.dynamic), is(&dependencies.late)) {
                (false, _) => &mut statics,
                (true, false) => &mut phase_a,
                (true, true) => &mut phase_b,
            };
            list.push(stage);
        }
        let mut pause = |terms: &Terms, facts: &Facts| {
            look(program, limits, patience, terms, facts)?;
            Ok(LOOK_EVERY)
        };
        let mut work = Work {
            rules: &rules,
            heads: &heads,
            roles: &[],
            terms: &mut terms,
            facts: &mut facts,
            joiner: &mut Joiner::default(),
            assumed: HashSet::new(),
            left: LOOK_EVERY,
            pause: &mut pause,
        };
        statics.iter().try_for_each(|stage| work.stage(stage))?;
        let roles: Vec<TermId> = facts.first_arguments(ROLE, &terms).collect();
        if roles.len() as u64 > limits.roles.min(LimitName::Roles.most()) + 1 {
            let (name, what) = (LimitName::Roles, "roles beside `random`");
            return Err(Error::exceeded(Place::START, name, what, limits.roles));
        }
        let mut deduction = Self {
            rules,
            heads,
            phase_a,
            phase_b,
            terms,
            facts,
            roles,
            functors,
            goal_terms: Vec::new(),
            fluents: Vec::new(),
            moves: Vec::new(),
            outputs: HashMap::new(),
            circuit: Arc::default(),
        };
        let mut check =
            |terms: &Terms, facts: &Facts| look(program, limits, patience, terms, facts);
        let Self { rules, terms, facts, roles, .. } = &mut deduction;
        let known = Known { rules, terms, facts, roles };
        let all = universe::find(known, program, dependencies, limits, &mut check)?;
        let names = all.names(program, &deduction.roles, &deduction.terms)?;
        let Self { terms, roles, goal_terms, fluents, moves, .. } = &mut deduction;
        for (role, values) in all.goals.iter().enumerate() {
            for &term in values {
                // Only `random` may have other goal values, and they are never queried.
                let value = goal_value(&terms.text(term, &program.symbols));
                goal_terms.extend(value.map(|value| (role, term, value)));
            }
        }
        fluents.extend(names.fluents.iter().map(|&f| terms.intern(functors.of(TRUE), &[f])));
        for (list, &role) in names.moves.iter().zip(&*roles) {
            let atoms = list.iter().map(|&term| terms.intern(functors.of(DOES), &[role, term]));
            moves.push(atoms.collect());
        }
        Ok((deduction, names))
    }

    /// Records the output bits of a circuit without gates.
    pub(crate) fn connect(&mut self, circuit: &Arc<Circuit>, names: &Names) {
        let (terms, outputs, f) = (&mut self.terms, &mut self.outputs, self.functors);
        let mut output = |keyword, args: &[TermId], word: u32, bit: usize| {
            let atom = terms.intern(f.of(keyword), args);
            outputs.insert(atom, word * 64 + bit as u32);
        };
        output(TERMINAL, &[], circuit.terminal.word, 0);
        for (index, &fluent) in names.fluents.iter().enumerate() {
            output(NEXT, &[fluent], circuit.next.word, index);
        }
        for (index, &role) in self.roles.iter().enumerate() {
            for (at, &term) in names.moves[index].iter().enumerate() {
                output(LEGAL, &[role, term], circuit.legal[index].word, at);
            }
            for (at, &term) in names.percepts[index].iter().enumerate() {
                output(SEES, &[role, term], circuit.sees[index].word, at);
            }
        }
        for &(role, term, value) in &self.goal_terms {
            let word = circuit.goal[role].word;
            output(GOAL, &[self.roles[role], term], word, usize::from(value));
        }
        self.circuit = Arc::clone(circuit);
    }
}

/// The number of join steps between checks of memory and time.
const LOOK_EVERY: u64 = 1 << 14;

/// Checks the limits while the static relations are evaluated.
fn look(
    program: &Program,
    limits: &Limits,
    patience: &mut Patience<'_>,
    terms: &Terms,
    facts: &Facts,
) -> Result<(), Error> {
    let exceeded = |name, what, limit| Err(Error::exceeded(Place::START, name, what, limit));
    if program.bytes + terms.bytes() + facts.bytes() > limits.memory {
        return exceeded(LimitName::Memory, "bytes of memory", limits.memory);
    }
    if facts.derived.len() as u64 > limits.ground_atoms {
        return exceeded(LimitName::GroundAtoms, "ground atoms", limits.ground_atoms);
    }
    let work = || LongWork::Grounding { rule: Place::START, ground_rules: 0 };
    if patience.look(work) > limits.ground_seconds {
        let limit = limits.ground_seconds.ceil() as u64;
        return exceeded(LimitName::GroundSeconds, "seconds of grounding", limit);
    }
    Ok(())
}

/// Returns whether all roles have the same goals, because the role in each goal rule's head is a variable that only
/// `role` binds.
pub(crate) fn goals_are_common(program: &Program) -> bool {
    let mut goals = program.rules.iter().filter(|rule| rule.head.relation == GOAL);
    goals.all(|rule| {
        let Term::Variable(role) = rule.head.args[0] else { return false };
        let mut is_elsewhere = false;
        let mut visit = |variable| is_elsewhere |= variable == role;
        rule.head.args[1].variables(&mut visit);
        let is_role =
            |literal: &&Literal| matches!(literal, Literal::Positive(atom) if atom.relation == ROLE);
        let others = rule.body.iter().filter(|literal| !is_role(literal));
        others.flat_map(Literal::terms).for_each(|term| term.variables(&mut visit));
        !is_elsewhere
    })
}

/// The atoms that hold in the current state of a game.
#[derive(Debug, Clone)]
pub(crate) struct Deducer {
    shared: Arc<Deduction>,
    terms: Terms,
    facts: Facts,
    joiner: Joiner,
    /// The number of derived atoms of the static relations; `end_of_phase_a` also counts the atoms of phase A.
    end_of_statics: usize,
    end_of_phase_a: usize,
    /// The joint move that has been added, if there is one.
    joint: Vec<MoveId>,
    is_entered: bool,
    /// Whether this state took too many steps.
    pub(crate) is_exhausted: bool,
}

/// The maximum number of join steps in one phase of a state, about a second of work.
const MOST_STEPS: u64 = 20_000_000;

impl Deducer {
    pub(crate) fn new(shared: &Arc<Deduction>) -> Self {
        Self {
            terms: shared.terms.clone(),
            facts: shared.facts.clone(),
            joiner: Joiner::default(),
            end_of_statics: shared.facts.derived.len(),
            end_of_phase_a: shared.facts.derived.len(),
            joint: Vec::new(),
            is_entered: false,
            is_exhausted: false,
            shared: Arc::clone(shared),
        }
    }

    /// Enters a state: derives phase A, and writes its outputs to `bits`. `is_same` is true if the state was entered
    /// last.
    pub(crate) fn enter(&mut self, state: &State, is_same: bool, bits: &mut [u64]) {
        if is_same && self.is_entered && !self.is_exhausted {
            return;
        }
        /// The number of new terms above which all new terms are forgotten.
        const MOST_TERMS: usize = 1 << 20;
        if self.terms.len() > self.shared.terms.len() + MOST_TERMS {
            self.terms.clone_from(&self.shared.terms);
            self.facts.clone_from(&self.shared.facts);
        }
        let shared = Arc::clone(&self.shared);
        self.facts.truncate(self.end_of_statics, &self.terms);
        for fluent in state.iter() {
            self.facts.derive(TRUE, shared.fluents[fluent as usize], &self.terms);
        }
        self.is_entered = true;
        self.joint.clear();
        self.is_exhausted = self.derive(&shared.phase_a).is_err();
        self.end_of_phase_a = self.facts.derived.len();
        let circuit = &shared.circuit;
        let areas = circuit.legal.iter().chain(&circuit.goal).chain([&circuit.terminal]);
        areas.for_each(|area| bits[area.range()].fill(0));
        if !self.is_exhausted {
            self.write(&[LEGAL, GOAL, TERMINAL], bits);
        }
    }

    /// Adds a joint move: derives phase B, and writes its outputs to `bits`.
    pub(crate) fn play(&mut self, joint: &[MoveId], bits: &mut [u64]) {
        if self.joint == joint {
            return;
        }
        let shared = Arc::clone(&self.shared);
        self.facts.truncate(self.end_of_phase_a, &self.terms);
        for (moves, action) in shared.moves.iter().zip(joint) {
            self.facts.derive(DOES, moves[action.0 as usize], &self.terms);
        }
        self.joint.clear();
        self.joint.extend_from_slice(joint);
        self.is_exhausted |= self.derive(&shared.phase_b).is_err();
        let circuit = &shared.circuit;
        circuit.sees.iter().chain([&circuit.next]).for_each(|area| bits[area.range()].fill(0));
        self.write(&[NEXT, SEES], bits);
    }

    fn derive(&mut self, stages: &[Stage]) -> Result<(), Error> {
        let shared = &*self.shared;
        let mut pause = |_: &Terms, _: &Facts| {
            let name = LimitName::GroundSeconds;
            Err(Error::exceeded(Place::START, name, "join steps", MOST_STEPS))
        };
        let mut work = Work {
            rules: &shared.rules,
            heads: &shared.heads,
            roles: &shared.roles,
            terms: &mut self.terms,
            facts: &mut self.facts,
            joiner: &mut self.joiner,
            assumed: HashSet::new(),
            left: MOST_STEPS,
            pause: &mut pause,
        };
        stages.iter().try_for_each(|stage| work.stage(stage))
    }

    fn write(&self, relations: &[RelationId], bits: &mut [u64]) {
        for &relation in relations {
            for atom in self.facts.atoms_of(relation) {
                if let Some(&bit) = self.shared.outputs.get(&atom) {
                    bits[bit as usize / 64] |= 1 << (bit % 64);
                }
            }
        }
    }
}
