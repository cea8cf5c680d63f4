//! What is known of a meeting of two players.

use super::spec::MeetingPlan;
use crate::score::Scored;

/// What came of a meeting.
#[derive(Debug, Clone, PartialEq)]
pub struct MeetingResult {
    /// Who met, at which budget, under which rules.
    pub meeting: MeetingPlan,
    /// The score of the player, and its pairs.
    pub scored: Scored,
}
