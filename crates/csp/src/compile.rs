//! The input of a solver: the constraints of a network, as tables, clauses, definitions and least models. Values are
//! replaced by their positions in domains.
//!
//! If a clause contains several literals of one variable, they state that its value is in a set. An auxiliary variable
//! replaces them (Tseitin 1968), so that unit propagation makes the remaining clause arc consistent.

use std::collections::BTreeMap;

use super::definitions::DefinitionPart;
use super::least::{Least, Rule};
use super::network::{Constraint, Literal, Network, VariableId};
use super::store::Place;

/// The parts of the constraints of a network.
#[derive(Default)]
pub(super) struct Parts {
    /// The number of positions of each variable; auxiliary variables come last.
    pub(super) sizes: Vec<u32>,
    pub(super) tables: Vec<TablePart>,
    /// Clauses of at least two literals, each with the index of its constraint.
    pub(super) clauses: Vec<(Vec<Place>, u32)>,
    pub(super) definitions: Vec<DefinitionPart>,
    pub(super) least_models: Vec<(Least, u32)>,
    /// Literals that must hold, each with the index of its constraint.
    pub(super) units: Vec<(Place, u32)>,
    /// The index of a constraint that is never satisfied, if there is one.
    pub(super) hopeless: Option<u32>,
    sets: BTreeMap<(u32, Vec<u16>), u32>,
    /// A variable with only one position, created on demand.
    constant: Option<u32>,
}

/// A table: a scope of at least one variable, and the allowed tuples of positions.
pub(super) struct TablePart {
    pub(super) scope: Vec<u32>,
    pub(super) tuples: Vec<u16>,
    pub(super) origin: u32,
}

/// The truth of a literal under the initial domains.
#[derive(Clone, Copy)]
enum Meaning {
    True,
    False,
    Open(Place),
}

/// Returns the position of a value in a domain, if the domain contains it.
pub(super) fn position(domain: &[u16], value: u16) -> Option<u16> {
    if domain.get(usize::from(value)) == Some(&value) {
        return Some(value);
    }
    domain.binary_search(&value).ok().map(|position| position as u16)
}

impl Parts {
    pub(super) fn new(network: &Network) -> Parts {
        let mut parts = Parts {
            sizes: network.domains.iter().map(|domain| domain.len() as u32).collect(),
            ..Parts::default()
        };
        for (origin, constraint) in network.constraints.iter().enumerate() {
            parts.add(network, constraint, origin as u32);
        }
        parts
    }

    fn add(&mut self, network: &Network, constraint: &Constraint, origin: u32) {
        match constraint {
            Constraint::Table { scope, tuples } => self.add_table(network, scope, tuples, origin),
            Constraint::Clause(literals) => {
                let meanings = literals.iter().map(|literal| self.meaning(network, literal));
                let meanings = meanings.collect();
                self.add_clause(meanings, origin);
            }
            Constraint::Definition { head, bodies } => {
                self.add_definition(network, head, bodies, origin);
            }
            Constraint::LeastModel { heads, rules } => {
                let heads = heads.iter().map(|head| self.place(network, head)).collect();
                let mut kept = Vec::with_capacity(rules.len());
                for rule in rules {
                    let outside = rule.outside.iter().map(|literal| self.place(network, literal));
                    let outside: Box<[Place]> = outside.collect();
                    kept.push(Rule { head: rule.head, inside: rule.inside.clone(), outside });
                }
                self.least_models.push((Least::new(heads, kept), origin));
            }
        }
    }

    fn add_table(&mut self, network: &Network, scope: &[VariableId], tuples: &[u16], origin: u32) {
        if scope.is_empty() {
            // A table without variables is dropped, because the empty tuple cannot be represented.
            return;
        }
        let domain = |column: usize| &network.domains[scope[column].0 as usize];
        let mut kept = Vec::with_capacity(tuples.len());
        for tuple in tuples.chunks_exact(scope.len()) {
            let start = kept.len();
            let positions = tuple.iter().enumerate();
            kept.extend(positions.map_while(|(at, &value)| position(domain(at), value)));
            if kept.len() < start + scope.len() {
                kept.truncate(start);
            }
        }
        if kept.is_empty() {
            self.hopeless.get_or_insert(origin);
        }
        let scope = scope.iter().map(|variable| variable.0).collect();
        self.tables.push(TablePart { scope, tuples: kept, origin });
    }

    fn meaning(&self, network: &Network, literal: &Literal) -> Meaning {
        let domain = &network.domains[literal.variable.0 as usize];
        let Some(position) = position(domain, literal.value) else {
            return if literal.is_equal { Meaning::False } else { Meaning::True };
        };
        match domain.len() {
            1 if literal.is_equal => Meaning::True,
            1 => Meaning::False,
            // With two values, "not one value" means "the other value"; using only `=` halves the number of literals.
            2 => Meaning::Open(Place {
                variable: literal.variable.0,
                position: if literal.is_equal { position } else { 1 - position },
                is_equal: true,
            }),
            _ => Meaning::Open(Place {
                variable: literal.variable.0,
                position,
                is_equal: literal.is_equal,
            }),
        }
    }

