//! Nash portfolios of champions that have raced each other.
//!
//! A championship contains the scores of its members against each other, so no further games are needed to find the
//! mixture that no member exploits according to these scores. Unlike a [`Payoffs`](super::Payoffs) estimate, races stop
//! when they are decided: a score that was clear early is known only roughly, and is biased towards the winner.
//! Bootstrap intervals would ignore this bias. The intervals of races are valid whenever a race stops, so the bounds on
//! the exploitability are computed from these intervals.
//!
//! Limits: the error probability delta applies to each race separately, and a strategy outside the pool may exploit the
//! portfolio more.

use ruse_play::race::{Championship, Meeting};
use ruse_search::matrix::{Equilibrium, PayoffMatrix};

use super::payoffs::PayoffError;

/// The mixture of the members of a championship that no member exploits.
#[derive(Debug, Clone, PartialEq)]
pub struct RacedPortfolio {
    /// The equilibrium of the scores, with its certificate.
    pub equilibrium: Equilibrium,
    /// The exploitability of the mixture by its members: the highest score of a member against the mixture, minus one
    /// half. The mixture is an equilibrium of the scores of the races, so this number is zero except for rounding.
    pub exploitability: f64,
    /// Bounds on the exploitability, from the intervals of the races.
    pub exploitability_bounds: [f64; 2],
}

impl RacedPortfolio {
    /// Computes the portfolio of the members of a championship.
    ///
    /// # Errors
    ///
    /// Returns an error if there are fewer than two members.
    pub fn new(championship: &Championship) -> Result<RacedPortfolio, PayoffError> {
        RacedPortfolio::of(championship.num_members(), &championship.meetings)
    }

    fn of(num_members: usize, meetings: &[Meeting]) -> Result<RacedPortfolio, PayoffError> {
        if num_members < 2 {
            return Err(PayoffError::NumMembers { found: num_members });
        }
        // The scores of the members against each other, and the lower and upper bounds. Against itself, a member scores
        // one half.
        let mut matrices = [(); 3].map(|()| vec![vec![0.5; num_members]; num_members]);
        for &Meeting { a, b, decision } in meetings {
            let [low, high] = decision.verdict.interval;
            let score = decision.verdict.score;
            for (matrix, for_a, for_b) in [
                (0, score, 1.0 - score),
                (1, low.max(0.0), (1.0 - high).max(0.0)),
                (2, high.min(1.0), (1.0 - low).min(1.0)),
            ] {
                matrices[matrix][a][b] = for_a;
                matrices[matrix][b][a] = for_b;
            }
        }
        let [scores, lows, highs] = matrices;
        let equilibrium = PayoffMatrix::from_rows(&scores)?.solve()?;
        let exploitability = |scores: &[Vec<f64>]| {
            let matrix = PayoffMatrix::from_rows(scores)?;
            Ok::<_, PayoffError>((matrix.conceded(&equilibrium.row_mixture) - 0.5).max(0.0))
        };
        Ok(RacedPortfolio {
            exploitability: exploitability(&scores)?,
            exploitability_bounds: [exploitability(&lows)?, exploitability(&highs)?],
            equilibrium,
        })
    }
}

#[cfg(test)]
mod tests {
    use ruse_play::race::{Decision, Reason, Verdict};

    use super::*;

    fn meeting(a: usize, b: usize, score: f64, half_width: f64) -> Meeting {
        let verdict = Verdict {
            candidate_leads: score > 0.5,
            reason: Reason::Budget,
            num_observations: 10,
            score,
            interval: [score - half_width, score + half_width],
        };
        Meeting { a, b, decision: Decision { accepted: false, verdict, num_games: 20 } }
    }

    #[test]
    fn champions_in_a_circle_are_mixed() {
        // Members 0, 1 and 2 beat each other in a cycle, each with a score of 0.7, so the weights are a third each. All
        // three beat member 3.
        let meetings = [
            meeting(0, 1, 0.7, 0.06),
            meeting(0, 2, 0.3, 0.06),
            meeting(0, 3, 0.9, 0.06),
            meeting(1, 2, 0.7, 0.06),
            meeting(1, 3, 0.9, 0.06),
            meeting(2, 3, 0.9, 0.06),
        ];
        let found = RacedPortfolio::of(4, &meetings).expect("it is solved");
        for (weight, expected) in
            found.equilibrium.row_mixture.iter().zip([1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0])
        {
            assert!((weight - expected).abs() < 1e-12, "{weight}, {expected} expected");
        }
        assert!((found.equilibrium.value() - 0.5).abs() < 1e-12);
        assert!(found.exploitability < 1e-12);
        // In two thirds of the pairs against the mixture, a member meets another member, against which it may be up to
        // 0.06 better than observed.
        let [low, high] = found.exploitability_bounds;
        assert_eq!(low, 0.0);
        assert!((high - 0.04).abs() < 1e-12, "{high}");
    }

    #[test]
    fn the_strongest_is_played_alone() {
        let found = RacedPortfolio::of(2, &[meeting(0, 1, 0.4, 0.3)]).expect("it is solved");
        assert_eq!(found.equilibrium.row_mixture, [0.0, 1.0]);
        // The true score of the loser may be 0.7.
        assert!((found.exploitability_bounds[1] - 0.2).abs() < 1e-12);
        let alone = RacedPortfolio::of(1, &[]);
        assert_eq!(alone, Err(PayoffError::NumMembers { found: 1 }));
    }
}
