//! The decks of both players, in one fixed array.

use serde::{Deserialize, Serialize};

use super::cards::{MAX_CARDS, TooManyCards};
use crate::{BySeat, Seat};

/// The number of places in the ring. It equals the number of values of a byte, so indices need no bounds check.
const RING: usize = 2 * MAX_CARDS;

/// Two decks in one ring: the first seat's deck is in the even places, and the second seat's deck is in the odd places.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "BySeat<Vec<u8>>", into = "BySeat<Vec<u8>>")]
pub(super) struct Decks {
    cards: [u8; RING],
    ends: BySeat<Ends>,
}

/// The start and the end of a deck, modulo the size of the ring. Neighbouring cards of a deck are two places apart.
/// Both counters wrap in very long games, but their difference stays correct.
#[derive(Debug, Clone, Copy)]
struct Ends {
    /// The place of the top card.
    top: u32,
    /// The first place under the deck.
    bottom: u32,
}

impl Ends {
    #[inline(always)]
    fn places(self) -> u32 {
        self.bottom.wrapping_sub(self.top)
    }
}

impl Decks {
    /// Creates decks of these cards, at most [`MAX_CARDS`] for each seat; the top cards come first.
    pub(super) fn new(first: &[u8], second: &[u8]) -> Decks {
        let ends = |seat, cards: &[u8]| {
            let top = seat as u32;
            Ends { top, bottom: top + 2 * cards.len() as u32 }
        };
        let ends = BySeat { first: ends(Seat::First, first), second: ends(Seat::Second, second) };
        let mut decks = Decks { cards: [0; RING], ends };
        for (places, &card) in decks.cards.chunks_exact_mut(2).zip(first) {
            places[0] = card;
        }
        for (places, &card) in decks.cards.chunks_exact_mut(2).zip(second) {
            places[1] = card;
        }
        decks
    }

    /// Returns the same decks after `num` cards were drawn from each.
    pub(super) fn after_draws(mut self, num: usize) -> Decks {
        let moved = 2 * num as u32;
        for seat in Seat::BOTH {
            let Ends { top, bottom } = &mut self.ends[seat];
            (*top, *bottom) = (*top + moved, *bottom + moved);
        }
        self.cards.rotate_right(2 * num % RING);
        self
    }

    /// Returns the number of cards drawn from a deck since the start of the game.
    pub(super) fn num_drawn(&self, seat: Seat) -> usize {
        self.ends[seat].top as usize / 2
    }

    /// Returns the card in a deck with this index; the top card has index 0.
    pub(super) fn card_mut(&mut self, seat: Seat, index: usize) -> &mut u8 {
        &mut self.cards[(self.ends[seat].top as usize + 2 * index) % RING]
    }

    #[inline(always)]
    pub(super) fn len(&self, seat: Seat) -> usize {
        self.ends[seat].places() as usize / 2
    }

    /// Removes and returns the top card of a deck, which must not be empty.
    #[inline(always)]
    pub(super) fn draw(&mut self, seat: Seat) -> u8 {
        let Ends { top, .. } = &mut self.ends[seat];
        let card = self.cards[*top as usize % RING];
        *top = top.wrapping_add(2);
        card
    }

    #[inline(always)]
    pub(super) fn put_on_top(&mut self, seat: Seat, card: u8) {
        let Ends { top, .. } = &mut self.ends[seat];
        *top = top.wrapping_sub(2);
        self.cards[*top as usize % RING] = card;
    }

    #[inline(always)]
    pub(super) fn put_under(&mut self, seat: Seat, cards: &[u8]) {
        let Ends { bottom, .. } = &mut self.ends[seat];
        let mut put = |cards: &[u8]| {
            for (i, &card) in (0..).zip(cards) {
                self.cards[bottom.wrapping_add(2 * i) as usize % RING] = card;
            }
            *bottom = bottom.wrapping_add(2 * cards.len() as u32);
        };
        // The length of the loop is a constant for nearly all piles.
        match cards.len() {
            2 => put(&cards[..2]),
            6 => put(&cards[..6]),
            _ => put(cards),
        }
    }

    /// Returns the cards of a deck, the top card first.
    pub(super) fn cards(&self, seat: Seat) -> impl Iterator<Item = u8> + '_ {
        let top = self.ends[seat].top as usize;
        (0..self.len(seat)).map(move |i| self.cards[(top + 2 * i) % RING])
    }
}

impl PartialEq for Decks {
    fn eq(&self, other: &Decks) -> bool {
        Seat::BOTH
            .into_iter()
            .all(|seat| self.len(seat) == other.len(seat) && self.cards(seat).eq(other.cards(seat)))
    }
}

impl From<Decks> for BySeat<Vec<u8>> {
    fn from(decks: Decks) -> BySeat<Vec<u8>> {
        BySeat::from_fn(|seat| decks.cards(seat).collect())
    }
}

impl TryFrom<BySeat<Vec<u8>>> for Decks {
    type Error = TooManyCards;

    fn try_from(decks: BySeat<Vec<u8>>) -> Result<Decks, TooManyCards> {
        TooManyCards::check(&decks.first)?;
        TooManyCards::check(&decks.second)?;
        Ok(Decks::new(&decks.first, &decks.second))
    }
}

/// The two decks during a series of comparisons of their top cards.
///
/// The ends are copies, so that the compiler keeps them in registers; [`end`](Battles::end) writes them back.
pub(super) struct Battles<'a> {
    decks: &'a mut Decks,
    ends: BySeat<Ends>,
    /// Twice the total number of cards, minus 2, because neighbouring cards are two places apart.
    most: u32,
}

impl<'a> Battles<'a> {
    /// Begins a series of comparisons. The decks must contain at least one card.
    #[inline(always)]
    pub(super) fn begin(decks: &'a mut Decks) -> Battles<'a> {
        let ends = decks.ends;
        Battles { decks, ends, most: ends.first.places() + ends.second.places() - 2 }
    }

    /// Returns whether both decks have cards: the first deck has some, but not all.
    #[inline(always)]
    pub(super) fn can_go_on(&self) -> bool {
        self.ends.first.places().wrapping_sub(2) < self.most
    }

    #[inline(always)]
    pub(super) fn tops(&self) -> (u8, u8) {
        let card = |ends: Ends| self.decks.cards[ends.top as usize % RING];
        (card(self.ends.first), card(self.ends.second))
    }

    /// Removes the top cards, and puts `cards` under the deck of the winner.
    ///
    /// The winner is unpredictable, so the code selects and adds instead of branching.
    #[inline(always)]
    pub(super) fn settle(&mut self, first_wins: bool, cards: (u8, u8)) {
        let BySeat { first, second } = &mut self.ends;
        let bottom = if first_wins { first.bottom } else { second.bottom };
        self.decks.cards[bottom as usize % RING] = cards.0;
        self.decks.cards[bottom.wrapping_add(2) as usize % RING] = cards.1;
        first.bottom = first.bottom.wrapping_add(4 * u32::from(first_wins));
        second.bottom = second.bottom.wrapping_add(4 * u32::from(!first_wins));
        first.top = first.top.wrapping_add(2);
        second.top = second.top.wrapping_add(2);
    }

    /// Writes the ends back and returns the number of turns that each seat won.
    #[inline(always)]
    pub(super) fn end(self) -> BySeat<u64> {
        let before = std::mem::replace(&mut self.decks.ends, self.ends);
        BySeat::from_fn(|seat| {
            u64::from(self.ends[seat].bottom.wrapping_sub(before[seat].bottom) / 4)
        })
    }
}
