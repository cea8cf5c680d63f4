//! Memory: a program of its own, because all of it has an allocator that counts.

mod allocator;
mod bandits;
mod games;
mod hostile_files;
mod methods;
mod networks;