    /// Returns a literal as a place; a constant literal becomes a literal of the constant variable.
    fn place(&mut self, network: &Network, literal: &Literal) -> Place {
        let is_equal = match self.meaning(network, literal) {
            Meaning::Open(place) => return place,
            Meaning::True => true,
            Meaning::False => false,
        };
        let variable = self.constant.unwrap_or_else(|| self.add_variable(1));
        self.constant = Some(variable);
        Place { variable, position: 0, is_equal }
    }

    fn add_variable(&mut self, size: u32) -> u32 {
        self.sizes.push(size);
        self.sizes.len() as u32 - 1
    }

    /// Returns the negation of a literal. For two positions, the negation names the other position and has the same
    /// `is_equal`.
    fn opposite(&self, place: Place) -> Place {
        match self.sizes[place.variable as usize] {
            2 => Place { position: 1 - place.position, ..place },
            _ => place.negated(),
        }
    }

    fn opposite_meaning(&self, meaning: Meaning) -> Meaning {
        match meaning {
            Meaning::True => Meaning::False,
            Meaning::False => Meaning::True,
            Meaning::Open(place) => Meaning::Open(self.opposite(place)),
        }
    }

    fn add_clause(&mut self, meanings: Vec<Meaning>, origin: u32) {
        let mut literals = Vec::with_capacity(meanings.len());
        for meaning in meanings {
            match meaning {
                Meaning::True => return,
                Meaning::False => {}
                Meaning::Open(place) => literals.push(place),
            }
        }
        literals.sort_unstable();
        literals.dedup();
        let mut merged: Vec<Place> = Vec::with_capacity(literals.len());
        for group in literals.chunk_by(|a, b| a.variable == b.variable) {
            match group {
                [literal] => merged.push(*literal),
                group => match self.set(group, origin) {
                    Some(literal) => merged.push(literal),
                    None => return,
                },
            }
        }
        match merged[..] {
            [] => _ = self.hopeless.get_or_insert(origin),
            [literal] => self.units.push((literal, origin)),
            _ => self.clauses.push((merged, origin)),
        }
    }

    /// Returns a literal that holds if any of `literals`, all of the same variable, holds. Returns `None` if one of
    /// them always holds.
    fn set(&mut self, literals: &[Place], origin: u32) -> Option<Place> {
        let variable = literals[0].variable;
        let last = (self.sizes[variable as usize] - 1) as u16;
        let holds = |position: u16| {
            literals.iter().any(|literal| (literal.position == position) == literal.is_equal)
        };
        let (inside, outside): (Vec<u16>, Vec<u16>) = (0..=last).partition(|&at| holds(at));
        let place = |position, is_equal| Place { variable, position, is_equal };
        match (&inside[..], &outside[..]) {
            (_, []) => return None,
            (&[position], _) => return Some(place(position, true)),
            (_, &[position]) => return Some(place(position, false)),
            _ => {}
        }
        if let Some(&known) = self.sets.get(&(variable, inside.clone())) {
            return Some(Place { variable: known, position: 1, is_equal: true });
        }
        let fact = Place { variable: self.add_variable(2), position: 1, is_equal: true };
        self.sets.insert((variable, inside.clone()), fact.variable);
        for (fact, wanted, others) in
            [(fact, &inside, &outside), (self.opposite(fact), &outside, &inside)]
        {
            // If `fact` holds, the variable has only wanted values. If no wanted value remains, `fact` is false.
            let fails = self.opposite(fact);
            let clauses = others.iter().map(|&other| vec![fails, place(other, false)]);
            self.clauses.extend(clauses.map(|clause| (clause, origin)));
            let mut clause = vec![fails];
            clause.extend(wanted.iter().map(|&position| place(position, true)));
            self.clauses.push((clause, origin));
        }
        Some(fact)
    }

    fn add_definition(
        &mut self,
        network: &Network,
        head: &Literal,
        bodies: &[Box<[Literal]>],
        origin: u32,
    ) {
        let mut open = Vec::with_capacity(bodies.len());
        for body in bodies {
            if let Some(literals) = self.body(network, body) {
                open.push(literals);
            }
        }
        let meaning = self.meaning(network, head);
        if open.iter().any(Vec::is_empty) {
            self.add_clause(vec![meaning], origin);
        } else if open.is_empty() {
            self.add_clause(vec![self.opposite_meaning(meaning)], origin);
        } else if let (Meaning::True, [body]) = (meaning, &open[..]) {
            self.units.extend(body.iter().map(|&literal| (literal, origin)));
        } else if let Meaning::False = meaning {
            for body in open {
                let fails = body.iter().map(|&literal| Meaning::Open(self.opposite(literal)));
                let fails = fails.collect();
                self.add_clause(fails, origin);
            }
        } else {
            let head = self.place(network, head);
            self.definitions.push(DefinitionPart { head, bodies: open, origin });
        }
    }

    /// Returns the undecided literals of a body, without duplicates, or `None` if the body never holds.
    fn body(&self, network: &Network, body: &[Literal]) -> Option<Vec<Place>> {
        let mut literals = Vec::with_capacity(body.len());
        for literal in body {
            match self.meaning(network, literal) {
                Meaning::True => {}
                Meaning::False => return None,
                Meaning::Open(place) => literals.push(place),
            }
        }
        literals.sort_unstable();
        literals.dedup();
        Some(literals)
    }
}
