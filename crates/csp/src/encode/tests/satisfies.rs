//! Checks by definition whether values satisfy a constraint.

use super::super::super::network::{Constraint, Literal, Network};

fn holds(literal: &Literal, values: &[u16]) -> bool {
    (values[literal.variable.0 as usize] == literal.value) == literal.is_equal
}

/// Returns `true` if a constraint holds for these values of all variables.
pub(super) fn satisfies(constraint: &Constraint, values: &[u16]) -> bool {
    let all = |literals: &[Literal]| literals.iter().all(|literal| holds(literal, values));
    match constraint {
        Constraint::Table { scope, tuples } => {
            let wanted: Vec<u16> = scope.iter().map(|v| values[v.0 as usize]).collect();
            let num_tuples = tuples.len() / scope.len();
            let tuple = |at: usize| &tuples[at * scope.len()..][..scope.len()];
            // Tuples are in increasing order.
            let (mut low, mut high) = (0, num_tuples);
            while low < high {
                let middle = (low + high) / 2;
                if *tuple(middle) < *wanted { low = middle + 1 } else { high = middle }
            }
            low < num_tuples && *tuple(low) == *wanted
        }
        Constraint::Clause(literals) => literals.iter().any(|literal| holds(literal, values)),
        Constraint::Definition { head, bodies } => {
            holds(head, values) == bodies.iter().any(|body| all(body))
        }
        Constraint::LeastModel { heads, rules } => {
            let mut follows = vec![false; heads.len()];
            loop {
                let before = follows.clone();
                for rule in rules {
                    let inside = rule.inside.iter().all(|&at| follows[at as usize]);
                    follows[rule.head as usize] |= inside && all(&rule.outside);
                }
                if before == follows {
                    break;
                }
            }
            heads.iter().zip(follows).all(|(head, follows)| holds(head, values) == follows)
        }
    }
}

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
