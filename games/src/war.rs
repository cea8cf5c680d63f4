//! War and Batawaf: two games whose only decisions are the orders in which won cards are put back.
//!
//! # Rules
//!
//! The deck has `ranks` ranks of `suits` cards each; suits never matter. War has 13 ranks x 4 suits, or 52 cards;
//! Batawaf has 6 ranks x 6 suits, or 36 cards. The deck is shuffled and each player gets one half, face down. Neither
//! player may look at these cards.
//!
//! In a turn both players reveal the top card of their decks; the player with the higher rank takes both cards. If the
//! ranks are equal, each player adds one card face down and one card face up, the new face-up cards are compared, and
//! so on. The winner of the last comparison takes everything on the table, and puts these cards under their deck **in
//! any order**: the first of them will be drawn first. This is the only decision of the game.
//!
//! The game ends
//! - at the start of a turn, if a player has no card: they lose;
//! - in a tie, if a player has fewer than two cards left: they lose at once; if both have fewer than two, the player
//!   with fewer cards loses, and equal numbers are a draw;
//! - as a draw after `max-turns` turns (a turn is one pile won), one million by default (Cauwet &
//!   Teytaud 2018, section V-A: "we stop the game and consider it as a draw after 1 million moves").
//!   Two deterministic orders can play for ever (Lakshtanov & Roshchina, *On finiteness in the card
//!   game of War*, American Mathematical Monthly 119, 2012).
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | the winner of a pile, when they order it | the cards turned up, the cards of the pile, the sizes of both decks, the number of turns played |
//! | the other player | the cards turned up, the sizes of both decks, the number of turns played |
//!
//! The order of the decks is hidden from both players. At a table, both players watch the cards that are turned up. With
//! the rule `watched=0`, only the winner of a pile sees them, and each player learns from their own piles alone. A
//! player is not shown the cards that were added to a tie face down and that the opponent won, or the piles of earlier
//! turns: players who want to know them must remember what they saw. The rule `memory=N` limits what a
//! [planner](crate::Imagine::forget) remembers.
//!
//! # Known values
//!
//! The scores are from an independent prototype: 400 000 seat-swapped pairs for each score, with standard errors of
//! .0005 to .0007. "Descending" puts the best card first.
//!
//! | | War | Batawaf |
//! |---|---|---|
//! | descending against random | .6969 | .6903 |
//! | descending against ascending | .5628, 56.0% never end | .5784, 20.3% never end |
//! | ascending against random | .5419 | .5736 |
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod cards;
mod decks;
mod drawing;
mod imagine;
mod stretch;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::{AdjustableRules, Game, Payoff, Rule, RulesError, SampleAction, Seat, Turn, shuffle};

pub use self::cards::{MAX_CARDS, Pile, TooManyCards};
use self::decks::Decks;
pub use self::imagine::WarKnowledge;
pub use self::stretch::Answers;

/// The value of the rule `memory` at which a seat remembers all cards.
const ALL: u64 = MAX_CARDS as u64;

/// The games of War and Batawaf, which differ in the deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct War {
    num_ranks: u16,
    num_suits: u16,
    pub(crate) max_turns: u64,
    /// Whether both seats see the cards that are turned up.
    is_watched: bool,
    /// The number of cards whose places a planning seat remembers, in the mean.
    memory: u64,
}

impl War {
    /// Returns War: a deck of 13 ranks x 4 suits, and a draw after a million turns.
    pub fn standard() -> War {
        War { num_ranks: 13, num_suits: 4, max_turns: 1_000_000, is_watched: true, memory: ALL }
    }

    /// Returns Batawaf: a deck of 6 ranks x 6 suits, and a draw after a million turns.
    pub fn batawaf() -> War {
        War { num_ranks: 6, num_suits: 6, max_turns: 1_000_000, is_watched: true, memory: ALL }
    }

    /// Returns the number of ranks.
    pub fn num_ranks(&self) -> u16 {
        self.num_ranks
    }

    /// Returns the number of cards in the deck.
    pub fn num_cards(&self) -> usize {
        usize::from(self.num_ranks) * usize::from(self.num_suits)
    }

    /// Returns the game that starts from the two given decks, their top cards first. Ranks are counted from 0.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`MAX_CARDS`] cards in total.
    pub fn start(&self, first: &[u8], second: &[u8]) -> WarState {
        assert!(
            first.len() + second.len() <= MAX_CARDS,
            "two decks of {} and {} cards: at most {MAX_CARDS} cards can be played",
            first.len(),
            second.len()
        );
        let mut state = WarState::of_decks(first, second);
        self.reveal(&mut state);
        state
    }

