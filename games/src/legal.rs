//! Games that can list their legal actions.

use std::hash::Hash;

use crate::Game;

/// A game with so few legal actions that it can list them.
///
/// The legal actions depend on the view alone, not on the state, so a search lists its own actions and its opponent's
/// actions in an [imagined](crate::Imagine) game in the same way.
///
/// A game with too many actions to enumerate implements only [`SampleAction`](crate::SampleAction).
pub trait Legal: Game<Action: Hash> {
    /// Appends all legal actions of the seat with this view to `actions`, each once. It must be this seat's turn. The
    /// order of the actions depends only on the view.
    fn legal(&self, view: &Self::View<'_>, actions: &mut Vec<Self::Action>);
}
