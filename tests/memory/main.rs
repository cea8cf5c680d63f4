//! Tests of memory use. They are in a separate test binary, because they need a global allocator that counts
//! allocations.

#[macro_use]
#[path = "../it/cases.rs"]
mod cases;

mod allocator;
mod bandits;
mod games;
mod hostile_files;
mod methods;
mod networks;
