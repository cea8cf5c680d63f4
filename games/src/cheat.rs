//! Cheat: get rid of your cards, face down, and say "cheat" if you do not believe the other player.
//!
//! # Rules
//!
//! Cauwet & Teytaud 2018, section III-A. The deck has four colours of `cards-per-colour` cards, 13 by default; ranks
//! never matter, so a hand is four numbers. The deck is shuffled and each player gets one half. The first player leads
//! the first round.
//!
//! The **leader** of a round puts one of their cards on the empty table, face up: its colour becomes the
//! current colour. Then, in turn, a player either
//! - puts any one of their cards on the table, **face down**, and pretends that it is of the current colour, or
//! - claims "cheat": the last card is turned over. If it is of the current colour, the claimant takes all
//!   the cards on the table; otherwise the player who put the card takes them. The round is over, and the player
//!   who took the cards leads the next round.
//!
//! A player without cards wins at once, whatever their last card was: it cannot be challenged. A claim right after a
//! lead is allowed, though a lead cannot be a lie: the claimant takes the card and the lead. After `max-plies` actions,
//! 500 by default, the game is a draw; the paper has no cap, and careful players would never finish.
//!
//! # View
//!
//! | a seat sees | it does not see |
//! |---|---|
//! | its own cards; the cards that it put this round | the cards that the opponent put face down this round |
//! | the numbers of the opponent's cards, of cards on the table, and of cards that the opponent put this round | which cards the opponent still holds |
//! | the current colour, and whether the last card was the lead | |
//! | the cards the opponent held when the round began | |
//!
//! The last row of the table requires no memory: when a round begins, the table is empty, and the opponent has all
//! cards that the seat does not have.
//!
//! # Known values
//!
//! From an independent prototype: two players that maximise a random quadratic form of the situation draw .64 of their
//! games; a player that claims when the opponent is down to three cards, and leads a colour that the opponent lacks,
//! never lost in 150 000 games. `ruse_strategies::cheat` has both kinds of players.
//!
//! # Versions
//!
//! 1: the rules above.

mod board;
mod drawing;
mod reconstruct;

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};

use crate::{
    AdjustableRules, BySeat, Game, Imagine, Legal, Payoff, Rule, RulesError, SampleAction, Seat,
    Turn, shuffle,
};

/// The number of colours.
pub const NUM_COLOURS: usize = 4;

/// The largest number of cards of a colour. The number of all cards, four times as large, must fit into a byte.
const MAX_CARDS_PER_COLOUR: u8 = 63;

/// A set of cards: the number of cards of each colour.
pub type Counts = [u8; NUM_COLOURS];

/// Returns the number of cards in a set of at most 255 cards.
#[inline]
pub fn num_cards(counts: Counts) -> u8 {
    // The highest byte of the product is the sum of all bytes.
    (u32::from_le_bytes(counts).wrapping_mul(0x0101_0101) >> 24) as u8
}

#[inline]
fn sum(a: Counts, b: Counts) -> Counts {
    std::array::from_fn(|colour| a[colour] + b[colour])
}

/// The game of Cheat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cheat {
    cards_per_colour: u8,
    max_plies: u32,
}

impl Cheat {
    /// Returns the game with four colours of 13 cards each, which ends in a draw after 500 actions.
    pub fn standard() -> Cheat {
        Cheat { cards_per_colour: 13, max_plies: 500 }
    }

    /// Returns the number of cards of each colour.
    #[inline]
    pub fn cards_per_colour(&self) -> u8 {
        self.cards_per_colour
    }

    /// Returns a game at its start. The first player has the cards `first` and leads; the second player has all other
    /// cards.
    ///
    /// # Panics
    ///
    /// Panics if `first` has more cards of a colour than the deck, or if a player would have no cards.
    pub fn start(&self, first: Counts) -> CheatState {
        assert!(
            first.iter().all(|&count| count <= self.cards_per_colour),
            "{first:?} is more than {} cards of a colour",
            self.cards_per_colour
        );
        let second = first.map(|count| self.cards_per_colour - count);
        assert!(num_cards(first) > 0 && num_cards(second) > 0, "a player has no cards");
        CheatState {
            hands: BySeat { first, second },
            put: BySeat::default(),
            round: None,
            plies: 0,
            turn: Turn::Act(Seat::First),
        }
    }
}

/// The state of the table during a round, after the lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Round {
    leader: Seat,
    /// The colour of the lead.
    current: u8,
    /// The true colour of the last card put on the table.
    last: u8,
}

/// A game of [`Cheat`] in progress.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CheatState {
    hands: BySeat<Counts>,
    /// The cards on the table, by the seat that put them there.
    put: BySeat<Counts>,
    /// The current round; `None` if a card must be led.
    round: Option<Round>,
    plies: u32,
    turn: Turn,
}

impl CheatState {
    /// Returns the number of actions so far.
    pub fn plies(&self) -> u32 {
        self.plies
    }
}

