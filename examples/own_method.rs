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
use ruse::optimise::{
    Against, Iteration, MethodInfo, MethodKind, Oracle, Question, Running, StateError,
};
use ruse::registry::Registry;
use ruse::schemars::{self, JsonSchema};
use ruse::serde::{self, Deserialize, Serialize};

/// The method, whose fields are its options.
#[derive(Clone, Serialize, Deserialize, JsonSchema)]
#[serde(crate = "self::serde", rename_all = "kebab-case")]
struct OneAtATime {
    /// The initial step size of the method `one-at-a-time`.
    first_step: f64,
}

/// The state of a run between two iterations, besides the accepted strategies.
#[derive(Serialize, Deserialize)]
#[serde(crate = "self::serde")]
struct Memory {
    sigma: f64,
    /// The index of the next parameter to change.
    turn: usize,
}

impl MethodKind for OneAtATime {
    type Memory = Memory;

    fn info(&self) -> MethodInfo<'_> {
        MethodInfo::new("one-at-a-time", "changes one parameter after the other")
    }

    fn begin(&self, _: &[f64]) -> Memory {
        Memory { sigma: self.first_step, turn: 0 }
    }

    fn check(run: &Running<Self>) -> Result<(), StateError> {
        let Memory { sigma, turn } = run.memory;
        StateError::unless((1e-3..=1e3).contains(&sigma) && turn < run.last().len())
    }

    fn sigma(run: &Running<Self>) -> Option<f64> {
        Some(run.memory.sigma)
    }

    fn iterate(run: &mut Running<Self>, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped> {
        let x = run.last();
        let Memory { sigma, turn } = run.memory;
        let mut candidate = x.to_vec();
        candidate[turn] += sigma * oracle.gaussian();
        let decision = oracle.compare(&candidate, Question::DoesBetterThan(x))?;
        // The state changes only after the oracle has answered, because the oracle may stop the run.
        let factor = if decision.accepted { 1.5 } else { 0.95 };
        run.memory =
            Memory { sigma: (sigma * factor).clamp(1e-3, 1e3), turn: (turn + 1) % candidate.len() };
        Ok(Iteration::compared(decision, candidate, Against::Baseline))
    }
}

fn main() -> ExitCode {
    ruse::cli::run(Registry::standard().with_method(OneAtATime { first_step: 1.0 }))
}
