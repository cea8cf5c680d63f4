//! The naive method: a (1+1) evolution strategy whose fitness is the score against the baseline.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 1 and section II-B.
//!
//! Reading: with a fixed baseline the search starts from its parameters, x <- x0, as the algorithm says;
//! with a redrawn baseline, which has no parameters of its own, from a draw like any of them. Candidate
//! and incumbent meet the same deals and the same draws of the baseline.

use serde_json::Value;

use super::method::{Against, Iteration, Method, Oracle, Question, SearchPoint};
use crate::arena::Stopped;

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

    fn sigma(&self) -> Option<f64> {
        Some(self.point.sigma)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        // play a game between x and x0, between x' and x0
        let candidate = self.point.mutate(oracle);
        let decision = oracle.compare(&candidate, Question::DoesBetterThan(&self.point.x))?;
        // if x' performed better than x against x0
        self.point.update(&candidate, &decision);
        Ok(Iteration::compared(decision, candidate, Against::Baseline))
    }

    fn state(&self) -> Value {
        self.point.state()
    }
}
