//! The naive method: a (1+1) evolution strategy whose fitness is the score against the baseline.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 1 and section II-B.
//!
//! Reading: with a fixed baseline the search starts from its parameters, x <- x0, as the algorithm says;
//! with a redrawn baseline, which has no parameters of its own, from a draw like any of them. Candidate
//! and incumbent meet the same deals and the same draws of the baseline.

use super::method::{Draws, Method, Proposal, Question, SearchPoint};

/// The state of algorithm 1 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Naive {
    point: SearchPoint,
}

impl Naive {
    /// The state in which `population` was accepted so far, its first member being the start: each
    /// `[dimension]`, in parameter space. At the start sigma is 1.
    pub fn new(population: Vec<Vec<f64>>, sigma: f64) -> Naive {
        Naive { point: SearchPoint::last_of(&population, sigma) }
    }
}

impl Method for Naive {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> f64 {
        self.point.sigma
    }

    fn propose(&mut self, draws: &mut dyn Draws) -> Proposal {
        // play a game between x and x0, between x' and x0
        let question = Question::DoesBetterThan(self.point.x.clone());
        Proposal { candidate: self.point.mutate(draws), question }
    }

    fn learn(&mut self, candidate: &[f64], accepted: bool) {
        // if x' performed better than x against x0
        self.point.update(candidate, accepted);
    }
}
