//! Tests of the parameters of all families, of legal play, and of searches in games whose exact values are known.

mod legality;
mod loss;
mod naive_mcts;
mod parameters;
mod uct;
