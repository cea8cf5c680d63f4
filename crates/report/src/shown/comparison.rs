//! Methods on several families: their figures and their page, as in a comparison.

use std::path::Path;

use ruse_lab::{MeasurementKind, MeetingsSpec};

use super::drawing::{Drawing, Drawings, Look};
use super::page::{RunsPage, figures_of};
use super::runs::{begun, best_run, draw_ablation, draw_learned, draw_learning_curve};
use super::strategies::{all_runs, learned};
use super::{Results, Shown, paper, verdict};
use crate::error::Result;
use crate::figures::{self, Run};
use crate::format::{counted, grouped};
use crate::page::{Page, Section};
use crate::terminal::{Terminal, sentence};
use crate::words::listed;
use crate::{NUM_TARGETS, Report};

impl Shown for MeetingsSpec {
    fn num_meetings(&self) -> Option<u64> {
        Some(self.num_meetings_each() * self.families.len() as u64)
    }

    fn shows_parts(&self) -> bool {
        true
    }

    fn short(&self, results: &Results<'_>, terminal: Terminal) -> Result<Option<[String; 2]>> {
        let report = results.report(false)?;
        let (done, all) = (results.records()?.runs.len(), results.plan.runs.len());
        if done < all {
            (results.say)(&format!("{done} of {} are finished", counted(all as u64, "run")));
        }
        let verdict = verdict::verdict(report, done == all, terminal);
        let payoffs = report.scores.families.iter().filter_map(|family| payoffs(results, family));
        let scores = verdict::scores(report, terminal);
        Ok(Some([payoffs.fold(scores, |text, line| text + &terminal.paragraph(&line)), verdict]))
    }

    fn write_paper(&self, results: &Results<'_>, side_by_side: bool, out: &Path) -> Result<String> {
        paper::write(results, side_by_side, out, |report, look| draw(results, report, look))
    }
}

/// Returns the page about methods on several families. Their champions play `due` meetings, if any.
pub(super) fn page(results: &Results<'_>, side_by_side: bool, due: Option<u64>) -> Result<Page> {
    let page = RunsPage::read(results, side_by_side)?;
    let Report { scores, .. } = page.report;
    let title = format!(
        "{} on {}",
        named(&scores.methods, "method", "methods"),
        named(&scores.families, "family", "families"),
    );
    let rows = results.records()?.measurements.iter();
    let held = rows.filter(|row| row.kind == MeasurementKind::Meeting).count() as u64;
    let meetings = due.map(|due| {
        format!(
            "{} of {} between champions of different methods were played.",
            grouped(held),
            counted(due, "meeting"),
        )
    });
    let summary = [page.num_finished()].into_iter().chain(meetings).collect();
    let drawings = draw(results, page.report, &Look::of_page())?;
    let common = drawings.iter().filter(|drawing| drawing.subject.is_none());
    let mut sections = vec![Section {
        reports: vec![page.table("scores")],
        figures: figures_of(common, "all families"),
        ..Section::titled("Scores against the baseline")
    }];
    // The first tables say the most.
    let first = [("ranking", scores.methods.len() > 1), ("across", page.report.across.is_some())];
    let others = page.tables[0].all_ids().into_iter().filter(|id| page.is_of_all(id));
    let others = others.filter(|id| first.iter().all(|(first, _)| first != id));
    let more = first.into_iter().chain(others.map(|id| (id, true)));
    let more = more.filter(|(id, is_there)| *is_there && *id != "scores");
    let reports = more.map(|(id, _)| page.table(id)).collect();
    sections.push(Section { reports, ..Section::titled("More tables") });
    for family in &scores.families {
        let runs = page.finished_of(family);
        let own = drawings.iter().filter(|drawing| drawing.subject.as_ref() == Some(family));
        let mut section = Section { figures: figures_of(own, family), ..Section::titled(family) };
        if let Some(run) = results.plan.runs.iter().find(|run| run.labels[0] == *family) {
            section.text.push(sentence(run.family.info().summary));
            section.text.extend(payoffs(results, family));
        }
        section.reports.extend(page.of_family(family));
        if let Some((best, file)) = best_run(&runs)? {
            let title = format!("The best of {}", counted(runs.len() as u64, "run"));
            let mut strategy = learned(&file, best.family.as_ref(), title);
            if runs.len() > 1 {
                strategy.found +=
                    " As the highest of several, its score is biased upwards a little.";
            }
            section.strategies.push(strategy);
            section.tables.push(all_runs(&runs)?);
        } else {
            section.text.push("No run of this family is finished.".into());
        }
        sections.push(section);
    }
    let findings = page.report.findings();
    let exploit = "computes missing exploitabilities; with --budget N, lower bounds";
    let more = due.map_or([""; 2], |_| ["ruse exploit DIR", exploit]);
    let shown = Page { title, findings, summary, sections, ..Page::default() };
    page.with(shown, Some(held) < due, more)
}

