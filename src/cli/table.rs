//! `ruse table`: the tables of an experiment.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::arguments::names;
use super::failure::{Failure, print};
use super::format::{counted, terminal_width};
use super::seed_study;
use super::verbosity::say;
use crate::lab::{Finale, Plan, Records, RunDirectory, read_records};
use crate::registry::Registry;
use crate::report::{Format, Options, Part, PortfolioPart, Published, Report};

/// Print the tables of an experiment: scores against the baseline, head to head, methods across families,
/// exploitability
#[derive(Debug, Args)]
pub(super) struct TableArgs {
    /// The directory of the experiment
    directory: PathBuf,
    /// terminal, md, csv, tex, json or html
    #[arg(long, value_name = "F", default_value = "terminal",
          value_parser = names(Format::ALL.map(Format::name)), hide_possible_values = true)]
    format: String,
    /// One table only: scores, head-to-head, ranking or exploitability; of portfolios game, generalisation or
    /// learning
    #[arg(long, value_name = "TABLE", value_parser = part_names(), hide_possible_values = true)]
    only: Option<String>,
    /// Add the published figures of the paper: Cauwet & Teytaud (2018), or Saint-Pierre & Teytaud (2014) for portfolios
    #[arg(long)]
    side_by_side: bool,
    /// The scores of the worst and the best run in each cell
    #[arg(long)]
    ranges: bool,
}

fn part_names() -> PossibleValuesParser {
    let of_portfolios = PortfolioPart::ALL.map(PortfolioPart::name);
    PossibleValuesParser::new(Part::ALL.map(Part::name).into_iter().chain(of_portfolios))
}

pub(super) fn table(args: &TableArgs, registry: &Registry) -> Result<(), Failure> {
    let (directory, plan) = RunDirectory::open(&args.directory, registry)?;
    let format = Format::ALL.into_iter().find(|format| format.name() == args.format);
    let format = format.expect("the parser knows all formats");
    let options = Options {
        side_by_side: args.side_by_side,
        ranges: args.ranges,
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
    let part = Part::ALL.into_iter().find(|part| args.only.as_deref() == Some(part.name()));
    if let (Some(name), None) = (&args.only, part) {
        return Err(no_such_table(name, &Part::ALL.map(Part::name)));
    }
    let report = report(&directory, &plan, args.side_by_side)?;
    match part {
        None if matches!(format, Format::Terminal) && is_empty(&report) => {
            print("No run was scored: there is nothing to show.\n")
        }
        Some(part) => print(&report.render(part, format, &options)),
        None => print(&report.render_all(format, &options)),
    }
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
    report_of(&records, side_by_side)
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
