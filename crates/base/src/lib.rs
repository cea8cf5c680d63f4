//! What knows no game: files of any kind, names and their options, text that is safe to print, and streams of random
//! numbers.
//!
//! | module | contents |
//! |---|---|
//! | [`visible`], [`names`], [`notation`] | escaping of hostile text; messages about unknown names; names with options |
//! | [`rng`] | the only place that seeds generators |
//! | [`gaussian`], [`gamma`], [`hashing`] | numbers that are the same on every machine |
//! | [`files`] | files of any kind |
//!
//! The crate `ruse` re-exports most modules.

#![warn(unnameable_types)]

pub mod files;
pub mod gamma;
pub mod gaussian;
pub mod hashing;
pub mod names;
pub mod notation;
pub mod rng;
pub mod visible;
