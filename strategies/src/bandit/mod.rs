//! Bandits: which arm to pull next, when only the rewards of those pulled are seen.
//!
//! - One-dimensional: an arm is a number, as a member of a portfolio is. See [`Bandit`].

mod one_dimensional;

pub use one_dimensional::{Bandit, BanditName, Exp3, Thompson, Ucb1, UcbTuned, Ucbt};
