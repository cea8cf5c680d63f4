//! Tests of memory. They are a separate test binary, because its global allocator counts allocations.

mod allocator;
mod bandits;
mod games;
mod hostile_files;
mod methods;
mod networks;
