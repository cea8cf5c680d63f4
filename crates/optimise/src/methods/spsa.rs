//! Simultaneous perturbation stochastic approximation.
//!
//! Spall, *Multivariate stochastic approximation using a simultaneous perturbation gradient approximation*, IEEE
//! Transactions on Automatic Control 37, 1992; the gains follow Spall, *Implementation of the simultaneous perturbation
//! algorithm for stochastic optimization*, IEEE Transactions on Aerospace and Electronic Systems 34, 1998:
//!
//! a(k) = a / (k + 1 + A)^.602 and c(k) = c / (k + 1)^.101.
//!
//! In step k, let delta be a vector of random signs. The points theta + c(k) delta and theta - c(k) delta play one pair of
//! games against each other. If the first wins w games more than it loses, theta moves by r(k) c(k) w delta, where r(k) =
//! a(k) / c(k)². So do tuners of chess engines (<https://github.com/zamar/spsa>), and like theirs, the options are the
//! values at the end of the budget: r and the perturbation c. A is a tenth of the number of steps. If the budget is
//! unlimited, the gains are as in a run of 100,000 steps, and become still smaller afterwards.
//!
//! Deviations: some steps start from the same theta, so that their games can be played at the same time. Both points of a
//! step are moved by the same random part of each integer's grain, which rounds them at random: otherwise, a perturbation
//! that is smaller than the grain would often be lost, as both points would play alike.
//!
//! Time: the games. Space: a vector for each player of an iteration.

use ruse_base::stop::Result;
use ruse_play::family::Player;
use ruse_play::score::Tally;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::average::renewal_after;
use super::kind::{MethodInfo, MethodKind, Running, UsualStart, within_sigma_range};
use super::method::{Against, Fixture, Iteration, Joined, Lesson, Oracle, Step};
use super::state_error::{StateError, fits};

/// The exponents with which the gains a and c fall (Spall 1998).
const ALPHA: f64 = 0.602;
const GAMMA: f64 = 0.101;
/// A as a share of the number of steps (Spall 1998).
const STABILITY: f64 = 0.1;
/// The number of steps for which the gains are chosen if the budget is unlimited.
const UNLIMITED_STEPS: u64 = 100_000;
/// The largest number of steps that start from the same theta.
const STEPS_PER_ITERATION: u64 = 32;
/// The number of iterations for which the budget should suffice; with a small budget, fewer steps start from the same
/// theta.
const MIN_ITERATIONS: u64 = 1000;

/// The [`MethodKind`] of simultaneous perturbation, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SpsaKind {
    /// The distance of each parameter from the current point in the last games of spsa, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub perturbation: f64,
    /// The last step of spsa after one game won, in thousandths of the perturbation, from 0.001 to 1000.
    #[serde(deserialize_with = "within_sigma_range")]
    pub gain: f64,
}

impl Default for SpsaKind {
    /// The gain is the usual value of `r_end` in tuners of chess engines.
    fn default() -> SpsaKind {
        SpsaKind { perturbation: 1.0, gain: 2.0 }
    }
}

/// The state of the method between two iterations, apart from its incumbent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spsa {
    theta: Vec<f64>,
    num_steps: u64,
    /// The number of steps after which the incumbent is next replaced.
    next_renewal: u64,
}

/// The gains of one step.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gains {
    /// The perturbation of each parameter, c(k).
    c: f64,
    /// The step for each game won, r(k) c(k).
    step: f64,
}

impl SpsaKind {
    /// Returns the gains of step `k`, from 0, of `num_steps`.
    fn gains(self, k: u64, num_steps: u64) -> Gains {
        let (k, n) = ((k + 1) as f64, num_steps as f64);
        let stability = STABILITY * n;
        let c = self.perturbation * libm::pow(n / k, GAMMA);
        let last_a = self.gain / 1000.0 * self.perturbation * self.perturbation;
        let a = last_a * libm::pow((n + stability) / (k + stability), ALPHA);
        Gains { c, step: a / c }
    }
}

