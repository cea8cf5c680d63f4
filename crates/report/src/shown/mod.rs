//! What commands, pages and files show of an experiment, for each kind of experiment.
//!
//! A kind of experiment implements [`Shown`], and has a line in [`shown`]. Commands call its methods with the
//! [`Results`], and print what they return.

mod budgets;
mod championship;
mod comparison;
mod drawing;
mod outcome;
mod page;
mod paper;
mod planned;
mod portfolios;
mod round_robin;
mod run;
mod runs;
mod strategies;
mod verdict;

use std::cell::OnceCell;
use std::path::Path;

use ruse_base::files::{Replaces, write_atomically, write_output};
use ruse_base::stop::StopSignal;
use ruse_lab::{
    Experiment, NoStudy, Outcome, Output, Plan, Product, Records, RunDirectory, RunOutcome, Study,
    Subject, read_curves, read_records, read_subjects,
};
use ruse_plots::{Checked, Sheet};
use ruse_registry::Registry;
use serde_json::Value;

pub use drawing::{Drawing, Look};
pub use paper::check_paper;
pub use planned::{Machine, MeasureSpeed, Planned, Speeds, excess, measure, starts, with_programs};
pub use portfolios::draw_study;
pub use runs::{best_run, draw_populations, draw_strategy};

pub use crate::figure_format::FigureFormat;

use crate::error::Result;
use crate::figures::{Run, learning_curves};
use crate::format::counted;
use crate::page::{Markup, Page, Picture};
use crate::terminal::{Answer, LINES, Terminal};
use crate::{
    BudgetReport, Format, Options, PortfolioReport, Published, Report, ReportError,
    RoundRobinReport, Tables,
};

/// The tables, figures, pages and sentences about a kind of experiment. By default, they are about methods that learn on
/// several families, and their scores. All methods use the results so far. They return an
/// error if files cannot be read or written, or if the games for a figure were stopped.
pub trait Shown {
    /// Returns subject and verb for a sentence about an experiment without runs: "portfolios have".
    fn have(&self) -> &'static str {
        "this experiment has"
    }

    /// Returns the subject of the sentence that all work is finished.
    fn subject(&self) -> &'static str {
        "the run"
    }

    /// Returns the planned work, with the time that it takes on this machine.
    fn planned(&self, plan: &Plan, machine: &Machine<'_>) -> Result<Planned> {
        planned::runs(plan, machine)
    }

    /// Returns the number of meetings between champions of different methods; `None` if champions do not meet.
    fn num_meetings(&self) -> Option<u64> {
        None
    }

    /// Returns the number of finished parts of an unfinished experiment, for people.
    fn unfinished(&self, results: &Results<'_>) -> Result<Option<String>> {
        results.unfinished_runs()
    }

    /// Returns the tables.
    fn tables(&self, results: &Results<'_>, options: &Options) -> Result<Tables> {
        results.tables_of_runs(options)
    }

    /// Returns the names of the tables that commands show at their end, and sentences about the others. `path` is the
    /// directory of the experiment.
    fn first_tables(&self, path: &Path) -> (&'static [&'static str], String) {
        let path = path.display();
        let others = format!(
            "`ruse table {path}` prints these and the other tables: effort, targets, references, across (tests of methods over \
             families) and exploitability; with `--only NAME` one of them. `ruse report {path}` puts all on a page."
        );
        (&Report::FIRST, others)
    }

    /// Draws the results. With `side_by_side`, figures show the published scores beside ours.
    fn draw(&self, results: &Results<'_>, look: &Look, side_by_side: bool) -> Result<Vec<Drawing>> {
        comparison::draw_all(results, look, side_by_side)
    }

    /// Returns the page about the results. With `side_by_side`, it shows the published figures beside ours.
    fn page(&self, results: &Results<'_>, side_by_side: bool) -> Result<Page> {
        comparison::page(results, side_by_side, self.num_meetings())
    }

    /// Returns `true` if outputs are also written of an experiment that was stopped.
    fn shows_parts(&self) -> bool {
        false
    }

    /// Returns `true` if the learning curve of each run is among the outputs.
    fn has_curves(&self) -> bool {
        false
    }

    /// Returns the body and the verdict of an answer shorter than the tables, if any.
    fn short(&self, results: &Results<'_>, terminal: Terminal) -> Result<Option<[String; 2]>> {
        let _ = (results, terminal);
        Ok(None)
    }

    /// Returns the results for a terminal, or `None` if there is nothing to show.
    fn answer<'o>(
        &self,
        results: &'o Results<'_>,
        outcome: &'o mut Outcome<'_>,
        terminal: Terminal,
    ) -> Result<Option<Box<dyn Answer + 'o>>> {
        let _ = outcome;
        let short = self.short(results, terminal)?;
        let tables = results.tables(&Options::default())?;
        let directory = results.directory.path();
        let (first, others) = self.first_tables(directory);
        let shown = tables.only(first);
        Ok(Some(Box::new(Finished { tables, shown, short, others, directory, terminal })))
    }

    /// Returns the runs whose champions the page describes.
    fn described<'r>(&self, results: &Results<'r>) -> Result<Vec<&'r Experiment>> {
        results.best_of_families()
    }

    /// Writes the tables, figures and bibliography for a paper into a directory. Also writes the document that uses them
    /// and its Makefile, unless they exist. Returns a message for the user.
    fn write_paper(&self, results: &Results<'_>, side_by_side: bool, out: &Path) -> Result<String> {
        let _ = (side_by_side, out);
        Err(ReportError::NoComparison(results.directory.path().into()))
    }
}

