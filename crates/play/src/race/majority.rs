//! The majority of 101 games: the simplest comparison of the paper, without any guarantee for players of similar
//! strength (Cauwet & Teytaud 2018, section II-A).
//!
//! If observations are pairs, the majority of 51 pairs (102 games) decides. A player with a true winning rate of p is
//! selected with a probability of 95% only if p is at least 0.58.

use std::ops::ControlFlow;

use super::{Limits, Race, Reason, Verdict};

/// The number of games in the paper.
const NUM_GAMES: u64 = 101;

/// A comparison by majority, in progress.
#[derive(Debug, Clone)]
pub struct Majority {
    delta: f64,
    scale: u16,
    num_observations: u64,
    sum: u64,
}

impl Majority {
    /// Creates a comparison over observations from 0 to `scale`, which is 2 for games, 4 for pairs and 8 for two pairs.
    pub fn new(limits: Limits, scale: u16) -> Majority {
        Majority { delta: limits.delta, scale, num_observations: 0, sum: 0 }
    }

    fn wanted(&self) -> u64 {
        // A difference of two pairs is one observation, but its games are counted as one pair of each player.
        let games_per_observation = if self.scale == 2 { 1 } else { 2 };
        NUM_GAMES.div_ceil(games_per_observation)
    }

    fn verdict(&self, reason: Reason) -> Verdict {
        let n = self.num_observations.max(1) as f64;
        let score = match self.num_observations {
            0 => 0.5,
            _ => self.sum as f64 / (f64::from(self.scale) * n),
        };
        // Hoeffding's interval is valid because the number of observations is fixed in advance.
        let half_width = (libm::log(2.0 / self.delta) / (2.0 * n)).sqrt();
        Verdict {
            candidate_leads: score > 0.5,
            reason,
            num_observations: self.num_observations,
            score,
            interval: [(score - half_width).max(0.0), (score + half_width).min(1.0)],
        }
    }
}

impl Race for Majority {
    fn push(&mut self, observation: u16) -> ControlFlow<Verdict> {
        self.num_observations += 1;
        self.sum += u64::from(observation);
        if self.num_observations < self.wanted() {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(self.verdict(Reason::Majority))
    }

    fn observations_before_stop(&self) -> u64 {
        self.wanted() - self.num_observations
    }

    fn doubt(&self) -> f64 {
        -self.verdict(Reason::Budget).score
    }

    fn out_of_budget(&self) -> Verdict {
        self.verdict(Reason::Budget)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(scale: u16, observations: impl IntoIterator<Item = u16>) -> Verdict {
        let mut race = Majority::new(Limits::default(), scale);
        let mut observations = observations.into_iter();
        observations.find_map(|o| race.push(o).break_value()).expect("a verdict")
    }

    #[test]
    fn half_of_101_games_are_not_enough() {
        let games = |wins| (0..101).map(move |game| if game < wins { 2 } else { 0 });
        assert!(verdict(2, games(51)).accepts());
        assert!(!verdict(2, games(50)).accepts());
        assert_eq!(verdict(2, games(51)).num_observations, 101);
        assert_eq!(verdict(4, std::iter::repeat(3)).num_observations, 51);
        assert!(!verdict(4, std::iter::repeat(2)).accepts(), "a tie keeps the incumbent");
    }

    /// Hoeffding's half-width after ten games is sqrt(ln(2 / .05) / 20) = .429469.
    #[test]
    fn a_race_that_runs_out_of_games_has_hoeffdings_interval() {
        let mut race = Majority::new(Limits { delta: 0.05, precision: 0.01 }, 2);
        assert_eq!((race.out_of_budget().score, race.doubt()), (0.5, -0.5));
        for won in [2, 2, 0, 2, 2, 0, 2, 2, 0, 2] {
            assert!(race.push(won).is_continue());
        }
        assert_eq!((race.doubt(), race.observations_before_stop()), (-0.7, 91));
        let verdict = race.out_of_budget();
        assert!(verdict.candidate_leads && !verdict.accepts());
        assert!((verdict.interval[0] - 0.270_531).abs() < 1e-6, "{verdict:?}");
        assert_eq!(verdict.interval[1], 1.0);
    }
}
