//! Nash portfolios. The portfolio of a pool is the mixture of its members that no member exploits.
//!
//! Reference: Saint-Pierre & Teytaud, *Nash and the bandit approach for adversarial portfolios*, CIG 2014, section
//! III-A, <https://doi.org/10.1109/CIG.2014.6932897>. As in the paper, the portfolio is compared with two simpler
//! players: the uniform mixture, and the member that scores highest against the uniform mixture.
//!
//! Deviations: a member is drawn for a pair of games and plays both seats, so the game is symmetric and its value is
//! one half; the paper has a portfolio for each seat, which corresponds to [`Payoffs::matrix_by_seat`]. The paper also
//! treats the estimated matrix as the true one, and scores a mixture on the games from which it was chosen. This makes
//! the mixture look better than it is. Here mixtures play fresh games: see [`NashPortfolio::scored_on`].
//!
//! A mixture x meets every member j in fresh games, and loses 1/2 - min_j (x M)_j to the best response. The estimate
//! and the lower bound are computed for a single member, the best response in the earlier games, so the fresh games
//! have no part in its choice. The upper bound is the largest upper bound over all members. It is at least the bound of
//! the true best response, so it is wrong no more often than the bound of a single member (2.5%), and needs no
//! correction for the number of members. The bounds come from Student's distribution for a mean over independent
//! meetings, and are valid to the extent that this mean is normally distributed.
//!
//! The stability of the weights is shown by a bootstrap (Efron & Tibshirani, *An introduction to the bootstrap*, 1993;
//! Rubin, *The Bayesian bootstrap*, Annals of Statistics 9, 1981): every score is redrawn from the distribution of the
//! true score given the observed pairs, as the mean of the five values of a pair with weights from a Dirichlet
//! distribution. Exactly known scores stay unchanged. The equilibrium is computed again for each matrix of redrawn
//! scores. The 2.5% and 97.5% quantiles of its weights are not confidence intervals: if the true equilibrium is not
//! unique there is no true weight, and the solution of a matrix with errors is not close to the true solution on
//! average.
//!
//! Exploitability is *inside the pool*: a strategy outside the pool may gain more.
//!
//! Time: an equilibrium for each bootstrap sample, in parallel. Space: the weights of all samples.

use rand_distr::Distribution;
use rayon::prelude::*;
use ruse_base::rng::{Gamma, Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_play::score::Scored;
use ruse_search::matrix::{Equilibrium, PayoffMatrix, support};

use super::payoffs::{PayoffError, Payoffs};
use super::sums::{Means, Sum};

/// The default number of bootstrap samples.
pub const NUM_SAMPLES: u64 = 200;

/// A mixture of the members of a pool, with its exploitability inside the pool.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessed {
    /// The weights of the members.
    pub mixture: Vec<f64>,
    /// The score of the best response among the members, minus one half, in [0, 1/2]. Without fresh games it is
    /// computed from the estimated matrix. With fresh games, the response that is best by the estimated matrix is
    /// scored in these games.
    pub exploitability: f64,
    /// The confidence interval of the score of the best response among all members, minus one half. Without fresh games
    /// it is from 0 to 1/2, unless all payoffs are exact.
    pub interval: [f64; 2],
    /// The index of the member that scores most against the mixture, according to the estimated matrix.
    pub best_response: usize,
    /// The score of the mixture against the uniform mixture, according to the estimated matrix.
    pub against_uniform: f64,
}

/// The Nash portfolio of a pool, together with simpler alternatives.
#[derive(Debug, Clone, PartialEq)]
pub struct NashPortfolio {
    /// The equilibrium of the estimated matrix, with its certificate.
    pub equilibrium: Equilibrium,
    /// The portfolio.
    pub nash: Assessed,
    /// The 2.5% and 97.5% bootstrap quantiles of the weights, which show how far weights move when scores are redrawn.
    /// They are not confidence intervals.
    pub weight_intervals: Vec<[f64; 2]>,
    /// The 2.5% and 97.5% bootstrap quantiles of the number of members in the support.
    pub support_interval: [usize; 2],
    /// The uniform mixture of all members.
    pub uniform: Assessed,
    /// The member with the highest score against the uniform mixture.
    pub best_average: Assessed,
    /// The index of the member in `best_average`.
    pub best_average_member: usize,
    /// Members that certainly beat each other in a cycle: each beats the next, and the last beats the first.
    pub cycle: Option<Vec<usize>>,
    /// The number of bootstrap samples from which the quantiles of weights are computed; 0 if all payoffs are exact.
    pub num_samples: u64,
}

