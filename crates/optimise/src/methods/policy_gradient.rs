//! Self-play along the gradient of the score, held back by the entropy and by a magnet.
//!
//! Sokota et al., *A unified approach to reinforcement learning, quantal response equilibria, and two-player zero-sum
//! games*, ICLR 2023 (magnetic mirror descent); Rudolph et al., *Reevaluating policy gradient methods for
//! imperfect-information games*, arXiv 2502.08938, ICLR 2026, in whose 7,000 runs policy gradients with entropy did best.
//!
//! In a batch, the current strategy plays against itself, and all decisions are recorded. At a decision, let p(b) be the
//! probability of action b, f(b) its features, R the payoff to the seat less one half, in units of the standard deviation,
//! and a the action taken. A critic, q(b) = the mean payoff of the seat + w f(b), predicts the payoff after each action.
//! Then
//!
//! g = sum_b p(b) q(b) (f(b) - f) + (R - q(a)) (f(a) - f), where f = sum_b p(b) f(b),
//!
//! is an unbiased estimate of the gradient of the payoff, whatever w is, because the mean of the second term corrects
//! the first term. It says something about all actions, not only about the action taken: Ciosek & Whiteson, *Expected
//! policy gradients*, AAAI 2018; Gu et al., *Q-Prop*, ICLR 2017. The gradient of
//!
//! entropy x H(p) - magnet x KL(p, magnet)
//!
//! is added for each decision, and Adam turns the mean over the games into a step. The magnet is an earlier strategy: it
//! follows the current strategy slowly. Without the two terms, self-play circles around the equilibrium of a game such as
//! matching pennies; with them it converges, and the strategy approaches the equilibrium while the entropy term
//! vanishes.
//!
//! Deviations and reasons:
//!
//! - Gradient steps of Adam replace the closed form of mirror descent, since scores share their parameters.
//! - A batch is used once, and the step is not clipped: batches of a few games follow each other, not one of thousands.
//! - While the games of the budget are played, the steps and the entropy term fall linearly to 0. Without a limit on the
//!   games, both stay constant.
//! - The champion is the mean of the coordinates over the last part of the run (`average.rs`), which is renewed as in
//!   `es`.
//! - Games are played one by one and not in pairs, because a strategy that meets itself plays the same game twice.
//!
//! Time: the gradient takes about as long as the games. Space: six vectors, and the decisions of a batch.

use ruse_base::stop::Result;
use ruse_games::{Payoff, Seat};
use ruse_play::score::Tally;
use ruse_search::{Decision, dot};
use ruse_strategies::{Episode, PairResult};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use super::adam::Adam;
use super::average::{Average, renewal_after};
use super::kind::{MethodInfo, MethodKind, Running, UsualStart, within};
use super::method::{Against, Iteration, Joined, Lesson, Oracle, Step};
use super::state_error::{StateError, fits};

/// The number of batches for which the budget should suffice; with a small budget, batches have fewer games.
const MIN_BATCHES: u64 = 1000;
/// The share of the error by which the critic corrects its prediction.
const CRITIC_RATE: f64 = 0.1;
/// The share of the distance that the magnet moves towards the current strategy after a batch is this number times the
/// batch's share of the budget. The magnet thus is about a tenth of the run behind.
const MAGNET_RATE: f64 = 10.0;
/// The share of the distance that the magnet moves after a batch if the number of games is not limited.
const UNLIMITED_MAGNET_RATE: f64 = 0.003;
/// The largest value of a real option.
const MAX_OPTION: f64 = 1000.0;

/// The [`MethodKind`] of the policy gradient, with its options.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct PolicyGradientKind {
    /// The number of games between two steps of policy-gradient, if the budget is enough for 1000 steps.
    #[schemars(range(min = 1, max = 10_000))]
    pub batch: u64,
    /// The largest change of a parameter in the first steps of policy-gradient, from 0 to 1000.
    #[serde(deserialize_with = "within_range")]
    pub step: f64,
    /// The weight of the entropy in the first steps of policy-gradient, from 0 to 1000.
    #[serde(deserialize_with = "within_range")]
    pub entropy: f64,
    /// The weight of the distance from an earlier strategy in policy-gradient, from 0 to 1000.
    #[serde(deserialize_with = "within_range")]
    pub magnet: f64,
}

fn within_range<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    within(0.0..=MAX_OPTION, deserializer)
}

impl Default for PolicyGradientKind {
    fn default() -> PolicyGradientKind {
        PolicyGradientKind { batch: 32, step: 0.05, entropy: 0.2, magnet: 0.5 }
    }
}

