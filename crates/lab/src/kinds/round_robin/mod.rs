//! Round robins of players at several budgets and under several rules. All players meet for a fixed number of pairs.
//!
//! The round robins follow the experiments of Ontañón, *Combinatorial multi-armed bandits for real-time strategy games*
//! (JAIR 58, 2017), section 8, figures 7 to 9. They are possible for every family. The unit of sampling is a pair of
//! games with the sides swapped.

mod carry_out;
mod film;
mod results;
mod spec;

pub use film::{Film, Frame};
use results::TABLES;
pub use results::{RoundRobinFiles, RoundRobinResults, ThoughtRow};
pub(super) use spec::PLAYERS;
pub use spec::{
    BUDGET_MARK, MeetingPlan, MeetingResult, RobinPlayer, RoundRobinPlan, RoundRobinSpec,
    RuleSetting,
};
