//! Players of any game: the interface of strategies, searches that know only the rules of a game, and bandits.
//!
//! A [`Strategy`] turns views into actions. A [`ParametricStrategy`] is built from a vector of real parameters, laid
//! out by a [`ParameterSpace`]. The players of [`search`] simulate games, and use the [`bandit`] algorithms. This crate
//! knows no particular game except games from rule files. The crate `ruse-strategies` re-exports its modules.

#![warn(unnameable_types)]

pub mod bandit;
mod effort;
pub mod gamma;
pub mod gaussian;
pub mod hashing;
mod log_linear;
pub mod matrix;
mod parameters;
pub mod search;
mod settings;
mod stop_request;
mod strategy;

pub use effort::Effort;
pub use log_linear::{Decision, Decisions, LogLinear, Recorded, RecordedMemory, dot};
pub use parameters::{Levels, Parameter, ParameterError, ParameterGroup, ParameterSpace};
pub use settings::{Setting, SettingValue, Settings};
pub use stop_request::StopRequest;
pub use strategy::{ParametricStrategy, Strategy};
