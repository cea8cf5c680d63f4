//! Measures the time to solve matrix games. The payoffs are either uniform random numbers, or random zeros and ones;
//! with zeros and ones, most of the ratios that the simplex method compares are equal.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use rand::RngExt;
use ruse::matrix::PayoffMatrix;
use ruse::rng::StreamKey;

fn solve(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("matrix game");
    group.sample_size(10);
    for size in [32, 66, 100, 200, 300] {
        let mut rng = StreamKey::root(size as u64).stream();
        let uniform = PayoffMatrix::from_fn(size, size, |_, _| rng.random()).expect("finite");
        let bits =
            PayoffMatrix::from_fn(size, size, |_, _| f64::from(u8::from(rng.random::<bool>())));
        let bits = bits.expect("finite");
        for (name, matrix) in [("uniform", uniform), ("zeros and ones", bits)] {
            let found = matrix.solve().expect("solved");
            println!("{name}, {size}: gap {:.1e}", found.gap());
            group.bench_function(BenchmarkId::new(name, size), |b| b.iter(|| matrix.solve()));
        }
    }
    group.finish();
}

criterion_group!(benches, solve);
criterion_main!(benches);
