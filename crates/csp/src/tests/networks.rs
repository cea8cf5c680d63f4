//! Networks for tests, and the definition of their solutions.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::{Constraint, LeastRule, Literal, Network, VariableId};

pub(super) fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Returns a network with variables of these sizes.
pub(super) fn network(sizes: &[u16], constraints: Vec<Constraint>) -> Network {
    let mut network = Network { constraints, ..Network::default() };
    sizes.iter().for_each(|&size| _ = network.add_variable(size));
    network
}

pub(super) fn all_variables(network: &Network) -> Vec<VariableId> {
    (0..network.num_variables() as u32).map(VariableId).collect()
}

pub(super) fn equal(variable: u32, value: u16) -> Literal {
    Literal { variable: VariableId(variable), value, is_equal: true }
}

pub(super) fn unequal(variable: u32, value: u16) -> Literal {
    Literal { is_equal: false, ..equal(variable, value) }
}

/// Returns a table of the allowed tuples. The value of each variable is below its entry in `sizes`.
pub(super) fn table(
    scope: &[u32],
    sizes: &[u16],
    mut is_allowed: impl FnMut(&[u16]) -> bool,
) -> Constraint {
    let mut tuples = Vec::new();
    let domains: Vec<Box<[u16]>> = sizes.iter().map(|&size| (0..size).collect()).collect();
    for_each_assignment(&domains, &mut |tuple| {
        if is_allowed(tuple) {
            tuples.extend_from_slice(tuple);
        }
    });
    let scope = scope.iter().map(|&variable| VariableId(variable)).collect();
    Constraint::Table { scope, tuples: tuples.into() }
}

/// Visits all assignments in lexicographic order.
pub(super) fn for_each_assignment(domains: &[Box<[u16]>], visit: &mut impl FnMut(&[u16])) {
    fn rest(domains: &[Box<[u16]>], tuple: &mut Vec<u16>, visit: &mut impl FnMut(&[u16])) {
        match domains.get(tuple.len()) {
            None => visit(tuple),
            Some(domain) => {
                for &value in domain {
                    tuple.push(value);
                    rest(domains, tuple, visit);
                    tuple.pop();
                }
            }
        }
    }
    rest(domains, &mut Vec::new(), visit);
}

pub(super) fn holds(literal: &Literal, assignment: &[u16]) -> bool {
    (assignment[literal.variable.0 as usize] == literal.value) == literal.is_equal
}

/// Fires rules until nothing changes. Returns, for each head, whether it was derived.
pub(super) fn least_model(num_heads: usize, rules: &[LeastRule], assignment: &[u16]) -> Vec<bool> {
    let mut model = vec![false; num_heads];
    loop {
        let before = model.clone();
        for rule in rules {
            let is_inside = rule.inside.iter().all(|&head| model[head as usize]);
            if is_inside && rule.outside.iter().all(|literal| holds(literal, assignment)) {
                model[rule.head as usize] = true;
            }
        }
        if model == before {
            return model;
        }
    }
}

/// Returns `true` if a constraint holds for these values of all variables.
pub(crate) fn is_satisfied(constraint: &Constraint, assignment: &[u16]) -> bool {
    match constraint {
        Constraint::Table { scope, tuples } => {
            let own: Vec<u16> = scope.iter().map(|id| assignment[id.0 as usize]).collect();
            let num_tuples = tuples.len() / scope.len();
            let tuple = |at: usize| &tuples[at * scope.len()..][..scope.len()];
            // Tuples are in increasing order.
            let (mut low, mut high) = (0, num_tuples);
            while low < high {
                let middle = (low + high) / 2;
                if *tuple(middle) < *own { low = middle + 1 } else { high = middle }
            }
            low < num_tuples && *tuple(low) == *own
        }
        Constraint::Clause(literals) => literals.iter().any(|literal| holds(literal, assignment)),
        Constraint::Definition { head, bodies } => {
            let is_body = |body: &[Literal]| body.iter().all(|literal| holds(literal, assignment));
            holds(head, assignment) == bodies.iter().any(|body| is_body(body))
        }
        Constraint::LeastModel { heads, rules } => {
            let model = least_model(heads.len(), rules, assignment);
            heads.iter().zip(model).all(|(head, is_true)| holds(head, assignment) == is_true)
        }
    }
}

/// Returns all solutions in lexicographic order. Tries all values of each variable, and checks a constraint as soon as
/// its last variable has a value.
pub(super) fn brute_force(network: &Network) -> Vec<Vec<u16>> {
    fn rest(network: &Network, tuple: &mut Vec<u16>, solutions: &mut Vec<Vec<u16>>) {
        let last = tuple.len().checked_sub(1).map(|last| VariableId(last as u32));
        let mut own = network.constraints.iter().filter(|c| c.variables().last().copied() == last);
        if !own.all(|constraint| is_satisfied(constraint, tuple)) {
            return;
        }
        let Some(domain) = network.domains.get(tuple.len()) else {
            solutions.push(tuple.clone());
            return;
        };
        for &value in domain {
            tuple.push(value);
            rest(network, tuple, solutions);
            tuple.pop();
        }
    }
    let mut solutions = Vec::new();
    rest(network, &mut Vec::new(), &mut solutions);
    solutions
}

