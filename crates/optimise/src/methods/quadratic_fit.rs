//! Experiments with designed points, and a step to the top of a fitted quadratic surface.
//!
//! Box & Wilson, *On the experimental attainment of optimum conditions*, Journal of the Royal Statistical Society B 13,
//! 1951: if effects are small beside the noise, measurements belong far away from the current point, where effects are
//! large, and all measurements should decide together.
//!
//! In a round, opposite corners of a cube around a centre play pairs of games against each other: for each pair, the sign
//! of each coordinate is random, a random part of the full factorial design with two levels. Let z be a point less the
//! start, in units of the first width. The score of a point x against y, less one half, is modelled as f(x) - f(y) with
//!
//! f(z) = sum_i g_i z_i + sum_(i <= j) q_ij z_i z_j,
//!
//! and all games so far give g and q by least squares. Opposite corners show the slope at the centre as clearly as
//! possible, and the slopes at different centres show the curvature. At the end of a round, the centre moves to the top of
//! f within the cube, and the cube shrinks.
//!
//! The first fit has a weak prior, which keeps it defined when there are few games. Let h be its mean curvature, the mean
//! of -q_ii. A second fit adds the prior that the standard deviation of -q_ii from its mean is h / 2, and the one of q_ij
//! from 0 is h / sqrt 2: where games are missing, the surface is a paraboloid with equal curvatures. If h is not positive, the surface is assumed to
//! have the same curvature everywhere, and the centre moves by the signs of the slope.
//!
//! With more than ten parameters, products of different parameters are left out, and each parameter has its
//! own fit; the other parameters of a pair are then noise.
//!
//! Deviations and reasons:
//!
//! - Points play against each other and not against a standard, which would double the noise.
//! - Earlier rounds keep their weight, because tiny effects need all games. If the surface is far from quadratic, the
//!   shrinking cube reduces the errors of later rounds only.
//!
//! Time: the games, and for a pair the square of the number of terms of f, at most 65, or 4 for each parameter. Space:
//! the same, and the players of an iteration.

use ruse_play::arena::{StopReason, Stopped};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::surface::Surface;
use super::kind::{MethodKind, UsualStart, within_sigma_range};
use super::method::{Against, Iteration, Joined, Method, Oracle};
use super::spsa::play_each;
use super::state_error::StateError;

mod surface;

/// The number of rounds for which the budget is divided.
const NUM_ROUNDS: u64 = 16;
/// The number of pairs of a round if the budget is unlimited.
const UNLIMITED_PAIRS: u64 = 10_000;
/// The largest number of pairs of an iteration.
const PAIRS_PER_ITERATION: u64 = 1000;
/// The width of a round, as a fraction of the width of the round before.
const SHRINKAGE: f64 = 0.95;

/// The [`MethodKind`] of the quadratic fit, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct QuadraticFitKind {
    /// The distance of each parameter from the centre in the first round of quadratic-fit, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub width: f64,
}

impl Default for QuadraticFitKind {
    /// Two standard deviations of random parameters are the full width in most families.
    fn default() -> QuadraticFitKind {
        QuadraticFitKind { width: 2.0 }
    }
}

impl MethodKind for QuadraticFitKind {
    fn name(&self) -> &str {
        "quadratic-fit"
    }

    fn meaning(&self) -> &str {
        "fits a quadratic surface to games between corners of a cube"
    }

    fn compares(&self) -> bool {
        false
    }

    fn is_general(&self) -> bool {
        false
    }

    /// Returns [`UsualStart::Zero`], the middle of the points that are played.
    fn usual_start(&self) -> UsualStart {
        UsualStart::Zero
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(QuadraticFit::new(start, *self))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(QuadraticFit::restore(population, *self, state)?))
    }
}

/// The state of the method between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraticFit {
    options: QuadraticFitKind,
    /// The start of the run.
    origin: Vec<f64>,
    /// The centre of the points that are played, which is the best point so far.
    incumbent: Vec<f64>,
    memory: Memory,
}

