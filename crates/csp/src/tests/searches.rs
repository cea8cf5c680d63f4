//! Tests that all kinds of searches find all solutions of networks.

use std::ops::ControlFlow;

use super::networks::{
    all_variables, brute_force, queens_in_clauses, queens_in_pairs, queens_in_threes,
    random_binary, random_mixed, rng,
};
use crate::{Consistency, Network, Order, Solver, VariableId};

const ORDERS: [Order; 3] = [Order::DomWdeg, Order::Dom, Order::Lex];
const CONSISTENCIES: [Consistency; 2] = [Consistency::Arc, Consistency::Forward];

fn solutions(solver: &mut Solver, variables: &[VariableId], order: Order) -> Vec<Vec<u16>> {
    let mut all = Vec::new();
    let flow: ControlFlow<()> = solver.search(variables, order, |solver| {
        let values = variables.iter().map(|&id| solver.value(id).expect("it was branched on"));
        all.push(values.collect());
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    all.sort();
    all
}

/// Checks that searches with every consistency and order find these solutions, twice per solver.
fn check(network: &Network, expected: &[Vec<u16>]) {
    let variables = all_variables(network);
    for consistency in CONSISTENCIES {
        let mut solver = Solver::with(network, consistency);
        for order in [ORDERS, ORDERS].concat() {
            let found = solutions(&mut solver, &variables, order);
            assert_eq!(found, expected, "{consistency:?} {order:?} {network:?}");
        }
    }
}

#[test]
fn queens_stand_in_as_many_ways_as_published() {
    // On-line Encyclopedia of Integer Sequences, A000170.
    for (n, expected) in [(4, 2), (5, 10), (6, 4), (7, 40), (8, 92)] {
        for network in [queens_in_pairs(n), queens_in_clauses(n), queens_in_threes(n)] {
            let variables = all_variables(&network);
            for consistency in CONSISTENCIES {
                let mut solver = Solver::with(&network, consistency);
                for order in ORDERS {
                    let found = solutions(&mut solver, &variables, order);
                    assert_eq!(found.len(), expected, "{n} {consistency:?} {order:?}");
                }
            }
        }
    }
}

#[test]
fn queens_stand_as_by_brute_force() {
    for n in 4..=6 {
        let expected = brute_force(&queens_in_pairs(n));
        for network in [queens_in_pairs(n), queens_in_clauses(n), queens_in_threes(n)] {
            check(&network, &expected);
        }
    }
}

#[test]
fn arc_consistency_tries_fewer_values_than_forward_checking() {
    let network = queens_in_pairs(8);
    let variables = all_variables(&network);
    let [arc, forward] = CONSISTENCIES.map(|consistency| {
        let mut solver = Solver::with(&network, consistency);
        solutions(&mut solver, &variables, Order::Lex);
        solver.counters().nodes
    });
    assert!(arc < forward, "{arc} {forward}");
}

#[test]
fn random_binary_networks_have_the_solutions_of_brute_force() {
    check_binary(100);
}

#[test]
#[ignore = "long"]
fn many_random_binary_networks_have_the_solutions_of_brute_force() {
    check_binary(500);
}

fn check_binary(num_networks: usize) {
    let mut rng = rng(1);
    let mut num_solutions = 0;
    for _ in 0..num_networks {
        let network = random_binary(&mut rng, 8, 5, 0.4, 0.5);
        let expected = brute_force(&network);
        num_solutions += expected.len();
        check(&network, &expected);
    }
    // There are 5^8 assignments and 28 pairs of variables. On average, .4 of the pairs have a table, which allows half
    // of the tuples, so a network has about 160 solutions.
    assert!(num_solutions > 100 * num_networks, "{num_solutions}");
}

#[test]
fn mixed_networks_have_the_solutions_of_brute_force() {
    let mut rng = rng(2);
    let (mut num_solved, mut num_solutions) = (0, 0);
    for _ in 0..1000 {
        let network = random_mixed(&mut rng);
        let expected = brute_force(&network);
        num_solved += u32::from(!expected.is_empty());
        num_solutions += expected.len();
        check(&network, &expected);
    }
    // The networks are neither all unsolvable nor trivial.
    assert!(num_solved > 300 && num_solutions > 3_000, "{num_solved} {num_solutions}");
}

#[test]
fn a_stopped_search_leaves_nothing_behind() {
    let network = queens_in_pairs(8);
    let variables = all_variables(&network);
    let mut solver = Solver::new(&network);
    let cells = solver.store.cells().to_vec();
    let mut count = 0;
    let flow = solver.search(&variables, Order::Lex, |solver| {
        count += 1;
        if count < 3 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(solver.domain(variables[7]).next())
        }
    });
    // This is the third solution in lexicographic order: 0 6 3 5 7 1 4 2, after 0 4 7 5 2 6 1 3 and 0 5 7 2 6 3 1 4.
    assert_eq!(flow, ControlFlow::Break(Some(2)));
    assert_eq!(solver.store.cells(), cells);
}

#[test]
fn the_order_of_solutions_is_the_same_after_a_reset() {
    let network = queens_in_threes(7);
    let variables = all_variables(&network);
    let mut solver = Solver::new(&network);
    let mut list = |is_reset: bool| {
        if is_reset {
            solver.reset_weights();
        }
        let mut all = Vec::new();
        let flow: ControlFlow<()> = solver.search(&variables, Order::DomWdeg, |solver| {
            all.push(variables.iter().map(|&id| solver.value(id)).collect::<Vec<_>>());
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        all
    };
    let first = list(false);
    let _ = list(false);
    assert_eq!(list(true), first);
}
