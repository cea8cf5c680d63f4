//! Sampling of hidden states for code that works with all games, even games without sampling.

use rand::Rng;
use ruse_games::{Game, Imagine, Seat};

/// A seat that samples states in one game: [`Imagine`] and the knowledge of the seat, as a trait object.
pub trait Imagining<G: Game>: Send {
    /// Records a turn of the seat: its view, and the action that it took.
    fn learn(&mut self, view: &G::View<'_>, action: &G::Action);

    /// Returns a random state that agrees with everything learnt and with the current view of the seat to move.
    fn imagine(&self, view: &G::View<'_>, rng: &mut dyn Rng) -> G::State;
}

/// The implementation of [`Imagining`] for a game that implements [`Imagine`].
struct Mind<G: Imagine> {
    game: G,
    seat: Seat,
    knowledge: G::Knowledge,
}

/// Returns a seat at the start of a game that implements [`Imagine`].
pub(crate) fn imagining<G: Imagine>(game: &G, seat: Seat) -> Box<dyn Imagining<G>> {
    Box::new(Mind { game: game.clone(), seat, knowledge: G::Knowledge::default() })
}

impl<G: Imagine> Imagining<G> for Mind<G> {
    fn learn(&mut self, view: &G::View<'_>, action: &G::Action) {
        self.game.learn(&mut self.knowledge, self.seat, view, action);
    }

    fn imagine(&self, view: &G::View<'_>, mut rng: &mut dyn Rng) -> G::State {
        self.game.imagine(&self.knowledge, self.seat, view, &mut rng)
    }
}
