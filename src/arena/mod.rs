//! Where games are played: pairs of them, many at a time, the same whatever the number of threads.
//!
//! A [`Matchup`] is two contestants of one game, statically typed inside, one dynamic call for a block of
//! pairs outside. The statistical sample is the **pair**: the same deal played twice with the seats
//! swapped, every source of randomness being keyed by the pair and by the seat. So a strategy against
//! itself scores exactly one half in every pair.

mod contestant;
mod game_loop;
mod league;
mod matchup;
mod parallel;
mod stop;

pub use contestant::{Contestant, Fixed, Given, Mixed, Redrawn, Side};
pub use game_loop::{Streams, play_game};
pub use league::{AgainstMixture, AgainstTheSame, Between, FirstTwo, League, Member, TypedLeague};
pub use matchup::{First, Matchup, PairResult, TypedMatchup};
pub use parallel::{Source, play_in_parallel};
pub use stop::{StopReason, StopSignal, Stopped};