/// Returns what is shown of an experiment of this kind.
pub fn shown(study: &Study) -> &dyn Shown {
    match study {
        Study::None => &NoStudy,
        Study::Championship(spec) => spec,
        Study::Meetings(spec) => spec,
        Study::Budgets(plan) => plan,
        Study::Portfolios(plan) => plan,
        Study::RoundRobin(plan) => plan,
    }
}

/// The kinds of experiments whose tables differ from those of a [`Report`], with the names of the tables.
pub const TABLES: [(&str, &[&str]); 3] = [
    ("a curve of budgets", &BudgetReport::TABLES),
    ("portfolios", &PortfolioReport::TABLES),
    ("a round robin", &RoundRobinReport::TABLES),
];

/// The results of an experiment, finished or not. They are read from the directory when needed, with an error if this is
/// not possible.
pub struct Results<'a> {
    /// The experiment.
    pub plan: &'a Plan,
    /// The directory of the results.
    pub directory: &'a RunDirectory,
    /// The families and methods.
    pub registry: &'a Registry,
    /// Stops the games that figures need.
    pub stop: &'a StopSignal,
    /// Receives remarks.
    pub say: &'a dyn Fn(&str),
    records: OnceCell<Records>,
    /// The reports without and with published figures.
    reports: [OnceCell<Report>; 2],
}

/// Returns the value of a cell, which is computed only once.
fn once<T, E>(cell: &OnceCell<T>, compute: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    match cell.get() {
        Some(value) => Ok(value),
        None => compute().map(|value| cell.get_or_init(|| value)),
    }
}

