use proptest::prelude::*;
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use ruse_games::{AdjustableRules, Game, Outcome, Turn};

use super::*;
use crate::Strategy;
use crate::testing::{PanicRng, play};

fn player(first: f64, second: f64) -> OrderLists {
    OrderLists::from_parameters(&PhantomFour::standard(), &[first, second]).expect("two numbers")
}

#[test]
fn lists_follow_the_hash() {
    // Independent prototype.
    let first_three = |seat, x| {
        let player = player(x, x);
        assert_eq!(player.orders(seat).len(), 14);
        [0, 1, 2].map(|index| player.orders(seat)[index].columns())
    };
    assert_eq!(
        first_three(Seat::First, 0.0),
        [[4, 2, 6, 0, 1, 3, 5], [0, 6, 2, 5, 1, 4, 3], [0, 4, 2, 1, 6, 3, 5]]
    );
    assert_eq!(
        first_three(Seat::Second, 0.0),
        [[6, 2, 3, 4, 0, 1, 5], [3, 2, 5, 0, 4, 1, 6], [2, 6, 3, 5, 4, 0, 1]]
    );
    assert_eq!(
        first_three(Seat::First, 1.0),
        [[4, 3, 1, 0, 5, 6, 2], [0, 4, 3, 6, 1, 5, 2], [6, 2, 3, 4, 1, 5, 0]]
    );
    assert_eq!(
        first_three(Seat::Second, 1.0),
        [[1, 4, 5, 3, 2, 6, 0], [1, 0, 6, 4, 5, 3, 2], [1, 3, 4, 6, 2, 0, 5]]
    );
    assert_eq!(
        first_three(Seat::First, -1.5),
        [[3, 5, 6, 1, 2, 0, 4], [4, 3, 5, 2, 0, 1, 6], [5, 4, 6, 1, 0, 3, 2]]
    );
    assert_eq!(
        first_three(Seat::Second, -1.5),
        [[2, 3, 1, 0, 5, 4, 6], [2, 0, 1, 3, 5, 4, 6], [4, 0, 3, 2, 1, 5, 6]]
    );
    assert_eq!(player(-0.0, 0.0), player(0.0, -0.0));
}

/// A whole game, stone by stone: independent prototype.
#[test]
fn a_game_goes_as_it_should() {
    let expected = [4, 2, 0, 2, 6, 4, 1, 4, 4, 6, 0, 3, 6, 6, 0, 1, 0];
    let game = PhantomFour::standard();
    let (first, second) = (player(1.0, 0.0), player(0.0, -1.5));
    let mut memories = [SeatMemory::default(); 2];
    first.begin(&mut memories[0], Seat::First);
    second.begin(&mut memories[1], Seat::Second);
    let mut state = game.start();
    let mut action = ColumnOrder::default();
    let mut columns = Vec::new();
    while let Turn::Act(seat) = game.turn(&state) {
        let observation = game.observe(&state, seat);
        match seat {
            Seat::First => first.act(&mut memories[0], observation, &mut PanicRng, &mut action),
            Seat::Second => second.act(&mut memories[1], observation, &mut PanicRng, &mut action),
        }
        let before = state.board().occupied();
        game.apply(&mut state, seat, &action, &mut PanicRng);
        columns.push((state.board().occupied() ^ before).trailing_zeros() / 8);
    }
    assert_eq!(columns, expected);
    assert_eq!(game.turn(&state), Turn::Over(Outcome::Win));
}

#[test]
fn lists_need_no_randomness() {
    let game = PhantomFour::standard();
    for reference in PhantomFourFamily::default().references() {
        if reference.name != "random" {
            let player = reference.strategy;
            let (outcome, _) = play(&game, game.start(), &player, &player, &mut PanicRng);
            // By hand: the first player has four in the bottom row before the second has four above it.
            assert_eq!(outcome, Outcome::Win, "{}", reference.name);
        }
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let error = |theta: &[f64]| {
        let game = PhantomFour::standard();
        OrderLists::from_parameters(&game, theta).expect_err("refused").to_string()
    };
    assert_eq!(error(&[1.0]), "1 parameters given, 2 expected");
    assert_eq!(
        error(&[0.0, f64::INFINITY]),
        "parameter 1 (`second`) is inf, and must be a finite number"
    );
}

#[test]
fn words_name_the_columns() {
    let family = PhantomFourFamily::default();
    // Columns 4, 0, 0 and 2, 2, 4 come first in the vectors above.
    let words = family.words(&player(0.0, -1.5));
    assert!(words.contains("as first player e a a "), "{words}");
    assert!(words.contains("as second player c c e "), "{words}");
}

proptest! {
    /// Any parameters give a legal player, on boards of any height.
    #[test]
    fn every_strategy_keeps_to_the_rules(
        theta in prop::array::uniform2(prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL),
        rows in 1u64..=7, seed in any::<u64>(),
    ) {
        let game = PhantomFour::standard()
            .with_rules(&[("rows".to_string(), rows)].into())
            .expect("valid rules");
        let player = OrderLists::from_parameters(&game, &theta).expect("finite");
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let family = PhantomFourFamily::default().with_game(game);
        for reference in family.references() {
            play(&game, game.start(), &player, &reference.strategy, &mut rng);
            play(&game, game.start(), &reference.strategy, &player, &mut rng);
        }
        let mut redrawn = OrderLists::always(&game, [6, 5, 4, 3, 2, 1, 0]);
        redrawn.set_parameters(&game, &theta).expect("finite");
        prop_assert_eq!(redrawn, player);
    }
}
