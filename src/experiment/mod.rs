//! Experiments as users write them, and the files of their runs.
//!
//! Data from outside is a `...Spec` until it was checked, once, here.

mod contestant;
mod quantity;
mod run_directory;
mod spec;
mod strategy_file;
mod yaml;

pub use contestant::{ContestantError, parse_contestant};
pub use quantity::{
    GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, QuantityError, check_fraction, parse_count,
    parse_duration,
};
pub use run_directory::{
    DirectoryError, HistoryWriter, Provenance, RunDirectory, write_atomically,
};
pub use spec::{
    Baseline, BaselineSpec, DefaultPairs, Experiment, ExperimentSpec, ReadError, SpecError,
};
pub use strategy_file::{Discovery, StrategyFile};
pub use yaml::{YamlError, YamlSource};
