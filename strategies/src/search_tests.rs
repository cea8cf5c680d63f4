//! Tests searches in games whose exact values are known.

mod naive_mcts;
mod testing;
mod uct;
