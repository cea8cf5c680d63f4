//! A game that imagines wrong states, to test that the suite notices.

use ruse_games::phantom_tic_tac_toe::{CellOrder, PhantomTicTacToe};
use ruse_games::{Game, Turn};

use crate::cases::phantom_tic_tac_toe::courses_of_phantom_tic_tac_toe;
use crate::courses::check_imagined;

/// An earlier fault of phantom tic-tac-toe: states are imagined from a view alone, so that even the seat's own stones
/// can change places.
#[test]
#[should_panic(expected = "cannot have come about")]
fn a_game_that_forgets_what_was_done_is_found_out() {
    let game = PhantomTicTacToe;
    check_imagined("forgetful", &courses_of_phantom_tic_tac_toe(), 1, |_, seat, view, rng| {
        loop {
            let mut state = game.deal(rng);
            while let Turn::Act(mover) = game.turn(&state) {
                if mover == seat && game.view(&state, seat) == *view {
                    return state;
                }
                game.apply(&mut state, mover, &CellOrder::random(rng), rng);
            }
        }
    });
}