/// The state of the method after the first batch, apart from its incumbent. All vectors are `[dimension]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyGradient {
    /// The coordinates of the current strategy.
    theta: Vec<f64>,
    /// The coordinates of an earlier strategy.
    magnet: Vec<f64>,
    critic: Critic,
    adam: Adam,
    average: Average,
    num_batches: u64,
    num_games: u64,
    /// The batch after which the incumbent is next replaced.
    next_renewal: u64,
}

/// Predicts the payoff after an action.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Critic {
    weights: Vec<f64>,
    /// The mean payoff of each seat, less one half.
    means: [f64; 2],
    /// The sum of the squares of payoffs less one half.
    sum_of_squares: f64,
}

/// The weights of the terms that hold the strategy back.
#[derive(Debug, Clone, Copy)]
struct Brakes {
    entropy: f64,
    magnet: f64,
}

/// Buffers for the actions of a decision.
#[derive(Debug, Default)]
struct Buffers {
    /// The logarithms of the probabilities of the current strategy and of the magnet.
    log_own: Vec<f64>,
    log_magnet: Vec<f64>,
    predicted: Vec<f64>,
}

/// Replaces scores by the logarithms of probabilities.
fn normalise(scores: &mut [f64]) {
    let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = scores.iter().map(|score| libm::exp(score - most)).sum();
    let log_sum = most + libm::log(sum);
    scores.iter_mut().for_each(|score| *score -= log_sum);
}

impl PolicyGradient {
    fn new(theta: Vec<f64>) -> PolicyGradient {
        let dimension = theta.len();
        PolicyGradient {
            magnet: theta.clone(),
            critic: Critic { weights: vec![0.0; dimension], means: [0.0; 2], sum_of_squares: 0.0 },
            adam: Adam::new(dimension),
            average: Average::new(theta.clone()),
            num_batches: 0,
            num_games: 0,
            next_renewal: 1,
            theta,
        }
    }

    fn is_sound(&self, dimension: usize) -> bool {
        let PolicyGradient { theta, magnet, critic, adam, average, .. } = self;
        [theta, magnet, &critic.weights, average.mean()].iter().all(|x: &&[f64]| fits(x, dimension))
            && critic.means.iter().all(|mean| mean.is_finite())
            && critic.sum_of_squares.is_finite()
            && adam.is_sound(dimension)
            && self.next_renewal > self.num_batches
    }

    /// Returns the mean gradient over the games of a batch: `[dimension]`. The critic learns from each game after the
    /// gradient of the game is computed.
    fn gradient(&mut self, episodes: &[Episode], brakes: Brakes) -> Vec<f64> {
        let mut gradient = vec![0.0; self.theta.len()];
        let mut buffers = Buffers::default();
        self.num_games += episodes.len() as u64;
        let payoffs = episodes.iter().map(|episode| centred(episode.payoff));
        self.critic.sum_of_squares += payoffs.map(|payoff| payoff * payoff).sum::<f64>();
        let variance = self.critic.sum_of_squares / self.num_games as f64;
        let unit = if variance > 0.0 { variance.sqrt() } else { 1.0 };
        for Episode { payoff, decisions } in episodes {
            for (seat, payoff) in [(Seat::First, *payoff), (Seat::Second, payoff.reversed())] {
                let payoff = centred(payoff) / unit;
                for decision in decisions[seat].iter() {
                    self.add(decision, payoff, seat, brakes, &mut buffers, &mut gradient);
                }
                for decision in decisions[seat].iter() {
                    self.critic.learn(decision, payoff, seat);
                }
                let mean = &mut self.critic.means[seat as usize];
                *mean += CRITIC_RATE * (payoff - *mean);
            }
        }
        let share = 1.0 / episodes.len() as f64;
        gradient.iter_mut().for_each(|g| *g *= share);
        gradient
    }

