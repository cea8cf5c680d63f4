//! Comparison with the crate `cmaes`, an implementation of the same tutorial by others.

use std::cell::RefCell;
use std::rc::Rc;

use cmaes::{CMAESOptions, DVector};

use super::super::*;
use super::{Function, TARGET, UNIT, ellipsoid, evaluations, rosenbrock, sphere};

#[test]
fn parameters_are_theirs() {
    for (n, population_size) in [(1, 4), (2, 6), (5, 20), (10, 10), (66, 16), (100, 17), (30, 501)]
    {
        let theirs = CMAESOptions::new(vec![0.0; n], 1.0)
            .population_size(population_size)
            .build(|_: &DVector<f64>| 0.0)
            .expect("valid options");
        let theirs = theirs.parameters();
        let ours = Parameters::new(n, population_size, Covariance::Full);
        assert_eq!(ours.mu, theirs.mu());
        let pairs = [
            (ours.mu_eff, theirs.mu_eff()),
            (ours.c_sigma, theirs.cs()),
            (ours.d_sigma, theirs.damp_s()),
            (ours.c_c, theirs.cc()),
            (ours.c_1, theirs.c1()),
            (ours.c_mu, theirs.cmu()),
        ];
        let weights = ours.weights.iter().copied().zip(theirs.weights().iter().copied());
        for (ours, theirs) in pairs.into_iter().chain(weights) {
            assert!((ours - theirs).abs() <= 1e-13 * theirs.abs(), "{n}: {ours}, {theirs}");
        }
    }
}

/// The crate draws; we learn the same candidates and must come to the same distribution. With a population
/// of 20 the crate decomposes the matrix in every generation, as we do. The start is far from the optimum,
/// so that p_c stalls in some generations.
#[test]
fn updates_are_theirs() {
    let (n, population_size) = (5, 20);
    let functions: [(&str, Function); 3] =
        [("sphere", sphere), ("ellipsoid", ellipsoid), ("Rosenbrock", rosenbrock)];
    for (name, f) in functions {
        let start: Vec<f64> = (0..n).map(|i| 0.1 * UNIT * (3.0 + i as f64)).collect();
        let drawn = Rc::new(RefCell::new(Vec::new()));
        let seen = Rc::clone(&drawn);
        let mut theirs = CMAESOptions::new(start.clone(), 5.0)
            .population_size(population_size)
            .seed(1)
            .build(move |x: &DVector<f64>| {
                seen.borrow_mut().push(x.as_slice().to_vec());
                f(x.as_slice())
            })
            .expect("valid options");
        let mut ours =
            SearchDistribution::with_population_size(start, 5.0, Covariance::Full, population_size);
        for generation in 1..=60 {
            assert!(theirs.next().is_none(), "{name}: the crate ends early");
            let mut ranked = drawn.take();
            ranked.sort_by(|a, b| f(a).total_cmp(&f(b)));
            ours.tell(&ranked);

            let context = format!("{name}, generation {generation}");
            let distance = (theirs.sigma() - ours.sigma).abs();
            assert!(distance <= 1e-9 * ours.sigma, "{context}: {}, {}", theirs.sigma(), ours.sigma);
            for (theirs, ours) in theirs.mean().iter().zip(&ours.mean) {
                assert!((theirs - ours).abs() <= 1e-9 * UNIT, "{context}: {theirs}, {ours}");
            }
            let matrix = theirs.covariance_matrix();
            let entries = (0..n).flat_map(|column| (0..=column).map(move |row| (row, column)));
            for (place, ours) in entries.zip(ours.shape.entries()) {
                let scale = (matrix[(place.0, place.0)] * matrix[(place.1, place.1)]).sqrt();
                let theirs = matrix[place];
                assert!((theirs - ours).abs() <= 1e-9 * scale, "{context}: {theirs}, {ours}");
            }
        }
    }
}

/// Over ten seeds each we need at most 1.2 times the evaluations of the crate. With 40 other seeds the ratio
/// was between 0.95 and 1.04 for every ten of them.
#[test]
fn as_fast_as_theirs() {
    // Rosenbrock's function has a second minimum, which neither finds from a small sigma.
    let functions: [(&str, Function, f64, f64); 3] = [
        ("sphere", sphere, 1.0, 0.5),
        ("ellipsoid", ellipsoid, 1.0, 0.5),
        ("Rosenbrock", rosenbrock, 0.0, 0.1),
    ];
    for n in [5, 10] {
        for (name, f, start, sigma) in functions {
            let start = vec![start * UNIT; n];
            let sigma = sigma * UNIT;
            let ours: usize = (1..=10)
                .map(|seed| {
                    let state = SearchDistribution::new(start.clone(), sigma, Covariance::Full);
                    evaluations(state, f, seed, 50_000).expect("solved")
                })
                .sum();
            let theirs: usize =
                (1..=10).map(|seed| their_evaluations(&start, sigma, f, seed)).sum();
            assert!(5 * ours <= 6 * theirs, "{name}, n = {n}: {ours} for {theirs}");
        }
    }
}

fn their_evaluations(start: &[f64], sigma: f64, f: Function, seed: u64) -> usize {
    let mut theirs = CMAESOptions::new(start.to_vec(), sigma)
        .seed(seed)
        .fun_target(TARGET)
        .build(move |x: &DVector<f64>| f(x.as_slice()))
        .expect("valid options");
    let result = theirs.run();
    let best = result.overall_best.expect("an evaluation");
    assert!(best.value <= TARGET, "{:?}: {}", result.reasons, best.value);
    theirs.function_evals()
}
