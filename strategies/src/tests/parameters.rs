use ruse_search::ParametricStrategy;

use super::loss::with_rules;
use crate::Family;
use crate::battleship::BattleshipFamily;
use crate::cheat::CheatFamily;
use crate::flip::FlipFamily;
use crate::four_in_a_row::FourInARowFamily;
use crate::guess_who::GuessWhoFamily;
use crate::morra::MorraFamily;
use crate::nim::NimFamily;
use crate::phantom_four::PhantomFourFamily;
use crate::phantom_tic_tac_toe::PhantomTicTacToeFamily;
use crate::pig::PigFamily;
use crate::war::WarFamily;

/// Checks that too few and too many parameters are refused, and numbers that are not finite, with the name of the
/// parameter at `index`.
fn check<F: Family>(family: &F, dimension: usize, index: usize, name: &str) {
    let refused = |theta: &[f64]| {
        let strategy = F::Strategy::from_parameters(family.game(), theta);
        strategy.err().expect("refused").to_string()
    };
    for number in [0, dimension - 1, dimension + 1] {
        let expected = format!("{number} parameters given, {dimension} expected");
        assert_eq!(refused(&vec![0.0; number]), expected, "{name}");
    }
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut theta = vec![0.0; dimension];
        theta[index] = value;
        let expected =
            format!("parameter {index} (`{name}`) is {value}, and must be a finite number");
        assert_eq!(refused(&theta), expected);
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let battleship = BattleshipFamily::default();
    check(&battleship, 33, 32, "own-contact");
    check(&with_rules(&battleship, &[("ships", 5)]), 41, 40, "own-contact");
    check(&CheatFamily::cheat(), 28, 7, "own*own");
    check(&CheatFamily::cheat_special(), 29, 28, "seed");
    check(&FlipFamily::flip(), 420, 400, "b[own put 0]");
    check(&FourInARowFamily::default(), 14, 8, "opponent-b");
    check(&GuessWhoFamily::deterministic(), 4, 3, "iota");
    check(&GuessWhoFamily::stochastic(), 5, 1, "beta");
    check(&MorraFamily::standard(), 66, 37, "show-3-guess-4");
    check(&NimFamily::standard(), 383, 1, "0-0-0-2");
    check(&PhantomFourFamily::default(), 2, 1, "second");
    check(&PhantomTicTacToeFamily::default(), 18, 13, "second-centre");
    check(&PigFamily::standard(), 1, 0, "patience");
    check(&WarFamily::war(), 3, 1, "B");
    check(&WarFamily::war4(), 4, 2, "C");
}
