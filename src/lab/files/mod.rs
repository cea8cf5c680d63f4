//! The files of a run and of an experiment, and those that a person writes or plays from.

pub(super) mod ablation;
pub(super) mod checkpoint;
mod contestant_error;
pub(super) mod curves;
pub(super) mod decisions;
pub(super) mod exploitability;
pub(super) mod finished;
pub(super) mod history;
pub(super) mod learning;
pub(super) mod meetings;
pub(super) mod population;
pub(super) mod provenance;
pub(super) mod publish;
mod published;
pub(super) mod records;
pub(super) mod references;
mod rows_of_runs;
pub(super) mod run_directory;
pub(super) mod run_files;
mod runs;
pub(super) mod shared;
pub(super) mod strategy;
mod strategy_parameters;
pub(super) mod summaries;
mod training_scores;
pub(super) mod transcript;
pub(super) mod yardsticks;
