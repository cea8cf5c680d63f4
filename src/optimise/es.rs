//! An evolution strategy that climbs: random directions give an estimate of the gradient.
//!
//! Salimans, Ho, Chen, Sidor & Sutskever, *Evolution strategies as a scalable alternative to reinforcement learning*,
//! arXiv 1703.03864, 2017, algorithm 1; Wierstra, Schaul, Glasmachers, Sun, Peters & Schmidhuber, *Natural evolution
//! strategies*, Journal of Machine Learning Research 15, 2014. With the mean theta of a Gaussian of deviation sigma,
//! and F the score against the baseline, a generation draws directions epsilon_i, plays both theta + sigma epsilon_i
//! and theta - sigma epsilon_i, and
//!
//! g = 1 / (2 n sigma) sum_i (F(theta + sigma epsilon_i) - F(theta - sigma epsilon_i)) epsilon_i
//!
//! is an unbiased estimate of the gradient of the mean score of the candidates. `es/adam.rs` makes a step of it. The
//! champion is not one lucky candidate but the mean of theta over the last part of the run (`es/average.rs`). There are
//! no races: a step is too small to be proven better by itself.
//!
//! Deviations, and why:
//!
//! - Each direction has a deal of its own, which its two candidates share, one pair of games each; Salimans et al. rank
//!   all candidates of a generation. Two directions with a deal each say more about the gradient than one with two, and
//!   deals that a whole generation shares are an error that no number of directions makes smaller. In Nim, two runs of
//!   400 000 games each came to .976 in this way, to .928 with deals that a generation shares, and to .954 if ranks of
//!   those count.
//! - Differences count, not ranks: candidates of different deals cannot be ranked. A payoff is within [0, 1], so there
//!   are no outliers that ranks would tame. If both candidates score alike, their direction counts nothing.
//! - Where parameters belong to a seat, those of each seat learn from the games in it: the others are noise to them.
//! - The rate of the steps falls in a line to 0 with the games of the budget, and sigma to a tenth. Without a budget both
//!   stay: the mean over the last part is then all that makes the noise smaller.
//! - There is no weight decay: parameters may be of any size.
//!
//! The incumbent is that mean as it was after the last of the generations 1, 2, 3, ..., 15, 16, 18, 20, 22, 24, 27, ...,
//! each later by one eighth, and after the last that the budget allows: to measure an incumbent takes games. A run that
//! ends otherwise has a champion that is up to a ninth of the run old.
//!
//! Time: a generation of n directions plays 4 n games. Space: five vectors of parameters, and 2 n during a generation.

mod adam;
mod average;

use std::ops::Range;

use ruse_games::BySeat;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use self::adam::Adam;
use self::average::Average;
use super::SIGMA_RANGE;
use super::kind::{MethodKind, UsualStart};
use super::method::{Against, Fixture, Iteration, Joined, Lesson, Method, Oracle, Step};
use super::state_error::StateError;
use crate::arena::{StopReason, Stopped};
use crate::family::Player;
use crate::score::Tally;

/// Games of a direction: a pair for each of its two candidates.
const GAMES_PER_DIRECTION: u64 = 4;
/// Generations for which a small budget has to suffice; they have fewer directions then.
const LEAST_GENERATIONS: u64 = 1000;
/// The part of sigma that is left at the end of the budget: differences between candidates close to each other are small,
/// and cannot be told from the luck of the cards where there is any.
const LAST_SIGMA: f64 = 0.1;
/// The incumbent is renewed when the generations have grown by this part.
const RENEWAL: u64 = 8;

/// The evolution strategy by its name, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct EsKind {
    /// Directions that a generation of es tries, each to both sides, if the budget is enough for 1000 generations.
    #[schemars(range(min = 1, max = 10_000))]
    pub directions: u64,
    /// How far es looks around: the standard deviation of its candidates, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub sigma: f64,
    /// How far es moves a parameter in a generation at the beginning, at most, in units of sigma, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub rate: f64,
}

