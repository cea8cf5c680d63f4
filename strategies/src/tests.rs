//! Tests of the parameters of all families, and of searches in games whose exact values are known.

mod loss;
mod naive_mcts;
mod parameters;
mod uct;
