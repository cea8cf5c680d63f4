//! A method of one's own, run by the same driver, comparisons and commands as those of `ruse`, and next to them.
//!
//! ```sh
//! cargo run --release --example own_method -- optimise war --method one-at-a-time
//! cargo run --release --example own_method -- compare war pig --methods one-at-a-time,naive,cma-es
//! ```
//!
//! It changes one parameter at a time, in turn, and stays where the candidate does better against the baseline.

use std::process::ExitCode;

use ruse::arena::Stopped;
use ruse::optimise::{Against, Iteration, Method, Oracle, OwnMethod, Question, StateError};
use ruse::registry::Registry;
use ruse::serde_json::{Value, json};

struct OneAtATime {
    x: Vec<f64>,
    sigma: f64,
    /// The parameter whose turn it is.
    turn: usize,
}

impl Method for OneAtATime {
    fn incumbent(&self) -> &[f64] {
        &self.x
    }

    fn sigma(&self) -> Option<f64> {
        Some(self.sigma)
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let mut candidate = self.x.clone();
        candidate[self.turn] += self.sigma * oracle.gaussian();
        let decision = oracle.compare(&candidate, Question::DoesBetterThan(&self.x))?;
        // Nothing is changed before the oracle has answered: it may stop the run.
        self.turn = (self.turn + 1) % self.x.len();
        self.sigma = (self.sigma * if decision.accepted { 1.5 } else { 0.95 }).clamp(1e-3, 1e3);
        if decision.accepted {
            self.x.clone_from(&candidate);
        }
        Ok(Iteration::compared(decision, candidate, Against::Baseline))
    }

    fn state(&self) -> Value {
        json!({ "sigma": self.sigma, "turn": self.turn })
    }
}

/// What `ruse` has to know of it.
struct ByName;

impl OwnMethod for ByName {
    fn name(&self) -> &'static str {
        "one-at-a-time"
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(OneAtATime { x: start, sigma: 1.0, turn: 0 })
    }

    fn restore(
        &self,
        mut population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        let x = population.pop().ok_or_else(|| StateError::new("nobody was accepted"))?;
        let sigma = state["sigma"].as_f64().filter(|sigma| (1e-3..=1e3).contains(sigma));
        let turn = state["turn"].as_u64().filter(|&turn| turn < x.len() as u64);
        match (sigma, turn) {
            (Some(sigma), Some(turn)) => Ok(Box::new(OneAtATime { x, sigma, turn: turn as usize })),
            _ => Err(StateError::new(format!("{state} has no sensible `sigma` and `turn`"))),
        }
    }
}

fn main() -> ExitCode {
    ruse::cli::run(Registry::standard().with_method(&ByName))
}
