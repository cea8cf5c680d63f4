//! Grounding: enumerates all instances of rules that may ever apply.
//!
//! Static relations are evaluated semi-naively, one component of relations after the other. Then the other rules are
//! instantiated for each atom that might become true: atoms that hold at the start, atoms that `next` may derive from
//! them, and so on. Negations of such atoms are ignored here. Everything is ordered by first appearance, so that the
//! result is a function of the text.

use std::collections::HashSet;

use crate::check::{self, Dependencies};
use crate::clean::{Clauses, DistinctClauses, Lit};
use crate::clock::{LongWork, Patience};
use crate::error::{Error, Oddity, Place, Problem, Warning};
use crate::facts::{BodyAtom, Facts};
use crate::join::{JoinRule, Joiner, Scope, Stage};
use crate::limits::{LimitName, Limits};
use crate::patterns::join_rule;
use crate::program::{
    DOES, GOAL, INIT, KEYWORDS, LEGAL, NEXT, Program, RANDOM, ROLE, RelationId, SEES, TRUE,
};
use crate::split::{self, Split};
use crate::terms::{FunctorId, TermId, Terms};

/// The number of join steps between checks of memory and time.
const LOOK_EVERY: usize = 4096;

/// The number of join steps after which the grounder tries to split a rule. Splitting rules with fewer steps would save
/// little time, and would make their ground rules harder to read.
const SPLIT_AT: u64 = 1 << 17;

/// The result of grounding.
#[derive(Debug, Clone)]
pub(crate) struct Grounding {
    pub(crate) terms: Terms,
    pub(crate) facts: Facts,
    /// The instances of rules. Their atoms are terms.
    pub(crate) instances: Clauses,
    /// The roles, in the order of the `role` facts.
    pub(crate) roles: Vec<TermId>,
    pub(crate) functors: Functors,
    pub(crate) warnings: Vec<Warning>,
}

/// The functors of the keywords, indexed by relation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Functors(pub(crate) [FunctorId; KEYWORDS.len()]);

impl Functors {
    pub(crate) fn new(program: &Program, terms: &mut Terms) -> Self {
        Self(std::array::from_fn(|index| {
            let relation = &program.relations[index];
            terms.functor(relation.name, Some(relation.arity))
        }))
    }

    pub(crate) fn of(&self, keyword: RelationId) -> FunctorId {
        self.0[keyword as usize]
    }
}

