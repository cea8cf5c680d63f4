//! Games from the point of view of a search over slots.

use std::fmt::Debug;

use rand::Rng;
use ruse_games::{Factored, Imagine, Legal, SampleAction, Seat, Simulate, Slots, Turn};

use crate::bandit::cmab::Problem;

/// The game operations for a search over slots.
pub trait Model<G: Imagine>: Send + Sync + 'static {
    /// A value of a slot.
    type Value: Copy + PartialEq + Debug + Send + Sync;
    /// The resources that the values chosen so far use.
    type Partial: Clone + Default + Send;
    /// The policy of simulations.
    type Policy: Clone + Default + Send + Sync;

    /// Like [`Factored::slots`].
    fn slots(game: &G, state: &G::State, seat: Seat, slots: &mut Slots<Self::Value>);
    /// Like [`Factored::begin`].
    fn begin(game: &G, state: &G::State, seat: Seat, partial: &mut Self::Partial);
    /// Like [`Factored::admits`].
    fn admits(game: &G, partial: &Self::Partial, slot: usize, value: Self::Value) -> bool;
    /// Like [`Factored::fix`].
    fn fix(game: &G, partial: &mut Self::Partial, slot: usize, value: Self::Value);
    /// Like [`Factored::assemble`].
    fn assemble(
        game: &G,
        state: &G::State,
        seat: Seat,
        slots: &Slots<Self::Value>,
        chosen: &[u16],
        action: &mut G::Action,
    );
    /// Like [`Factored::both_decide`].
    fn both_decide(game: &G, state: &G::State) -> bool;
    /// Like [`Simulate::withdraw`].
    fn withdraw(game: &G, state: &mut G::State);
    /// Like [`Simulate::draw`].
    fn draw<R: Rng>(
        game: &G,
        state: &G::State,
        seat: Seat,
        policy: &Self::Policy,
        rng: &mut R,
        action: &mut G::Action,
    );
    /// Like [`Simulate::play_ahead`].
    fn play_ahead<R: Rng>(
        game: &G,
        state: &mut G::State,
        policy: &Self::Policy,
        horizon: u32,
        rng: &mut R,
    );
    /// Like [`Simulate::judge`].
    fn judge(game: &G, state: &G::State, seat: Seat) -> f64;
    /// Like [`Simulate::clock`]; 0 for games without a clock.
    fn clock(game: &G, state: &G::State) -> u32;
    /// Like [`Simulate::waited`]; 0 for games without a clock.
    fn waited(game: &G, state: &G::State) -> u32;
}

/// The model that uses the slots and the simulations of the game itself.
#[derive(Debug, Clone, Copy)]
pub enum BySlots {}

impl<G: Factored + Simulate> Model<G> for BySlots {
    type Value = G::Value;
    type Partial = G::Partial;
    type Policy = G::Policy;

    fn slots(game: &G, state: &G::State, seat: Seat, slots: &mut Slots<G::Value>) {
        game.slots(state, seat, slots);
    }

    fn begin(game: &G, state: &G::State, seat: Seat, partial: &mut G::Partial) {
        Factored::begin(game, state, seat, partial);
    }

    #[inline]
    fn admits(game: &G, partial: &G::Partial, slot: usize, value: G::Value) -> bool {
        game.admits(partial, slot, value)
    }

    #[inline]
    fn fix(game: &G, partial: &mut G::Partial, slot: usize, value: G::Value) {
        game.fix(partial, slot, value);
    }

    fn assemble(
        game: &G,
        state: &G::State,
        seat: Seat,
        slots: &Slots<G::Value>,
        chosen: &[u16],
        action: &mut G::Action,
    ) {
        game.assemble(state, seat, slots, chosen, action);
    }

    fn both_decide(game: &G, state: &G::State) -> bool {
        game.both_decide(state)
    }

    fn withdraw(game: &G, state: &mut G::State) {
        game.withdraw(state);
    }

    fn draw<R: Rng>(
        game: &G,
        state: &G::State,
        seat: Seat,
        policy: &G::Policy,
        rng: &mut R,
        action: &mut G::Action,
    ) {
        Simulate::draw(game, state, seat, policy, rng, action);
    }

