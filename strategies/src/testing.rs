//! Shared helpers for tests of strategies.

use std::convert::Infallible;
use std::fmt::Debug;

use rand::{Rng, TryRng};
use ruse_games::{Game, Payoff, Seat, Turn};

use crate::Strategy;

/// Plays one game from `state`, checks every action, and returns the outcome for `first` and the final state. Both
/// players and chance draw from the same generator.
pub(crate) fn play<G: Game<Action: Debug>, S: Strategy<G>, T: Strategy<G>>(
    game: &G,
    mut state: G::State,
    first: &S,
    second: &T,
    rng: &mut impl Rng,
) -> (Payoff, G::State) {
    let (mut memory, mut other_memory) = (S::Memory::default(), T::Memory::default());
    first.begin(&mut memory, Seat::First);
    second.begin(&mut other_memory, Seat::Second);
    let mut action = G::Action::default();
    loop {
        let seat = match game.turn(&state) {
            Turn::Over(outcome) => return (outcome, state),
            Turn::Act(seat) => seat,
        };
        let view = game.view(&state, seat);
        match seat {
            Seat::First => first.act(&mut memory, view, rng, &mut action),
            Seat::Second => second.act(&mut other_memory, view, rng, &mut action),
        }
        if let Err(error) = game.check(&state, &action) {
            panic!("{seat:?} breaks the rules with {action:?}: {error}");
        }
        game.apply(&mut state, seat, &action, rng);
    }
}

/// A generator that panics when a strategy draws from it.
pub(crate) struct PanicRng;

impl TryRng for PanicRng {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        panic!("a deterministic strategy drew randomness")
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        panic!("a deterministic strategy drew randomness")
    }

    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        panic!("a deterministic strategy drew randomness")
    }
}
