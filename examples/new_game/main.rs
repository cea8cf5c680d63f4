//! A program with all commands of `ruse` for your own game: `cargo run -- list`, `cargo run -- play draw-again`.

mod board;
mod family;
mod game;

use std::process::ExitCode;

use ruse::registry::Registry;

fn main() -> ExitCode {
    // With `Registry::standard()`, the program would also have the families of `ruse`.
    ruse::cli::run(Registry::empty().with(family::DrawAgainFamily::default()))
}
