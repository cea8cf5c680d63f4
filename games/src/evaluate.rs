//! Games that can be evaluated before they end.

use rand::Rng;

use crate::{Imagine, Seat};

/// A game that can be simulated for a limited time and evaluated before its end.
///
/// For players that search in [imagined](Imagine) states of games that are too long to be played to the end.
pub trait Simulate: Imagine {
    /// The policy of both seats in simulations. The default value is the usual policy for the game.
    type Policy: Clone + Send + Sync + Default;

    /// Plays both seats according to `policy` for `horizon` units of the [clock](Simulate::clock), or until the game
    /// ends.
    ///
    /// `state` may be any state, including one in which only one seat has chosen its actions. The simulation may stop
    /// between two turns; the resulting state can then be evaluated, but not played on.
    fn play_ahead<R: Rng>(
        &self,
        state: &mut Self::State,
        policy: &Self::Policy,
        horizon: u32,
        rng: &mut R,
    );

    /// Draws an action for `seat`, whose turn it must be in `state`, according to `policy`.
    fn draw<R: Rng>(
        &self,
        state: &Self::State,
        seat: Seat,
        policy: &Self::Policy,
        rng: &mut R,
        action: &mut Self::Action,
    );

    /// If both seats decide at once and only the first has chosen, undoes this choice and gives the first seat the
    /// turn. Otherwise does nothing.
    fn withdraw(&self, state: &mut Self::State) {
        let _ = state;
    }

    /// Evaluates `state` for `seat`, from -1 (lost) to 1 (won). The value for the other seat is the negative.
    fn judge(&self, state: &Self::State, seat: Seat) -> f64;

    /// Returns the time of the game, in turns or in the time unit of the rules. The time never decreases.
    fn clock(&self, state: &Self::State) -> u32;

    /// Returns whether time passes between choices and both seats see when actions were last chosen.
    fn shows_waiting(&self) -> bool {
        false
    }

    /// Returns the number of clock units from the previous choice of either seat to the current one: 0 if there was no
    /// previous choice, or if the game does not [show](Simulate::shows_waiting) the time.
    fn waited(&self, state: &Self::State) -> u32 {
        let _ = state;
        0
    }
}