/// An action in [`Cheat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum CheatAction {
    /// Puts a card of this colour, counted from 0, on the table: a lead, a truth or a lie.
    Put(u8),
    /// Says "cheat".
    #[default]
    Claim,
}

/// The view of a seat in [`Cheat`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheatView {
    /// The seat's own hand.
    pub own: Counts,
    /// The cards that the seat has put this round.
    pub own_put: Counts,
    /// The number of cards in the opponent's hand.
    pub opponent_cards: u8,
    /// The number of cards that the opponent has put this round.
    pub opponent_put: u8,
    /// The opponent's hand when the round began.
    pub opponent_at_start: Counts,
    /// The current colour; `None` if a card must be led.
    pub current: Option<u8>,
}

impl CheatView {
    /// Returns the number of cards on the table.
    #[inline]
    pub fn table(&self) -> u8 {
        num_cards(self.own_put) + self.opponent_put
    }

    /// Returns whether the last card was a lead, which both players saw.
    #[inline]
    pub fn last_is_lead(&self) -> bool {
        self.table() == 1
    }
}

/// The reason why an action was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IllegalCheatAction {
    /// The colour does not exist.
    #[error("there is no colour {colour}: colours are 0 to 3")]
    NoSuchColour {
        /// The requested colour.
        colour: u8,
    },
    /// The player does not have a card of this colour.
    #[error("a card of colour {colour} cannot be put, for the hand has none")]
    NotHeld {
        /// The requested colour.
        colour: u8,
    },
    /// The table is empty, so there is no card to challenge.
    #[error("there is no card to claim about: one must be led")]
    NothingToClaim,
    /// The game is over.
    #[error("the game is over")]
    GameOver,
}

impl Game for Cheat {
    type State = CheatState;
    type Action = CheatAction;
    type View<'a> = CheatView;
    type Illegal = IllegalCheatAction;

    fn deal<R: Rng>(&self, rng: &mut R) -> CheatState {
        let mut cards = [0u8; NUM_COLOURS * MAX_CARDS_PER_COLOUR as usize];
        let per_colour = usize::from(self.cards_per_colour);
        let cards = &mut cards[..NUM_COLOURS * per_colour];
        for (colour, cards) in (0..).zip(cards.chunks_exact_mut(per_colour)) {
            cards.fill(colour);
        }
        shuffle(cards, rng);
        let mut first = Counts::default();
        for &colour in &cards[..cards.len() / 2] {
            first[usize::from(colour)] += 1;
        }
        self.start(first)
    }

    #[inline]
    fn turn(&self, state: &CheatState) -> Turn {
        state.turn
    }

    #[inline]
    fn view(&self, state: &CheatState, seat: Seat) -> CheatView {
        let (own, own_put) = (state.hands[seat], state.put[seat]);
        CheatView {
            own,
            own_put,
            opponent_cards: num_cards(state.hands[seat.other()]),
            opponent_put: num_cards(state.put[seat.other()]),
            opponent_at_start: sum(own, own_put).map(|count| self.cards_per_colour - count),
            current: state.round.map(|round| round.current),
        }
    }

    fn check(&self, state: &CheatState, action: &CheatAction) -> Result<(), IllegalCheatAction> {
        let Turn::Act(seat) = state.turn else {
            return Err(IllegalCheatAction::GameOver);
        };
        match *action {
            CheatAction::Claim if state.round.is_none() => Err(IllegalCheatAction::NothingToClaim),
            CheatAction::Claim => Ok(()),
            CheatAction::Put(colour) => match state.hands[seat].get(usize::from(colour)) {
                None => Err(IllegalCheatAction::NoSuchColour { colour }),
                Some(0) => Err(IllegalCheatAction::NotHeld { colour }),
                Some(_) => Ok(()),
            },
        }
    }

    // The caller reads the result at once: with inlining, the loop keeps it in registers.
    #[inline(always)]
    fn apply<R: Rng>(&self, state: &mut CheatState, seat: Seat, action: &CheatAction, _: &mut R) {
        debug_assert_eq!(state.turn, Turn::Act(seat), "it is not the turn of {seat:?}");
        debug_assert_eq!(self.check(state, action), Ok(()), "a strategy broke the rules of Cheat");
        state.plies += 1;
        let next = match *action {
            CheatAction::Put(colour) => {
                let index = usize::from(colour);
                state.hands[seat][index] -= 1;
                state.put[seat][index] += 1;
                if num_cards(state.hands[seat]) == 0 {
                    state.turn = Turn::Over(Payoff::won_by(seat));
                    return;
                }
                let round = Round { leader: seat, current: colour, last: colour };
                state.round.get_or_insert(round).last = colour;
                seat.other()
            }
            CheatAction::Claim => {
                let truthful = state.round.is_some_and(|round| round.last == round.current);
                let taker = if truthful { seat } else { seat.other() };
                let table = sum(state.put.first, state.put.second);
                state.hands[taker] = sum(state.hands[taker], table);
                state.put = BySeat::default();
                state.round = None;
                taker
            }
        };
        state.turn =
            if state.plies < self.max_plies { Turn::Act(next) } else { Turn::Over(Payoff::DRAW) };
    }
}

