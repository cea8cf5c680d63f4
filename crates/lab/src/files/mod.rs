//! The files of runs and experiments, and files that users write or play from.

pub(super) mod answers;
pub(super) mod checkpoint;
pub(crate) mod contestant_error;
pub(super) mod curves;
pub(super) mod decisions;
pub(super) mod finished;
pub(super) mod history;
pub(super) mod learning;
pub(super) mod measurements;
pub(super) mod population;
pub(super) mod provenance;
pub(super) mod publish;
mod published;
pub(super) mod records;
pub(super) mod run_directory;
pub(super) mod run_files;
mod runs;
pub(crate) mod scores;
pub(super) mod series;
pub(super) mod shared;
pub(super) mod strategy;
mod strategy_parameters;
pub(super) mod subjects;
pub(super) mod summaries;
pub(super) mod tables;
pub(super) mod transcript;
