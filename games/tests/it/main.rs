//! The requirements on every game, checked for every game of this crate.

mod board;
mod cases;
mod conformance;
mod courses;
mod forgetful;
mod playthrough;
mod rts;
mod rule_files;
mod suite;
