//! `ruse run`: runs an experiment file.

use std::path::{Path, PathBuf};

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::{Plan, RunDirectory};
use ruse_registry::Registry;

use super::arguments::{CheckpointArgs, MachineArgs, OutputArgs};
use super::caution::{self, CautionArgs};
use super::dry_run::describe;
use super::execute::execute;
use super::failure::Failure;
use super::runless::runless;
use super::share;
use super::share::ShareArgs;

/// Run an experiment file; the same file gives the same results, unless its time is limited
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The experiment, in YAML
    file: PathBuf,
    #[command(flatten)]
    pub(super) share: ShareArgs,
    #[command(flatten)]
    caution: CautionArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(super) fn run(args: &RunArgs, registry: &Registry, stop: &StopSignal) -> Result<(), Failure> {
    check_file(&args.file, registry)?;
    let plan = Plan::read(&args.file, registry)?;
    let checkpoints = args.share.checkpoints();
    let OutputArgs { out, json, .. } = &args.output;
    match (args.share.share(), out) {
        (Some(share), Some(out)) => {
            caution::check(&plan, &args.caution)?;
            share::carry_out(&plan, share, checkpoints, out, registry, *json, stop)
        }
        _ => carry_out(&plan, registry, &args.caution, &args.output, checkpoints, stop),
    }
}

/// Checks that a path names an experiment file.
///
/// # Errors
///
/// Returns an error if the file does not exist, or is a run's directory. The error suggests other commands.
pub fn check_file(file: &Path, registry: &Registry) -> Result<(), Failure> {
    let path = file.display();
    if RunDirectory::is_at(file) {
        let advice = format!(
            "`ruse run {path}/experiment.yaml` repeats it in a new directory; `ruse resume {path}` continues it"
        );
        return Err(Failure::with_advice(format!("{path} is a directory"), advice));
    }
    if file.exists() {
        return Ok(());
    }
    let is_family = file.to_str().is_some_and(|name| registry.family(name).is_ok());
    let advice = match is_family {
        true => format!(
            "`ruse optimise {path}` tunes the family {path}; `ruse init {path}` writes an experiment file to start from"
        ),
        false => "`ruse init FAMILY` writes an experiment file to start from".into(),
    };
    Err(Failure::with_advice(format!("there is no file {path}"), advice))
}

/// Carries out a plan, or with `--dry-run` only describes it.
pub(super) fn carry_out(
    plan: &Plan,
    registry: &Registry,
    caution: &CautionArgs,
    output: &OutputArgs,
    checkpoints: &CheckpointArgs,
    stop: &StopSignal,
) -> Result<(), Failure> {
    if !caution.dry_run {
        caution::check(plan, caution)?;
        return execute(plan, registry, output, checkpoints, stop);
    }
    match runless(plan) {
        Some(of) => of.describe(plan, registry, output.json, stop),
        None => describe(plan, output.json, stop),
    }
}