/// Returns a network for placing n queens on an n by n board without attacks. The value of a column's variable is the
/// row of its queen. Each pair of columns has a table.
pub(super) fn queens_in_pairs(n: u16) -> Network {
    let mut network = network(&vec![n; n.into()], Vec::new());
    for x in 0..n {
        for y in x + 1..n {
            let pair = [u32::from(x), u32::from(y)];
            let attacks = |of_x: u16, of_y: u16| of_x == of_y || of_x.abs_diff(of_y) == y - x;
            network.constraints.push(table(&pair, &[n, n], |t| !attacks(t[0], t[1])));
        }
    }
    network
}

/// Like [`queens_in_pairs`], but each pair of columns has clauses instead of a table.
pub(super) fn queens_in_clauses(n: u16) -> Network {
    let mut network = network(&vec![n; n.into()], Vec::new());
    for x in 0..n {
        for y in x + 1..n {
            for of_x in 0..n {
                for of_y in 0..n {
                    if of_x == of_y || of_x.abs_diff(of_y) == y - x {
                        let pair = [unequal(x.into(), of_x), unequal(y.into(), of_y)];
                        network.constraints.push(Constraint::Clause(pair.into()));
                    }
                }
            }
        }
    }
    network
}

/// Like [`queens_in_pairs`], but with a table for every three columns.
pub(super) fn queens_in_threes(n: u16) -> Network {
    let mut network = network(&vec![n; n.into()], Vec::new());
    for x in 0..n {
        for y in x + 1..n {
            for z in y + 1..n {
                let columns = [x, y, z];
                let is_allowed = |t: &[u16]| {
                    [(0, 1), (0, 2), (1, 2)].into_iter().all(|(i, j)| {
                        t[i] != t[j] && t[i].abs_diff(t[j]) != columns[j] - columns[i]
                    })
                };
                let scope = columns.map(u32::from);
                network.constraints.push(table(&scope, &[n, n, n], is_allowed));
            }
        }
    }
    network
}

/// Draws random tables. Each pair of variables has a table with probability `density`; the table allows each tuple with
/// probability `looseness`.
pub(super) fn random_binary(
    rng: &mut Xoshiro256PlusPlus,
    num_variables: u16,
    size: u16,
    density: f64,
    looseness: f64,
) -> Network {
    let mut network = network(&vec![size; num_variables.into()], Vec::new());
    for x in 0..u32::from(num_variables) {
        for y in x + 1..u32::from(num_variables) {
            if rng.random_bool(density) {
                let pairs = table(&[x, y], &[size, size], |_| rng.random_bool(looseness));
                network.constraints.push(pairs);
            }
        }
    }
    network
}

/// Draws a network with constraints of all kinds. It has a few variables, each with one to four values that may have
/// gaps. Literals may have values that are not in the domains.
pub(super) fn random_mixed(rng: &mut Xoshiro256PlusPlus) -> Network {
    let mut network = Network::default();
    let num_variables = rng.random_range(4..8);
    for _ in 0..num_variables {
        let mut domain: Vec<u16> = (0..5).filter(|_| rng.random_bool(0.5)).collect();
        if domain.is_empty() {
            domain.push(2);
        }
        network.domains.push(domain.into());
    }
    let mut order: Vec<u32> = (0..num_variables).collect();
    for _ in 0..rng.random_range(2..7) {
        for index in (1..order.len()).rev() {
            order.swap(index, rng.random_range(0..=index));
        }
        let constraint = match rng.random_range(0..4) {
            0 => {
                let arity = rng.random_range(1..=4.min(order.len()));
                let mut scope = order[..arity].to_vec();
                scope.sort_unstable();
                table(&scope, &vec![5; arity], |_| rng.random_bool(0.6))
            }
            1 => {
                let num = rng.random_range(1..5);
                Constraint::Clause(literals(rng, &order, num))
            }
            2 => {
                let num_bodies = rng.random_range(0..4);
                let mut body = || {
                    let num = rng.random_range(0..4);
                    literals(rng, &order[1..], num)
                };
                let bodies = (0..num_bodies).map(|_| body()).collect();
                let head = equal(order[0], network.domains[order[0] as usize][0]);
                Constraint::Definition { head, bodies }
            }
            _ => random_least_model(rng, &network, &order),
        };
        network.constraints.push(constraint);
    }
    network
}

fn literals(rng: &mut Xoshiro256PlusPlus, variables: &[u32], num: usize) -> Box<[Literal]> {
    let mut literal = || Literal {
        variable: VariableId(variables[rng.random_range(0..variables.len())]),
        value: rng.random_range(0..5),
        is_equal: rng.random_bool(0.5),
    };
    (0..num).map(|_| literal()).collect()
}

/// Draws a least model, in which the first variables of `order` are heads.
fn random_least_model(
    rng: &mut Xoshiro256PlusPlus,
    network: &Network,
    order: &[u32],
) -> Constraint {
    let num_heads = rng.random_range(1..order.len());
    let head = |&variable: &u32| equal(variable, network.domains[variable as usize][0]);
    let heads = order[..num_heads].iter().map(head).collect();
    let num_rules = rng.random_range(0..2 * num_heads + 2);
    let mut rule = || {
        let num_inside = rng.random_range(0..3);
        let num_outside = rng.random_range(0..3);
        LeastRule {
            head: rng.random_range(0..num_heads) as u32,
            inside: (0..num_inside).map(|_| rng.random_range(0..num_heads) as u32).collect(),
            outside: literals(rng, &order[num_heads..], num_outside),
        }
    };
    let rules = (0..num_rules).map(|_| rule()).collect();
    Constraint::LeastModel { heads, rules }
}
