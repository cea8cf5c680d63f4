//! Everything that may become true in a game that is not grounded: fluents, moves, percepts and goals.
//!
//! Each argument of each relation has a set of possible terms. A variable can have the terms that are possible at all
//! its places in positive literals; a head is possible for all combinations of its variables' values. These sets may be
//! too large, but finding them takes no joins.

use std::collections::{BTreeSet, HashMap};

use crate::check::Dependencies;
use crate::error::{Error, Place, Problem};
use crate::facts::{Facts, Pattern};
use crate::join::{Condition, JoinRule};
use crate::limits::{LimitName, Limits};
use crate::network::{Names, by_text};
use crate::program::{DOES, GOAL, INIT, LEGAL, NEXT, Program, RelationId, Rule, SEES, TRUE};
use crate::terms::{TermId, Terms};

/// The possible terms of one argument of a relation.
type Domain = BTreeSet<TermId>;

/// All possible fluents and, for each role, its possible moves, percepts and goals.
#[derive(Debug, Default)]
pub(crate) struct Universe {
    fluents: Vec<TermId>,
    moves: Vec<Domain>,
    percepts: Vec<Domain>,
    pub(crate) goals: Vec<Domain>,
}

impl Universe {
    /// Returns the terms in the order in which they are numbered.
    pub(crate) fn names(
        &self,
        program: &Program,
        roles: &[TermId],
        terms: &Terms,
    ) -> Result<Names, Error> {
        let lists = |domains: &[Domain]| -> Vec<Vec<TermId>> {
            domains.iter().map(|domain| domain.iter().copied().collect()).collect()
        };
        Ok(Names {
            fluents: self.fluents.clone(),
            moves: by_text(lists(&self.moves), "moves", program, roles, terms)?,
            percepts: by_text(lists(&self.percepts), "percepts", program, roles, terms)?,
        })
    }
}

struct Finder<'a> {
    program: &'a Program,
    dependencies: &'a Dependencies,
    limits: &'a Limits,
    roles: &'a [TermId],
    /// For each relation, the possible terms of each argument.
    domains: Vec<Vec<Domain>>,
    universe: Universe,
}

/// The rules and the static relations of a deduction.
pub(crate) struct Known<'a> {
    pub(crate) rules: &'a [JoinRule],
    pub(crate) terms: &'a mut Terms,
    pub(crate) facts: &'a mut Facts,
    pub(crate) roles: &'a [TermId],
}

/// Finds what may become true in a deduction that has the static relations only. `look` checks the limits on memory and
/// time.
pub(crate) fn find(
    known: Known<'_>,
    program: &Program,
    dependencies: &Dependencies,
    limits: &Limits,
    look: &mut dyn FnMut(&Terms, &Facts) -> Result<(), Error>,
) -> Result<Universe, Error> {
    let Known { rules, terms, facts, roles } = known;
    let mut finder = Finder {
        program,
        dependencies,
        limits,
        roles,
        domains: program.relations.iter().map(|r| vec![Domain::new(); r.arity]).collect(),
        universe: Universe {
            moves: vec![Domain::new(); roles.len()],
            percepts: vec![Domain::new(); roles.len()],
            goals: vec![Domain::new(); roles.len()],
            ..Universe::default()
        },
    };
    for relation in 0..program.relations.len() as RelationId {
        for atom in facts.atoms_of(relation) {
            let domains = finder.domains[relation as usize].iter_mut();
            for (domain, &term) in domains.zip(terms.args(atom)) {
                domain.insert(term);
            }
        }
    }
    let start = finder.domains[INIT as usize][0].clone();
    start.into_iter().for_each(|fluent| finder.fluent(fluent));
    let is_dynamic =
        |&rule: &usize| dependencies.dynamic[program.rules[rule].head.relation as usize];
    let own: Vec<usize> = (0..rules.len()).filter(is_dynamic).collect();
    // The sizes of the body's domains when a rule was last applied; domains only grow.
    let mut last: Vec<Option<Vec<usize>>> = vec![None; rules.len()];
    // The static atoms of each rule's body restrict the variables once and for all.
    let fixed: HashMap<usize, Option<HashMap<u32, Domain>>> =
        own.iter().map(|&rule| (rule, finder.fixed(&rules[rule], terms, facts))).collect();
    loop {
        let mut changed = false;
        for &index in &own {
            let rule = &rules[index];
            let Some(fixed) = &fixed[&index] else { continue };
            let sizes: Vec<usize> = rule
                .atoms
                .iter()
                .flat_map(|atom| &finder.domains[atom.relation as usize])
                .map(Domain::len)
                .collect();
            if last[index].as_ref() == Some(&sizes) {
                continue;
            }
            last[index] = Some(sizes);
            changed = true;
            look(terms, facts)?;
            if let Some(values) = finder.values(rule, fixed.clone(), terms) {
                finder.apply(rule, index, &values, terms)?;
            }
        }
        if !changed {
            return Ok(finder.universe);
        }
    }
}