impl<'a> Results<'a> {
    /// Creates the results of a plan in its directory. `stop` stops the games that figures need, and `say` receives
    /// remarks.
    pub fn new(
        plan: &'a Plan,
        directory: &'a RunDirectory,
        registry: &'a Registry,
        stop: &'a StopSignal,
        say: &'a dyn Fn(&str),
    ) -> Results<'a> {
        let (records, reports) = Default::default();
        Results { plan, directory, registry, stop, say, records, reports }
    }

    /// Returns what is shown of this kind of experiment.
    pub fn kind(&self) -> &'a dyn Shown {
        shown(&self.plan.study)
    }

    /// Returns the records of the finished runs, with their learning curves.
    pub fn records(&self) -> Result<&Records> {
        once(&self.records, || {
            let mut records = read_records(self.directory, self.plan)?;
            records.curves = read_curves(self.directory, self.plan)?;
            Ok(records)
        })
    }

    /// Returns all runs, by family.
    pub fn runs(&self) -> Vec<Run<'a>> {
        let Results { plan, directory, .. } = *self;
        plan.runs.iter().map(|experiment| Run { directory, experiment }).collect()
    }

    /// Returns the report about the finished runs, with the published figures if `side_by_side`.
    pub(crate) fn report(&self, side_by_side: bool) -> Result<&Report> {
        once(&self.reports[usize::from(side_by_side)], || {
            let published = side_by_side.then(Published::cauwet_teytaud_2018);
            Ok(Report::new(self.records()?, published.as_ref())?)
        })
    }

    /// Returns the tables, with remarks on the mistakes of programs.
    pub fn tables(&self, options: &Options) -> Result<Tables> {
        Ok(self.kind().tables(self, options)?.with_mistakes(&self.directory.mistakes()?))
    }

    /// Writes the tables in one format into the directory.
    pub fn write_tables(&self, format: Format) -> Result<()> {
        let tables = self.tables(&Options::default())?;
        for id in tables.ids() {
            let text = tables.only(&[id]).render(format, &Options::default());
            self.directory.write_text(&format!("table-{id}.{}", format.extension()), &text)?;
        }
        Ok(())
    }

    /// Writes the figures in one format into the directory.
    fn write_figures(&self, format: FigureFormat) -> Result<()> {
        for drawing in self.kind().draw(self, &Look::of(format), false)? {
            let name = format!("{}.{}", drawing.name, format.extension());
            let contents = drawing.contents.unwrap_or_default();
            write_atomically(&self.directory.path().join(name), contents)?;
        }
        Ok(())
    }

    /// Writes the outputs that the experiment requests into the directory.
    pub fn write_outputs(&self, outcome: &Outcome<'_>) -> Result<()> {
        if self.kind().has_curves() {
            self.write_learning_curves(outcome)?;
        }
        if outcome.was_stopped && !self.kind().shows_parts() {
            return Ok(());
        }
        for output in self.plan.study.outputs() {
            match output {
                Output::Md => self.write_tables(Format::Markdown)?,
                Output::Csv => self.write_tables(Format::Csv)?,
                Output::Tex => self.write_tables(Format::Latex)?,
                Output::Json => self.write_tables(Format::Json)?,
                Output::Svg => self.write_figures(FigureFormat::Svg)?,
                Output::Png => self.write_figures(FigureFormat::Png)?,
                Output::Html => {
                    let page = self.kind().page(self, false)?.html();
                    let out = self.directory.path().join("report.html");
                    write_output(&out, Replaces::Page, page)?;
                }
            }
        }
        Ok(())
    }

    /// Writes the learning curves of these runs into the directory, one figure each. They are drawn again after every
    /// resumption, because the program may have been stopped before a figure showed the whole run.
    fn write_learning_curves(&self, outcome: &Outcome<'_>) -> Result<()> {
        let Results { plan, directory, .. } = *self;
        for RunOutcome { experiment, .. } in &outcome.runs {
            let curve = Checked::new(learning_curves(&[Run { directory, experiment }])?)?;
            let name = match plan.runs.len() {
                1 => "learning-curve.svg".into(),
                _ => format!("learning-curve-{}.svg", experiment.labels[1]),
            };
            directory.write_text(&name, &ruse_plots::svg(&curve, Sheet::default()))?;
        }
        Ok(())
    }

    /// Returns the tables of a [`Report`]. People see a sentence instead if no run has a score.
    fn tables_of_runs(&self, options: &Options) -> Result<Tables> {
        let report = self.report(options.side_by_side)?;
        let is_empty = report.scores.ours().next().is_none();
        let absent = is_empty.then_some("No run has a score yet: there is nothing to show.");
        let tables = match options.target {
            Some(target) => report.clone().with_target(self.records()?, target).tables(options),
            None => report.tables(options),
        };
        Ok(Tables { absent, ..tables })
    }

    /// Returns the champions of the finished runs. Unfinished runs may have strategies, but these are not final.
    fn champions(&self) -> Result<Vec<Subject<'a>>> {
        let mut finished = read_subjects(self.directory, self.plan)?;
        finished.retain(|subject| subject.product == Product::Champion);
        Ok(finished)
    }

    /// Returns the run with the highest score in each family.
    fn best_of_families(&self) -> Result<Vec<&'a Experiment>> {
        let finished = self.champions()?;
        let family = |subject: &Subject<'a>| &subject.experiment.labels[0];
        let scored =
            |subject: &Subject<'a>| Some((subject.strategy.score()?.score, subject.experiment));
        let best = finished.chunk_by(|a, b| family(a) == family(b)).filter_map(|of_family| {
            let scored = of_family.iter().filter_map(scored);
            scored.max_by(|(x, _), (y, _)| x.total_cmp(y)).map(|(_, experiment)| experiment)
        });
        Ok(best.collect())
    }

    /// Sends the remark that some results are missing, if so.
    pub fn say_unfinished(&self) -> Result<()> {
        self.kind().unfinished(self)?.iter().for_each(|text| (self.say)(text));
        Ok(())
    }

    /// Returns the number of finished runs if some are unfinished, for people.
    fn unfinished_runs(&self) -> Result<Option<String>> {
        let (done, all) = (self.records()?.runs.len(), self.plan.runs.len());
        let path = self.directory.path().display();
        let all_runs = counted(all as u64, "run");
        Ok((done < all).then(|| match self.directory.is_published() {
            true => format!("{done} of {all_runs} are published in {path}"),
            false => format!("{done} of {all_runs} are finished; `ruse resume {path}` continues"),
        }))
    }
}

