//! Real coevolution: a candidate joins the population if it beats all members.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 3 and section II-D. The players are doubled: each has a part for each
//! seat, so one population is enough.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FIRST_SIGMA;
use super::kind::MethodKind;
use super::method::{Against, Iteration, Method, Oracle, Question, SearchPoint, sigma_of};
use super::state_error::StateError;
use crate::arena::Stopped;

/// The state of algorithm 3 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct RealCoevolution {
    point: SearchPoint,
    population: Vec<Vec<f64>>,
}

impl RealCoevolution {
    /// Creates the state after the members of `population` were accepted in this order; the first is the start of the
    /// run. Each member is `[dimension]`, in parameter space. `sigma` is the step size, which is 1 at the start of a
    /// run.
    pub fn new(population: Vec<Vec<f64>>, sigma: f64) -> RealCoevolution {
        RealCoevolution { point: SearchPoint::last_of(&population, sigma), population }
    }
}

impl Method for RealCoevolution {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.point.sigma)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        // play a game between x' and every point of P
        let candidate = self.point.mutate(oracle);
        let decision = oracle.compare(&candidate, Question::BeatsAll(&self.population))?;
        // if x' performed better than all points in P
        self.point.update(&candidate, &decision);
        if decision.accepted {
            // P <- {P, x'}
            self.population.push(candidate.clone());
        }
        Ok(Iteration::compared(decision, candidate, Against::AllMembers))
    }

    fn state(&self) -> Value {
        self.point.state()
    }
}

/// The [`MethodKind`] of real coevolution. It has no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RealCoevolutionKind {}

impl MethodKind for RealCoevolutionKind {
    fn name(&self) -> &str {
        "real-coevolution"
    }

    fn meaning(&self) -> &str {
        "accepts a candidate that beats all strategies accepted so far"
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(RealCoevolution::new(vec![start], FIRST_SIGMA))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(RealCoevolution::new(population, sigma_of(state)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::method::Joined;
    use crate::optimise::method::tests::{Asked, Scripted};

    #[test]
    fn accepted_candidates_join_the_population() {
        let mut method = RealCoevolution::new(vec![vec![1.0]], 1.0);
        let mut accept = [true, false].into_iter();
        let mut oracle = Scripted::new(vec![0.5, 1.0], |_: &[f64], _: &Question<'_>| {
            accept.next() == Some(true)
        });
        let joined = method.iterate(&mut oracle).expect("not stopped").joined;
        let expected = Joined { parameters: vec![1.5], against: Against::AllMembers };
        assert_eq!(joined, Some(expected));
        assert_eq!(method.iterate(&mut oracle).expect("not stopped").joined, None);
        let asked = [
            (vec![1.5], Asked::BeatsAll(vec![vec![1.0]])),
            (vec![3.5], Asked::BeatsAll(vec![vec![1.0], vec![1.5]])),
        ];
        assert_eq!(oracle.asked, asked);
        assert_eq!((method.incumbent(), method.population.len()), (&[1.5][..], 2));
    }
}
