//! Helpers for the tests of several games.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use crate::{Game, ReconstructError, Seat, Seen};

/// Returns a generator with a fixed seed.
pub(crate) fn rng() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(1)
}

/// Returns what a person in this seat sees, without earlier actions.
pub(crate) fn seen<'a, G: Game>(game: &G, state: &'a G::State, seat: Seat) -> Seen<'a, G> {
    let (turn, view) = (game.turn(state), game.view(state, seat));
    Seen { seat, turn, view, own_actions: Default::default() }
}

/// Returns the number of the item at which a description is wrong.
pub(crate) fn wrong_item<T>(told: Result<T, ReconstructError>) -> usize {
    match told.map(drop).expect_err("a wrong item") {
        ReconstructError::Misread { number, .. } | ReconstructError::Impossible { number, .. } => {
            number
        }
        error => panic!("{error}"),
    }
}
