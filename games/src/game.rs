//! What it takes to be a game.

use std::error::Error;
use std::fmt::Debug;

use rand::Rng;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{BySeat, Seat, Turn};

/// The rules of a two-player zero-sum game with chance and hidden information.
///
/// Simultaneous moves are moves in turn that the other seat does not observe until all are made. All
/// chance comes from the generator handed to [`deal`](Game::deal) and [`apply`](Game::apply), which is
/// never the generator of a strategy. No method allocates: a game is played millions of times.
///
/// What only some games can do is a further trait ([`ListActions`]), never a method here that panics for
/// the others. [`SampleAction`], [`Redeal`] and [`AdjustableRules`](crate::AdjustableRules) are expected
/// of every game of this crate, and kept apart because playing does not need them.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// Everything about a game in progress, hidden information included.
    ///
    /// Its form in files is that of serde; a state that was read back plays on in the same way.
    type State: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send;
    /// One decision. Putting a whole pile of cards in order is one action.
    type Action: Clone + Debug + PartialEq + Default + Serialize + DeserializeOwned + Send;
    /// What a seat is entitled to know when it decides, and nothing else: a view into the state.
    type View<'a>: Debug + PartialEq;
    /// Why an action is against the rules.
    type Illegal: Error;

    /// Whether positions can come back, so that two strategies without randomness may go on for ever.
    ///
    /// A game that says `true` must implement [`fast_forward`](Game::fast_forward).
    const CAN_LOOP: bool = false;

    /// Whether nearly all decisions are between two answers, which a strategy can give before it is asked.
    ///
    /// A game that says `true` must implement [`stretch`](Game::stretch) and
    /// [`play_stretch`](Game::play_stretch).
    const HAS_STRETCHES: bool = false;

    /// Draws the hidden start of a game.
    fn deal<R: Rng>(&self, rng: &mut R) -> Self::State;

    /// Whose turn it is, or how the game ended.
    fn turn(&self, state: &Self::State) -> Turn;

    /// What `seat` sees now.
    fn view<'a>(&self, state: &'a Self::State, seat: Seat) -> Self::View<'a>;

    /// Whether the seat whose turn it is may take `action`.
    ///
    /// # Errors
    ///
    /// Says which rule forbids the action.
    fn check(&self, state: &Self::State, action: &Self::Action) -> Result<(), Self::Illegal>;

    /// Takes the action of `seat`, whose turn it must be, and whatever chance and forced moves follow.
    ///
    /// # Panics
    ///
    /// With debug assertions, when it is not the turn of `seat`, or [`check`](Game::check) refuses the
    /// action: a strategy that breaks the rules is a bug. Actions typed by a person go through `check`
    /// first.
    fn apply<R: Rng>(
        &self,
        state: &mut Self::State,
        seat: Seat,
        action: &Self::Action,
        rng: &mut R,
    );

    /// If `state` is the position of `earlier` again, plays the stretch between the two up to
    /// `max_repeats` more times, as far as the cap on the length of the game allows, and returns how
    /// many times it did. The state then is what playing on would have made of it.
    ///
    /// Positions are equal when everything but the length of the game is. Games in which no position
    /// comes back ([`CAN_LOOP`](Game::CAN_LOOP) is `false`) repeat nothing.
    fn fast_forward(
        &self,
        earlier: &Self::State,
        state: &mut Self::State,
        max_repeats: u64,
    ) -> u64 {
        let _ = (earlier, state, max_repeats);
        0
    }

    /// The stretch of [`Answers::NUM_TURNS`] turns that the next turn belongs to, counted from 0.
    fn stretch(&self, state: &Self::State) -> u64 {
        let _ = state;
        0
    }

    /// Plays to the end of the present [stretch](Game::stretch), or of the game, by answers that both
    /// seats gave for it. For decisions of another kind `ask` writes the action of a seat to `action`.
    /// Returns the number of actions each seat took without being asked.
    ///
    /// The state then is what asking for every action would have made of it. A game without stretches
    /// ([`HAS_STRETCHES`](Game::HAS_STRETCHES) is `false`) plays nothing.
    fn play_stretch(
        &self,
        state: &mut Self::State,
        answers: BySeat<Answers>,
        action: &mut Self::Action,
        ask: impl FnMut(Seat, Self::View<'_>, &mut Self::Action),
    ) -> BySeat<u64> {
        let _ = (state, answers, action, ask);
        BySeat::default()
    }
}

/// What a seat answers to the two-way decisions of a stretch of a game, before they come up: one bit for
/// each turn, the first turn of the stretch in the lowest bit. The game says what zero and one mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Answers(pub u64);

impl Answers {
    /// The turns of a stretch.
    pub const NUM_TURNS: u64 = u64::BITS as u64;
}

/// A game that can draw a legal action.
pub trait SampleAction: Game {
    /// Writes to `action` a legal action of the seat whose turn it is, each with positive probability.
    fn sample_action<R: Rng>(&self, state: &Self::State, rng: &mut R, action: &mut Self::Action);
}

/// A game whose legal actions can be listed, because they are few.
pub trait ListActions: Game {
    /// Appends the legal actions of the seat whose turn it is, each once, in a fixed order.
    fn list_actions(&self, state: &Self::State, actions: &mut Vec<Self::Action>);
}

/// A game that can draw again what a seat does not know.
pub trait Redeal: Game {
    /// A state drawn from those that `seat` cannot tell from `state` by its present view.
    fn redeal<R: Rng>(&self, state: &Self::State, seat: Seat, rng: &mut R) -> Self::State;
}
