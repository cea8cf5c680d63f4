//! `ruse run`: an experiment file.

use std::path::PathBuf;

use clap::Args;

use super::MachineArgs;
use super::execute::execute;
use super::failure::Failure;
use super::optimise::OutputArgs;
use crate::arena::StopSignal;
use crate::experiment::Plan;
use crate::family::Registry;

/// Run an experiment file; that of a finished run gives the same results again, unless its time was limited
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The experiment, in YAML
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(super) fn run(args: &RunArgs, registry: &Registry, stop: &StopSignal) -> Result<(), Failure> {
    execute(&Plan::read(&args.file, registry)?, &args.output, stop)
}
