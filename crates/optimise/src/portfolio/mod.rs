//! Portfolios: mixtures of strategies that are hard to exploit, and players that learn which of their strategies is
//! best against their opponent.
//!
//! After Saint-Pierre & Teytaud, *Nash and the bandit approach for adversarial portfolios*, CIG 2014,
//! <https://doi.org/10.1109/CIG.2014.6932897>.
//!
//! ```
//! # mod ruse { pub use {ruse_base::{rng, stop as arena}, ruse_optimise::portfolio, ruse_play::family, ruse_registry as registry}; }
//! use ruse::arena::StopSignal;
//! use ruse::family::Player;
//! use ruse::registry::Registry;
//! use ruse::portfolio::{Effort, NUM_SAMPLES, NashPortfolio, Payoffs};
//! use ruse::rng::StreamKey;
//!
//! let registry = Registry::standard();
//! let war = registry.family("war")?;
//! let names = ["random", "ascending", "descending"];
//! let members = names.map(|name| Player::Named(name.into()));
//! let league = war.league(&members.each_ref())?;
//! let effort = Effort { pairs_per_meeting: 500, num_rounds: 0, with_self: false };
//! let (key, stop) = (StreamKey::root(1), StopSignal::default());
//! let payoffs = Payoffs::estimate(league.as_ref(), members.len(), effort, key, &stop, |_| ())?;
//! let portfolio = NashPortfolio::new(&payoffs, NUM_SAMPLES, key, &stop)?;
//! // The losses of the mixtures come from games that had no part in the choice.
//! let fresh_key = StreamKey::root(2);
//! let fresh = payoffs.fresh(league.as_ref(), &portfolio.mixtures(), 100, fresh_key, &stop, |_| ())?;
//! let portfolio = portfolio.scored_on(&fresh);
//! let [low, high] = portfolio.nash.interval;
//! assert!(low <= portfolio.nash.exploitability && portfolio.nash.exploitability <= high);
//! // Best card first beats the others, so it is the whole mixture.
//! assert_eq!(portfolio.equilibrium.row_support(), [2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod fresh;
mod nash;
mod online;
mod payoffs;
mod raced;
mod split;
pub mod sums;

pub use nash::{Assessed, NUM_SAMPLES, NashPortfolio, best_response, pure};
pub use online::{LearningPoint, LearningSchedule, learning_curve};
pub use payoffs::{Effort, MAX_MEMBERS, PayoffError, Payoffs};
pub use raced::RacedPortfolio;
pub use split::SplitPayoffs;
