//! Carries out plans, and prints their results.

use std::path::PathBuf;

use ruse_base::stop::StopSignal;
use ruse_lab::{Jobs, Outcome, Output, Plan, RunDirectory, Watch};
use ruse_registry::Registry;
use ruse_report::shown::{FigureFormat, Results};

use super::arguments::{CheckpointArgs, ExecutionArgs};
use super::failure::{Failure, Result};
use super::format::{counted, terminal};
use super::screen::Screen;
use super::unfinished::in_words;
use super::verbosity::say;
use super::{consent, output};

/// Carries out a plan in a new directory, and prints the results.
pub(super) fn execute(
    plan: &Plan,
    registry: &Registry,
    args: &ExecutionArgs,
    checkpoints: &CheckpointArgs,
    stop: &StopSignal,
) -> Result {
    // From here on, a signal takes effect between two steps, and leaves no incomplete directory.
    stop.check().map_err(|_| Failure::Interrupted)?;
    check_outputs(plan)?;
    plan.ask_to_start()?;
    let open = |path: &PathBuf| RunDirectory::open(path, registry);
    let others = args.reuse.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    if let Some((of, _)) = others.iter().find(|(of, _)| of.is_published()) {
        let path = of.path().display();
        return Err(Failure::bad_input(format!("{path} is published, without runs")));
    }
    let directory = checkpoints.apply(args.create(plan)?);
    let all = counted(plan.runs.len() as u64, "run");
    for (from, other) in &others {
        let taken = ruse_lab::reuse(plan, &directory, (from, other))?;
        say(&format!("{taken} of {all} taken from {}", from.path().display()));
    }
    show(plan, registry, &directory, args, stop)
}

/// Continues the plan in a directory, and prints the results.
pub(super) fn resume(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    json: bool,
    stop: &StopSignal,
) -> Result {
    directory.check_unpublished(plan)?;
    check_outputs(plan)?;
    let begun = plan.runs.iter().filter(|run| directory.run_path(run).exists()).count();
    if begun == 0 && !plan.runs.is_empty() {
        say("no run has begun yet: starting now");
    }
    if directory.is_shared() {
        let jobs = Jobs::of(plan);
        let left = ruse_lab::unfinished(plan, &jobs, registry, directory)?;
        say(&match left.is_empty() {
            true => "all jobs are finished: putting their results together".to_string(),
            false => format!("{}: doing the rest now", in_words(&left)),
        });
    }
    let args = ExecutionArgs { json, ..ExecutionArgs::default() };
    show(plan, registry, directory, &args, stop)
}

fn show(
    plan: &Plan,
    registry: &Registry,
    directory: &RunDirectory,
    args: &ExecutionArgs,
    stop: &StopSignal,
) -> Result {
    let screen = Screen::default();
    let mut outcome = ruse_lab::carry_out(plan, registry, directory, &screen, stop)?;
    let results = Results::new(plan, directory, registry, stop, &say);
    let kind = results.kind();
    if !outcome.was_unfinished {
        say(&format!("{} is finished", kind.subject()));
    }
    results.write_outputs(&outcome)?;
    // A stopped plan prints its results so far.
    if let Some(answer) = kind.answer(&results, &mut outcome, terminal())? {
        output::write(answer.as_ref(), args.json)?;
    }
    if let Some(out) = args.paper.as_ref().filter(|_| !outcome.was_stopped) {
        say(&kind.write_paper(&results, false, out)?);
    }
    if outcome.was_stopped || stop.check().is_err() {
        let option = consent::option_for(plan);
        say(&format!("`ruse resume {}{option}` goes on from here", directory.path().display()));
        return Err(Failure::Interrupted);
    }
    Ok(())
}

/// Carries out a plan, or the rest of it, in its directory. Writes all files that the commands write, but prints
/// nothing.
///
/// [`ruse_lab::carry_out`] writes only the results. This function also writes figures and tables.
///
/// # Errors
///
/// Returns an error if files cannot be written, or were changed. A requested stop is not an error; the outcome records
/// it.
pub fn carry_out<'p>(
    plan: &'p Plan,
    registry: &Registry,
    directory: &RunDirectory,
    watch: &dyn Watch,
    stop: &StopSignal,
) -> Result<Outcome<'p>> {
    check_outputs(plan)?;
    let outcome = ruse_lab::carry_out(plan, registry, directory, watch, stop)?;
    Results::new(plan, directory, registry, stop, &|_| ()).write_outputs(&outcome)?;
    Ok(outcome)
}

/// Checks that this program can write the outputs of a plan.
fn check_outputs(plan: &Plan) -> Result {
    let outputs = plan.study.outputs();
    if outputs.contains(&Output::Png) { Ok(FigureFormat::Png.check()?) } else { Ok(()) }
}
