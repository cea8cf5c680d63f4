//! The naive method: a (1+1) evolution strategy whose fitness is the score against the baseline.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 1 and section II-B.
//!
//! Interpretation: with a fixed baseline, the search starts from the parameters of the baseline, x <- x0, as in the
//! algorithm. A redrawn baseline has no parameters of its own; the search then starts from a random draw from the same
//! distribution. Candidate and incumbent play the same deals against the same draws of the baseline.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FIRST_SIGMA;
use super::kind::MethodKind;
use super::method::{Against, Iteration, Method, Oracle, Question, SearchPoint, sigma_of};
use super::state_error::StateError;
use crate::arena::Stopped;

/// The state of algorithm 1 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Naive {
    point: SearchPoint,
}

impl Naive {
    /// Creates the state after the members of `population` were accepted in this order; the first is the start of the
    /// run. Each member is `[dimension]`, in parameter space. `sigma` is the step size, which is 1 at the start of a
    /// run.
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

/// The [`MethodKind`] of the naive method. It has no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NaiveKind {}

impl MethodKind for NaiveKind {
    fn name(&self) -> &str {
        "naive"
    }

    fn meaning(&self) -> &str {
        "accepts a candidate that does better than the incumbent against the baseline"
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(Naive::new(vec![start], FIRST_SIGMA))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(Naive::new(population, sigma_of(state)?)))
    }
}
