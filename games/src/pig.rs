//! Pig: a dice game of when to stop.
//!
//! # Rules
//!
//! In turn, a player rolls a die as often as they like, at least once. As long as they roll 2 to 6, the rolls
//! add up. When they **hold**, the sum is added to their score, and the turn passes to the opponent. When they
//! roll a 1, the sum is lost and the turn passes. The first player with `goal` points, 100 by default, the score and the
//! sum of the turn taken together, wins at once. There are no draws.
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players | both scores, the sum of the present turn |
//!
//! # Known values
//!
//! The optimum was computed by Neller & Presser (*Optimal play of the dice game Pig*, The UMAP Journal 25,
//! 2004): the first player then wins with probability .530593. Of the players who hold at a fixed sum, the
//! one who holds at 25 does best against holding at 20, .5117 (independent prototype).
//!
//! # Versions
//!
//! 1: as above.

mod board;
mod retell;

use std::collections::BTreeMap;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, BySeat, Game, Imagine, Legal, Payoff, Rule, RulesError, SampleAction, Seat,
    Turn,
};

/// The largest goal: who never holds needs thousands of turns for it.
pub const MAX_GOAL: u32 = 200;

/// The game of Pig.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pig {
    goal: u32,
}

impl Pig {
    /// Up to 100 points.
    pub fn standard() -> Pig {
        Pig { goal: 100 }
    }

    /// The points that win.
    pub fn goal(&self) -> u32 {
        self.goal
    }

    /// The game in which `seat` has rolled `turn_total` in its turn.
    ///
    /// # Panics
    ///
    /// When a score has reached the goal: the game would be over.
    #[inline]
    pub fn start(&self, scores: BySeat<u32>, seat: Seat, turn_total: u32) -> PigState {
        let before = scores[seat] + turn_total < self.goal && scores[seat.other()] < self.goal;
        assert!(before, "{scores:?} and {turn_total} rolled: the game is over");
        PigState { scores, turn_total, mover: seat }
    }

    /// What happens when `seat`, whose turn it is, rolls `pips`.
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
    /// The seat whose turn it is, or who has won.
    mover: Seat,
}

/// A decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum PigAction {
    /// Rolls the die once more.
    #[default]
    Roll,
    /// Adds the sum of the turn to the score, and ends the turn.
    Hold,
}

/// What a seat sees of [`Pig`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PigView {
    /// The score of this seat, without the present turn.
    pub own: u32,
    /// The score of the opponent, without the present turn.
    pub opponent: u32,
    /// The sum of the present turn, whoever plays it; 0 before its first roll.
    pub turn_total: u32,
}

/// Why a decision was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalPigAction {
    /// Two players who never roll would never end.
    #[error("a turn begins with a roll; nothing has been rolled to hold")]
    NothingToHold,
    /// A seat has won.
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
        // Holding once in eight: who tosses a coin each time hardly gets anywhere.
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
    /// Nothing is hidden.
    type Knowledge = ();

    fn imagine<R: Rng>(&self, (): &(), seat: Seat, view: &PigView, _rng: &mut R) -> PigState {
        let own_or_other = |of| if of == seat { view.own } else { view.opponent };
        self.start(BySeat::from_fn(own_or_other), seat, view.turn_total)
    }

    fn view_key(&self, view: &PigView) -> u64 {
        key_of([view.own.into(), view.opponent.into(), view.turn_total.into()])
    }
}

impl AdjustableRules for Pig {
    fn rules(&self) -> Vec<Rule> {
        vec![Rule {
            name: "goal".into(),
            meaning: "points that win".into(),
            value: u64::from(self.goal),
            range: 2..=u64::from(MAX_GOAL),
        }]
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<Pig, RulesError> {
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        Ok(Pig { goal: rules[0].value as u32 })
    }
}

#[cfg(test)]
mod tests;
