//! Observers for tests.

use std::convert::Infallible;
use std::sync::Arc;

use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_play::family::{AnyFamily, Player};
use ruse_play::race::{Operator, RaceSettings};
use ruse_registry::Registry;

use super::{
    AnyMethod, Budget, IterationRecord, Observer, Resumption, RunResult, SearchState, Task,
    UsualRaces, run,
};

pub(crate) fn war() -> Arc<dyn AnyFamily> {
    Registry::standard().family("war").expect("known")
}

/// Returns the task of a method against the baseline, with betting races. The run starts at zero.
pub(crate) fn task(
    family: &dyn AnyFamily,
    method: Arc<dyn AnyMethod>,
    games: u64,
    seed: u64,
) -> Task<'_> {
    let races = UsualRaces::OF_THE_PAPER.settings();
    Task {
        family,
        races: RaceSettings { comparison: Operator::Betting, ..races },
        start: Some(vec![0.0; family.space().dimension()]),
        method,
        budget: Budget { games: Some(games), ..Budget::default() },
        baseline: Player::Redrawn,
        scored_against: None,
        monitor_pairs: 1,
        wide_responses: None,
        key: StreamKey::root(seed),
    }
}

/// Checks that a task has the same result with one thread, with three threads, and after interruptions, whose last
/// iterations are `stops`. Returns the result.
pub(crate) fn result_in_all_ways<'a>(
    task: impl Fn() -> Task<'a> + Sync,
    stops: &[usize],
) -> RunResult {
    let resumed_from =
        |resumption, num_threads| in_threads(num_threads, || recorded(&task(), resumption));
    let (expected, seen) = resumed_from(None, 1);
    assert_eq!(resumed_from(None, 3).0, expected);
    for &last in stops {
        assert_eq!(resumed_from(Some(resumption_after(&seen[..=last])), 2).0, expected);
    }
    expected
}

/// The records and states of all iterations of a run.
pub(crate) type Seen = Vec<(IterationRecord, SearchState)>;

/// Runs a task that does not fail.
pub(crate) fn recorded(task: &Task<'_>, resumption: Option<Resumption>) -> (RunResult, Seen) {
    let mut recorder = Recorder::default();
    let result = run(task, resumption, &StopSignal::default(), &mut recorder).expect("it runs");
    (result, recorder.seen)
}

/// Returns the point at which a run with these iterations continues. The state has been text, as in a checkpoint.
pub(crate) fn resumption_after(seen: &[(IterationRecord, SearchState)]) -> Resumption {
    let (_, state) = seen.last().expect("it has begun");
    let state = serde_json::to_string(state).expect("plain data");
    Resumption {
        state: serde_json::from_str(&state).expect("as it was written"),
        population: seen.iter().filter_map(|(record, _)| record.joined.clone()).collect(),
        answers: seen.iter().flat_map(|(record, _)| record.answers.clone()).collect(),
    }
}

/// Checks that a run that is resumed after any iteration continues with the same result. Returns the number of
/// iterations.
pub(crate) fn assert_resumable(task: &Task<'_>) -> usize {
    let (expected, iterations) = recorded(task, None);
    for index in 0..iterations.len() {
        let resumption = resumption_after(&iterations[..=index]);
        let (resumed, rest) = recorded(task, Some(resumption));
        assert_eq!(resumed, expected, "after iteration {index}");
        assert_eq!(rest, iterations[index + 1..], "after iteration {index}");
    }
    iterations.len()
}

/// Keeps the records and states of all iterations, and the remarks.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) seen: Seen,
    pub(crate) remarks: Vec<String>,
}

impl Observer for Recorder {
    type Error = Infallible;

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &dyn Fn() -> SearchState,
    ) -> Result<(), Infallible> {
        self.seen.push((record.clone(), state()));
        Ok(())
    }

    fn on_remark(&mut self, remark: &str) {
        self.remarks.push(remark.into());
    }
}

/// Checks that numbers differ by less than 1e-12.
pub(crate) fn assert_close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    for (x, y) in found.iter().zip(expected) {
        assert!((x - y).abs() < 1e-12, "{found:?} for {expected:?}");
    }
}

/// Does the work in a pool with this number of threads.
pub(crate) fn in_threads<T: Send>(num_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
    pool.expect("there are threads").install(work)
}
