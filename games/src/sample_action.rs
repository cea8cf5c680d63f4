//! Random legal actions, for any game.

use rand::Rng;

use crate::Game;

/// A game that can draw a random legal action.
///
/// This works even if there are too many actions to list: Battleship has 84 million fleets, and a pile of War has
/// millions of orders.
pub trait SampleAction: Game {
    /// Writes a random legal action of the seat with this view to `action`. It must be this seat's turn. Each legal
    /// action has a positive probability.
    fn sample_action<R: Rng>(&self, view: &Self::View<'_>, rng: &mut R, action: &mut Self::Action);
}

/// [`SampleAction`] for a game whose type is hidden.
pub trait AnyAction<G: Game> {
    /// Returns a random legal action of the seat with this view. It must be this seat's turn.
    fn any_action(&self, view: &G::View<'_>, rng: &mut dyn Rng) -> G::Action;
}

impl<G: SampleAction> AnyAction<G> for G {
    fn any_action(&self, view: &G::View<'_>, mut rng: &mut dyn Rng) -> G::Action {
        let mut action = G::Action::default();
        self.sample_action(view, &mut rng, &mut action);
        action
    }
}
