//! The crate against reference values of other implementations.

mod engines;
mod games;
mod refused;
mod vectors;
