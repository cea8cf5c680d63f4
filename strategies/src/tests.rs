//! Tests of searches in games whose exact values are known.

mod loss;
mod naive_mcts;
mod uct;
