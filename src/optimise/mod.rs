//! Optimisers of parametric strategies.
//!
//! A method is an algorithm of the paper and nothing else: it proposes candidates and learns how they
//! fared. It holds no random generator, plays no game and looks at no clock; [`run`] does these for it.
//!
//! | method | accepts a candidate that | reference |
//! |---|---|---|
//! | [`Naive`] | does better than the incumbent against the baseline | Cauwet & Teytaud 2018, algorithm 1 |
//! | [`Iterative`] | beats the incumbent | algorithm 2 |
//! | [`RealCoevolution`] | beats everybody accepted so far | algorithm 3 |
//! | [`ApproximateCoevolution`] | beats one, drawn at random, of those accepted so far | algorithm 4 |

mod approximate_coevolution;
mod driver;
mod iterative;
mod method;
mod naive;
mod real_coevolution;

pub use approximate_coevolution::ApproximateCoevolution;
pub use driver::{
    Budget, IterationRecord, NewIncumbent, Observer, Progress, Resumption, RunResult, SearchState,
    Task, run, start_parameters,
};
pub use iterative::Iterative;
pub use method::{Draws, Method, Proposal, Question};
pub use naive::Naive;
pub use real_coevolution::RealCoevolution;

/// The bounds of the step size. With noisy comparisons sigma would otherwise grow without end wherever
/// the scale of the parameters does not matter.
pub const SIGMA_RANGE: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// The methods, by the names that a user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MethodName {
    /// [`Naive`].
    Naive,
    /// [`Iterative`].
    Iterative,
    /// [`RealCoevolution`].
    RealCoevolution,
    /// [`ApproximateCoevolution`].
    ApproximateCoevolution,
}

impl MethodName {
    /// All methods, in the order of the paper.
    pub const ALL: [MethodName; 4] = [
        MethodName::Naive,
        MethodName::Iterative,
        MethodName::RealCoevolution,
        MethodName::ApproximateCoevolution,
    ];

    /// The method of a run that names none.
    pub const DEFAULT: MethodName = MethodName::Iterative;

    /// The name of the method.
    pub fn name(self) -> &'static str {
        match self {
            MethodName::Naive => "naive",
            MethodName::Iterative => "iterative",
            MethodName::RealCoevolution => "real-coevolution",
            MethodName::ApproximateCoevolution => "approximate-coevolution",
        }
    }

    /// The games of the smallest observation of its comparisons: a pair, or a pair for each of two.
    pub(crate) fn least_games(self) -> u64 {
        if self == MethodName::Naive { 4 } else { 2 }
    }

    /// The method in the state in which `population` was accepted so far, its first member being the start:
    /// each `[dimension]`, in parameter space. At the start sigma is 1.
    pub fn method(self, population: Vec<Vec<f64>>, sigma: f64) -> Box<dyn Method> {
        match self {
            MethodName::Naive => Box::new(Naive::new(population, sigma)),
            MethodName::Iterative => Box::new(Iterative::new(population, sigma)),
            MethodName::RealCoevolution => Box::new(RealCoevolution::new(population, sigma)),
            MethodName::ApproximateCoevolution => {
                Box::new(ApproximateCoevolution::new(population, sigma))
            }
        }
    }
}
