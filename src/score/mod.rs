//! How good a strategy is: scores over a fixed number of pairs, with intervals, and how often it decides otherwise
//! than another.

mod cross_play;
mod divergence;
mod interval;
mod tally;

pub use cross_play::{CrossTable, cross_play};
pub use divergence::{Divergence, Example, Share, divergence};
pub(crate) use interval::student_quantile;
pub use interval::{CONFIDENCE, score_interval, score_interval_at};
pub use tally::{
    Estimate, Tally, max_pairs_to_half_width, score, score_to_half_width, score_watched,
};
