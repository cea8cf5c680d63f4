//! Real coevolution: a candidate joins the population if it beats every member of it.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 3 and section II-D. The players are doubled: each has a
//! part for each seat, so that one population is enough.

use super::method::{Draws, Method, Proposal, Question, SearchPoint};

/// The state of algorithm 3 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct RealCoevolution {
    point: SearchPoint,
    population: Vec<Vec<f64>>,
}

impl RealCoevolution {
    /// The state in which `population` was accepted so far, its first member being the start: each
    /// `[dimension]`, in parameter space. At the start sigma is 1.
    pub fn new(population: Vec<Vec<f64>>, sigma: f64) -> RealCoevolution {
        RealCoevolution { point: SearchPoint::last_of(&population, sigma), population }
    }
}

impl Method for RealCoevolution {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> f64 {
        self.point.sigma
    }

    fn propose(&mut self, draws: &mut dyn Draws) -> Proposal {
        // play a game between x' and every point of P
        let question = Question::BeatsAll(self.population.clone());
        Proposal { candidate: self.point.mutate(draws), question }
    }

    fn learn(&mut self, candidate: &[f64], accepted: bool) {
        // if x' performed better than all points in P
        self.point.update(candidate, accepted);
        if accepted {
            // P <- {P, x'}
            self.population.push(candidate.to_vec());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::optimise::method::tests::FromList;

    #[test]
    fn accepted_candidates_join_the_population() {
        let mut method = RealCoevolution::new(vec![vec![1.0]], 1.0);
        let proposal = method.propose(&mut FromList(vec![0.5]));
        assert_eq!(proposal.candidate, [1.5]);
        assert_eq!(proposal.question, Question::BeatsAll(vec![vec![1.0]]));
        method.learn(&proposal.candidate, true);
        let proposal = method.propose(&mut FromList(vec![1.0]));
        assert_eq!(proposal.candidate, [3.5]);
        assert_eq!(proposal.question, Question::BeatsAll(vec![vec![1.0], vec![1.5]]));
        method.learn(&proposal.candidate, false);
        assert_eq!((method.incumbent(), method.population.len()), (&[1.5][..], 2));
    }
}