/// Returns commands on the page of an experiment, with their effects.
fn reproduction() -> Vec<(String, String)> {
    let again = "gives the same results again, with any number of threads";
    let commands = [
        ("ruse run DIR/experiment.yaml --out NEW", again),
        ("ruse table DIR", "prints the tables"),
    ];
    commands.map(|(command, effect)| (command.into(), effect.into())).into()
}

/// Renders these tables for a page, folded. The first is open if `is_open`.
fn folded(tables: &Tables, ids: &[&str], is_open: bool) -> Markup {
    Markup(tables.only(ids).render(Format::Html, &Options::default())).folded(is_open)
}

/// Returns figures for a page. Their names describe them.
fn pictures(drawings: &[Drawing]) -> Vec<Picture> {
    drawings.iter().filter_map(|drawing| drawing.picture(&drawing.name)).collect()
}

/// The tables of an experiment, and the directory of its files.
struct Finished<'a> {
    /// All tables, for JSON.
    tables: Tables,
    /// The tables of the full page.
    shown: Tables,
    /// The short answer: its body, and its last paragraph, with the verdict. `None` means that it consists of the
    /// tables.
    short: Option<[String; 2]>,
    /// A sentence that names the tables not shown, and says how to see them; empty if all are shown.
    others: String,
    directory: &'a Path,
    terminal: Terminal,
}

impl Answer for Finished<'_> {
    fn page(&self) -> String {
        if self.tables.absent.is_some() {
            return String::new();
        }
        let tables = self.shown.render(Format::Terminal, &self.terminal.options());
        let others = match self.others.as_str() {
            "" => String::new(),
            others => self.terminal.paragraph(others),
        };
        format!("{tables}\n{others}{}", self.terminal.written_to(self.directory))
    }

    fn answer(&self) -> String {
        let terminal = &self.terminal;
        let written = terminal.written_to(self.directory);
        let short = self.short.as_ref().filter(|_| self.tables.absent.is_none());
        let Some([body, verdict]) = short else {
            let page = self.page();
            return match terminal.height(&page) <= LINES {
                true => page,
                false => terminal.with_hint(&terminal.first_blocks(LINES - 3, &page)) + &written,
            };
        };
        let path = self.directory.display();
        let others = terminal.paragraph(&format!(
            "`ruse table {path}` prints all tables, `ruse report {path}` makes a page of them."
        ));
        let others = if terminal.is_quiet { String::new() } else { others };
        format!("{body}{others}{}", terminal.ending(&written, verdict))
    }

    fn object(&self) -> Value {
        let mut object = self.tables.to_json();
        object["out"] = self.directory.display().to_string().into();
        object
    }
}
