//! Approximate coevolution: a candidate joins the population if it beats one member drawn at random.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 4 and section II-D.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FIRST_SIGMA;
use super::kind::MethodKind;
use super::method::{Against, Iteration, Method, Oracle, Question, SearchPoint, sigma_of};
use super::state_error::StateError;
use crate::arena::Stopped;

/// The state of algorithm 4 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct ApproximateCoevolution {
    point: SearchPoint,
    population: Vec<Vec<f64>>,
}

impl ApproximateCoevolution {
    /// Creates the state after the members of `population` were accepted in this order; the first is the start of the
    /// run. Each member is `[dimension]`, in parameter space. `sigma` is the step size, which is 1 at the start of a
    /// run.
    pub fn new(population: Vec<Vec<f64>>, sigma: f64) -> ApproximateCoevolution {
        ApproximateCoevolution { point: SearchPoint::last_of(&population, sigma), population }
    }
}

impl Method for ApproximateCoevolution {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.point.sigma)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let candidate = self.point.mutate(oracle);
        // draw at random an integer rand between 1 and the size of P
        let rand = oracle.index(self.population.len());
        // play a game between x' and the rand-th individual of P
        let decision = oracle.compare(&candidate, Question::Beats(&self.population[rand]))?;
        // if x' performed better
        self.point.update(&candidate, &decision);
        if decision.accepted {
            // P <- {P, x'}
            self.population.push(candidate.clone());
        }
        Ok(Iteration::compared(decision, candidate, Against::Member(rand)))
    }

    fn state(&self) -> Value {
        self.point.state()
    }
}

/// The [`MethodKind`] of approximate coevolution. It has no options.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ApproximateCoevolutionKind {}

impl MethodKind for ApproximateCoevolutionKind {
    fn name(&self) -> &str {
        "approximate-coevolution"
    }

    fn meaning(&self) -> &str {
        "accepts a candidate that beats one, drawn at random, of those accepted so far"
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(ApproximateCoevolution::new(vec![start], FIRST_SIGMA))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(ApproximateCoevolution::new(population, sigma_of(state)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::method::tests::{Asked, Scripted};

    #[test]
    fn the_opponent_is_drawn_from_the_population() {
        let mut method = ApproximateCoevolution::new(vec![vec![1.0]], 1.0);
        let mut accept = [true, false, false].into_iter();
        let draws = vec![0.5, 0.0, 1.0, 0.0, 1.0, 1.0];
        let mut oracle =
            Scripted::new(draws, |_: &[f64], _: &Question<'_>| accept.next() == Some(true));
        let joined = method.iterate(&mut oracle).expect("not stopped").joined;
        assert_eq!(joined.map(|joined| joined.against), Some(Against::Member(0)));
        method.iterate(&mut oracle).expect("not stopped");
        method.iterate(&mut oracle).expect("not stopped");
        // Each candidate is a mutation of the last accepted candidate, not of the opponent; sigma is 1, then 2, then 2
        // x .84.
        let asked = [
            (vec![1.5], Asked::Beats(vec![1.0])),
            (vec![3.5], Asked::Beats(vec![1.0])),
            (vec![1.5 + 1.68], Asked::Beats(vec![1.5])),
        ];
        assert_eq!(oracle.asked, asked);
        assert_eq!((method.incumbent(), method.population.len()), (&[1.5][..], 2));
    }
}
