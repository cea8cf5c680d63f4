//! Flip: be the first to get rid of your cards on two piles whose ranks go up and down.
//!
//! # Rules
//!
//! Cauwet & Teytaud 2018, section III-A. The deck has `ranks` ranks of `suits` cards each, 13 x 4 by default; suits
//! never matter, and the ranks form a ring: the lowest is next to the highest. Two cards start the two piles on the
//! table, and each player gets half of the others: `visible` cards, 5 by default, lie face up before the player, and
//! the rest lie face down in a stack, the player's reserve.
//!
//! In turn, a player puts one of their visible cards on a pile whose top card is **one rank above or below this card**.
//! The top card of their reserve, if there is one, is turned up in place of the card. A player must put a card if they
//! can; if they cannot, the turn passes. If neither player can put a card,
//! - both players turn the top card of their reserves, one onto each pile, as long as both have one;
//! - otherwise two cards drawn at random from all those on the table become the top cards.
//!
//! Then the player whose turn it was goes on. The paper does not say what happens if neither player can put a card;
//! these two rules are our choice. The game ends
//! - when a player has no cards left: they win;
//! - when the top cards would have to be drawn more than `max-redraws` times, 500 by default: the player
//!   with fewer cards wins, and with equal numbers the game is a draw.
//!
//! # View
//!
//! | both players see | neither player sees |
//! |---|---|
//! | the visible cards of both players | the order of the cards in a reserve |
//! | the cards on the table, and which of them are on top | which of the remaining cards are in which reserve |
//! | the sizes of both reserves, and the number of times that top cards were drawn | |
//!
//! # Known values
//!
//! According to an independent prototype, a player that leaves the opponent as few playable cards as possible scores
//! .633 against a player that maximises a random quadratic form.
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod cards;
mod drawing;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::{
    AdjustableRules, BySeat, Game, Imagine, Legal, Payoff, Rule, RulesError, SampleAction, Seat,
    Turn, shuffle,
};

use self::cards::Reserve;
pub use self::cards::{BadCards, MAX_RANKS, MAX_RESERVE, RankCounts};

/// The number of piles.
pub const NUM_PILES: usize = 2;

/// The maximum number of visible cards of a player, and of cards of a rank.
const MAX_COUNT: u64 = 15;

/// The number of cards in the largest deck: the first cards of both piles, the visible cards and the reserves.
const MAX_CARDS: usize = NUM_PILES + 2 * (MAX_COUNT as usize + MAX_RESERVE);

/// The game of Flip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flip {
    num_ranks: u8,
    num_suits: u8,
    num_visible: u8,
    pub(crate) max_redraws: u32,
    /// A mask of the two neighbours of each rank.
    neighbours: [RankCounts; MAX_RANKS],
}

impl Flip {
    /// Returns the game with 13 ranks x 4 suits and 5 visible cards.
    pub fn standard() -> Flip {
        Flip::new(13, 4, 5, 500)
    }

    fn new(num_ranks: u8, num_suits: u8, num_visible: u8, max_redraws: u32) -> Flip {
        let neighbours = std::array::from_fn(|rank| {
            let rank = rank as u8 % num_ranks;
            RankCounts::mask((rank + 1) % num_ranks)
                .union(RankCounts::mask((rank + num_ranks - 1) % num_ranks))
        });
        Flip { num_ranks, num_suits, num_visible, max_redraws, neighbours }
    }

    /// Returns the number of ranks.
    #[inline]
    pub fn num_ranks(&self) -> u8 {
        self.num_ranks
    }

    /// Returns the cards of `hand` that can be put on a pile with the top card `top`.
    #[inline]
    pub fn playable(&self, hand: RankCounts, top: u8) -> RankCounts {
        hand.of_ranks(self.neighbours[usize::from(top)])
    }

    fn num_cards(&self) -> usize {
        usize::from(self.num_ranks) * usize::from(self.num_suits)
    }

