//! `ruse table`: the tables of an experiment.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::arguments::{MachineArgs, names};
use super::failure::{Failure, print};
use super::format::{counted, terminal_width};
use super::screen::{Screen, say_if_shared};
use super::verbosity::say;
use super::{round_robin, seed_study};
use crate::arena::StopSignal;
use crate::lab::{
    Finale, Plan, Records, RunDirectory, measure_references, measure_yardsticks, read_curves,
    read_records,
};
use crate::registry::Registry;
use crate::report::{Format, Options, Part, PortfolioPart, Published, Report, RoundRobinPart};

/// Print the tables of an experiment: scores against the baseline, head to head, methods across families,
/// exploitability
#[derive(Debug, Args)]
pub(super) struct TableArgs {
    /// The directory of the experiment
    directory: PathBuf,
    /// terminal, md, csv, tex, json or html
    #[arg(long, value_name = "F", default_value = "terminal", conflicts_with = "json",
          value_parser = names(Format::ALL.map(Format::name)), hide_possible_values = true)]
    format: String,
    /// One table only: scores, yardsticks (reference players), effort (iterations and games), targets (games to reach a score), references,
    /// head-to-head, ranking, across (tests of methods over families) or exploitability; of portfolios game,
    /// generalisation or learning; of a round robin scores, rules, meetings or time
    #[arg(long, value_name = "TABLE", value_parser = part_names(), hide_possible_values = true)]
    only: Option<String>,
    /// Add the published figures of the paper: Cauwet & Teytaud (2018), or Saint-Pierre & Teytaud (2014) for portfolios
    #[arg(long)]
    side_by_side: bool,
    /// The scores of the worst and the best run in each cell
    #[arg(long)]
    ranges: bool,
    /// How much captions of LaTeX say: short, with the rest as comments above the table, or long
    #[arg(long, value_name = "HOW", default_value = "short", value_parser = ["short", "long"],
          hide_possible_values = true)]
    caption: String,
    /// The score to reach in the table of targets [default: that of the best reference player]
    #[arg(long, value_name = "SCORE", value_parser = parse_target, allow_hyphen_values = true)]
    target: Option<f64>,
    /// Play what the results lack: reference players against the baselines, and, of a published experiment,
    /// champions against reference strategies; the scores are kept beside the results
    #[arg(long)]
    measure: bool,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
    /// Print JSON, as --format json does
    #[arg(long)]
    json: bool,
}

fn part_names() -> PossibleValuesParser {
    let of_portfolios = PortfolioPart::ALL.map(PortfolioPart::name);
    // `scores` is a table of a comparison, too.
    let of_round_robins = RoundRobinPart::ALL.map(RoundRobinPart::name).into_iter().skip(1);
    let names = Part::ALL.map(Part::name).into_iter().chain(of_portfolios);
    PossibleValuesParser::new(names.chain(of_round_robins))
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
    let no_such_table = |name: &str, names: &[&str]| {
        let message = format!("this experiment has no table `{name}`");
        Failure::with_advice(message, format!("it has {}", names.join(", ")))
    };
    if let Finale::Portfolios(portfolios) = &plan.finale {
        let report = seed_study::report(&directory, portfolios, args.side_by_side)?;
        let Some(name) = &args.only else { return print(&report.render_all(format, &options)) };
        let part = PortfolioPart::ALL.into_iter().find(|part| part.name() == name);
        let names = PortfolioPart::ALL.map(PortfolioPart::name);
        let part = part.ok_or_else(|| no_such_table(name, &names))?;
        return print(&report.render(part, format, &options));
    }
    if let Finale::RoundRobin(of) = &plan.finale {
        let report = round_robin::report(&directory, of)?;
        let Some(name) = &args.only else { return print(&report.render_all(format, &options)) };
        let part = RoundRobinPart::ALL.into_iter().find(|part| part.name() == name);
        let names = RoundRobinPart::ALL.map(RoundRobinPart::name);
        let part = part.ok_or_else(|| no_such_table(name, &names))?;
        return print(&report.render(part, format, &options));
    }
    let part = Part::ALL.into_iter().find(|part| args.only.as_deref() == Some(part.name()));
    if let (Some(name), None) = (&args.only, part) {
        return Err(no_such_table(name, &Part::ALL.map(Part::name)));
    }
    let mut records = records(&directory, &plan)?;
    if part.is_none_or(|part| part == Part::Targets) {
        records.curves = read_curves(&directory, &plan)?;
    }
    let mut report = report_of(&records, args.side_by_side)?;
    if let Some(target) = args.target {
        report = report.with_target(&records, target);
    }
    match part {
        None if matches!(format, Format::Terminal) && is_empty(&report) => {
            print("No run was scored: there is nothing to show.\n")
        }
        Some(part) => print(&report.render(part, format, &options)),
        None => print(&report.render_all(format, &options)),
    }
}

