//! Legal actions at random, for any game.

use rand::Rng;

use crate::Game;

/// A game that can draw a legal action.
///
/// This is possible where no list is: a fleet of Battleship is one of 84 million, a pile of War has millions of
/// orders.
pub trait SampleAction: Game {
    /// Writes to `action` a legal action of the seat that has this view, whose turn it must be, each with positive
    /// probability.
    fn sample_action<R: Rng>(&self, view: &Self::View<'_>, rng: &mut R, action: &mut Self::Action);
}
