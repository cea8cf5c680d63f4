//! The rules of two-player, zero-sum, partially observable games.
//!
//! A [`Game`] deals, says whose [`Turn`] it is, shows each [`Seat`] only what it may see, and applies actions.
//! Strategies are in another crate and reach the state of a game through views only, so a strategy that looks at hidden
//! cards does not compile. To search, a strategy [imagines](Imagine) states that agree with what its seat saw and did.
//!
//! | game | module | players see |
//! |---|---|---|
//! | War, Batawaf | [`war`] | the pile just won, the sizes of both decks |
//! | Cheat | [`cheat`] | their own cards, the opponent's hand at the start of the round |
//! | Flip | [`flip`] | everything except the reserves |
//! | Guess Who | [`guess_who`] | how many characters each player has left |
//! | Morra | [`morra`] | nothing, until both have announced |
//! | Nim | [`nim`] | everything |
//! | Phantom tic-tac-toe | [`phantom_tic_tac_toe`] | the number of stones placed |
//! | Phantom four in a row | [`phantom_four`] | the number of stones placed |
//! | Battleship | [`battleship`] | their own fleet, all shots and whether they hit |
//! | Four in a row | [`four_in_a_row`] | everything |
//! | Pig | [`pig`] | everything |
//! | Any game in GDL or GDL-II | [`rule_file`] | whatever its file defines |
//!
//! The crate `ruse-rts` contains a further game, real-time strategy.
//!
//! ```
//! use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
//! use ruse_games::{Game, Turn, war::War};
//!
//! // Both players put the cards that they win under their decks, in ascending order.
//! let game = War::standard();
//! let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
//! let mut state = game.deal(&mut rng);
//! while let Turn::Act(seat) = game.turn(&state) {
//!     let ascending = game.view(&state, seat).pile.into();
//!     game.apply(&mut state, seat, &ascending, &mut rng);
//!     # if state.turns() > 5_000 { break }
//! }
//! ```

#![warn(unnameable_types)]

pub mod battleship;
mod beliefs;
mod board;
pub mod cheat;
pub mod column_board;
pub mod drawing;
mod evaluate;
mod factored;
pub mod flip;
pub mod four_in_a_row;
mod game;
pub mod guess_who;
mod imagine;
mod legal;
pub mod morra;
pub mod nim;
mod numbered;
mod payoff;
pub mod phantom_four;
pub mod phantom_tic_tac_toe;
pub mod pig;
mod reconstruct;
pub mod rule_file;
mod rules;
mod sample_action;
mod seat;
mod shuffle;
#[cfg(test)]
mod tests;
pub mod war;

pub use beliefs::{Belief, BeliefRow, Beliefs};
pub use board::{Board, Choice, Event, NotAnAction, Page, Seen, Tint, counted, pattern_of};
pub use drawing::Drawing;
pub use evaluate::Simulate;
pub use factored::{Factored, NumActions, Slots, num_completions};
pub use game::Game;
pub use imagine::Imagine;
pub use legal::Legal;
pub use numbered::{Feature, Numbered, Recall, Writer};
pub use payoff::{Payoff, Turn, Units};
pub use reconstruct::{Agrees, Course, Decided, Grammar, Reconstruct, ReconstructError, Untold};
pub use rules::{AdjustableRules, Rule, RulesError};
pub use sample_action::{AnyAction, SampleAction};
pub use seat::{BySeat, Seat};
pub use shuffle::shuffle;
