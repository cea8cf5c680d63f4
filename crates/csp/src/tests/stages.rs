//! Compares stage solvers with the definitions of feasible decisions and of possible values of chance.

use std::ops::ControlFlow;

use rand::RngExt;
use rand::rngs::Xoshiro256PlusPlus;

use super::networks::{equal, for_each_assignment, is_satisfied, network, rng, table};
use crate::{
    Constraint, Network, Order, Preprocessing, Stage, StageMethod, StageSolver, VariableId,
    preprocess_stage,
};

const METHODS: [StageMethod; 2] = [StageMethod::Mac, StageMethod::Fc];

fn feasible(solver: &mut StageSolver) -> Vec<Vec<u16>> {
    let mut all = Vec::new();
    let flow: ControlFlow<()> = solver.solve(|decision| {
        all.push(decision.to_vec());
        ControlFlow::Continue(())
    });
    assert!(flow.is_continue());
    all
}

/// Returns a stage with decisions x1 in 1..=3 and x2 in 0..=2 and with chance y in 0..=2. The constraints are x1 + y <=
/// x2 + 3 and, if `has_rest`, x1 != x2.
fn worked(has_rest: bool) -> Stage {
    let mut network = Network::default();
    network.domains.extend([[1, 2, 3].into(), [0, 1, 2].into(), [0, 1, 2].into()]);
    let sizes = [4, 3, 3];
    network.constraints.push(table(&[0, 1, 2], &sizes, |t| t[0] > 0 && t[0] + t[2] <= t[1] + 3));
    if has_rest {
        network.constraints.push(table(&[0, 1], &sizes[..2], |t| t[0] > 0 && t[0] != t[1]));
    }
    let decisions = vec![VariableId(0), VariableId(1)];
    Stage { network, decisions, chance: Some(VariableId(2)), effects: Vec::new() }
}

#[test]
fn the_worked_stage_has_the_decisions_found_by_hand() {
    // The worst case is y = 2; the constraint is then x1 + 2 <= x2 + 3.
    let on_chance = [[1, 0], [1, 1], [1, 2], [2, 1], [2, 2], [3, 2]];
    let expected = [[1, 0], [1, 2], [2, 1], [3, 2]];
    for method in METHODS {
        for order in [Order::DomWdeg, Order::Dom, Order::Lex] {
            let mut solver = StageSolver::new(&worked(false), method, order);
            assert!(solver.enter(&[]));
            let mut found = feasible(&mut solver);
            found.sort();
            assert_eq!(found, on_chance);
            let mut solver = StageSolver::new(&worked(true), method, order);
            assert!(solver.enter(&[]));
            let mut found = feasible(&mut solver);
            found.sort();
            assert_eq!(found, expected);
            // If x1 is an input, the decisions with this x1 remain.
            assert!(solver.enter(&[(VariableId(0), 1)]));
            assert_eq!(feasible(&mut solver), [[1, 0], [1, 2]]);
            // x1 = 3 and x2 = 1 are incompatible with y = 2; this does not restrict chance.
            solver.enter(&[(VariableId(0), 3), (VariableId(1), 1)]);
            assert!(feasible(&mut solver).is_empty());
            assert!(solver.enter(&[]));
            assert_eq!(feasible(&mut solver).len(), 4);
        }
    }
}

#[test]
fn a_stage_that_is_not_split_takes_more_nodes() {
    let [split, whole] = METHODS.map(|method| {
        let mut solver = StageSolver::new(&worked(true), method, Order::Lex);
        assert!(solver.enter(&[]));
        assert_eq!(feasible(&mut solver).len(), 4);
        solver.counters().nodes
    });
    // The split solver tries 3 values of x1, and the values of x2 that are compatible with all values of chance: 3
    // after x1 = 1, 2 after 2, and 1 after 3. Then it tries 3 values of x1 again, and 2 values of x2 after 1; after 2
    // and 3 only one value is left, and nothing is tried.
    assert_eq!(split, 3 + (3 + 2 + 1) + 3 + 2);
    // The other solver tries 3 values of x1, and the values of x2 that differ from x1. After each pair it tries the
    // values of chance, up to the first violation. It tries all 3 values, except after x1 = 3 and x2 = 0, which are
    // compatible only with 0.
    assert_eq!(whole, 3 + (2 + 2 + 3) + (3 + 3) + (3 + 3) + (2 + 3 + 3));
}

