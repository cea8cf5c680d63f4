//! Optimisers of parametric strategies.
//!
//! A method is a pure algorithm: it asks an [`Oracle`] for comparisons, games and random numbers. A method contains no
//! random number generator, plays no games and reads no clock; [`run`] does this for the method.
//!
//! | method | accepts a candidate that | reference |
//! |---|---|---|
//! | [`Naive`](OnePlusOneKind::Naive) | does better than the incumbent against the baseline | Cauwet & Teytaud 2018, algorithm 1 |
//! | [`Iterative`](OnePlusOneKind::Iterative) | beats the incumbent | algorithm 2 |
//! | [`RealCoevolution`](OnePlusOneKind::RealCoevolution) | beats every candidate accepted so far | algorithm 3 |
//! | [`ApproximateCoevolution`](OnePlusOneKind::ApproximateCoevolution) | beats one of the candidates accepted so far, drawn at random | algorithm 4 |
//! | [`Seeds`] | scores best among many random individuals; for doubled players the best part of each seat | section II-E |
//! | [`CmaEs`] | does better than the incumbent against the baseline; mutations learn a covariance | ours, after Hansen 2016 |
//! | [`Es`] | is the mean of the last part of a climb along an estimated gradient of the score against the baseline | Salimans et al. 2017 |
//! | [`HallOfFame`] | beats the hardest mixture of all candidates accepted so far and the baseline | ours |
//! | [`DoubleOracle`] | scores more against the equilibrium of a population; best responses join the population | McMahan, Gordon & Blum 2003; Lanctot et al. 2017 |
//! | [`PolicyGradient`] | is the mean of the last part of a climb along the gradient of its score against itself | Sokota et al. 2023 |
//! | [`Spsa`] | is the last point of a climb by the results of games between opposite perturbations | Spall 1992 |
//! | [`QuadraticFit`] | is the top of a quadratic surface that is fitted to games between designed points | Box & Wilson 1951 |
//! | [`Ntbea`] | has the best estimate from the scores of its values, alone and in twos | Lucas et al. 2018 |
//!
//! ```
//! # mod ruse {
//! #     pub use {ruse_base::{rng, stop as arena}, ruse_optimise::methods as optimise, ruse_play::{family, race}};
//! #     pub use ruse_registry as registry;
//! # }
//! use ruse::arena::StopSignal;
//! use ruse::family::Player;
//! use ruse::registry::Registry;
//! use ruse::optimise::{self, UsualRaces, Budget, Task};
//! use ruse::race::{Operator, RaceSettings};
//! use ruse::rng::StreamKey;
//!
//! let registry = Registry::standard();
//! let war = registry.family("war")?;
//! let task = Task {
//!     family: war.as_ref(),
//!     races: RaceSettings {
//!         comparison: Operator::Betting,
//!         ..UsualRaces::OF_THE_PAPER.settings()
//!     },
//!     start: None,
//!     method: registry.method("cma-es")?,
//!     budget: Budget { games: Some(20_000), ..Budget::default() },
//!     baseline: Player::Redrawn,
//!     scored_against: None,
//!     monitor_pairs: 100,
//!     wide_responses: None,
//!     key: StreamKey::root(1),
//! };
//! // This run is not observed; an `Observer` would receive every iteration.
//! let result = optimise::run(&task, None, &StopSignal::default(), &mut ())?;
//! assert!(result.games <= 20_000);
//! println!("It {}.", war.words(&result.champion)?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod adam;
mod average;
mod cma_es;
mod distribution;
mod double_oracle;
mod driver;
mod es;
mod external;
mod finals;
mod hall_of_fame;
mod halving;
mod kind;
mod later;
mod local_search;
mod members;
mod method;
mod ntbea;
mod one_plus_one;
mod policy_gradient;
mod prune;
mod quadratic_fit;
mod referee;
mod seeds;
mod selection;
mod spsa;
mod state_error;
mod task;
#[cfg(test)]
pub(crate) mod tests;
mod training;
mod visitors;
mod wide_responses;

pub use cma_es::{CmaEs, CmaEsKind};
pub use distribution::{Covariance, SavedDistributionError, SearchDistribution};
pub use double_oracle::{DoubleOracle, DoubleOracleKind};
pub use driver::{
    IterationRecord, Observer, Progress, Resumption, RunError, RunResult, SearchState, run,
    start_parameters,
};
pub use es::{Es, EsKind};
pub use external::{External, check_program_line, method_label};
pub use hall_of_fame::{HallOfFame, HallOfFameKind};
pub use kind::{
    AnyMethod, MethodInfo, MethodKind, MethodOption, OptionError, OptionKind, OptionValues,
    Restored, Running, UsualRaces, UsualStart,
};
pub use local_search::{LocalSearch, LocalSearchKind};
pub use method::{
    Against, Answered, Fixture, Iteration, Joined, Lesson, Method, Oracle, Question, Step, StepEnd,
};
pub use ntbea::{Ntbea, NtbeaKind};
pub use one_plus_one::{OnePlusOne, OnePlusOneKind};
pub use policy_gradient::{PolicyGradient, PolicyGradientKind};
pub use quadratic_fit::{QuadraticFit, QuadraticFitKind};
pub use seeds::{Allocation, Seeds, SeedsKind};
pub use selection::Selection;
pub use spsa::{Spsa, SpsaKind};
pub use state_error::StateError;
pub use task::{Budget, Task, individual};
pub use training::Responses;
pub use wide_responses::{Visitor, WideResponse, WideResponses};

/// The bounds on the step size. If the scale of the parameters has no effect, noisy comparisons would otherwise let the
/// step size grow without bound.
pub const SIGMA_RANGE: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// The initial step size of a (1+1) evolution strategy.
const FIRST_SIGMA: f64 = 1.0;
