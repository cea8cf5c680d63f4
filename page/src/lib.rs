//! Games against strategies for a page in a browser, behind one call: JSON in, JSON out.
//!
//! A [`Desk`] has one table. [`Desk::answer`] takes a [`Request`] as JSON, and gives `{"ok": ...}` or `{"error": "a sentence"}`;
//! whatever comes in, it does not panic. The functions of [`abi`] hand texts in and out of WebAssembly:
//!
//! ```sh
//! cargo rustc --package ruse-page --profile page --crate-type cdylib --target wasm32-unknown-unknown
//! ```
//!
//! There is no clock and no file: hints are limited by playouts, and files are dropped on the page as text. The games are
//! those of `ruse play` to the byte: the transcript that comes out is what `ruse replay` takes.

pub mod abi;
mod answer;
mod desk;
mod request;
mod sitting;
mod strategies;

pub use desk::Desk;
pub use request::{Request, SeatChoice, Wanted};
