//! Optimisers of parametric strategies.
//!
//! A method is an algorithm of the paper and nothing else: it proposes candidates and learns how they
//! fared. It holds no random generator, plays no game and looks at no clock; [`run`] does these for it.
//!
//! | method | accepts a candidate that | reference |
//! |---|---|---|
//! | [`Iterative`] | beats the incumbent | Cauwet & Teytaud 2018, algorithm 2 |

mod driver;
mod iterative;

pub use driver::{
    Budget, IterationRecord, Observer, Progress, RunResult, Task, run, start_parameters,
};
pub use iterative::Iterative;

/// The bounds of the step size. With noisy comparisons sigma would otherwise grow without end wherever
/// the scale of the parameters does not matter.
pub const SIGMA_RANGE: std::ops::RangeInclusive<f64> = 1e-3..=1e3;