/// Restricts the values of variables to these domains; a variable without values gets all of its domain. Returns `None`
/// if no value of a variable is left.
fn restrict(values: &mut HashMap<u32, Domain>, domains: HashMap<u32, Domain>) -> Option<()> {
    let mut has_all = true;
    for (variable, domain) in domains {
        let known = values.entry(variable).or_insert_with(|| domain.clone());
        known.retain(|term| domain.contains(term));
        has_all &= !known.is_empty();
    }
    has_all.then_some(())
}

/// Returns the values of the variables of `patterns` in matching tuples, or `None` if no tuple matches.
fn matching<'t>(
    patterns: &[Pattern],
    tuples: impl Iterator<Item = &'t [TermId]>,
    terms: &Terms,
) -> Option<HashMap<u32, Domain>> {
    let mut values: HashMap<u32, Domain> = HashMap::new();
    let mut found = Vec::new();
    let mut any = false;
    for tuple in tuples {
        found.clear();
        let mut pairs = patterns.iter().zip(tuple);
        if pairs.all(|(pattern, &term)| pattern.values(term, terms, &mut found)) {
            any = true;
            for &(variable, term) in &found {
                values.entry(variable).or_default().insert(term);
            }
        }
    }
    any.then_some(values)
}

fn arguments(pattern: &Pattern) -> &[Pattern] {
    match pattern {
        Pattern::Compound(_, args) => args,
        Pattern::Variable(_) | Pattern::Ground(_) => &[],
    }
}

