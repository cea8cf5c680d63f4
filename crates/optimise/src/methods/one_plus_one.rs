//! The methods of the paper: (1+1) evolution strategies that differ in the opponent of a candidate.
//!
//! Reference: Cauwet & Teytaud 2018, algorithms 1 to 4 and sections II-B to II-D. In coevolution, players are doubled:
//! each has a part for each seat, so one population is enough.
//!
//! Interpretation of algorithm 1: with a fixed baseline, the search starts from the parameters of the baseline, x <- x0.
//! A redrawn baseline has no parameters of its own; the search then starts from a random draw from the same
//! distribution. Candidate and incumbent play the same deals against the same draws of the baseline.

use ruse_play::arena::Stopped;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::FIRST_SIGMA;
use super::kind::MethodKind;
use super::method::{Against, Iteration, Method, Oracle, Question, SearchPoint, sigma_of};
use super::state_error::StateError;

/// The method, which determines how a candidate is made, and when it is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnePlusOneKind {
    /// Algorithm 1: the candidate must do better than the incumbent against the baseline.
    Naive,
    /// Algorithm 2: the candidate must beat the incumbent.
    Iterative,
    /// Algorithm 3: the candidate must beat all strategies accepted so far.
    RealCoevolution,
    /// Algorithm 4: the candidate must beat one of the strategies accepted so far, drawn at random.
    ApproximateCoevolution,
}

/// The state of one of the methods between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct OnePlusOne {
    kind: OnePlusOneKind,
    point: SearchPoint,
    population: Vec<Vec<f64>>,
}

impl OnePlusOne {
    /// Creates the state after the strategies in `population` were accepted in this order; the first is the start of
    /// the run. Each is `[dimension]`, in parameter space. `sigma` is the step size, which is 1 at the start of a run.
    pub fn new(kind: OnePlusOneKind, population: Vec<Vec<f64>>, sigma: f64) -> OnePlusOne {
        OnePlusOne { kind, point: SearchPoint::last_of(&population, sigma), population }
    }
}

impl Method for OnePlusOne {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.point.sigma)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let candidate = self.point.mutate(oracle);
        let (question, against) = match self.kind {
            // play a game between x and x0, between x' and x0
            OnePlusOneKind::Naive => (Question::DoesBetterThan(&self.point.x), Against::Baseline),
            // play games between x' and x
            OnePlusOneKind::Iterative => {
                (Question::Beats(&self.point.x), Against::Member(self.population.len() - 1))
            }
            // play a game between x' and every point of P
            OnePlusOneKind::RealCoevolution => {
                (Question::BeatsAll(&self.population), Against::AllMembers)
            }
            // draw at random an integer rand between 1 and the size of P,
            // play a game between x' and the rand-th individual of P
            OnePlusOneKind::ApproximateCoevolution => {
                let rand = oracle.index(self.population.len());
                (Question::Beats(&self.population[rand]), Against::Member(rand))
            }
        };
        let decision = oracle.compare(&candidate, question)?;
        // if x' performed better
        self.point.update(&candidate, &decision);
        if decision.accepted {
            // P <- {P, x'}
            self.population.push(candidate.clone());
        }
        Ok(Iteration::compared(decision, candidate, against))
    }

    fn state(&self) -> Value {
        self.point.state()
    }
}

/// The methods have no options.
impl MethodKind for OnePlusOneKind {
    fn name(&self) -> &str {
        match self {
            OnePlusOneKind::Naive => "naive",
            OnePlusOneKind::Iterative => "iterative",
            OnePlusOneKind::RealCoevolution => "real-coevolution",
            OnePlusOneKind::ApproximateCoevolution => "approximate-coevolution",
        }
    }

    fn meaning(&self) -> &str {
        match self {
            OnePlusOneKind::Naive => {
                "accepts a candidate that does better than the incumbent against the baseline"
            }
            OnePlusOneKind::Iterative => "accepts a candidate that beats the incumbent",
            OnePlusOneKind::RealCoevolution => {
                "accepts a candidate that beats all strategies accepted so far"
            }
            OnePlusOneKind::ApproximateCoevolution => {
                "accepts a candidate that beats one, drawn at random, of those accepted so far"
            }
        }
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(OnePlusOne::new(*self, vec![start], FIRST_SIGMA))
    }

    fn restore(
        &self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        Ok(Box::new(OnePlusOne::new(*self, population, sigma_of(state)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::method::Joined;
    use crate::methods::method::tests::{Asked, Scripted};

    #[test]
    fn the_opponent_is_drawn_from_the_population() {
        let kind = OnePlusOneKind::ApproximateCoevolution;
        let mut method = OnePlusOne::new(kind, vec![vec![1.0]], 1.0);
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

    #[test]
    fn accepted_candidates_join_the_population() {
        let kind = OnePlusOneKind::RealCoevolution;
        let mut method = OnePlusOne::new(kind, vec![vec![1.0]], 1.0);
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