/// The state of the method apart from its incumbent and its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    num_pairs: u64,
    num_rounds: u64,
    width: f64,
    surface: Surface,
}

impl QuadraticFit {
    /// Creates the state at the start of a run, from the parameters `start`: `[dimension]`.
    pub fn new(start: Vec<f64>, options: QuadraticFitKind) -> QuadraticFit {
        let surface = Surface::new(start.len());
        let memory = Memory { num_pairs: 0, num_rounds: 0, width: options.width, surface };
        QuadraticFit { options, origin: start.clone(), incumbent: start, memory }
    }

    /// Restores a saved state; the first member of `population` is the start, and the last is the incumbent.
    ///
    /// # Errors
    ///
    /// Returns an error if `state` is not a state of this method.
    pub fn restore(
        mut population: Vec<Vec<f64>>,
        options: QuadraticFitKind,
        state: Value,
    ) -> Result<QuadraticFit, StateError> {
        let memory: Memory = serde_json::from_value(state)?;
        let origin = population.first().cloned();
        let (origin, incumbent) =
            origin.zip(population.pop()).ok_or_else(|| StateError::new("there is no incumbent"))?;
        let is_sound =
            memory.surface.is_sound(origin.len()) && memory.width.is_finite() && memory.width > 0.0;
        match is_sound {
            true => Ok(QuadraticFit { options, origin, incumbent, memory }),
            false => Err(StateError::new("it does not fit the population")),
        }
    }

    /// Returns a point less the start, in units of the first width.
    fn scaled(&self, point: &[f64]) -> Vec<f64> {
        let coordinates = point.iter().zip(&self.origin);
        coordinates.map(|(x, origin)| (x - origin) / self.options.width).collect()
    }
}

impl Method for QuadraticFit {
    fn incumbent(&self) -> &[f64] {
        &self.incumbent
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.memory.width)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let pairs_left = oracle.games_left() / 2;
        if pairs_left == 0 {
            return Err(Stopped(StopReason::Games));
        }
        let Memory { num_pairs, num_rounds, width, .. } = self.memory;
        let end_of_round = match oracle.games_left() {
            u64::MAX => (num_rounds + 1) * UNLIMITED_PAIRS,
            _ => {
                let share = u128::from(num_pairs + pairs_left) * u128::from(num_rounds + 1);
                (share / u128::from(NUM_ROUNDS)) as u64
            }
        };
        let left_of_round = end_of_round.saturating_sub(num_pairs).clamp(1, pairs_left);
        let batch = left_of_round.min(PAIRS_PER_ITERATION);
        let both: Vec<[Vec<f64>; 2]> = (0..batch)
            .map(|_| {
                let [mut x, mut y] = [self.incumbent.clone(), self.incumbent.clone()];
                for (x, y) in x.iter_mut().zip(&mut y) {
                    let step = width * [-1.0, 1.0][oracle.index(2)];
                    *x += step;
                    *y -= step;
                }
                [x, y]
            })
            .collect();
        let (scores, step) = play_each(oracle, both.iter().cloned())?;

        for ([x, y], score) in both.iter().zip(scores) {
            let [x, y] = [self.scaled(x), self.scaled(y)];
            self.memory.surface.learn(&x, &y, score - 0.5);
        }
        self.memory.num_pairs += batch;
        let joined = (batch == left_of_round).then(|| {
            let unit = self.options.width;
            let top = self.memory.surface.top(&self.scaled(&self.incumbent), width / unit);
            let point = top.iter().zip(&self.origin).map(|(z, origin)| origin + unit * z);
            self.incumbent = point.collect();
            self.memory.num_rounds += 1;
            self.memory.width *= SHRINKAGE;
            Joined { parameters: self.incumbent.clone(), against: Against::Itself }
        });
        Ok(Iteration { step, joined })
    }

    fn state(&self) -> Value {
        serde_json::to_value(&self.memory).expect("plain data")
    }
}

#[cfg(test)]
mod tests;
