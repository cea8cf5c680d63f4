//! The result of a meeting of two players.

use super::spec::MeetingPlan;
use crate::score::Scored;

/// The result of a meeting.
#[derive(Debug, Clone, PartialEq)]
pub struct MeetingResult {
    /// The players, the budget and the rules.
    pub meeting: MeetingPlan,
    /// The score of the player, with the pairs played.
    pub scored: Scored,
}
