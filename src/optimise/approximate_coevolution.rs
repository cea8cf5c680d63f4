//! Approximate coevolution: a candidate joins the population if it beats one member drawn at random.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 4 and section II-D.

use super::method::{Draws, Method, Proposal, Question, SearchPoint};

/// The state of algorithm 4 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct ApproximateCoevolution {
    point: SearchPoint,
    population: Vec<Vec<f64>>,
}

impl ApproximateCoevolution {
    /// The state in which `population` was accepted so far, its first member being the start: each
    /// `[dimension]`, in parameter space. At the start sigma is 1.
    pub fn new(population: Vec<Vec<f64>>, sigma: f64) -> ApproximateCoevolution {
        ApproximateCoevolution { point: SearchPoint::last_of(&population, sigma), population }
    }
}

impl Method for ApproximateCoevolution {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> f64 {
        self.point.sigma
    }

    fn propose(&mut self, draws: &mut dyn Draws) -> Proposal {
        let candidate = self.point.mutate(draws);
        // draw at random an integer rand between 1 and the size of P
        let rand = draws.index(self.population.len());
        // play a game between x' and the rand-th individual of P
        Proposal { candidate, question: Question::Beats(self.population[rand].clone()) }
    }

    fn learn(&mut self, candidate: &[f64], accepted: bool) {
        // if x' performed better
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
    fn the_opponent_is_drawn_from_the_population() {
        let mut method = ApproximateCoevolution::new(vec![vec![1.0]], 1.0);
        let proposal = method.propose(&mut FromList(vec![0.5, 0.0]));
        assert_eq!(proposal.question, Question::Beats(vec![1.0]));
        method.learn(&proposal.candidate, true);
        for (rand, opponent) in [(0.0, 1.0), (1.0, 1.5)] {
            let proposal = method.propose(&mut FromList(vec![1.0, rand]));
            // The mutation is that of the last accepted candidate, whoever the opponent is.
            assert_eq!(proposal.candidate, [3.5]);
            assert_eq!(proposal.question, Question::Beats(vec![opponent]));
        }
        method.learn(&[9.0], false);
        assert_eq!((method.incumbent(), method.population.len()), (&[1.5][..], 2));
    }
}