    /// Shuffles the cards and deals them; no card is turned up yet.
    #[inline]
    fn dealt<R: Rng>(&self, rng: &mut R) -> WarState {
        let mut cards = [0u8; MAX_CARDS];
        let cards = &mut cards[..self.num_cards()];
        for (i, card) in cards.iter_mut().enumerate() {
            *card = (i / usize::from(self.num_suits)) as u8;
        }
        shuffle(cards, rng);
        let (first, second) = cards.split_at(cards.len() / 2);
        WarState::of_decks(first, second)
    }

    /// Reveals cards until a seat wins the pile or the game is over.
    #[inline(always)]
    fn reveal(&self, state: &mut WarState) {
        state.war.clear();
        state.turn = match (state.decks.len(Seat::First), state.decks.len(Seat::Second)) {
            (_, 0) => Turn::Over(Payoff::WIN),
            (0, _) => Turn::Over(Payoff::LOSS),
            _ if state.turns >= self.max_turns => Turn::Over(Payoff::DRAW),
            _ => {
                let first = state.decks.draw(Seat::First);
                let second = state.decks.draw(Seat::Second);
                if first != second {
                    state.pile.set_two(first.min(second), first.max(second));
                    Turn::Act(if first > second { Seat::First } else { Seat::Second })
                } else {
                    Self::settle_tie(state, first)
                }
            }
        };
    }

    /// Resolves a tie of two cards of rank `tied`: each seat adds one card face down and one card face up, until the
    /// face-up cards differ.
    #[cold]
    #[inline(never)]
    fn settle_tie(state: &mut WarState, tied: u8) -> Turn {
        let WarState { decks, pile, war, turns, .. } = state;
        let mut cards_on_table = 2;
        war.push(tied);
        loop {
            let (first, second) = (decks.len(Seat::First), decks.len(Seat::Second));
            if first < 2 || second < 2 {
                // This pile will not be ordered, but the turn was played.
                *turns += 1;
                return Turn::Over(match () {
                    () if first >= 2 => Payoff::WIN,
                    () if second >= 2 => Payoff::LOSS,
                    () => first.cmp(&second).into(),
                });
            }
            let mut draw_both = || (decks.draw(Seat::First), decks.draw(Seat::Second));
            let (down_first, down_second) = draw_both();
            let (up_first, up_second) = draw_both();
            let added = [down_first, down_second, up_first, up_second];
            if cards_on_table == 2 {
                pile.set_one_tie(tied, added);
            } else {
                pile.add(added);
            }
            war.push(up_first);
            if up_first != up_second {
                war.push(up_second);
                if cards_on_table > 2 {
                    pile.sort();
                }
                return Turn::Act(if up_first > up_second { Seat::First } else { Seat::Second });
            }
            cards_on_table += 4;
        }
    }
}

/// A game of [`War`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WarState {
    decks: Decks,
    /// The cards just won, in ascending order.
    pile: Pile,
    /// If there was a tie in this turn: the rank of each tie, then the first and the second seat's deciding cards. The
    /// deciding cards are missing if the game ended in a tie.
    war: Pile,
    /// The number of turns completed.
    turns: u64,
    turn: Turn,
}

impl WarState {
    /// Returns the state before the first cards are turned up.
    #[inline]
    fn of_decks(first: &[u8], second: &[u8]) -> WarState {
        WarState {
            decks: Decks::new(first, second),
            pile: Pile::default(),
            war: Pile::default(),
            turns: 0,
            turn: Turn::Over(Payoff::DRAW),
        }
    }

    /// Returns the number of turns played, including the turn that ended the game.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// Returns [`WarView::ties`] and [`WarView::turned_up`] for a seat.
    #[inline]
    fn turned_up(&self, seat: Seat) -> (&[u8], Option<(u8, u8)>) {
        let Turn::Act(winner) = self.turn else { return (self.war.cards(), None) };
        match (self.war.cards(), self.pile.cards()) {
            ([ties @ .., first, second], _) => match seat {
                Seat::First => (ties, Some((*first, *second))),
                Seat::Second => (ties, Some((*second, *first))),
            },
            (_, &[low, high]) if winner == seat => (&[], Some((high, low))),
            (_, &[low, high]) => (&[], Some((low, high))),
            _ => (&[], None),
        }
    }
}

