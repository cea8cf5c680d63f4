//! `ruse table`: prints the tables of an experiment.

use std::path::PathBuf;

use clap::Args;
use ruse_base::stop::StopSignal;
use ruse_lab::{RunDirectory, measure_missing};
use ruse_registry::Registry;
use ruse_report::shown::{Results, TABLES, shown};
use ruse_report::{Format, Options, Report, listed};

use super::arguments::{MachineArgs, names, one_of};
use super::failure::{Failure, Result, print};
use super::format::terminal;
use super::screen::{Screen, say_if_shared};
use super::verbosity::say;

/// Print the tables of an experiment: scores, methods head to head and across families, exploitability
#[derive(Debug, Args)]
pub(super) struct TableArgs {
    /// The directory of the experiment
    directory: PathBuf,
    /// The format: terminal, md, csv, tex, json or html
    #[arg(long, value_name = "F", default_value = "terminal", conflicts_with = "json",
          value_parser = one_of(Format::ALL, Format::name), hide_possible_values = true)]
    format: Format,
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
    let others = TABLES.map(|(kind, names)| format!("; for {kind} {}", listed(names, "or")));
    format!("Print one table only: {}{}", listed(&named, "or"), others.concat())
}

/// Returns the names of all tables. Some occur in several kinds of experiments.
fn table_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = Report::TABLES.into();
    let others = TABLES.into_iter().flat_map(|(_, names)| names).copied();
    names.extend(others.filter(|name| !Report::TABLES.contains(name)));
    names
}

pub(super) fn table(args: &TableArgs, registry: &Registry, stop: &StopSignal) -> Result {
    if args.measure {
        measure(args, registry, stop)?;
    }
    let (directory, plan) = RunDirectory::open(&args.directory, registry)?;
    let format = if args.json { Format::Json } else { args.format };
    let options = Options {
        side_by_side: args.side_by_side,
        ranges: args.ranges,
        long_captions: args.caption == "long",
        target: args.target,
        ..terminal().options()
    };
    let results = Results::new(&plan, &directory, registry, stop, &say);
    results.say_unfinished()?;
    let all = results.tables(&options)?;
    let Some(name) = args.only.as_deref() else { return print(&all.render(format, &options)) };
    let names = all.all_ids();
    if !names.contains(&name) {
        let message = format!("this experiment has no table `{name}`");
        return Err(Failure::with_advice(message, format!("it has {}", names.join(", "))));
    }
    print(&all.only(&[name]).render(format, &options))
}

/// Plays the missing games that `--measure` requests, and writes the scores into the results' directory.
fn measure(args: &TableArgs, registry: &Registry, stop: &StopSignal) -> Result {
    // Writing into the directory needs its lock.
    let (directory, plan) = RunDirectory::reopen(&args.directory, registry)?;
    if plan.runs.is_empty() {
        let message = format!("{} no champions to measure", shown(&plan.study).have());
        return Err(Failure::with_advice(message, "leave `--measure` out"));
    }
    say_if_shared(&directory);
    measure_missing(&plan, &directory, args.only.as_deref(), &Screen::default(), stop)?;
    Failure::unless_finished(stop)
}

/// Parses a score between 0 and 1.
fn parse_target(text: &str) -> Result<f64, String> {
    let target: Option<f64> = text.parse().ok();
    let target = target.filter(|target| (0.0..=1.0).contains(target));
    target.ok_or_else(|| "expected a score between 0 and 1, such as .7".into())
}