    /// Adds the gradient of one decision, after which the seat got `payoff`.
    fn add(
        &self,
        decision: Decision<'_>,
        payoff: f64,
        seat: Seat,
        brakes: Brakes,
        buffers: &mut Buffers,
        gradient: &mut [f64],
    ) {
        let Buffers { log_own, log_magnet, predicted } = buffers;
        decision.scores(&self.theta, log_own);
        normalise(log_own);
        decision.scores(&self.magnet, log_magnet);
        normalise(log_magnet);
        decision.scores(&self.critic.weights, predicted);
        let mean = self.critic.means[seat as usize];
        // The value of an action, less what its probability costs.
        for ((value, log_own), log_magnet) in predicted.iter_mut().zip(&*log_own).zip(&*log_magnet)
        {
            *value += mean;
            *value -= brakes.entropy * log_own + brakes.magnet * (log_own - log_magnet);
        }
        let taken = decision.taken;
        let cost =
            brakes.entropy * log_own[taken] + brakes.magnet * (log_own[taken] - log_magnet[taken]);
        let error = payoff - (predicted[taken] + cost);
        let values = predicted.iter().zip(&*log_own);
        let expected: f64 = values.map(|(value, log_own)| libm::exp(*log_own) * value).sum();
        for (action, features) in decision.actions().enumerate() {
            let probability = libm::exp(log_own[action]);
            let is_taken = f64::from(u8::from(action == taken));
            let factor =
                probability * (predicted[action] - expected) + error * (is_taken - probability);
            for &(index, feature) in features {
                gradient[index as usize] += factor * feature;
            }
        }
    }
}

impl Critic {
    /// Corrects the prediction for the action taken.
    fn learn(&mut self, decision: Decision<'_>, payoff: f64, seat: Seat) {
        let features = decision.actions().nth(decision.taken).expect("it is one of the actions");
        let square: f64 = features.iter().map(|(_, feature)| feature * feature).sum();
        let error = payoff - self.means[seat as usize] - dot(features, &self.weights);
        for &(index, feature) in features {
            self.weights[index as usize] += CRITIC_RATE * error * feature / square.max(1.0);
        }
    }
}

/// Returns a payoff less one half.
fn centred(payoff: Payoff) -> f64 {
    payoff.score() - 0.5
}

impl MethodKind for PolicyGradientKind {
    /// `None` before the first batch.
    type Memory = Option<PolicyGradient>;

    /// The start is [`UsualStart::Zero`], at which all actions are equally likely.
    fn info(&self) -> MethodInfo<'_> {
        let meaning = "climbs along the gradient of its score against itself";
        MethodInfo {
            compares: false,
            usual_start: UsualStart::Zero,
            is_general: false,
            needs_self_play: true,
            ..MethodInfo::new("policy-gradient", meaning)
        }
    }

    fn begin(&self, _: &[f64]) -> Option<PolicyGradient> {
        None
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let dimension = run.last().len();
        StateError::unless(run.memory.iter().all(|learner| learner.is_sound(dimension)))
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration> {
        oracle.need(1)?;
        let games_left = oracle.games_left();
        let mut learner = match &run.memory {
            Some(learner) => learner.clone(),
            // A family without coordinates has no self-play either, which the oracle reports below.
            None => PolicyGradient::new(
                oracle.coordinates(run.last()).unwrap_or_else(|| run.last().to_vec()),
            ),
        };
        let PolicyGradientKind { batch, step, entropy, magnet } = run.options;
        let total = learner.num_games.saturating_add(games_left);
        let num_games = (total / MIN_BATCHES).clamp(1, batch.max(1)).min(games_left);
        let (left, magnet_rate) = match total {
            u64::MAX => (1.0, UNLIMITED_MAGNET_RATE),
            total => {
                let share = |games: u64| games as f64 / total as f64;
                (share(games_left), (MAGNET_RATE * share(num_games)).min(1.0))
            }
        };
        let episodes = oracle.play_itself(&learner.theta, num_games)?;

        let brakes = Brakes { entropy: left * entropy, magnet };
        let gradient = learner.gradient(&episodes, brakes);
        let PolicyGradient { theta, adam, average, .. } = &mut learner;
        adam.ascend(theta, &gradient, left * step);
        average.add(theta);
        for (magnet, theta) in learner.magnet.iter_mut().zip(&learner.theta) {
            *magnet += magnet_rate * (theta - *magnet);
        }
        learner.num_batches += 1;
        let is_due = learner.num_batches >= learner.next_renewal || games_left == num_games;
        let joined = is_due.then(|| {
            learner.next_renewal = renewal_after(learner.num_batches);
            let mean = learner.average.mean();
            let parameters = oracle.parameters(mean).unwrap_or_else(|| mean.to_vec());
            Joined { parameters, against: Against::Itself }
        });
        run.memory = Some(learner);

        // The payoff to the first seat counts as both games of a pair.
        let results = episodes
            .iter()
            .map(|episode| PairResult { as_first: episode.payoff, as_second: episode.payoff });
        let step = Step::learned(Lesson::SelfPlay, &results.collect::<Tally>());
        Ok(Iteration { step, joined })
    }
}

#[cfg(test)]
mod tests;