/// Plays what the results lack, and writes it beside them.
fn measure(args: &TableArgs, registry: &Registry, stop: &StopSignal) -> Result<(), Failure> {
    // Another program may write there only before or after.
    let (directory, plan) = RunDirectory::reopen(&args.directory, registry)?;
    if let Finale::Portfolios(_) = plan.finale {
        return Err(Failure::with_advice(
            "portfolios have no champions to measure",
            "leave `--measure` out",
        ));
    }
    if let Finale::RoundRobin(_) = plan.finale {
        return Err(Failure::with_advice(
            "a round robin has no champions to measure",
            "leave `--measure` out",
        ));
    }
    say_if_shared(&directory);
    measure_yardsticks(&plan, &directory, &Screen::default(), stop)?;
    measure_references(&plan, &directory, stop)?;
    stop.check().map_err(|_| {
        say("the same command goes on from here");
        Failure::Interrupted
    })
}

/// Whether no run was scored: tables of dashes tell nothing.
pub(super) fn is_empty(report: &Report) -> bool {
    report.scores.cells.iter().flatten().all(|cell| cell.ours.is_none())
}

/// The tables of what is finished.
///
/// With `side_by_side` the published figures are among them.
pub(super) fn report(
    directory: &RunDirectory,
    plan: &Plan,
    side_by_side: bool,
) -> Result<Report, Failure> {
    let mut records = records(directory, plan)?;
    records.curves = read_curves(directory, plan)?;
    report_of(&records, side_by_side)
}

/// What tables are made of, but for learning curves; says what is missing.
fn records(directory: &RunDirectory, plan: &Plan) -> Result<Records, Failure> {
    let records = read_records(directory, plan)?;
    let (done, all) = (records.runs.len(), plan.runs.len());
    if done < all {
        let path = directory.path().display();
        let all = counted(all as u64, "run");
        say(&match directory.is_published() {
            true => format!("{done} of {all} are published in {path}"),
            false => format!("{done} of {all} are finished; `ruse resume {path}` goes on"),
        });
    }
    Ok(records)
}

/// A score as a user writes it.
fn parse_target(text: &str) -> Result<f64, String> {
    let target: Option<f64> = text.parse().ok();
    let target = target.filter(|target| (0.0..=1.0).contains(target));
    target.ok_or_else(|| "a score between 0 and 1 is expected, such as .7".into())
}

/// The tables of these records, with the published figures if they are wanted.
pub(super) fn report_of(records: &Records, side_by_side: bool) -> Result<Report, Failure> {
    let published = side_by_side.then(Published::cauwet_teytaud_2018);
    Report::new(records, published.as_ref()).map_err(|error| {
        Failure::with_advice(error, "`ruse run DIR/experiment.yaml` makes the results anew")
    })
}

/// Writes the tables of one format beside the results.
pub(super) fn write_tables(
    directory: &RunDirectory,
    report: &Report,
    format: Format,
) -> Result<(), Failure> {
    for part in Part::ALL {
        let name = format!("table-{}.{}", part.name(), format.extension());
        directory.write_text(&name, &report.render(part, format, &Options::default()))?;
    }
    Ok(())
}
