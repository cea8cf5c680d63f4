//! Measures how long it takes to play pairs of games from rule files in a match: between players that move at random,
//! between two pure strategies, and between two linear strategies with different weights. Random games of the engine
//! alone are also timed, to show how much time a match adds to a game.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ruse::arena::{PairResult, Source, StopSignal};
use ruse::family::Player;
use ruse::registry::Registry;
use ruse::rng::{Label, StreamKey};
use ruse_gdl::{AtCap, DEFAULT_STEPS, Playouts};

const FILES: [&str; 6] = [
    "tic_tac_toe.kif",
    "connect_four.kif",
    "nim.kif",
    "phantom_tic_tac_toe_try_again.kif",
    "pig_20.kif",
    "matching_pennies.kif",
];

const NUM_PAIRS: usize = 100;

fn pairs_per_second(c: &mut Criterion) {
    let mut group = c.benchmark_group("pairs of rule files");
    let registry = Registry::standard();
    for file in FILES {
        group.throughput(Throughput::Elements(2 * NUM_PAIRS as u64)).sample_size(20);
        for (kind, suffix) in [("random", ""), ("seed", ""), ("linear", ":linear")] {
            let family = registry.family(&format!("{file}{suffix}")).expect("it is there");
            let dimension = family.space().dimension();
            let player = |shift: f64| match kind {
                "random" => Player::Named("random".into()),
                _ => Player::Parameters(
                    (0..dimension).map(|i| libm::sin(i as f64) + shift).collect(),
                ),
            };
            let duel = family.duel(&player(0.0), &player(0.5)).expect("players of the family");
            let mut results = [PairResult::default(); NUM_PAIRS];
            let mut first = 0;
            group.bench_function(BenchmarkId::new(kind, file), |b| {
                b.iter(|| {
                    duel.play(StreamKey::root(1), first, &mut results, &StopSignal::default())
                        .expect("not stopped");
                    first += NUM_PAIRS as u64;
                    black_box(results.len())
                });
            });
        }
        let family = registry.family(file).expect("it is there");
        let rules = family.rule_file().expect("a rule file").language_rules();
        let mut playouts = Playouts::new(rules, DEFAULT_STEPS, AtCap::Draw);
        let mut rng = StreamKey::root(1).child(Label::Chance, 0).stream();
        group.throughput(Throughput::Elements(1));
        group.bench_function(BenchmarkId::new("engine", file), |b| {
            b.iter(|| black_box(playouts.play(rules.start(), &mut rng)));
        });
    }
    group.finish();
}

criterion_group!(benches, pairs_per_second);
criterion_main!(benches);
