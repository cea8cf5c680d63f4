//! Games that can be judged before they end.

use rand::Rng;

use crate::{Imagine, Seat};

/// A game that can be played ahead for a while, and judged before its end.
///
/// This is for players who search in states that they [imagine](Imagine), in games too long to be played to the end.
pub trait Simulate: Imagine {
    /// What moves in games played ahead. The default is the policy that is usual for the game.
    type Policy: Clone + Send + Sync + Default;

    /// Plays both seats by `policy` for `horizon` units of the [clock](Simulate::clock), or to the end of the game.
    ///
    /// It begins in any state, also in one in which actions of one seat wait for those of the other. It may stop between
    /// two turns; the state can then be judged, but not be played on by turns.
    fn play_ahead<R: Rng>(
        &self,
        state: &mut Self::State,
        policy: &Self::Policy,
        horizon: u32,
        rng: &mut R,
    );

    /// Draws an action of `seat`, which decides in `state`, by `policy`.
    fn draw<R: Rng>(
        &self,
        state: &Self::State,
        seat: Seat,
        policy: &Self::Policy,
        rng: &mut R,
        action: &mut Self::Action,
    );

    /// Takes back what the first seat has done if the second decides in the same moment, without seeing it: then it is the
    /// turn of the first seat again. Nothing happens otherwise, and in games in which seats do not decide at once.
    fn withdraw(&self, state: &mut Self::State) {
        let _ = state;
    }

    /// How good `state` is for `seat`, from -1 (lost) to 1 (won). The number for the other seat is the opposite.
    fn judge(&self, state: &Self::State, seat: Seat) -> f64;

    /// The time of the game: turns, or the unit in which the rules measure how long things take. It never goes back.
    fn clock(&self, state: &Self::State) -> u32;

    /// Whether everybody sees when actions were chosen last, and time passes between choices.
    fn shows_waiting(&self) -> bool {
        false
    }

    /// Units of the clock since the last moment before this one at which anybody chose: 0 in the first, and where that is not
    /// [shown](Simulate::shows_waiting).
    fn waited(&self, state: &Self::State) -> u32 {
        let _ = state;
        0
    }
}
