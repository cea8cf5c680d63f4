//! Carries out plans, and prints their results.

use ruse_base::stop::StopSignal;
use ruse_lab::{
    Experiment, ExperimentSpec, Jobs, Outcome, Output, Plan, PlanSpec, RunDirectory, RunOutcome,
    Study, Watch, read_curves, read_records,
};
use ruse_registry::Registry;
use ruse_report::figures::{Run, learning_curves};
use ruse_report::{Options, Report};

use super::arguments::{CheckpointArgs, OutputArgs};
use super::failure::Failure;
use super::format::counted;
use super::outcome::{AllRuns, OneRun};
use super::output::{self, Finished, write_all};
use super::runless::runless;
use super::screen::Screen;
use super::unfinished::in_words;
use super::verbosity::say;
use super::{consent, drawing, paper, plot, report, runless, table, verdict};

/// Carries out a plan in a new directory, and prints the results.
pub(super) fn execute(
    plan: &Plan,
    registry: &Registry,
    output: &OutputArgs,
    checkpoints: &CheckpointArgs,
    stop: &StopSignal,
) -> Result<(), Failure> {
    // From here on, a signal takes effect between two steps, and leaves no incomplete directory.
    stop.check().map_err(|_| Failure::Interrupted)?;
    check_outputs(plan)?;
    plan.ask_to_start()?;
    let directory = checkpoints.apply(output.create(plan)?);
    show(plan, registry, &directory, output, stop)
}

/// Continues the plan in a directory, and prints the results.
pub(super) fn resume(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    json: bool,
    stop: &StopSignal,
) -> Result<(), Failure> {
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
    let output = OutputArgs { json, ..OutputArgs::default() };
    show(plan, registry, directory, &output, stop)
}

fn show(
    plan: &Plan,
    registry: &Registry,
    directory: &RunDirectory,
    output: &OutputArgs,
    stop: &StopSignal,
) -> Result<(), Failure> {
    let as_json = output.json;
    let screen = Screen::default();
    let mut outcome = ruse_lab::carry_out(plan, registry, directory, &screen, stop)?;
    if !outcome.was_unfinished {
        say(match runless(plan) {
            Some(_) => "the experiment is finished",
            None => "the run is finished",
        });
    }
    let report = write_beside(plan, registry, directory, &outcome)?;
    // A stopped plan prints its results so far, except the results of pools and round robins.
    let told = match (runless(plan), &plan.resolved) {
        (Some(_), _) if outcome.was_stopped => Ok(()),
        (Some(of), _) => runless::tell(of, plan, directory, as_json),
        (None, PlanSpec::Run(spec)) => {
            outcome.runs.iter_mut().for_each(|run| run.measure_against_start(stop));
            tell(plan, spec, directory, &outcome, as_json)
        }
        _ => {
            let (report, done) = report.expect("a comparison has a report");
            let all = plan.runs.len();
            if done < all {
                say(&format!("{done} of {} are finished", counted(all as u64, "run")));
            }
            tell_comparison(directory, &report, done == all, as_json)?;
            if let Some(out) = output.paper.as_ref().filter(|_| !outcome.was_stopped) {
                say(&paper::write(directory, plan, registry, false, out)?);
            }
            Ok(())
        }
    };
    told?;
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
) -> Result<Outcome<'p>, Failure> {
    check_outputs(plan)?;
    let outcome = ruse_lab::carry_out(plan, registry, directory, watch, stop)?;
    write_beside(plan, registry, directory, &outcome)?;
    Ok(outcome)
}

/// Checks that this program can write the outputs of a plan.
fn check_outputs(plan: &Plan) -> Result<(), Failure> {
    let outputs = plan.study.outputs();
    if outputs.contains(&Output::Png) { drawing::Format::Png.check() } else { Ok(()) }
}

/// Writes figures and tables beside results. For a comparison, returns its report and the number of finished runs.
fn write_beside(
    plan: &Plan,
    registry: &Registry,
    directory: &RunDirectory,
    outcome: &Outcome<'_>,
) -> Result<Option<(Report, usize)>, Failure> {
    match (runless(plan), &plan.study) {
        (Some(_), _) if outcome.was_stopped => {}
        (Some(of), _) => runless::write_outputs(of, plan, directory)?,
        (None, Study::Meetings(_)) => {
            let mut records = read_records(directory, plan)?;
            records.curves = read_curves(directory, plan)?;
            let report = table::report_of(&records, false)?;
            write_outputs(plan, registry, directory, &report)?;
            return Ok(Some((report, records.runs.len())));
        }
        _ => {
            for run in &outcome.runs {
                write_learning_curve(plan, directory, run.experiment)?;
            }
        }
    }
    Ok(None)
}

/// Prints the results of the runs on one family.
fn tell(
    plan: &Plan,
    spec: &ExperimentSpec,
    directory: &RunDirectory,
    outcome: &Outcome<'_>,
    as_json: bool,
) -> Result<(), Failure> {
    let has_result = |run: &RunOutcome<'_>| directory.strategy_path(run.experiment).exists();
    match (&plan.study, outcome.runs.as_slice()) {
        (Study::None, [run]) if as_json || has_result(run) => {
            output::write(&OneRun::read(run, directory)?, as_json)
        }
        // The run was interrupted before its first iteration.
        (Study::None, _) => Ok(()),
        _ => output::write(&AllRuns { plan, spec, all: outcome, directory }, as_json),
    }
}

/// Writes the requested outputs of a comparison beside its results.
fn write_outputs(
    plan: &Plan,
    registry: &Registry,
    directory: &RunDirectory,
    report: &Report,
) -> Result<(), Failure> {
    let figures = |format| plot::write_comparison(directory, plan, report, registry, format);
    let page = || {
        let out = directory.path().join("report.html");
        report::write_page(directory, plan, registry, &out, false, None)
    };
    let tables = report.tables(&Options::default()).with_mistakes(&directory.mistakes()?);
    write_all(plan.study.outputs(), directory, &tables, &figures, &page)
}

/// Prints the tables of a comparison, finished or not.
fn tell_comparison(
    directory: &RunDirectory,
    report: &Report,
    is_finished: bool,
    as_json: bool,
) -> Result<(), Failure> {
    if table::is_empty(report) && !as_json {
        return Ok(());
    }
    let path = directory.path().display();
    let others = format!(
        "`ruse table {path}` prints these and the other tables: effort, targets, references, across (tests of methods over \
         families) and exploitability; with `--only NAME` one of them. `ruse report {path}` puts all on a page."
    );
    let short = [verdict::scores(report), verdict::verdict(report, is_finished)];
    let tables = report.tables(&Options::default()).with_mistakes(&directory.mistakes()?);
    let shown = tables.only(&Report::FIRST);
    let short = Some(short);
    let finished = Finished { tables, shown, short, others, directory: directory.path() };
    output::write(&finished, as_json)
}

/// Draws the learning curve of a run. It is drawn again after every resumption, because the program may have been
/// stopped before the figure showed the whole run.
fn write_learning_curve(
    plan: &Plan,
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<(), Failure> {
    let curve = learning_curves(&[Run { directory, experiment }])?;
    let name = match plan.runs.len() {
        1 => "learning-curve.svg".into(),
        _ => format!("learning-curve-{}.svg", experiment.labels[1]),
    };
    let curve = ruse_plots::Checked::new(curve)?;
    Ok(directory.write_text(&name, &ruse_plots::svg(&curve, ruse_plots::Sheet::default()))?)
}
