//! The figures of a game between seeds, with bounds that hold even if the scores of seeds are estimates.
//!
//! On the games from which a choice was made, the choice looks better than it is. Therefore the games of each meeting
//! are split:
//!
//! - The first half determines the mixtures of the equilibrium, x and y, the best arm, and the responses to the uniform
//!   mixture and to the best arm. The second half scores these choices.
//! - All responses to the mixture of an equilibrium are equally good on the games that determined it. The response to x
//!   is therefore chosen on the third quarter, and scored on the last.
//!
//! Let M be the scores of one side and v the value. No mixture of the side guarantees more than v, and no mixture of
//! the opponent concedes less: min_j (x M)_j <= v <= max_i (M y)_i. The first minimum is attained at some column j*,
//! which does not depend on the second half. The smallest of all lower bounds is at most the bound of j*. So each end
//! of the interval is valid as often as the bound of a single column, without a correction for the number of columns
//! (the intersection-union principle: Berger, *Multiparameter hypothesis testing and acceptance sampling*,
//! Technometrics 24, 1982). In the same way a mixture z loses
//!
//! - at least min_j (x M)_j - (z M)_r, if it meets the response r, and at least 0;
//! - at most max_ij ((M y)_i - (z M)_j).
//!
//! Bounds on differences account for the covariance of the two sums. Each end is wrong in at most 2.5% of cases if the
//! sums are normally distributed, which they are approximately. The lower bound for the mixture of the equilibrium is
//! 0, because the only known lower bound on the value is the score that this mixture guarantees.
//!
//! The value is estimated by x M y, and the loss of a mixture by the difference between the score of the chosen
//! response and the value. There may be a better response, so this difference tends to be too small.
//!
//! Time: K^2 log K for K seeds, plus the time for two equilibria. Space: K^2.

use ruse_optimise::portfolio::sums::{Means, Sum};
use ruse_optimise::portfolio::{PayoffError, Payoffs, SplitPayoffs};
use ruse_search::matrix::PayoffMatrix;

use super::lessons::{Choices, choices, swapped};

/// An estimate with its bounds, which always contain the estimate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bounded {
    pub(super) figure: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Bounded {
    /// Returns an estimate with its bounds, all clamped to `least` to `most`. Bounds are widened to contain the
    /// estimate.
    fn within([least, most]: [f64; 2], figure: f64, [low, high]: [f64; 2]) -> Bounded {
        let figure = figure.clamp(least, most);
        // The estimate and the bounds come from different games, so the bounds may miss the estimate by chance.
        let [low, high] = [low.min(figure).max(least), high.max(figure).min(most)];
        Bounded { figure, low, high }
    }
}

/// The figures of one seat that have bounds, in the order of [`SeedFigure::NAMES`](super::SeedFigure::NAMES): all except
/// `support`.
pub(super) type SeatFigures = [Bounded; 5];

/// Returns the figures of both seats in the game of the first `num_seeds` seeds of a pool, or `None` if there are too
/// few games to split. The mixtures are chosen on the first half of the games.
pub(super) fn seat_figures(
    payoffs: &SplitPayoffs,
    num_seeds: usize,
) -> Result<Option<[SeatFigures; 2]>, PayoffError> {
    let matrix =
        |part: &Payoffs| part.matrix_by_seat_of(num_seeds, |meeting| meeting.tally.score_by_seat());
    let chosen_on = matrix(payoffs.first_half())?;
    let (chosen, ..) = choices(&chosen_on)?;
    let means = |part: &Payoffs| Means::new(part, num_seeds, true);
    let (Some(second_half), Some(last_quarter), Some(_)) = (
        means(&payoffs.second_half()),
        means(payoffs.last_quarter()),
        means(payoffs.third_quarter()),
    ) else {
        return Ok(None);
    };
    let third_quarter = matrix(payoffs.third_quarter())?;
    let swap = |matrix: &PayoffMatrix| swapped(matrix);
    let of_seats = [(&chosen_on, &third_quarter), (&swap(&chosen_on)?, &swap(&third_quarter)?)];
    let mut figures = [0, 1].map(|seat| {
        let (chosen_on, third_quarter) = of_seats[seat];
        let side = Side { seat, own: &chosen[seat], opponent: &chosen[1 - seat] };
        side.figures(chosen_on, third_quarter, &second_half, &last_quarter)
    });
    // The values of the two seats add up to exactly 1.
    let [Bounded { figure, low, high }, ..] = figures[0];
    figures[1][0] = Bounded { figure: 1.0 - figure, low: 1.0 - high, high: 1.0 - low };
    Ok(Some(figures))
}

/// One side of the matrix game: rows are the seeds of this side, columns are the seeds of the opponent.
struct Side<'a> {
    seat: usize,
    own: &'a Choices,
    opponent: &'a Choices,
}

