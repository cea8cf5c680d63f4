//! Tests of mixtures as contestants, for every family. For each pair, one member of the mixture is drawn, which plays
//! both games.

use ruse::arena::{Source, StopSignal};
use ruse::family::{AnyFamily, Player, PlayerError, WeightError};
use ruse::registry::Registry;
use ruse::rng::StreamKey;

use crate::support::{gaussian, play, quick};

/// Checks that the mixture of two members, with equal weights, plays each pair as one of them, and that a member without
/// weight is never drawn.
fn check_members(family: &dyn AnyFamily, members: [Player; 2]) {
    let mixture = |weights: [f64; 2]| Player::mixture(weights.into_iter().zip(members.clone()));
    let opponent = Player::Parameters(gaussian(family, 3));
    let num_pairs = 6;
    let results = play(family, &mixture([1.0, 1.0]), &opponent, num_pairs);
    let of_members = members.each_ref().map(|member| play(family, member, &opponent, num_pairs));
    for (pair, result) in results.iter().enumerate() {
        let is_of_a_member = of_members.iter().any(|results| results[pair] == *result);
        assert!(is_of_a_member, "{}, pair {pair}", family.name());
    }
    assert_eq!(play(family, &mixture([0.0, 7.0]), &opponent, num_pairs), of_members[1]);
}

#[test]
fn every_pair_is_that_of_a_member() {
    for family in Registry::standard().families().map(quick) {
        let family = family.as_ref();
        check_members(family, [1, 2].map(|seed| gaussian(family, seed).into()));
    }
}

#[test]
fn members_are_drawn_by_their_weights_and_exact_scores_are_weighted() {
    let family = Registry::standard().family("phantom-four").expect("known");
    // One player is certain to win both games against the opponent, and one is certain to lose at least one game.
    let opponent = Player::Parameters(gaussian(family.as_ref(), 0));
    let exact = |contestant: &Player| {
        let duel = family.duel(contestant, &opponent).expect("of the family");
        duel.open(StreamKey::root(1), &StopSignal::default()).expect("not stopped").exact
    };
    let find = |score: f64| {
        let found = (1..200).map(|seed| gaussian(family.as_ref(), seed));
        found
            .into_iter()
            .find(|theta| exact(&Player::Parameters(theta.clone())) == Some(score))
            .expect("among 200")
    };
    let mixture = Player::mixture([(3.0, find(1.0)), (1.0, find(0.0))]);
    assert_eq!(exact(&mixture), Some(0.75));
    let both = family.duel(&mixture, &mixture).expect("of the family");
    assert!(
        both.open(StreamKey::root(1), &StopSignal::default()).expect("not stopped").exact.is_some()
    );
    // For 4000 pairs, the standard error is .0068, and the tolerance is five standard errors.
    let results = play(family.as_ref(), &mixture, &opponent, 4000);
    let score = results.iter().map(|result| result.score()).sum::<f64>() / 4000.0;
    assert!((score - 0.75).abs() < 0.034, "{score}");
    // The two sides draw independently.
    let drawn = play(family.as_ref(), &mixture, &mixture, 400);
    let winner_first = drawn.iter().filter(|result| result.as_first != drawn[0].as_first);
    assert!(winner_first.count() > 0, "{drawn:?}");
    let redrawn = family.duel(&mixture, &Player::Redrawn).expect("of the family");
    assert_eq!(
        redrawn.open(StreamKey::root(1), &StopSignal::default()).expect("not stopped").exact,
        None
    );
}

/// Reference strategies can be members of a mixture. Each pair that the mixture plays equals the same pair played by
/// the member that was drawn. A mixture of members with exact scores has an exact score.
#[test]
fn reference_strategies_are_members_too() {
    for family in Registry::standard().families().map(quick) {
        let family = family.as_ref();
        let name = family.references()[0].name.to_string();
        let members = [gaussian(family, 1).into(), Player::Named(name)];
        check_members(family, members.clone());
        let opponent = Player::Parameters(gaussian(family, 3));
        let exact = |a: &Player| family.duel(a, &opponent).expect("of the family").exact();
        if let [Some(own), Some(reference)] = members.each_ref().map(exact) {
            let mixture = Player::mixture([3.0, 1.0].into_iter().zip(members));
            let mean = exact(&mixture).expect("known of each");
            assert!((mean - (0.75 * own + 0.25 * reference)).abs() < 1e-12, "{}", family.name());
        }
    }
}

/// The mixture consists of the equilibrium of Morra and of a strategy that always shows the same fingers and makes the
/// same guess. The best response gains 1/2 against that strategy and nothing against the equilibrium, so it gains 1/4
/// against the mixture.
#[test]
fn best_responses_to_mixtures_with_reference_strategies() {
    let family = Registry::standard().family("morra").expect("known");
    let mut pure = vec![-100.0; 66];
    pure[0] = 100.0;
    let members = vec![(1.0, Player::Named("optimal".into())), (1.0, Player::Parameters(pure))];
    let response = family.best_response(&Player::mixture(members)).expect("of the family");
    let score = response.expect("Morra is solved").score();
    assert!((score - 0.75).abs() < 0.01, "{score}");
    let unknown = Player::mixture([(1.0, Player::Named("optimum".into()))]);
    let error = family.best_response(&unknown).expect_err("no such strategy").to_string();
    assert_eq!(error, "there is no reference strategy `optimum`");
}

#[test]
fn invalid_mixtures_are_refused() {
    let family = Registry::standard().family("pig").expect("known");
    let refusal = |members: Vec<(f64, Vec<f64>)>| -> PlayerError {
        family.league(&[&Player::mixture(members)]).err().expect("no mixture")
    };
    let weights = |weights: &[f64]| match refusal(
        weights.iter().map(|&weight| (weight, vec![1.0])).collect(),
    ) {
        PlayerError::Weights(error) => error,
        error => panic!("{error}"),
    };
    assert_eq!(weights(&[]), WeightError::AllZero);
    assert!(matches!(weights(&[1.0, f64::NAN]), WeightError::NotAWeight { index: 1, .. }));
    assert_eq!(weights(&[-1.0]), WeightError::NotAWeight { index: 0, weight: -1.0 });
    assert_eq!(weights(&[1e308; 2]), WeightError::TooLarge);
    let error = refusal(vec![(1.0, vec![1.0, 2.0])]);
    assert!(matches!(error, PlayerError::Parameters { .. }), "{error}");
}