/// Plays one pair of games for each two players, all on different deals. Returns the scores of the first players, each in
/// [0, 1], and all results.
///
/// # Errors
///
/// Same as [`Oracle::play`].
pub(super) fn play_each(
    oracle: &mut dyn Oracle,
    both: impl IntoIterator<Item = [Vec<f64>; 2]>,
) -> Result<(Vec<f64>, Step)> {
    let players: Vec<Player> = both.into_iter().flatten().map(Player::from).collect();
    let fixture =
        |index| Fixture { a: 2 * index, b: 2 * index + 1, deals: index as u64, num_pairs: 1 };
    let fixtures: Vec<Fixture> = (0..players.len() / 2).map(fixture).collect();
    let tallies = oracle.play(&players, &fixtures)?;
    let scores = tallies.iter().map(|tally| tally.score().expect("a pair was played")).collect();
    let mut all = Tally::default();
    tallies.iter().for_each(|tally| all.merge(tally));
    Ok((scores, Step::learned(Lesson::Generation, &all)))
}

/// Returns `theta`, with each coordinate that is rounded moved by a random part of its grain, from -1/2 to 1/2. The
/// mean of the rounded coordinate equals `theta`.
fn rounded_at_random(theta: &[f64], grains: &[f64], oracle: &mut dyn Oracle) -> Vec<f64> {
    /// The number of equal parts of a grain.
    const PARTS: usize = 1 << 10;
    let mut centre = theta.to_vec();
    for (x, grain) in centre.iter_mut().zip(grains).filter(|(_, grain)| **grain > 0.0) {
        *x += grain * ((oracle.index(PARTS) as f64 + 0.5) / PARTS as f64 - 0.5);
    }
    centre
}

impl MethodKind for SpsaKind {
    type Memory = Spsa;

    /// The start is [`UsualStart::Zero`], because the steps are too short to unlearn a random start.
    fn info(&self) -> MethodInfo<'_> {
        MethodInfo {
            compares: false,
            usual_start: UsualStart::Zero,
            is_general: false,
            ..MethodInfo::new("spsa", "plays opposite perturbations of a point against each other")
        }
    }

    fn begin(&self, start: &[f64]) -> Spsa {
        Spsa { theta: start.to_vec(), num_steps: 0, next_renewal: 1 }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let Spsa { theta, num_steps, next_renewal } = &run.memory;
        StateError::unless(fits(theta, run.last().len()) && next_renewal > num_steps)
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        oracle.need(2)?;
        let steps_left = oracle.games_left() / 2;
        let Spsa { theta, num_steps, .. } = &run.memory;
        let total = match oracle.games_left() {
            u64::MAX => UNLIMITED_STEPS,
            _ => num_steps + steps_left,
        };
        let batch = (total / MIN_ITERATIONS).clamp(1, STEPS_PER_ITERATION).min(steps_left);
        let steps = *num_steps..num_steps + batch;
        let deltas: Vec<Vec<f64>> = steps
            .clone()
            .map(|_| theta.iter().map(|_| [-1.0, 1.0][oracle.index(2)]).collect())
            .collect();
        let gains: Vec<Gains> = steps.map(|k| run.options.gains(k, total)).collect();
        let grains = oracle.grains();
        let centres: Vec<Vec<f64>> =
            (0..batch).map(|_| rounded_at_random(theta, &grains, oracle)).collect();
        let both = gains.iter().zip(&deltas).zip(&centres).map(|((gains, delta), centre)| {
            [gains.c, -gains.c]
                .map(|c| centre.iter().zip(delta).map(|(x, sign)| x + c * sign).collect())
        });
        let (scores, step) = play_each(oracle, both)?;

        let memory = &mut run.memory;
        for ((score, gains), delta) in scores.into_iter().zip(gains).zip(deltas) {
            // The score of two games, from 0 to 1, is 1/2 and a quarter of wins less losses.
            let moved = gains.step * (4.0 * score - 2.0);
            memory.theta.iter_mut().zip(delta).for_each(|(x, sign)| *x += moved * sign);
        }
        memory.num_steps += batch;
        let is_due = memory.num_steps >= memory.next_renewal || batch == steps_left;
        let joined = is_due.then(|| {
            memory.next_renewal = renewal_after(memory.num_steps);
            Joined { parameters: memory.theta.clone(), against: Against::Itself }
        });
        Ok(Iteration { step, joined })
    }
}

#[cfg(test)]
mod tests;
