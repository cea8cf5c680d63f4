//! Guess Who: a race to find out which character the opponent has drawn.
//!
//! # Rules
//!
//! Each player secretly draws one of `characters` characters, 128 by default. In turn, each asks the other
//! a question that is answered truthfully with yes or no, such as "is it one of these 40?". A player who
//! has found out the opponent's character, because only one is left that fits all answers, wins at once.
//!
//! As all characters are alike, a question is described by the number `c` of the asker's remaining
//! characters that it is true for: of `n` they ask about `c`, between 1 and `n` - 1. With probability
//! `c` / `n` the answer is yes and `c` remain, otherwise `n` - `c` remain. There are no draws.
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players | how many characters remain for either of them |
//!
//! Neither player knows the opponent's character. It is not part of the state: given all that was said, it is
//! uniform over what remains, so that an answer is drawn when the question is asked.
//!
//! # Known values
//!
//! The optimum is known in closed form (Nica, *Optimal strategy in "Guess Who?": beyond binary search*,
//! Probability in the Engineering and Informational Sciences 30, 2016, arXiv 1509.03327). The first player
//! then wins with probability .666748 from 128 characters (independent prototype). A player who is behind should
//! ask about fewer than half of their characters.
//!
//! # Versions
//!
//! 1: as above.

mod board;
mod drawing;
mod retell;

use std::collections::BTreeMap;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::imagine::key_of;
use crate::{
    AdjustableRules, BySeat, Game, Imagine, Legal, Payoff, Rule, RulesError, SampleAction, Seat,
    Turn,
};

/// The most characters that can be played with: more than this makes no other game.
pub const MAX_CHARACTERS: u32 = 1024;

/// The game of Guess Who.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuessWho {
    num_characters: u32,
}

impl GuessWho {
    /// 128 characters, as in Cauwet & Teytaud 2018, section III-A.
    pub fn standard() -> GuessWho {
        GuessWho { num_characters: 128 }
    }

    /// The number of characters that each player starts with.
    pub fn num_characters(&self) -> u32 {
        self.num_characters
    }

    /// The game in which `seat` is to ask and these numbers of characters remain, by who looks for them.
    ///
    /// # Panics
    ///
    /// When fewer than two characters remain for either seat, for the game would be over, or more than fit
    /// into 16 bits.
    pub fn start(&self, remaining: BySeat<u32>, seat: Seat) -> GuessWhoState {
        assert!(remaining.first >= 2 && remaining.second >= 2, "{remaining:?}: the game is over");
        let num = |remaining| u16::try_from(remaining).expect("more characters than in any game");
        let remaining = BySeat { first: num(remaining.first), second: num(remaining.second) };
        GuessWhoState { remaining, turn: Turn::Act(seat) }
    }
}

/// A game of [`GuessWho`] in progress.
///
/// It fits into a register, which makes games faster by a fifteenth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GuessWhoState {
    /// The characters that a seat cannot exclude yet.
    remaining: BySeat<u16>,
    turn: Turn,
}

impl GuessWhoState {
    #[inline(always)]
    fn remaining(&self, seat: Seat) -> u32 {
        u32::from(self.remaining[seat])
    }
}

/// What a seat sees of [`GuessWho`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GuessWhoView {
    /// The characters that this seat cannot exclude, at least 2 while the game is on.
    pub own: u32,
    /// The characters that the opponent cannot exclude.
    pub opponent: u32,
}

/// Why a question was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalQuestion {
    /// The answer is known already, or the question is about more characters than there are.
    #[error("a question about {asked} of {remaining} characters; it must be 1 to {}", .remaining - 1)]
    Pointless {
        /// The characters the question is true for.
        asked: u32,
        /// The characters that remain.
        remaining: u32,
    },
    /// A seat has won.
    #[error("the game is over")]
    GameOver,
}

/// A number below `range`, uniform to within `range` / 2^64.
#[inline(always)]
fn below<R: Rng>(range: u32, rng: &mut R) -> u32 {
    ((u128::from(rng.next_u64()) * u128::from(range)) >> 64) as u32
}

impl Game for GuessWho {
    type State = GuessWhoState;
    /// The number of characters that the question is true for.
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
        state.turn =
            if left == 1 { Turn::Over(Payoff::won_by(seat)) } else { Turn::Act(seat.other()) };
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
    /// Both seats see the whole state.
    type Knowledge = ();

    fn imagine<R: Rng>(
        &self,
        (): &(),
        seat: Seat,
        view: &GuessWhoView,
        _rng: &mut R,
    ) -> GuessWhoState {
        let own_or_other = |of| if of == seat { view.own } else { view.opponent };
        self.start(BySeat::from_fn(own_or_other), seat)
    }

    fn view_key(&self, view: &GuessWhoView) -> u64 {
        key_of([view.own.into(), view.opponent.into()])
    }
}

impl AdjustableRules for GuessWho {
    fn rules(&self) -> Vec<Rule> {
        vec![Rule {
            name: "characters".into(),
            meaning: "characters that each player starts with".into(),
            value: u64::from(self.num_characters),
            range: 2..=u64::from(MAX_CHARACTERS),
        }]
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<GuessWho, RulesError> {
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        Ok(GuessWho { num_characters: rules[0].value as u32 })
    }
}

#[cfg(test)]
mod tests;
