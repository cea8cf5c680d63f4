//! All commands of `ruse` for a game of one's own: `cargo run -- list`, `cargo run -- play draw-again`.

mod board;
mod family;
mod game;

use std::process::ExitCode;

use ruse::registry::Registry;

fn main() -> ExitCode {
    // From `Registry::standard()` on, the program has the families of `ruse`, too.
    ruse::cli::run(Registry::empty().with(family::DrawAgainFamily::default()))
}
