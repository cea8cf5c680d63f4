//! The decks of both players, in one fixed array.

use serde::{Deserialize, Serialize};

use super::cards::{MAX_CARDS, TooManyCards};
use crate::{BySeat, Seat};

/// Places in the ring: as many as there are bytes, so that no index needs a check.
const RING: usize = 2 * MAX_CARDS;

/// Two decks in one ring: the places of the first seat are even, those of the second odd.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "BySeat<Vec<u8>>", into = "BySeat<Vec<u8>>")]
pub(super) struct Decks {
    cards: [u8; RING],
    ends: BySeat<Ends>,
}

/// The places where a deck begins and ends, modulo the size of the ring. Cards of a deck are two places
/// apart; both places wrap in very long games, and their difference stays right.
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
    /// The decks of these cards, the top cards first, at most [`MAX_CARDS`] for each seat.
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

    /// The number of cards that `seat` has.
    #[inline(always)]
    pub(super) fn len(&self, seat: Seat) -> usize {
        self.ends[seat].places() as usize / 2
    }

    /// Takes the top card of a deck, which must have one.
    #[inline(always)]
    pub(super) fn draw(&mut self, seat: Seat) -> u8 {
        let Ends { top, .. } = &mut self.ends[seat];
        let card = self.cards[*top as usize % RING];
        *top = top.wrapping_add(2);
        card
    }

    /// Puts a card on top of a deck.
    #[inline(always)]
    pub(super) fn put_on_top(&mut self, seat: Seat, card: u8) {
        let Ends { top, .. } = &mut self.ends[seat];
        *top = top.wrapping_sub(2);
        self.cards[*top as usize % RING] = card;
    }

    /// Puts cards under a deck.
    #[inline(always)]
    pub(super) fn put_under(&mut self, seat: Seat, cards: &[u8]) {
        let Ends { bottom, .. } = &mut self.ends[seat];
        let mut put = |cards: &[u8]| {
            for (i, &card) in (0..).zip(cards) {
                self.cards[bottom.wrapping_add(2 * i) as usize % RING] = card;
            }
            *bottom = bottom.wrapping_add(2 * cards.len() as u32);
        };
        // Loops of known length for nearly all piles.
        match cards.len() {
            2 => put(&cards[..2]),
            6 => put(&cards[..6]),
            _ => put(cards),
        }
    }

    /// The cards of a deck, the top card first.
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

/// Two decks whose top cards are compared again and again.
///
/// The ends are copies, written back by [`end`](Battles::end): in registers they cost nothing.
pub(super) struct Battles<'a> {
    decks: &'a mut Decks,
    ends: BySeat<Ends>,
    /// Two less than the places of all cards.
    most: u32,
}

impl<'a> Battles<'a> {
    /// There must be a card at least.
    #[inline(always)]
    pub(super) fn begin(decks: &'a mut Decks) -> Battles<'a> {
        let ends = decks.ends;
        Battles { decks, ends, most: ends.first.places() + ends.second.places() - 2 }
    }

    /// Whether both decks have cards: the first has neither none nor all.
    #[inline(always)]
    pub(super) fn can_go_on(&self) -> bool {
        self.ends.first.places().wrapping_sub(2) < self.most
    }

    /// The top cards.
    #[inline(always)]
    pub(super) fn tops(&self) -> (u8, u8) {
        let card = |ends: Ends| self.decks.cards[ends.top as usize % RING];
        (card(self.ends.first), card(self.ends.second))
    }

    /// Draws the top cards, and puts `cards` under the deck of the winner.
    ///
    /// The winner cannot be predicted, so there are selections and sums instead of branches.
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

    /// Returns the number of turns that each seat won.
    #[inline(always)]
    pub(super) fn end(self) -> BySeat<u64> {
        let before = std::mem::replace(&mut self.decks.ends, self.ends);
        BySeat::from_fn(|seat| {
            u64::from(self.ends[seat].bottom.wrapping_sub(before[seat].bottom) / 4)
        })
    }
}
