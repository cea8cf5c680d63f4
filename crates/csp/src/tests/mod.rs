//! Compares solvers with plain definitions, brute force and published counts.

pub(crate) mod networks;
mod preprocessing;
mod propagation;
mod searches;
mod stages;
