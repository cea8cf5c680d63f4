//! Constraint networks: variables with finite domains, and constraints that say which values go together.

pub mod encode;
mod network;

pub use network::{Constraint, LeastRule, Literal, Network, VariableId};
