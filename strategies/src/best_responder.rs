//! Games with one simultaneous choice of both players, and best responses in these games.

/// A zero-sum game with one choice of each player, in which best responses can be computed. All payoffs are payoffs to
/// the row player.
pub trait BestResponder {
    /// A choice of the row player.
    type Row: Clone;
    /// A choice of the column player.
    type Column: Clone;

    /// Returns the payoff of `row` against `column`.
    fn payoff(&self, row: &Self::Row, column: &Self::Column) -> f64;

    /// Returns the highest payoff against a mixture of columns, given as (probability, column), and a row that achieves
    /// this payoff.
    fn best_row(&self, mixture: &[(f64, Self::Column)]) -> (f64, Self::Row);

    /// Returns the lowest payoff against a mixture of rows, given as (probability, row), and a column that limits the
    /// row player to this payoff.
    fn best_column(&self, mixture: &[(f64, Self::Row)]) -> (f64, Self::Column);
}