/// The variables of a random stage, by purpose: inputs, decisions, chance, helpers, and the result.
const INPUTS: [u32; 2] = [0, 1];
const DECISIONS: [u32; 3] = [2, 3, 4];
const CHANCE: u32 = 5;
const HELPERS: [u32; 2] = [6, 7];
const RESULT: u32 = 8;
const SIZES: [u16; 9] = [2, 3, 3, 2, 4, 3, 2, 2, 4];

fn sizes_of(scope: &[u32]) -> Vec<u16> {
    scope.iter().map(|&id| SIZES[id as usize]).collect()
}

/// Draws a stage. Its first constraint determines the possible values of chance; its last constraint is the effect.
fn random_stage(rng: &mut Xoshiro256PlusPlus) -> Stage {
    let mut network = network(&SIZES, Vec::new());
    let mut add = |scope: &[u32], looseness: f64| {
        let sizes = sizes_of(scope);
        network.constraints.push(table(scope, &sizes, |_| rng.random_bool(looseness)));
    };
    add(&[1, CHANCE], 0.7);
    add(&[0, 2, 3], 0.8);
    add(&[1, 3, 4], 0.8);
    add(&[2, CHANCE], 0.85);
    add(&[3, 4, CHANCE], 0.9);
    // One helper follows from a decision and an input; the other helper also depends on chance.
    add(&[4, HELPERS[0]], 0.9);
    add(&[HELPERS[0], CHANCE], 0.9);
    let define = |head, bodies: [[(u32, u16); 2]; 2]| Constraint::Definition {
        head: equal(head, 1),
        bodies: bodies.map(|body| body.map(|(id, value)| equal(id, value)).into()).into(),
    };
    network.constraints.push(define(HELPERS[0], [[(2, 1), (0, 1)], [(3, 1), (4, 2)]]));
    network
        .constraints
        .push(define(HELPERS[1], [[(HELPERS[0], 1), (CHANCE, 1)], [(2, 0), (CHANCE, 2)]]));
    // The result is the sum modulo 4.
    let scope = [3, 4, CHANCE, HELPERS[1], RESULT];
    let result = |t: &[u16]| t[4] == (t[0] + t[1] + t[2] + t[3]) % 4;
    network.constraints.push(table(&scope, &sizes_of(&scope), result));
    let effects = vec![network.constraints.len() - 1];
    let decisions = DECISIONS.map(VariableId).into();
    Stage { network, decisions, chance: Some(VariableId(CHANCE)), effects }
}

/// Returns, by definition, the possible values of chance and the feasible decisions. A decision is feasible if the
/// helpers have suitable values for each possible value of chance.
fn by_definition(stage: &Stage, inputs: [u16; 2]) -> (Vec<u16>, Vec<Vec<u16>>) {
    let network = &stage.network;
    let (law, core) =
        (&network.constraints[0], &network.constraints[..network.constraints.len() - 1]);
    let given = |values: &[(u32, u16)]| {
        let mut domains = network.domains.clone();
        domains[RESULT as usize] = [0].into();
        for &(id, value) in [(INPUTS[0], inputs[0]), (INPUTS[1], inputs[1])].iter().chain(values) {
            domains[id as usize] = [value].into();
        }
        domains
    };
    let mut values = Vec::new();
    for_each_assignment(&given(&[(2, 0), (3, 0), (4, 0), (6, 0), (7, 0)]), &mut |assignment| {
        if is_satisfied(law, assignment) {
            values.push(assignment[CHANCE as usize]);
        }
    });
    let mut decisions = Vec::new();
    let own: Vec<Box<[u16]>> =
        DECISIONS.iter().map(|&id| network.domains[id as usize].clone()).collect();
    for_each_assignment(&own, &mut |decision| {
        let is_possible = |&value: &u16| {
            let mut is_found = false;
            let fixed = [(2, decision[0]), (3, decision[1]), (4, decision[2]), (CHANCE, value)];
            for_each_assignment(&given(&fixed), &mut |assignment| {
                is_found |= core.iter().all(|constraint| is_satisfied(constraint, assignment));
            });
            is_found
        };
        if !values.is_empty() && values.iter().all(is_possible) {
            decisions.push(decision.to_vec());
        }
    });
    (values, decisions)
}

