//! The page about an experiment whose runs are compared by their scores.

use std::collections::HashSet;

use ruse_base::files::reading;
use ruse_lab::{Experiment, STRATEGY};

use super::drawing::{Drawing, Look};
use super::runs::{WORTH, best_run, draw_ablation};
use super::{Results, folded};
use crate::error::Result;
use crate::figures::Run;
use crate::format::{Visibility, counted};
use crate::page::{Column, Markup, Page, Picture, Section, Table};
use crate::{AblationTable, Cell, Options, Report, Tables};

/// The parts of a page about runs.
pub(super) struct RunsPage<'r> {
    pub(super) results: &'r Results<'r>,
    pub(super) report: &'r Report,
    /// The tables of the report, without and with the published figures.
    pub(super) tables: [Tables; 2],
    /// The runs that are not in the records.
    missing: Vec<&'r Experiment>,
}

impl<'r> RunsPage<'r> {
    pub(super) fn read(results: &'r Results<'r>, side_by_side: bool) -> Result<RunsPage<'r>> {
        let report = results.report(side_by_side)?;
        let finished = results.records()?.runs.iter();
        let finished = finished.map(|run| (run.family.as_str(), run.method.as_str(), run.seed));
        let finished: HashSet<(&str, &str, u64)> = finished.collect();
        let is_missing = |run: &&Experiment| {
            let [family, method] = &run.labels;
            !finished.contains(&(family.as_str(), method.as_str(), run.resolved.seed))
        };
        let missing = results.plan.runs.iter().filter(is_missing).collect();
        let mistakes = results.directory.mistakes()?;
        let tables = [false, true].map(|side_by_side| {
            let options = Options { side_by_side, ..Options::default() };
            report.tables(&options).with_mistakes(&mistakes)
        });
        Ok(RunsPage { results, report, tables, missing })
    }

    /// Adds the worth of parameters, the unfinished runs and the commands to a page. `is_partial` is true if work is
    /// left after the runs, and `more` is a command that adds to the results, with its effect; both are empty without one.
    pub(super) fn with(&self, mut page: Page, is_partial: bool, more: [&str; 2]) -> Result<Page> {
        page.sections.extend(self.ablation()?);
        for run in &self.missing {
            let is_begun = self.results.directory.has_begun(run)?;
            let state = if is_begun { "begun" } else { "not begun" };
            let [family, method] = &run.labels;
            page.missing.push(format!("{family}, {method}, seed {}: {state}", run.resolved.seed));
        }
        let experiment = self.results.directory.experiment().into();
        Ok(Page { experiment, commands: self.commands(is_partial, more)?, ..page })
    }

    /// Returns a section with the measured worth of parameters, if any.
    fn ablation(&self) -> Result<Option<Section>> {
        let records = self.results.records()?;
        let worths = AblationTable::all(records);
        if worths.is_empty() {
            return Ok(None);
        }
        let num_parameters = |row: &_| self.results.plan.num_parameters(row);
        let table = |worths: &AblationTable| Table {
            title: format!("{}: {}, seed {}", worths.family, worths.method, worths.seed),
            columns: AblationTable::COLUMNS.map(Column::new).into(),
            rows: worths.rows(num_parameters).into_iter().map(Vec::from).collect(),
            is_folded: false,
        };
        Ok(Some(Section {
            text: worths.iter().map(|table| table.sentences().join(" ")).collect(),
            figures: figures_of(&draw_ablation(records, &Look::of_page())?, "champions"),
            tables: worths.iter().map(table).collect(),
            ..Section::titled("The worth of parameters")
        }))
    }

    /// Returns `true` if the table with this name is about all families together.
    pub(super) fn is_of_all(&self, id: &str) -> bool {
        let of = self.tables[0].tables.iter().filter(|table| table.id == id);
        of.clone().all(|table| table.family.is_none() && table.shown != Visibility::OnRequest)
    }

    pub(super) fn is_missing(&self, run: &Experiment) -> bool {
        self.missing.iter().any(|missing| std::ptr::eq(*missing, run))
    }

    /// Returns the finished runs of a family.
    pub(super) fn finished_of(&self, family: &str) -> Vec<Run<'r>> {
        let is_of = |run: &Run<'_>| run.experiment.labels[0] == *family;
        let runs = self.results.runs().into_iter().filter(is_of);
        runs.filter(|run| !self.is_missing(run.experiment)).collect()
    }

    pub(super) fn num_finished(&self) -> String {
        let all = self.results.plan.runs.len();
        let done = all - self.missing.len();
        match done == all {
            true if all == 1 => "The run is finished.".into(),
            true => format!("All {} are finished.", counted(all as u64, "run")),
            false => format!("{done} of {} are finished.", counted(all as u64, "run")),
        }
    }

    pub(super) fn has_published_scores(&self) -> bool {
        self.report.scores.cells.iter().flatten().any(is_published)
    }

    /// Renders a table, with the published figures, if any.
    pub(super) fn table(&self, id: &str) -> Markup {
        folded(&self.tables[usize::from(self.has_published_scores())], &[id], id == "scores")
    }

    /// Renders the tables of a family, with the published figures, if any.
    pub(super) fn of_family(&self, family: &str) -> Vec<Markup> {
        let mut meetings = self.report.head_to_head.iter().filter(|table| table.family == family);
        let has_published = meetings.any(|table| table.cells.iter().flatten().any(is_published));
        let tables = self.tables[usize::from(has_published)].of_family(family);
        let mut ids = tables.ids();
        ids.sort_by_key(|id| *id != "head-to-head");
        ids.into_iter().map(|id| folded(&tables, &[id], false)).collect()
    }

    fn commands(&self, is_unfinished: bool, more: [&str; 2]) -> Result<Vec<(String, String)>> {
        let Results { plan, directory, .. } = self.results;
        let is_timed = plan.runs.iter().any(|run| run.budget.time.is_some());
        let again = match is_timed {
            false => "gives the same results again, on any number of threads",
            true => "repeats it; the time is limited, so results differ from machine to machine",
        };
        let is_unfinished = is_unfinished || !self.missing.is_empty();
        let is_open = !directory.is_published();
        let ablate = "adds the worth of the parameters of the champions to this page";
        let commands = [
            ("ruse run DIR/experiment.yaml --out NEW", again, true),
            ("ruse resume DIR", "continues the unfinished work", is_unfinished && is_open),
            ("ruse table DIR --side-by-side", "prints the tables", true),
            (more[0], more[1], is_open && !more[0].is_empty()),
            ("ruse report DIR --ablate", ablate, true),
            ("ruse plot DIR", "draws the figures, one file each", true),
            ("ruse report DIR", "writes this page", true),
        ];
        let commands = commands.into_iter().filter(|(.., is_shown)| *is_shown);
        let commands = commands.map(|(command, effect, _)| (command.into(), effect.into()));
        Ok(self.best_strategies()?.into_iter().chain(commands).collect())
    }

    /// Returns the commands that show the best strategies: the champion or, in a comparison, the strategy with the
    /// highest score in each family.
    fn best_strategies(&self) -> Result<Vec<(String, String)>> {
        let Results { directory, .. } = self.results;
        if directory.is_published() {
            return Ok(Vec::new());
        }
        if reading::is_there(&directory.path().join(STRATEGY))? {
            let command = format!("ruse show DIR/{STRATEGY}");
            return Ok(vec![(command, "explains the champion".into())]);
        }
        let mut commands = Vec::new();
        for family in &self.report.scores.families {
            let runs = self.finished_of(family);
            let Some((best, _)) = best_run(&runs)? else { continue };
            let what = match runs.len() {
                1 => format!("explains the strategy of {family}"),
                _ => format!("explains the best strategy of {family}"),
            };
            let path = directory.strategy_path(best);
            let path = path.strip_prefix(directory.path()).unwrap_or(&path).display();
            commands.push((format!("ruse show DIR/{path}"), what));
        }
        Ok(commands)
    }
}

fn is_published<T>(cell: &Cell<T>) -> bool {
    cell.published.is_some()
}

pub(super) fn figures_of<'d>(
    drawings: impl IntoIterator<Item = &'d Drawing>,
    about: &str,
) -> Vec<Picture> {
    let picture = |drawing: &Drawing| {
        let name = drawing.name.as_str();
        let what = match name {
            "scores" => "scores against the baseline, by family and method",
            "targets" => "the share of targets that runs reach, by games",
            "critical-difference" => "mean ranks of the methods, and which do not differ clearly",
            _ if name.starts_with(WORTH) => "the worth of groups of parameters, with intervals",
            _ if name.starts_with("head-to-head") => "scores of methods against each other",
            _ if name.starts_with("learning-curve") => {
                "scores against the baseline while learning, by games played"
            }
            _ => "a picture of the strategy; the text below describes it",
        };
        drawing.picture(format!("{about}: {what}"))
    };
    drawings.into_iter().filter_map(picture).collect()
}
