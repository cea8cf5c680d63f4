//! Games in which each player chooses once, with best responses.

/// A zero-sum game with best responses. Payoffs are those of the row player.
pub trait BestResponder {
    /// What the row player chooses.
    type Row: Clone;
    /// What the column player chooses.
    type Column: Clone;

    /// What `row` gets from `column`.
    fn payoff(&self, row: &Self::Row, column: &Self::Column) -> f64;

    /// The row that gets most from a mixture of columns, and how much.
    fn best_row(&self, mixture: &[(f64, Self::Column)]) -> (f64, Self::Row);

    /// The column that concedes least to a mixture of rows, and how much.
    fn best_column(&self, mixture: &[(f64, Self::Row)]) -> (f64, Self::Column);
}
