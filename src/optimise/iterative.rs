//! The iterative method: a (1+1) evolution strategy whose fitness is a comparison with the incumbent.
//!
//! Reference: Cauwet & Teytaud 2018, algorithm 2 and section II-C.

use super::method::{Draws, Method, Proposal, Question, SearchPoint};

/// The state of algorithm 2 between two iterations.
#[derive(Debug, Clone, PartialEq)]
pub struct Iterative {
    point: SearchPoint,
}

impl Iterative {
    /// The state in which `population` was accepted so far, its first member being the start: each
    /// `[dimension]`, in parameter space. At the start sigma is 1.
    pub fn new(population: Vec<Vec<f64>>, sigma: f64) -> Iterative {
        Iterative { point: SearchPoint::last_of(&population, sigma) }
    }
}

impl Method for Iterative {
    fn incumbent(&self) -> &[f64] {
        &self.point.x
    }

    fn sigma(&self) -> f64 {
        self.point.sigma
    }

    fn propose(&mut self, draws: &mut dyn Draws) -> Proposal {
        // play games between x' and x
        let question = Question::Beats(self.point.x.clone());
        Proposal { candidate: self.point.mutate(draws), question }
    }

    fn learn(&mut self, candidate: &[f64], accepted: bool) {
        // if x' better than x
        self.point.update(candidate, accepted);
    }
}
