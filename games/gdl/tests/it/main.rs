//! Tests of the crate against reference values from other implementations.

mod deduction;
mod engines;
mod fuzz;
mod games;
mod ground;
mod random_play;
mod refused;
mod vectors;
