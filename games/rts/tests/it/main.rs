//! Tests that compare the real-time strategy game with the program of the paper.
//!
//! `data/rts_vectors.json` records the behaviour of that program: small situations, whole games of random players with
//! the numbers that they drew, and means over playouts. `RTS_VECTORS` names another file of the same form.

mod file;
mod playouts;
mod replays;
mod situations;
mod vectors;
