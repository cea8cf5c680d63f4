//! The files that `ruse new game` generates, whose tests run here.

#[path = "../../examples/new_game/board.rs"]
mod board;
#[path = "../../examples/new_game/family.rs"]
mod family;
#[path = "../../examples/new_game/game.rs"]
mod game;
