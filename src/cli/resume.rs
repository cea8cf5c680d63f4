//! `ruse resume`: continues a run that was stopped.

use std::path::PathBuf;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::RunDirectory;
use ruse_registry::Registry;

use super::arguments::{CheckpointArgs, MachineArgs};
use super::execute;
use super::failure::{Failure, Result};

/// Continue a run that was stopped; the results are the same as without the stop
#[derive(Debug, Args)]
pub(super) struct ResumeArgs {
    /// The directory of the run
    directory: PathBuf,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

pub(super) fn resume(args: &ResumeArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let of_one_run = args.directory.join("checkpoint.yaml").is_file();
    // In large experiments, a run's directory is three levels below the experiment's.
    let parent = args.directory.ancestors().skip(1).take(4).find(|path| RunDirectory::is_at(path));
    if let Some(parent) = parent
        && of_one_run
        && !RunDirectory::is_at(&args.directory)
    {
        let message = format!("{} is one run of an experiment", args.directory.display());
        let advice = format!("`ruse resume {}` continues the whole experiment", parent.display());
        return Err(Failure::with_advice(message, advice));
    }
    let (directory, plan) = RunDirectory::reopen(&args.directory, registry)?;
    execute::resume(&args.checkpoints.apply(directory), &plan, registry, args.json, stop)
}