    fn play_ahead<R: Rng>(
        game: &G,
        state: &mut G::State,
        policy: &G::Policy,
        horizon: u32,
        rng: &mut R,
    ) {
        game.play_ahead(state, policy, horizon, rng);
    }

    fn judge(game: &G, state: &G::State, seat: Seat) -> f64 {
        game.judge(state, seat)
    }

    fn clock(game: &G, state: &G::State) -> u32 {
        game.clock(state)
    }

    fn waited(game: &G, state: &G::State) -> u32 {
        game.waited(state)
    }
}

/// The model that treats an action as one slot, whose values are the legal actions. Simulations make up to `horizon`
/// random actions; an unfinished game counts as a draw.
///
/// Simultaneous moves are searched one after the other: the second player treats the first choice as a random draw that
/// agrees with its own knowledge.
#[derive(Debug, Clone, Copy)]
pub enum OneSlot {}

impl<G: Imagine + Legal + SampleAction> Model<G> for OneSlot {
    type Value = u16;
    type Partial = ();
    type Policy = ();

    fn slots(game: &G, state: &G::State, seat: Seat, slots: &mut Slots<u16>) {
        let mut actions = Vec::new();
        game.legal(&game.view(state, seat), &mut actions);
        slots.clear();
        (0..actions.len()).for_each(|index| slots.push(index as u16));
        slots.end_slot();
    }

    fn begin(_game: &G, _state: &G::State, _seat: Seat, _partial: &mut ()) {}

    fn admits(_game: &G, _partial: &(), _slot: usize, _value: u16) -> bool {
        true
    }

    fn fix(_game: &G, _partial: &mut (), _slot: usize, _value: u16) {}

    fn assemble(
        game: &G,
        state: &G::State,
        seat: Seat,
        _slots: &Slots<u16>,
        chosen: &[u16],
        action: &mut G::Action,
    ) {
        let mut actions = Vec::new();
        game.legal(&game.view(state, seat), &mut actions);
        *action = actions.swap_remove(usize::from(chosen[0]));
    }

    fn both_decide(_game: &G, _state: &G::State) -> bool {
        false
    }

    fn withdraw(_game: &G, _state: &mut G::State) {}

    fn draw<R: Rng>(
        game: &G,
        state: &G::State,
        seat: Seat,
        _policy: &(),
        rng: &mut R,
        action: &mut G::Action,
    ) {
        game.sample_action(&game.view(state, seat), rng, action);
    }

    fn play_ahead<R: Rng>(game: &G, state: &mut G::State, _policy: &(), horizon: u32, rng: &mut R) {
        let mut action = G::Action::default();
        for _ in 0..horizon {
            let Turn::Act(mover) = game.turn(state) else { return };
            game.sample_action(&game.view(state, mover), rng, &mut action);
            game.apply(state, mover, &action, rng);
        }
    }

    fn judge(game: &G, state: &G::State, seat: Seat) -> f64 {
        let Turn::Over(payoff) = game.turn(state) else { return 0.0 };
        let first = 2.0 * payoff.score() - 1.0;
        if seat == Seat::First { first } else { -first }
    }

    fn clock(_game: &G, _state: &G::State) -> u32 {
        0
    }

    fn waited(_game: &G, _state: &G::State) -> u32 {
        0
    }
}

/// The arms of a seat in a state, as a bandit problem.
pub(super) struct Choices<'a, G: Imagine, M: Model<G>> {
    pub(super) game: &'a G,
    pub(super) state: &'a G::State,
    pub(super) seat: Seat,
    pub(super) slots: &'a Slots<M::Value>,
    pub(super) sizes: &'a [u16],
}

impl<G: Imagine, M: Model<G>> Problem for Choices<'_, G, M> {
    type Partial = M::Partial;

    fn sizes(&self) -> &[u16] {
        self.sizes
    }

    fn begin(&self, partial: &mut M::Partial) {
        M::begin(self.game, self.state, self.seat, partial);
    }

    #[inline]
    fn admits(&self, partial: &M::Partial, variable: usize, value: u16) -> bool {
        let value = self.slots.values(variable)[usize::from(value)];
        M::admits(self.game, partial, variable, value)
    }

    #[inline]
    fn fix(&self, partial: &mut M::Partial, variable: usize, value: u16) {
        let value = self.slots.values(variable)[usize::from(value)];
        M::fix(self.game, partial, variable, value);
    }
}
