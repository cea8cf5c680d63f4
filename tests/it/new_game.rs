//! The tests that `ruse new game` writes, of the files that it writes.

#[path = "../../examples/new_game/board.rs"]
mod board;
#[path = "../../examples/new_game/family.rs"]
mod family;
#[path = "../../examples/new_game/game.rs"]
mod game;
