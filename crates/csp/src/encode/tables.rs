//! Constraints as lists of allowed tuples.

use super::super::network::{Constraint, Literal, VariableId};
use super::formula::{Conjunction, Domains};

/// Returns the product of the domain sizes of some variables, or `None` if it exceeds `most`.
pub(super) fn product_of_domains(
    domains: Domains<'_>,
    variables: &[VariableId],
    most: u64,
) -> Option<u64> {
    let sizes = variables.iter().map(|&variable| u64::from(domains.size(variable)));
    sizes.clone().try_fold(1_u64, |product, size| product.checked_mul(size)).filter(|&p| p <= most)
}

/// A disjunction of conjunctions, compiled for values in the order of a scope.
#[derive(Debug)]
pub(super) struct Compiled {
    /// The conjunctions. A literal consists of a place in the scope, a value, and `true` if the place must have this
    /// value, or `false` if it must not.
    conjunctions: Vec<Vec<(usize, u16, bool)>>,
}

impl Compiled {
    /// Compiles a formula; the scope must contain all its variables.
    pub(super) fn new(all: &[Conjunction], scope: &[VariableId]) -> Self {
        let compile = |literal: &Literal| {
            let place = scope.iter().position(|&variable| variable == literal.variable);
            let place = place.expect("the scope has all variables of the formula");
            (place, literal.value, literal.is_equal)
        };
        let conjunctions = all.iter().map(|one| one.iter().map(compile).collect()).collect();
        Self { conjunctions }
    }

    /// Returns `true` if one of the conjunctions holds.
    pub(super) fn holds(&self, values: &[u16]) -> bool {
        let holds =
            |&(place, value, is_equal): &(usize, u16, bool)| (values[place] == value) == is_equal;
        self.conjunctions.iter().any(|all| all.iter().all(holds))
    }
}

/// Builds the table of some inputs and of `last`, the last variable of the scope. For each combination of inputs, in
/// order, `allow` adds the values that `last` may have, in increasing order.
pub(super) fn table(
    domains: Domains<'_>,
    inputs: &[VariableId],
    last: VariableId,
    mut allow: impl FnMut(&[u16], &mut Vec<u16>),
) -> Constraint {
    let mut values = vec![0; inputs.len()];
    let (mut tuples, mut allowed) = (Vec::new(), Vec::new());
    loop {
        allowed.clear();
        allow(&values, &mut allowed);
        for &value in &allowed {
            tuples.extend_from_slice(&values);
            tuples.push(value);
        }
        let may_grow = |&at: &usize| values[at] + 1 < domains.size(inputs[at]);
        let Some(at) = (0..inputs.len()).rev().find(may_grow) else { break };
        values[at] += 1;
        values[at + 1..].fill(0);
    }
    Constraint::Table { scope: [inputs, &[last]].concat().into(), tuples: tuples.into() }
}

#[cfg(test)]
mod tests {
    use super::{Compiled, Constraint, Domains, Literal, VariableId, product_of_domains, table};

    const DOMAINS: Domains<'static> = Domains { sizes: &[3, 2] };

    #[test]
    fn tables_list_what_is_allowed() {
        let inputs = [VariableId(0), VariableId(1)];
        let literal = |variable, value| Literal {
            variable: VariableId(variable),
            value,
            is_equal: variable == 1,
        };
        // The formula states that variable 0 is not 1, and that variable 1 is 1.
        let formula = Compiled::new(&[vec![literal(0, 1), literal(1, 1)]], &inputs);
        let found = table(DOMAINS, &inputs, VariableId(5), |values, allowed| {
            allowed.push(u16::from(formula.holds(values)));
        });
        let scope = [VariableId(0), VariableId(1), VariableId(5)];
        let tuples = [[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 0], [2, 0, 0], [2, 1, 1]].concat();
        assert_eq!(found, Constraint::Table { scope: scope.into(), tuples: tuples.into() });
    }

    #[test]
    fn products_have_a_limit() {
        let scope = [0, 0, 1, 7].map(VariableId);
        assert_eq!(product_of_domains(DOMAINS, &scope, 36), Some(36));
        assert_eq!(product_of_domains(DOMAINS, &scope, 35), None);
    }
}