impl Finder<'_> {
    /// Returns the values that the static atoms of a body allow, or `None` if one of them matches nothing.
    fn fixed(&self, rule: &JoinRule, terms: &Terms, facts: &Facts) -> Option<HashMap<u32, Domain>> {
        let mut values = HashMap::new();
        for atom in &rule.atoms {
            if self.dependencies.dynamic[atom.relation as usize] {
                continue;
            }
            let tuples = facts.atoms_of(atom.relation).map(|term| terms.args(term));
            restrict(&mut values, matching(arguments(&atom.pattern), tuples, terms)?)?;
        }
        Some(values)
    }

    /// Returns the values of all variables of a rule; `None` if a literal matches nothing.
    fn values(
        &self,
        rule: &JoinRule,
        mut values: HashMap<u32, Domain>,
        terms: &mut Terms,
    ) -> Option<HashMap<u32, Domain>> {
        for atom in &rule.atoms {
            if !self.dependencies.dynamic[atom.relation as usize] {
                continue;
            }
            for (at, pattern) in arguments(&atom.pattern).iter().enumerate() {
                let domain = &self.domains[atom.relation as usize][at];
                let tuples = domain.iter().map(std::slice::from_ref);
                let found = matching(std::slice::from_ref(pattern), tuples, terms)?;
                restrict(&mut values, found)?;
            }
        }
        // Equations bind the variables that are left, possibly one after the other.
        let mut again = true;
        while again {
            again = false;
            for condition in &rule.conditions {
                let Condition::Equal(t, u) = condition else { continue };
                for (bound, free) in [(t, u), (u, t)] {
                    if is_bound(bound, &values) && !is_bound(free, &values) {
                        let made = instances(bound, &values, terms);
                        let tuples = made.iter().map(std::slice::from_ref);
                        let found = matching(std::slice::from_ref(free), tuples, terms)?;
                        // If no value is left, the head has no instances.
                        let _ = restrict(&mut values, found);
                        again = true;
                    }
                }
            }
        }
        Some(values)
    }

    /// Adds the instances of a head.
    fn apply(
        &mut self,
        rule: &JoinRule,
        index: usize,
        values: &HashMap<u32, Domain>,
        terms: &mut Terms,
    ) -> Result<(), Error> {
        let Rule { ref head, place, .. } = self.program.rules[index];
        let relation = head.relation;
        let depth = self.limits.term_depth.min(LimitName::TermDepth.most());
        let mut made = Vec::new();
        for pattern in arguments(&rule.head) {
            if product(pattern, values) > self.limits.ground_atoms as f64 {
                return Err(self.too_many(place));
            }
            let terms_of = instances(pattern, values, terms);
            if terms_of.iter().any(|&term| terms.depth(term) > depth) {
                return Err(Error::new(place, Problem::TermDepth { limit: depth }));
            }
            made.push(terms_of);
        }
        match relation {
            NEXT => made[0].iter().for_each(|&fluent| self.fluent(fluent)),
            LEGAL | SEES | GOAL => {
                made[0].retain(|role| self.roles.contains(role));
                let lists = match relation {
                    LEGAL => &mut self.universe.moves,
                    SEES => &mut self.universe.percepts,
                    _ => &mut self.universe.goals,
                };
                for role in &made[0] {
                    let at = self.roles.iter().position(|other| other == role);
                    lists[at.expect("a role")].extend(&made[1]);
                }
                if relation == LEGAL && !made[0].is_empty() {
                    self.domains[DOES as usize][0].extend(&made[0]);
                    self.domains[DOES as usize][1].extend(&made[1]);
                }
            }
            _ => {}
        }
        if made.iter().all(|terms| !terms.is_empty()) {
            for (domain, terms) in self.domains[relation as usize].iter_mut().zip(&made) {
                domain.extend(terms);
            }
        }
        let Universe { fluents, moves, percepts, .. } = &self.universe;
        let others = moves.iter().chain(percepts).map(Domain::len);
        let number = fluents.len() + others.sum::<usize>();
        if number as u64 > self.limits.ground_atoms {
            return Err(self.too_many(place));
        }
        Ok(())
    }

    fn fluent(&mut self, fluent: TermId) {
        if self.domains[TRUE as usize][0].insert(fluent) {
            self.universe.fluents.push(fluent);
        }
    }

    fn too_many(&self, place: Place) -> Error {
        let limit = self.limits.ground_atoms;
        Error::exceeded(place, LimitName::GroundAtoms, "ground atoms", limit)
    }
}

fn is_bound(pattern: &Pattern, values: &HashMap<u32, Domain>) -> bool {
    let mut bound = true;
    pattern.variables(&mut |variable| bound &= values.contains_key(&variable));
    bound
}

/// Returns the number of instances of a pattern, as a float that cannot overflow.
fn product(pattern: &Pattern, values: &HashMap<u32, Domain>) -> f64 {
    let mut variables = BTreeSet::new();
    pattern.variables(&mut |variable| _ = variables.insert(variable));
    variables.iter().map(|v| values.get(v).map_or(0, Domain::len) as f64).product()
}

fn instances(pattern: &Pattern, values: &HashMap<u32, Domain>, terms: &mut Terms) -> Vec<TermId> {
    let mut variables = BTreeSet::new();
    pattern.variables(&mut |variable| _ = variables.insert(variable));
    let variables: Vec<u32> = variables.into_iter().collect();
    let empty = Domain::new();
    let choices: Vec<Vec<TermId>> = variables
        .iter()
        .map(|variable| values.get(variable).unwrap_or(&empty).iter().copied().collect())
        .collect();
    if choices.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let mut places = vec![0; variables.len()];
    let mut made = Vec::new();
    loop {
        let value = |variable: u32| {
            let at = variables.iter().position(|&v| v == variable).expect("a variable");
            choices[at][places[at]]
        };
        made.push(build(pattern, &value, terms));
        // The next combination; the last variable changes first.
        let Some(at) = (0..places.len()).rev().find(|&at| places[at] + 1 < choices[at].len())
        else {
            return made;
        };
        places[at] += 1;
        places[at + 1..].fill(0);
    }
}

fn build(pattern: &Pattern, value: &dyn Fn(u32) -> TermId, terms: &mut Terms) -> TermId {
    match pattern {
        Pattern::Variable(variable) => value(*variable),
        Pattern::Ground(term) => *term,
        Pattern::Compound(functor, args) => {
            let args: Vec<TermId> = args.iter().map(|arg| build(arg, value, terms)).collect();
            terms.intern(*functor, &args)
        }
    }
}
