//! Zero-sum games in matrix form: their equilibria with certificates, including games that are too large to be stored.

mod double_oracle;

pub use double_oracle::{Solved, double_oracle};