impl Side<'_> {
    fn figures(
        &self,
        chosen_on: &PayoffMatrix,
        third_quarter: &PayoffMatrix,
        second_half: &Means,
        last_quarter: &Means,
    ) -> SeatFigures {
        let x = &self.own.nash;
        let columns = self.columns(x, second_half);
        let rows = self.rows(second_half);
        let lower = columns.iter().map(|sum| second_half.mean(sum).bounds()[0]);
        let upper = rows.iter().map(|sum| second_half.mean(sum).bounds()[1]);
        let bounds = [lower.fold(f64::INFINITY, f64::min), upper.fold(0.0, f64::max)];
        let value = Bounded::within([0.0, 1.0], self.value(second_half), bounds);

        let against_uniform = self.own_against(x, &self.opponent.uniform, second_half);
        let against_uniform = second_half.mean(&against_uniform);
        let nash_against_uniform =
            Bounded::within([0.0, 1.0], against_uniform.mean, against_uniform.bounds());

        let response = worst_column(third_quarter, x);
        let met = last_quarter.mean(&self.column(x, response, last_quarter)).mean;
        let taken = self.value(last_quarter) - met;
        let most = self.most_taken(&rows, &columns, second_half);
        let nash_exploitability = Bounded::within([0.0, 1.0], taken, [0.0, most]);

        let [uniform_exploitability, best_arm_exploitability] =
            [&self.own.uniform, &self.own.best_arm].map(|z| {
                let of_mixture = self.columns(z, second_half);
                let response = &of_mixture[worst_column(chosen_on, z)];
                let taken = self.value(second_half) - second_half.mean(response).mean;
                let least = columns
                    .iter()
                    .map(|sum| second_half.mean(&sum.minus(response)).bounds()[0])
                    .fold(f64::INFINITY, f64::min);
                let most = self.most_taken(&rows, &of_mixture, second_half);
                Bounded::within([0.0, 1.0], taken, [least, most])
            });
        [
            value,
            nash_against_uniform,
            nash_exploitability,
            uniform_exploitability,
            best_arm_exploitability,
        ]
    }

    /// Returns the score of a mixture against the seed of a column.
    fn column(&self, mixture: &[f64], column: usize, means: &Means) -> Sum {
        let weights = mixture.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        Sum::of(weights.map(|(i, &weight)| (means.of_seat(self.seat, i, column), weight)))
    }

    fn columns(&self, mixture: &[f64], means: &Means) -> Vec<Sum> {
        (0..means.num_members()).map(|j| self.column(mixture, j, means)).collect()
    }

    /// Returns the score of each seed against the equilibrium of the opponent.
    fn rows(&self, means: &Means) -> Vec<Sum> {
        let weights = || self.opponent.nash.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let row = |i: usize| {
            Sum::of(weights().map(|(j, &weight)| (means.of_seat(self.seat, i, j), weight)))
        };
        (0..means.num_members()).map(row).collect()
    }

    fn own_against(&self, own: &[f64], opponent: &[f64], means: &Means) -> Sum {
        let cells = own.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        Sum::of(cells.flat_map(|(i, &x)| {
            let cell = move |(j, &y): (usize, &f64)| (means.of_seat(self.seat, i, j), x * y);
            opponent.iter().enumerate().filter(|(_, weight)| **weight > 0.0).map(cell)
        }))
    }

    /// Returns the score of this side if both sides play the equilibrium.
    fn value(&self, means: &Means) -> f64 {
        means.mean(&self.own_against(&self.own.nash, &self.opponent.nash, means)).mean
    }

    /// Returns an upper bound on the largest of `rows` minus the smallest of `columns`. `rows` are the seeds' scores
    /// against the opponent's equilibrium; `columns` are a mixture's scores against the opponent's seeds.
    fn most_taken(&self, rows: &[Sum], columns: &[Sum], means: &Means) -> f64 {
        let estimates = |sums: &[Sum]| sums.iter().map(|sum| means.mean(sum)).collect::<Vec<_>>();
        let (of_rows, of_columns) = (estimates(rows), estimates(columns));
        let quantile = means.quantile();
        let mut most = 0.0_f64;
        for (i, row) in of_rows.iter().enumerate() {
            for (j, column) in of_columns.iter().enumerate() {
                // A row and a column have one meeting in common, or all meetings if they belong to the same seed.
                let variance = if i == j {
                    means.mean(&rows[i].minus(&columns[j])).variance
                } else {
                    let shared = means.shared(&rows[i], &columns[j], i, j);
                    (row.variance + column.variance + shared).max(0.0)
                };
                let taken = row.mean - column.mean + quantile * variance.sqrt();
                most = most.max(taken);
            }
        }
        most
    }
}

/// Returns the column against which a mixture scores least; among equals, the first.
fn worst_column(matrix: &PayoffMatrix, mixture: &[f64]) -> usize {
    let scores = matrix.of_columns(mixture);
    (1..scores.len()).fold(0, |worst, j| if scores[j] < scores[worst] { j } else { worst })
}

#[cfg(test)]
mod tests;
