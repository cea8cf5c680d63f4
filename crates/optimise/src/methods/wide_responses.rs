//! Responses among all players of a game, which a run may ask for.

use ruse_base::rng::StreamKey;
use ruse_base::stop::{Result, StopSignal};
use ruse_play::family::Player;
use ruse_play::score::Estimate;
use serde::{Deserialize, Serialize};

/// A player from outside a method's family, as plain data.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visitor {
    /// The name of the player's family.
    pub family: String,
    /// The name of the reference strategy or of the search; `None` for a strategy with parameters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The parameters, unless the player has a name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<f64>,
}

/// A response to a mixture.
#[derive(Debug, Clone, PartialEq)]
pub enum WideResponse {
    /// A strategy of the family itself: `[dimension]`.
    Own(Vec<f64>),
    /// Another player.
    Visitor(Visitor),
}

/// A response with its score.
pub(super) type Scored = (WideResponse, Estimate);

/// A source of responses among all players of the game.
pub trait WideResponses: Send + Sync {
    /// Searches for a response to `mixture`, and returns it with its score, and the number of games that the search
    /// took. There is no response if none was found that scores more than one half, or if the games do not suffice.
    ///
    /// # Errors
    ///
    /// Returns an error if the search was stopped.
    fn respond(
        &self,
        mixture: &Player,
        max_games: u64,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<(Option<Scored>, u64)>;

    /// Returns the visitor as a player in the games of the family; `None` if there is no such player.
    fn player(&self, visitor: &Visitor) -> Option<Player>;
}
