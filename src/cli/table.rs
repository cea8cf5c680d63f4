//! `ruse table`: prints the tables of an experiment.

use std::path::PathBuf;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::{Plan, Records, RunDirectory, measure_missing, read_curves, read_records};
use ruse_registry::Registry;
use ruse_report::{Format, Options, Published, Report, Tables};

use super::arguments::{MachineArgs, names};
use super::failure::{Failure, print};
use super::format::{counted, terminal_width};
use super::runless::{self, runless};
use super::screen::{Screen, say_if_shared};
use super::verbosity::say;

/// Print the tables of an experiment: scores, methods head to head and across families, exploitability
#[derive(Debug, Args)]
pub(super) struct TableArgs {
    /// The directory of the experiment
    directory: PathBuf,
    /// The format: terminal, md, csv, tex, json or html
    #[arg(long, value_name = "F", default_value = "terminal", conflicts_with = "json",
          value_parser = names(Format::ALL.map(Format::name)), hide_possible_values = true)]
    format: String,
    #[arg(long, value_name = "TABLE", value_parser = names(table_names()), hide_possible_values = true,
          help = only_help())]
    only: Option<String>,
    /// Add the published figures of the paper: Cauwet & Teytaud (2018), or Saint-Pierre & Teytaud (2014) for portfolios
    #[arg(long)]
    side_by_side: bool,
    /// Add the scores of the worst and the best run to each cell
    #[arg(long)]
    ranges: bool,
    /// The length of LaTeX captions: short, with the rest as comments above the table, or long
    #[arg(long, value_name = "HOW", default_value = "short", value_parser = ["short", "long"],
          hide_possible_values = true)]
    caption: String,
    /// The score to reach in the table of targets [default: the score of the best reference player]
    #[arg(long, value_name = "SCORE", value_parser = parse_target, allow_hyphen_values = true)]
    target: Option<f64>,
    /// Play missing games, and save the scores with the results: games of reference players against the baselines and,
    /// in a published experiment, of champions against reference strategies; with --only, the games that this table needs
    #[arg(long)]
    measure: bool,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print JSON, as --format json does
    #[arg(long)]
    json: bool,
}

/// Returns the help of `--only`, with descriptions of unclear table names.
fn only_help() -> String {
    let named = Report::TABLES.map(|name| {
        match Report::IN_WORDS.iter().find(|(known, _)| *known == name) {
            Some((_, words)) => format!("{name} ({words})"),
            None => name.into(),
        }
    });
    let others = runless::TABLES.map(|(kind, names)| format!("; for {kind} {}", any_of(names)));
    format!("Print one table only: {}{}", any_of(&named), others.concat())
}

/// Lists names with "or" before the last.
fn any_of(names: &[impl AsRef<str>]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.as_slice() {
        [others @ .., last] if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        names => names.concat(),
    }
}

/// Returns the names of all tables. Some occur in several kinds of experiments.
fn table_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Report::TABLES.into();
    let others = runless::TABLES.into_iter().flat_map(|(_, names)| names).copied();
    names.extend(others.filter(|name| !Report::TABLES.contains(name)));
    names
}

