//! Tests of searches in the games of families that know the exact values.

mod naive_mcts;
mod testing;
mod uct;
