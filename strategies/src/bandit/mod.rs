//! Bandits: which arm to pull next, when only the rewards of those pulled are seen.
//!
//! - One-dimensional: an arm is a number, as a member of a portfolio is. See [`Bandit`].
//! - Combinatorial: an arm gives each of several variables a value, as orders do to the units of a player. See [`cmab`].

pub mod cmab;
mod one_dimensional;

pub use one_dimensional::{Bandit, BanditName, Exp3, Thompson, Ucb1, UcbTuned, Ucbt};