/// The view of a seat in [`War`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarView<'a> {
    /// The ranks of the cards that this seat has just won and must order, in ascending order: at least two cards, or an
    /// empty list if the seat has not won a pile.
    pub pile: &'a [u8],
    /// The ranks of the ties in this turn; empty if there was no tie.
    pub ties: &'a [u8],
    /// The ranks of the two cards that decided this turn, first this seat's, then the opponent's; `None` if the game is
    /// over.
    pub turned_up: Option<(u8, u8)>,
    /// The number of cards in this seat's deck, without the pile.
    pub own_cards: usize,
    /// The number of cards in the opponent's deck.
    pub opponent_cards: usize,
    /// The number of turns played so far.
    pub turns: u64,
}

/// The reason why an order of a pile was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalOrder {
    /// The cards that the player put back are not the cards that they won.
    #[error("the cards put back, {found:?}, are not the cards won, {won:?}")]
    WrongCards {
        /// The cards won, ascending.
        won: Vec<u8>,
        /// The cards that were put back, in the order of the action.
        found: Vec<u8>,
    },
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Game for War {
    type State = WarState;
    type Action = Pile;
    type View<'a> = WarView<'a>;
    type Illegal = IllegalOrder;

    fn deal<R: Rng>(&self, rng: &mut R) -> WarState {
        let mut state = self.dealt(rng);
        self.reveal(&mut state);
        state
    }

    #[inline]
    fn turn(&self, state: &WarState) -> Turn {
        state.turn
    }

    #[inline]
    fn view<'a>(&self, state: &'a WarState, seat: Seat) -> WarView<'a> {
        let has_won = state.turn == Turn::Act(seat);
        let pile = if has_won { state.pile.cards() } else { &[] };
        let (ties, turned_up) = match self.is_watched || has_won {
            true => state.turned_up(seat),
            false => (&[][..], None),
        };
        WarView {
            pile,
            ties,
            turned_up,
            own_cards: state.decks.len(seat),
            opponent_cards: state.decks.len(seat.other()),
            turns: state.turns,
        }
    }

    #[inline]
    fn is_watched(&self) -> bool {
        self.is_watched
    }

    fn check(&self, state: &WarState, action: &Pile) -> Result<(), IllegalOrder> {
        let Turn::Act(_) = state.turn else {
            return Err(IllegalOrder::GameOver);
        };
        let mut sorted = action.clone();
        sorted.sort();
        if sorted == state.pile {
            Ok(())
        } else {
            let (won, found) = (state.pile.cards().to_vec(), action.cards().to_vec());
            Err(IllegalOrder::WrongCards { won, found })
        }
    }

    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut WarState, seat: Seat, action: &Pile, _rng: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules of War");
        state.decks.put_under(seat, action.cards());
        state.turns += 1;
        self.reveal(state);
    }
}

impl SampleAction for War {
    fn sample_action<R: Rng>(&self, view: &WarView<'_>, rng: &mut R, action: &mut Pile) {
        action.set_shuffled(view.pile, rng);
    }
}

impl AdjustableRules for War {
    fn rules(&self) -> Vec<Rule> {
        vec![
            Rule::number("ranks", self.num_ranks, 2..=(MAX_CARDS / 2) as u64)
                .meaning("ranks in the deck"),
            Rule::number("suits", self.num_suits, 1..=(MAX_CARDS / 2) as u64)
                .meaning("cards of each rank"),
            Rule::number("max-turns", self.max_turns, 1..=1_000_000_000)
                .meaning("turns after which the game is a draw"),
            Rule::number("watched", self.is_watched, 0..=1)
                .meaning("1 if both players see the cards turned up, 0 if only the winner does"),
            Rule::number("memory", self.memory, 0..=ALL)
                .meaning("cards whose places a planner remembers, in the mean"),
        ]
    }

    const IMPLIED: &'static [(&'static str, u64)] = &[("watched", 1), ("memory", ALL)];

    fn with_values(&self, values: &[u64]) -> Result<War, RulesError> {
        let &[ranks, suits, max_turns, watched, memory] = values else {
            unreachable!("five rules")
        };
        let num_cards = ranks * suits;
        let problem = match () {
            () if num_cards > MAX_CARDS as u64 => {
                format!("and at most {MAX_CARDS} can be played")
            }
            () if num_cards % 2 == 1 => "which two players cannot halve".into(),
            () => {
                return Ok(War {
                    num_ranks: ranks as u16,
                    num_suits: suits as u16,
                    max_turns,
                    is_watched: watched == 1,
                    memory,
                });
            }
        };
        let reason = format!("{ranks} ranks x {suits} suits are {num_cards} cards, {problem}");
        Err(RulesError::Inconsistent { reason })
    }
}

#[cfg(test)]
mod tests;
