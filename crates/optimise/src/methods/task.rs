//! The description of a run.

use std::sync::Arc;
use std::time::Duration;

use rand_distr::Distribution;
use ruse_base::rng::{Gaussian, Label, StreamKey};
use ruse_play::family::{AnyFamily, Player};
use ruse_play::race::RaceSettings;

use super::kind::AnyMethod;
use super::wide_responses::WideResponses;

/// The limits of a run. The run ends when it reaches one of the limits. At least one limit must be given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// The number of games played by the method. Games that only measure the result do not count.
    pub games: Option<u64>,
    /// The number of iterations. An iteration tests one candidate, or plays one round of games.
    pub iterations: Option<u64>,
    /// The number of consecutive games without a new incumbent. An incumbent that ties with the old one does not count
    /// as new. If new incumbents come at random, one in G games on average, then the probability that n games pass
    /// without a new incumbent is exp(-n / G). A run that stops after n such games therefore stops too early with
    /// probability at most .05, unless new incumbents are rarer than one in n / 3 games.
    pub stalled: Option<u64>,
    /// The limit on wall-clock time. Unlike the other limits, it makes runs irreproducible.
    pub time: Option<Duration>,
    /// The share of the games and of the time that is reserved for the last phase, which sets groups of parameters of
    /// the champion to zero if this makes the champion better. The share is above 0 and below 1. `None` if the run does
    /// not have this phase.
    pub prune: Option<f64>,
}

/// The description of a run.
#[derive(Clone)]
pub struct Task<'a> {
    /// The family to tune.
    pub family: &'a dyn AnyFamily,
    /// The rules of the comparisons. A comparison has at most the games that are left of the budget.
    pub races: RaceSettings,
    /// The optimiser.
    pub method: Arc<dyn AnyMethod>,
    /// The parameters at the start of the run: `[dimension]`. These parameters are random individual 0 of the run.
    /// `None` stands for standard Gaussian parameters, drawn from `key`.
    pub start: Option<Vec<f64>>,
    /// The limits of the run.
    pub budget: Budget,
    /// The opponent of the methods that learn against a baseline, such as the naive method.
    pub baseline: Player,
    /// The opponent against which new incumbents are measured, or `None` for the baseline. No method sees these scores.
    pub scored_against: Option<Player>,
    /// The number of pairs for each point of the learning curve.
    pub monitor_pairs: u64,
    /// The source of responses among all players of the game, for methods that ask for them.
    pub wide_responses: Option<&'a dyn WideResponses>,
    /// The source of all randomness of the run.
    pub key: StreamKey,
}
impl Task<'_> {
    /// Returns the parameters of an individual of the run. Number 0 is the start of the run; all other individuals are
    /// drawn from the standard Gaussian distribution.
    pub(super) fn individual(&self, number: u64) -> Vec<f64> {
        match &self.start {
            Some(start) if number == 0 => start.clone(),
            _ => individual(self.family.space().dimension(), self.key, number),
        }
    }
}

/// Draws the parameters of a run's random individual with index `number` from the standard Gaussian distribution.
pub fn individual(dimension: usize, key: StreamKey, number: u64) -> Vec<f64> {
    let mut stream = key.child(Label::Start, number).stream();
    (0..dimension).map(|_| Gaussian.sample(&mut stream)).collect()
}
