//! The runs of all methods on one family, and the races of their champions: what is shown of them.

use ruse_base::files::{DirectoryError, reading};
use ruse_lab::{
    CHAMPIONSHIP, ChampionshipSpec, Experiment, Outcome, PlanSpec, RunDirectory, STRATEGY,
    StrategyFile,
};

use super::drawing::{Drawing, Look};
use super::outcome::AllRuns;
use super::page::{RunsPage, figures_of};
use super::runs::{draw_all, draw_each, draw_methods};
use super::strategies::{learned, learned_in, score_in_words, typed};
use super::{Results, Shown};
use crate::discovery::nothing_found;
use crate::error::Result;
use crate::format::{counted, grouped, score};
use crate::page::{Column, Page, Section, Table};
use crate::terminal::{Answer, Terminal, sentence};

impl Shown for ChampionshipSpec {
    fn draw(&self, results: &Results<'_>, look: &Look, side_by_side: bool) -> Result<Vec<Drawing>> {
        draw_all(results, look, side_by_side)
    }

    fn page(&self, results: &Results<'_>, side_by_side: bool) -> Result<Page> {
        let page = RunsPage::read(results, side_by_side)?;
        let Results { plan, directory, .. } = *results;
        let first = &plan.runs[0];
        let (family, seed) = (&first.resolved.family, first.resolved.seed);
        let title = format!("{family}: all methods, seed {seed}");
        let mut summary = vec![sentence(first.family.info().summary), page.num_finished()];
        let mut sections = Vec::new();
        let look = Look::of_page();
        let drawings = draw_each(results, &look)?;
        let together = draw_methods(results, &look, side_by_side)?;
        let champion = directory.path().join(STRATEGY);
        let is_over = reading::is_there(&champion)?;
        if is_over {
            let file = StrategyFile::read(&champion)?.checked(&champion, first.family.as_ref())?;
            let method =
                file.found.as_ref().map_or("an unknown method", |found| found.method.as_str());
            summary.push(format!(
                "In races between the champions, no other has a higher mean score than the champion of {method}. This is \
                 one run of each method; other seeds may give another ranking."
            ));
            let nothing = nothing_found(&file, first.family.as_ref());
            let mut strategy = learned(&file, first.family.as_ref(), "How it plays".into());
            if let Some(nothing) = nothing {
                summary.push(typed(&nothing));
                strategy.found.clear();
            }
            summary.extend(score_in_words(&file));
            let pictures = drawings.iter().filter(|drawing| drawing.subject.is_none());
            sections.push(Section {
                figures: figures_of(pictures, family),
                strategies: vec![strategy],
                ..Section::titled("The champion")
            });
        } else {
            summary.push("The champions have not met.".into());
        }
        sections.push(Section {
            reports: vec![page.table("scores")],
            tables: races(directory)?.into_iter().collect(),
            figures: figures_of(&together, family),
            ..Section::titled("The methods")
        });
        for run in &plan.runs {
            let name = run.run_name();
            let own = drawings.iter().filter(|drawing| drawing.subject.as_ref() == Some(&name));
            let figures = figures_of(own, &run.resolved.method);
            let mut section = Section { figures, ..Section::titled(&run.resolved.method) };
            if page.is_missing(run) {
                section.text.push("The run is not finished.".into());
            } else {
                let file = learned_in(directory, run)?;
                section.strategies.push(learned(&file, run.family.as_ref(), "How it plays".into()));
            }
            sections.push(section);
        }
        page.with(Page { title, summary, sections, ..Page::default() }, !is_over, [""; 2])
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
        let Results { plan, directory, .. } = *results;
        let PlanSpec::Run(spec) = &plan.resolved else { return Ok(None) };
        Ok(Some(Box::new(AllRuns { plan, spec, all: outcome, directory, terminal })))
    }

    /// Returns the run of the winner, if the champions have raced.
    fn described<'r>(&self, results: &Results<'r>) -> Result<Vec<&'r Experiment>> {
        let path = results.directory.path().join(STRATEGY);
        if !reading::is_there(&path)? {
            return Ok(Vec::new());
        }
        let winner = StrategyFile::read(&path)?.found.map(|found| found.method);
        let runs = results.champions()?.into_iter().map(|subject| subject.experiment);
        Ok(runs.filter(|run| Some(&run.resolved.method) == winner.as_ref()).collect())
    }
}

/// Returns the table of the races between the champions of all methods, if they were played.
fn races(directory: &RunDirectory) -> Result<Option<Table>, DirectoryError> {
    let Some(text) = directory.read_finale(CHAMPIONSHIP)? else { return Ok(None) };
    // A list vouches for the text.
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
    let mut records = reader.records().flatten();
    let columns = records.next().unwrap_or_default().iter().map(Column::new).collect();
    let cell = |text: &str| match text.parse::<f64>() {
        Ok(number) if text.contains('.') => score(number, 3),
        _ => text.parse().map_or(text.to_string(), grouped),
    };
    let rows: Vec<Vec<String>> = records.map(|row| row.iter().map(cell).collect()).collect();
    let title = format!("{} between champions: the score of a", counted(rows.len() as u64, "race"));
    Ok(Some(Table { title, columns, rows, is_folded: true }))
}
