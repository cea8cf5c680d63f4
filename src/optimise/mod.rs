//! Optimisers of parametric strategies.
//!
//! A method is an algorithm and nothing else: it asks an [`Oracle`] for comparisons, games and random
//! numbers. It holds no random generator, plays no game and looks at no clock; [`run`] does these for it.
//!
//! | method | accepts a candidate that | reference |
//! |---|---|---|
//! | [`Naive`] | does better than the incumbent against the baseline | Cauwet & Teytaud 2018, algorithm 1 |
//! | [`Iterative`] | beats the incumbent | algorithm 2 |
//! | [`RealCoevolution`] | beats everybody accepted so far | algorithm 3 |
//! | [`ApproximateCoevolution`] | beats one, drawn at random, of those accepted so far | algorithm 4 |
//! | [`Seeds`] | scores best among many random individuals | section II-E |
//! | [`CmaEs`] | does better than the incumbent against the baseline; mutations learn a covariance | ours, after Hansen 2016 |
//! | [`HallOfFame`] | beats the hardest mixture of everybody accepted so far and the baseline | ours |
//! | [`DoubleOracle`] | scores more against the equilibrium of a population; best responses join it | McMahan, Gordon & Blum 2003; Lanctot et al. 2017 |
//!
//! ```
//! use ruse::arena::StopSignal;
//! use ruse::family::ContestantSpec;
//! use ruse::registry::Registry;
//! use ruse::optimise::{self, Budget, MethodName, MethodSpec, Task};
//! use ruse::race::{Comparison, Limits};
//! use ruse::rng::StreamKey;
//!
//! let registry = Registry::standard();
//! let war = registry.family("war")?;
//! let task = Task {
//!     family: war,
//!     comparison: Comparison::Betting,
//!     limits: Limits::default(),
//!     method: MethodSpec::of(MethodName::CmaEs),
//!     budget: Budget { games: Some(20_000), ..Budget::default() },
//!     baseline: ContestantSpec::Redrawn,
//!     monitor_pairs: 100,
//!     key: StreamKey::root(1),
//! };
//! // Nobody watches it; an `Observer` would see every iteration.
//! let result = optimise::run(&task, None, &StopSignal::default(), &mut ())?;
//! assert!(result.games <= 20_000);
//! println!("It {}.", war.words(&result.champion)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod approximate_coevolution;
mod cma_es;
mod distribution;
mod double_oracle;
mod driver;
mod hall_of_fame;
mod iterative;
mod method;
mod naive;
mod real_coevolution;
mod referee;
mod seeds;

pub use approximate_coevolution::ApproximateCoevolution;
pub use cma_es::CmaEs;
pub use distribution::{Covariance, SavedDistributionError, SearchDistribution};
pub use double_oracle::DoubleOracle;
pub use driver::{
    Budget, IterationRecord, Observer, Progress, Resumption, RunError, RunResult, SearchState,
    Task, individual, run, start_parameters,
};
pub use hall_of_fame::HallOfFame;
pub use iterative::Iterative;
pub use method::{
    Against, Fixture, Iteration, Joined, Method, MixedStrategy, Oracle, OwnMethod, Player, Question,
};
pub use naive::Naive;
pub use real_coevolution::RealCoevolution;
pub use seeds::{Allocation, Seeds, SeedsOptions};
use serde::Deserialize;
use serde_json::Value;

/// The bounds of the step size. With noisy comparisons sigma would otherwise grow without end wherever
/// the scale of the parameters does not matter.
pub const SIGMA_RANGE: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// The step size of a (1+1) evolution strategy at the start.
const FIRST_SIGMA: f64 = 1.0;

/// The methods, by the names that a user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MethodName {
    /// [`Naive`].
    Naive,
    /// [`Iterative`].
    Iterative,
    /// [`RealCoevolution`].
    RealCoevolution,
    /// [`ApproximateCoevolution`].
    ApproximateCoevolution,
    /// [`Seeds`].
    Seeds,
    /// [`CmaEs`].
    CmaEs,
    /// [`HallOfFame`].
    HallOfFame,
    /// [`DoubleOracle`].
    DoubleOracle,
}

impl MethodName {
    /// All methods: those of the paper in its order, then ours.
    pub const ALL: [MethodName; 8] = [
        MethodName::Naive,
        MethodName::Iterative,
        MethodName::RealCoevolution,
        MethodName::ApproximateCoevolution,
        MethodName::Seeds,
        MethodName::CmaEs,
        MethodName::HallOfFame,
        MethodName::DoubleOracle,
    ];

    /// The method of a run that names none: the one that does best in most families.
    pub const DEFAULT: MethodName = MethodName::CmaEs;