/// The reason why grounding stops early.
enum Stop {
    Refused(Error),
    /// Rules with many matches that can be split, by index, in increasing order.
    Split(Vec<(usize, Split)>),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

/// Grounds a program that has passed all checks. If splitting a rule would make its many matches fewer, splits it in
/// `program`, and grounds again.
pub(crate) fn ground(
    program: &mut Program,
    dependencies: &mut Dependencies,
    limits: &Limits,
    patience: &mut Patience<'_>,
) -> Result<Grounding, Error> {
    let mut parts = split::PartRelations::default();
    loop {
        match attempt(program, dependencies, limits, patience) {
            Ok(grounding) => return Ok(grounding),
            Err(Stop::Refused(error)) => return Err(error),
            Err(Stop::Split(splits)) => {
                split::apply(program, splits, &mut parts);
                *dependencies = check::dependencies(program);
            }
        }
    }
}

fn attempt(
    program: &Program,
    dependencies: &Dependencies,
    limits: &Limits,
    patience: &mut Patience<'_>,
) -> Result<Grounding, Stop> {
    let mut terms = Terms::default();
    let functors = Functors::new(program, &mut terms);
    let mut facts = Facts::new(program.relations.len());
    // Negations of dynamic atoms are ignored while grounding.
    let is_open = |relation: RelationId| dependencies.dynamic[relation as usize];
    let rules: Vec<JoinRule> = program
        .rules
        .iter()
        .map(|rule| join_rule(program, rule, is_open, &mut terms, &mut facts))
        .collect();
    let mut grounder = Grounder {
        program,
        dependencies,
        rules: &rules,
        limits,
        patience,
        terms,
        facts,
        functors,
        instances: DistinctClauses::default(),
        per_rule: vec![0; rules.len()],
        efforts: vec![0; rules.len()],
        patience_of: vec![SPLIT_AT; rules.len()],
        joiner: Joiner::default(),
        body: Vec::new(),
        roles: Vec::new(),
        warnings: Vec::new(),
        work: 0,
    };
    grounder.statics()?;
    grounder.take_roles()?;
    grounder.dynamics()?;
    let Grounder { terms, facts, instances, roles, warnings, .. } = grounder;
    let instances = instances.clauses;
    Ok(Grounding { terms, facts, instances, roles, functors, warnings })
}

struct Grounder<'a, 'o> {
    program: &'a Program,
    dependencies: &'a Dependencies,
    rules: &'a [JoinRule],
    limits: &'a Limits,
    patience: &'a mut Patience<'o>,
    terms: Terms,
    facts: Facts,
    functors: Functors,
    instances: DistinctClauses,
    /// The number of instances of each rule.
    per_rule: Vec<u64>,
    /// The number of join steps of each rule; `patience_of` contains the number of steps at which to look for a split.
    efforts: Vec<u64>,
    patience_of: Vec<u64>,
    joiner: Joiner,
    body: Vec<Lit>,
    roles: Vec<TermId>,
    warnings: Vec<Warning>,
    /// The number of join steps since the last check of the limits.
    work: usize,
}

impl Grounder<'_, '_> {
    fn statics(&mut self) -> Result<(), Stop> {
        let Dependencies { dynamic, components, .. } = self.dependencies;
        let rules = &self.program.rules;
        let mut rules_of = vec![Vec::new(); self.program.relations.len()];
        for (index, rule) in rules.iter().enumerate() {
            rules_of[rule.head.relation as usize].push(index);
        }
        let users = (0..rules_of.len() as RelationId).filter(|&r| dynamic[r as usize]);
        let needed = check::graph(self.program).reached(users.chain([ROLE, INIT]));
        for component in 0..components.num() {
            let relations = components.nodes(component);
            if relations.iter().any(|&r| dynamic[r as usize] || !needed[r as usize]) {
                continue;
            }
            let mut own: Vec<usize> =
                relations.iter().flat_map(|&r| rules_of[r as usize].iter().copied()).collect();
            own.sort_unstable();
            self.stage(self.facts.derived.len(), own, |relation| relations.contains(&relation))?;
        }
        Ok(())
    }

    fn take_roles(&mut self) -> Result<(), Stop> {
        self.roles = self.facts.first_arguments(ROLE, &self.terms).collect();
        let seats = self.roles.iter().filter(|&&role| self.text(role) != RANDOM).count();
        let limit = self.limits.roles.min(LimitName::Roles.most());
        if seats as u64 > limit {
            let (place, what) = (Place::START, "roles beside `random`");
            return Err(Error::exceeded(place, LimitName::Roles, what, limit).into());
        }
        Ok(())
    }

    fn dynamics(&mut self) -> Result<(), Stop> {
        let start: Vec<TermId> = self.facts.first_arguments(INIT, &self.terms).collect();
        for fluent in start {
            self.derive_keyword(TRUE, &[fluent], Place::START)?;
        }
        let (dynamic, rules) = (&self.dependencies.dynamic, &self.program.rules);
        let own = (0..rules.len()).filter(|&rule| dynamic[rules[rule].head.relation as usize]);
        // The initial fluents are already derived, but not yet processed.
        let first = self.facts.derived.len() - self.facts.of_relation(TRUE).len();
        self.stage(first, own, |relation| dynamic[relation as usize])
    }

    /// Instantiates the rules with the indices `own`, until they derive no new atom. Derived atoms from number `next`
    /// on have not been processed yet. `is_inside` returns `true` for the relations of these atoms and of the rules'
    /// heads, whose new atoms trigger joins.
    fn stage(
        &mut self,
        mut next: usize,
        own: impl IntoIterator<Item = usize>,
        is_inside: impl Fn(RelationId) -> bool,
    ) -> Result<(), Stop> {
        let stage = Stage::new(self.rules, own, is_inside);
        for &rule in &stage.once {
            let end = self.facts.derived.len() as u32;
            self.join(rule, Scope { trigger: None, end })?;
        }
        while next < self.facts.derived.len() {
            for (rule, scope) in stage.triggered(next as u32, &self.terms, &self.facts) {
                self.join(rule, scope)?;
            }
            next += 1;
        }
        Ok(())
    }

