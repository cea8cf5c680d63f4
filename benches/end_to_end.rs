//! Measures the cost of reaching a target score from a fresh start: the number of games and seconds until the incumbent
//! of a run first has this score against the redrawn baseline, over 1000 pairs.
//!
//! `cargo bench --bench end_to_end` prints one row for each family and method; to limit the rows to some families, name
//! these families after `--`. A row shows the median of three seeds. Games that only measure the score are not counted.
//! The time is the wall-clock time that a user waits, including the time for scoring. Criterion is not used, because a
//! run is too long to be repeated.

use std::time::{Duration, Instant};

use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::optimise::{self, Budget, IterationRecord, Observer, SearchState, Task, UsualRaces};
use ruse::race::{Operator, RaceSettings};
use ruse::registry::{DEFAULT_METHOD, Registry};
use ruse::rng::StreamKey;

/// The families, each with the score to reach.
const TARGETS: [(&str, f64); 4] =
    [("war", 0.66), ("guess-who", 0.74), ("cheat", 0.80), ("morra", 0.53)];
const METHODS: [&str; 2] = [DEFAULT_METHOD, "iterative"];
/// The seeds of the runs. Their number is odd, so that one of the runs is the median.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;
const MONITOR_PAIRS: u64 = 1000;
/// The time after which a run counts as not having reached the target.
const TIME_LIMIT: Duration = Duration::from_secs(15);

/// An observer that ends a run once it has reached the target.
struct Watch {
    target: f64,
}

/// Reports that a run has reached the target after `games` games, and ends the run.
#[derive(Debug)]
struct Reached {
    games: u64,
}

impl Observer for Watch {
    type Error = Reached;

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        _: &dyn Fn() -> SearchState,
    ) -> Result<(), Reached> {
        match record.baseline_score {
            Some(estimate) if estimate.score >= self.target => Err(Reached { games: record.games }),
            _ => Ok(()),
        }
    }
}

/// Carries out a run. Returns the number of games and the seconds to the target, or `None` if it was not reached.
fn run(
    registry: &Registry,
    name: &str,
    target: f64,
    method: &str,
    seed: u64,
) -> Option<(u64, f64)> {
    let family = registry.family(name).expect("a standard family");
    let task = Task {
        family: family.as_ref(),
        races: RaceSettings { comparison: Operator::ALL[0], ..UsualRaces::OF_THE_PAPER.settings() },
        start: None,
        method: registry.method(method).expect("a known method"),
        budget: Budget {
            games: Some(family.info().default_budget),
            time: Some(TIME_LIMIT),
            ..Budget::default()
        },
        baseline: Player::Redrawn,
        scored_against: None,
        monitor_pairs: MONITOR_PAIRS,
        wide_responses: None,
        key: StreamKey::root(seed),
    };
    let started = Instant::now();
    match optimise::run(&task, None, &StopSignal::default(), &mut Watch { target }) {
        Err(optimise::RunError::Observer(Reached { games })) => {
            Some((games, started.elapsed().as_secs_f64()))
        }
        Err(_) | Ok(_) => None,
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --benches` also runs benches, but only to check that they start.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let wanted: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let registry = Registry::standard();
    println!("family     target  method      reached       games  seconds");
    for (name, target) in TARGETS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| *wanted == name) {
            continue;
        }
        for method in METHODS {
            let mut runs: Vec<(u64, f64)> =
                SEEDS.filter_map(|seed| run(&registry, name, target, method, seed)).collect();
            runs.sort_by_key(|&(games, _)| games);
            let num_runs = SEEDS.count();
            let start =
                format!("{name:10} {target:6.2}  {:10}  {:>2} of {num_runs}", method, runs.len());
            // A run that did not reach the target counts as longer than all others.
            match runs.get(num_runs / 2) {
                Some((games, seconds)) => println!("{start}  {games:10}  {seconds:7.2}"),
                None => println!("{start}           -        -"),
            }
        }
    }
}
