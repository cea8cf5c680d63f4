//! Measures the games per second of every family, on one thread, between strategies with Gaussian parameters.

mod workload;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ruse::registry::Registry;
use workload::{Workload, expected_outcomes};

fn games_per_second(c: &mut Criterion) {
    let registry = Registry::standard();
    let mut group = c.benchmark_group("families");
    group.sample_size(20);
    for family in registry.families() {
        let mut workload = Workload::new(family);
        // Checks the timed games against the reviewed outcomes.
        let expected = expected_outcomes(family.name());
        assert_eq!(Some(workload.play()), expected, "{}", family.name());
        group.throughput(Throughput::Elements(workload.num_games()));
        group.bench_function(family.name(), |b| b.iter(|| workload.play()));
    }
    group.finish();
}

criterion_group!(benches, games_per_second);
criterion_main!(benches);
