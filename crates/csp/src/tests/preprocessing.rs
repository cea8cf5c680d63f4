//! Tests of the effects of preprocessing, step by step.

use rand::RngExt;

use super::networks::{
    brute_force, equal, network, random_binary, random_mixed, rng, table, unequal,
};
use super::propagation::arc_consistent;
use crate::{
    Constraint, Network, NetworkSize, Preprocessing, PreprocessingReport, Stage, VariableId,
    preprocess, preprocess_stage,
};

const NONE: Preprocessing = Preprocessing {
    merge: false,
    unary: false,
    universal: false,
    singleton: false,
    max_revisions: u64::MAX,
};

#[test]
fn tables_of_the_same_variables_become_one() {
    // The variables of the last table are in reverse order.
    let backwards = table(&[1, 0], &[3, 3], |t| t[0] > 0);
    let sums = table(&[0, 1], &[3, 3], |t| t[0] + t[1] == 2);
    let mut merged = network(
        &[3, 3, 3],
        vec![
            sums.clone(),
            table(&[0, 2], &[3, 3], |t| t[0] == t[1]),
            table(&[0, 1], &[3, 3], |t| t[0] <= t[1]),
            backwards,
        ],
    );
    let report = preprocess(&mut merged, &Preprocessing { merge: true, ..NONE });
    let scope = [VariableId(0), VariableId(1)].into();
    assert_eq!(merged.constraints.len(), 2);
    assert_eq!(merged.constraints[0], Constraint::Table { scope, tuples: [0, 2, 1, 1].into() });
    // In these networks, all tables have two variables.
    let size = |num_tables, num_tuples| NetworkSize {
        num_variables: 3,
        largest_domain: 3,
        num_values: 9,
        num_constraints: num_tables,
        num_tables,
        num_tuples,
        num_tuple_values: 2 * num_tuples,
        ..NetworkSize::default()
    };
    // The tables allow 3 pairs with a given sum, 3 equal pairs, 6 ordered pairs, and 6 pairs with a value above 0.
    // Afterwards, two tables with 2 and 3 tuples remain.
    let expected = PreprocessingReport {
        before: size(4, 18),
        after: size(2, 5),
        revisions: 0,
        is_capped: false,
        is_consistent: true,
    };
    assert_eq!(report, expected);
}

#[test]
fn tables_of_one_variable_become_its_domain() {
    let mut network = network(
        &[4, 4],
        vec![
            table(&[0], &[4], |t| t[0] % 2 == 1),
            table(&[0, 1], &[4, 4], |t| t[0] < t[1]),
            table(&[0], &[4], |t| t[0] > 1),
        ],
    );
    preprocess(&mut network, &Preprocessing { unary: true, ..NONE });
    assert_eq!(network.domains, [Box::from([3]), [0, 1, 2, 3].into()]);
    // No value exceeds 3.
    let scope = [VariableId(0), VariableId(1)].into();
    assert_eq!(network.constraints, [Constraint::Table { scope, tuples: [].into() }]);
}

#[test]
fn universal_variables_leave_tables() {
    let mut network = network(
        &[2, 3, 2, 2],
        vec![
            // Variable 1 does not matter.
            table(&[0, 1, 2], &[2, 3, 2], |t| t[0] <= t[2]),
            // No variable matters.
            table(&[1, 3], &[3, 2], |_| true),
            table(&[0, 3], &[2, 2], |t| t[0] != t[1]),
        ],
    );
    let report = preprocess(&mut network, &Preprocessing { universal: true, ..NONE });
    let table = |scope: [u32; 2], tuples: &[u16]| Constraint::Table {
        scope: scope.map(VariableId).into(),
        tuples: tuples.into(),
    };
    assert_eq!(
        network.constraints,
        [table([0, 2], &[0, 0, 0, 1, 1, 1]), table([0, 3], &[0, 1, 1, 0])]
    );
    // Before preprocessing, the tables have 3 * 3 + 6 + 2 tuples.
    assert_eq!((report.before.num_tuples, report.after.num_tuples), (17, 5));
}

/// Returns the domains by definition: a value remains if the network is arc consistent when it is the variable's only
/// value.
fn singleton_consistent(network: &Network) -> Option<Vec<Box<[u16]>>> {
    let mut domains = arc_consistent(network, network.domains.clone())?;
    loop {
        let before = domains.clone();
        for index in 0..domains.len() {
            for value in domains[index].clone() {
                let mut tried = domains.clone();
                tried[index] = [value].into();
                if arc_consistent(network, tried).is_none() {
                    let left = domains[index].iter().copied().filter(|&other| other != value);
                    domains[index] = left.collect();
                    domains = arc_consistent(network, domains)?;
                }
            }
        }
        if domains == before {
            return Some(domains);
        }
    }
}

