//! Measures the cost of a decision in a (1+1) evolution strategy, on all threads, and the playouts of planners, on one.
//!
//! The program prints once how many games a decision takes with Bernstein races and with betting races, over the first
//! twenty iterations from Gaussian starts. These counts are the same on every machine. The timed iterations use betting
//! races, because they take few enough games to be repeated.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ruse::arena::StopSignal;
use ruse::family::{AnyFamily, PlannerOf, Player};
use ruse::race::{Limits, Operator};
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::speed::{Decisions, decisions};
use ruse::strategies::PlannerSettings;

/// The families, each with the number of decisions over which games are counted. Counting takes a few seconds per
/// family.
const FAMILIES: [(&str, u64); 4] = [("war", 20), ("guess-who", 40), ("cheat", 10), ("morra", 40)];
const TIMED_DECISIONS: u64 = 5;

fn decide(family: &dyn AnyFamily, comparison: Operator, num: u64) -> Decisions {
    /// A time limit that no measurement reaches.
    const NO_LIMIT: Duration = Duration::from_secs(3600);
    let stop = StopSignal::default();
    decisions(family, comparison, Limits::default(), NO_LIMIT, num, &stop).0
}

fn time_per_iteration(c: &mut Criterion) {
    let registry = Registry::standard();
    let families =
        FAMILIES.map(|(name, num)| (registry.family(name).expect("a standard family"), num));
    println!("games per decision   bernstein     betting");
    for (family, num) in &families {
        let [bernstein, betting] = [Operator::Bernstein, Operator::Betting].map(|comparison| {
            decide(family.as_ref(), comparison, *num).games_per_decision().unwrap_or(0.0)
        });
        println!("{:18} {bernstein:11.0} {betting:11.0}", family.name());
    }
    let mut group = c.benchmark_group("decisions");
    group.sample_size(10).throughput(Throughput::Elements(TIMED_DECISIONS));
    for (family, _) in &families {
        group.bench_function(family.name(), |b| {
            b.iter(|| decide(family.as_ref(), Operator::Betting, TIMED_DECISIONS));
        });
    }
    group.finish();
}

/// Measures the playouts of a planner in a pair of games against a known strategy.
fn playouts_of_planners(c: &mut Criterion) {
    let (registry, stop) = (Registry::standard(), StopSignal::default());
    let mut group = c.benchmark_group("planner");
    group.sample_size(10);
    for (name, against) in [
        ("war", "descending"),
        ("cheat", "draw-rule"),
        ("flip", "blocking"),
        ("guess-who", "ol"),
        ("nim", "random"),
    ] {
        let family = registry.family(name).expect("a standard family");
        let (against, settings) = (Player::Named(against.into()), PlannerSettings::new(50));
        let (base, name) = (Player::Named("random".into()), settings.name());
        let of = PlannerOf { name, against: Some(against.clone()), base: Some(base), settings };
        let planner = Player::Planner(Box::new(of));
        let league = family.league(&[&planner, &against]).expect("players of the family");
        let play = || {
            let pair = league.play_thinking(0, 1, StreamKey::root(1), 0, &stop);
            pair.expect("not stopped").1[0].effort.playouts
        };
        group.throughput(Throughput::Elements(play()));
        group.bench_function(family.name(), |b| b.iter(play));
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = time_per_iteration, playouts_of_planners
}
criterion_main!(benches);
