//! Games that can list their legal actions.

use crate::Game;

/// A game with so few legal actions that it can list them.
///
/// The legal actions depend on the view alone, not on the state, so a search lists its own actions and its opponent's
/// actions in an [imagined](crate::Imagine) game in the same way.
///
/// A game with too many actions to enumerate implements [`SampleAction`](crate::SampleAction) only.
pub trait Legal: Game {
    /// Appends each legal action of the seat with this view to `actions`, once. It must be this seat's turn. The order
    /// of the actions depends only on the view.
    fn legal(&self, view: &Self::View<'_>, actions: &mut Vec<Self::Action>);
}