/// Draws methods on several families, and the worth of parameters.
pub(super) fn draw_all(results: &Results<'_>, look: &Look, side_by_side: bool) -> Drawings {
    let mut drawings = draw(results, results.report(side_by_side)?, look)?;
    drawings.extend(draw_ablation(results.records()?, look)?);
    Ok(drawings)
}

/// Draws a comparison: scores, ranks and targets of the methods and, for each family, head-to-head scores, learning
/// curves and the best strategy.
fn draw(results: &Results<'_>, report: &Report, look: &Look) -> Drawings {
    let seeds = figures::seeds_of(&results.runs());
    let mut drawings = Vec::new();
    if report.scores.ours().next().is_some() {
        let without = match report.scores.ours().any(|cell| cell.mean.withheld.is_some()) {
            true => ", except for fewer than three runs, and for runs in two groups",
            false => "",
        };
        let caption =
            format!("Means over runs, {seeds}; 95% intervals of learning and playing{without}.");
        let figure = figures::scores_of_table(&report.scores, &report.yardsticks, &caption);
        drawings.push(Drawing::of_data("scores", look, figure)?);
    }
    let caption = format!(
        "Mean scores against the baseline, the best at the top; exploitability at least as shown, the safest at the left; {seeds}."
    );
    if let Some(figure) = figures::safety(&report.scores, &report.exploitability, &caption) {
        drawings.push(Drawing::of_data("safety", look, figure)?);
    }
    if let Some(across) = &report.across {
        let caption = format!(
            "{} families, each counted once, {seeds}. A bar joins methods that Nemenyi's test does not distinguish at \
             5%, as if families were independent.",
            across.families.len()
        );
        let figure = figures::critical_difference(across, &caption);
        drawings.push(Drawing::of_data("critical-difference", look, figure)?);
    }
    if !report.targets.curves.is_empty() {
        let caption = format!(
            "{NUM_TARGETS} scores in each of {} families, evenly spaced from the lowest start to the highest score of \
             any run; all runs, {seeds}.",
            report.targets.families.len()
        );
        let figure = figures::targets(&report.targets, &caption);
        drawings.push(Drawing::of_data("targets", look, figure)?);
    }
    for table in &report.head_to_head {
        let caption = format!(
            "Means over the champions of all runs, {seeds}; 95% intervals of learning and playing."
        );
        let figure = figures::head_to_head_of_table(table, &caption);
        let name = format!("head-to-head-{}", table.family);
        drawings.push(Drawing::of_data(name, look, figure)?.about(&table.family));
    }
    let all = begun(results)?;
    for family in &report.scores.families {
        let of_family = all.iter().filter(|run| run.experiment.labels[0] == *family);
        let begun: Vec<Run<'_>> = of_family.copied().collect();
        if begun.is_empty() {
            continue;
        }
        let curves = draw_learning_curve(&begun, format!("learning-curves-{family}"), look)?;
        drawings.push(curves.about(family));
        if let Some((best, _)) = best_run(&begun)? {
            let best = draw_learned(results, best, format!("best-strategy-{family}"), look)?;
            drawings.extend(best.map(|best| best.about(family)));
        }
    }
    Ok(drawings)
}

/// Says what scores are in the unit of a family's payoffs, if there is one.
fn payoffs(results: &Results<'_>, family: &str) -> Option<String> {
    let run = results.plan.runs.iter().find(|run| run.labels[0] == family)?;
    let units = run.family.info().units?;
    let [low, high] = [0.0, 1.0].map(|score| units.text(score, 2));
    Some(format!("Scores from 0 to 1 of {family} are payoffs from {low} to {high}."))
}

/// Lists up to three names; for more names, returns their number.
fn named(names: &[String], one: &str, many: &str) -> String {
    match names.len() {
        0 => format!("no {one}"),
        1..=3 => listed(names, "and"),
        num => format!("{num} {many}"),
    }
}
