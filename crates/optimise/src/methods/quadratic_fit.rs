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

use ruse_base::stop::Result;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::surface::Surface;
use super::kind::{MethodInfo, MethodKind, Running, UsualStart, within_sigma_range};
use super::method::{Against, Iteration, Joined, Oracle};
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

/// The state of the method between two iterations, apart from its start and its incumbent, the centre of the points that are
/// played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuadraticFit {
    num_pairs: u64,
    num_rounds: u64,
    width: f64,
    surface: Surface,
}

impl Running<QuadraticFitKind> {
    /// Returns a point less the start, in units of the first width.
    fn scaled(&self, point: &[f64]) -> Vec<f64> {
        let coordinates = point.iter().zip(self.start());
        coordinates.map(|(x, origin)| (x - origin) / self.options.width).collect()
    }
}

impl MethodKind for QuadraticFitKind {
    type Memory = QuadraticFit;

    /// The start is [`UsualStart::Zero`], the middle of the points that are played.
    fn info(&self) -> MethodInfo<'_> {
        MethodInfo {
            compares: false,
            usual_start: UsualStart::Zero,
            is_general: false,
            ..MethodInfo::new(
                "quadratic-fit",
                "fits a quadratic surface to games between corners of a cube",
            )
        }
    }

    fn begin(&self, start: &[f64]) -> QuadraticFit {
        let surface = Surface::new(start.len());
        QuadraticFit { num_pairs: 0, num_rounds: 0, width: self.width, surface }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let QuadraticFit { width, surface, .. } = &run.memory;
        StateError::unless(surface.is_sound(run.start().len()) && width.is_finite() && *width > 0.0)
    }

    fn sigma(run: &Running<Self>) -> Option<f64> {
        Some(run.memory.width)
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        oracle.need(2)?;
        let pairs_left = oracle.games_left() / 2;
        let QuadraticFit { num_pairs, num_rounds, width, .. } = run.memory;
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
                let [mut x, mut y] = [run.last().to_vec(), run.last().to_vec()];
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
            let [x, y] = [run.scaled(x), run.scaled(y)];
            run.memory.surface.learn(&x, &y, score - 0.5);
        }
        run.memory.num_pairs += batch;
        let joined = (batch == left_of_round).then(|| {
            let unit = run.options.width;
            let top = run.memory.surface.top(&run.scaled(run.last()), width / unit);
            run.memory.num_rounds += 1;
            run.memory.width *= SHRINKAGE;
            let parameters = top.iter().zip(run.start()).map(|(z, origin)| origin + unit * z);
            Joined { parameters: parameters.collect(), against: Against::Itself }
        });
        Ok(Iteration { step, joined })
    }
}

#[cfg(test)]
mod tests;
