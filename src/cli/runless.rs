//! Experiments with their own tables, figures and pages, as commands show them.

mod budgets;
mod round_robin;

use ruse_base::files::write_atomically;
use ruse_base::stop::StopSignal;
use ruse_lab::{Plan, RunDirectory, Study};
use ruse_registry::Registry;
use ruse_report::page::Page;
use ruse_report::{BudgetReport, Options, PortfolioReport, RoundRobinReport, Tables};

use super::drawing::{self, Drawing, Look};
use super::failure::Failure;
use super::output::{self, Finished, write_all};

/// Returns the commands on the page of an experiment, with their effects.
fn commands() -> Vec<(String, String)> {
    let commands = [
        (
            "ruse run DIR/experiment.yaml --out NEW",
            "gives the same results again, with any number of threads",
        ),
        ("ruse table DIR", "prints the tables"),
    ];
    commands.map(|(command, effect)| (command.into(), effect.into())).into()
}

/// An experiment with its own tables, figures and page. All methods use the results so far.
pub(super) trait Runless {
    /// Returns subject and verb for a sentence about the experiment: "portfolios have".
    fn have(&self) -> &'static str;

    /// Returns the names of the tables that commands show at their end, and sentences about the others.
    fn first_tables(&self, directory: &RunDirectory) -> (&'static [&'static str], String);

    /// Returns the tables.
    fn tables(
        &self,
        plan: &Plan,
        directory: &RunDirectory,
        options: &Options,
    ) -> Result<Tables, Failure>;

    /// Draws the results.
    fn draw(
        &self,
        plan: &Plan,
        directory: &RunDirectory,
        look: &Look,
    ) -> Result<Vec<Drawing>, Failure>;

    /// Returns the page about the results.
    fn page(
        &self,
        plan: &Plan,
        directory: &RunDirectory,
        side_by_side: bool,
    ) -> Result<Page, Failure>;

    /// Describes the planned work.
    fn describe(
        &self,
        plan: &Plan,
        registry: &Registry,
        as_json: bool,
        stop: &StopSignal,
    ) -> Result<(), Failure>;
}

/// The names of the tables of these experiments.
pub(super) const TABLES: [(&str, &[&str]); 3] = [
    ("a curve of budgets", &BudgetReport::TABLES),
    ("portfolios", &PortfolioReport::TABLES),
    ("a round robin", &RoundRobinReport::TABLES),
];

/// Returns the experiment of a plan if it has its own tables.
pub(super) fn runless(plan: &Plan) -> Option<&dyn Runless> {
    match &plan.study {
        Study::Budgets(of) => Some(of),
        Study::Portfolios(of) => Some(of),
        Study::RoundRobin(of) => Some(of),
        _ => None,
    }
}

/// Writes the requested outputs of an experiment into its directory.
pub(super) fn write_outputs(
    of: &dyn Runless,
    plan: &Plan,
    directory: &RunDirectory,
) -> Result<(), Failure> {
    let figures = |format: drawing::Format| -> Result<(), Failure> {
        for drawing in of.draw(plan, directory, &Look::of(format))? {
            let name = format!("{}.{}", drawing.name, format.extension());
            let contents = drawing.contents.unwrap_or_default();
            write_atomically(&directory.path().join(name), contents)?;
        }
        Ok(())
    };
    let page = || {
        let page = of.page(plan, directory, false)?;
        Ok(write_atomically(&directory.path().join("report.html"), page.html())?)
    };
    let tables = of.tables(plan, directory, &Options::default())?;
    let tables = tables.with_mistakes(&directory.mistakes()?);
    write_all(plan.study.outputs(), directory, &tables, &figures, &page)
}

/// Prints the results of an experiment.
pub(super) fn tell(
    of: &dyn Runless,
    plan: &Plan,
    directory: &RunDirectory,
    as_json: bool,
) -> Result<(), Failure> {
    let tables = of.tables(plan, directory, &Options::default())?;
    let tables = tables.with_mistakes(&directory.mistakes()?);
    let (first, others) = of.first_tables(directory);
    let shown = tables.only(first);
    let finished = Finished { tables, shown, short: None, others, directory: directory.path() };
    output::write(&finished, as_json)
}
