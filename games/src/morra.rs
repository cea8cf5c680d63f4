//! Morra: show some fingers, and guess the total of both players.
//!
//! # Rules
//!
//! Both players announce at the same time how many fingers they show, 0 to 5, and guess the total of both, 0 to 10.
//! A player who guesses the total wins if the other does not; otherwise the game is a draw.
//!
//! An announcement has index 11 x fingers + guess, from 0 to 65. It is legal but pointless to guess an impossible
//! total, such as 2 while showing 3.
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | both players, before the announcements | nothing |
//! | both players, after the announcements | both announcements |
//!
//! The seats announce one after the other, but the second does not hear the first.
//!
//! # Known values
//!
//! The game is symmetric, so its value is a draw. Let h = guess - fingers be the number of fingers that a player
//! expects the opponent to show: the guess is right if and only if the opponent shows h. A mixed strategy is optimal if
//! and only if the number of fingers and h are each uniform from 0 to 5 (independent prototype). The two numbers need
//! not be independent; guesses with h below 0 or above 5 have probability 0.
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod drawing;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::{
    AdjustableRules, BySeat, Factored, Game, Imagine, Legal, Payoff, RulesError, SampleAction,
    Seat, Slots, Turn,
};

/// The largest number of fingers a player can show.
pub const MAX_FINGERS: u8 = 5;

/// The largest total of two players' fingers.
pub const MAX_SUM: u8 = 2 * MAX_FINGERS;

/// The number of announcements.
pub const NUM_ANNOUNCEMENTS: usize = (MAX_FINGERS as usize + 1) * (MAX_SUM as usize + 1);

/// The number of fingers shown, and a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Announcement {
    /// The number of fingers shown, at most [`MAX_FINGERS`].
    pub fingers: u8,
    /// The guess of the total, at most [`MAX_SUM`].
    pub guess: u8,
}

impl Announcement {
    /// Returns the announcement with this index, which must be below [`NUM_ANNOUNCEMENTS`].
    #[inline]
    pub fn of_index(index: usize) -> Announcement {
        let guesses = usize::from(MAX_SUM) + 1;
        Announcement { fingers: (index / guesses) as u8, guess: (index % guesses) as u8 }
    }

    /// Returns the index of the announcement, below [`NUM_ANNOUNCEMENTS`].
    #[inline]
    pub fn index(self) -> usize {
        usize::from(self.fingers) * (usize::from(MAX_SUM) + 1) + usize::from(self.guess)
    }

    /// Returns this player's payoff when the opponent announces `other`.
    #[inline]
    pub fn outcome_against(self, other: Announcement) -> Payoff {
        let sum = self.fingers + other.fingers;
        match (self.guess == sum, other.guess == sum) {
            (true, false) => Payoff::WIN,
            (false, true) => Payoff::LOSS,
            _ => Payoff::DRAW,
        }
    }
}

/// The game of Morra.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Morra {}

impl Morra {
    /// Returns the game with up to five fingers.
    pub fn standard() -> Morra {
        Morra {}
    }
}

/// A game of [`Morra`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MorraState {
    announced: BySeat<Option<Announcement>>,
}

/// The view of a seat in [`Morra`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MorraView {
    /// The announcement of this seat, if it has made one.
    pub own: Option<Announcement>,
    /// The announcement of the opponent, once both seats have announced.
    pub opponent: Option<Announcement>,
}

/// The reason why an announcement was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalAnnouncement {
    /// A hand has only [`MAX_FINGERS`] fingers.
    #[error("{0} fingers are shown; a hand has at most {MAX_FINGERS}")]
    TooManyFingers(u8),
    /// Two hands have only [`MAX_SUM`] fingers.
    #[error("the sum is guessed to be {0}; two hands have at most {MAX_SUM} fingers")]
    GuessTooLarge(u8),
    /// Both players have announced.
    #[error("the game is over")]
    GameOver,
}

impl Game for Morra {
    type State = MorraState;
    type Action = Announcement;
    type View<'a> = MorraView;
    type Illegal = IllegalAnnouncement;

