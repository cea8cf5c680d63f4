use std::cmp::Ordering;
use std::sync::Arc;

use ruse_base::rng::Stream;
use ruse_base::stop::{StopReason, StopSignal, Stopped};
use ruse_games::Payoff;
use ruse_play::family::AnyFamily;
use ruse_registry::Registry;
use ruse_strategies::PairResult;
use ruse_strategies::elo_surface::elo;

use super::*;
use crate::methods::method::tests::{Scripted, never};
use crate::methods::tests::{result_in_all_ways, task};
use crate::methods::{Method, QuadraticFitKind, run};

/// Computed in Python from the formulas of Spall 1998: with 100 steps, A is 10; the last c is .5 and the last a is .001.
#[test]
fn gains_fall_as_they_should() {
    let kind = SpsaKind { perturbation: 0.5, gain: 4.0 };
    for (k, c, step) in [
        (0, 0.796_104_363_525_585_1, 0.005_023_772_863_019_16),
        (9, 0.630_913_767_295_335_3, 0.004_423_116_055_774_292),
        (99, 0.5, 0.002),
    ] {
        let found = kind.gains(k, 100);
        assert!((found.c - c).abs() < 1e-12 && (found.step - step).abs() < 1e-12, "{found:?}");
    }
}

/// The first point of a pair wins both games if its first coordinate is larger, so w is 2 times the first sign. The signs
/// are (1, -1), so theta moves by 2 r c (1, -1). The budget allows one step: c is the perturbation, and r c is .002.
#[test]
fn one_step() {
    let mut oracle = Scripted::new(vec![1.0, 0.0], never);
    oracle.games_left = 3;
    let mut method = Running::new(vec![3.0, 4.0], SpsaKind::default());
    let done = method.iterate(&mut oracle).expect("two games are left");
    assert_eq!(method.memory.theta, [3.004, 3.996]);
    assert_eq!(done.joined.expect("it is the last step").parameters, [3.004, 3.996]);
    assert_eq!(done.step.score().0, 1.0);
    assert_eq!(method.iterate(&mut oracle), Err(Stopped(StopReason::Games)));
}

/// The larger integer wins. With a perturbation of .2, which begins at .43, both points of a step at 3 are 3, unless they are
/// rounded at random: then they differ in at least two of five steps.
#[test]
fn perturbations_below_the_grain_are_learned_from() {
    let play = |players: &[Player], fixture: &Fixture, _: &mut Stream| {
        let value = |index: usize| players[index].parameters().expect("a point")[0].round();
        let won = match value(fixture.a).total_cmp(&value(fixture.b)) {
            Ordering::Greater => Payoff::WIN,
            Ordering::Equal => Payoff::DRAW,
            Ordering::Less => Payoff::LOSS,
        };
        let mut tally = Tally::default();
        tally.add(PairResult { as_first: won, as_second: won });
        tally
    };
    let theta = |grains: Vec<f64>| {
        let mut oracle = Scripted::new(Vec::new(), never).with_games(4000, Box::new(play));
        oracle.grains = grains;
        let mut method = Running::new(vec![3.0], SpsaKind { perturbation: 0.2, gain: 2.0 });
        while method.iterate(&mut oracle).is_ok() {}
        method.memory.theta[0]
    };
    assert_eq!(theta(vec![0.0]), 3.0);
    let moved = theta(vec![1.0]);
    assert!(moved > 3.3, "{moved}");
}

fn elo_surface() -> Arc<dyn AnyFamily> {
    Registry::standard().family("elo-surface").expect("known")
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let family = elo_surface();
    for method in [SpsaKind::default().into_any(), QuadraticFitKind::default().into_any()] {
        let task = || task(family.as_ref(), method.clone(), 5_000, 3);
        assert_eq!(result_in_all_ways(task, &[3]).games, 5_000, "{}", method.name());
    }
}

/// The start is 2 Elo below the top. `examples/one_elo.rs` measures how far below it the champions are.
#[test]
fn one_elo_is_gained() {
    check_gain(2);
}

#[test]
#[ignore = "long"]
fn one_elo_is_gained_with_more_seeds() {
    check_gain(5);
}

fn check_gain(num_seeds: u64) {
    assert_eq!(elo(&[0.0; 4]), -2.0);
    let family = elo_surface();
    for (method, most) in
        [(SpsaKind::default().into_any(), 1.0), (QuadraticFitKind::default().into_any(), 0.5)]
    {
        let losses = (1..=num_seeds).map(|seed| {
            let task = task(family.as_ref(), method.clone(), 100_000, seed);
            let result = run(&task, None, &StopSignal::default(), &mut ()).expect("a run");
            -elo(&result.champion.try_into().expect("four parameters"))
        });
        let mean = losses.sum::<f64>() / num_seeds as f64;
        assert!(mean < most, "{}: {mean}", method.name());
    }
}
