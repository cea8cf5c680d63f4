//! What every game has to do, checked for every game of this crate.

mod conformance;
mod playthrough;
mod table;