#[test]
fn random_stages_have_the_decisions_of_their_definition() {
    let mut rng = rng(8);
    let (mut num_feasible, mut num_outcomes) = (0, 0);
    // The nodes of MAC and forward checking are counted without and with preprocessing.
    let mut nodes = [0; 4];
    for _ in 0..200 {
        let stage = random_stage(&mut rng);
        let mut smaller = stage.clone();
        preprocess_stage(&mut smaller, &Preprocessing::default());
        let mut solvers = [&stage, &smaller]
            .map(|stage| METHODS.map(|method| StageSolver::new(stage, method, Order::DomWdeg)));
        // After all states, two of them are tried again.
        for inputs in [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2], [0, 0], [1, 2]] {
            let (law, expected) = by_definition(&stage, inputs);
            for (solver, nodes) in solvers.iter_mut().flatten().zip(&mut nodes) {
                let fixed = [0, 1].map(|i| (VariableId(INPUTS[i]), inputs[i]));
                if !solver.enter(&fixed) {
                    assert!(expected.is_empty(), "{stage:?} {inputs:?}");
                    assert!(feasible(solver).is_empty());
                    continue;
                }
                let before = solver.counters().nodes;
                let mut found = feasible(solver);
                *nodes += solver.counters().nodes - before;
                let again = feasible(solver);
                assert_eq!(found, again, "the order does not depend on what was solved");
                found.sort();
                assert_eq!(found, expected, "{stage:?} {inputs:?}");
                num_feasible += found.len();
                for decision in &found {
                    let mut brought = Vec::new();
                    let is_consistent = solver.outcomes(decision, |value, outcome| {
                        let value = value.expect("there is chance");
                        let helper = outcome.value(VariableId(HELPERS[1])).expect("it follows");
                        let sum = decision[1] + decision[2] + value + helper;
                        assert_eq!(outcome.value(VariableId(RESULT)), Some(sum % 4));
                        brought.push(value);
                    });
                    assert!(is_consistent);
                    assert_eq!(brought, law);
                    num_outcomes += brought.len();
                }
            }
        }
    }
    // Each of the four solvers finds a large part of the 200 * 8 * 24 decisions feasible, but not most of them.
    assert!((20_000..80_000).contains(&num_feasible), "{num_feasible}");
    assert!(num_outcomes > num_feasible, "{num_outcomes}");
    assert!(nodes[0] < nodes[1] && nodes[2] < nodes[3], "{nodes:?}");
}

/// If the constraints with decisions exclude a possible value of chance, there is no feasible decision.
#[test]
fn decisions_do_not_restrict_chance() {
    // Variables 0 and 1 are decisions. Variable 0 is always 1, so chance (variable 2) would have to be 1.
    let is_one = table(&[0, 1], &[2, 2], |t| t[0] == 1);
    let network = network(&[2; 3], vec![is_one, table(&[0, 2], &[2, 2], |t| t[0] <= t[1])]);
    let decisions = vec![VariableId(0), VariableId(1)];
    let stage = Stage { network, decisions, chance: Some(VariableId(2)), effects: Vec::new() };
    for method in METHODS {
        let mut solver = StageSolver::new(&stage, method, Order::Lex);
        solver.enter(&[]);
        assert!(feasible(&mut solver).is_empty(), "{method:?}");
    }
}

#[test]
fn a_stage_without_chance_has_one_outcome() {
    let mut stage = worked(true);
    stage.chance = None;
    stage.network.constraints.remove(0);
    for method in METHODS {
        let mut solver = StageSolver::new(&stage, method, Order::Lex);
        assert!(solver.enter(&[]));
        // The decisions are all 9 pairs except (1, 1) and (2, 2).
        let found = feasible(&mut solver);
        assert_eq!(found.len(), 7);
        let mut num_outcomes = 0;
        assert!(solver.outcomes(&found[0], |value, outcome| {
            assert_eq!((value, outcome.value(VariableId(0))), (None, Some(1)));
            num_outcomes += 1;
        }));
        assert_eq!(num_outcomes, 1);
    }
}
