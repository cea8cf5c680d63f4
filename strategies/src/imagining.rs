//! What a seat may believe of the state, for code that does not know whether a game can be imagined.

use rand::Rng;
use ruse_games::{Game, Imagine, Seat};

/// One seat that imagines states in one game: [`Imagine`] with its knowledge, behind one pointer.
pub trait Imagining<G: Game>: Send {
    /// Adds a turn of the seat: what it saw, and the action that it took.
    fn learn(&mut self, view: &G::View<'_>, action: &G::Action);

    /// A state that agrees with all that was learnt and with what the seat, whose turn it is, sees now.
    fn imagine(&self, view: &G::View<'_>, rng: &mut dyn Rng) -> G::State;
}

/// The [`Imagining`] of a game that can be imagined.
struct Mind<G: Imagine> {
    game: G,
    seat: Seat,
    knowledge: G::Knowledge,
}

/// What a family with such a game answers to [`Family::imagining`](crate::Family::imagining): the seat at the start of a
/// game.
pub fn imagining<G: Imagine>(game: &G, seat: Seat) -> Option<Box<dyn Imagining<G>>> {
    Some(Box::new(Mind { game: game.clone(), seat, knowledge: G::Knowledge::default() }))
}

impl<G: Imagine> Imagining<G> for Mind<G> {
    fn learn(&mut self, view: &G::View<'_>, action: &G::Action) {
        self.game.learn(&mut self.knowledge, self.seat, view, action);
    }

    fn imagine(&self, view: &G::View<'_>, mut rng: &mut dyn Rng) -> G::State {
        self.game.imagine(&self.knowledge, self.seat, view, &mut rng)
    }
}
