//! Tests that propagation removes the right values, and that these values are restored.

use rand::RngExt;

use super::networks::{
    all_variables, brute_force, equal, for_each_assignment, is_satisfied, network, queens_in_pairs,
    random_mixed, rng, table, unequal,
};
use crate::{Consistency, Constraint, LeastRule, Literal, Network, Order, Solver, VariableId};

fn domains(solver: &Solver, network: &Network) -> Vec<Box<[u16]>> {
    all_variables(network).iter().map(|&id| solver.domain(id).collect()).collect()
}

/// Returns `true` if `value` for `variable` and some values of the other variables satisfy the constraint. Tries all
/// combinations.
fn has_support(
    constraint: &Constraint,
    domains: &[Box<[u16]>],
    variable: VariableId,
    value: u16,
) -> bool {
    // Only the scope matters, so the other variables keep only their first value.
    let scope = constraint.variables();
    let mut domains = domains.to_vec();
    for (index, domain) in domains.iter_mut().enumerate() {
        if !scope.contains(&VariableId(index as u32)) {
            *domain = domain[..1].into();
        }
    }
    domains[variable.0 as usize] = [value].into();
    let mut is_found = false;
    for_each_assignment(&domains, &mut |assignment| {
        is_found |= is_satisfied(constraint, assignment);
    });
    is_found
}

/// Removes unsupported values until nothing changes. Returns the resulting domains, which are the largest arc
/// consistent domains, or `None` if a domain becomes empty.
pub(super) fn arc_consistent(
    network: &Network,
    mut domains: Vec<Box<[u16]>>,
) -> Option<Vec<Box<[u16]>>> {
    loop {
        let before = domains.clone();
        for constraint in &network.constraints {
            for variable in constraint.variables() {
                let index = variable.0 as usize;
                let kept: Box<[u16]> = domains[index]
                    .iter()
                    .copied()
                    .filter(|&value| has_support(constraint, &domains, variable, value))
                    .collect();
                if kept.is_empty() {
                    return None;
                }
                domains[index] = kept;
            }
        }
        if domains == before {
            return Some(domains);
        }
    }
}

/// Fixes two variables of random networks, and compares the domains after propagation with [`arc_consistent`]. Returns
/// the number of networks that remained consistent.
fn check_arc_consistency(seed: u64, is_wanted: impl Fn(&Constraint) -> bool) -> u32 {
    let mut rng = rng(seed);
    let mut num_consistent = 0;
    for _ in 0..1000 {
        let mut network = random_mixed(&mut rng);
        network.constraints.retain(&is_wanted);
        let mut solver = Solver::new(&network);
        let expected = arc_consistent(&network, network.domains.clone());
        assert_eq!(solver.is_failed(), expected.is_none(), "{network:?}");
        let Some(mut now) = expected else { continue };
        assert_eq!(domains(&solver, &network), now, "{network:?}");
        for _ in 0..2 {
            let index = rng.random_range(0..now.len());
            let value = now[index][rng.random_range(0..now[index].len())];
            now[index] = [value].into();
            assert!(solver.fix(VariableId(index as u32), value));
            let expected = arc_consistent(&network, now.clone());
            assert_eq!(solver.propagate(), expected.is_some(), "{network:?}");
            let Some(expected) = expected else { break };
            assert_eq!(domains(&solver, &network), expected, "{network:?}");
            now = expected;
            num_consistent += 1;
        }
    }
    num_consistent
}

#[test]
fn tables_and_clauses_are_arc_consistent_by_definition() {
    let is_table = |c: &Constraint| matches!(c, Constraint::Table { .. });
    let is_clause = |c: &Constraint| matches!(c, Constraint::Clause(_));
    let nums = [
        check_arc_consistency(3, is_table),
        check_arc_consistency(4, is_clause),
        check_arc_consistency(5, |c| is_table(c) || is_clause(c)),
    ];
    assert!(nums.iter().all(|&num| num > 500), "{nums:?}");
}

/// Checks domains with more values, and tables with more tuples, than a word has bits.
#[test]
fn large_domains_and_tables_are_arc_consistent() {
    let apart = table(&[0, 1], &[70, 70], |t| t[0] + 2 < t[1]);
    let between =
        table(&[0, 1, 2], &[70, 70, 70], |t| t[0] % 30 == t[1] % 30 && t[2] == (t[0] + t[1]) / 2);
    let network = network(&[70; 3], vec![apart, between]);
    let mut solver = Solver::new(&network);
    let expected = arc_consistent(&network, network.domains.clone()).expect("0 and 30 with 15");
    assert_eq!(domains(&solver, &network), expected);
    let mark = solver.mark();
    for value in [29, 40, 54] {
        assert!(solver.fix(VariableId(2), value));
        let mut narrowed = expected.clone();
        narrowed[2] = [value].into();
        let expected = arc_consistent(&network, narrowed).expect("two numbers with this mean");
        assert!(solver.propagate());
        assert_eq!(domains(&solver, &network), expected);
        solver.undo(mark);
    }
    assert_eq!(domains(&solver, &network), expected);
}