impl Legal for Cheat {
    fn legal(&self, view: &CheatView, actions: &mut Vec<CheatAction>) {
        let held = (0..).zip(view.own).filter(|&(_, count)| count > 0);
        actions.extend(held.map(|(colour, _)| CheatAction::Put(colour)));
        if view.current.is_some() {
            actions.push(CheatAction::Claim);
        }
    }
}

impl SampleAction for Cheat {
    /// Draws each legal action with the same probability.
    fn sample_action<R: Rng>(&self, view: &CheatView, rng: &mut R, action: &mut CheatAction) {
        *action = sample_legal(view.own, view.current.is_some(), rng);
    }
}

/// Draws an action uniformly from the legal actions of a player with these cards. A player who may not claim must lead.
#[inline]
pub fn sample_legal<R: Rng>(own: Counts, may_claim: bool, rng: &mut R) -> CheatAction {
    let num_colours = own.iter().filter(|&&count| count > 0).count();
    let index = rng.random_range(0..num_colours + usize::from(may_claim));
    let mut held = (0..).zip(own).filter(|&(_, count)| count > 0);
    held.nth(index).map_or(CheatAction::Claim, |(colour, _)| CheatAction::Put(colour))
}

/// The part of a seat's knowledge in [`Cheat`] that views do not show, for counting the actions of the game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheatKnowledge {
    /// The number of actions of both seats up to this seat's last action.
    plies: u32,
    /// Whether this seat put a card in its last action.
    has_put: bool,
}

impl CheatKnowledge {
    /// Returns the number of actions of both seats before the current turn.
    ///
    /// If this seat has just put a card, the opponent has then put a card; or claimed; or claimed, taken the cards and
    /// led the next round. If this seat has just claimed or not acted yet, the opponent has either led or not acted.
    fn plies_before(self, view: &CheatView) -> u32 {
        self.plies
            + match (self.has_put, view.table()) {
                (true, 1) => 2,
                (true, _) => 1,
                (false, leads) => u32::from(leads),
            }
    }
}

/// Removes a uniformly random card from a hand that is not empty, and returns its colour.
fn draw_card<R: Rng>(hand: &mut Counts, rng: &mut R) -> u8 {
    let mut card = rng.random_range(0..num_cards(*hand));
    let mut colour = 0;
    while card >= hand[colour] {
        card -= hand[colour];
        colour += 1;
    }
    hand[colour] -= 1;
    colour as u8
}

impl Imagine for Cheat {
    type Knowledge = CheatKnowledge;

    fn learn(&self, known: &mut CheatKnowledge, _: Seat, view: &CheatView, action: &CheatAction) {
        *known = CheatKnowledge {
            plies: known.plies_before(view) + 1,
            has_put: matches!(action, CheatAction::Put(_)),
        };
    }

    /// Draws the opponent's face-down cards uniformly from its hand at the start of the round. Ignores its colour
    /// preferences, and the evidence in its decisions not to claim.
    fn imagine<R: Rng>(
        &self,
        knowledge: &CheatKnowledge,
        seat: Seat,
        view: &CheatView,
        rng: &mut R,
    ) -> CheatState {
        // The last card is the opponent's, so the opponent led if the number of cards is odd.
        let led_by_opponent = view.table() % 2 == 1;
        let mut hand = view.opponent_at_start;
        let mut put = Counts::default();
        let mut last = 0;
        for index in 0..view.opponent_put {
            last = match view.current {
                Some(lead) if index == 0 && led_by_opponent => {
                    hand[usize::from(lead)] -= 1;
                    lead
                }
                _ => draw_card(&mut hand, rng),
            };
            put[usize::from(last)] += 1;
        }
        CheatState {
            hands: BySeat::seen_by(seat, view.own, hand),
            put: BySeat::seen_by(seat, view.own_put, put),
            round: view.current.map(|current| Round {
                leader: if led_by_opponent { seat.other() } else { seat },
                current,
                last,
            }),
            plies: knowledge.plies_before(view),
            turn: Turn::Act(seat),
        }
    }
}

impl AdjustableRules for Cheat {
    fn rules(&self) -> Vec<Rule> {
        let cards = 2..=u64::from(MAX_CARDS_PER_COLOUR);
        vec![
            Rule::number("cards-per-colour", self.cards_per_colour, cards)
                .meaning("cards of each of the four colours"),
            Rule::number("max-plies", self.max_plies, 1..=1_000_000)
                .meaning("actions after which the game is a draw"),
        ]
    }

    fn with_values(&self, values: &[u64]) -> Result<Cheat, RulesError> {
        let [cards_per_colour, max_plies] = [values[0], values[1]];
        // The ranges ensure that the values fit.
        Ok(Cheat { cards_per_colour: cards_per_colour as u8, max_plies: max_plies as u32 })
    }
}

#[cfg(test)]
mod tests;
