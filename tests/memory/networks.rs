//! Tests that solvers of constraint networks do not allocate memory once their buffers have grown, neither in searches
//! nor for a stage with other inputs.

use std::ops::ControlFlow;

use ruse::strategies::search::csp::{
    Consistency, Constraint, LeastRule, Literal, Network, Order, Solver, Stage, StageMethod,
    StageSolver, VariableId,
};

use crate::allocator::{measure_alone, num_allocations};

const ORDERS: [Order; 3] = [Order::DomWdeg, Order::Dom, Order::Lex];

fn literal(variable: u32, value: u16) -> Literal {
    Literal { variable: VariableId(variable), value, is_equal: true }
}

/// Returns a stage with two inputs, two decisions, chance, and outcomes, with constraints of all kinds.
fn stage() -> Stage {
    let mut network = Network::default();
    [2, 3, 4, 4, 3, 2, 2, 2].into_iter().for_each(|size| _ = network.add_variable(size));
    let mut table = |scope: &[u32], is_allowed: &dyn Fn(u16, u16, u16) -> bool| {
        let mut tuples = Vec::new();
        for a in 0..4 {
            for b in 0..4 {
                for c in 0..if scope.len() == 3 { 4 } else { 1 } {
                    if is_allowed(a, b, c) {
                        tuples.extend_from_slice(&[a, b, c][..scope.len()]);
                    }
                }
            }
        }
        let scope = scope.iter().map(|&id| VariableId(id)).collect();
        network.constraints.push(Constraint::Table { scope, tuples: tuples.into() });
    };
    // The second input limits chance, and chance limits decisions.
    table(&[1, 4], &|input, chance, _| chance <= input);
    table(&[2, 3], &|a, b, _| a != b);
    table(&[2, 3, 4], &|a, b, chance| a + chance <= b + 2);
    table(&[0, 2, 3], &|input, a, b| input == 0 || a + b < 5);
    network
        .constraints
        .push(Constraint::Clause([literal(2, 0), literal(2, 1), literal(3, 3)].into()));
    let bodies = [[literal(2, 1), literal(4, 1)].into(), [literal(0, 1)].into()];
    network.constraints.push(Constraint::Definition { head: literal(5, 1), bodies: bodies.into() });
    let rule = |head, inside: &[u32], outside: &[Literal]| LeastRule {
        head,
        inside: inside.into(),
        outside: outside.into(),
    };
    let rules = [rule(0, &[1], &[]), rule(1, &[0], &[]), rule(0, &[], &[literal(3, 2)])];
    let heads = [literal(6, 1), literal(7, 1)].into();
    network.constraints.push(Constraint::LeastModel { heads, rules: rules.into() });
    let decisions = vec![VariableId(2), VariableId(3)];
    Stage { network, decisions, chance: Some(VariableId(4)), effects: vec![5, 6] }
}

fn count(solver: &mut Solver, variables: &[VariableId], order: Order) -> u32 {
    let mut num_solutions = 0;
    let flow: ControlFlow<()> = solver.search(variables, order, |_| {
        num_solutions += 1;
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    num_solutions
}

#[test]
fn a_second_search_of_a_network_allocates_nothing() {
    let _alone = measure_alone();
    let network = stage().network;
    let variables: Vec<VariableId> = (0..network.num_variables() as u32).map(VariableId).collect();
    for consistency in [Consistency::Arc, Consistency::Forward] {
        let mut solver = Solver::with(&network, consistency);
        let first = ORDERS.map(|order| count(&mut solver, &variables, order));
        assert!(first[0] > 10, "{first:?}");
        let before = num_allocations();
        let second = ORDERS.map(|order| count(&mut solver, &variables, order));
        assert_eq!(num_allocations(), before, "{consistency:?}");
        assert_eq!(second, first);
    }
}

/// Counts the outcomes of all feasible decisions for all inputs.
fn count_outcomes(solver: &mut StageSolver, decisions: &mut Vec<[u16; 2]>) -> u32 {
    let mut num_outcomes = 0;
    for inputs in 0..6 {
        solver.enter(&[(VariableId(0), inputs % 2), (VariableId(1), inputs / 2)]);
        decisions.clear();
        let flow: ControlFlow<()> = solver.solve(|decision| {
            decisions.push([decision[0], decision[1]]);
            ControlFlow::Continue(())
        });
        assert!(flow.is_continue());
        for decision in &*decisions {
            assert!(solver.outcomes(decision, |_, outcome| {
                num_outcomes += u32::from(outcome.value(VariableId(5)).is_some());
            }));
        }
    }
    num_outcomes
}

#[test]
fn a_stage_with_inputs_that_it_had_before_allocates_nothing() {
    let _alone = measure_alone();
    let stage = stage();
    let mut decisions = Vec::with_capacity(16);
    for method in [StageMethod::Mac, StageMethod::Fc] {
        let mut solver = StageSolver::new(&stage, method, Order::DomWdeg);
        let first = count_outcomes(&mut solver, &mut decisions);
        assert!(first > 10, "{first}");
        let before = num_allocations();
        let second = count_outcomes(&mut solver, &mut decisions);
        assert_eq!(num_allocations(), before, "{method:?}");
        assert_eq!(second, first);
    }
}
