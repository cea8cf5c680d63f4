//! The rules of draw again.
//!
//! Both players are dealt a number from 1 to 100 that the opponent does not see. First one player, then the other,
//! keeps this number or draws another; each player acts once. The higher number wins; equal numbers are a draw.
//!
//! | seat | sees |
//! |---|---|
//! | both | their own number |

use std::convert::Infallible;

use ruse::games::{BySeat, Game, Seat, Turn};
use ruse::rand::{Rng, RngExt};

/// The highest number.
pub(crate) const HIGHEST: u8 = 100;

/// The rules of draw again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct DrawAgain;

/// The choice of a player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Action {
    /// Keeps the number.
    #[default]
    Keep,
    /// Draws another number.
    Draw,
}

/// A game in progress: the whole state, hidden or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) numbers: BySeat<u8>,
    turn: Turn,
}

/// The view of a player. A strategy sees this and never the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    pub(crate) number: u8,
}

fn draw<R: Rng>(rng: &mut R) -> u8 {
    rng.random_range(1..=HIGHEST)
}

impl Game for DrawAgain {
    type State = State;
    type Action = Action;
    type View<'a> = View;
    // Both actions are always legal. A game that forbids some actions has its own error type here.
    type Illegal = Infallible;

    fn deal<R: Rng>(&self, rng: &mut R) -> State {
        State { numbers: BySeat::from_fn(|_| draw(rng)), turn: Turn::Act(Seat::First) }
    }

    fn turn(&self, state: &State) -> Turn {
        state.turn
    }

    fn view(&self, state: &State, seat: Seat) -> View {
        View { number: state.numbers[seat] }
    }

    fn check(&self, _: &State, _: &Action) -> Result<(), Infallible> {
        Ok(())
    }

    fn apply<R: Rng>(&self, state: &mut State, seat: Seat, action: &Action, rng: &mut R) {
        if *action == Action::Draw {
            // All chance comes from the generator that is passed in, so results are reproducible.
            state.numbers[seat] = draw(rng);
        }
        state.turn = match seat {
            Seat::First => Turn::Act(Seat::Second),
            // More points win; equal points are a draw.
            Seat::Second => Turn::Over(state.numbers.first.cmp(&state.numbers.second).into()),
        };
    }
}

#[cfg(test)]
mod tests {
    use ruse::games::Payoff;
    use ruse::rng::StreamKey;

    use super::*;

    #[test]
    fn the_higher_number_wins() {
        let mut rng = StreamKey::root(1).stream();
        for (first, second, payoff) in
            [(7, 3, Payoff::WIN), (5, 5, Payoff::DRAW), (1, 100, Payoff::LOSS)]
        {
            let mut state =
                State { numbers: BySeat { first, second }, turn: Turn::Act(Seat::First) };
            for seat in Seat::BOTH {
                assert_eq!(DrawAgain.turn(&state), Turn::Act(seat));
                DrawAgain.apply(&mut state, seat, &Action::Keep, &mut rng);
            }
            assert_eq!(DrawAgain.turn(&state), Turn::Over(payoff));
        }
    }

    #[test]
    fn only_the_number_of_the_player_is_drawn_again() {
        let mut rng = StreamKey::root(1).stream();
        let mut state = DrawAgain.deal(&mut rng);
        let before = state.numbers;
        // It is practically impossible that a hundred draws in a row equal the earlier number.
        let changed = (0..100).any(|_| {
            state.turn = Turn::Act(Seat::First);
            DrawAgain.apply(&mut state, Seat::First, &Action::Draw, &mut rng);
            assert!((1..=HIGHEST).contains(&state.numbers.first));
            assert_eq!(state.numbers.second, before.second);
            state.numbers.first != before.first
        });
        assert!(changed);
    }
}
