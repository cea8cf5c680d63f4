use ruse_play::family::AnyFamily;

use super::*;
use crate::methods::later::Later;
use crate::methods::tests::{Seen, assert_resumable, recorded, task, war};
use crate::methods::{Budget, MethodKind, OnePlusOneKind, RunResult, Task, UsualRaces};

/// Returns the task of the naive method on War from `start`, with no iteration of the method.
fn pruning<'a>(war: &'a dyn AnyFamily, start: &[f64], budget: Budget) -> Task<'a> {
    Task {
        races: UsualRaces::OF_THE_PAPER.settings(),
        start: Some(start.to_vec()),
        budget,
        monitor_pairs: 10,
        ..task(war, OnePlusOneKind::Naive.into_any(), 0, 3)
    }
}

fn pruned(start: &[f64], budget: Budget) -> (RunResult, Seen) {
    recorded(&pruning(&*war(), start, budget), None)
}

/// Half of 40,000 games are for the search, which does nothing, and the other half for the pruning.
const HALF: Budget = Budget {
    games: Some(40_000),
    iterations: Some(0),
    stalled: None,
    time: None,
    prune: Some(0.5),
};

/// With B = 6 and C = 5, the strategy plays the worst card first in three of four piles. Without B it nearly always
/// plays the best card first, which scores about .69 against random parameters.
#[test]
fn a_harmful_group_is_set_to_zero_and_a_good_one_stays() {
    let (result, iterations) = pruned(&[0.0, 6.0, 5.0], HALF);
    assert_eq!(result.champion, [0.0, 0.0, 5.0]);
    assert_eq!(result.stop_reason, StopReason::Iterations);
    assert!((10_000..=20_000).contains(&result.games), "{}", result.games);
    // A is 0, so two variants and the champion play half of the games: 1,666 pairs each.
    let (order, _) = &iterations[1];
    assert_eq!(order.iteration_games, 3 * 2 * 1_666);
    assert!(matches!(order.step, Some(Step::Learned { lesson: Lesson::Ablation, .. })));
    let (race, _) = &iterations[2];
    assert_eq!(race.joined.as_deref(), Some(&[0.0, 0.0, 5.0][..]));
    assert_eq!(race.against, Some(Against::Baseline));
    // Next, the new champion races against the variant without C, which plays at random.
    assert_eq!(iterations[3].0.joined, None);
    assert_eq!(iterations.len(), 4);
}

#[test]
fn without_the_phase_nothing_is_pruned() {
    let (result, iterations) = pruned(&[0.0, 6.0, 5.0], Budget { prune: None, ..HALF });
    assert_eq!((result.games, iterations.len()), (0, 1));
    assert_eq!(result.champion, [0.0, 6.0, 5.0]);
}

/// If all parameters are 0 or the games do not suffice for a pair of each variant, the phase ends at once.
#[test]
fn a_phase_without_groups_or_games_ends() {
    assert_eq!(pruned(&[0.0; 3], HALF).0.games, 0);
    let tiny = Budget { games: Some(20), ..HALF };
    assert_eq!(pruned(&[1.0, 6.0, 5.0], tiny).0.games, 0);
}

/// A run that is resumed within the phase continues with the same result.
#[test]
fn the_phase_can_be_resumed() {
    assert_resumable(&pruning(&*war(), &[0.0, 6.0, 5.0], HALF));
}

#[test]
fn a_state_that_does_not_fit_is_refused() {
    let start = vec![0.0, 6.0, 5.0];
    let begun = |num_joined, champion| {
        let (last_game, search_end) = (40_000, StopReason::Games);
        Later::Prune(Pruning::new(Ended { champion, last_game, num_joined, search_end }))
    };
    let own = begun(1, start.clone()).before(vec![start.clone(), start.clone()]);
    assert!(own.is_ok_and(|own| own.len() == 1));
    for damaged in [
        begun(0, start.clone()),
        begun(2, start.clone()),
        begun(1, vec![1.0]),
        begun(1, vec![0.0, f64::NAN, 1.0]),
    ] {
        assert!(damaged.before(vec![start.clone()]).is_err(), "{damaged:?}");
    }
}
