//! Constraint networks as data.

/// A variable, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// Says that a variable has a value, or that it has not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The variable.
    pub variable: VariableId,
    /// A value of its domain.
    pub value: u16,
    /// Whether it has it; else whether it has not.
    pub is_equal: bool,
}

/// What some variables must satisfy together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Constraint {
    /// The variables of the scope, each once, have the values of one of the tuples.
    Table {
        /// The variables.
        scope: Box<[VariableId]>,
        /// The tuples one after the other, each as long as the scope; in increasing order, each once. There may be none.
        tuples: Box<[u16]>,
    },
    /// At least one of the literals holds. Without literals it is never satisfied.
    Clause(Box<[Literal]>),
    /// The head holds if all literals of one of the bodies hold, and only then (Clark's completion). Without bodies it does not
    /// hold; an empty body always does.
    Definition {
        /// What is defined.
        head: Literal,
        /// Conjunctions.
        bodies: Box<[Box<[Literal]>]>,
    },
    /// Of the heads those hold that follow from the rules, and no others: where heads depend on each other they must have
    /// support from outside.
    LeastModel {
        /// What is defined, each of another variable.
        heads: Box<[Literal]>,
        /// The rules.
        rules: Box<[LeastRule]>,
    },
}

/// A rule of a [`Constraint::LeastModel`]: a head holds if other heads and literals do.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LeastRule {
    /// The place of the head among the heads.
    pub head: u32,
    /// Places of heads that must hold.
    pub inside: Box<[u32]>,
    /// Literals of variables that are no heads of this constraint.
    pub outside: Box<[Literal]>,
}

/// Variables with domains, and constraints on them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Network {
    /// Of each variable the values that it may have, in increasing order. There may be none: then there is no solution.
    pub domains: Vec<Box<[u16]>>,
    /// The constraints. All variables and values in them are those of `domains`, or were before domains were reduced.
    pub constraints: Vec<Constraint>,
}

impl Network {
    /// A new variable with the values `0..size`.
    pub fn add_variable(&mut self, size: u16) -> VariableId {
        let id = VariableId(self.domains.len() as u32);
        self.domains.push((0..size).collect());
        id
    }

    /// The number of variables.
    pub fn num_variables(&self) -> usize {
        self.domains.len()
    }
}

impl Constraint {
    /// The variables, in increasing order, each once.
    pub fn variables(&self) -> Vec<VariableId> {
        let of = |literals: &[Literal]| literals.iter().map(|literal| literal.variable).collect();
        let mut all: Vec<VariableId> = match self {
            Constraint::Table { scope, .. } => scope.to_vec(),
            Constraint::Clause(literals) => of(literals),
            Constraint::Definition { head, bodies } => {
                let bodies = bodies.iter().flatten().map(|literal| literal.variable);
                bodies.chain([head.variable]).collect()
            }
            Constraint::LeastModel { heads, rules } => {
                let outside = rules.iter().flat_map(|rule| &rule.outside);
                heads.iter().chain(outside).map(|literal| literal.variable).collect()
            }
        };
        all.sort_unstable();
        all.dedup();
        all
    }
}