impl NashPortfolio {
    /// Computes the Nash portfolio of a pool with these payoffs, and quantiles of its weights from `num_samples`
    /// bootstrap samples.
    ///
    /// # Errors
    ///
    /// Returns an error if payoffs are missing, if there are fewer than two members, or if the work was stopped from
    /// outside.
    pub fn new(
        payoffs: &Payoffs,
        num_samples: u64,
        key: StreamKey,
        stop: &StopSignal,
    ) -> Result<NashPortfolio, PayoffError> {
        let num_members = payoffs.num_members();
        if num_members < 2 {
            return Err(PayoffError::NumMembers { found: num_members });
        }
        let matrix = payoffs.matrix()?;
        let equilibrium = matrix.solve()?;
        let uniform = vec![1.0 / num_members as f64; num_members];
        let best_average_member = best_response(&matrix, &uniform);
        let mixtures = [
            equilibrium.row_mixture.clone(),
            uniform.clone(),
            pure(num_members, best_average_member),
        ];

        let is_exact = (0..num_members)
            .all(|i| (i + 1..num_members).all(|j| payoffs.meeting(i, j).exact.is_some()));
        let num_samples = if is_exact { 0 } else { num_samples };
        let samples: Vec<Vec<f64>> = (0..num_samples)
            .into_par_iter()
            .map(|index| {
                stop.check()?;
                let mut stream = key.child(Label::Choice, index).stream();
                let matrix = payoffs.matrix_of(|meeting| Some(resampled(meeting, &mut stream)))?;
                Ok(matrix.solve()?.row_mixture)
            })
            .collect::<Result<_, PayoffError>>()?;

        let assessed = |which: usize| {
            let mixture = mixtures[which].clone();
            let exploitability = exploitability(&matrix, &mixture);
            Assessed {
                exploitability,
                interval: if is_exact { [exploitability; 2] } else { [0.0, 0.5] },
                best_response: best_response(&matrix, &mixture),
                against_uniform: dot(&mixture, &matrix.of_rows(&uniform)),
                mixture,
            }
        };
        let weight_intervals = (0..num_members)
            .map(|member| {
                let weight = equilibrium.row_mixture[member];
                let drawn = samples.iter().map(|weights| weights[member]);
                quantiles(drawn).unwrap_or([weight; 2])
            })
            .collect();
        let size = equilibrium.row_support().len();
        let sizes = samples.iter().map(|weights| support(weights).len() as f64);
        let support_interval =
            quantiles(sizes).map_or([size; 2], |bounds| bounds.map(|size| size.round() as usize));
        Ok(NashPortfolio {
            nash: assessed(0),
            uniform: assessed(1),
            best_average: assessed(2),
            cycle: cycle(payoffs, &by_weight(&equilibrium)),
            weight_intervals,
            support_interval,
            best_average_member,
            num_samples,
            equilibrium,
        })
    }
}

impl NashPortfolio {
    /// Returns the three mixtures: the portfolio, the uniform mixture, and the member that is best on average.
    pub fn mixtures(&self) -> [&[f64]; 3] {
        [&self.nash, &self.uniform, &self.best_average].map(|assessed| assessed.mixture.as_slice())
    }

    /// Returns the portfolio, with the losses of its mixtures computed from the fresh games of [`Payoffs::fresh`],
    /// which played no part in the choice of the mixtures. Nothing changes if all payoffs are exact, or if a meeting
    /// has fewer than two fresh pairs.
    ///
    /// # Panics
    ///
    /// Panics if `fresh` and the portfolio differ in the number of members.
    #[must_use]
    pub fn scored_on(mut self, fresh: &Payoffs) -> NashPortfolio {
        let num_members = self.nash.mixture.len();
        assert_eq!(fresh.num_members(), num_members, "the same members play");
        let means = Means::new(fresh, num_members, false).filter(|means| !means.is_exact());
        if let Some(means) = means {
            for assessed in [&mut self.nash, &mut self.uniform, &mut self.best_average] {
                assessed.score_on(&means);
            }
        }
        self
    }
}

