use std::sync::Arc;

use ruse_base::stop::StopSignal;
use ruse_games::BySeat;
use ruse_play::family::{AnyFamily, Player};
use ruse_registry::Registry;
use ruse_search::Decisions;
use ruse_strategies::certificate::Work;

use super::*;
use crate::methods::tests::{assert_close, recorded, result_in_all_ways, resumption_after};
use crate::methods::{RunError, Task, run};

const NO_BRAKES: Brakes = Brakes { entropy: 0.0, magnet: 0.0 };

/// Returns a game in which only the first seat decides, between actions with these features.
fn episode(features: &[&[(usize, f64)]], taken: usize, payoff: Payoff) -> Episode {
    let mut first = Decisions::default();
    for action in features {
        action.iter().for_each(|&(index, factor)| first.add_feature(index, factor));
        first.end_action();
    }
    first.end_decision(taken);
    Episode { payoff, decisions: BySeat { first, second: Decisions::default() } }
}

/// Calculated by hand. All payoffs are one standard deviation (1/2) above one half, so R = 1. First the critic knows
/// nothing: the gradient is f(a) - f = (1/2, -1/2). Afterwards w = (.1, 0), and the mean of the seat is .1, so that
/// q = (.2, .1): the gradient is 1/2 (.05, -.05) + .8 (1/2, -1/2) = (.425, -.425). After one more game w = (.18, 0), the
/// mean is .19, and q = (.37, .19): the gradient is 1/2 (.09, -.09) + .63 (1/2, -1/2) = (.36, -.36).
#[test]
fn two_gradients() {
    let won = episode(&[&[(0, 1.0)], &[(1, 1.0)]], 0, Payoff::WIN);
    let mut learner = PolicyGradient::new(vec![0.0; 2]);
    assert_close(&learner.gradient(std::slice::from_ref(&won), NO_BRAKES), &[0.5, -0.5]);
    assert_close(&learner.critic.weights, &[0.1, 0.0]);
    assert_close(&learner.critic.means, &[0.1, -0.1]);
    assert_close(&learner.gradient(&[won.clone(), won], NO_BRAKES), &[0.3925, -0.3925]);
}

/// Whatever the critic predicts, the mean of the gradient over the actions is the gradient of the expected payoff. Two
/// actions share a feature.
#[test]
fn the_gradient_is_unbiased() {
    let features: [&[(usize, f64)]; 3] = [&[(0, 1.0)], &[(1, 0.5), (0, -0.5)], &[(1, -2.0)]];
    let payoffs = [Payoff::WIN, Payoff::LOSS, Payoff::DRAW];
    let theta = [0.4, -0.3];
    let probabilities = |theta: &[f64]| {
        let mut scores = Vec::new();
        let game = episode(&features, 0, Payoff::WIN);
        let decision = game.decisions.first.iter().next().expect("one");
        decision.scores(theta, &mut scores);
        normalise(&mut scores);
        scores.iter().map(|score| libm::exp(*score)).collect::<Vec<_>>()
    };
    // Payoffs are divided by their standard deviation, one half.
    let expected = |theta: &[f64]| -> f64 {
        probabilities(theta).iter().zip(payoffs).map(|(p, payoff)| p * centred(payoff) / 0.5).sum()
    };
    for weights in [[0.0, 0.0], [0.7, -1.5]] {
        let mut mean = [0.0; 2];
        for (taken, probability) in probabilities(&theta).into_iter().enumerate() {
            let mut learner = PolicyGradient::new(theta.to_vec());
            learner.critic.weights = weights.to_vec();
            learner.critic.means = [0.3, 0.0];
            // Many won games fix the standard deviation at one half.
            (learner.num_games, learner.critic.sum_of_squares) =
                (1 << 50, 0.25 * (1_u64 << 50) as f64);
            let game = episode(&features, taken, payoffs[taken]);
            let gradient = learner.gradient(&[game], NO_BRAKES);
            mean.iter_mut().zip(gradient).for_each(|(sum, g)| *sum += probability * g);
        }
        for (index, mean) in mean.into_iter().enumerate() {
            let [up, down] = [1e-5, -1e-5].map(|step| {
                let mut moved = theta;
                moved[index] += step;
                expected(&moved)
            });
            assert!((mean - (up - down) / 2e-5).abs() < 1e-8, "{weights:?}: {mean}");
        }
    }
}

/// With a payoff that says nothing, the gradient is the gradient of entropy x H - magnet x KL, by finite differences.
#[test]
fn the_entropy_and_the_magnet_hold_the_strategy_back() {
    let features: [&[(usize, f64)]; 3] = [&[(0, 1.0)], &[(1, 0.5), (0, -0.5)], &[(1, -2.0)]];
    let game = episode(&features, 1, Payoff::DRAW);
    let magnet = [-0.2, 0.5];
    let logs = |theta: &[f64]| {
        let mut scores = Vec::new();
        game.decisions.first.iter().next().expect("one").scores(theta, &mut scores);
        normalise(&mut scores);
        scores
    };
    let brakes = Brakes { entropy: 0.7, magnet: 0.3 };
    let objective = |theta: &[f64]| -> f64 {
        let (own, other) = (logs(theta), logs(&magnet));
        let of_action = |(own, other): (&f64, &f64)| {
            -libm::exp(*own) * (brakes.entropy * own + brakes.magnet * (own - other))
        };
        own.iter().zip(&other).map(of_action).sum()
    };
    let theta = [0.4, -0.3];
    let mut learner = PolicyGradient::new(theta.to_vec());
    learner.magnet = magnet.to_vec();
    let gradient = learner.gradient(std::slice::from_ref(&game), brakes);
    for (index, found) in gradient.into_iter().enumerate() {
        let [up, down] = [1e-5, -1e-5].map(|step| {
            let mut moved = theta;
            moved[index] += step;
            objective(&moved)
        });
        assert!((found - (up - down) / 2e-5).abs() < 1e-8, "{index}: {found}");
    }
}

