//! Games against strategies, for a page in a browser. A page uses a single call, with JSON in and out.
//!
//! A [`Desk`] has one table. [`Desk::answer`] takes a [`Request`] as JSON, and returns `{"ok": ...}` or `{"error": "a
//! sentence"}`; it does not panic on any input. The functions of [`abi`] pass texts in and out of WebAssembly:
//!
//! ```sh
//! cargo rustc --package ruse-page --profile page --crate-type cdylib --target wasm32-unknown-unknown
//! ```
//!
//! The crate uses no clocks or files: hints are limited by playouts, and files arrive as text. Games equal the games of
//! `ruse play` byte for byte, and `ruse replay` reads the transcripts.

pub mod abi;
mod answer;
mod desk;
mod request;
mod sitting;
mod strategies;

pub use desk::Desk;
pub use request::{Request, Wanted};
