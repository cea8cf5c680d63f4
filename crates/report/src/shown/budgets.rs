//! Curves of budgets: what is shown of them.

use std::path::Path;

use ruse_lab::BudgetsPlan;

use super::drawing::{Drawing, Look};
use super::{Results, Shown, folded, pictures, reproduction};
use crate::error::Result;
use crate::format::counted;
use crate::page::{Page, Section};
use crate::{BudgetReport, Options, Tables};

fn read(of: &BudgetsPlan, results: &Results<'_>) -> Result<BudgetReport> {
    Ok(BudgetReport::new(of, results.records()?)?)
}

fn draw(report: &BudgetReport, look: &Look) -> Result<Vec<Drawing>> {
    let curve = report.curve().map(|figure| Drawing::of_data("score-by-budget", look, figure));
    curve.into_iter().collect()
}

impl Shown for BudgetsPlan {
    fn subject(&self) -> &'static str {
        "the experiment"
    }

    fn first_tables(&self, path: &Path) -> (&'static [&'static str], String) {
        let path = path.display();
        let others = format!(
            "`ruse plot {path}` draws the curve, and `ruse report {path}` writes a page with both."
        );
        (&BudgetReport::TABLES, others)
    }

    fn tables(&self, results: &Results<'_>, _: &Options) -> Result<Tables> {
        Ok(read(self, results)?.tables())
    }

    fn draw(&self, results: &Results<'_>, look: &Look, _: bool) -> Result<Vec<Drawing>> {
        draw(&read(self, results)?, look)
    }

    fn page(&self, results: &Results<'_>, _: bool) -> Result<Page> {
        let report = read(self, results)?;
        let tables = report.tables().with_mistakes(&results.directory.mistakes()?);
        let scores = Section {
            reports: vec![folded(&tables, &BudgetReport::TABLES, false)],
            figures: pictures(&draw(&report, &Look::of_page())?),
            ..Section::titled("Score by budget")
        };
        let num_finished: usize = report.scores.iter().map(|score| score.num_runs).sum();
        let missing = results.plan.runs.len() - num_finished;
        Ok(Page {
            title: format!("{}: {} by budget", self.family, self.method),
            summary: vec![format!(
                "{} with {} of each budget.",
                counted(self.budgets.len() as u64, "budget"),
                counted(self.num_repeats as u64, "run"),
            )],
            missing: (missing > 0).then(|| counted(missing as u64, "run")).into_iter().collect(),
            sections: vec![scores],
            experiment: results.directory.experiment().into(),
            commands: reproduction(),
            ..Page::default()
        })
    }
}