fn family(name: &str, suffix: &str) -> Arc<dyn AnyFamily> {
    let text = ruse_gdl::rule_file(name).expect("a file of the engine").text;
    let registry = Registry::standard();
    registry
        .family_from(&format!("{name}.kif{suffix}"), text.as_bytes())
        .expect("the file is right")
}

fn task(family: &dyn AnyFamily, games: u64, seed: u64) -> Task<'_> {
    crate::methods::tests::task(family, PolicyGradientKind::default().into_any(), games, seed)
}

fn champion(family: &dyn AnyFamily, games: u64) -> Player {
    let result = run(&task(family, games, 1), None, &StopSignal::default(), &mut ());
    let result = result.expect("nothing can fail");
    assert_eq!(result.games, games);
    Player::from(result.champion)
}

/// In Kuhn poker, uniform play has the exploitability .917 / 8 = .115: NashConv is .916667 chips (spec of OpenSpiel),
/// and a chip is a quarter of the range of payoffs for each of two seats.
#[test]
fn self_play_approaches_the_equilibrium_of_kuhn_poker() {
    let family = family("kuhn_poker", ":table");
    let exploitability = |player: &Player| {
        let found = family.certificate(player, &Work::brief()).expect("of the family");
        let [low, high] = found.expect("it is small").score();
        assert_eq!(low, high);
        high - 0.5
    };
    let uniform = exploitability(&Player::from(vec![0.0; family.space().dimension()]));
    assert!((uniform - 0.916_667 / 8.0).abs() < 1e-6, "{uniform}");
    let learned = exploitability(&champion(&*family, 20_000));
    assert!(learned < 0.02, "{learned}");
}

#[test]
fn every_kind_of_log_linear_family_learns() {
    let registry = Registry::standard();
    for name in registry.families_with_self_play() {
        let family = match name.strip_prefix("FILE.kif") {
            Some(suffix) => family("kuhn_poker", suffix),
            None => registry.family(&name).expect("known"),
        };
        assert_ne!(champion(&*family, 100), Player::from(vec![0.0; family.space().dimension()]));
    }
}

#[test]
fn other_families_have_no_gradients() {
    let family = Registry::standard().family("nim").expect("known");
    let failed = run(&task(&*family, 100, 1), None, &StopSignal::default(), &mut ());
    let Err(RunError::Method(reason)) = failed else { panic!("{failed:?}") };
    assert_eq!(reason, "the action probabilities of nim are not known");
}

#[test]
fn runs_are_the_same_however_they_are_played() {
    let family = family("leduc_poker", ":linear-softmax");
    let found = result_in_all_ways(|| task(&*family, 3_000, 7), &[0, 1, 17, 999]);
    assert_eq!((found.games, found.iterations), (3_000, 1_000));
}

#[test]
fn a_state_is_restored_or_refused() {
    let family = family("kuhn_poker", ":table");
    let (_, seen) = recorded(&task(&*family, 1_000, 1), None);
    let resumption = resumption_after(&seen[..=3]);
    let restore = |population, state| {
        Running::restore(population, PolicyGradientKind::default(), state).map(|_| ())
    };
    let (population, state) = (resumption.population, resumption.state.method);
    assert!(restore(population.clone(), state.clone()).is_ok());
    assert!(restore(Vec::new(), state.clone()).is_err());
    assert!(restore(vec![vec![1.0]], state.clone()).is_err());
    for (key, value) in [
        ("theta", serde_json::json!([1.0])),
        ("magnet", serde_json::json!([1.0])),
        ("next_renewal", serde_json::json!(0)),
        ("num_games", serde_json::json!(-1)),
        ("critic", serde_json::json!({"weights": [], "means": [0.0, 0.0], "sum_of_squares": 1.0})),
    ] {
        let mut changed = state.clone();
        changed[key] = value;
        assert!(restore(population.clone(), changed).is_err(), "{key}");
    }
}

#[test]
fn options_are_within_their_ranges() {
    let method = PolicyGradientKind::default().into_any();
    for (name, value) in [("step", -1.0), ("entropy", 1e4), ("magnet", -0.5)] {
        let values = [(name.to_string(), value.into())].into_iter().collect();
        let error = method.with_options(&values).map(|_| ()).expect_err("out of range").to_string();
        assert!(error.contains(&format!("{value} is not from 0 to 1000")), "{error}");
    }
}
