//! War and Batawaf: two games without decisions, except how to put back what one wins.
//!
//! # Rules
//!
//! The deck has `ranks` ranks of `suits` cards each; suits never matter. War: 13 ranks x 4 suits, 52
//! cards. Batawaf: 6 ranks x 6 suits, 36 cards. The deck is shuffled and each player gets one half, face
//! down, which nobody may look at.
//!
//! In a turn both players reveal the top card of their decks; the higher rank takes both cards. When the
//! ranks are equal, each adds one card face down and one card face up, the new face-up cards are
//! compared, and so on: the winner of the last comparison takes everything on the table. He puts these
//! cards under his deck **in the order he likes**: the first of them will be drawn first. This is the
//! only decision of the game.
//!
//! The game ends
//! - at the start of a turn, when a player has no card: he loses;
//! - at a tie, when a player has fewer than two cards left: he loses at once; if both have fewer than
//!   two, the one with fewer cards loses, and equal numbers are a draw;
//! - as a draw after `max-turns` turns (a turn is one pile won), one million by default (Cauwet &
//!   Teytaud 2018, section V-A: "we stop the game and consider it as a draw after 1 million moves").
//!   Two orders without randomness can play for ever (Lakshtanov & Roshchina, *On finiteness in the card
//!   game of War*, American Mathematical Monthly 119, 2012).
//!
//! # View
//!
//! | who | sees |
//! |---|---|
//! | the winner of a pile, when he orders it | the cards of the pile, the sizes of both decks, the turns played |
//! | the other player | the sizes of both decks, the turns played |
//!
//! The order of the decks is hidden from everybody. The piles that the opponent won in between are not
//! shown again.
//!
//! # Known values
//!
//! Scores of seat-swapped pairs, 400 000 pairs each, standard errors .0005 to .0007, from an independent
//! prototype; "descending" puts the best card first.
//!
//! | | War | Batawaf |
//! |---|---|---|
//! | descending against random | .6969 | .6903 |
//! | descending against ascending | .5628, 56.0 % never end | .5784, 20.3 % never end |
//! | ascending against random | .5419 | .5736 |
//!
//! # Versions
//!
//! 1: as above.

mod board;
mod cards;
mod decks;
mod stretch;

use std::collections::BTreeMap;

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::{
    AdjustableRules, Answers, BySeat, Game, Outcome, Redeal, Rule, RulesError, SampleAction, Seat,
    Turn, shuffle,
};

pub use self::cards::{MAX_CARDS, Pile, TooManyCards};
use self::decks::Decks;

/// The game of War, or of Batawaf, which differ by the deck.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct War {
    num_ranks: u16,
    num_suits: u16,
    max_turns: u64,
}

impl War {
    /// War: 13 ranks x 4 suits, a draw after a million turns.
    pub fn standard() -> War {
        War { num_ranks: 13, num_suits: 4, max_turns: 1_000_000 }
    }

    /// Batawaf: 6 ranks x 6 suits, a draw after a million turns.
    pub fn batawaf() -> War {
        War { num_ranks: 6, num_suits: 6, max_turns: 1_000_000 }
    }

    /// The number of cards in the deck.
    pub fn num_cards(&self) -> usize {
        usize::from(self.num_ranks) * usize::from(self.num_suits)
    }

    /// The game that starts from two given decks, the top card first, ranks counted from 0.
    ///
    /// # Panics
    ///
    /// When there are more than [`MAX_CARDS`] cards in all.
    pub fn start(&self, first: &[u8], second: &[u8]) -> WarState {
        assert!(
            first.len() + second.len() <= MAX_CARDS,
            "two decks of {} and {} cards: at most {MAX_CARDS} cards can be played",
            first.len(),
            second.len()
        );
        let mut state = WarState {
            decks: Decks::new(first, second),
            pile: Pile::default(),
            turns: 0,
            turn: Turn::Over(Outcome::Draw),
        };
        self.reveal(&mut state);
        state
    }

