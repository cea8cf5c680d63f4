//! Bandits: rules that choose the arm to pull next when only the rewards of the pulled arms are seen.
//!
//! - One-dimensional: an arm is a number, such as a member of a portfolio. See [`Bandit`].
//! - Combinatorial: an arm gives each of several variables a value, as a player gives orders to units. See [`cmab`].

pub mod cmab;
mod one_dimensional;

pub use one_dimensional::{Bandit, BanditName, Exp3, Thompson, Ucb1, UcbTuned, Ucbt};