impl Assessed {
    fn score_on(&mut self, means: &Means) {
        let against = |j: usize| {
            let weights = self.mixture.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
            means.mean(&Sum::of(weights.map(|(i, &weight)| (means.of_pair(i, j), weight))))
        };
        let response = against(self.best_response);
        let least =
            (0..means.num_members()).map(|j| against(j).bounds()[0]).fold(f64::INFINITY, f64::min);
        let taken = |score: f64| (0.5 - score).clamp(0.0, 0.5);
        let exploitability = taken(response.mean);
        // The estimate is within the bounds of the response, unless the gain of the response is negative.
        let low = taken(response.bounds()[1]).min(exploitability);
        let high = taken(least).max(exploitability);
        self.exploitability = exploitability;
        self.interval = [low, high];
    }
}

/// Returns the mixture that always plays one member.
pub fn pure(num_members: usize, member: usize) -> Vec<f64> {
    (0..num_members).map(|index| if index == member { 1.0 } else { 0.0 }).collect()
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Returns the first of the members with the highest score against a mixture.
pub fn best_response(matrix: &PayoffMatrix, mixture: &[f64]) -> usize {
    let scores = matrix.of_rows(mixture);
    (1..scores.len()).fold(0, |best, i| if scores[i] > scores[best] { i } else { best })
}

/// Returns the gain of the best response to a mixture in a symmetric game of value one half.
fn exploitability(matrix: &PayoffMatrix, mixture: &[f64]) -> f64 {
    // Negative values come from rounding.
    (matrix.conceded(mixture) - 0.5).max(0.0)
}

/// Draws from the distribution of the true score given the observed pairs: the mean of a Dirichlet distribution over
/// the values of a pair. The prior is a fifth of a pair for each of the values 0, 1/4, 1/2, 3/4 and 1, and for each
/// other observed value.
fn resampled(meeting: &Scored, rng: &mut impl rand::Rng) -> f64 {
    const BEFORE: f64 = 0.2;
    if let Some(exact) = meeting.exact {
        return exact;
    }
    let (mut sum, mut points) = (0.0, 0.0);
    for (value, count) in meeting.tally.values() {
        let drawn = Gamma::new(count as f64 + BEFORE).expect("the shape is positive").sample(rng);
        sum += drawn;
        points += value * drawn;
    }
    points / sum
}

/// Returns the 2.5% and 97.5% quantiles, or `None` if there are no numbers.
fn quantiles(numbers: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    let last = numbers.len().checked_sub(1)?;
    let tail = (1.0 - ruse_play::score::CONFIDENCE) / 2.0;
    let at = |share: f64| numbers[(share * last as f64).round() as usize];
    Some([at(tail), at(1.0 - tail)])
}

/// Returns the rows with positive weight, in order of descending weight.
fn by_weight(equilibrium: &Equilibrium) -> Vec<usize> {
    let mut support = equilibrium.row_support();
    let weight = |row: usize| equilibrium.row_mixture[row];
    support.sort_by(|&i, &j| weight(j).total_cmp(&weight(i)));
    support
}

/// Returns three members of the support that form a cycle: each certainly beats the next, and the last beats the first.
/// Among several cycles, returns the cycle with the largest minimum lead. If all leads between members are certain, a
/// cycle of three exists whenever there is a cycle.
fn cycle(payoffs: &Payoffs, support: &[usize]) -> Option<Vec<usize>> {
    // The leads that the intervals prove. Each interval is computed only once.
    let lead: Vec<Vec<f64>> = support
        .iter()
        .map(|&i| support.iter().map(|&j| payoffs.interval(i, j)[0] - 0.5).collect())
        .collect();
    let n = support.len();
    let mut best: Option<(f64, [usize; 3])> = None;
    for a in 0..n {
        // The starting point of a cycle does not matter, so a cycle starts with the member that is first in the
        // support. Among equal cycles, the first is returned.
        for b in (a + 1..n).filter(|&b| lead[a][b] > 0.0) {
            for c in (a + 1..n).filter(|&c| lead[b][c] > 0.0 && lead[c][a] > 0.0) {
                let least = lead[a][b].min(lead[b][c]).min(lead[c][a]);
                if best.is_none_or(|(so_far, _)| least > so_far) {
                    best = Some((least, [a, b, c]));
                }
            }
        }
    }
    best.map(|(_, members)| members.map(|index| support[index]).to_vec())
}

#[cfg(test)]
mod tests;
