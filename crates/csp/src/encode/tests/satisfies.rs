//! Checks the format of a network.

use super::super::super::network::{Constraint, Literal, Network};

/// Checks the format of a network: the values of literals and tuples are in the domains, tuples are in increasing
/// order, no variable occurs twice in a scope, and heads do not occur in bodies or among outer literals.
pub(super) fn assert_sound(network: &Network) {
    let is_value = |variable: &super::super::super::network::VariableId, value: u16| {
        network.domains[variable.0 as usize].contains(&value)
    };
    let assert_literals = |literals: &[Literal]| {
        assert!(literals.iter().all(|literal| is_value(&literal.variable, literal.value)));
    };
    for constraint in &network.constraints {
        match constraint {
            Constraint::Table { scope, tuples } => {
                assert_eq!(constraint.variables().len(), scope.len(), "each variable once");
                let tuples: Vec<&[u16]> = tuples.chunks(scope.len()).collect();
                assert!(tuples.windows(2).all(|pair| pair[0] < pair[1]), "in increasing order");
                for tuple in tuples {
                    assert!(
                        scope.iter().zip(tuple).all(|(variable, &value)| is_value(variable, value))
                    );
                }
            }
            Constraint::Clause(literals) => assert_literals(literals),
            Constraint::Definition { head, bodies } => {
                assert_literals(&[*head]);
                bodies.iter().for_each(|body| assert_literals(body));
                let inside = |literal: &Literal| literal.variable == head.variable;
                assert!(!bodies.iter().flatten().any(inside), "nothing defines itself");
            }
            Constraint::LeastModel { heads, rules } => {
                assert_literals(heads);
                for rule in rules {
                    assert_literals(&rule.outside);
                    let is_head = |literal: &Literal| {
                        heads.iter().any(|head| head.variable == literal.variable)
                    };
                    assert!(!rule.outside.iter().any(is_head), "what is outside is not inside");
                }
            }
        }
    }
}
