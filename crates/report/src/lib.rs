//! Tables and pages of results, and the data of figures. The crate `ruse` re-exports the modules.

#![warn(unnameable_types)]

#[cfg(feature = "figures")]
pub mod figures;
pub mod report;

use ruse_lab::lab;
use ruse_optimise::exploit;
#[cfg(feature = "figures")]
use ruse_optimise::portfolio;
#[cfg(test)]
use ruse_optimise::registry;
#[cfg(feature = "figures")]
use ruse_play::{arena, bandits, family, names, race, rng};
use ruse_play::{files, programs, score, visible};
