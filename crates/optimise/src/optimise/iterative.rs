//! The iterative method: a (1+1) evolution strategy whose fitness is a comparison with the incumbent.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 2 and section II-C.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FIRST_SIGMA;
use super::kind::MethodKind;
use super::method::{Against, Iteration, Method, Oracle, Question, SearchPoint, sigma_of};
use super::state_error::StateError;
use crate::arena::Stopped;

/// The state of algorithm 2 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Iterative {
    point: SearchPoint,
    population_size: usize,
}

impl Iterative {
    /// Creates the state after the members of `population` were accepted in this order; the first is the start of the
    /// run. Each member is `[dimension]`, in parameter space. `sigma` is the step size, which is 1 at the start of a
    /// run.
    pub fn new(population: Vec<Vec<f64>>, sigma: f64) -> Iterative {
        let population_size = population.len();
        Iterative { point: SearchPoint::last_of(&population, sigma), population_size }
    }
}

impl Method for Iterative {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.point.sigma)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        // play games between x' and x
        let candidate = self.point.mutate(oracle);
        let decision = oracle.compare(&candidate, Question::Beats(&self.point.x))?;
        // if x' better than x
        self.point.update(&candidate, &decision);
        let against = Against::Member(self.population_size - 1);
        self.population_size += usize::from(decision.accepted);
        Ok(Iteration::compared(decision, candidate, against))
    }

    fn state(&self) -> Value {
        self.point.state()
    }
}

/// The [`MethodKind`] of the iterative method. It has no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IterativeKind {}

impl MethodKind for IterativeKind {
    fn name(&self) -> &str {
        "iterative"
    }

    fn meaning(&self) -> &str {
        "accepts a candidate that beats the incumbent"
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(Iterative::new(vec![start], FIRST_SIGMA))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(Iterative::new(population, sigma_of(state)?)))
    }
}