    /// Returns the start of the game with the given cards: the top cards of both piles, each player's visible cards,
    /// and each player's reserve from the bottom up. Ranks are counted from 0.
    ///
    /// # Panics
    ///
    /// Panics if a rank is not in this game, a reserve has more than [`MAX_RESERVE`] cards, or a player has no visible
    /// card. With debug assertions, also panics if the table or a player's visible cards have more than 15 cards of a
    /// rank.
    pub fn start<R: Rng>(
        &self,
        tops: [u8; NUM_PILES],
        visible: BySeat<&[u8]>,
        reserves: BySeat<&[u8]>,
        rng: &mut R,
    ) -> FlipState {
        let all = [&tops[..], visible.first, visible.second, reserves.first, reserves.second];
        for cards in all {
            assert!(cards.iter().all(|&card| card < self.num_ranks), "no such rank in {cards:?}");
        }
        let counts = |cards: &[u8]| {
            let mut counts = RankCounts::default();
            cards.iter().for_each(|&card| counts.add(card));
            counts
        };
        let visible = BySeat { first: counts(visible.first), second: counts(visible.second) };
        let some = !visible.first.is_empty() && !visible.second.is_empty();
        assert!(some, "a player has no visible card");
        let table = counts(&tops);
        let mut state = FlipState {
            visible,
            reserves: BySeat {
                first: Reserve::new(reserves.first),
                second: Reserve::new(reserves.second),
            },
            tops,
            table,
            redraws: 0,
            turn: Turn::Over(Payoff::DRAW),
        };
        state.turn = self.next_turn(&mut state, Seat::First, rng);
        state
    }

    /// Returns the cards of `hand` that can be put on a pile.
    #[inline]
    pub fn playable_somewhere(&self, hand: RankCounts, tops: [u8; NUM_PILES]) -> RankCounts {
        let [first, second] = tops.map(|top| self.neighbours[usize::from(top)]);
        hand.of_ranks(first.union(second))
    }

    /// Returns the turn of `seat` or, if it cannot put a card, of the other seat. Renews the top cards as long as
    /// neither can put a card. Ends the game if the limit on redraws is reached.
    #[inline]
    fn next_turn<R: Rng>(&self, state: &mut FlipState, seat: Seat, rng: &mut R) -> Turn {
        loop {
            for seat in [seat, seat.other()] {
                if !self.playable_somewhere(state.visible[seat], state.tops).is_empty() {
                    return Turn::Act(seat);
                }
            }
            let BySeat { first, second } = &mut state.reserves;
            if !first.is_empty() && !second.is_empty() {
                state.tops = [first.draw(), second.draw()];
                state.tops.into_iter().for_each(|top| state.table.add(top));
            } else if state.redraws < self.max_redraws {
                state.redraws += 1;
                let mut left = state.table;
                let mut num_left = left.len();
                state.tops = [(); NUM_PILES].map(|()| {
                    let rank = left.rank_of(rng.random_range(0..num_left));
                    left.remove(rank);
                    num_left -= 1;
                    rank
                });
            } else {
                let [first, second] = Seat::BOTH.map(|seat| state.num_cards(seat));
                return Turn::Over(second.cmp(&first).into());
            }
        }
    }
}

/// A game of [`Flip`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FlipState {
    visible: BySeat<RankCounts>,
    reserves: BySeat<Reserve>,
    tops: [u8; NUM_PILES],
    /// All cards of both piles, including the top cards.
    table: RankCounts,
    /// The number of times that top cards were drawn from the table.
    redraws: u32,
    turn: Turn,
}

impl FlipState {
    /// Returns the number of cards that `seat` has left.
    fn num_cards(&self, seat: Seat) -> u8 {
        self.visible[seat].len() + self.reserves[seat].len()
    }
}

/// An action in [`Flip`]: a visible card and the pile to put it on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct FlipAction {
    /// The rank of the card, from 0.
    pub card: u8,
    /// The pile, 0 or 1.
    pub pile: u8,
}

/// The view of a seat in [`Flip`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlipView {
    /// The seat's own visible cards.
    pub own: RankCounts,
    /// The opponent's visible cards.
    pub opponent: RankCounts,
    /// The ranks of the top cards of both piles.
    pub tops: [u8; NUM_PILES],
    /// All cards of both piles, including the top cards.
    pub table: RankCounts,
    /// The number of cards in the seat's own reserve.
    pub own_reserve: u8,
    /// The number of cards in the opponent's reserve.
    pub opponent_reserve: u8,
    /// The number of times that top cards were drawn from the table.
    pub redraws: u32,
}

