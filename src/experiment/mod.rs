//! Experiments as users write them, and the files of their runs.
//!
//! Data from outside is a `...Spec` until it was checked, once, here.

mod contestant;
mod provenance;
mod quantity;
mod run_directory;
mod run_files;
mod spec;
mod strategy_file;
mod yaml;

pub use contestant::{ContestantError, parse_contestant};
pub use provenance::Provenance;
pub use quantity::{
    GAMES_RANGE, ITERATIONS_RANGE, PAIRS_RANGE, QuantityError, check_fraction, parse_count,
    parse_duration,
};
pub use run_directory::{DirectoryError, RunDirectory, write_atomically};
pub use run_files::{Checkpoint, CurvePoint, RunFiles, read_curve};
pub use spec::{
    Baseline, BaselineSpec, DefaultPairs, Experiment, ExperimentSpec, ReadError, SpecError,
};
pub use strategy_file::{Discovery, StrategyFile};
pub use yaml::{YamlError, YamlSource};