    /// Turns cards until somebody wins the pile or the game is over.
    #[inline(always)]
    fn reveal(&self, state: &mut WarState) {
        state.turn = match (state.decks.len(Seat::First), state.decks.len(Seat::Second)) {
            (_, 0) => Turn::Over(Outcome::Win),
            (0, _) => Turn::Over(Outcome::Loss),
            _ if state.turns >= self.max_turns => Turn::Over(Outcome::Draw),
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

    /// Plays a tie of two cards `tied` to its end: one card face down, one face up, as often as needed.
    #[cold]
    #[inline(never)]
    fn settle_tie(state: &mut WarState, tied: u8) -> Turn {
        let WarState { decks, pile, turns, .. } = state;
        let mut cards_on_table = 2;
        loop {
            let (first, second) = (decks.len(Seat::First), decks.len(Seat::Second));
            if first < 2 || second < 2 {
                // Nobody orders this pile any more, but the turn was played.
                *turns += 1;
                return Turn::Over(match () {
                    () if first >= 2 => Outcome::Win,
                    () if second >= 2 => Outcome::Loss,
                    () => match first.cmp(&second) {
                        std::cmp::Ordering::Less => Outcome::Loss,
                        std::cmp::Ordering::Equal => Outcome::Draw,
                        std::cmp::Ordering::Greater => Outcome::Win,
                    },
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
            if up_first != up_second {
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
    /// The cards that were just won, in ascending order.
    pile: Pile,
    /// Turns completed.
    turns: u64,
    turn: Turn,
}

impl WarState {
    /// The number of turns played, the one that ended the game included.
    pub fn turns(&self) -> u64 {
        self.turns
    }
}

/// What a seat sees of [`War`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarView<'a> {
    /// The ranks of the cards this seat has just won and must order, ascending; empty when it has won
    /// none. At least two cards otherwise.
    pub pile: &'a [u8],
    /// Cards in this seat's deck, without the pile.
    pub own_cards: usize,
    /// Cards in the opponent's deck.
    pub opponent_cards: usize,
    /// Turns played so far.
    pub turns: u64,
}

/// Why an order of a pile was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalOrder {
    /// The cards put back are not those that were won.
    #[error("the cards put back, {found:?}, are not the cards won, {won:?}")]
    WrongCards {
        /// The cards won, ascending.
        won: Vec<u8>,
        /// The cards that were put back, in that order.
        found: Vec<u8>,
    },
    /// Nobody has anything to put back.
    #[error("the game is over")]
    GameOver,
}

impl Game for War {
    type State = WarState;
    type Action = Pile;
    type View<'a> = WarView<'a>;
    type Illegal = IllegalOrder;

    const CAN_LOOP: bool = true;
    const HAS_STRETCHES: bool = true;

    fn deal<R: Rng>(&self, rng: &mut R) -> WarState {
        let mut cards = [0u8; MAX_CARDS];
        let cards = &mut cards[..self.num_cards()];
        for (i, card) in cards.iter_mut().enumerate() {
            *card = (i / usize::from(self.num_suits)) as u8;
        }
        shuffle(cards, rng);
        let (first, second) = cards.split_at(cards.len() / 2);
        self.start(first, second)
    }

    #[inline]
    fn turn(&self, state: &WarState) -> Turn {
        state.turn
    }

    #[inline]
    fn view<'a>(&self, state: &'a WarState, seat: Seat) -> WarView<'a> {
        let pile = if state.turn == Turn::Act(seat) { state.pile.cards() } else { &[] };
        WarView {
            pile,
            own_cards: state.decks.len(seat),
            opponent_cards: state.decks.len(seat.other()),
            turns: state.turns,
        }
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

    fn fast_forward(&self, earlier: &WarState, state: &mut WarState, max_repeats: u64) -> u64 {
        if earlier.decks != state.decks || earlier.pile != state.pile || earlier.turn != state.turn
        {
            return 0;
        }
        let period = state.turns - earlier.turns;
        if period == 0 {
            return 0;
        }
        // The last turn before the cap is played, so that the game ends where it is judged.
        let left = self.max_turns.saturating_sub(state.turns + 1);
        let repeats = max_repeats.min(left / period);
        state.turns += repeats * period;
        repeats
    }

    #[inline(always)]
    fn stretch(&self, state: &WarState) -> u64 {
        state.turns / Answers::NUM_TURNS
    }

    /// The decision is in which order to put back a pile of two; one stands for best card first.
    #[inline(always)]
    fn play_stretch(
        &self,
        state: &mut WarState,
        answers: BySeat<Answers>,
        action: &mut Pile,
        ask: impl FnMut(Seat, WarView<'_>, &mut Pile),
    ) -> BySeat<u64> {
        self.play_to_end_of_stretch(state, answers, action, ask)
    }
}

impl SampleAction for War {
    fn sample_action<R: Rng>(&self, state: &WarState, rng: &mut R, action: &mut Pile) {
        action.set_shuffled(state.pile.cards(), rng);
    }
}

impl Redeal for War {
    /// Nobody knows any card but those of his own pile: all others are shuffled, and both decks keep
    /// their sizes.
    fn redeal<R: Rng>(&self, state: &WarState, seat: Seat, rng: &mut R) -> WarState {
        let mut hidden: Vec<u8> =
            Seat::BOTH.into_iter().flat_map(|seat| state.decks.cards(seat)).collect();
        let sees_pile = state.turn == Turn::Act(seat);
        if !sees_pile {
            hidden.extend_from_slice(state.pile.cards());
        }
        shuffle(&mut hidden, rng);
        let mut next = state.clone();
        let (first, rest) = hidden.split_at(state.decks.len(Seat::First));
        let (second, pile) = rest.split_at(state.decks.len(Seat::Second));
        next.decks = Decks::new(first, second);
        if !sees_pile {
            next.pile.set(pile);
            next.pile.sort();
        }
        next
    }
}

impl AdjustableRules for War {
    fn rules(&self) -> Vec<Rule> {
        vec![
            Rule {
                name: "ranks",
                meaning: "ranks in the deck",
                value: u64::from(self.num_ranks),
                range: 2..=(MAX_CARDS / 2) as u64,
            },
            Rule {
                name: "suits",
                meaning: "cards of each rank",
                value: u64::from(self.num_suits),
                range: 1..=(MAX_CARDS / 2) as u64,
            },
            Rule {
                name: "max-turns",
                meaning: "turns after which the game is a draw",
                value: self.max_turns,
                range: 1..=1_000_000_000,
            },
        ]
    }

    fn with_rules(&self, changes: &BTreeMap<String, u64>) -> Result<War, RulesError> {
        let mut rules = self.rules();
        Rule::change(&mut rules, changes)?;
        let [ranks, suits, max_turns] = [rules[0].value, rules[1].value, rules[2].value];
        if ranks * suits > MAX_CARDS as u64 {
            let reason = format!(
                "{ranks} ranks x {suits} suits are {} cards, and at most {MAX_CARDS} can be played",
                ranks * suits
            );
            return Err(RulesError::Inconsistent { reason });
        }
        if ranks * suits % 2 == 1 {
            let reason = format!(
                "{ranks} ranks x {suits} suits are {} cards, which two players cannot halve",
                ranks * suits
            );
            return Err(RulesError::Inconsistent { reason });
        }
        Ok(War { num_ranks: ranks as u16, num_suits: suits as u16, max_turns })
    }
}

#[cfg(test)]
mod tests;
