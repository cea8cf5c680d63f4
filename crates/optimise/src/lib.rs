//! Optimisers of parametric strategies, best responses, and portfolios.
//!
//! The modules, lowest first. A module uses only the modules above it in this table:
//!
//! | module | contents |
//! |---|---|
//! | [`methods`] | methods, and the driver that draws numbers, plays games and counts them for the methods |
//! | [`exploit`], [`portfolio`] | best responses; mixtures of learned strategies |
//!
//! The crate `ruse` re-exports the modules.

#![warn(unnameable_types)]

pub mod exploit;
pub mod methods;
pub mod portfolio;
