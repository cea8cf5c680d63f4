//! Tests that bandits do not allocate memory once their buffers have grown, neither in a second search of the same kind
//! nor for thousands of empty tables.

use ruse::rng::StreamKey;
use ruse::strategies::bandit::cmab::{
    AtRoot, Naive, Problem, Sampler, Strategy, Synthetic, SyntheticSpec, Tables,
};

use crate::allocator::{bytes_in_use, measure_alone, num_allocations};

fn problem() -> Synthetic {
    let spec = SyntheticSpec {
        means: vec![vec![0.05, 0.2, 0.15, 0.1]; 6],
        cells: vec![vec![-1, 1, 2, -1]; 6],
        costs: vec![vec![0, 0, 1, 2]; 6],
        budget: 3,
        sigma: 0.1,
    };
    Synthetic::new(&spec).expect("the first values are free")
}

fn pull(sampler: &mut AtRoot<Synthetic>, problem: &Synthetic) {
    let mut rng = StreamKey::root(1).stream();
    let mut arm = [0; 6];
    for _ in 0..500 {
        sampler.choose(problem, &mut rng, &mut arm);
        let reward = problem.pull(&arm, &mut rng);
        sampler.observe(&arm, reward);
    }
}

#[test]
fn a_second_search_allocates_nothing() {
    let _alone = measure_alone();
    let problem = problem();
    let ns = Naive::greedy(0.8, 0.4, 0.1);
    for strategy in [
        Strategy::Naive(ns),
        Strategy::TwoPhase { first: ns, second: Naive::greedy(0.0, 0.0, 0.2), switch: 300 },
        Strategy::Naive(Naive::e_greedy(0.25)),
        Strategy::Ucb1 { c: 0.05 },
        Strategy::Ucb1Fpu { c: 0.05, threshold: 0.75 },
        Strategy::Mlps { c: 0.005 },
        Strategy::Random,
    ] {
        let mut sampler = AtRoot::new(strategy, &problem).expect("in range");
        pull(&mut sampler, &problem);
        let before = num_allocations();
        sampler.reset(&problem);
        pull(&mut sampler, &problem);
        assert_eq!(num_allocations(), before, "{strategy:?}");
    }
}

/// With six variables of four values each, a node of a tree that was visited once takes less than 1 kB.
#[test]
fn tables_of_one_pull_are_small() {
    let _alone = measure_alone();
    let problem = problem();
    let before = bytes_in_use();
    let mut nodes = vec![Tables::default(); 1000];
    let empty = (bytes_in_use() - before) / nodes.len();
    assert!(empty <= 300, "{empty} bytes");
    for tables in &mut nodes {
        tables.reset(problem.sizes());
        tables.observe(&[0; 6], 0.5);
    }
    let one = (bytes_in_use() - before) / nodes.len();
    assert!(one < 1000, "{one} bytes");
}
