//! Tests that the memory that methods use does not grow with the number of games or iterations, except for accepted
//! strategies.

use std::convert::Infallible;

use ruse::arena::StopSignal;
use ruse::family::Player;
use ruse::optimise::{self, Budget, IterationRecord, Observer, SearchState, Task, UsualRaces};
use ruse::race::{Operator, RaceSettings};
use ruse::registry::Registry;
use ruse::rng::StreamKey;
use ruse::score::sample;

use crate::allocator::{bytes_in_use, measure_alone};

/// An observer that records the number of bytes in use, and counts the accepted strategies.
#[derive(Default)]
struct Watch {
    early: Option<i64>,
    late: i64,
    num_joined: i64,
    num_iterations: u64,
}

/// The number of iterations after which all buffers have their full size.
const WARM_UP: u64 = 50;

impl Observer for Watch {
    type Error = Infallible;

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        _: &dyn Fn() -> SearchState,
    ) -> Result<(), Infallible> {
        let live = bytes_in_use() as i64;
        self.num_iterations = record.iteration;
        if record.iteration == WARM_UP {
            self.early = Some(live);
            self.num_joined = 0;
        }
        self.num_joined += i64::from(record.joined.is_some());
        self.late = live;
        Ok(())
    }
}

tests! {
    fn memory_is_bounded_for_some_time() = assert_bounded(1000, 3_000_000);
    @long
    fn memory_is_bounded() = assert_bounded(15_000, 3_000_000);
}

/// Runs all methods for the given number of iterations or games, and asserts that memory stays bounded.
fn assert_bounded(iterations: u64, games: u64) {
    let _alone = measure_alone();
    let registry = Registry::standard();
    let family = registry.family("phantom-tic-tac-toe").expect("known");
    let dimension = family.space().dimension() as i64;
    for method in registry.general_methods().filter(|method| method.name() != "seeds") {
        let name = method.name();
        let task = Task {
            family: family.as_ref(),
            races: RaceSettings {
                comparison: Operator::Majority,
                ..UsualRaces::OF_THE_PAPER.settings()
            },
            start: None,
            method: method.clone(),
            budget: Budget {
                iterations: Some(iterations),
                games: Some(games),
                ..Budget::default()
            },
            baseline: Player::Redrawn,
            scored_against: None,
            monitor_pairs: 2,
            wide_responses: None,
            key: StreamKey::root(3),
        };
        let mut watch = Watch::default();
        let result = optimise::run(&task, None, &StopSignal::default(), &mut watch);
        let Ok(_) = result else { panic!("{name}: {:?}", result.err()) };
        assert!(watch.num_iterations > 3 * WARM_UP, "{name}: {}", watch.num_iterations);
        let grown = watch.late - watch.early.expect("it had more iterations");
        // The double oracle stores the scores of 64 members against each other. At this point, some members have not
        // met yet.
        let scores = if name == "double-oracle" { 300_000 } else { 0 };
        // A growing vector may have twice the capacity that it needs.
        let allowed = 2 * watch.num_joined * (8 * dimension + 64) + 200_000 + scores;
        assert!(grown < allowed, "{name}: {grown} bytes, {} accepted", watch.num_joined);
    }

    let morra = registry.family("morra").expect("known");
    let duel = morra.duel(&Player::Redrawn, &Player::Redrawn);
    let duel = duel.expect("contestants of the family");
    let mut live = Vec::new();
    let stop = StopSignal::default();
    let (tally, _) = sample(&duel, StreamKey::root(1), 300_000, &stop, |_| {
        live.push(bytes_in_use() as i64 - 8 * live.capacity() as i64);
    });
    assert_eq!(tally.num_pairs(), 300_000);
    let grown = live[live.len() - 1] - live[live.len() / 2];
    assert!(grown < 50_000, "{grown} bytes for 150 000 pairs");
}
