//! Equilibria of matrix games that are too large to be stored, by double oracle.
//!
//! McMahan, Gordon & Blum, *Planning in the presence of cost functions controlled by an adversary*, ICML 2003. Both
//! players keep a few of their strategies. The game restricted to these strategies is solved; then each player adds one
//! strategy of the whole game: the best response to the other player's mixture. The value of the whole game lies
//! between the scores of these two responses, and if neither response gains anything, the mixtures are an equilibrium
//! of the whole game.
//!
//! Deviations: none. Cost: two best responses and a linear program per step. The number of steps is not known in
//! advance; in practice, only a few of the strategies that were added have zero weight in the end.

use ruse_strategies::BestResponder;

use ruse_search::matrix::{MatrixError, PayoffMatrix};

/// Mixtures for both players: neither player gains more than a small amount by deviating from its mixture.
#[derive(Debug, Clone, PartialEq)]
pub struct Solved<R, C> {
    /// The rows with positive weight, each with its weight.
    pub rows: Vec<(f64, R)>,
    /// The columns with positive weight, each with its weight.
    pub columns: Vec<(f64, C)>,
    /// The smallest payoff that the mixture of rows gets against any column.
    pub guaranteed: f64,
    /// The largest payoff that the mixture of columns concedes to any row.
    pub conceded: f64,
    /// The number of restricted games that were solved.
    pub num_steps: usize,
}

impl<R, C> Solved<R, C> {
    /// Returns the value of the game for the row player, with an error of at most half the gap.
    pub fn value(&self) -> f64 {
        f64::midpoint(self.guaranteed, self.conceded)
    }

    /// Returns the payoff that is conceded minus the payoff that is guaranteed.
    pub fn gap(&self) -> f64 {
        self.conceded - self.guaranteed
    }
}

/// Solves a game up to a gap of `tolerance`, starting from one row and one column.
///
/// # Errors
///
/// Returns an error if the linear program of a step cannot be solved.
pub fn double_oracle<G: BestResponder>(
    game: &G,
    first: (G::Row, G::Column),
    tolerance: f64,
) -> Result<Solved<G::Row, G::Column>, MatrixError> {
    let mut payoffs = vec![vec![game.payoff(&first.0, &first.1)]];
    let (mut rows, mut columns) = (vec![first.0], vec![first.1]);
    let mut num_steps = 0;
    loop {
        num_steps += 1;
        let equilibrium = PayoffMatrix::from_rows(&payoffs)?.solve()?;
        let row_mixture = mixture(&equilibrium.row_mixture, &rows);
        let column_mixture = mixture(&equilibrium.column_mixture, &columns);
        let (conceded, row) = game.best_row(&column_mixture);
        let (guaranteed, column) = game.best_column(&row_mixture);
        // A response that gains less than the rounding error may already be among the strategies.
        let row_gains = conceded > equilibrium.value() + tolerance / 2.0;
        let column_gains = guaranteed < equilibrium.value() - tolerance / 2.0;
        if !row_gains && !column_gains {
            let (rows, columns) = (row_mixture, column_mixture);
            return Ok(Solved { rows, columns, guaranteed, conceded, num_steps });
        }
        if row_gains {
            payoffs.push(columns.iter().map(|column| game.payoff(&row, column)).collect());
            rows.push(row);
        }
        if column_gains {
            for (payoffs, row) in payoffs.iter_mut().zip(&rows) {
                payoffs.push(game.payoff(row, &column));
            }
            columns.push(column);
        }
    }
}

/// Returns the choices with positive weight, each with its weight.
fn mixture<T: Clone>(weights: &[f64], choices: &[T]) -> Vec<(f64, T)> {
    let all = weights.iter().copied().zip(choices.iter().cloned());
    all.filter(|&(weight, _)| weight > 0.0).collect()
}

#[cfg(test)]
mod tests {
    use ruse_games::phantom_tic_tac_toe::CellOrder;
    use ruse_strategies::phantom_tic_tac_toe::Orbits;

    use super::*;

    /// The value of phantom tic-tac-toe if both players choose an order of the cells before the game. The gap proves
    /// the value if best orders are computed correctly, which other tests check. The value has not been published
    /// elsewhere.
    #[test]
    #[ignore = "long"]
    fn phantom_tic_tac_toe_has_a_value() {
        let order = CellOrder::default();
        let solved = double_oracle(&Orbits, (order, order), Orbits::TOLERANCE);
        let solved = solved.expect("it is solved");
        assert!((solved.value() - 0.771_358).abs() < 0.6e-6, "{}", solved.value());
        assert!(solved.gap().abs() < Orbits::TOLERANCE, "{}", solved.gap());
        let sum =
            |mixture: &[(f64, CellOrder)]| mixture.iter().map(|(weight, _)| weight).sum::<f64>();
        assert!((sum(&solved.rows) - 1.0).abs() < 1e-12);
        assert!((sum(&solved.columns) - 1.0).abs() < 1e-12);
    }

    /// Mendelsohn's game: both players choose a number from 0 to 999. A number that is larger than the other by exactly
    /// one wins two points, and a number that is smaller by more than one wins one point.
    struct Numbers;

    impl BestResponder for Numbers {
        type Row = u32;
        type Column = u32;

        fn payoff(&self, row: &u32, column: &u32) -> f64 {
            match i64::from(*row) - i64::from(*column) {
                0 => 0.0,
                1 => 2.0,
                -1 => -2.0,
                2.. => -1.0,
                _ => 1.0,
            }
        }

        fn best_row(&self, mixture: &[(f64, u32)]) -> (f64, u32) {
            let payoff = |row: u32| -> f64 {
                mixture.iter().map(|(weight, column)| weight * self.payoff(&row, column)).sum()
            };
            let best = (0..1000).max_by(|&x, &y| payoff(x).total_cmp(&payoff(y)));
            best.map(|row| (payoff(row), row)).expect("there are rows")
        }

        fn best_column(&self, mixture: &[(f64, u32)]) -> (f64, u32) {
            // The game is symmetric.
            let (payoff, column) = self.best_row(mixture);
            (-payoff, column)
        }
    }

    #[test]
    fn a_large_game_is_solved_by_a_small_part_of_it() {
        // Mendelsohn 1946: play 1, 2, 3, 4, 5 (here 0 to 4) with probabilities 1/16, 5/16, 4/16, 5/16, 1/16.
        let solved = double_oracle(&Numbers, (999, 500), 1e-9).expect("a small game");
        assert!(solved.value().abs() < 1e-9 && solved.gap() < 1e-9, "{solved:?}");
        for mixture in [&solved.rows, &solved.columns] {
            for &(weight, number) in mixture {
                let expected = [1.0, 5.0, 4.0, 5.0, 1.0][number as usize] / 16.0;
                assert!((weight - expected).abs() < 1e-9, "{mixture:?}");
            }
            assert_eq!(mixture.len(), 5);
        }
    }
}