/// Checks a table with three tuples and more variables than a word has bits.
#[test]
fn tables_of_many_variables_are_arc_consistent() {
    let mut network = network(&[2; 70], Vec::new());
    let scope = all_variables(&network).into();
    let tuples = (0..3).flat_map(|kind| (0..70).map(move |at| [0, at % 2, 1][kind]));
    network.constraints.push(Constraint::Table { scope, tuples: tuples.collect() });
    let mut solver = Solver::new(&network);
    let root = solver.mark();
    for last in [0, 1] {
        // The second-to-last variable is 0 in two of the tuples, and the last variable is 1 in two.
        assert!(solver.fix(VariableId(68), 0) && solver.propagate());
        assert_eq!(solver.domain_size(VariableId(69)), 2);
        assert!(solver.fix(VariableId(69), last) && solver.propagate());
        for at in 0..70 {
            assert_eq!(solver.value(VariableId(at)), Some(last * (at as u16 % 2)));
        }
        solver.undo(root);
        assert_eq!(solver.domain_size(VariableId(0)), 2);
    }
}

#[test]
fn forward_checking_waits_until_one_variable_is_open() {
    let sum = table(&[0, 1, 2], &[3, 3, 3], |t| t[0] + t[1] + t[2] == 4);
    let network = network(&[3; 3], vec![sum]);
    let sizes = |solver: &Solver| [0, 1, 2].map(|id| solver.domain_size(VariableId(id)));
    for (consistency, after_one, after_two) in
        [(Consistency::Forward, [1, 3, 3], [1, 1, 1]), (Consistency::Arc, [1, 2, 2], [1, 1, 1])]
    {
        let mut solver = Solver::with(&network, consistency);
        assert_eq!(sizes(&solver), [3, 3, 3]);
        assert!(solver.fix(VariableId(0), 1) && solver.propagate());
        assert_eq!(sizes(&solver), after_one, "{consistency:?}");
        // A removed value does not count while other values remain.
        assert!(solver.remove(VariableId(1), 0) && solver.propagate());
        assert_eq!(sizes(&solver)[2], after_one[2], "{consistency:?}");
        assert!(solver.fix(VariableId(1), 2) && solver.propagate());
        assert_eq!(sizes(&solver), after_two, "{consistency:?}");
        assert_eq!(solver.value(VariableId(2)), Some(1));
    }
}

/// Fixes some literals of a definition, and checks that propagation decides the literals that follow, in both
/// directions.
#[test]
fn definitions_reason_both_ways() {
    // 0 <-> (1 and 2) or not 3.
    let bodies: [Box<[Literal]>; 2] = [[equal(1, 1), equal(2, 1)].into(), [unequal(3, 1)].into()];
    let definition = Constraint::Definition { head: equal(0, 1), bodies: bodies.into() };
    let network = network(&[2; 4], vec![definition]);
    let mut solver = Solver::new(&network);
    let root = solver.mark();
    for (fixed, expected) in [
        (&[(1, 1), (2, 1)][..], &[(0, 1)][..]),
        (&[(3, 0)], &[(0, 1)]),
        (&[(1, 0), (3, 1)], &[(0, 0)]),
        (&[(0, 0)], &[(3, 1)]),
        (&[(0, 0), (1, 1)], &[(2, 0), (3, 1)]),
        (&[(0, 1), (3, 1)], &[(1, 1), (2, 1)]),
        (&[(0, 1), (2, 0)], &[(3, 0)]),
    ] {
        for &(variable, value) in fixed {
            assert!(solver.fix(VariableId(variable), value));
        }
        assert!(solver.propagate());
        for &(variable, value) in expected {
            assert_eq!(solver.value(VariableId(variable)), Some(value), "{fixed:?}");
        }
        solver.undo(root);
    }
}

/// Returns a network with a least model of two heads, variables 0 and 1, which support each other. The outer variable 2
/// supports head 0, and the outer variable 3 supports head 1.
fn held_up() -> Network {
    let rule = |head, inside: &[u32], outside: &[Literal]| LeastRule {
        head,
        inside: inside.into(),
        outside: outside.into(),
    };
    let rules = [
        rule(0, &[1], &[]),
        rule(1, &[0], &[]),
        rule(0, &[], &[equal(2, 1)]),
        rule(1, &[], &[equal(3, 1)]),
    ];
    let heads = [equal(0, 1), equal(1, 1)].into();
    network(&[2; 4], vec![Constraint::LeastModel { heads, rules: rules.into() }])
}