    /// The name of the method.
    pub fn name(self) -> &'static str {
        match self {
            MethodName::Naive => "naive",
            MethodName::Iterative => "iterative",
            MethodName::RealCoevolution => "real-coevolution",
            MethodName::ApproximateCoevolution => "approximate-coevolution",
            MethodName::Seeds => "seeds",
            MethodName::CmaEs => "cma-es",
            MethodName::HallOfFame => "hall-of-fame",
            MethodName::DoubleOracle => "double-oracle",
        }
    }

    /// Whether the method decides by comparisons, to which an operator and its limits apply.
    pub fn compares(self) -> bool {
        self != MethodName::Seeds
    }
}

/// A method with its options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MethodSpec {
    /// A method without options.
    Plain(MethodName),
    /// The method of seeds.
    Seeds(SeedsOptions),
    /// A method from outside the workspace.
    Own(&'static dyn OwnMethod),
}

/// The state of a method is not one of this method.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the state of the method: {0}")]
pub struct StateError(String);

impl StateError {
    /// Says what is wrong with the state.
    pub fn new(problem: impl std::fmt::Display) -> StateError {
        StateError(problem.to_string())
    }
}

/// The state of a (1+1) evolution strategy.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sigma {
    sigma: f64,
}

impl MethodSpec {
    /// The name of the method.
    pub fn name(self) -> &'static str {
        match self {
            MethodSpec::Plain(name) => name.name(),
            MethodSpec::Seeds(_) => MethodName::Seeds.name(),
            MethodSpec::Own(method) => method.name(),
        }
    }

    /// Whether the method decides by comparisons, to which an operator and its limits apply.
    pub fn compares(self) -> bool {
        match self {
            MethodSpec::Plain(name) => name.compares(),
            MethodSpec::Seeds(_) => false,
            MethodSpec::Own(method) => method.compares(),
        }
    }

    /// The method of this name, with default options.
    pub fn of(name: MethodName) -> MethodSpec {
        match name {
            MethodName::Seeds => MethodSpec::Seeds(SeedsOptions::default()),
            name => MethodSpec::Plain(name),
        }
    }

    /// The method at the start of a run, from the parameters `start`: `[dimension]`, in parameter space.
    pub fn begin(self, start: Vec<f64>) -> Box<dyn Method> {
        match self {
            MethodSpec::Plain(MethodName::CmaEs) => Box::new(CmaEs::new(start)),
            MethodSpec::Plain(MethodName::HallOfFame) => Box::new(HallOfFame::new(start)),
            MethodSpec::Plain(MethodName::DoubleOracle) => Box::new(DoubleOracle::new(start)),
            MethodSpec::Plain(name) => name.evolution_strategy(vec![start], FIRST_SIGMA),
            MethodSpec::Seeds(options) => Box::new(Seeds::new(start, options)),
            MethodSpec::Own(method) => method.begin(start),
        }
    }

    /// The method in a state in which it was, with the start and every strategy that was accepted.
    ///
    /// # Errors
    ///
    /// When it is not a state of this method.
    pub fn restore(
        self,
        population: Vec<Vec<f64>>,
        state: Value,
    ) -> Result<Box<dyn Method>, StateError> {
        let misfit = |error: serde_json::Error| StateError::new(error);
        Ok(match self {
            MethodSpec::Plain(MethodName::CmaEs) => {
                Box::new(CmaEs::restore(population, state).map_err(misfit)?)
            }
            MethodSpec::Plain(MethodName::HallOfFame) => {
                Box::new(HallOfFame::restore(population, state).map_err(misfit)?)
            }
            MethodSpec::Plain(MethodName::DoubleOracle) => {
                Box::new(DoubleOracle::restore(population, state).map_err(misfit)?)
            }
            MethodSpec::Plain(name) => {
                let Sigma { sigma } = serde_json::from_value(state).map_err(misfit)?;
                if !SIGMA_RANGE.contains(&sigma) {
                    return Err(StateError(format!("sigma is {sigma}")));
                }
                name.evolution_strategy(population, sigma)
            }
            MethodSpec::Seeds(options) => {
                let restored = Seeds::restore(population, options, state);
                Box::new(restored.map_err(misfit)?)
            }
            MethodSpec::Own(method) => method.restore(population, state)?,
        })
    }
}

impl MethodName {
    fn evolution_strategy(self, population: Vec<Vec<f64>>, sigma: f64) -> Box<dyn Method> {
        match self {
            MethodName::Naive => Box::new(Naive::new(population, sigma)),
            MethodName::Iterative => Box::new(Iterative::new(population, sigma)),
            MethodName::RealCoevolution => Box::new(RealCoevolution::new(population, sigma)),
            MethodName::ApproximateCoevolution => {
                Box::new(ApproximateCoevolution::new(population, sigma))
            }
            MethodName::Seeds
            | MethodName::CmaEs
            | MethodName::HallOfFame
            | MethodName::DoubleOracle => {
                unreachable!("it is no (1+1) evolution strategy")
            }
        }
    }
}
