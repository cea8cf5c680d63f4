//! Kuhn poker over several hands: a game that is not part of this workspace.
//!
//! H. W. Kuhn, *A simplified two-person poker*, Contributions to the Theory of Games 1, 1950. A pack has three cards,
//! Jack, Queen and King. In each hand both players put in a chip and get a card. The player that opens may bet a chip
//! or check; then the other player may bet if there is no bet yet. A player that faces a bet calls it with a chip or
//! folds. Unless a player has folded, the higher card takes the chips. The players open in turn. The player with more
//! chips after the last hand wins.
//!
//! | seat | sees |
//! |---|---|
//! | both | their own card, what was said in this hand, the chips won so far, the hands left |

#![allow(unreachable_pub, reason = "it is written as in a library, and the examples are programs")]

mod board;

use std::convert::Infallible;

use ruse::games::{AdjustableRules, BySeat, Game, Payoff, Rule, RulesError, Seat, Turn};
use ruse::rand::{Rng, RngExt};

/// The rules of Kuhn poker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KuhnPoker {
    num_hands: u32,
}

impl Default for KuhnPoker {
    fn default() -> KuhnPoker {
        KuhnPoker { num_hands: 10 }
    }
}

/// The course of a hand so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Situation {
    /// No player has acted.
    Opening,
    /// The opening player has checked.
    AfterCheck,
    /// The opening player has bet.
    FacingBet,
    /// The opening player has checked and faces a bet.
    FacingBetAfterCheck,
}

/// The two kinds of actions; the situation determines their meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Action {
    /// Checks, or folds.
    #[default]
    Pass,
    /// Bets, or calls.
    Bet,
}

/// A game in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The cards: 0 is a Jack, 1 a Queen, 2 a King.
    cards: BySeat<u8>,
    situation: Situation,
    /// The number of chips that the first seat has won.
    lead: i32,
    hands_left: u32,
}

/// The view of a player.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The player's own card: 0 is a Jack, 1 a Queen, 2 a King.
    pub card: u8,
    /// The course of the hand so far.
    pub situation: Situation,
    /// The number of chips that the player has won.
    pub lead: i32,
    /// The number of hands left, including this one.
    pub hands_left: u32,
}

impl KuhnPoker {
    fn draw<R: Rng>(rng: &mut R) -> BySeat<u8> {
        let first = rng.random_range(0..3);
        BySeat { first, second: (first + rng.random_range(1..3)) % 3 }
    }

    fn opener(&self, state: &State) -> Seat {
        if (self.num_hands - state.hands_left).is_multiple_of(2) {
            Seat::First
        } else {
            Seat::Second
        }
    }
}

impl Game for KuhnPoker {
    type State = State;
    type Action = Action;
    type View<'a> = View;
    type Illegal = Infallible;

    fn deal<R: Rng>(&self, rng: &mut R) -> State {
        let cards = Self::draw(rng);
        State { cards, situation: Situation::Opening, lead: 0, hands_left: self.num_hands }
    }

    fn turn(&self, state: &State) -> Turn {
        let opener = self.opener(state);
        match (state.hands_left, state.situation) {
            (0, _) => Turn::Over(match state.lead {
                0 => Payoff::DRAW,
                lead if lead > 0 => Payoff::WIN,
                _ => Payoff::LOSS,
            }),
            (_, Situation::Opening | Situation::FacingBetAfterCheck) => Turn::Act(opener),
            (_, Situation::AfterCheck | Situation::FacingBet) => Turn::Act(opener.other()),
        }
    }

    fn view(&self, state: &State, seat: Seat) -> View {
        let lead = if seat == Seat::First { state.lead } else { -state.lead };
        let State { cards, situation, hands_left, .. } = *state;
        View { card: cards[seat], situation, lead, hands_left }
    }

    fn check(&self, _: &State, _: &Action) -> Result<(), Infallible> {
        Ok(())
    }

    fn apply<R: Rng>(&self, state: &mut State, seat: Seat, action: &Action, rng: &mut R) {
        let higher =
            if state.cards.first > state.cards.second { Seat::First } else { Seat::Second };
        let (winner, chips) = match (state.situation, action) {
            (Situation::Opening, Action::Pass) => {
                state.situation = Situation::AfterCheck;
                return;
            }
            (Situation::Opening, Action::Bet) => {
                state.situation = Situation::FacingBet;
                return;
            }
            (Situation::AfterCheck, Action::Bet) => {
                state.situation = Situation::FacingBetAfterCheck;
                return;
            }
            (Situation::AfterCheck, Action::Pass) => (higher, 1),
            (Situation::FacingBet | Situation::FacingBetAfterCheck, Action::Pass) => {
                (seat.other(), 1)
            }
            (Situation::FacingBet | Situation::FacingBetAfterCheck, Action::Bet) => (higher, 2),
        };
        state.lead += if winner == Seat::First { chips } else { -chips };
        state.hands_left -= 1;
        state.situation = Situation::Opening;
        if state.hands_left > 0 {
            state.cards = Self::draw(rng);
        }
    }
}

impl AdjustableRules for KuhnPoker {
    fn rules(&self) -> Vec<Rule> {
        vec![Rule {
            name: "hands".into(),
            meaning: "hands that are played".into(),
            value: self.num_hands.into(),
            range: 1..=1000,
        }]
    }

    fn with_values(&self, values: &[u64]) -> Result<KuhnPoker, RulesError> {
        Ok(KuhnPoker { num_hands: values[0] as u32 })
    }
}
