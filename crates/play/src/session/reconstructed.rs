//! Games reconstructed from the description of one seat.

use rand::Rng;
use ruse_games::{Agrees, Board, Course, Game, Grammar, Seat, Turn, Untold};

/// The differences between a description and the views of the seat: extra facts and missing facts.
pub(super) struct Reconstructed<G: Game> {
    pub(super) untold: Option<Untold<G>>,
    pub(super) agrees: Option<Agrees<G>>,
}

/// Returns the grammar for describing a game whose moves are all visible, with the first two moves of a random game as
/// an example.
pub(super) fn grammar_of_moves<G: Game>(
    game: &G,
    board: &dyn Board<G>,
    mut rng: &mut dyn Rng,
) -> Grammar {
    const NUM_SHOWN: usize = 2;
    let mut course = Course::<G>::new(Seat::First, game.deal(&mut rng));
    let mut example = Vec::new();
    while let (Turn::Act(seat), true) = (game.turn(&course.now), example.len() < NUM_SHOWN) {
        let action = board.any_action(&game.view(&course.now, seat), rng);
        example.push(board.write(&action));
        if course.act(game, seat, action, &mut rng).is_err() {
            break;
        }
    }
    let first = example.first().cloned().unwrap_or_default();
    let example = example.join("; ");
    Grammar {
        how: format!(
            "Tell the moves of both players in turn from the start, with a semicolon between them, as in {example}."
        ),
        example,
        prompt: format!("the next move, such as {first}"),
    }
}
