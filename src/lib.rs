//! Tunes parametric strategies for partially observable games, and says how sure it is.
//!
//! The modules, lowest first; a module knows those below it and none above (`tests/layers.rs`):
//!
//! 1. [`ruse_games`] has the rules, [`ruse_strategies`] what plays them.
//! 2. [`rng`] names every stream of random numbers by what it is for; [`files`] reads and writes files of any kind.
//! 3. [`arena`] plays pairs of games on all threads, with results in order.
//! 4. [`score`] says how good a strategy is, with intervals; [`race`] decides, as soon as it can, which of two is
//!    better; [`matrix`] solves zero-sum games.
//! 5. [`session`] is a person at the table. [`family`] hides the types of a game and of what plays it.
//! 6. [`optimise`] proposes candidates and keeps those that win their race; the [`registry`] turns the names that a
//!    user types into families and methods.
//! 7. [`exploit`] says what a best response takes from a strategy; [`portfolio`] mixes what was learned.
//! 8. [`lab`], the main entrance, carries out experiments: what is planned, what is done, and the files of both.
//!    [`bandits`] lets combinatorial bandits choose arms, and says what they regret.
//! 9. [`report`] makes tables and a page of what came of it, and [`figures`] the data of pictures, which
//!    [`ruse_plots`] draws. [`playable`] is a page on which persons play against strategies. [`speed`] measures how fast this
//!    machine plays.
//! 10. [`cli`] is the program.
//!
//! ```
//! use ruse::arena::StopSignal;
//! use ruse::family::Player;
//! use ruse::registry::Registry;
//! use ruse::rng::StreamKey;
//! use ruse::score::{Until, score};
//!
//! let registry = Registry::standard();
//! let war = registry.family("war")?;
//! let best_card_first = Player::Parameters(vec![0.0, -9.0, 9.0]);
//! let duel = war.duel(&best_card_first, &Player::Named("random".into()))?;
//! let (scored, _) =
//!     score(&duel, StreamKey::root(1), Until::Pairs(2_000), &StopSignal::default(), |_| ());
//! let estimate = scored.estimate().expect("2000 pairs were played");
//! assert!(estimate.interval[0] > 0.65);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same in a few lines for other things: carry out an experiment, in [`lab`]; run an optimiser, in [`optimise`]; read a
//! strategy file, at [`lab::StrategyFile`]; say what a best response takes, in [`exploit`]; mix strategies, in [`portfolio`];
//! make tables, in [`report`]. A game, a family or a method of your own implements
//! [`games::Game`], [`strategies::Family`] or [`optimise::MethodKind`], and gets all commands by [`cli::run`].
//!
//! What may grow is `#[non_exhaustive]`: errors, and names of which there may be more. What comes out for a seed may
//! change with a version, and is said to in the changelog.

#![warn(unnameable_types)]

pub mod arena;
pub mod bandits;
#[cfg(feature = "cli")]
pub mod cli;
pub mod exploit;
pub mod family;
#[cfg(feature = "figures")]
pub mod figures;
pub mod files;
pub mod lab;
pub mod matrix;
mod names;
pub mod notation;
pub mod optimise;
#[cfg(feature = "cli")]
pub mod playable;
pub mod portfolio;
pub mod race;
pub mod registry;
pub mod report;
pub mod rng;
pub mod score;
pub mod session;
pub mod speed;
mod visible;

pub use names::UnknownName;

// What the interfaces above are made of: a program needs no other dependency to have them.
pub use rand;
pub use ruse_games as games;
#[cfg(feature = "figures")]
pub use ruse_plots as plots;
pub use ruse_strategies as strategies;
pub use schemars;
pub use serde;
pub use serde_json;
