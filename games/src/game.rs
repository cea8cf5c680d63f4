//! What it takes to be a game.

use std::error::Error;
use std::fmt::Debug;

use rand::Rng;

use crate::{Seat, Turn};

/// The rules of a two-player zero-sum game with chance and hidden information.
///
/// Simultaneous moves are moves in turn that the other seat does not observe until all are made. All
/// chance comes from the generator handed to [`deal`](Game::deal) and [`apply`](Game::apply), which is
/// never the generator of a strategy. No method allocates: a game is played millions of times.
///
/// What only some games can do is a further trait ([`Legal`](crate::Legal)), never a method here that panics
/// for the others. [`SampleAction`](crate::SampleAction), [`Imagine`](crate::Imagine) and
/// [`AdjustableRules`](crate::AdjustableRules) are expected of every game of this crate, and kept apart
/// because playing does not need them.
pub trait Game: Clone + Send + Sync + 'static {
    /// Everything about a game in progress, hidden information included.
    type State: Clone + Send;
    /// One decision. Putting a whole pile of cards in order is one action.
    type Action: Clone + PartialEq + Default + Send;
    /// What a seat is entitled to know when it decides, and nothing else: a view into the state.
    type View<'a>: Debug + PartialEq;
    /// Why an action is against the rules.
    type Illegal: Error;

    /// Draws the hidden start of a game.
    fn deal<R: Rng>(&self, rng: &mut R) -> Self::State;

    /// Whose turn it is, or how the game ended.
    fn turn(&self, state: &Self::State) -> Turn;

    /// What `seat` sees now.
    fn view<'a>(&self, state: &'a Self::State, seat: Seat) -> Self::View<'a>;

    /// Whether the seat whose turn it is may take `action`.
    ///
    /// # Errors
    ///
    /// Says which rule forbids the action.
    fn check(&self, state: &Self::State, action: &Self::Action) -> Result<(), Self::Illegal>;

    /// Takes the action of `seat`, whose turn it must be, and whatever chance and forced moves follow.
    ///
    /// # Panics
    ///
    /// With debug assertions, when it is not the turn of `seat`, or [`check`](Game::check) refuses the
    /// action: a strategy that breaks the rules is a bug. Actions typed by a person go through `check`
    /// first.
    fn apply<R: Rng>(
        &self,
        state: &mut Self::State,
        seat: Seat,
        action: &Self::Action,
        rng: &mut R,
    );

    /// The steps in which payoffs are counted: each is a multiple of 1 / steps. Two, as here, say that a game is won, drawn or
    /// lost. It divides [`Payoff::PARTS`](crate::Payoff::PARTS).
    fn payoff_steps(&self) -> u16 {
        2
    }
}
