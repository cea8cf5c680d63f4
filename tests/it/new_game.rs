//! Runs the tests that `ruse new game` generates on the files that it generates.

#[path = "../../examples/new_game/board.rs"]
mod board;
#[path = "../../examples/new_game/family.rs"]
mod family;
#[path = "../../examples/new_game/game.rs"]
mod game;
