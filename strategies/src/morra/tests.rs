use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_games::{Game, Seat};
use ruse_search::Decisions;

use super::*;
use crate::testing::{assert_gradient, rng};
use crate::{Family, Prepared};

fn gaussian(seed: u64, scale: f64) -> MixedStrategy {
    let mut rng = rng(seed);
    let theta: Vec<f64> = (0..NUM_ANNOUNCEMENTS)
        .map(|_| scale * Distribution::<f64>::sample(&Gaussian, &mut rng))
        .collect();
    MixedStrategy::from_parameters(&Morra::standard(), &theta).expect("finite")
}

fn pure(index: usize) -> Probabilities {
    std::array::from_fn(|other| f64::from(u8::from(other == index)))
}

/// Computes the payoff of a strategy against another by the rules, announcement by announcement.
fn payoff_by_the_rules(a: &Probabilities, b: &Probabilities) -> f64 {
    let mut sum = 0.0;
    for (i, a) in a.iter().enumerate() {
        for (j, b) in b.iter().enumerate() {
            let outcome = Announcement::of_index(i).outcome_against(Announcement::of_index(j));
            sum += a * b * (2.0 * outcome.score() - 1.0);
        }
    }
    sum
}

#[test]
fn payoffs_and_exploitability_are_those_of_the_matrix() {
    for seed in 0..20 {
        let (a, b) = (gaussian(seed, 1.0), gaussian(seed + 100, 3.0));
        let payoff = payoff_by_the_rules(a.probabilities(), b.probabilities());
        let formula = expected_payoff(a.probabilities(), b.probabilities());
        assert!((payoff - formula).abs() < 1e-12, "{payoff}, {formula}");

        let against_a = |index| payoff_by_the_rules(&pure(index), a.probabilities());
        let best = (0..NUM_ANNOUNCEMENTS).map(against_a).fold(f64::NEG_INFINITY, f64::max);
        let exploitability = exploitability(a.probabilities());
        assert!((best - exploitability).abs() < 1e-12, "{best}, {exploitability}");
        let (response, _) = best_response(a.probabilities());
        let index = 11 * usize::from(response.fingers) + usize::from(response.guess);
        assert!((against_a(index) - best).abs() < 1e-12);
    }
}

#[test]
fn uniform_announcements_lose_five_in_sixty_six() {
    // According to an independent prototype, the best response scores 1/2 + 5/132, and so does any optimal strategy.
    let uniform = MixedStrategy::uniform();
    let optimal = MixedStrategy::optimal();
    let expected = 5.0 / 66.0;
    assert!((exploitability(uniform.probabilities()) - expected).abs() < 1e-12);
    let payoff = expected_payoff(optimal.probabilities(), uniform.probabilities());
    assert!((payoff - expected).abs() < 1e-12);
    assert!(((1.0 + payoff) / 2.0 - 0.537_88).abs() < 0.5e-5);
    // Another optimal strategy expects as many fingers as it shows.
    let matching: Probabilities = std::array::from_fn(|index| {
        let Announcement { fingers, guess } = Announcement::of_index(index);
        if guess == 2 * fingers { 1.0 / 6.0 } else { 0.0 }
    });
    assert!(exploitability(&matching).abs() < 1e-12);
    let payoff = expected_payoff(&matching, uniform.probabilities());
    assert!((payoff - expected).abs() < 1e-12);
}

#[test]
fn optimal_strategies_cannot_be_exploited() {
    let optimal = MixedStrategy::optimal();
    assert!(exploitability(optimal.probabilities()).abs() < 1e-12);
    for index in 0..NUM_ANNOUNCEMENTS {
        let payoff = payoff_by_the_rules(&pure(index), optimal.probabilities());
        assert!(payoff < 1e-12, "announcement {index}: {payoff}");
    }
    let (shown, believed) = marginals(optimal.probabilities());
    for probability in shown.into_iter().chain(believed) {
        assert!((probability - 1.0 / 6.0).abs() < 1e-12);
    }
}

#[test]
fn log_weights_become_probabilities() {
    let mut theta = [0.0; NUM_ANNOUNCEMENTS];
    theta[37] = libm::log(5.0);
    let game = Morra::standard();
    let strategy = MixedStrategy::from_parameters(&game, &theta).expect("finite");
    // The weights are 5 and 65 times 1: 5 / (65 + 5).
    assert!((strategy.probabilities()[37] - 1.0 / 14.0).abs() < 1e-15);
    theta[37] = 1e308;
    theta[38] = -1e308;
    let strategy = MixedStrategy::from_parameters(&game, &theta).expect("finite");
    assert_eq!(strategy.probabilities(), &pure(37));
    let space = MixedStrategy::space(&game);
    assert_eq!(space.dimension(), 66);
    assert_eq!(space.parameters()[37].name, "show-3-guess-4");
}

