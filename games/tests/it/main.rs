//! Tests of the requirements that every game of this crate must meet, and of what games share.

mod beliefs;
mod board;
mod cases;
mod conformance;
mod courses;
mod forgetful;
mod numbers;
mod playthrough;
mod rule_files;
mod suite;
