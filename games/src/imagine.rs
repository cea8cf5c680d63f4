//! The knowledge of a seat, and random states that agree with it.

use std::fmt::{self, Write};

use rand::Rng;

use crate::{Game, Seat};

/// A game in which a seat can imagine the state, for search without looking at hidden cards.
///
/// A seat knows what it saw and did at its earlier turns, and what it sees now. The first part is its
/// [`Knowledge`](Imagine::Knowledge), which a player keeps in its memory:
///
/// 1. at the start of a game, `Knowledge::default()`;
/// 2. at each of its turns, any number of calls of [`imagine`](Imagine::imagine) with the current view;
/// 3. after the decision, one call of [`learn`](Imagine::learn) with the same view and the action.
///
/// A player learns nothing between its turns. If it must not miss an event between its turns, the game shows the event
/// in the seat's next view.
///
/// The seat is an argument, as in [`Game::view`], because most views do not contain their seat. All calls with the same
/// knowledge must pass the same seat.
///
/// An imagined state agrees with everything the seat saw and did: some course of the game leads to this state by the
/// rules and contains all the seat's actions and all its views at its turns. Each game documents its exceptions, and
/// the distribution of its imagined states. As a rule, deals and dice have the probabilities of the game, and the
/// opponent's actions are uniform among the legal actions, because the rules contain no model of the opponent.
pub trait Imagine: Game {
    /// The part of a seat's past observations and actions that later views do not show; `()` if later views show
    /// everything.
    type Knowledge: Default + Clone + Send;

    /// Whether each view shows everything relevant that its seat has seen and done, so that beliefs depend only on the
    /// view. By default, true if the knowledge is `()`.
    const SHOWS_ALL: bool = size_of::<Self::Knowledge>() == 0;

    /// Adds a turn of the seat to its knowledge: its view, and the action that it took.
    ///
    /// The default does nothing, which is right if the knowledge is `()`.
    fn learn(
        &self,
        knowledge: &mut Self::Knowledge,
        seat: Seat,
        view: &Self::View<'_>,
        action: &Self::Action,
    ) {
        let _ = (knowledge, seat, view, action);
    }

    /// Draws a state in which it is the turn of `seat` and the seat has this view, after the turns recorded in
    /// `knowledge`.
    ///
    /// Takes bounded time. Does not allocate where this can be avoided.
    ///
    /// # Panics
    ///
    /// May panic if no such state exists, because the knowledge belongs to another game or lacks a turn.
    fn imagine<R: Rng>(
        &self,
        knowledge: &Self::Knowledge,
        seat: Seat,
        view: &Self::View<'_>,
        rng: &mut R,
    ) -> Self::State;

    /// Adds to the knowledge of a seat what it sees at a turn of the other seat, in a game that is
    /// [watched](Game::is_watched). The default does nothing.
    fn watch(&self, knowledge: &mut Self::Knowledge, seat: Seat, view: &Self::View<'_>) {
        let _ = (knowledge, seat, view);
    }

    /// Deals the game again, as it may have been dealt according to what the seat knows: what has been seen since is
    /// where it was. By default, deals as always.
    fn deal_again<R: Rng>(&self, known: &Self::Knowledge, seat: Seat, rng: &mut R) -> Self::State {
        let _ = (known, seat);
        self.deal(rng)
    }

    /// Applies the action of `mover`, like [`Game::apply`], in a state in which `seat` may be about to see `seen`: chance
    /// and cards that are hidden from the seat may be changed towards that view, as long as all states with this view
    /// keep their relative probabilities. By default, applies the action as always.
    fn apply_towards<R: Rng>(
        &self,
        knowledge: &Self::Knowledge,
        state: &mut Self::State,
        (mover, action): (Seat, &Self::Action),
        (seat, seen): (Seat, &Self::View<'_>),
        rng: &mut R,
    ) {
        let _ = (knowledge, seat, seen);
        self.apply(state, mover, action, rng);
    }

    /// Replaces what a seat does not remember in a state that agrees with all that it has seen; `salt` is a number of the
    /// game. By default, a seat remembers everything.
    fn forget<R: Rng>(&self, state: &mut Self::State, salt: u64, rng: &mut R) {
        let _ = (state, salt, rng);
    }

    /// Returns the number of steps of the game so far, for limits on searches, or `None` (the default) if each turn is
    /// one step.
    fn num_steps(&self, state: &Self::State) -> Option<u64> {
        let _ = state;
        None
    }

    /// Returns a hash of the view. Equal views have equal hashes; two different views have equal hashes with a
    /// probability of 2^-64.
    ///
    /// The default hashes the `Debug` output of the view, which takes about a microsecond. Games that are searched
    /// often override it.
    fn view_key(&self, view: &Self::View<'_>) -> u64 {
        let mut printed = PrintedKey::default();
        write!(printed, "{view:?}").expect("a key is written to without errors");
        printed.0
    }

    /// Returns a hash of the situation. Two situations have different hashes if the best actions in them may differ.
    /// The default is the [view key](Imagine::view_key). A game of perfect information may leave out the history, so
    /// that a search recognises a state that recurs.
    fn situation_key(&self, view: &Self::View<'_>) -> u64 {
        self.view_key(view)
    }

    /// Returns whether the situation of the seat to act determines the state, and its action the next state. At the end
    /// of a game, returns whether the situation before determines the payoff. A search may prove the values of such
    /// states. The default is `false`, which is right for hidden information, chance and simultaneous moves.
    fn is_determined(&self, state: &Self::State) -> bool {
        let _ = state;
        false
    }
}

/// A hash of all text written to it.
#[derive(Default)]
struct PrintedKey(u64);

impl Write for PrintedKey {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            self.0 = mixed(self.0 ^ u64::from(byte));
        }
        Ok(())
    }
}

/// Returns a hash of all `parts` in their order, for [`Imagine::view_key`].
#[inline]
pub(crate) fn key_of<const N: usize>(parts: [u64; N]) -> u64 {
    parts.into_iter().fold(0, |key, part| mixed(key ^ part))
}

/// Applies a bijection of 64-bit numbers in which each output bit depends on all input bits (the finaliser of
/// MurmurHash3, Appleby 2011).
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    bits ^ (bits >> 33)
}
