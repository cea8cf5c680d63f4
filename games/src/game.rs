//! The [`Game`] trait: the rules of a game.

use std::error::Error;
use std::fmt::Debug;

use rand::Rng;

use crate::{Seat, Turn};

/// The rules of a two-player zero-sum game with chance and hidden information.
///
/// Simultaneous moves are modelled as turns: the second seat does not see the first seat's action until both have
/// acted. All chance comes from the generator passed to [`deal`](Game::deal) and [`apply`](Game::apply), which is never
/// the generator of a strategy. No method allocates: a game is played millions of times.
///
/// A capability of only some games is a separate trait, such as [`Legal`](crate::Legal), not a method here that panics
/// for the other games. Every game of this crate implements [`SampleAction`](crate::SampleAction),
/// [`Imagine`](crate::Imagine) and [`AdjustableRules`](crate::AdjustableRules). They are separate because playing does
/// not need them.
pub trait Game: Clone + Send + Sync + 'static {
    /// The complete state of a game in progress, including hidden information.
    type State: Clone + Send;
    /// One decision. Ordering a whole pile of cards, for example, is one action.
    type Action: Clone + PartialEq + Default + Send;
    /// Everything that a seat may know when it decides, and nothing else; borrows from the state.
    type View<'a>: Debug + PartialEq + Sync;
    /// The reason why an action is illegal.
    type Illegal: Error;

    /// Draws the initial state, including hidden cards.
    fn deal<R: Rng>(&self, rng: &mut R) -> Self::State;

    /// Returns whose turn it is, or the result of the finished game.
    fn turn(&self, state: &Self::State) -> Turn;

    /// Returns what `seat` sees now.
    fn view<'a>(&self, state: &'a Self::State, seat: Seat) -> Self::View<'a>;

    /// Checks whether the seat to act may take `action`.
    ///
    /// # Errors
    ///
    /// Returns the rule that forbids the action.
    fn check(&self, state: &Self::State, action: &Self::Action) -> Result<(), Self::Illegal>;

    /// Applies the action of `seat`, whose turn it must be, then the chance events and forced moves that follow.
    ///
    /// # Panics
    ///
    /// With debug assertions, panics if it is not the turn of `seat`, or if [`check`](Game::check) rejects the action:
    /// a strategy that breaks the rules is a bug. Actions typed by people go through `check` first.
    fn apply<R: Rng>(
        &self,
        state: &mut Self::State,
        seat: Seat,
        action: &Self::Action,
        rng: &mut R,
    );

    /// Returns whether a seat sees something at the turns of the other seat that its later views do not show. Players
    /// that remember are then told its views at these turns, too. By default, `false`.
    #[inline]
    fn is_watched(&self) -> bool {
        false
    }

    /// Returns the number of equal steps from payoff 0 to payoff 1; each payoff is a whole number of steps. The
    /// default, 2, allows loss, draw and win. The number must divide [`Payoff::PARTS`](crate::Payoff::PARTS).
    fn payoff_steps(&self) -> u16 {
        2
    }
}
