//! The result of a meeting of two players.

use ruse_play::score::Scored;

use super::spec::MeetingPlan;

/// The result of a meeting.
#[derive(Debug, Clone, PartialEq)]
pub struct MeetingResult {
    /// The players, the budget and the rules.
    pub meeting: MeetingPlan,
    /// The score of the player, with the pairs played.
    pub scored: Scored,
}
