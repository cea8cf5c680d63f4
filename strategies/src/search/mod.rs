//! Players that search: they play on from what their seat may believe, and take what did best.
//!
//! A search needs no parameters and knows nothing of a game but its rules: [`Imagine`](ruse_games::Imagine) gives it
//! states that agree with what its seat knows, [`Legal`](ruse_games::Legal) or [`SampleAction`] the actions, and
//! [`SampleAction`] the random games. So it plays every game of this workspace, and is named like a reference
//! strategy: `uct@500` thinks for 500 random games at each of its turns; see [`SearchName`].
//!
//! | name | player | module |
//! |---|---|---|
//! | `uct` | upper confidence bounds on trees of what seats know | [`uct`] |
//!
//! [`SampleAction`]: ruse_games::SampleAction

mod any;
mod budget;
mod name;
mod tree;
pub mod uct;

use ruse_games::{Imagine, Legal, SampleAction};

use self::uct::{Drawn, Listed, Uct};

pub use any::{AnyMemory, AnyStrategy};
pub use budget::{Budget, BudgetError};
pub use name::{SearchName, SearchNameError};

/// The searching player of this name for a game whose legal actions can be listed.
pub fn listed<G: Imagine + Legal + SampleAction>(
    game: &G,
    name: &SearchName,
) -> Option<Box<dyn AnyStrategy<G>>> {
    let SearchName::Uct(settings) = name;
    Some(Box::new(Uct::<G, Listed>::new(game, *settings)))
}

/// The searching player of this name for a game of which actions are drawn.
pub fn drawn<G: Imagine + SampleAction>(
    game: &G,
    name: &SearchName,
) -> Option<Box<dyn AnyStrategy<G>>> {
    let SearchName::Uct(settings) = name;
    Some(Box::new(Uct::<G, Drawn>::new(game, *settings)))
}