    #[inline]
    fn deal<R: Rng>(&self, _rng: &mut R) -> MorraState {
        MorraState { announced: BySeat::default() }
    }

    #[inline]
    fn turn(&self, state: &MorraState) -> Turn {
        match state.announced {
            BySeat { first: Some(first), second: Some(second) } => {
                Turn::Over(first.outcome_against(second))
            }
            BySeat { first: None, .. } => Turn::Act(Seat::First),
            _ => Turn::Act(Seat::Second),
        }
    }

    #[inline]
    fn view(&self, state: &MorraState, seat: Seat) -> MorraView {
        let over = matches!(self.turn(state), Turn::Over(_));
        MorraView {
            own: state.announced[seat],
            opponent: state.announced[seat.other()].filter(|_| over),
        }
    }

    #[inline]
    fn check(&self, state: &MorraState, action: &Announcement) -> Result<(), IllegalAnnouncement> {
        let &Announcement { fingers, guess } = action;
        match self.turn(state) {
            Turn::Over(_) => Err(IllegalAnnouncement::GameOver),
            _ if fingers > MAX_FINGERS => Err(IllegalAnnouncement::TooManyFingers(fingers)),
            _ if guess > MAX_SUM => Err(IllegalAnnouncement::GuessTooLarge(guess)),
            _ => Ok(()),
        }
    }

    #[inline]
    fn apply<R: Rng>(&self, state: &mut MorraState, seat: Seat, &action: &Announcement, _: &mut R) {
        debug_assert_eq!(self.turn(state), Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, &action), Ok(()), "a strategy broke the rules of Morra");
        state.announced[seat] = Some(action);
    }
}

/// Draws an announcement uniformly, to within 2^-57.
#[inline]
fn draw<R: Rng>(rng: &mut R) -> Announcement {
    let index = (u128::from(rng.next_u64()) * NUM_ANNOUNCEMENTS as u128) >> 64;
    Announcement::of_index(index as usize)
}

impl SampleAction for Morra {
    fn sample_action<R: Rng>(&self, _: &MorraView, rng: &mut R, action: &mut Announcement) {
        *action = draw(rng);
    }
}

impl Legal for Morra {
    fn legal(&self, _: &MorraView, actions: &mut Vec<Announcement>) {
        actions.extend((0..NUM_ANNOUNCEMENTS).map(Announcement::of_index));
    }
}

/// An action has two slots, the fingers and the guess. All combinations of their values are legal.
impl Factored for Morra {
    type Value = u8;
    type Partial = ();

    fn slots(&self, _: &MorraState, _: Seat, slots: &mut Slots<u8>) {
        slots.clear();
        for most in [MAX_FINGERS, MAX_SUM] {
            (0..=most).for_each(|number| slots.push(number));
            slots.end_slot();
        }
    }

    #[inline]
    fn begin(&self, _: &MorraState, _: Seat, (): &mut ()) {}

    #[inline]
    fn admits(&self, (): &(), _slot: usize, _number: u8) -> bool {
        true
    }

    #[inline]
    fn fix(&self, (): &mut (), _slot: usize, _number: u8) {}

    fn assemble(
        &self,
        _: &MorraState,
        _: Seat,
        slots: &Slots<u8>,
        chosen: &[u16],
        action: &mut Announcement,
    ) {
        let number = |slot: usize| slots.values(slot)[usize::from(chosen[slot])];
        *action = Announcement { fingers: number(0), guess: number(1) };
    }
}

impl Imagine for Morra {
    /// Empty, because a seat has only one turn.
    type Knowledge = ();

    /// Draws the first seat's announcement uniformly for the second seat; for the first seat, draws nothing.
    fn imagine<R: Rng>(&self, (): &(), seat: Seat, _: &MorraView, rng: &mut R) -> MorraState {
        let first = (seat == Seat::Second).then(|| draw(rng));
        MorraState { announced: BySeat { first, second: None } }
    }
}

impl AdjustableRules for Morra {
    fn with_values(&self, _: &[u64]) -> Result<Morra, RulesError> {
        Ok(self.clone())
    }
}

#[cfg(test)]
mod tests;