/// The reason why an action was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalPut {
    /// The pile does not exist.
    #[error("there is no pile {pile}: piles are 0 and 1")]
    NoSuchPile {
        /// The requested pile.
        pile: u8,
    },
    /// The player has no visible card of this rank.
    #[error("a card of rank {card} cannot be put, for none is visible")]
    NotVisible {
        /// The requested rank.
        card: u8,
    },
    /// The ranks are not neighbours in the ring.
    #[error("a card of rank {card} does not fit on one of rank {top}")]
    DoesNotFit {
        /// The requested rank.
        card: u8,
        /// The rank of the top card of the pile.
        top: u8,
    },
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Game for Flip {
    type State = FlipState;
    type Action = FlipAction;
    type View<'a> = FlipView;
    type Illegal = IllegalPut;

    fn deal<R: Rng>(&self, rng: &mut R) -> FlipState {
        let mut cards = [0u8; MAX_CARDS];
        let cards = &mut cards[..self.num_cards()];
        let suits = usize::from(self.num_suits);
        for (rank, cards) in (0..).zip(cards.chunks_exact_mut(suits)) {
            cards.fill(rank);
        }
        shuffle(cards, rng);
        let (tops, rest) = cards.split_at(NUM_PILES);
        let (first, second) = rest.split_at(rest.len() / 2);
        let num_visible = usize::from(self.num_visible).min(first.len());
        let ((first, first_reserve), (second, second_reserve)) =
            (first.split_at(num_visible), second.split_at(num_visible));
        self.start(
            [tops[0], tops[1]],
            BySeat { first, second },
            BySeat { first: first_reserve, second: second_reserve },
            rng,
        )
    }

    #[inline]
    fn turn(&self, state: &FlipState) -> Turn {
        state.turn
    }

    #[inline]
    fn view(&self, state: &FlipState, seat: Seat) -> FlipView {
        FlipView {
            own: state.visible[seat],
            opponent: state.visible[seat.other()],
            tops: state.tops,
            table: state.table,
            own_reserve: state.reserves[seat].len(),
            opponent_reserve: state.reserves[seat.other()].len(),
            redraws: state.redraws,
        }
    }

    fn check(&self, state: &FlipState, action: &FlipAction) -> Result<(), IllegalPut> {
        let &FlipAction { card, pile } = action;
        let Turn::Act(seat) = state.turn else {
            return Err(IllegalPut::GameOver);
        };
        let Some(&top) = state.tops.get(usize::from(pile)) else {
            return Err(IllegalPut::NoSuchPile { pile });
        };
        if card >= self.num_ranks || state.visible[seat].count(card) == 0 {
            return Err(IllegalPut::NotVisible { card });
        }
        if self.playable(state.visible[seat], top).count(card) == 0 {
            return Err(IllegalPut::DoesNotFit { card, top });
        }
        Ok(())
    }

    #[inline]
    fn apply<R: Rng>(&self, state: &mut FlipState, seat: Seat, action: &FlipAction, rng: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules of Flip");
        let &FlipAction { card, pile } = action;
        state.tops[usize::from(pile)] = card;
        state.table.add(card);
        let visible = &mut state.visible[seat];
        visible.remove(card);
        if !state.reserves[seat].is_empty() {
            visible.add(state.reserves[seat].draw());
        }
        state.turn = if visible.is_empty() {
            Turn::Over(Payoff::won_by(seat))
        } else {
            self.next_turn(state, seat.other(), rng)
        };
    }
}

impl Flip {
    /// Calls `visit` with each legal action of a player with these visible cards, ordered by rank and then by pile.
    #[inline]
    pub fn for_each_action(
        &self,
        visible: RankCounts,
        tops: [u8; NUM_PILES],
        mut visit: impl FnMut(FlipAction),
    ) {
        let playable = tops.map(|top| self.playable(visible, top));
        for card in playable[0].union(playable[1]).ranks() {
            for (pile, playable) in (0..).zip(playable) {
                if playable.count(card) > 0 {
                    visit(FlipAction { card, pile });
                }
            }
        }
    }

