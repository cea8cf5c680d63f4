//! Guess Who: a race to find out the opponent's secret character.
//!
//! # Rules
//!
//! Each player secretly draws one of `characters` characters, 128 by default. In turn, each asks the other a question
//! that is answered truthfully with yes or no, such as "is it one of these 40?". A player wins as soon as only one
//! character fits all answers about the opponent's character.
//!
//! The asker has `n` remaining characters. All characters are alike, so a question is a number `c` from 1 to `n` - 1:
//! for `c` of these characters the answer would be yes. With probability `c` / `n` the answer is yes and `c` characters
//! remain, otherwise `n` - `c` remain. There are no draws.
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players | how many characters each player has left |
//!
//! Neither player knows the opponent's character. The state does not contain it: each remaining character is equally
//! likely, so the answer can be drawn when the question is asked.
//!
//! # Known values
//!
//! The optimum is known in closed form (Nica, *Optimal strategy in "Guess Who?": beyond binary search*, Probability in
//! the Engineering and Informational Sciences 30, 2016, arXiv 1509.03327). If both players play optimally, the first
//! wins with probability .666748 from 128 characters (independent prototype). A player who is behind should ask about
//! fewer than half of their characters.
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod drawing;
mod reconstruct;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, BySeat, Game, Imagine, Legal, Rule, RulesError, SampleAction, Seat, Turn,
};

/// The largest number of characters. A game with more characters would be essentially the same.
pub const MAX_CHARACTERS: u32 = 1024;

/// The game of Guess Who.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuessWho {
    num_characters: u32,
}

impl GuessWho {
    /// Returns the game with 128 characters, as in Cauwet & Teytaud 2018, section III-A.
    pub fn standard() -> GuessWho {
        GuessWho { num_characters: 128 }
    }

    /// Returns the number of characters that each player starts with.
    pub fn num_characters(&self) -> u32 {
        self.num_characters
    }

    /// Returns the game in which `seat` is to ask. `remaining` is the number of characters that each seat cannot
    /// exclude yet.
    ///
    /// # Panics
    ///
    /// Panics if a seat has fewer than two remaining characters (the game would be over) or more than 65,535.
    pub fn start(&self, remaining: BySeat<u32>, seat: Seat) -> GuessWhoState {
        assert!(remaining.first >= 2 && remaining.second >= 2, "{remaining:?}: the game is over");
        let num = |remaining| u16::try_from(remaining).expect("more characters than in any game");
        let remaining = BySeat { first: num(remaining.first), second: num(remaining.second) };
        GuessWhoState { remaining, turn: Turn::Act(seat) }
    }
}

/// A game of [`GuessWho`] in progress.
///
/// The state fits into a register, which makes games faster by a fifteenth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuessWhoState {
    /// The number of characters that each seat cannot exclude yet.
    remaining: BySeat<u16>,
    turn: Turn,
}

impl GuessWhoState {
    #[inline(always)]
    fn remaining(&self, seat: Seat) -> u32 {
        u32::from(self.remaining[seat])
    }
}

/// The view of a seat in [`GuessWho`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuessWhoView {
    /// The number of characters that this seat cannot exclude; at least 2 until the game is over.
    pub own: u32,
    /// The number of characters that the opponent cannot exclude.
    pub opponent: u32,
}

/// The reason why a question was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalQuestion {
    /// The answer is known already, or the question is about more characters than remain.
    #[error("a question about {asked} of {remaining} characters; it must be 1 to {}", .remaining - 1)]
    Pointless {
        /// The number of characters the question is about.
        asked: u32,
        /// The number of characters that remain.
        remaining: u32,
    },
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

/// Draws a number below `range`, uniform to within `range` / 2^64.
#[inline(always)]
fn below<R: Rng>(range: u32, rng: &mut R) -> u32 {
    ((u128::from(rng.next_u64()) * u128::from(range)) >> 64) as u32
}

impl Game for GuessWho {
    type State = GuessWhoState;
    /// The number of characters that the question is about.
    type Action = u32;
    type View<'a> = GuessWhoView;
    type Illegal = IllegalQuestion;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> GuessWhoState {
        let n = self.num_characters;
        self.start(BySeat { first: n, second: n }, Seat::First)
    }

    #[inline(always)]
    fn turn(&self, state: &GuessWhoState) -> Turn {
        state.turn
    }

    #[inline(always)]
    fn view(&self, state: &GuessWhoState, seat: Seat) -> GuessWhoView {
        GuessWhoView { own: state.remaining(seat), opponent: state.remaining(seat.other()) }
    }

    #[inline]
    fn check(&self, state: &GuessWhoState, &asked: &u32) -> Result<(), IllegalQuestion> {
        let Turn::Act(seat) = state.turn else {
            return Err(IllegalQuestion::GameOver);
        };
        let remaining = state.remaining(seat);
        if (1..remaining).contains(&asked) {
            Ok(())
        } else {
            Err(IllegalQuestion::Pointless { asked, remaining })
        }
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut GuessWhoState, seat: Seat, &asked: &u32, rng: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, &asked), Ok(()), "a strategy broke the rules");
        let remaining = state.remaining(seat);
        let left = if below(remaining, rng) < asked { asked } else { remaining - asked };
        state.remaining[seat] = left as u16;
        state.turn = Turn::after(seat, left == 1, false);
    }
}

impl SampleAction for GuessWho {
    fn sample_action<R: Rng>(&self, view: &GuessWhoView, rng: &mut R, action: &mut u32) {
        *action = 1 + below(view.own - 1, rng);
    }
}

impl Legal for GuessWho {
    fn legal(&self, view: &GuessWhoView, actions: &mut Vec<u32>) {
        actions.extend(1..view.own);
    }
}

impl Imagine for GuessWho {
    /// Empty, because both seats see the whole state.
    type Knowledge = ();

    fn imagine<R: Rng>(&self, (): &(), seat: Seat, view: &GuessWhoView, _: &mut R) -> Self::State {
        self.start(BySeat::seen_by(seat, view.own, view.opponent), seat)
    }

    fn view_key(&self, view: &GuessWhoView) -> u64 {
        key_of([view.own.into(), view.opponent.into()])
    }
}

impl AdjustableRules for GuessWho {
    fn rules(&self) -> Vec<Rule> {
        vec![
            Rule::number("characters", self.num_characters, 2..=u64::from(MAX_CHARACTERS))
                .meaning("characters that each player starts with"),
        ]
    }

    fn with_values(&self, values: &[u64]) -> Result<GuessWho, RulesError> {
        Ok(GuessWho { num_characters: values[0] as u32 })
    }
}

#[cfg(test)]
mod tests;
