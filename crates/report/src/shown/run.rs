//! One run: what is shown of it.

use ruse_lab::{NoStudy, Outcome};

use super::drawing::{Drawing, Look};
use super::outcome::OneRun;
use super::page::{RunsPage, figures_of};
use super::runs::{draw_all, draw_each};
use super::strategies::{found, learned, learned_in, score_in_words};
use super::{Results, Shown};
use crate::discovery::briefly;
use crate::error::Result;
use crate::page::{Page, Section};
use crate::terminal::{Answer, Terminal, sentence};

impl Shown for NoStudy {
    fn draw(&self, results: &Results<'_>, look: &Look, side_by_side: bool) -> Result<Vec<Drawing>> {
        draw_all(results, look, side_by_side)
    }

    fn page(&self, results: &Results<'_>, side_by_side: bool) -> Result<Page> {
        let page = RunsPage::read(results, side_by_side)?;
        let run = &results.plan.runs[0];
        let spec = &run.resolved;
        let title = format!("{}: {}, seed {}", spec.family, briefly(spec), spec.seed);
        let mut summary = vec![sentence(run.family.info().summary)];
        let mut sections = Vec::new();
        let drawings = draw_each(results, &Look::of_page())?;
        let (curves, pictures): (Vec<_>, Vec<_>) =
            drawings.iter().partition(|drawing| drawing.name.starts_with("learning-curve"));
        match !page.is_missing(run) {
            true => {
                let file = learned_in(results.directory, run)?;
                summary.extend(found(&file, run.family.as_ref()));
                summary.extend(score_in_words(&file));
                let mut strategy = learned(&file, run.family.as_ref(), "How it plays".into());
                // The summary has this text.
                strategy.found.clear();
                sections.push(Section {
                    figures: figures_of(pictures, &spec.family),
                    strategies: vec![strategy],
                    ..Section::titled("The strategy")
                });
            }
            false => summary.push("The run is not finished.".into()),
        }
        if !curves.is_empty() {
            let figures = figures_of(curves, &spec.family);
            sections.push(Section { figures, ..Section::titled("How it was learned") });
        }
        if page.has_published_scores() {
            let title = "Comparison with the published figures";
            let reports = vec![page.table("scores")];
            sections.push(Section { reports, ..Section::titled(title) });
        }
        page.with(Page { title, summary, sections, ..Page::default() }, false, [""; 2])
    }

    fn has_curves(&self) -> bool {
        true
    }

    fn answer<'o>(
        &self,
        results: &'o Results<'_>,
        outcome: &'o mut Outcome<'_>,
        terminal: Terminal,
    ) -> Result<Option<Box<dyn Answer + 'o>>> {
        outcome.runs.iter_mut().for_each(|run| run.measure_against_start(results.stop));
        // Without an outcome, the run was interrupted before its first iteration.
        let Some(run) = outcome.runs.first() else { return Ok(None) };
        Ok(Some(Box::new(OneRun::read(run, results.directory, terminal)?)))
    }
}
