//! Zero-sum games in matrix form: their equilibria, with a certificate, and those of games too large to write down.

mod double_oracle;
mod game;

pub use double_oracle::{Solved, double_oracle};
pub use game::{Equilibrium, MAX_GAP, MatrixError, PayoffMatrix, support};
pub use ruse_strategies::BestResponder;
