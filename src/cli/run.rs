//! `ruse run`: an experiment file.

use std::path::PathBuf;

use clap::Args;

use super::arguments::{MachineArgs, OutputArgs};
use super::caution::{self, CautionArgs};
use super::dry_run::describe;
use super::execute::execute;
use super::failure::Failure;
use super::seed_study;
use crate::arena::StopSignal;
use crate::lab::{Finale, Plan};
use crate::registry::Registry;

/// Run an experiment file; that of a finished run gives the same results again, unless its time was limited
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The experiment, in YAML
    file: PathBuf,
    #[command(flatten)]
    caution: CautionArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(super) fn run(args: &RunArgs, registry: &Registry, stop: &StopSignal) -> Result<(), Failure> {
    carry_out(&Plan::read(&args.file, registry)?, registry, &args.caution, &args.output, stop)
}

/// Carries a plan out, or says what it would do.
pub(super) fn carry_out(
    plan: &Plan,
    registry: &Registry,
    caution: &CautionArgs,
    output: &OutputArgs,
    stop: &StopSignal,
) -> Result<(), Failure> {
    if !caution.dry_run {
        caution::check(plan, caution)?;
        return execute(plan, registry, output, stop);
    }
    match &plan.finale {
        Finale::Portfolios(of) => seed_study::describe(of, plan, registry, output.json, stop),
        _ => describe(plan, output.json, stop),
    }
}