pub(super) fn table(
    args: &TableArgs,
    registry: &Registry,
    stop: &StopSignal,
) -> Result<(), Failure> {
    if args.measure {
        measure(args, registry, stop)?;
    }
    let (directory, plan) = RunDirectory::open(&args.directory, registry)?;
    let format = Format::ALL.into_iter().find(|format| format.name() == args.format);
    let format = match args.json {
        true => Format::Json,
        false => format.expect("the parser knows all formats"),
    };
    let options = Options {
        side_by_side: args.side_by_side,
        ranges: args.ranges,
        long_captions: args.caption == "long",
        width: terminal_width().map(usize::from),
    };
    let only = args.only.as_deref();
    let all = match runless(&plan) {
        Some(of) => of.tables(&plan, &directory, &options)?,
        None => {
            let mut records = records(&directory, &plan)?;
            if only.is_none_or(|name| name == "targets") {
                records.curves = read_curves(&directory, &plan)?;
            }
            let mut report = report_of(&records, args.side_by_side)?;
            if let Some(target) = args.target {
                report = report.with_target(&records, target);
            }
            if only.is_none() && format == Format::Terminal && is_empty(&report) {
                return print("No run has a score yet: there is nothing to show.\n");
            }
            report.tables(&options)
        }
    };
    let all = all.with_mistakes(&directory.mistakes()?);
    let Some(name) = only else { return print(&all.render(format, &options)) };
    let names = all.all_ids();
    if !names.contains(&name) {
        return Err(Failure::with_advice(
            format!("this experiment has no table `{name}`"),
            format!("it has {}", names.join(", ")),
        ));
    }
    print(&all.only(&[name]).render(format, &options))
}

/// Returns the tables of an experiment of any kind.
pub(super) fn tables(
    directory: &RunDirectory,
    plan: &Plan,
    options: &Options,
) -> Result<Tables, Failure> {
    let tables = match runless(plan) {
        Some(of) => of.tables(plan, directory, options)?,
        None => report(directory, plan, options.side_by_side)?.tables(options),
    };
    Ok(tables.with_mistakes(&directory.mistakes()?))
}

/// Plays the missing games that `--measure` requests, and writes the scores into the results' directory.
fn measure(args: &TableArgs, registry: &Registry, stop: &StopSignal) -> Result<(), Failure> {
    // Writing into the directory needs its lock.
    let (directory, plan) = RunDirectory::reopen(&args.directory, registry)?;
    if let Some(of) = runless(&plan).filter(|_| plan.runs.is_empty()) {
        return Err(Failure::with_advice(
            format!("{} no champions to measure", of.have()),
            "leave `--measure` out",
        ));
    }
    say_if_shared(&directory);
    measure_missing(&plan, &directory, args.only.as_deref(), &Screen::default(), stop)?;
    stop.check().map_err(|_| {
        say("the same command continues from here");
        Failure::Interrupted
    })
}

/// Returns `true` if no run has a score, so that tables would have only dashes.
pub(super) fn is_empty(report: &Report) -> bool {
    report.scores.cells.iter().flatten().all(|cell| cell.ours.is_none())
}

/// Returns the tables of the finished runs, with the published figures if `side_by_side`.
pub(super) fn report(
    directory: &RunDirectory,
    plan: &Plan,
    side_by_side: bool,
) -> Result<Report, Failure> {
    let mut records = records(directory, plan)?;
    records.curves = read_curves(directory, plan)?;
    report_of(&records, side_by_side)
}

/// Reads the records for tables, without learning curves. Prints a message if runs are missing.
pub(super) fn records(directory: &RunDirectory, plan: &Plan) -> Result<Records, Failure> {
    let records = read_records(directory, plan)?;
    let (done, all) = (records.runs.len(), plan.runs.len());
    if done < all {
        let path = directory.path().display();
        let all = counted(all as u64, "run");
        say(&match directory.is_published() {
            true => format!("{done} of {all} are published in {path}"),
            false => format!("{done} of {all} are finished; `ruse resume {path}` continues"),
        });
    }
    Ok(records)
}

/// Parses a score between 0 and 1.
fn parse_target(text: &str) -> Result<f64, String> {
    let target: Option<f64> = text.parse().ok();
    let target = target.filter(|target| (0.0..=1.0).contains(target));
    target.ok_or_else(|| "expected a score between 0 and 1, such as .7".into())
}

/// Returns the tables of these records, with the published figures if `side_by_side`.
pub(super) fn report_of(records: &Records, side_by_side: bool) -> Result<Report, Failure> {
    let published = side_by_side.then(Published::cauwet_teytaud_2018);
    Report::new(records, published.as_ref()).map_err(|error| {
        Failure::with_advice(error, "`ruse run DIR/experiment.yaml` computes the results again")
    })
}
