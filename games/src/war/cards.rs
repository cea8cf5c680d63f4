//! Decks and piles: fixed arrays, so that no game allocates.

use serde::{Deserialize, Serialize};

/// The largest deck that can be played, in cards; a power of two, since decks are rings of this size.
pub const MAX_CARDS: usize = 128;

/// A player's deck: a ring of [`MAX_CARDS`] cards.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub(super) struct Deck {
    cards: [u8; MAX_CARDS],
    /// Cards drawn since the deal; modulo the size of the ring, the place of the top card.
    num_drawn: u32,
    /// Cards dealt or put under the deck since the deal.
    num_added: u32,
}

impl Deck {
    pub(super) fn new(top_first: &[u8]) -> Deck {
        let mut deck =
            Deck { cards: [0; MAX_CARDS], num_drawn: 0, num_added: top_first.len() as u32 };
        deck.cards[..top_first.len()].copy_from_slice(top_first);
        deck
    }

    /// Both counters wrap in very long games, and their difference stays right.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.num_added.wrapping_sub(self.num_drawn) as usize
    }

    /// Takes the top card; the deck must have one.
    #[inline(always)]
    pub(super) fn draw(&mut self) -> u8 {
        let card = self.cards[self.num_drawn as usize % MAX_CARDS];
        self.num_drawn = self.num_drawn.wrapping_add(1);
        card
    }

    /// Puts a card under the deck.
    #[inline(always)]
    pub(super) fn put_under(&mut self, card: u8) {
        self.cards[self.num_added as usize % MAX_CARDS] = card;
        self.num_added = self.num_added.wrapping_add(1);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        let start = self.num_drawn as usize;
        (0..self.len()).map(move |i| self.cards[(start + i) % MAX_CARDS])
    }
}

impl From<Deck> for Vec<u8> {
    fn from(deck: Deck) -> Vec<u8> {
        deck.iter().collect()
    }
}

impl TryFrom<Vec<u8>> for Deck {
    type Error = TooManyCards;

    fn try_from(top_first: Vec<u8>) -> Result<Deck, TooManyCards> {
        TooManyCards::check(&top_first).map(|()| Deck::new(&top_first))
    }
}

impl PartialEq for Deck {
    fn eq(&self, other: &Deck) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

/// Comparisons that sort the six cards of one tie (Knuth, *The Art of Computer Programming*, volume 3,
/// section 5.3.4).
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

/// Comparisons that sort the ten cards of two ties in a row (same source).
const TEN_CARDS: [(usize, usize); 29] = [
    (0, 8),
    (1, 9),
    (2, 7),
    (3, 5),
    (4, 6),
    (0, 2),
    (1, 4),
    (5, 8),
    (7, 9),
    (0, 3),
    (2, 4),
    (5, 7),
    (6, 9),
    (0, 1),
    (3, 6),
    (8, 9),
    (1, 5),
    (2, 3),
    (4, 8),
    (6, 7),
    (1, 2),
    (3, 5),
    (4, 6),
    (7, 8),
    (2, 3),
    (4, 5),
    (6, 7),
    (3, 4),
    (5, 6),
];

/// Sorts by comparisons that are known in advance: no branch that could be mispredicted.
#[inline]
fn sort_by_network<const N: usize>(cards: &mut [u8; N], network: &[(usize, usize)]) {
    for &(x, y) in network {
        (cards[x], cards[y]) = (cards[x].min(cards[y]), cards[x].max(cards[y]));
    }
}

/// Cards in an order: a pile on the table, or the action of putting one under a deck.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct Pile {
    cards: [u8; MAX_CARDS],
    len: usize,
}

impl Pile {
    /// The cards, in order; the first of an action will be drawn first.
    #[inline]
    pub fn cards(&self) -> &[u8] {
        &self.cards[..self.len]
    }

    /// The same, to be put in another order.
    #[inline]
    pub fn cards_mut(&mut self) -> &mut [u8] {
        &mut self.cards[..self.len]
    }

    /// Makes this a pile of two cards, by far the most frequent pile.
    #[inline]
    pub fn set_two(&mut self, first: u8, second: u8) {
        self.cards[0] = first;
        self.cards[1] = second;
        self.len = 2;
    }

    /// Makes this a copy of `cards`, at most [`MAX_CARDS`] of them.
    #[inline]
    pub fn set(&mut self, cards: &[u8]) {
        self.len = cards.len();
        if let Ok(six) = <&[u8; 6]>::try_from(cards) {
            // The size after one tie: a copy of known length needs no call.
            self.cards[..6].copy_from_slice(six);
        } else {
            self.cards[..cards.len()].copy_from_slice(cards);
        }
    }

    /// Adds two cards of each deck, and returns the second ones, which are face up.
    #[inline(always)]
    pub(super) fn add_tie(&mut self, first: &mut Deck, second: &mut Deck) -> (u8, u8) {
        let added = &mut self.cards[self.len..self.len + 4];
        for cards in added.chunks_exact_mut(2) {
            cards[0] = first.draw();
            cards[1] = second.draw();
        }
        self.len += 4;
        (added[2], added[3])
    }

    pub(super) fn sort(&mut self) {
        let cards = self.cards_mut();
        if let Ok(six) = cards.try_into() {
            sort_by_network::<6>(six, &SIX_CARDS);
        } else if let Ok(ten) = cards.try_into() {
            sort_by_network::<10>(ten, &TEN_CARDS);
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

/// Why cards read from a file were refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} cards, and at most {MAX_CARDS} can be played")]
pub struct TooManyCards(pub usize);

impl TooManyCards {
    fn check(cards: &[u8]) -> Result<(), TooManyCards> {
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
