//! `ruse run`: runs an experiment file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::{Plan, RunDirectory};
use ruse_play::family::AnyFamily;
use ruse_registry::Registry;
use ruse_report::shown::{Machine, excess, shown};

use super::arguments::{CheckpointArgs, ExecutionArgs, MachineArgs};
use super::execute::execute;
use super::failure::{Failure, Result};
use super::format::terminal;
use super::output;
use super::share::{self, ShareArgs};
use crate::speed;

/// Run an experiment file; the same file gives the same results, unless its time is limited
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// The experiment, in YAML
    file: PathBuf,
    #[command(flatten)]
    pub(super) share: ShareArgs,
    #[command(flatten)]
    execution: ExecutionArgs,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(super) fn run(args: &RunArgs, registry: &Registry, stop: &StopSignal) -> Result {
    check_file(&args.file, registry)?;
    let plan = Plan::read(&args.file, registry)?;
    let checkpoints = &args.share.checkpoints;
    let ExecutionArgs { out, json, .. } = &args.execution;
    match (args.share.share(), out) {
        (Some(share), Some(out)) => {
            check_size(&plan, &args.execution)?;
            share::carry_out(&plan, share, checkpoints, out, registry, *json, stop)
        }
        _ => carry_out(&plan, registry, &args.execution, checkpoints, stop),
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

/// Returns an error if the plan is probably a mistake and `--huge` is not given.
fn check_size(plan: &Plan, args: &ExecutionArgs) -> Result {
    let Some(excess) = excess(plan).filter(|_| !args.huge) else { return Ok(()) };
    let advice = "see how long that takes with `--dry-run`; `--huge` carries it out";
    Err(Failure::with_advice(format!("the experiment comes to {excess}"), advice))
}

/// Carries out a plan, or with `--dry-run` only describes it.
pub(super) fn carry_out(
    plan: &Plan,
    registry: &Registry,
    args: &ExecutionArgs,
    checkpoints: &CheckpointArgs,
    stop: &StopSignal,
) -> Result {
    if !args.dry_run {
        check_size(plan, args)?;
        return execute(plan, registry, args, checkpoints, stop);
    }
    let planned = shown(&plan.study).planned(plan, &machine(registry, stop))?;
    output::write(&planned, args.json)
}

/// Returns this machine.
pub(super) fn machine<'a>(registry: &'a Registry, stop: &'a StopSignal) -> Machine<'a> {
    /// The duration of a measurement of speed. Only its first digit is reliable.
    const MEASURE_FOR: Duration = Duration::from_millis(150);
    let speed = Box::new(move |family: &dyn AnyFamily| {
        let (speed, measured) = speed::speed(family, MEASURE_FOR, stop);
        measured.map(|()| speed.one_thread.games_per_s())
    });
    let num_threads = rayon::current_num_threads();
    Machine { registry, num_threads, speed, terminal: terminal() }
}
