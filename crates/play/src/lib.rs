//! Plays games between strategies: pairs of games on all threads, scores, races, and sessions with a person.
//!
//! The modules, lowest first; a module uses only the modules above it in this table:
//!
//! | module | contents |
//! |---|---|
//! | [`arena`] | games between players, on all threads, in order |
//! | [`score`], [`race`], [`matrix`] | the strength of a strategy; the better of two strategies; zero-sum matrix games |
//! | [`session`], [`family`] | games against a person; games whose types are hidden |
//! | [`matches`](mod@matches) | pairs of games between two players, and all facts about their score |
//! | [`bandits`] | combinatorial bandits on problems from a file, and the regrets of strategies |
//!
//! This crate is generic over games, and does not instantiate any. The crate `ruse` re-exports its modules.

#![warn(unnameable_types)]

pub mod arena;
pub mod bandits;
pub mod family;
pub mod matches;
pub mod matrix;
pub mod race;
pub mod score;
pub mod session;