    fn join(&mut self, index: usize, scope: Scope) -> Result<(), Stop> {
        let rules = self.rules;
        let rule = &rules[index];
        // Starting a join costs as much as a few steps, even if it finds nothing.
        self.work += 1 + rule.atoms.len() / 16;
        if self.work >= LOOK_EVERY {
            self.look(index)?;
        }
        if !self.joiner.begin(rule, scope, &mut self.terms, &self.facts) {
            return Ok(());
        }
        loop {
            match self.joiner.advance(rule, scope, &mut self.terms, &self.facts) {
                Some(true) => self.emit(index)?,
                Some(false) => break,
                None => {
                    self.look(index)?;
                    self.reconsider(index)?;
                }
            }
        }
        self.reconsider(index)
    }

    /// Adds the joiner's steps to the effort for a rule. If the effort has become large and the rule can be split,
    /// stops grounding, and returns the splits of all rules that take long.
    fn reconsider(&mut self, index: usize) -> Result<(), Stop> {
        /// Another rule is split, too, if its effort is at least 1 / `SHARE` of this rule's effort.
        const SHARE: u64 = 64;
        self.efforts[index] += std::mem::take(&mut self.joiner.steps);
        let effort = self.efforts[index];
        if effort < self.patience_of[index] {
            return Ok(());
        }
        self.patience_of[index] = effort * 4;
        let Some(split) = self.split(index) else { return Ok(()) };
        let mut splits = vec![(index, split)];
        for other in (0..self.rules.len()).filter(|&other| other != index) {
            if self.efforts[other] >= effort / SHARE {
                splits.extend(self.split(other).map(|split| (other, split)));
            }
        }
        splits.sort_unstable_by_key(|&(index, _)| index);
        Err(Stop::Split(splits))
    }

    fn split(&self, index: usize) -> Option<Split> {
        let sizes = self.rules[index].atoms.iter().map(|atom| self.size(atom));
        split::find(&self.program.rules[index], self.dependencies, sizes)
    }

    /// Counts the atoms that match an atom of a body, and the values of its variables.
    fn size(&self, atom: &BodyAtom) -> split::Size {
        const MOST: usize = 1 << 16;
        let terms = self.facts.atoms_of(atom.relation);
        let num_terms = terms.len();
        let mut values = vec![HashSet::new(); atom.variables.len()];
        let mut found = Vec::new();
        let mut count = 0.0;
        for term in terms.take(MOST) {
            found.clear();
            if !atom.pattern.values(term, &self.terms, &mut found) {
                continue;
            }
            count += 1.0;
            for &(variable, term) in &found {
                let at = atom.variables.iter().position(|&v| v == variable);
                values[at.expect("a variable of the atom")].insert(term);
            }
        }
        let scale = num_terms as f64 / num_terms.clamp(1, MOST) as f64;
        let values = atom.variables.iter().zip(&values).map(|(&v, set)| (v, set.len() as f64));
        split::Size { atoms: count * scale, values: values.collect() }
    }

