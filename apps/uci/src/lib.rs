//! Lets `ruse` tune the options of chess engines that speak UCI, the Universal Chess Interface.
//!
//! `ruse` takes any program that plays pairs of games as a family (`docs/extending.md`, "A program as a game"). This
//! crate is such a program: [`Adapter`](adapter::Adapter) answers the lines of `ruse`, and lets two processes of an
//! engine play each pair. The moves are checked with the crate `cozy-chess`.
//!
//! The protocol of engines is Meyer-Kahlen and Huber, *Universal Chess Interface*, 2006. The commands `uci`,
//! `setoption`, `ucinewgame`, `isready`, `position`, `go` and `quit` are sent. Chess960 and pondering are not supported.

pub mod adapter;
pub mod engine;
pub mod game;
pub mod opening_files;
pub mod openings;
pub mod options;
pub mod parameters;