fn within_sigma_range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let found = f64::deserialize(deserializer)?;
    match SIGMA_RANGE.contains(&found) {
        true => Ok(found),
        false => {
            let (least, most) = (SIGMA_RANGE.start(), SIGMA_RANGE.end());
            Err(D::Error::custom(format!("{found} is not from {least} to {most}")))
        }
    }
}

impl Default for EsKind {
    fn default() -> EsKind {
        EsKind { directions: 64, sigma: 1.0, rate: 0.1 }
    }
}

impl MethodKind for EsKind {
    fn name(&self) -> &str {
        "es"
    }

    fn meaning(&self) -> &str {
        "climbs along an estimate of the gradient"
    }

    fn compares(&self) -> bool {
        false
    }

    /// Where all parameters are 0: a random vector takes long to unlearn where there are hundreds.
    fn usual_start(&self) -> UsualStart {
        UsualStart::Zero
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(Es::new(start, *self))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(Es::restore(population, *self, state)?))
    }
}

/// The state of the method between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Es {
    options: EsKind,
    incumbent: Vec<f64>,
    memory: Memory,
}

/// What the method remembers beside its incumbent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    /// The centre of the candidates: `[dimension]`.
    theta: Vec<f64>,
    adam: Adam,
    /// Of theta after each generation.
    average: Average,
    num_generations: u64,
    games: u64,
    /// The deviation of the candidates of the next generation.
    sigma: f64,
    /// The generation after which the incumbent is renewed.
    next_renewal: u64,
}

/// How the budget is shared out.
struct Horizon {
    /// The games of the budget; `u64::MAX` if there is no limit to them.
    total: u64,
    num_directions: u64,
    /// Whether the budget is not enough for one more generation after this one.
    is_last: bool,
}

impl Es {
    /// The state at the start of a run, from the parameters `start`: `[dimension]`.
    pub fn new(start: Vec<f64>, options: EsKind) -> Es {
        let memory = Memory {
            theta: start.clone(),
            adam: Adam::new(start.len()),
            average: Average::new(start.clone()),
            num_generations: 0,
            games: 0,
            sigma: options.sigma,
            next_renewal: 1,
        };
        Es { options, incumbent: start, memory }
    }

    /// The method in a state in which it was; the last of `population` is the incumbent.
    ///
    /// # Errors
    ///
    /// When it is not a state of this method.
    pub fn restore(
        mut population: Vec<Vec<f64>>,
        options: EsKind,
        state: Value,
    ) -> Result<Es, StateError> {
        let memory: Memory = serde_json::from_value(state)?;
        let incumbent = population.pop().ok_or_else(|| StateError::new("there is no incumbent"))?;
        let dimension = incumbent.len();
        let fits =
            |x: &[f64]| x.len() == dimension && x.iter().all(|parameter| parameter.is_finite());
        let is_sound = fits(&memory.theta)
            && fits(memory.average.mean())
            && memory.adam.is_sound(dimension)
            && memory.sigma.is_finite()
            && memory.sigma > 0.0
            && memory.next_renewal > memory.num_generations;
        match is_sound {
            true => Ok(Es { options, incumbent, memory }),
            false => Err(StateError::new("it does not fit the population")),
        }
    }

    /// # Errors
    ///
    /// When no games are left for a generation.
    fn horizon(&self, games_left: u64) -> Result<Horizon, Stopped> {
        let total = self.memory.games.saturating_add(games_left);
        let affordable = total / (GAMES_PER_DIRECTION * LEAST_GENERATIONS);
        let num_directions = affordable.clamp(1, self.options.directions.max(1));
        let games = GAMES_PER_DIRECTION * num_directions;
        if games_left < games {
            return Err(Stopped(StopReason::Games));
        }
        Ok(Horizon { total, num_directions, is_last: games_left - games < games })
    }
}

