//! Experiments with combinatorial bandits: strategies choose arms of a problem, and their regret is measured.
//!
//! The strategies are defined in [`ruse_search::bandit::cmab`]. A [`ProblemFile`] contains problems defined by
//! numbers, and positions of games, which [`Positions`] finds by name; other kinds of problems implement
//! [`Playground`]. A [`Study`] lets every strategy pull arms with every budget, repeatedly:
//!
//! ```
//! # mod ruse { pub use {ruse_base::{notation, rng, stop as arena}, ruse_play::bandits, ruse_search as strategies}; }
//! use ruse::arena::StopSignal;
//! use ruse::bandits::{Choice, Study};
//! use ruse::notation::Notation;
//! use ruse::rng::StreamKey;
//! use ruse::strategies::bandit::cmab::{Synthetic, SyntheticSpec};
//!
//! let means = vec![vec![0.1, 0.3], vec![0.2, 0.4, 0.1]];
//! let spec = SyntheticSpec { means, sigma: 0.1, ..SyntheticSpec::default() };
//! let problem = Synthetic::new(&spec)?;
//! let strategies: Result<Vec<Choice>, _> =
//!     Notation::parse_list("ns:e0=.5,random")?.iter().map(Choice::read).collect();
//! let study = Study { strategies: &strategies?, budgets: &[100], num_runs: 50, num_judging: 200 };
//! let best = problem.optimum().map(|best| best.mean);
//! let playground = ruse::bandits::Given { problem: &problem, best, urgency: Some(0.6) };
//! let rows = study.run(&playground, StreamKey::root(1), &StopSignal::default(), || ())?;
//! let regret = |row: usize| rows[row].regret.map(|regret| regret.simple.mean);
//! assert!(regret(0) < regret(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choice;
mod file;
mod open;
mod playground;
mod position;
mod study;

pub use choice::{AnySampler, Choice, MissingUrgency};
pub use file::{GivenPosition, GivenProblem, ProblemFile, Reference};
pub use open::{OpenError, OpenPosition, Opened, PositionReader, PositionSpec, Positions};
pub use playground::{Given, Playground};
pub use position::{Ahead, JointActions, Position, PositionError, USUAL_HORIZON};
pub use study::{Regret, Row, Study, StudyError};