    /// Derives the head of the rule for the joiner's match. If the rule is dynamic, also adds the instance.
    fn emit(&mut self, index: usize) -> Result<(), Stop> {
        self.work += 1;
        if self.work >= LOOK_EVERY {
            self.look(index)?;
        }
        let rule = &self.rules[index];
        let relation = self.program.rules[index].head.relation;
        let place = self.program.rules[index].place;
        let head = self.joiner.build(&rule.head, &mut self.terms);
        // The atom itself adds one level.
        let limit = self.limits.term_depth.min(LimitName::TermDepth.most());
        if self.terms.depth(head) > limit + 1 {
            return Err(Error::new(place, Problem::TermDepth { limit }).into());
        }
        let dynamic = &self.dependencies.dynamic;
        if dynamic[relation as usize] {
            if matches!(relation, LEGAL | GOAL | SEES) && !self.is_of_role(head, relation, place) {
                return Ok(());
            }
            self.body.clear();
            for (at, atom) in rule.atoms.iter().enumerate() {
                if dynamic[atom.relation as usize] {
                    self.body.push(self.joiner.matched[at] * 2);
                }
            }
            for pattern in &rule.open {
                self.body.push(self.joiner.build(pattern, &mut self.terms) * 2 + 1);
            }
            // Positive literals come first, so that their atoms get lower numbers.
            self.body.sort_unstable_by_key(|lit| (lit % 2, *lit));
            self.body.dedup();
            if !self.instances.add(head, index as u32, &self.body) {
                return Ok(());
            }
            self.per_rule[index] += 1;
            if self.instances.clauses.len() as u64 > self.limits.ground_rules {
                let limit = self.limits.ground_rules;
                return Err(self.too_many(LimitName::GroundRules, "ground rules", limit).into());
            }
        }
        self.derive(relation, head, place)?;
        match relation {
            NEXT => {
                let fluent = self.terms.args(head)[0];
                self.derive_keyword(TRUE, &[fluent], place)
            }
            LEGAL => {
                let (role, action) = (self.terms.args(head)[0], self.terms.args(head)[1]);
                self.derive_keyword(DOES, &[role, action], place)
            }
            _ => Ok(()),
        }
    }

    fn derive_keyword(
        &mut self,
        keyword: RelationId,
        args: &[TermId],
        place: Place,
    ) -> Result<(), Stop> {
        let atom = self.terms.intern(self.functors.of(keyword), args);
        self.derive(keyword, atom, place)
    }

    fn derive(&mut self, relation: RelationId, atom: TermId, place: Place) -> Result<(), Stop> {
        self.facts.derive(relation, atom, &self.terms);
        if self.facts.derived.len() as u64 > self.limits.ground_atoms {
            let limit = self.limits.ground_atoms;
            let name = LimitName::GroundAtoms;
            return Err(Error::exceeded(place, name, "ground atoms", limit).into());
        }
        Ok(())
    }

    fn is_of_role(&mut self, atom: TermId, keyword: RelationId, place: Place) -> bool {
        let role = self.terms.args(atom)[0];
        if self.roles.contains(&role) {
            return true;
        }
        let relation = KEYWORDS[keyword as usize].0;
        let what = Oddity::NoRole { relation, name: self.text(role) };
        let mut warned = self.program.warnings.iter().chain(&self.warnings);
        if !warned.any(|warning| warning.what == what) {
            self.warnings.push(Warning { place, what });
        }
        false
    }

    /// Checks the limits on memory and time; checking them for each instance would be too expensive.
    fn look(&mut self, rule: usize) -> Result<(), Stop> {
        self.work = 0;
        let ground = self.terms.bytes() + self.facts.bytes() + self.instances.bytes();
        let bytes = self.program.bytes + ground;
        // Positions in the list of atoms have 32 bits.
        let too_long = self.instances.clauses.lits.len() > u32::MAX as usize / 2;
        if bytes > self.limits.memory || too_long {
            let limit = self.limits.memory;
            return Err(self.too_many(LimitName::Memory, "bytes of memory", limit).into());
        }
        let rule = self.program.rules[rule].place;
        let ground_rules = self.instances.clauses.len() as u64;
        let seconds = self.patience.look(|| LongWork::Grounding { rule, ground_rules });
        if seconds > self.limits.ground_seconds {
            let limit = self.limits.ground_seconds.ceil() as u64;
            let (name, what) = (LimitName::GroundSeconds, "seconds of grounding");
            return Err(Error::exceeded(rule, name, what, limit).into());
        }
        Ok(())
    }

    /// Returns the error of an exceeded limit, at the rule with the most instances.
    fn too_many(&self, name: LimitName, what: &'static str, limit: u64) -> Error {
        let reached = self.instances.clauses.len() as u64;
        // In case of a tie, this is the first rule.
        let most = (0..self.per_rule.len()).rev().max_by_key(|&rule| self.per_rule[rule]);
        let worst = most.map(|rule| (self.program.rules[rule].place, self.per_rule[rule]));
        let place = worst.map_or(Place::START, |(place, _)| place);
        Error::new(place, Problem::Limit { name, what, limit, reached, worst })
    }

    fn text(&self, term: TermId) -> String {
        self.terms.text(term, &self.program.symbols)
    }
}
