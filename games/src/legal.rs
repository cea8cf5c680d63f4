//! Legal actions as a list, for games in which they are few.

use crate::Game;

/// A game whose legal actions can be listed, because they are few.
///
/// What is legal follows from what the seat sees, so no state is asked: a player who searches asks for its own
/// actions in the same way as for those of others in a game that it [imagines](crate::Imagine).
///
/// A game with more actions than anybody wants to look at has [`SampleAction`](crate::SampleAction) alone.
pub trait Legal: Game {
    /// Appends the legal actions of the seat that has this view, whose turn it must be: each once, in an order
    /// that is a function of the view.
    fn legal(&self, view: &Self::View<'_>, actions: &mut Vec<Self::Action>);
}
