//! Players that search: they play on from what their seat may believe, and take what did best.
//!
//! A search needs no parameters and knows nothing of a game but its rules: [`Imagine`] gives it
//! states that agree with what its seat knows, [`Legal`] or [`SampleAction`] the actions, and
//! [`SampleAction`] the random games. So it plays every game of this workspace, and is named like a reference
//! strategy: `uct@500` thinks for 500 random games at each of its turns; see [`SearchName`].
//!
//! | name | player | module |
//! |---|---|---|
//! | `uct` | upper confidence bounds on trees of what seats know | [`uct`] |
//! | `mac-ucb`, `fc-ucb`, `forward-ucb` | stages solved and sampled by upper confidence bounds, for games from rule files | [`mac_ucb`] |
//! | `naive-mcts`, `mc` and others | a combinatorial bandit in each node, for games without chance | [`naive_mcts`] |

mod any;
mod budget;
pub mod csp;
pub mod mac_ucb;
pub mod naive_mcts;
mod name;
mod stopwatch;
#[cfg(test)]
mod testing;
mod tree;
pub mod uct;
mod whole;

use ruse_games::{Factored, Imagine, Legal, SampleAction, Simulate};

use self::naive_mcts::{BySlots, NaiveMcts, OneSlot};
use self::uct::{Drawn, Listed, Uct};

pub use any::{AnyMemory, AnyStrategy, Thought};
pub use budget::{Budget, BudgetError};
pub use name::{SearchName, SearchNameError};

/// The searching player of this name for a game whose legal actions can be listed.
pub fn listed<G: Imagine + Legal + SampleAction>(
    game: &G,
    name: &SearchName,
) -> Option<Box<dyn AnyStrategy<G>>> {
    match name {
        // States are proven by those who know the rules as rules.
        SearchName::Uct(settings) if settings.has_solver => None,
        SearchName::Uct(settings) => Some(Box::new(Uct::<G, Listed>::new(game, *settings))),
        SearchName::NaiveMcts(_) | SearchName::MacUcb(_) => None,
    }
}

/// As [`listed`], for a game without chance in which all is seen: any search can play it, its actions one slot.
pub fn listed_and_open<G: Imagine + Legal + SampleAction>(
    game: &G,
    name: &SearchName,
) -> Option<Box<dyn AnyStrategy<G>>> {
    match name {
        SearchName::Uct(_) | SearchName::MacUcb(_) => listed(game, name),
        // There is no clock.
        SearchName::NaiveMcts(settings) if settings.carry => None,
        SearchName::NaiveMcts(settings) => {
            Some(Box::new(NaiveMcts::<G, OneSlot>::new(game, *settings, ())))
        }
    }
}

/// The searching player of this name for a game of which actions are drawn.
pub fn drawn<G: Imagine + SampleAction>(
    game: &G,
    name: &SearchName,
) -> Option<Box<dyn AnyStrategy<G>>> {
    match name {
        SearchName::Uct(settings) if settings.has_solver => None,
        SearchName::Uct(settings) => Some(Box::new(Uct::<G, Drawn>::new(game, *settings))),
        SearchName::NaiveMcts(_) | SearchName::MacUcb(_) => None,
    }
}

/// The searching player of this name for a game whose actions are a choice in each of several slots.
pub fn by_slots<G: Factored + Simulate + SampleAction>(
    game: &G,
    name: &SearchName,
) -> Option<Box<dyn AnyStrategy<G>>> {
    match name {
        SearchName::Uct(_) | SearchName::MacUcb(_) => drawn(game, name),
        SearchName::NaiveMcts(settings) if settings.carry && !game.shows_waiting() => None,
        SearchName::NaiveMcts(settings) => {
            let policy = G::Policy::default();
            Some(Box::new(NaiveMcts::<G, BySlots>::new(game, *settings, policy)))
        }
    }
}
