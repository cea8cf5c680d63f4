//! Helpers for the tests of several games.

use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;

use crate::reconstruct::Result;
use crate::{AdjustableRules, Game, ReconstructError, RulesError, Seat, Seen};

/// Returns a generator with a fixed seed.
pub(crate) fn rng() -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(1)
}

/// Returns the game with these rules changed.
pub(crate) fn with<G: AdjustableRules>(game: &G, changes: &[(&str, u64)]) -> Result<G, RulesError> {
    game.with_rules(&changes.iter().map(|&(name, value)| (name.into(), value)).collect())
}

/// Returns what a person in this seat sees, without earlier actions.
pub(crate) fn seen<'a, G: Game>(game: &G, state: &'a G::State, seat: Seat) -> Seen<'a, G> {
    let (turn, view) = (game.turn(state), game.view(state, seat));
    Seen { seat, turn, view, own_actions: Default::default() }
}

/// Returns the number of the item at which a description is wrong.
pub(crate) fn wrong_item<T>(told: Result<T>) -> usize {
    match told.map(drop).expect_err("a wrong item") {
        ReconstructError::Misread { number, .. } | ReconstructError::Impossible { number, .. } => {
            number
        }
        error => panic!("{error}"),
    }
}
