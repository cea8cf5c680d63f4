//! Measures how long blocks of pairs take on one thread and on all threads, which shows how a race scales.
//!
//! A race hands out blocks of 64 to 4096 pairs, and waits for the last pair of each block. The shorter the games, the
//! larger a block must be before additional threads gain more time than their coordination costs.

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ruse::arena::{PairResult, StopSignal, play_in_parallel};
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::speed::gaussian_duels;

/// The families, ordered by the length of their games, each with the size of the largest timed block.
const FAMILIES: [(&str, usize); 3] = [("guess-who", 4096), ("war", 4096), ("cheat", 512)];
const BLOCKS: [usize; 3] = [64, 512, 4096];

fn blocks_of_pairs(c: &mut Criterion) {
    let registry = Registry::standard();
    let num_threads = std::thread::available_parallelism().map_or(1, usize::from);
    let pools = [1, num_threads].map(|num_threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
        pool.expect("threads can be started")
    });
    for (name, largest) in FAMILIES {
        let family = registry.family(name).expect("a standard family");
        let duel = &gaussian_duels(family.as_ref())[0];
        let mut group = c.benchmark_group(format!("scaling, {name}"));
        for block in BLOCKS.into_iter().filter(|&block| block <= largest) {
            let mut results = vec![PairResult::default(); block];
            group.sample_size(20).throughput(Throughput::Elements(block as u64));
            for pool in &pools {
                let num_threads = pool.current_num_threads();
                let id = BenchmarkId::new(format!("{block} pairs"), num_threads);
                let stop = StopSignal::default();
                let mut play =
                    || play_in_parallel(duel, StreamKey::root(1), 0, &mut results, &stop);
                group.bench_function(id, |b| pool.install(|| b.iter(&mut play)));
            }
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = blocks_of_pairs
}
criterion_main!(benches);
