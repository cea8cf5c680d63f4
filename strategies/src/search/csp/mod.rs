//! Constraint networks: variables with finite domains, and constraints that say which values go together.

mod network;

pub use network::{Constraint, LeastRule, Literal, Network, VariableId};