/// The columns represent the given probabilities.
#[test]
fn columns_hold_the_probabilities() {
    for (seed, scale) in (0..).zip([0.0, 0.1, 1.0, 3.0, 30.0, 1e4]) {
        let strategy = gaussian(seed, scale);
        let mut drawn = [0.0; NUM_ANNOUNCEMENTS];
        for column in &strategy.columns {
            let own = column.own_below as f64 / TWO_TO_64;
            for (announcement, probability) in [(column.own, own), (column.other, 1.0 - own)] {
                let index =
                    11 * usize::from(announcement.fingers) + usize::from(announcement.guess);
                drawn[index] += probability / NUM_ANNOUNCEMENTS as f64;
            }
        }
        for (drawn, wanted) in drawn.iter().zip(strategy.probabilities()) {
            assert!((drawn - wanted).abs() < 1e-13, "scale {scale}: {drawn}, {wanted} wanted");
        }
    }
}

#[test]
fn announcements_are_drawn_with_their_probabilities() {
    let strategy = gaussian(1, 1.0);
    let mut rng = rng(2);
    let view = MorraView { own: None, opponent: None };
    let num_draws = 660_000;
    let mut counts = [0u32; NUM_ANNOUNCEMENTS];
    let mut action = Announcement::default();
    for _ in 0..num_draws {
        strategy.act(&mut (), view, &mut rng, &mut action);
        counts[11 * usize::from(action.fingers) + usize::from(action.guess)] += 1;
    }
    // Chi-square has 65 degrees of freedom and a standard deviation of 11.4; it is above 130 for one seed in 300 000.
    let chi_square: f64 = counts
        .iter()
        .zip(strategy.probabilities())
        .map(|(&count, probability)| {
            let expected = probability * f64::from(num_draws);
            let difference = f64::from(count) - expected;
            difference * difference / expected
        })
        .sum();
    assert!(chi_square < 130.0, "chi-square {chi_square} of 65");
}

#[test]
fn words_say_what_a_person_would_do() {
    let family = MorraFamily::standard();
    assert_eq!(
        family.words(&MixedStrategy::optimal()),
        "most often shows 0 and calls 0 (0.03), 0/1 (0.03), 0/2 (0.03), 0/3 (0.03), 0/4 (0.03); in all \
         shows 0 to 5 fingers with probabilities 0.17 0.17 0.17 0.17 0.17 0.17, expects 0 to 5 of the \
         opponent with 0.17 0.17 0.17 0.17 0.17 0.17, and calls sums that cannot come out with 0.00; \
         scores 0.5379 against uniform announcements; its best opponent always shows 0 and calls 0, and \
         scores 0.5000 (exact)"
    );
}

#[test]
fn the_family_knows_scores_and_best_responses() {
    let family = MorraFamily::standard();
    let (uniform, optimal) = (MixedStrategy::uniform(), MixedStrategy::optimal());
    let [uniform, optimal] = [uniform, optimal].map(Prepared::Reference);
    // 1/2 + 5/132 (independent prototype), for every optimal strategy and for the best response.
    let expected = 0.5 + 5.0 / 132.0;
    for opponent in [uniform, Prepared::redrawn(&family)] {
        let score = family.exact_score(&optimal, &opponent).expect("it is solved");
        assert!((score - expected).abs() < 1e-12, "{score}");
        let response = family.best_response(&opponent).expect("it is solved");
        assert!((response.score() - expected).abs() < 1e-12, "{response:?}");
    }
    let response = family.best_response(&optimal).expect("it is solved");
    assert!((response.score() - 0.5).abs() < 1e-12, "{response:?}");
    assert_eq!(response.words.as_deref(), Some("always shows 0 and calls 0"));
}

#[test]
fn gradients_agree_with_finite_differences() {
    let game = Morra::standard();
    let theta: Vec<f64> = (0..NUM_ANNOUNCEMENTS).map(|index| libm::sin(index as f64)).collect();
    let strategy_at = |theta: &[f64]| MixedStrategy::from_parameters(&game, theta).expect("finite");
    for seed in 0..5 {
        let mut rng = rng(seed);
        let mut announcement = Announcement::default();
        let mut decisions = Decisions::default();
        let view = game.view(&game.deal(&mut rng), Seat::First);
        let strategy = strategy_at(&theta);
        strategy.act_recorded(&mut (), view, &mut rng, &mut announcement, &mut decisions);
        let decision = decisions.iter().next().expect("one");
        assert_eq!(Announcement::of_index(decision.taken), announcement);
        assert_gradient(decision, &theta, |theta| {
            libm::log(strategy_at(theta).probabilities()[decision.taken])
        });
    }
}
