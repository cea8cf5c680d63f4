//! Players of any game: the interface of strategies, searches that know only the rules of a game, and bandits.
//!
//! A [`Strategy`] turns views into actions. A [`ParametricStrategy`] is built from a vector of real parameters, laid
//! out by a [`ParameterSpace`]. This crate knows no particular game except games from rule files.
//!
//! # Searches
//!
//! A search simulates games from states consistent with its knowledge, and takes the best action. It has no trained
//! parameters and uses only the rules of a game: [`Imagine`] provides states consistent with the knowledge of the
//! searching seat, [`Legal`] or [`SampleAction`] provides the actions, and [`SampleAction`] also plays the random games.
//! A search can therefore play every game of this workspace. Searches are named like reference strategies: `uct@500`
//! simulates 500 random games at each of its turns; see [`SearchName`].
//!
//! | name | player | module |
//! |---|---|---|
//! | `uct` | upper confidence bounds on trees of the seats' knowledge | [`uct`] |
//! | `mac-ucb`, `fc-ucb`, `forward-ucb` | stages solved and sampled by upper confidence bounds, for games from rule files | the crate `ruse-csp` |
//! | `naive-mcts`, `mc` and others | a combinatorial bandit in each node, for games without chance | [`naive_mcts`] |

#![warn(unnameable_types)]

mod any;
pub mod bandit;
mod budget;
mod effort;
mod habits;
mod log_linear;
pub mod matrix;
pub mod naive_mcts;
mod name;
mod parameters;
mod settings;
mod stage_settings;
mod stopwatch;
mod strategy;
mod tree;
pub mod uct;
mod whole;

use ruse_games::{Factored, Imagine, Legal, SampleAction, Simulate};

use self::naive_mcts::{BySlots, NaiveMcts, OneSlot};
use self::uct::{Actions, Drawn, Listed, Uct};

pub use any::{AnyMemory, AnyStrategy, ThinkingCost};
pub use budget::{Budget, BudgetError, Countdown};
pub use effort::Effort;
pub use log_linear::{Decision, Decisions, LogLinear, Recorded, RecordedMemory, dot};
pub use name::{SearchName, SearchNameError};
pub use parameters::{Levels, Parameter, ParameterError, ParameterGroup, ParameterSpace};
pub use settings::{Setting, SettingValue, Settings};
pub use stage_settings::{MacUcbSettings, SolverKind};
pub use strategy::{CopyMemory, ParametricStrategy, Strategy, clone_memory, keep_buffers};

/// A searching player, or `None` if the search cannot play the game.
pub type Searcher<G> = Option<Box<dyn AnyStrategy<G>>>;

/// Returns the player `uct` if `name` is its name. Only players that know the rules of a rule file value states.
fn uct<G: Imagine + SampleAction, A: Actions<G>>(game: &G, name: &SearchName) -> Searcher<G> {
    match name {
        SearchName::Uct(settings) if !name.needs_rule_file() => {
            Some(Box::new(Uct::<G, A>::new(game, *settings)))
        }
        _ => None,
    }
}

/// Returns the searching player `name` for a game whose legal actions can be listed.
pub fn listed<G: Imagine + Legal + SampleAction>(game: &G, name: &SearchName) -> Searcher<G> {
    uct::<G, Listed>(game, name)
}

/// Like [`listed`], for a game without chance and with complete information. Any search can play it, because the whole
/// action counts as one slot.
pub fn listed_and_open<G: Imagine + Legal + SampleAction>(
    game: &G,
    name: &SearchName,
) -> Searcher<G> {
    match name {
        SearchName::Uct(_) | SearchName::MacUcb(_) => listed(game, name),
        // The game has neither a clock nor scripts.
        SearchName::NaiveMcts(settings) if settings.carry || settings.num_free.is_some() => None,
        SearchName::NaiveMcts(settings) => {
            Some(Box::new(NaiveMcts::<G, OneSlot>::new(game, *settings, ())))
        }
    }
}

/// Returns the searching player `name` for a game whose actions are sampled.
pub fn drawn<G: Imagine + SampleAction>(game: &G, name: &SearchName) -> Searcher<G> {
    uct::<G, Drawn>(game, name)
}

/// Returns the searching player `name` for a game whose actions have several slots.
pub fn by_slots<G: Factored + Simulate + SampleAction>(game: &G, name: &SearchName) -> Searcher<G> {
    match name {
        SearchName::Uct(_) | SearchName::MacUcb(_) => drawn(game, name),
        SearchName::NaiveMcts(settings) if settings.carry && !game.shows_waiting() => None,
        SearchName::NaiveMcts(settings) if settings.num_free.is_some() => None,
        SearchName::NaiveMcts(settings) => {
            let policy = G::Policy::default();
            Some(Box::new(NaiveMcts::<G, BySlots>::new(game, *settings, policy)))
        }
    }
}
