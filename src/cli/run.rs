//! `ruse run`: an experiment file.

use std::path::PathBuf;

use clap::Args;

use super::MachineArgs;
use super::dry_run::describe;
use super::execute::execute;
use super::failure::Failure;
use super::optimise::OutputArgs;
use super::portfolios;
use crate::arena::StopSignal;
use crate::experiment::{Finale, Plan};
use crate::family::Registry;

/// Run an experiment file; that of a finished run gives the same results again, unless its time was limited
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The experiment, in YAML
    file: PathBuf,
    /// Say what would be done, and how long it would take; do nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(super) fn run(args: &RunArgs, registry: &Registry, stop: &StopSignal) -> Result<(), Failure> {
    carry_out(&Plan::read(&args.file, registry)?, registry, args.dry_run, &args.output, stop)
}

/// Carries a plan out, or says what it would do.
pub(super) fn carry_out(
    plan: &Plan,
    registry: &Registry,
    dry_run: bool,
    output: &OutputArgs,
    stop: &StopSignal,
) -> Result<(), Failure> {
    match (dry_run, &plan.finale) {
        (true, Finale::Portfolios(of)) => portfolios::describe(of, registry, output.json, stop),
        (true, _) => describe(plan, output.json, stop),
        (false, _) => execute(plan, registry, output, stop),
    }
}
