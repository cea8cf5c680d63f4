//! Shortcuts through long games: stretches of turns that rarely require a decision, and skipped repetitions. The state
//! is the same as after repeated calls of [`apply`](Game::apply).

use super::decks::Battles;
use super::{Pile, War, WarState, WarView};
use crate::{BySeat, Game, Seat, Turn};

/// A seat's decisions about two-card piles in a stretch of turns, made in advance: one bit for each turn, the first
/// turn in the lowest bit. A set bit puts the better card first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answers(pub u64);

impl Answers {
    /// The number of turns in a stretch.
    pub const NUM_TURNS: u64 = u64::BITS as u64;
}

impl War {
    /// Returns the index, counted from 0, of the stretch that contains the next turn. A stretch has
    /// [`Answers::NUM_TURNS`] turns.
    #[inline(always)]
    pub fn stretch(&self, state: &WarState) -> u64 {
        state.turns / Answers::NUM_TURNS
    }

    /// If `state` repeats the position of `earlier`, skips up to `max_repeats` more repetitions of the turns in
    /// between, within the cap on the length of the game. Returns the number of repetitions skipped.
    ///
    /// Two positions are equal if they differ at most in the number of turns.
    pub fn fast_forward(&self, earlier: &WarState, state: &mut WarState, max_repeats: u64) -> u64 {
        if earlier.decks != state.decks || earlier.pile != state.pile || earlier.turn != state.turn
        {
            return 0;
        }
        let period = state.turns - earlier.turns;
        if period == 0 {
            return 0;
        }
        // The last turn before the cap is not skipped, so that the usual code ends the game.
        let left = self.max_turns.saturating_sub(state.turns + 1);
        let repeats = max_repeats.min(left / period);
        state.turns += repeats * period;
        repeats
    }

    /// Plays to the end of the current [stretch](War::stretch), or of the game, with the answers of both seats. For
    /// piles of more than two cards, `ask` writes the order of a seat to `action`. Returns the number of piles that
    /// each seat put back without `ask`. The only unpredictable branch of a turn is for ties.
    #[inline(always)]
    pub fn play_stretch(
        &self,
        state: &mut WarState,
        answers: BySeat<Answers>,
        action: &mut Pile,
        mut ask: impl FnMut(Seat, WarView<'_>, &mut Pile),
    ) -> BySeat<u64> {
        let mut turns_won = BySeat::default();
        let end = self.max_turns.min((self.stretch(state) + 1) * Answers::NUM_TURNS);
        while let Turn::Act(winner) = state.turn
            && state.turns < end
        {
            if let &[low, high] = state.pile.cards() {
                // The current turn is replayed, so its cards return to the decks they came from.
                let first_wins = winner == Seat::First;
                state.decks.put_on_top(Seat::First, if first_wins { high } else { low });
                state.decks.put_on_top(Seat::Second, if first_wins { low } else { high });
            } else {
                ask(winner, self.view(state, winner), action);
                debug_assert_eq!(
                    self.check(state, action),
                    Ok(()),
                    "a strategy broke the rules of War"
                );
                state.decks.put_under(winner, action.cards());
                state.turns += 1;
            }
            let BySeat { first, second } = play_piles_of_two(state, end, answers);
            turns_won.first += first;
            turns_won.second += second;
            self.reveal(state);
        }
        turns_won
    }
}

/// Plays turns without ties up to turn `end`, and returns the number of turns each seat won.
#[inline(never)]
fn play_piles_of_two(state: &mut WarState, end: u64, answers: BySeat<Answers>) -> BySeat<u64> {
    let mut turns = state.turns;
    let mut battles = Battles::begin(&mut state.decks);
    while turns < end && battles.can_go_on() {
        let (first, second) = battles.tops();
        if first == second {
            break;
        }
        let first_wins = first > second;
        // The card of the first seat goes first in two cases: if the seat wins and puts the better card first, or if it
        // loses and the other seat puts the worse card first.
        let first_card_first = if first_wins { answers.first.0 } else { !answers.second.0 };
        let cards = if first_card_first >> (turns % Answers::NUM_TURNS) & 1 != 0 {
            (first, second)
        } else {
            (second, first)
        };
        battles.settle(first_wins, cards);
        turns += 1;
    }
    state.turns = turns;
    battles.end()
}
