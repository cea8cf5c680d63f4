//! The size of a network.

use super::network::{Constraint, Network};

/// The size of a network, for reports on preprocessing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NetworkSize {
    /// The number of variables.
    pub num_variables: usize,
    /// The size of the largest domain.
    pub largest_domain: usize,
    /// The total size of all domains.
    pub num_values: usize,
    /// The number of constraints.
    pub num_constraints: usize,
    /// The number of tables.
    pub num_tables: usize,
    /// The number of tuples in all tables.
    pub num_tuples: usize,
    /// The number of values in all tuples.
    pub num_tuple_values: usize,
    /// The number of clauses.
    pub num_clauses: usize,
    /// The number of definitions.
    pub num_definitions: usize,
    /// The number of least models.
    pub num_least_models: usize,
    /// The number of literals in clauses, definitions and least models.
    pub num_literals: usize,
}

impl NetworkSize {
    /// Returns the size of a network.
    pub fn of(network: &Network) -> Self {
        let mut sizes = Self {
            num_variables: network.num_variables(),
            largest_domain: network.domains.iter().map(|domain| domain.len()).max().unwrap_or(0),
            num_values: network.domains.iter().map(|domain| domain.len()).sum(),
            num_constraints: network.constraints.len(),
            ..Self::default()
        };
        for constraint in &network.constraints {
            sizes.num_literals += num_literals(constraint);
            match constraint {
                Constraint::Table { scope, tuples } => {
                    sizes.num_tables += 1;
                    sizes.num_tuples += tuples.len() / scope.len().max(1);
                    sizes.num_tuple_values += tuples.len();
                }
                Constraint::Clause(_) => sizes.num_clauses += 1,
                Constraint::Definition { .. } => sizes.num_definitions += 1,
                Constraint::LeastModel { .. } => sizes.num_least_models += 1,
            }
        }
        sizes
    }
}

/// Counts the literals of a constraint, including heads. A table has no literals.
pub(super) fn num_literals(constraint: &Constraint) -> usize {
    match constraint {
        Constraint::Table { .. } => 0,
        Constraint::Clause(literals) => literals.len(),
        Constraint::Definition { bodies, .. } => {
            1 + bodies.iter().map(|body| body.len()).sum::<usize>()
        }
        Constraint::LeastModel { heads, rules } => {
            let of_rule = rules.iter().map(|rule| 1 + rule.inside.len() + rule.outside.len());
            heads.len() + of_rule.sum::<usize>()
        }
    }
}
