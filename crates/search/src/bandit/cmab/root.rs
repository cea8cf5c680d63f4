//! A strategy with its tables, which chooses the arms of a series of pulls.

use rand::Rng;

use super::draw::Scratch;
use super::{OutOfRange, Problem, Recommendation, Sampler, Strategy, Tables};

/// A strategy at a root, with its own tables.
#[derive(Debug, Clone)]
pub struct AtRoot<P: Problem> {
    strategy: Strategy,
    recommendation: Recommendation,
    tables: Tables,
    scratch: Scratch<P::Partial>,
}

impl<P: Problem> AtRoot<P> {
    /// Prepares `strategy` for `problem`.
    ///
    /// # Errors
    ///
    /// Returns an error if a parameter of the strategy is out of range.
    pub fn new(strategy: Strategy, problem: &P) -> Result<AtRoot<P>, OutOfRange> {
        let mut tables = Tables::default();
        tables.reset(problem.sizes());
        let (recommendation, scratch) = (Recommendation::default(), Scratch::default());
        Ok(AtRoot { strategy: strategy.checked()?, recommendation, tables, scratch })
    }

    /// Replaces the rule that selects the recommended arm.
    #[must_use]
    pub fn recommending(self, recommendation: Recommendation) -> AtRoot<P> {
        AtRoot { recommendation, ..self }
    }

    /// Returns the observations so far.
    pub fn tables(&self) -> &Tables {
        &self.tables
    }
}

impl<P: Problem> Sampler<P> for AtRoot<P> {
    fn reset(&mut self, problem: &P) {
        self.tables.reset(problem.sizes());
    }

    fn choose<R: Rng + ?Sized>(&mut self, problem: &P, rng: &mut R, arm: &mut [u16]) {
        let num_pulls = self.tables.num_pulls();
        self.strategy.choose(&mut self.tables, num_pulls, problem, &mut self.scratch, rng, arm);
    }

    fn observe(&mut self, arm: &[u16], reward: f64) {
        self.tables.observe(arm, reward);
    }

    fn recommend(&self, arm: &mut [u16]) -> bool {
        self.tables.recommend(self.recommendation, arm)
    }
}
