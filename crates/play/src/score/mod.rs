//! Measures the strength of strategies: scores over a fixed number of pairs, with intervals, and how often a strategy
//! decides differently from another.

mod best;
mod difference;
mod divergence;
mod goals;
pub mod hypothesis;
mod interval;
mod over_meetings;
mod power;
mod round_robin;
mod sample_mean;
mod scored;
mod shared_deals;
mod tally;
#[cfg(test)]
pub(crate) mod tests;

pub use best::{Best, Contender, best_of};
pub use difference::{Difference, difference};
pub use divergence::{Divergence, Example, Share, divergence};
pub use goals::mean_goals;
pub use hypothesis::student_p_value;
pub use interval::{CONFIDENCE, score_interval_at, student_quantile};
pub use over_meetings::over_meetings;
pub use power::{difference_shown, least_to_show, pairs_to_show, runs_to_show};
pub use round_robin::{Deals, MAX_ENTRANTS, MAX_SOLVED, Pairings, Request, RoundRobin, play_all};
pub use sample_mean::{SampleMean, sample_variance};
pub use scored::{Scored, Until, known, max_pairs_to_half_width, sample, score};
pub use shared_deals::SharedDeals;
pub use tally::{Estimate, Tally};