/// What theta + sigma epsilon scores beyond theta - sigma epsilon, in [-1, 1], for each direction, by the seat.
fn differences(tallies: &[Tally]) -> impl Iterator<Item = BySeat<f64>> {
    let scores = |tally: &Tally| tally.score_by_seat().expect("a pair was played");
    tallies.chunks_exact(2).map(move |both| {
        let [up, down] = [scores(&both[0]), scores(&both[1])];
        BySeat { first: up[0] - down[0], second: up[1] - down[1] }
    })
}

/// The estimate of the gradient: `[dimension]`. Parameters that belong to a seat learn from its games alone.
fn gradient(
    dimension: usize,
    directions: &[Vec<f64>],
    tallies: &[Tally],
    seats: Option<BySeat<Range<usize>>>,
    sigma: f64,
) -> Vec<f64> {
    let mut gradient = vec![0.0; dimension];
    let mut add = |range: Range<usize>, difference: f64, epsilon: &[f64]| {
        if difference != 0.0 {
            let moved = gradient[range.clone()].iter_mut().zip(&epsilon[range]);
            moved.for_each(|(g, e)| *g += difference * e);
        }
    };
    for (difference, epsilon) in differences(tallies).zip(directions) {
        match &seats {
            None => add(0..dimension, f64::midpoint(difference.first, difference.second), epsilon),
            Some(ranges) => {
                add(ranges.first.clone(), difference.first, epsilon);
                add(ranges.second.clone(), difference.second, epsilon);
            }
        }
    }
    let unit = 1.0 / (2.0 * directions.len() as f64 * sigma);
    gradient.iter_mut().for_each(|g| *g *= unit);
    gradient
}

impl Method for Es {
    fn incumbent(&self) -> &[f64] {
        &self.incumbent
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.memory.sigma)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let Horizon { total, num_directions, is_last } = self.horizon(oracle.games_left())?;
        let EsKind { sigma: first_sigma, rate, .. } = self.options;
        let sigma = self.memory.sigma;
        let progress = |games: u64| match total {
            u64::MAX => 0.0,
            total => games as f64 / total as f64,
        };
        let theta = &self.memory.theta;
        let directions: Vec<Vec<f64>> = (0..num_directions)
            .map(|_| theta.iter().map(|_| oracle.gaussian()).collect())
            .collect();
        let mut players = vec![oracle.baseline()];
        let mut fixtures = Vec::new();
        for (deals, epsilon) in (0..).zip(&directions) {
            for sigma in [sigma, -sigma] {
                let candidate = theta.iter().zip(epsilon).map(|(x, e)| x + sigma * e);
                fixtures.push(Fixture { a: players.len(), b: 0, deals, num_pairs: 1 });
                players.push(Player::from(candidate.collect::<Vec<_>>()));
            }
        }
        let tallies = oracle.play(&players, &fixtures)?;

        let gradient = gradient(theta.len(), &directions, &tallies, oracle.seats(), sigma);
        let memory = &mut self.memory;
        let rate = rate * first_sigma * (1.0 - progress(memory.games));
        memory.adam.ascend(&mut memory.theta, &gradient, rate);
        memory.average.add(&memory.theta);
        memory.num_generations += 1;
        memory.games += 2 * fixtures.len() as u64;
        memory.sigma = first_sigma * (1.0 - (1.0 - LAST_SIGMA) * progress(memory.games));

        // The two candidates of a direction have the same deal, so one of them is a sample of independent pairs.
        let mut tally = Tally::default();
        tallies.iter().step_by(2).for_each(|candidate| tally.merge(candidate));
        let estimate = tally.estimate().expect("pairs were played");
        let step = Step::Learned { lesson: Lesson::Generation, estimate };
        let is_due = memory.num_generations >= memory.next_renewal || is_last;
        let joined = is_due.then(|| {
            let num_generations = memory.num_generations;
            memory.next_renewal = num_generations + (num_generations / RENEWAL).max(1);
            self.incumbent.clone_from_slice(memory.average.mean());
            Joined { parameters: self.incumbent.clone(), against: Against::Baseline }
        });
        Ok(Iteration { step, joined })
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.memory).expect("plain data")
    }
}

#[cfg(test)]
mod tests;
