//! Bandits: rules that choose the next arm from the rewards of the pulled arms.
//!
//! - One-dimensional: an arm is a number, such as a member of a portfolio. See [`Bandit`].
//! - Combinatorial: an arm gives each of several variables a value, such as an order for each unit. See [`cmab`].

pub mod cmab;
mod one_dimensional;

pub use one_dimensional::{Bandit, BanditName, Exp3, Thompson, Ucb1, UcbTuned, Ucbt};
