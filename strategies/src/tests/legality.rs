//! Legal play, with parameters of all sizes.

use std::fmt::Debug;
use std::ops::Range;

use rand::{Rng, RngExt};
use rand_distr::Distribution;
use ruse_base::gaussian::Gaussian;
use ruse_games::{Game, Seat};
use ruse_search::{ParametricStrategy, Strategy};

use super::loss::with_rules;
use crate::battleship::BattleshipFamily;
use crate::cheat::CheatFamily;
use crate::flip::FlipFamily;
use crate::four_in_a_row::FourInARowFamily;
use crate::guess_who::GuessWhoFamily;
use crate::morra::MorraFamily;
use crate::nim::NimFamily;
use crate::phantom_four::PhantomFourFamily;
use crate::phantom_tic_tac_toe::PhantomTicTacToeFamily;
use crate::testing::{PanicRng, play, rng};
use crate::war::WarFamily;
use crate::{Family, Reference};

/// A strategy that must draw nothing.
struct Quiet<S>(S);

impl<G: Game, S: Strategy<G>> Strategy<G> for Quiet<S> {
    type Memory = S::Memory;

    fn begin(&self, memory: &mut S::Memory, seat: Seat) {
        self.0.begin(memory, seat);
    }

    fn act<R: Rng>(
        &self,
        memory: &mut S::Memory,
        view: G::View<'_>,
        _: &mut R,
        action: &mut G::Action,
    ) {
        self.0.act(memory, view, &mut PanicRng, action);
    }
}

/// Plays games of strategies whose parameters have one of these powers of ten, with the references and with each other,
/// and checks each action. `wrap` may forbid strategies to draw. A strategy that gets its parameters later plays alike.
fn check<F, S>(family: &F, exponents: Range<f64>, num_seeds: u64, wrap: impl Fn(F::Strategy) -> S)
where
    F: Family<Game: Game<State: Debug + PartialEq, Action: Debug>>,
    S: Strategy<F::Game>,
{
    let game = family.game();
    let space = F::Strategy::space(game);
    for seed in 0..num_seeds {
        let mut rng = rng(seed);
        let scale = libm::pow(10.0, rng.random_range(exponents.clone()));
        let mut draw = || -> Vec<f64> {
            let one = || -> f64 { scale / 8.0 * Distribution::<f64>::sample(&Gaussian, &mut rng) };
            std::iter::repeat_with(one).take(space.dimension()).collect()
        };
        let (theta, other) = (draw(), draw());
        let [player, mut later] = [&theta, &other]
            .map(|theta| F::Strategy::from_parameters(game, theta).expect("finite"));
        let words = family.words(&player);
        assert!(!words.is_empty() && !words.contains("NaN"), "{words}");
        let [player, other] = [player, later.clone()].map(&wrap);
        later.set_parameters(game, &theta).expect("finite");
        let start = game.deal(&mut rng);
        for Reference { strategy, .. } in family.references() {
            play(game, start.clone(), &player, &strategy, &mut rng);
            play(game, start.clone(), &strategy, &player, &mut rng);
        }
        let mut again = rng.clone();
        let ended = play(game, start.clone(), &player, &other, &mut rng);
        assert_eq!(play(game, start, &wrap(later), &other, &mut again), ended, "seed {seed}");
    }
}

#[test]
fn strategies_keep_to_the_rules() {
    for ships in [4, 5] {
        let family = with_rules(&BattleshipFamily::default(), &[("ships", ships)]);
        check(&family, -1.0..9.0, 4, |player| player);
    }
    check(&CheatFamily::cheat(), -1.0..1.0, 16, |player| player);
    check(&CheatFamily::cheat_special(), -3.0..308.0, 32, |player| player);
    check(&GuessWhoFamily::stochastic(), -1.0..4.0, 64, |player| player);
    check(&MorraFamily::standard(), -1.0..308.0, 16, |player| player);
    let war = [("max-turns", 500)];
    check(&with_rules(&WarFamily::war4(), &war), -1.0..3.0, 16, |player| player);
    check(&with_rules(&WarFamily::batawaf_orders(), &war), -1.0..3.0, 16, |player| player);
}

#[test]
fn strategies_keep_to_the_rules_without_drawing() {
    for ranks in 7..=15 {
        let family = with_rules(&FlipFamily::flip(), &[("ranks", ranks)]);
        check(&family, -3.0..306.0, 6, Quiet);
    }
    check(&GuessWhoFamily::deterministic(), -1.0..4.0, 64, Quiet);
    for (misere, heap) in (0..2).flat_map(|misere| (0..5).map(move |heap| (misere, heap))) {
        let family = with_rules(&NimFamily::standard(), &[("misere", misere), ("heap-5", heap)]);
        check(&family, 0.0..1.0, 4, Quiet);
    }
    check(&PhantomTicTacToeFamily::default(), -1.0..3.0, 32, Quiet);
}

#[test]
fn strategies_keep_to_the_rules_on_boards_of_any_height() {
    for rows in 1..=7 {
        let rows = [("rows", rows)];
        check(&with_rules(&FourInARowFamily::default(), &rows), -1.0..4.0, 4, |player| player);
        check(&with_rules(&PhantomFourFamily::default(), &rows), -300.0..308.0, 8, Quiet);
    }
}
