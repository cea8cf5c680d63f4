use ruse_base::stop::Result;
use ruse_play::family::AnyFamily;
use schemars::JsonSchema;

use super::*;
use crate::methods::kind::{MethodInfo, MethodKind, Running};
use crate::methods::method::play_against;
use crate::methods::tests::{Seen, assert_resumable, recorded, task, war};
use crate::methods::{Budget, IterationRecord, RunResult, Task};

/// A method whose incumbents become worse: each iteration plays `pairs` pairs and multiplies the second parameter, by which the best
/// card is played first, by `factor`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
struct Worsens {
    factor: f64,
    pairs: u64,
}

impl MethodKind for Worsens {
    type Memory = Vec<Vec<f64>>;

    fn info(&self) -> MethodInfo<'_> {
        MethodInfo {
            compares: false,
            has_finals: true,
            ..MethodInfo::new("worsens", "becomes worse")
        }
    }

    /// With a negative factor, nothing but the incumbents.
    fn begin(&self, _: &[f64]) -> Vec<Vec<f64>> {
        if self.factor < 0.0 { Vec::new() } else { vec![vec![0.0, 0.0, 0.0], vec![0.0, 0.0, 9.0]] }
    }

    fn finalists(run: &Running<Self>) -> Vec<Vec<f64>> {
        run.memory.clone()
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        let mut parameters = run.last().to_vec();
        parameters[1] *= run.options.factor;
        let baseline = oracle.baseline();
        let tallies = play_against(oracle, baseline, [parameters.clone()], run.options.pairs)?;
        let estimate = tallies[0].estimate().expect("pairs were played");
        let joined = Joined { parameters, against: Against::Baseline };
        let step = Step::Learned { lesson: Lesson::Generation, estimate };
        Ok(Iteration { step, joined: Some(joined) })
    }
}

/// Returns the task of the method on War. A strategy with a large second parameter plays the worst card first, and one
/// with a large third parameter the best card first, which scores about .69 against random parameters.
fn worsening(war: &dyn AnyFamily, start: [f64; 3], method: Worsens, budget: Budget) -> Task<'_> {
    Task { start: Some(start.into()), budget, ..task(war, method.into_any(), 0, 3) }
}

fn worsened(start: [f64; 3], method: Worsens, budget: Budget) -> (RunResult, Seen) {
    recorded(&worsening(&*war(), start, method, budget), None)
}

/// A method that plays 2,200 games in each iteration.
fn by(factor: f64) -> Worsens {
    Worsens { factor, pairs: 1_100 }
}

/// Five iterations of 2,200 games.
const FEW: Budget =
    Budget { games: Some(12_000), iterations: Some(5), stalled: None, time: None, prune: None };

/// A twelfth of 12,000 games are for the finals. In two rounds of 125 pairs, three finalists play, then two. The other 506 games
/// compare the best of them with the start.
#[test]
fn the_best_finalist_is_the_champion() {
    let (result, iterations) = worsened([0.0, 1.0, 0.0], by(2.0), FEW);
    assert_eq!(result.champion, [0.0, 0.0, 9.0]);
    assert_eq!(result.stop_reason, StopReason::Iterations);
    let finals = iterations[6..].iter().map(|(record, _)| record.iteration_games);
    assert_eq!(finals.collect::<Vec<_>>(), [2 * 3 * 41, 2 * 2 * 62, 2 * 2 * 126]);
    let (chosen, _) = &iterations[7];
    assert_eq!(chosen.joined.as_deref(), Some(&[0.0, 0.0, 9.0][..]));
    assert!(matches!(chosen.step, Some(Step::Learned { lesson: Lesson::Finals, .. })));
    assert_eq!(iterations[8].0.joined, None);
}

/// The search ends with a strategy that plays the worst card first and loses to the start.
#[test]
fn the_start_is_the_champion_if_it_is_clearly_better() {
    let (result, iterations) = worsened([0.0, -1.0, 9.0], by(-30.0), FEW);
    assert_eq!(result.champion, [0.0, -1.0, 9.0]);
    // One result of the search needs no contest.
    assert_eq!(iterations.len(), 7);
    assert_eq!(iterations[6].0.iteration_games, 2 * 2 * 250);
}

/// The start and the last incumbent play alike, so their scores are equal.
#[test]
fn the_start_is_not_the_champion_if_it_is_not_better() {
    let (result, _) = worsened([0.0, -5.0, 60.0], by(-1.01), FEW);
    assert!(result.champion[1] > 5.0, "{:?}", result.champion);
}

/// The search gets eleven twelfths of the games, or less if the champion is pruned. Without a limit on the games, there are no
/// finals.
#[test]
fn games_are_reserved() {
    let played = |budget: Budget| {
        let (result, iterations) =
            worsened([0.0, 1.0, 0.0], Worsens { factor: 1.0, pairs: 1 }, budget);
        let is_search = |record: &IterationRecord| {
            matches!(record.step, Some(Step::Learned { lesson: Lesson::Generation, .. }))
        };
        let games = |(record, _): &(IterationRecord, _)| match is_search(record) {
            true => record.iteration_games,
            false => 0,
        };
        (iterations.iter().map(games).sum::<u64>(), result.games)
    };
    let games = |games| Budget { games, iterations: None, ..FEW };
    // The contest has two rounds of 12 pairs: three finalists play 4 each, then two play 6 each. 52 games are left.
    assert_eq!(played(games(Some(1_200))), (1_100, 1_100 + 2 * 12 + 2 * 12 + 52));
    assert_eq!(played(games(Some(11))), (10, 10));
    assert_eq!(played(Budget { games: None, ..FEW }), (10, 10));
    // A search of 10 games that ends early has finals of one game, which do not suffice.
    assert_eq!(played(FEW), (10, 10));
    let (searched, all) = played(Budget { prune: Some(0.5), ..games(Some(1_200)) });
    assert_eq!(searched, 500);
    assert!((590..=1_200).contains(&all), "{all}");
}

/// A run that is resumed in any phase continues with the same result.
#[test]
fn each_phase_can_be_resumed() {
    let budget = Budget { games: Some(4_000), prune: Some(0.4), ..FEW };
    let (war, method) = (war(), Worsens { factor: 1.5, pairs: 200 });
    assert!(assert_resumable(&worsening(&*war, [2.0, 3.0, 0.0], method, budget)) >= 9);
}
