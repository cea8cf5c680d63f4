//! Compares recorded decisions with the probabilities of the strategies.

use ruse_search::{Decisions, LogLinear};
use ruse_strategies::testing::assert_gradient;

use super::*;

/// Checks the gradients at the decisions of random games.
fn gradients_agree<S: LogLinear<RuleFile> + Policy>(name: &'static str, num_games: usize) {
    let game = file(name);
    let coordinates = sines(S::space(&game).dimension(), 3);
    let strategy_at = |coordinates: &[f64]| {
        let mut theta = coordinates.to_vec();
        S::to_parameters(&game, &mut theta);
        S::from_parameters(&game, &theta).expect("a right vector")
    };
    let strategy = strategy_at(&coordinates);
    let mut memory = S::Memory::default();
    random_decisions(&game, num_games, |state, seat| {
        let view = game.view(state, seat);
        let [mut action, mut same] = [RoleMove::default(); 2];
        let mut decisions = Decisions::default();
        strategy.act_recorded(&mut memory, view, &mut generator(1), &mut action, &mut decisions);
        strategy.act(&mut memory, view, &mut generator(1), &mut same);
        assert_eq!(action, same);
        assert_eq!(decisions.len(), 1);
        let decision = decisions.iter().next().expect("one");
        assert_eq!(view.legal()[decision.taken], action.action);
        assert_gradient(decision, &coordinates, |coordinates| {
            libm::log(probabilities(&strategy_at(coordinates), &view)[decision.taken])
        });
    });
}

#[test]
fn gradients_of_tables_agree_with_finite_differences() {
    gradients_agree::<Tabular>("kuhn_poker", 20);
    gradients_agree::<Tabular>("liars_dice_4", 1);
}

#[test]
fn gradients_of_linear_scores_agree_with_finite_differences() {
    gradients_agree::<Linear<true>>("kuhn_poker", 10);
    gradients_agree::<Linear<true>>("leduc_poker", 3);
    // A game with complete information, whose strategies see facts instead of percepts.
    gradients_agree::<Linear<true>>("tic_tac_toe", 1);
}

#[test]
fn coordinates_of_a_table_give_the_same_probabilities() {
    let game = file("kuhn_poker");
    let mut theta: Vec<f64> = sines(Tabular::space(&game).dimension(), 2);
    // The first situation has no weight at all.
    theta[..2].fill(0.0);
    let before = Tabular::from_parameters(&game, &theta).expect("a right vector");
    Tabular::to_coordinates(&game, &mut theta);
    assert!(theta.iter().all(|&coordinate| (-13.82..=0.0).contains(&coordinate)), "{theta:?}");
    Tabular::to_parameters(&game, &mut theta);
    let after = Tabular::from_parameters(&game, &theta).expect("a right vector");
    random_decisions(&game, 20, |state, seat| {
        let view = game.view(state, seat);
        let both = [&before, &after].map(|strategy| probabilities(strategy, &view));
        for (before, after) in both[0].iter().zip(&both[1]) {
            // A move without weight gets a millionth of the largest weight.
            assert!((before - after).abs() < 1.1e-6, "{before} {after}");
        }
    });
}
