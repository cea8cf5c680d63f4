//! From what a user names to what can be run: families, contestants, experiments, run directories.
//!
//! Data from outside is a `...Spec` until it was checked, once, here.

mod contestant;
mod family;
mod quantity;
mod registry;
mod run_directory;
mod spec;
mod strategy_file;
mod yaml;

pub use contestant::{ContestantError, ContestantSpec, parse_contestant};
pub use family::{AnyFamily, ErasedFamily, ReferenceInfo};
pub use quantity::{
    GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, QuantityError, check_fraction, parse_count,
    parse_duration,
};
pub use registry::{Registry, UnknownName};
pub use run_directory::{
    DirectoryError, HistoryWriter, Provenance, RunDirectory, write_atomically,
};
pub use spec::{Baseline, BaselineSpec, Experiment, ExperimentSpec, ReadError, SpecError};
pub use strategy_file::{Discovery, StrategyFile};
pub use yaml::{YamlError, YamlSource};
