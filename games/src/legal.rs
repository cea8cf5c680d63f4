//! Games with few legal actions, as a list.

use crate::Game;

/// A game with few legal actions, which it can list.
///
/// The legal actions depend on the view alone, not on the state, so a search lists its own actions and its opponent's
/// actions in an [imagined](crate::Imagine) game in the same way.
///
/// A game with too many actions to enumerate implements [`SampleAction`](crate::SampleAction) only.
pub trait Legal: Game {
    /// Appends each legal action once. It must be the turn of the seat with this view. The order is a function of the
    /// view.
    fn legal(&self, view: &Self::View<'_>, actions: &mut Vec<Self::Action>);
}
