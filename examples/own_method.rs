//! A program that adds your own method to the methods of `ruse`, and has all commands of `ruse`.
//!
//! ```sh
//! cargo run --release --example own_method -- optimise war --method one-at-a-time --first-step 0.5
//! cargo run --release --example own_method -- compare war pig --methods one-at-a-time,naive,cma-es
//! ```
//!
//! The method changes one parameter at a time, in turn, and keeps the change if the candidate does better against the
//! baseline. Its only option is `--first-step`, or `first-step` in a file.

use std::process::ExitCode;

use ruse::arena::Stopped;
use ruse::optimise::{Against, Iteration, Method, MethodKind, Oracle, Question, StateError};
use ruse::registry::Registry;
use ruse::schemars::{self, JsonSchema};
use ruse::serde::{self, Deserialize, Serialize};
use ruse::serde_json::{Value, json};

struct OneAtATime {
    x: Vec<f64>,
    sigma: f64,
    /// The index of the next parameter to change.
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
        // The state changes only after the oracle has answered, because the oracle may stop the run.
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

/// The kind of the method, from which `ruse` creates methods. Its fields are the options.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "self::serde", rename_all = "kebab-case")]
struct OneAtATimeKind {
    /// The initial step size of the method `one-at-a-time`.
    first_step: f64,
}

impl MethodKind for OneAtATimeKind {
    fn name(&self) -> &str {
        "one-at-a-time"
    }

    fn meaning(&self) -> &str {
        "changes one parameter after the other"
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        Box::new(OneAtATime { x: start, sigma: self.first_step, turn: 0 })
    }

    fn restore(
        &self,
        mut population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        let x = population.pop().ok_or_else(|| StateError::new("the population is empty"))?;
        let sigma = state["sigma"].as_f64().filter(|sigma| (1e-3..=1e3).contains(sigma));
        let turn = state["turn"].as_u64().filter(|&turn| turn < x.len() as u64);
        match (sigma, turn) {
            (Some(sigma), Some(turn)) => Ok(Box::new(OneAtATime { x, sigma, turn: turn as usize })),
            _ => Err(StateError::new(format!("{state} has no sensible `sigma` and `turn`"))),
        }
    }
}

fn main() -> ExitCode {
    ruse::cli::run(Registry::standard().with_method(OneAtATimeKind { first_step: 1.0 }))
}
