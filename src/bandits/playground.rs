//! What arms can be pulled of.

use rand::Rng;
use ruse_strategies::bandit::cmab::{Problem, Synthetic};

/// A problem whose arms can be pulled.
pub trait Playground: Sync {
    /// What says which arms are legal.
    type Problem: Problem;
    /// Buffers for pulls, one after the other: what they hold does not matter.
    type Scratch: Default;

    /// What says which arms are legal.
    fn problem(&self) -> &Self::Problem;

    /// The special value of every variable, such as to do nothing; with all of them an arm is legal.
    fn special(&self) -> &[u16];

    /// A reward of a legal arm.
    fn pull<R: Rng>(&self, arm: &[u16], scratch: &mut Self::Scratch, rng: &mut R) -> f64;

    /// The expected reward of an arm, where it is known. Where it is not, fresh pulls tell it.
    fn mean(&self, arm: &[u16]) -> Option<f64>;

    /// The expected reward of a best arm, where it is known: without, there is no regret to speak of.
    fn best_mean(&self) -> Option<f64>;

    /// What first play urgency promises itself of a new arm, if nobody says otherwise, in a unit in which the
    /// [range](Playground::range) of rewards is from 0 to 1.
    fn urgency(&self) -> Option<f64>;

    /// Between which two numbers, the lower one first, most rewards are. Strategies with tables see them moved to 0 to 1, as
    /// upper bounds want them (see [`ruse_strategies::bandit::cmab`]); linear side information sees them as they are. By
    /// default from 0 to 1.
    fn range(&self) -> [f64; 2] {
        [0.0, 1.0]
    }
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