#[test]
fn a_circle_does_not_hold_itself_up() {
    let network = held_up();
    for consistency in [Consistency::Arc, Consistency::Forward] {
        let mut solver = Solver::with(&network, consistency);
        let root = solver.mark();
        assert!(solver.fix(VariableId(2), 0) && solver.propagate());
        assert_eq!(solver.domain_size(VariableId(0)), 2, "3 may hold it up");
        assert!(solver.fix(VariableId(3), 0) && solver.propagate());
        assert_eq!(solver.value(VariableId(0)), Some(0));
        assert_eq!(solver.value(VariableId(1)), Some(0));
        solver.undo(root);
        assert!(solver.fix(VariableId(2), 0) && solver.fix(VariableId(3), 1));
        assert!(solver.propagate());
        assert_eq!(solver.value(VariableId(0)), Some(1));
    }
    // A false head supports nothing, even before all outer literals are known.
    let mut solver = Solver::new(&network);
    assert!(solver.fix(VariableId(3), 0) && solver.fix(VariableId(0), 0) && solver.propagate());
    assert_eq!(solver.value(VariableId(1)), Some(0));
}

#[test]
fn least_models_are_those_of_rules_that_fire_until_none_does() {
    let mut rng = rng(6);
    for _ in 0..2000 {
        let mut network = random_mixed(&mut rng);
        network.constraints.retain(|c| matches!(c, Constraint::LeastModel { .. }));
        network.constraints.truncate(1);
        let Some(Constraint::LeastModel { heads, .. }) = network.constraints.first() else {
            continue;
        };
        let is_head = |id: &VariableId| heads.iter().any(|head| head.variable == *id);
        let solutions = brute_force(&network);
        let mut solver = Solver::new(&network);
        let root = solver.mark();
        let outside: Vec<VariableId> =
            all_variables(&network).into_iter().filter(|id| !is_head(id)).collect();
        for solution in solutions {
            // Inputs are fixed one by one, and the values of the solution are never refused.
            for &id in &outside {
                let value = solution[id.0 as usize];
                assert!(solver.fix(id, value) && solver.propagate(), "{network:?}");
            }
            for head in heads {
                let is_true = super::networks::holds(head, &solution);
                let domain: Vec<u16> = solver.domain(head.variable).collect();
                assert_eq!(domain == [head.value], is_true, "{network:?} {solution:?}");
                assert_eq!(domain.contains(&head.value), is_true, "{network:?} {solution:?}");
            }
            solver.undo(root);
        }
    }
}

/// Makes random changes after nested marks. Checks that undoing the changes restores the exact state at each mark.
#[test]
fn undoing_leaves_exactly_what_was_before() {
    let mut rng = rng(7);
    let mut num_undone = 0;
    for index in 0..300 {
        let network = if index % 10 == 0 { queens_in_pairs(7) } else { random_mixed(&mut rng) };
        for consistency in [Consistency::Arc, Consistency::Forward] {
            let mut solver = Solver::with(&network, consistency);
            if solver.is_failed() {
                continue;
            }
            let mut levels = Vec::new();
            for _ in 0..100 {
                if !solver.is_failed() && rng.random_bool(0.6) {
                    let cells = solver.store.cells().to_vec();
                    levels.push((solver.mark(), cells));
                    for _ in 0..rng.random_range(1..3) {
                        let variable =
                            VariableId(rng.random_range(0..network.num_variables() as u32));
                        let value = rng.random_range(0..7);
                        if rng.random_bool(0.5) {
                            solver.fix(variable, value);
                        } else {
                            solver.remove(variable, value);
                        }
                    }
                    solver.propagate();
                } else if let Some((mark, cells)) = levels.pop() {
                    solver.undo(mark);
                    assert_eq!(solver.store.cells(), cells);
                    assert!(!solver.is_failed());
                    num_undone += 1;
                }
            }
        }
    }
    assert!(num_undone > 10_000, "{num_undone}");
}

#[test]
fn unsolvable_networks_fail_at_once() {
    let empty = network(&[0], Vec::new());
    let no_tuple = network(&[2; 2], vec![table(&[0, 1], &[2, 2], |_| false)]);
    let no_literal = network(&[2], vec![Constraint::Clause([].into())]);
    for network in [empty, no_tuple, no_literal] {
        for consistency in [Consistency::Arc, Consistency::Forward] {
            let mut solver = Solver::with(&network, consistency);
            assert!(solver.is_failed() && !solver.propagate());
            let mark = solver.mark();
            solver.undo(mark);
            assert!(!solver.propagate());
            let variables = all_variables(&network);
            let flow = solver.search(&variables, Order::Lex, |_| std::ops::ControlFlow::Break(()));
            assert!(flow.is_continue());
        }
    }
}
