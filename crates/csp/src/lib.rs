//! Constraint networks: variables with finite domains, and constraints on the combinations of their values.
//!
//! The [encoding](encode) describes the stages of games from rule files as networks, and the player [`mac_ucb`] solves
//! them.

#![warn(unnameable_types)]

mod binary;
mod build;
mod clauses;
mod compact;
mod compile;
mod definitions;
pub mod encode;
mod least;
mod listed;
pub mod mac_ucb;
mod network;
mod preprocess;
mod search;
mod size;
mod solver;
mod stage;
mod store;
#[cfg(test)]
mod tests;

pub use network::{Constraint, LeastRule, Literal, Network, VariableId};
pub use preprocess::{Preprocessing, PreprocessingReport, preprocess, preprocess_stage};
pub use search::Order;
pub use size::NetworkSize;
pub use solver::{Consistency, Counters, Mark, Solver};
pub use stage::{Stage, StageMethod, StageSolver};