#[test]
fn values_are_singleton_consistent_by_definition() {
    let mut rng = rng(9);
    let (mut num_consistent, mut num_stronger) = (0, 0);
    for index in 0..300 {
        let mut network = match index % 2 {
            0 => random_binary(&mut rng, 6, 3, 0.6, 0.55),
            _ => random_mixed(&mut rng),
        };
        network.constraints.retain(|constraint| {
            matches!(constraint, Constraint::Table { .. } | Constraint::Clause(_))
        });
        let expected = singleton_consistent(&network);
        let only_arc = arc_consistent(&network, network.domains.clone());
        let steps = Preprocessing { singleton: true, ..NONE };
        let report = preprocess(&mut network, &steps);
        assert!(!report.is_capped);
        assert_eq!(report.is_consistent, expected.is_some(), "{network:?}");
        num_stronger += u32::from(expected != only_arc);
        if let Some(expected) = expected {
            assert_eq!(network.domains, expected);
            num_consistent += 1;
        }
    }
    assert!(num_consistent > 50 && num_stronger > 20, "{num_consistent} {num_stronger}");
}

#[test]
fn preprocessing_keeps_all_solutions() {
    let mut rng = rng(10);
    let mut num_gone = 0;
    for _ in 0..2000 {
        let before = random_mixed(&mut rng);
        let mut steps = Preprocessing::default();
        if rng.random_bool(0.5) {
            steps.merge = rng.random_bool(0.5);
            steps.unary = rng.random_bool(0.5);
            steps.universal = rng.random_bool(0.5);
            steps.singleton = rng.random_bool(0.5);
            steps.max_revisions = rng.random_range(0..50);
        }
        let mut after = before.clone();
        let report = preprocess(&mut after, &steps);
        let solutions = brute_force(&before);
        assert_eq!(brute_force(&after), solutions, "{steps:?} {before:?}");
        assert!(report.is_consistent || solutions.is_empty());
        num_gone += before.constraints.len() - after.constraints.len();
    }
    assert!(num_gone > 1000, "{num_gone}");
}

#[test]
fn the_cap_stops_singleton_consistency() {
    // Three variables with two values each must all differ. No failure is visible before a value is tried.
    let pairs = [[0, 1], [0, 2], [1, 2]];
    let tables = pairs.map(|pair| table(&pair, &[2, 2], |t| t[0] != t[1]));
    let before = network(&[2, 2, 2], tables.to_vec());
    for (max_revisions, is_capped) in [(0, true), (200_000, false)] {
        let mut network = before.clone();
        let steps = Preprocessing { singleton: true, max_revisions, ..NONE };
        let report = preprocess(&mut network, &steps);
        assert_eq!((report.is_capped, report.is_consistent), (is_capped, is_capped));
        assert_eq!(network, before, "values are written back when there may be a solution");
    }
}

#[test]
fn tautologies_are_removed() {
    let always = [
        Constraint::Clause([equal(0, 1), unequal(0, 1)].into()),
        Constraint::Clause([equal(1, 0), equal(2, 0)].into()),
        Constraint::Definition { head: equal(1, 0), bodies: [[unequal(1, 1)].into()].into() },
        Constraint::Definition { head: equal(1, 1), bodies: [].into() },
        Constraint::LeastModel { heads: [equal(1, 1)].into(), rules: [].into() },
        table(&[0, 2], &[2, 2], |_| true),
    ];
    let kept = Constraint::Clause([equal(0, 1), equal(2, 1)].into());
    let mut constraints = always.to_vec();
    constraints.insert(2, kept.clone());
    let mut network = network(&[2, 1, 2], constraints);
    preprocess(&mut network, &Preprocessing { singleton: true, ..NONE });
    assert_eq!(network.constraints, [kept]);
}

#[test]
fn effects_stay_effects_and_chance_keeps_its_values() {
    let constraints = vec![
        table(&[0, 1], &[2, 2], |t| t[0] <= t[1]),
        table(&[0], &[2], |t| t[0] == 1),
        table(&[0, 1], &[2, 2], |t| t[0] >= t[1]),
        table(&[1, 2], &[2, 3], |t| t[0] == t[1] || t[1] == 2),
        table(&[0, 1], &[2, 2], |_| true),
    ];
    let mut stage = Stage {
        network: network(&[2, 3, 3], constraints),
        decisions: vec![VariableId(0)],
        chance: Some(VariableId(1)),
        effects: vec![2, 3, 4],
    };
    assert!(preprocess_stage(&mut stage, &Preprocessing::default()).is_consistent);
    // Variable 0 must be 1. Variable 1, which is chance, would also have to be 1, but keeps its values. Variable 2
    // cannot be 0.
    assert_eq!(stage.network.domains, [Box::from([1]), [0, 1, 2].into(), [1, 2].into()]);
    let table = |scope: &[u32], tuples: &[u16]| Constraint::Table {
        scope: scope.iter().copied().map(VariableId).collect(),
        tuples: tuples.into(),
    };
    // The constraint <= and the effect >= are still two tables. Without the decision, the first table would restrict
    // the possible values of chance.
    let expected =
        [table(&[0, 1], &[1, 1]), table(&[1], &[0, 1]), table(&[1, 2], &[0, 2, 1, 1, 1, 2])];
    assert_eq!(stage.network.constraints, expected);
    assert_eq!(stage.effects, [1, 2]);
}
