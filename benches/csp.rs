//! Measures how long it takes to find all solutions of constraint networks, by maintaining arc consistency (MAC) and by
//! forward checking. The networks are queens problems and random networks. In a random network, each table lists the
//! pairs of values that two variables may have.

use std::hint::black_box;
use std::ops::ControlFlow;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use rand::{Rng, RngExt};
use ruse::rng::StreamKey;
use ruse::strategies::search::csp::{Consistency, Constraint, Network, Order, Solver, VariableId};

/// Creates a network of `num_variables` variables with `size` values each. `tables` returns the allowed pairs of values
/// of two variables, or `None` if all pairs are allowed.
fn network(
    num_variables: u16,
    size: u16,
    mut tables: impl FnMut(u16, u16) -> Option<Box<[u16]>>,
) -> Network {
    let mut network = Network::default();
    (0..num_variables).for_each(|_| _ = network.add_variable(size));
    for x in 0..num_variables {
        for y in x + 1..num_variables {
            if let Some(tuples) = tables(x, y) {
                let scope = [VariableId(x.into()), VariableId(y.into())].into();
                network.constraints.push(Constraint::Table { scope, tuples });
            }
        }
    }
    network
}

fn pairs(size: u16, mut is_allowed: impl FnMut(u16, u16) -> bool) -> Box<[u16]> {
    let all = (0..size).flat_map(|a| (0..size).map(move |b| [a, b]));
    all.filter(|&[a, b]| is_allowed(a, b)).flatten().collect()
}

fn queens(n: u16) -> Network {
    network(n, n, |x, y| Some(pairs(n, |a, b| a != b && a.abs_diff(b) != y - x)))
}

/// Draws a network of 15 variables with 8 values each. Each pair of variables has a table with probability .4, and a
/// table allows each pair of values with probability .55. A network with 42 tables, the expected number, has 8^15 *
/// .55^42 = 440 solutions on average.
fn random(rng: &mut impl Rng) -> Network {
    network(15, 8, |_, _| rng.random_bool(0.4).then(|| pairs(8, |_, _| rng.random_bool(0.55))))
}

fn count(solver: &mut Solver, variables: &[VariableId]) -> u64 {
    let mut num_solutions = 0;
    solver.reset_weights();
    let _: ControlFlow<()> = solver.search(variables, Order::DomWdeg, |_| {
        num_solutions += 1;
        ControlFlow::Continue(())
    });
    num_solutions
}

fn solutions_per_second(c: &mut Criterion) {
    let mut group = c.benchmark_group("solutions of networks");
    let mut rng = StreamKey::root(1).stream();
    let networks = [
        ("queens 8", vec![queens(8)]),
        ("queens 10", vec![queens(10)]),
        ("10 random", (0..10).map(|_| random(&mut rng)).collect()),
    ];
    for (name, networks) in &networks {
        for (method, consistency) in [("mac", Consistency::Arc), ("fc", Consistency::Forward)] {
            let mut solvers: Vec<Solver> =
                networks.iter().map(|network| Solver::with(network, consistency)).collect();
            let variables: Vec<VariableId> =
                (0..networks[0].num_variables() as u32).map(VariableId).collect();
            let num: u64 = solvers.iter_mut().map(|solver| count(solver, &variables)).sum();
            group.throughput(Throughput::Elements(num)).sample_size(20);
            group.bench_function(BenchmarkId::new(method, name), |b| {
                b.iter(|| {
                    for solver in &mut solvers {
                        black_box(count(solver, &variables));
                    }
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, solutions_per_second);
criterion_main!(benches);
