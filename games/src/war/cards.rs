//! Piles of cards: fixed arrays, so that playing does not allocate.

use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::shuffle;

/// The largest deck that can be played, in cards.
pub const MAX_CARDS: usize = 128;

/// The comparisons of a network that sorts the six cards of one tie (Knuth, *The Art of Computer Programming*, volume
/// 3, section 5.3.4).
const SIX_CARDS: [(usize, usize); 12] = [
    (0, 5),
    (1, 3),
    (2, 4),
    (1, 2),
    (3, 4),
    (0, 3),
    (2, 5),
    (0, 1),
    (2, 3),
    (4, 5),
    (1, 2),
    (3, 4),
];

/// The comparisons of a network that sorts the ten cards of two ties in a row (same source), in parts short enough for
/// the compiler to unroll.
const TEN_CARDS: [&[(usize, usize)]; 3] = [
    &[(0, 8), (1, 9), (2, 7), (3, 5), (4, 6), (0, 2), (1, 4), (5, 8), (7, 9), (0, 3)],
    &[(2, 4), (5, 7), (6, 9), (0, 1), (3, 6), (8, 9), (1, 5), (2, 3), (4, 8), (6, 7)],
    &[(1, 2), (3, 5), (4, 6), (7, 8), (2, 3), (4, 5), (6, 7), (3, 4), (5, 6)],
];

/// Sorts by a fixed network of comparisons, without branches that could be mispredicted.
#[inline(always)]
fn sort_by_network<const N: usize>(cards: &mut [u8; N], network: &[(usize, usize)]) {
    for &(x, y) in network {
        (cards[x], cards[y]) = (cards[x].min(cards[y]), cards[x].max(cards[y]));
    }
}

/// The orders into which [`shuffle`] puts six cards, indexed by the number that the shuffle draws.
static ORDERS_OF_SIX: [[u8; 6]; 720] = {
    let mut orders = [[0; 6]; 720];
    let mut number = 0;
    while number < 720 {
        let mut order = [0, 1, 2, 3, 4, 5];
        let (mut digits, mut unit) = (number, 720);
        let mut i = 5;
        while i > 0 {
            unit /= i + 1;
            let j = digits / unit;
            digits %= unit;
            (order[i], order[j]) = (order[j], order[i]);
            i -= 1;
        }
        orders[number] = order;
        number += 1;
    }
    orders
};

/// Cards in an order: a pile on the table, or the action of putting a pile under a deck.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Pile {
    cards: [u8; MAX_CARDS],
    len: usize,
}

impl Pile {
    /// Returns the cards, in order; the first card of an action will be drawn first.
    #[inline]
    pub fn cards(&self) -> &[u8] {
        &self.cards[..self.len]
    }

    /// Returns the cards for reordering.
    #[inline]
    pub fn cards_mut(&mut self) -> &mut [u8] {
        &mut self.cards[..self.len]
    }

    /// Replaces the contents with two cards, which is the size of most piles.
    #[inline]
    pub fn set_two(&mut self, first: u8, second: u8) {
        self.cards[0] = first;
        self.cards[1] = second;
        self.len = 2;
    }

    #[inline(always)]
    /// Removes a card of this rank, if there is one.
    pub(super) fn remove(&mut self, card: u8) {
        if let Some(at) = self.cards().iter().position(|other| *other == card) {
            self.cards[at..self.len].rotate_left(1);
            self.len -= 1;
        }
    }

    pub(super) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a card to a pile of fewer than [`MAX_CARDS`] cards.
    pub(super) fn push(&mut self, card: u8) {
        self.cards[self.len] = card;
        self.len += 1;
    }

    /// Replaces the contents with a copy of `cards`, which must contain at most [`MAX_CARDS`] cards.
    #[inline]
    pub fn set(&mut self, cards: &[u8]) {
        self.len = cards.len();
        if let Ok(six) = <&[u8; 6]>::try_from(cards) {
            // A pile has six cards after one tie. With a constant length, the compiler copies them without a function
            // call.
            self.cards[..6].copy_from_slice(six);
        } else {
            self.cards[..cards.len()].copy_from_slice(cards);
        }
    }

    /// Replaces the contents with `cards`, in the order into which [`shuffle`] puts them.
    #[inline]
    pub fn set_shuffled<R: Rng>(&mut self, cards: &[u8], rng: &mut R) {
        if let Ok(six) = <&[u8; 6]>::try_from(cards) {
            // One 64-bit draw, read as a fraction, selects one of the orders.
            let number = (u128::from(rng.next_u64()) * ORDERS_OF_SIX.len() as u128) >> 64;
            let order = &ORDERS_OF_SIX[number as usize];
            for (card, &from) in self.cards[..6].iter_mut().zip(order) {
                *card = six[usize::from(from)];
            }
            self.len = 6;
        } else {
            self.set(cards);
            shuffle(self.cards_mut(), rng);
        }
    }

    /// Replaces the contents with the six cards of one tie, in ascending order: two cards of rank `tied`, and `added`.
    #[inline(always)]
    pub(super) fn set_one_tie(&mut self, tied: u8, added: [u8; 4]) {
        let mut six = [tied, tied, added[0], added[1], added[2], added[3]];
        sort_by_network(&mut six, &SIX_CARDS);
        self.cards[..6].copy_from_slice(&six);
        self.len = 6;
    }

    /// Adds the cards of another tie.
    pub(super) fn add(&mut self, added: [u8; 4]) {
        self.cards[self.len..self.len + 4].copy_from_slice(&added);
        self.len += 4;
    }

    pub(super) fn sort(&mut self) {
        let cards = self.cards_mut();
        if let Ok(six) = cards.try_into() {
            sort_by_network::<6>(six, &SIX_CARDS);
        } else if let Ok(ten) = <&mut [u8; 10]>::try_from(&mut *cards) {
            sort_by_network(ten, TEN_CARDS[0]);
            sort_by_network(ten, TEN_CARDS[1]);
            sort_by_network(ten, TEN_CARDS[2]);
        } else {
            cards.sort_unstable();
        }
    }
}

impl Default for Pile {
    fn default() -> Pile {
        Pile { cards: [0; MAX_CARDS], len: 0 }
    }
}

impl PartialEq for Pile {
    fn eq(&self, other: &Pile) -> bool {
        self.cards() == other.cards()
    }
}

impl From<Pile> for Vec<u8> {
    fn from(pile: Pile) -> Vec<u8> {
        pile.cards().to_vec()
    }
}

impl TryFrom<Vec<u8>> for Pile {
    type Error = TooManyCards;

    fn try_from(cards: Vec<u8>) -> Result<Pile, TooManyCards> {
        TooManyCards::check(&cards).map(|()| Pile::from(&cards[..]))
    }
}

/// The reason why cards read from a file were rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} cards, and at most {MAX_CARDS} can be played")]
pub struct TooManyCards(pub usize);

impl TooManyCards {
    pub(super) fn check(cards: &[u8]) -> Result<(), TooManyCards> {
        if cards.len() <= MAX_CARDS { Ok(()) } else { Err(TooManyCards(cards.len())) }
    }
}

impl From<&[u8]> for Pile {
    fn from(cards: &[u8]) -> Pile {
        let mut pile = Pile::default();
        pile.set(cards);
        pile
    }
}
