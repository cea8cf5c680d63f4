//! What a seat knows, and states of the game that agree with it.

use std::fmt::{self, Write};

use rand::Rng;

use crate::{Game, Seat};

/// A game of which a seat can imagine the state: what a player needs who searches without looking at hidden cards.
///
/// A seat knows what it saw and what it did at its turns so far, and what it sees now. The first is its
/// [`Knowledge`](Imagine::Knowledge), which a player keeps in its memory:
///
/// 1. at the start of a game, `Knowledge::default()`;
/// 2. at each of its turns, [`imagine`](Imagine::imagine) as often as it likes, with the view that it has;
/// 3. once it has decided, [`learn`](Imagine::learn) with the same view and with the action, once.
///
/// Nothing is learnt between one's turns. A player is asked at its turns only, so what it may know is what a view
/// shows then; a game in which things happen in between that a seat should not miss shows them in its next view.
///
/// The seat is an argument as it is of [`Game::view`], because most views do not say whose they are. It is the same in
/// all calls for one knowledge.
///
/// An imagined state agrees with all that the seat saw and did: there is a course of the game that leads there by the
/// rules, in which the seat has all its views at its turns and takes its actions. Each game says where it knows less,
/// and which states it draws how often. As a rule deals and dice have the probabilities of the game, and actions of
/// the opponent are uniform among the legal ones: what the opponent is like, a game does not know.
pub trait Imagine: Game {
    /// What a seat saw and did so far, as far as a later view does not show it; `()` where a view shows it all.
    type Knowledge: Default + Clone + Send;

    /// Whether a view shows all that its seat saw and did so far, as far as it matters: what it believes is then a function of
    /// the view. By default that is so where the knowledge is `()`.
    const SHOWS_ALL: bool = size_of::<Self::Knowledge>() == 0;

    /// Adds a turn of the seat: what it saw, and the action that it took.
    ///
    /// The default learns nothing, which is right where the knowledge is `()`.
    fn learn(
        &self,
        knowledge: &mut Self::Knowledge,
        seat: Seat,
        view: &Self::View<'_>,
        action: &Self::Action,
    ) {
        let _ = (knowledge, seat, view, action);
    }

    /// A state in which it is the turn of `seat`, which has this view, after the turns that `knowledge` is of.
    ///
    /// It takes bounded time, and does not allocate where a game can do without.
    ///
    /// # Panics
    ///
    /// May panic when there is no such state: the knowledge is of another game, or a turn is missing in it.
    fn imagine<R: Rng>(
        &self,
        knowledge: &Self::Knowledge,
        seat: Seat,
        view: &Self::View<'_>,
        rng: &mut R,
    ) -> Self::State;

    /// The steps of the game so far, where a turn is not one step: searches may be given so many. By default they count turns.
    fn num_steps(&self, state: &Self::State) -> Option<u64> {
        let _ = state;
        None
    }

    /// A number that tells this view from others: equal for equal views, and different for different ones but for
    /// an accident of one in 2^64.
    ///
    /// The default goes by how the view is printed for debugging, which takes a microsecond or so. A game that is
    /// searched often does better.
    fn view_key(&self, view: &Self::View<'_>) -> u64 {
        let mut printed = PrintedKey::default();
        write!(printed, "{view:?}").expect("a key is written to without errors");
        printed.0
    }

    /// A number that tells situations apart in which different actions may be good: by default that of the view. A game in which
    /// all is seen may leave out how the present came about; then a search learns about a state that comes up again.
    fn situation_key(&self, view: &Self::View<'_>) -> u64 {
        self.view_key(view)
    }
}

/// A number that depends on all that is written.
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

/// A number that depends on all of `parts` and their order: for [`Imagine::view_key`].
#[inline]
pub(crate) fn key_of<const N: usize>(parts: [u64; N]) -> u64 {
    parts.into_iter().fold(0, |key, part| mixed(key ^ part))
}

/// A bijection of numbers of 64 bits in which each bit depends on all bits (the finaliser of MurmurHash3, Appleby 2011).
fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    bits = (bits ^ (bits >> 33)).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    bits ^ (bits >> 33)
}
