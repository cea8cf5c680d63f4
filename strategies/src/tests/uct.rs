//! Tests of `uct` in games whose values are known exactly.

use ruse_games::column_board::NUM_COLUMNS;
use ruse_games::phantom_tic_tac_toe::PhantomTicTacToe;
use ruse_games::{Game, Imagine, Legal, SampleAction, Seat, Turn};
use ruse_search::uct::{Drawn, Listed, Uct, UctMemory, UctSettings};
use ruse_search::{Budget, Strategy};

use super::loss::with_rules;
use crate::Family;
use crate::four_in_a_row::FourInARowFamily;
use crate::guess_who::GuessWhoFamily;
use crate::nim::NimFamily;
use crate::phantom_tic_tac_toe::{CellReference, PhantomTicTacToeFamily};
use crate::pig::PigFamily;
use crate::testing::{PanicRng, play, rng};

fn settings(playouts: u64) -> UctSettings {
    UctSettings { budget: Budget::Playouts(playouts), ..UctSettings::default() }
}

fn mean_loss<F: Family<Game: Imagine + Legal + SampleAction>>(
    family: &F,
    playouts: u64,
    games: u64,
) -> f64 {
    let player = Uct::<F::Game, Listed>::new(family.game(), settings(playouts));
    super::loss::mean_loss(family, &player, games)
}

#[test]
fn more_playouts_lose_less_in_nim() {
    // A random action loses a won game in most positions.
    let family = NimFamily::standard();
    let [few, some, many] = [1, 200, 20_000].map(|playouts| mean_loss(&family, playouts, 40));
    assert!(few > 0.3 && some < 0.8 * few && many < 0.3 * some, "{few} {some} {many}");
}

#[test]
fn more_playouts_lose_less_in_pig() {
    let family = with_rules(&PigFamily::standard(), &[("goal", 20)]);
    let [few, many] = [10, 2000].map(|playouts| mean_loss(&family, playouts, 30));
    assert!(many < 0.02 && many < 0.3 * few, "{few} {many}");
}

#[test]
fn more_playouts_lose_less_in_guess_who() {
    let family = with_rules(&GuessWhoFamily::<true>::stochastic(), &[("characters", 12)]);
    let [few, many] = [10, 4000].map(|playouts| mean_loss(&family, playouts, 30));
    assert!(many < 0.02 && many < 0.4 * few, "{few} {many}");
}

#[test]
fn a_stone_that_wins_is_put_and_one_that_loses_is_not() {
    let family = FourInARowFamily::default();
    let game = family.game();
    let player = Uct::<_, Listed>::new(game, settings(2000));
    let mut rng = rng(1);
    let mut column_after = |columns: &[u8]| {
        let mut state = game.deal(&mut rng);
        let mut seat = Seat::First;
        for column in columns {
            game.apply(&mut state, seat, column, &mut rng);
            seat = seat.other();
        }
        let (mut memory, mut action) = (UctMemory::default(), 0);
        player.begin(&mut memory, seat);
        player.act(&mut memory, game.view(&state, seat), &mut rng, &mut action);
        usize::from(action)
    };
    // The first player has three stones in column 3, and the second has three in column 4.
    assert_eq!(column_after(&[3, 4, 3, 4, 3, 4]), 3);
    // The second player has only two stones in column 4, and must block column 3.
    assert_eq!(column_after(&[3, 4, 3, 4, 3]), 3);
    // The first player has b, c and d on the ground, with both ends open: e or a wins, whatever the second player does.
    let wins = column_after(&[1, 1, 2, 2, 3, 3]);
    assert!(wins == 0 || wins == 4, "{wins}");
    assert!(wins < NUM_COLUMNS);
}

#[test]
fn hidden_stones_are_searched_for() {
    check_hidden_stones(100, 0.59);
}

#[test]
#[ignore = "long"]
fn hidden_stones_are_searched_for_in_more_games() {
    check_hidden_stones(300, 0.68);
}

/// The best orders score .783567 against random stones, with half of the games from each seat; random stones score 1/2.
/// The seats of the best orders score .92 and .65, so the standard deviation of a game is at most .39. If 500 playouts come
/// within .02 of the best, the mean of 100 games is below .59, 4.4 standard errors away, with probability 5e-6, and the
/// mean of 300 games below .68 with probability 1e-4.
fn check_hidden_stones(num_games: u64, least: f64) {
    let family = PhantomTicTacToeFamily::default();
    let game = family.game();
    let player = Uct::<PhantomTicTacToe, Drawn>::new(game, settings(500));
    let mut score = 0.0;
    for index in 0..num_games {
        let mut rng = rng(index);
        let state = game.deal(&mut rng);
        let random = CellReference::Random;
        score += if index % 2 == 0 {
            play(game, state, &player, &random, &mut rng).0.score()
        } else {
            play(game, state, &random, &player, &mut rng).0.reversed().score()
        };
    }
    score /= num_games as f64;
    assert!(score > least, "{score}");
}

#[test]
fn the_only_action_takes_no_thought() {
    // There is one legal action, because only one match is left.
    let family = NimFamily::standard();
    let game = family.game();
    let player = Uct::<_, Listed>::new(game, settings(100));
    let mut rng = rng(3);
    let (mut memory, mut action) = (UctMemory::default(), Default::default());
    let mut state = game.deal(&mut rng);
    let mut legal = Vec::new();
    let mut seen = 0;
    for _ in 0..100 {
        let Turn::Act(mover) = game.turn(&state) else {
            state = game.deal(&mut rng);
            continue;
        };
        let view = game.view(&state, mover);
        legal.clear();
        game.legal(&view, &mut legal);
        if let [only] = legal[..] {
            player.begin(&mut memory, mover);
            player.act(&mut memory, view, &mut PanicRng, &mut action);
            assert_eq!(action, only);
            seen += 1;
        }
        game.sample_action(&game.view(&state, mover), &mut rng, &mut action);
        game.apply(&mut state, mover, &action, &mut rng);
    }
    assert!(seen > 3);
}
