//! How good a strategy is: scores over a fixed number of pairs, with intervals, and what a best response takes
//! from it.

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
