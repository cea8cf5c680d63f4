//! Sampling of hidden states for code that works with all games, even games without sampling.

use rand::Rng;
use ruse_games::{Game, Imagine, Seat};

/// A seat that samples states in one game: [`Imagine`] and the knowledge of the seat, as a trait object.
pub trait Imagining<G: Game>: Send {
    /// Records a turn of the seat: its view, and the action that it took.
    fn learn(&mut self, view: &G::View<'_>, action: &G::Action);

    /// Forgets everything learnt, and takes this seat in another game.
    fn begin(&mut self, seat: Seat);

    /// Records what the seat sees at a turn of the other seat; see [`Imagine::watch`].
    fn watch(&mut self, view: &G::View<'_>);

    /// Deals the game again, as it may have been dealt; see [`Imagine::deal_again`].
    fn deal_again(&self, rng: &mut dyn Rng) -> G::State;

    /// Applies the action of `mover` towards the next view of the seat; see [`Imagine::apply_towards`].
    fn apply(
        &self,
        state: &mut G::State,
        mover: Seat,
        action: &G::Action,
        seen: &G::View<'_>,
        rng: &mut dyn Rng,
    );

    /// Replaces what the seat does not remember; see [`Imagine::forget`].
    fn forget(&self, state: &mut G::State, salt: u64, rng: &mut dyn Rng);

    /// Returns a hash of a view; see [`Imagine::view_key`].
    fn view_key(&self, view: &G::View<'_>) -> u64;

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

    fn begin(&mut self, seat: Seat) {
        (self.seat, self.knowledge) = (seat, G::Knowledge::default());
    }

    fn watch(&mut self, view: &G::View<'_>) {
        self.game.watch(&mut self.knowledge, self.seat, view);
    }

    fn deal_again(&self, mut rng: &mut dyn Rng) -> G::State {
        self.game.deal_again(&self.knowledge, self.seat, &mut rng)
    }

    fn apply(
        &self,
        state: &mut G::State,
        mover: Seat,
        action: &G::Action,
        seen: &G::View<'_>,
        mut rng: &mut dyn Rng,
    ) {
        let seen = (self.seat, seen);
        self.game.apply_towards(&self.knowledge, state, (mover, action), seen, &mut rng);
    }

    fn forget(&self, state: &mut G::State, salt: u64, mut rng: &mut dyn Rng) {
        self.game.forget(state, salt, &mut rng);
    }

    fn view_key(&self, view: &G::View<'_>) -> u64 {
        self.game.view_key(view)
    }

    fn imagine(&self, view: &G::View<'_>, mut rng: &mut dyn Rng) -> G::State {
        self.game.imagine(&self.knowledge, self.seat, view, &mut rng)
    }
}
