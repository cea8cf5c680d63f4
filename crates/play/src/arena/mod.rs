//! Plays many pairs of games at a time, with results that do not depend on the number of threads.
//!
//! A [`League`] contains players of one game. Inside a league, all types are static; one dynamic call plays a whole
//! block of pairs. A [`Duel`] consists of two players of a league.
//!
//! The unit of all samples is the **pair**: the same deal played twice with the seats swapped. Every source of
//! randomness is keyed by the pair and the seat, so a strategy against itself scores exactly one half in every pair.

mod block;
mod breadth;
mod counted;
mod duel;
mod executor;
mod league;
mod side;
mod sitter;
mod typed;

#[cfg(test)]
pub(crate) use block::Opened;
pub(crate) use block::plays_in;
pub use block::{Opening, Pace, Source, least_block, play_in_parallel};
pub use breadth::{CountedDecision, CountedPair};
pub use counted::Counted;
pub use duel::{Duel, SameDeals};
pub use executor::{in_parallel, in_turn, thread_pool};
pub use league::League;
pub use side::Side;
pub(crate) use sitter::{FIRST_CHOICE, Sitter, draw_parameters, entered, members_of, play_seen};
pub(crate) use typed::faultless;
pub use typed::{Entered, TypedLeague, streams_of_pair};
