use ruse_base::stop::{StopReason, Stopped};

use super::*;
use crate::methods::Method;
use crate::methods::method::tests::{Scripted, never};

/// With 64 games, a round has two pairs. The signs are (+, +) and (+, -), so the first points have the larger first
/// coordinate and win. The second coordinate makes no difference. In each coordinate there is no sign of a curvature, so
/// the first goes to the edge of the cube and the second stays; the next width is .95 of the first.
#[test]
fn one_round() {
    let draws = vec![1.0, 1.0, 1.0, 0.0];
    let mut oracle = Scripted::new(draws, never);
    oracle.games_left = 64;
    let mut method = Running::new(vec![3.0, 4.0], QuadraticFitKind { width: 0.5 });
    let done = method.iterate(&mut oracle).expect("games are left");
    assert_eq!(oracle.games_left, 60);
    let joined = done.joined.expect("the round is over");
    assert_eq!(joined.parameters, [3.5, 4.0]);
    assert_eq!(done.step.score().0, 1.0);
    assert_eq!(method.sigma(), Some(0.475));
    let rounds = (1..).map_while(|_| method.iterate(&mut oracle).ok());
    assert_eq!(rounds.filter(|round| round.joined.is_some()).count(), 15);
    assert_eq!(oracle.games_left, 0);
}

/// A round has at least one pair.
#[test]
fn a_budget_of_one_pair_is_a_run() {
    let mut oracle = Scripted::new(Vec::new(), never);
    oracle.games_left = 3;
    let mut method = Running::new(vec![0.0], QuadraticFitKind::default());
    assert!(method.iterate(&mut oracle).expect("two games are left").joined.is_some());
    assert_eq!(method.iterate(&mut oracle), Err(Stopped(StopReason::Games)));
}
