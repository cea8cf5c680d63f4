//! Sets and stacks of cards, small enough to be `Copy`.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The largest number of ranks in a deck.
pub const MAX_RANKS: usize = 15;

/// The largest number of cards in a reserve.
pub const MAX_RESERVE: usize = 32;

/// The number of cards of each rank, up to 15, stored in four bits for each rank. The serialized form is the list of
/// the cards.
#[derive(Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub struct RankCounts(u64);

/// The reason why a list of cards in a file was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadCards {
    /// The rank is not in any deck.
    #[error("there is no rank {rank}: ranks are below {MAX_RANKS}")]
    NoSuchRank {
        /// The rank that does not exist.
        rank: u8,
    },
    /// A deck cannot have more than 15 cards of a rank.
    #[error("there are more than 15 cards of rank {rank}")]
    TooManyOfARank {
        /// The rank with too many cards.
        rank: u8,
    },
    /// The reserve is too large.
    #[error("{found} cards in a reserve, but at most {MAX_RESERVE} are allowed")]
    TooManyCards {
        /// The number of cards.
        found: usize,
    },
}

impl RankCounts {
    /// Returns all bits of one rank.
    #[inline]
    pub(super) fn mask(rank: u8) -> RankCounts {
        RankCounts(15 << (4 * rank))
    }

    /// Returns the bitwise or: the union of masks, of disjoint sets, or of parts of one set.
    #[inline]
    pub(super) fn union(self, other: RankCounts) -> RankCounts {
        RankCounts(self.0 | other.0)
    }

    /// Returns the cards with ranks in `mask`.
    #[inline]
    pub(super) fn of_ranks(self, mask: RankCounts) -> RankCounts {
        RankCounts(self.0 & mask.0)
    }

    /// Returns the number of cards of rank `rank`.
    #[inline]
    pub fn count(self, rank: u8) -> u8 {
        (self.0 >> (4 * rank) & 15) as u8
    }

    /// Returns the number of cards, at most 255.
    #[inline]
    pub fn len(self) -> u8 {
        const LOW: u64 = 0x0F0F_0F0F_0F0F_0F0F;
        // The highest byte of the product is the sum of all bytes.
        let pairs = (self.0 & LOW) + (self.0 >> 4 & LOW);
        (pairs.wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8
    }

    /// Returns whether the set is empty.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds a card.
    #[inline]
    pub fn add(&mut self, rank: u8) {
        debug_assert!(usize::from(rank) < MAX_RANKS && self.count(rank) < 15, "no room for {rank}");
        self.0 += 1 << (4 * rank);
    }

    /// Removes a card.
    #[inline]
    pub fn remove(&mut self, rank: u8) {
        debug_assert!(self.count(rank) > 0, "there is no card of rank {rank}");
        self.0 -= 1 << (4 * rank);
    }

    /// Returns the same cards with ranks renumbered upwards around a ring of `num_ranks` ranks, so that `rank` becomes
    /// 0.
    #[inline]
    pub fn counted_from(self, rank: u8, num_ranks: u8) -> RankCounts {
        let (shift, width) = (4 * rank, 4 * num_ranks);
        RankCounts((self.0 >> shift | self.0 << (width - shift)) & ((1 << width) - 1))
    }

    /// Returns the ranks with at least one card, in ascending order.
    #[inline]
    pub fn ranks(self) -> impl Iterator<Item = u8> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            (left != 0).then(|| {
                let rank = (left.trailing_zeros() / 4) as u8;
                left &= !(15 << (4 * rank));
                rank
            })
        })
    }

    /// Returns the rank of the card at this index among all cards in ascending order. The index must be below
    /// [`len`](RankCounts::len).
    #[inline]
    pub(super) fn rank_of(self, mut index: u8) -> u8 {
        let mut rank = 0;
        while index >= self.count(rank) {
            index -= self.count(rank);
            rank += 1;
        }
        rank
    }
}

impl fmt::Debug for RankCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(Vec::from(*self)).finish()
    }
}

impl From<RankCounts> for Vec<u8> {
    fn from(counts: RankCounts) -> Vec<u8> {
        counts
            .ranks()
            .flat_map(|rank| std::iter::repeat_n(rank, usize::from(counts.count(rank))))
            .collect()
    }
}

impl TryFrom<Vec<u8>> for RankCounts {
    type Error = BadCards;

    fn try_from(cards: Vec<u8>) -> Result<RankCounts, BadCards> {
        let mut counts = RankCounts::default();
        for rank in cards {
            if usize::from(rank) >= MAX_RANKS {
                return Err(BadCards::NoSuchRank { rank });
            }
            if counts.count(rank) == 15 {
                return Err(BadCards::TooManyOfARank { rank });
            }
            counts.add(rank);
        }
        Ok(counts)
    }
}

/// A stack of cards. The serialized form is the list of the cards, the top card last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<u8>", into = "Vec<u8>")]
pub(super) struct Reserve {
    /// The cards from the bottom up; zero from `len` on.
    cards: [u8; MAX_RESERVE],
    len: u8,
}

impl Reserve {
    /// Creates the stack of these cards, the top card last.
    ///
    /// # Panics
    ///
    /// Panics if there are more than [`MAX_RESERVE`] cards.
    pub(super) fn new(cards: &[u8]) -> Reserve {
        let mut reserve = Reserve { cards: [0; MAX_RESERVE], len: cards.len() as u8 };
        reserve.cards[..cards.len()].copy_from_slice(cards);
        reserve
    }

    #[inline]
    pub(super) fn cards(&self) -> &[u8] {
        &self.cards[..usize::from(self.len)]
    }

    #[inline]
    pub(super) fn len(&self) -> u8 {
        self.len
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Removes and returns the top card of a stack that is not empty.
    #[inline]
    pub(super) fn draw(&mut self) -> u8 {
        self.len -= 1;
        std::mem::take(&mut self.cards[usize::from(self.len)])
    }
}

impl From<Reserve> for Vec<u8> {
    fn from(reserve: Reserve) -> Vec<u8> {
        reserve.cards().to_vec()
    }
}

impl TryFrom<Vec<u8>> for Reserve {
    type Error = BadCards;

    fn try_from(cards: Vec<u8>) -> Result<Reserve, BadCards> {
        if cards.len() > MAX_RESERVE {
            return Err(BadCards::TooManyCards { found: cards.len() });
        }
        // Ranks are used as indices, so they must be in range.
        match cards.iter().find(|&&rank| usize::from(rank) >= MAX_RANKS) {
            Some(&rank) => Err(BadCards::NoSuchRank { rank }),
            None => Ok(Reserve::new(&cards)),
        }
    }
}
