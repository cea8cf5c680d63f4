//! Files of any kind, names and their options, text that is safe to print, and streams of random numbers. This crate
//! knows no game.
//!
//! | module | contents |
//! |---|---|
//! | [`visible`], [`names`], [`notation`] | escaping of hostile text; messages about unknown names; names with options |
//! | [`rng`] | the only place that seeds generators |
//! | [`gaussian`], [`gamma`], [`hashing`], [`bisection`] | numbers that are the same on every machine |
//! | [`files`] | files of any kind |
//! | [`stop`] | signals that ask long work to stop |
//!
//! The crate `ruse` re-exports most modules.

#![warn(unnameable_types)]

pub mod bisection;
pub mod files;
pub mod gamma;
pub mod gaussian;
pub mod hashing;
pub mod names;
pub mod notation;
pub mod rng;
pub mod stop;
pub mod visible;
