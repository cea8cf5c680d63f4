//! What arms can be pulled of.

use rand::Rng;
use ruse_strategies::bandit::cmab::{Problem, Synthetic};

/// A problem whose arms can be pulled.
pub trait Playground: Sync {
    /// What says which arms are legal.
    type Problem: Problem;

    /// What says which arms are legal.
    fn problem(&self) -> &Self::Problem;

    /// The special value of every variable, such as to do nothing; with all of them an arm is legal.
    fn special(&self) -> &[u16];

    /// A reward of a legal arm. It is best between 0 and 1, see [`ruse_strategies::bandit::cmab`].
    fn pull<R: Rng>(&self, arm: &[u16], rng: &mut R) -> f64;

    /// The expected reward of an arm, where it is known. Where it is not, fresh pulls tell it.
    fn mean(&self, arm: &[u16]) -> Option<f64>;

    /// The expected reward of a best arm, where it is known: without, there is no regret to speak of.
    fn best_mean(&self) -> Option<f64>;

    /// What first play urgency promises itself of a new arm, if nobody says otherwise.
    fn urgency(&self) -> Option<f64>;
}

/// A problem given by numbers, with what is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Given<'a> {
    /// The numbers.
    pub problem: &'a Synthetic,
    /// The mean of a best arm, if it is known.
    pub best: Option<f64>,
    /// What first play urgency promises itself of a new arm.
    pub urgency: Option<f64>,
}

impl Playground for Given<'_> {
    type Problem = Synthetic;

    fn problem(&self) -> &Synthetic {
        self.problem
    }

    fn special(&self) -> &[u16] {
        self.problem.special()
    }

    fn pull<R: Rng>(&self, arm: &[u16], rng: &mut R) -> f64 {
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