    /// Draws uniformly from the legal actions of a player with these visible cards, who must have one.
    #[inline]
    pub fn sample_put<R: Rng>(
        &self,
        visible: RankCounts,
        tops: [u8; NUM_PILES],
        rng: &mut R,
    ) -> FlipAction {
        let mut num_actions = 0;
        self.for_each_action(visible, tops, |_| num_actions += 1);
        let mut left = rng.random_range(0..num_actions);
        let mut drawn = FlipAction::default();
        self.for_each_action(visible, tops, |action| {
            if left == 0 {
                drawn = action;
            }
            left -= 1;
        });
        drawn
    }
}

impl Legal for Flip {
    fn legal(&self, view: &FlipView, actions: &mut Vec<FlipAction>) {
        self.for_each_action(view.own, view.tops, |action| actions.push(action));
    }
}

impl SampleAction for Flip {
    /// Draws uniformly from the pairs of a visible rank and a pile that it fits.
    fn sample_action<R: Rng>(&self, view: &FlipView, rng: &mut R, action: &mut FlipAction) {
        *action = self.sample_put(view.own, view.tops, rng);
    }
}

impl Imagine for Flip {
    /// Empty: all cards that the seat has seen stay in view, and a reserve influences no action before its cards are
    /// drawn.
    type Knowledge = ();

    /// Shuffles the unseen cards of the deck into the two reserves. The distribution is exact for any opponent.
    fn imagine<R: Rng>(&self, (): &(), seat: Seat, view: &FlipView, rng: &mut R) -> FlipState {
        let mut hidden = [0; 2 * MAX_RESERVE];
        let mut num_hidden = 0;
        for rank in 0..self.num_ranks {
            let seen = [view.own, view.opponent, view.table].map(|cards| cards.count(rank));
            let count = usize::from(self.num_suits - seen.iter().sum::<u8>());
            hidden[num_hidden..num_hidden + count].fill(rank);
            num_hidden += count;
        }
        let hidden = &mut hidden[..num_hidden];
        shuffle(hidden, rng);
        let (own, opponent) = hidden.split_at(usize::from(view.own_reserve));
        debug_assert_eq!(opponent.len(), usize::from(view.opponent_reserve), "not this deck");
        FlipState {
            visible: BySeat::seen_by(seat, view.own, view.opponent),
            reserves: BySeat::seen_by(seat, Reserve::new(own), Reserve::new(opponent)),
            tops: view.tops,
            table: view.table,
            redraws: view.redraws,
            turn: Turn::Act(seat),
        }
    }
}

impl AdjustableRules for Flip {
    fn rules(&self) -> Vec<Rule> {
        vec![
            Rule::new(
                "ranks",
                "ranks in the deck, a ring",
                self.num_ranks,
                // In a ring of seven or more ranks, three steps up and three steps down from a rank lead to six
                // different ranks.
                7..=MAX_RANKS as u64,
            ),
            Rule::new("suits", "cards of each rank", self.num_suits, 1..=MAX_COUNT),
            Rule::number("visible", self.num_visible, 1..=MAX_COUNT)
                .meaning("cards that lie face up before a player"),
            Rule::number("max-redraws", self.max_redraws, 0..=1_000_000)
                .meaning("draws of new top cards from the table after which the cards are counted"),
        ]
    }

    fn with_values(&self, values: &[u64]) -> Result<Flip, RulesError> {
        let [ranks, suits, visible, max_redraws] = [values[0], values[1], values[2], values[3]];
        let num_cards = ranks * suits;
        if num_cards % 2 == 1 {
            let reason = format!(
                "{ranks} ranks x {suits} suits are {num_cards} cards, which two players cannot halve"
            );
            return Err(RulesError::Inconsistent { reason });
        }
        let reserve = ((num_cards - NUM_PILES as u64) / 2).saturating_sub(visible);
        if reserve > MAX_RESERVE as u64 {
            let reason = format!(
                "{num_cards} cards with {visible} visible leave {reserve} in each reserve, and at most \
                 {MAX_RESERVE} can be played"
            );
            return Err(RulesError::Inconsistent { reason });
        }
        // The ranges ensure that the values fit.
        Ok(Flip::new(ranks as u8, suits as u8, visible as u8, max_redraws as u32))
    }
}

#[cfg(test)]
mod tests;
