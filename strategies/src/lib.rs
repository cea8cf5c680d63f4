//! Strategies that play the games of [`ruse_games`].
//!
//! A [`Strategy`] turns views into actions. A [`ParametricStrategy`] is built from a vector of real parameters, laid
//! out by a [`ParameterSpace`]; the optimisers tune these vectors. A [`Family`] bundles a game, a parametric strategy
//! for it and named reference strategies for comparison; users name families on the command line. A [`Picture`] shows a
//! strategy.
//!
//! [`ParameterSpace`]: ruse_search::ParameterSpace
//! [`ParametricStrategy`]: ruse_search::ParametricStrategy
//! [`Picture`]: ruse_picture::Picture
//! [`Strategy`]: ruse_search::Strategy
//!
//! | game | families | module |
//! |---|---|---|
//! | War, Batawaf | `war`, `war4`, `war-orders`, `batawaf`, `batawaf4`, `batawaf-orders` | [`war`] |
//! | Cheat | `cheat`, `cheat-special` | [`cheat`] |
//! | Flip | `flip` | [`flip`] |
//! | Guess Who | `guess-who`, `guess-who-deterministic` | [`guess_who`] |
//! | Morra | `morra` | [`morra`] |
//! | Nim | `nim` | [`nim`] |
//! | Phantom tic-tac-toe | `phantom-tic-tac-toe` | [`phantom_tic_tac_toe`] |
//! | Phantom four in a row | `phantom-four` | [`phantom_four`] |
//! | Battleship | `battleship` | [`battleship`] |
//! | Four in a row | `four-in-a-row` | [`four_in_a_row`] |
//! | Pig | `pig` | [`pig`] |
//! | A coin, to test methods | `elo-surface` | [`elo_surface`] |
//!
//! The crates `ruse-strategies-rts` and `ruse-strategies-rules` contain the strategies of the real-time strategy game and
//! of games from rule files.

#![warn(unnameable_types)]

mod any_game;
pub mod battleship;
mod best_responder;
mod breadth;
pub mod certificate;
pub mod cheat;
mod check;
pub mod coins;
pub mod elo_surface;
mod family;
pub mod flip;
pub mod four_in_a_row;
pub mod guess_who;
mod imagining;
mod mixture;
pub mod morra;
pub mod nim;
mod pair;
pub mod phantom_four;
pub mod phantom_tic_tac_toe;
pub mod picture;
pub mod pig;
mod planner;
mod player;
pub mod programs;
mod rollouts;
mod self_play;
pub mod testing;
#[cfg(test)]
mod tests;
pub mod war;

pub use any_game::AnyGame;
pub use best_responder::BestResponder;
pub use breadth::{Breadth, breadth_by_slots, breadth_listed};
pub use check::check_parameters;
pub use family::{
    BestResponse, Capabilities, Family, FamilyInfo, GameCapabilities, OpenBoard, RANDOM, Reference,
    SearchOf,
};
pub use imagining::Imagining;
pub use mixture::Mixture;
pub use pair::{Halt, Never, PairResult, Streams, WithMemory, after_forfeits, play_by_turns};
pub use picture::picture_of_parameters;
pub use planner::{ActionsOf, Planner, PlannerMemory, PlannerSettings, Planning};
pub use player::{AnyPlayer, AnyRedrawn, Memories, PlayerRef, Prepared, Redrawn};
pub use rollouts::{MAX_TRIED, Teachable, Teaching, Trial};
pub use self_play::{Episode, SelfPlay};
