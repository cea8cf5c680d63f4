//! Constraint networks as data.

/// The number of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VariableId(pub u32);

/// A statement that a variable has a value, or that it does not have this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Literal {
    /// The variable.
    pub variable: VariableId,
    /// A value in the domain of the variable.
    pub value: u16,
    /// `true` for "the variable has the value", `false` for "the variable does not have the value".
    pub is_equal: bool,
}

/// A constraint on the values of some variables.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Constraint {
    /// The values of the scope are one of the tuples. The variables of the scope are distinct.
    Table {
        /// The scope.
        scope: Box<[VariableId]>,
        /// The tuples in increasing order and without duplicates, joined into one list, which may be empty. Each tuple
        /// is as long as the scope.
        tuples: Box<[u16]>,
    },
    /// At least one of the literals holds. An empty clause is never satisfied.
    Clause(Box<[Literal]>),
    /// The head holds if and only if all literals of at least one body hold (Clark's completion). Without bodies, the
    /// head is false; with an empty body, the head is true.
    Definition {
        /// The literal that is defined.
        head: Literal,
        /// The bodies: conjunctions of literals.
        bodies: Box<[Box<[Literal]>]>,
    },
    /// The true heads are exactly those that follow from the rules. Heads that only support each other are false.
    LeastModel {
        /// The literals that are defined, with distinct variables.
        heads: Box<[Literal]>,
        /// The rules.
        rules: Box<[LeastRule]>,
    },
}

/// A rule of a [`Constraint::LeastModel`]: a head holds if other heads and literals hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LeastRule {
    /// The index of the head.
    pub head: u32,
    /// The indices of the heads that must hold, too.
    pub inside: Box<[u32]>,
    /// The other literals that must hold. Their variables are not heads of this constraint.
    pub outside: Box<[Literal]>,
}

/// Variables with their domains, and constraints on these variables.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Network {
    /// The possible values of each variable, in increasing order. A network with an empty domain has no solution.
    pub domains: Vec<Box<[u16]>>,
    /// The constraints. Their variables and values occur in `domains`, or occurred there before domains were reduced.
    pub constraints: Vec<Constraint>,
}

impl Network {
    /// Adds a variable with the values `0..size`.
    pub fn add_variable(&mut self, size: u16) -> VariableId {
        let id = VariableId(self.domains.len() as u32);
        self.domains.push((0..size).collect());
        id
    }

    /// Returns the number of variables.
    pub fn num_variables(&self) -> usize {
        self.domains.len()
    }
}

impl Constraint {
    /// Returns the variables of the constraint, in increasing order and without duplicates.
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
