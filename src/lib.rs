//! Tunes parametric strategies for partially observable games, and says how sure it is.
//!
//! The pipeline, from the rules to a champion:
//!
//! 1. [`ruse_games`] has the rules, [`ruse_strategies`] what plays them; an
//!    [`family::Registry`] turns the names a user types into [`family::AnyFamily`].
//! 2. [`rng`] names every stream of random numbers by what it is for.
//! 3. [`arena`] plays pairs of games on all threads, with results in order.
//! 4. [`race`] decides from them, as soon as it can, which of two strategies is better.
//! 5. [`optimise`] proposes candidates and keeps those that win their race.
//! 6. [`evaluate`] says how good the result is, with intervals; [`portfolio`] mixes what was learned.
//! 7. [`experiment`] has what a run is made of and the files it leaves; [`cli`] is the program.
//! 8. [`report`] makes tables of what came of many runs, and [`figures`] the data of pictures, which
//!    [`ruse_plots`] draws; [`report_page`] puts all of it on one page.
//! 9. [`play`] is a person at the table, against any of these strategies.
//! 10. [`mod@bench`] says how fast all of this is on the machine at hand.
//!
//! ```
//! use ruse::arena::StopSignal;
//! use ruse::evaluate::score;
//! use ruse::family::{ContestantSpec, Registry};
//! use ruse::rng::StreamKey;
//!
//! let registry = Registry::standard();
//! let war = registry.family("war")?;
//! let best_card_first = ContestantSpec::Parameters(vec![0.0, -9.0, 9.0]);
//! let matchup = war.matchup(&best_card_first, &ContestantSpec::Reference("random".into()))?;
//! let (tally, _) =
//!     score(matchup.as_ref(), StreamKey::root(1), 2_000, &StopSignal::default(), |_| ());
//! let estimate = tally.estimate().expect("2000 pairs were played");
//! assert!(estimate.interval[0] > 0.65);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The same in a few lines for other things: carry out an experiment, in [`lab`]; run an optimiser, in [`optimise`]; read a strategy file, at
//! [`experiment::StrategyFile`]; say what a best response takes, in [`evaluate`]; mix strategies, in [`portfolio`];
//! make tables, in [`report`]. A game, a family or a method of your own implements
//! [`games::Game`], [`strategies::Family`] or [`optimise::OwnMethod`], and gets all commands by [`cli::run`].
//!
//! What may grow is `#[non_exhaustive]`: errors, and names of which there may be more. What comes out for a seed may
//! change with a version, and is said to in the changelog.

#![warn(unnameable_types)]

pub mod arena;
pub mod bench;
pub mod cli;
pub mod evaluate;
pub mod experiment;
pub mod family;
pub mod figures;
pub mod lab;
pub mod optimise;
pub mod play;
pub mod portfolio;
pub mod race;
pub mod report;
pub mod report_page;
pub mod rng;
mod visible;

// What the interfaces above are made of: a program needs no other dependency to have them.
pub use rand;
pub use ruse_games as games;
pub use ruse_plots as plots;
pub use ruse_strategies as strategies;
pub use serde_json;
