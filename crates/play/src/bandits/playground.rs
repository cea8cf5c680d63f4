//! The interface of problems whose arms can be pulled.

use rand::Rng;
use ruse_search::bandit::cmab::{Problem, Synthetic};

/// A problem whose arms can be pulled.
pub trait Playground: Sync {
    /// The type that defines which arms are legal.
    type Problem: Problem;
    /// Buffers for consecutive pulls; their contents do not affect the results.
    type Scratch: Default;

    /// Returns the problem, which defines the legal arms.
    fn problem(&self) -> &Self::Problem;

    /// Returns the special value of every variable, such as the value for doing nothing. These values form a legal arm.
    fn special(&self) -> &[u16];

    /// Draws a reward of a legal arm.
    fn pull<R: Rng>(&self, arm: &[u16], scratch: &mut Self::Scratch, rng: &mut R) -> f64;

    /// Returns the expected reward of an arm, or `None` if this reward is unknown and must be estimated by fresh pulls.
    fn mean(&self, arm: &[u16]) -> Option<f64>;

    /// Returns the expected reward of a best arm, or `None` if this reward, and therefore the regret, is unknown.
    fn best_mean(&self) -> Option<f64>;

    /// Returns the default expected reward of a new arm for first play urgency. It is in [0, 1], where 0 and 1 are the
    /// ends of the [range](Playground::range) of rewards.
    fn urgency(&self) -> Option<f64>;

    /// Returns two numbers, the lower one first, between which most rewards lie: by default, 0 and 1. Strategies with
    /// tables receive rewards that are rescaled from this range to [0, 1], as upper confidence bounds require (see
    /// [`ruse_search::bandit::cmab`]). Linear side information receives the original rewards.
    fn range(&self) -> [f64; 2] {
        [0.0, 1.0]
    }
}

/// A problem defined by numbers, with known facts about it.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The problem.
    pub problem: &'a Synthetic,
    /// The mean of a best arm, if it is known.
    pub best: Option<f64>,
    /// The expected reward of a new arm for first play urgency.
    pub urgency: Option<f64>,
}

impl Playground for Given<'_> {
    type Problem = Synthetic;
    type Scratch = ();

    fn problem(&self) -> &Synthetic {
        self.problem
    }

    fn special(&self) -> &[u16] {
        self.problem.special()
    }

    fn pull<R: Rng>(&self, arm: &[u16], (): &mut (), rng: &mut R) -> f64 {
        self.problem.pull(arm, rng)
    }

    fn mean(&self, arm: &[u16]) -> Option<f64> {
        Some(self.problem.mean(arm))
    }

    fn best_mean(&self) -> Option<f64> {
        self.best
    }

    fn urgency(&self) -> Option<f64> {
        self.urgency
    }
}
