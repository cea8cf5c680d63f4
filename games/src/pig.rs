//! Pig: a dice game about when to stop.
//!
//! # Rules
//!
//! In turn, a player rolls a die as often as they like, at least once. Rolls of 2 to 6 add to the turn total. When the
//! player **holds**, the turn total is added to their score, and the turn passes to the opponent. A roll of 1 loses the
//! turn total and passes the turn. A player wins as soon as their score and their turn total together reach `goal`
//! points, 100 by default. There are no draws.
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players | both scores, the total of the current turn |
//!
//! # Known values
//!
//! The optimum was computed by Neller & Presser (*Optimal play of the dice game Pig*, The UMAP Journal 25, 2004): if
//! both players play optimally, the first wins with probability .530593. Among players that hold at a fixed total, the
//! one that holds at 25 does best against a player that holds at 20; it scores .5117 (independent prototype).
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod reconstruct;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, BySeat, Game, Imagine, Legal, Payoff, Rule, RulesError, SampleAction, Seat,
    Turn,
};

/// The largest goal, in points. A player that never holds needs thousands of turns to reach it.
pub const MAX_GOAL: u32 = 200;

/// The game of Pig.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pig {
    goal: u32,
}

impl Pig {
    /// Returns the game with a goal of 100 points.
    pub fn standard() -> Pig {
        Pig { goal: 100 }
    }

    /// Returns the number of points needed to win.
    pub fn goal(&self) -> u32 {
        self.goal
    }

    /// Returns the game at the turn of `seat`, with the total of this turn so far.
    ///
    /// # Panics
    ///
    /// Panics if a score has reached the goal: the game would be over.
    #[inline]
    pub fn start(&self, scores: BySeat<u32>, seat: Seat, turn_total: u32) -> PigState {
        let before = scores[seat] + turn_total < self.goal && scores[seat.other()] < self.goal;
        assert!(before, "{scores:?} and {turn_total} rolled: the game is over");
        PigState { scores, turn_total, mover: seat }
    }

    /// Updates the state after a roll of `pips` by `seat`, whose turn it must be.
    #[inline(always)]
    fn roll(&self, state: &mut PigState, seat: Seat, pips: u32) {
        if pips == 1 {
            state.turn_total = 0;
            state.mover = seat.other();
        } else {
            state.turn_total += pips;
        }
    }
}

/// A game of [`Pig`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PigState {
    scores: BySeat<u32>,
    turn_total: u32,
    /// The seat to act, or the winner if the game is over.
    mover: Seat,
}

/// An action in [`Pig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum PigAction {
    /// Rolls the die.
    #[default]
    Roll,
    /// Adds the turn total to the score, and ends the turn.
    Hold,
}

/// The view of a seat in [`Pig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PigView {
    /// The score of this seat, without the current turn.
    pub own: u32,
    /// The score of the opponent, without the current turn.
    pub opponent: u32,
    /// The total of the current turn, of either seat; 0 before the first roll.
    pub turn_total: u32,
}

/// The reason why an action was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalPigAction {
    /// A turn must begin with a roll, or players who never roll would play for ever.
    #[error("a turn begins with a roll; nothing has been rolled to hold")]
    NothingToHold,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Game for Pig {
    type State = PigState;
    type Action = PigAction;
    type View<'a> = PigView;
    type Illegal = IllegalPigAction;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> PigState {
        self.start(BySeat::default(), Seat::First, 0)
    }

    #[inline(always)]
    fn turn(&self, state: &PigState) -> Turn {
        if state.scores[state.mover] + state.turn_total >= self.goal {
            Turn::Over(Payoff::won_by(state.mover))
        } else {
            Turn::Act(state.mover)
        }
    }

    #[inline(always)]
    fn view(&self, state: &PigState, seat: Seat) -> PigView {
        PigView {
            own: state.scores[seat],
            opponent: state.scores[seat.other()],
            turn_total: state.turn_total,
        }
    }

    #[inline]
    fn check(&self, state: &PigState, action: &PigAction) -> Result<(), IllegalPigAction> {
        match (self.turn(state), action) {
            (Turn::Over(_), _) => Err(IllegalPigAction::GameOver),
            (_, PigAction::Hold) if state.turn_total == 0 => Err(IllegalPigAction::NothingToHold),
            _ => Ok(()),
        }
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut PigState, seat: Seat, action: &PigAction, rng: &mut R) {
        debug_assert_eq!(self.turn(state), Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules of Pig");
        match action {
            // Uniform to within 2^-61.
            PigAction::Roll => {
                let pips = 1 + ((u128::from(rng.next_u64()) * 6) >> 64) as u32;
                self.roll(state, seat, pips);
            }
            PigAction::Hold => {
                state.scores[seat] += state.turn_total;
                state.turn_total = 0;
                state.mover = seat.other();
            }
        }
    }
}

impl SampleAction for Pig {
    fn sample_action<R: Rng>(&self, view: &PigView, rng: &mut R, action: &mut PigAction) {
        // Holds with probability 1/8, because a player that holds half of the time makes hardly any progress.
        let holds = view.turn_total > 0 && rng.next_u64() >> 61 == 0;
        *action = if holds { PigAction::Hold } else { PigAction::Roll };
    }
}

impl Legal for Pig {
    fn legal(&self, view: &PigView, actions: &mut Vec<PigAction>) {
        actions.push(PigAction::Roll);
        if view.turn_total > 0 {
            actions.push(PigAction::Hold);
        }
    }
}

impl Imagine for Pig {
    /// Empty, because nothing is hidden.
    type Knowledge = ();

    fn imagine<R: Rng>(&self, (): &(), seat: Seat, view: &PigView, _rng: &mut R) -> PigState {
        self.start(BySeat::seen_by(seat, view.own, view.opponent), seat, view.turn_total)
    }

    fn view_key(&self, view: &PigView) -> u64 {
        key_of([view.own.into(), view.opponent.into(), view.turn_total.into()])
    }
}

impl AdjustableRules for Pig {
    fn rules(&self) -> Vec<Rule> {
        vec![Rule::new("goal", "points that win", self.goal, 2..=u64::from(MAX_GOAL))]
    }

    fn with_values(&self, values: &[u64]) -> Result<Pig, RulesError> {
        Ok(Pig { goal: values[0] as u32 })
    }
}

#[cfg(test)]
mod tests;
