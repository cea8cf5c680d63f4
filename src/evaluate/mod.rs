//! How good a strategy is: scores over a fixed number of pairs, with intervals, and what a best response takes
//! from it.
//!
//! ```
//! use ruse::family::{ContestantSpec, Registry};
//!
//! // Where the best response is known exactly; elsewhere a `ResponseSearch` finds a lower bound.
//! let registry = Registry::standard();
//! let pig = registry.family("pig")?;
//! let hold_20 = ContestantSpec::Reference("hold-20".into());
//! let response = pig.best_response(&hold_20)?.expect("Pig is solved");
//! // Perfect play, which does not know whom it meets, scores .5325 (Neller & Presser 2004).
//! assert!(response.score() > 0.5325, "{}", response.score());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cross_play;
mod divergence;
mod exploitability;
mod interval;
mod tally;

pub use cross_play::{CrossTable, cross_play};
pub use divergence::{Divergence, Example, Share, divergence};
pub use exploitability::{LowerBound, Responder, ResponseSearch, SearchStage};
pub(crate) use interval::student_quantile;
pub use interval::{CONFIDENCE, score_interval, score_interval_at};
pub use tally::{
    Estimate, Tally, max_pairs_to_half_width, score, score_to_half_width, score_watched,
};
