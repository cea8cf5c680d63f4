//! Many turns in a row in which hardly anybody has to be asked.

use super::decks::Battles;
use super::{Pile, War, WarState, WarView};
use crate::{Answers, BySeat, Game, Seat, Turn};

impl War {
    /// Plays to the end of the stretch or of the game. Every seat has said before how it puts back a pile
    /// of two won in each turn, one standing for best card first; how it orders other piles is asked.
    ///
    /// This is [`apply`](Game::apply) again and again, but with one thing to predict in a turn, whether
    /// it is a tie.
    #[inline(always)]
    pub(super) fn play_to_end_of_stretch(
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
                // The turn in progress begins again: the pile goes back to where it came from.
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

/// Plays turns without ties until turn `end`, and returns how many each seat won.
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
        // The card of the first seat goes first if it wins and puts the best first, or if it loses and
        // the other seat puts the worst first.
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
