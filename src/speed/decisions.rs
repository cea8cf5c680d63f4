//! Measures the games per decision, and the decisions per second, of a (1+1) evolution strategy.

use std::convert::Infallible;
use std::time::{Duration, Instant};

use ruse_base::rng::StreamKey;
use ruse_base::stop::{Result, StopReason, StopSignal, Stopped};
use ruse_optimise::methods::{
    self, Budget, IterationRecord, MethodKind, Observer, OnePlusOneKind, Progress, SearchState,
    Task, UsualRaces,
};
use ruse_play::family::{AnyFamily, Player};
use ruse_play::race::{Limits, Operator, RaceSettings};

use super::Timed;
use super::process::Stopwatch;

/// The number of iterations of a run before the next one starts. Later, steps are small and decisions slow.
const RUN_ITERATIONS: u64 = 20;

/// The decisions of the iterative method, which races a Gaussian mutation against the incumbent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Decisions {
    /// The number of races that reached a verdict.
    pub num_decisions: u64,
    /// The number and the time of all games, including an unfinished race at the end.
    pub timed: Timed,
}

impl Decisions {
    /// Returns the games per decision, or `None` before the first decision. The unfinished race at the end counts, so
    /// that long races are not underrepresented.
    pub fn games_per_decision(&self) -> Option<f64> {
        (self.num_decisions > 0).then(|| self.timed.games as f64 / self.num_decisions as f64)
    }

    /// Returns the decisions per second, or `None` before the first decision.
    pub fn decisions_per_s(&self) -> Option<f64> {
        (self.num_decisions > 0).then(|| self.num_decisions as f64 / self.timed.elapsed_s)
    }
}

/// Counts the decisions and games of a run.
#[derive(Default)]
struct Counter {
    num_decisions: u64,
    games: u64,
}

impl Observer for Counter {
    type Error = Infallible;

    fn on_progress(&mut self, progress: Progress) {
        self.games = progress.games;
    }

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        _: &dyn Fn() -> SearchState,
    ) -> Result<(), Infallible> {
        self.num_decisions += u64::from(record.step.is_some());
        self.games = record.games;
        Ok(())
    }
}

/// Runs the iterative method for about `time`, and at most `max_decisions` decisions, on all threads of the current
/// pool. Each run has up to twenty iterations and its own Gaussian start.
///
/// Returns the measurement; if stopped, the measurement so far, with an error.
pub fn decisions(
    family: &dyn AnyFamily,
    comparison: Operator,
    limits: Limits,
    time: Duration,
    max_decisions: u64,
    stop: &StopSignal,
) -> (Decisions, Result) {
    let (started, watch) = (Instant::now(), Stopwatch::start());
    let mut decisions = Decisions::default();
    for seed in 1.. {
        let left = max_decisions - decisions.num_decisions;
        let task = Task {
            family,
            races: RaceSettings { comparison, limits, ..UsualRaces::OF_THE_PAPER.settings() },
            start: None,
            method: OnePlusOneKind::Iterative.into_any(),
            budget: Budget {
                iterations: Some(RUN_ITERATIONS.min(left)),
                time: Some(time.saturating_sub(started.elapsed())),
                ..Budget::default()
            },
            baseline: Player::Redrawn,
            scored_against: None,
            // Scoring new incumbents would take time.
            monitor_pairs: 0,
            wide_responses: None,
            key: StreamKey::root(seed),
        };
        let mut counter = Counter::default();
        let result = methods::run(&task, None, stop, &mut counter);
        let result = result.expect("nothing is resumed, and the observer does not fail");
        decisions.num_decisions += counter.num_decisions;
        decisions.timed = watch.timed(decisions.timed.games + counter.games);
        match result.stop_reason {
            StopReason::Interrupted => return (decisions, Err(Stopped(StopReason::Interrupted))),
            StopReason::Iterations if decisions.num_decisions < max_decisions => {}
            _ => break,
        }
    }
    (decisions, Ok(()))
}

#[cfg(test)]
mod tests {
    use ruse_registry::Registry;

    use super::*;

    #[test]
    fn every_decision_and_game_is_counted() {
        let family = Registry::standard().family("guess-who").expect("known");
        let limits = Limits::default();
        let minute = Duration::from_secs(60);
        let stop = StopSignal::default();
        let (found, stopped) =
            decisions(family.as_ref(), Operator::Majority, limits, minute, 25, &stop);
        assert_eq!(stopped, Ok(()));
        // A majority takes 51 pairs, which are 102 games.
        assert_eq!((found.num_decisions, found.timed.games), (25, 25 * 102));
        assert_eq!(found.games_per_decision(), Some(102.0));
    }

    #[test]
    fn no_decisions_have_no_mean() {
        let family = Registry::standard().family("guess-who").expect("known");
        let none = Duration::ZERO;
        let stop = StopSignal::default();
        let (found, stopped) =
            decisions(family.as_ref(), Operator::Bernstein, Limits::default(), none, 9, &stop);
        assert_eq!(stopped, Ok(()));
        assert_eq!((found.num_decisions, found.games_per_decision()), (0, None));
        assert_eq!(found.decisions_per_s(), None);
    }
}
