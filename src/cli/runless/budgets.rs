//! Curves of budgets: their tables, figures and pages.

use ruse_base::stop::StopSignal;
use ruse_lab::{BudgetsPlan, Plan, RunDirectory};
use ruse_registry::Registry;
use ruse_report::page::{Markup, Page, Section};
use ruse_report::{BudgetReport, Format, Options, Tables};

use super::{Runless, commands};
use crate::cli::drawing::{Drawing, Look};
use crate::cli::dry_run;
use crate::cli::failure::Failure;
use crate::cli::format::counted;
use crate::cli::table::records;

fn read(of: &BudgetsPlan, plan: &Plan, directory: &RunDirectory) -> Result<BudgetReport, Failure> {
    let records = records(directory, plan)?;
    BudgetReport::new(of, &records).map_err(|error| Failure::bad_input(error.to_string()))
}

fn draw_report(report: &BudgetReport, look: &Look) -> Result<Vec<Drawing>, Failure> {
    let curve = report.curve().map(|figure| {
        Drawing::new("score-by-budget", look, || Ok(ruse_plots::Checked::new(figure)?))
    });
    curve.into_iter().collect()
}

impl Runless for BudgetsPlan {
    fn have(&self) -> &'static str {
        "a curve of budgets has"
    }

    fn first_tables(&self, directory: &RunDirectory) -> (&'static [&'static str], String) {
        let path = directory.path().display();
        let others = format!(
            "`ruse plot {path}` draws the curve, and `ruse report {path}` writes a page with both."
        );
        (&BudgetReport::TABLES, others)
    }

    fn tables(
        &self,
        plan: &Plan,
        directory: &RunDirectory,
        _: &Options,
    ) -> Result<Tables, Failure> {
        Ok(read(self, plan, directory)?.tables())
    }

    fn draw(
        &self,
        plan: &Plan,
        directory: &RunDirectory,
        look: &Look,
    ) -> Result<Vec<Drawing>, Failure> {
        draw_report(&read(self, plan, directory)?, look)
    }

    fn page(&self, plan: &Plan, directory: &RunDirectory, _: bool) -> Result<Page, Failure> {
        let report = read(self, plan, directory)?;
        let html = report
            .tables()
            .with_mistakes(&directory.mistakes()?)
            .render(Format::Html, &Options::default());
        let drawings = draw_report(&report, &Look::of_page())?;
        let figures = drawings.iter().filter_map(|drawing| drawing.picture(&drawing.name));
        let scores = Section {
            title: "Score by budget".into(),
            reports: vec![Markup(html).folded(false)],
            figures: figures.collect(),
            ..Section::default()
        };
        let num_finished: usize = report.scores.iter().map(|score| score.num_runs).sum();
        let missing = plan.runs.len() - num_finished;
        Ok(Page {
            title: format!("{}: {} by budget", self.family, self.method),
            summary: vec![format!(
                "{} with {} of each budget.",
                counted(self.budgets.len() as u64, "budget"),
                counted(self.num_repeats as u64, "run"),
            )],
            missing: (missing > 0).then(|| counted(missing as u64, "run")).into_iter().collect(),
            sections: vec![scores],
            experiment: directory.experiment().into(),
            commands: commands(),
            ..Page::default()
        })
    }

    fn describe(
        &self,
        plan: &Plan,
        _: &Registry,
        as_json: bool,
        stop: &StopSignal,
    ) -> Result<(), Failure> {
        dry_run::describe(plan, as_json, stop)
    }
}
