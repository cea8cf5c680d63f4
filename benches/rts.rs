//! Measures the playouts of the real-time strategy game per second and thread. A playout is 100 cycles of RandomBiased,
//! from the start of each map of the paper, and from positions after 300 such cycles. Also measures the cycles per second
//! in games between random players, on maps of 8 x 8 to 64 x 64 cells.
//!
//! The Java program of the paper achieved these numbers of playouts per second (from the start / after 300 cycles) on a
//! quiet machine on which `cargo bench --bench war` ran 270,000 games of its yardstick per second: 8x8-1 59,000 /
//! 17,600; 8x8-2 25,600 / 7,740; 8x8-3 14,800 / 5,260; 8x8-4 10,200 / 3,760; 12x12-1 67,500 / 18,000; 12x12-2 26,000 /
//! 6,210; 12x12-3 15,400 / 2,970; 12x12-4 9,930 / 1,970; 12x12-6 5,600 / 1,010. To compare, run both benchmarks on the
//! same machine, and divide by the ratio of the yardsticks.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ruse::rng::{Label, StreamKey};
use ruse_games::{Game, SampleAction, Seat, Simulate, Turn};
use ruse_rts::{AnyRts, BoardSize, Map, Orders, Policy, Rts, RtsState};

const MAPS: [&str; 9] =
    ["8x8-1", "8x8-2", "8x8-3", "8x8-4", "12x12-1", "12x12-2", "12x12-3", "12x12-4", "12x12-6"];

/// The number of positions in one measurement; one playout starts from each position.
const NUM_GAMES: usize = 64;

fn playouts_per_second(c: &mut Criterion) {
    let mut group = c.benchmark_group("100 cycles of random-biased play");
    group.throughput(Throughput::Elements(NUM_GAMES as u64)).sample_size(20);
    for map in MAPS {
        let game = Rts::on(Map::named(map).expect("a built-in map"));
        let policy = Policy::default();
        let mut rng = StreamKey::root(1).child(Label::Chance, 0).stream();
        let start = game.deal(&mut rng);
        let later = |_| {
            let mut state = start.clone();
            game.play_ahead(&mut state, &policy, 300, &mut rng);
            state
        };
        let later: Vec<RtsState> = (0..NUM_GAMES).map(later).collect();
        for (name, positions) in [("start", vec![start.clone(); NUM_GAMES]), ("after 300", later)] {
            let mut state = start.clone();
            let mut play = || {
                let values = positions.iter().map(|position| {
                    state.clone_from(position);
                    game.play_ahead(&mut state, &policy, 100, &mut rng);
                    game.judge(&state, Seat::First)
                });
                values.sum::<f64>()
            };
            // Checks that the intended game is timed: neither player is much better than the other.
            let mean = play() / NUM_GAMES as f64;
            assert!(mean.abs() < 0.5, "{map}, {name}: {mean}");
            group.bench_function(BenchmarkId::new(name, map), |b| b.iter(|| black_box(play())));
        }
    }
    group.finish();
}

/// The number of cycles after which a measured game stops.
const NUM_CYCLES: u32 = 1_000;

/// The built-in maps, and the files in `experiments/maps`, on which games are measured.
const SIZES: [&str; 6] =
    ["8x8-1", "12x12-1", "16x16-1", "fields-24x24.txt", "valley-32x32.txt", "plains-64x64.xml"];

/// Plays games between random players until they have lasted [`NUM_CYCLES`] cycles together, and returns their number.
fn random_games<S: BoardSize>(game: &Rts<S>) -> u32 {
    let mut rng = StreamKey::root(1).child(Label::Chance, 1).stream();
    let (mut num_games, mut left, mut orders) = (0, NUM_CYCLES, Orders::default());
    while left > 0 {
        let mut state = game.deal(&mut rng);
        num_games += 1;
        while let Turn::Act(seat) = game.turn(&state)
            && state.time() < left
        {
            game.sample_action(&game.view(&state, seat), &mut rng, &mut orders);
            game.apply(&mut state, seat, &orders, &mut rng);
        }
        left = left.saturating_sub(state.time());
    }
    num_games
}

fn cycles_per_second(c: &mut Criterion) {
    let mut group = c.benchmark_group("cycles of random play");
    group.throughput(Throughput::Elements(NUM_CYCLES.into())).sample_size(20);
    for name in SIZES {
        let map = Map::named(name).unwrap_or_else(|| {
            let path = format!("{}/experiments/maps/{name}", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(path).expect("a map in this directory");
            let is_xml = name.ends_with(".xml");
            if is_xml { Map::from_xml(name, &text) } else { Map::from_text(name, &text) }
                .expect("a valid map")
        });
        group.bench_function(name, |b| match AnyRts::on(map.clone()) {
            AnyRts::Small(game) => b.iter(|| black_box(random_games(&game))),
            AnyRts::Large(game) => b.iter(|| black_box(random_games(&game))),
        });
    }
    group.finish();
}

criterion_group!(benches, playouts_per_second, cycles_per_second);
criterion_main!(benches);
