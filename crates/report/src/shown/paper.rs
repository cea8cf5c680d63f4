//! Writes the tables, figures and bibliography of a comparison for a paper.

use std::collections::BTreeSet;
use std::path::Path;

use ruse_base::files::{Replaces, check_output, write_output};
use ruse_lab::Experiment;
use ruse_plots::{OutputWidth, Sheet};

use super::Results;
use super::drawing::{Drawing, Look};
use crate::error::Result;
use crate::figure_format::FigureFormat;
use crate::paper::{BIBLIOGRAPHY, DOCUMENT, MAKEFILE, Paper};
use crate::{Report, ReportError};

/// The width of a column of a two-column page.
const COLUMN: OutputWidth = OutputWidth::Millimetres(85.0);

/// Checks that a paper may be written into a directory, before hours of work.
///
/// # Errors
///
/// Returns an error if the directory contains other files, or the program was built without PDF.
pub fn check_paper(out: &Path) -> Result<()> {
    FigureFormat::Pdf.check()?;
    if out.exists() && !out.is_dir() {
        return Err(ReportError::NotDirectory(out.into()));
    }
    if out.is_dir() {
        check_output(&out.join(BIBLIOGRAPHY), Replaces::Paper)?;
    }
    Ok(())
}

/// Writes the tables, figures and bibliography of a comparison, which `draw` draws; see
/// [`Shown::write_paper`](super::Shown::write_paper).
pub(super) fn write(
    results: &Results<'_>,
    side_by_side: bool,
    out: &Path,
    draw: impl FnOnce(&Report, &Look) -> Result<Vec<Drawing>>,
) -> Result<String> {
    check_paper(out)?;
    let plan = results.plan;
    let report = results.report(side_by_side)?;
    let sheet = Sheet { width: Some(COLUMN), has_words: false };
    let drawings = draw(report, &Look { sheet, ..Look::of(FigureFormat::Pdf) })?;
    let names = |of: &dyn Fn(&Experiment) -> Option<String>| -> Vec<String> {
        plan.runs.iter().filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let using = |race: Option<&String>| {
        names(&|run| (race_of(run).as_ref() == race).then(|| run.labels[1].clone()))
    };
    let figures = drawings.iter().map(|drawing| &drawing.name);
    let races = names(&race_of).into_iter();
    let paper = Paper {
        report,
        side_by_side,
        figures: figures.map(|name| (name.clone(), caption(name))).collect(),
        without_races: using(None),
        races: races.map(|race| (race.clone(), using(Some(&race)))).collect(),
        opponents: names(&|run| Some(run.scored_against().in_words())),
    };
    for directory in ["tables", "figures"].map(|name| out.join(name)) {
        std::fs::create_dir_all(&directory)
            .map_err(|source| ReportError::Uncreatable { path: directory, source })?;
    }
    for (name, text) in paper.files() {
        let path = out.join(&name);
        match name.as_str() {
            // The author may have edited these two files.
            DOCUMENT | MAKEFILE if path.exists() => {}
            DOCUMENT | MAKEFILE => write_output(&path, Replaces::Nothing, text)?,
            _ => write_output(&path, Replaces::Paper, text)?,
        }
    }
    for drawing in drawings {
        let path = out.join("figures").join(format!("{}.pdf", drawing.name));
        write_output(&path, Replaces::Pdf, drawing.contents.unwrap_or_default())?;
    }
    let out = out.display();
    Ok(format!("the paper is in {out}; `make -C {out}` compiles {DOCUMENT}"))
}

/// Returns the operator of the races of a run, if its method compares candidates.
fn race_of(run: &Experiment) -> Option<String> {
    run.resolved.races.comparison.clone().filter(|_| run.method.info().compares)
}

/// Returns the caption of a figure: one or two lines of a column.
fn caption(name: &str) -> String {
    let of = |start: &str| name.strip_prefix(start).map(|family| family.trim_start_matches('-'));
    if name == "scores" {
        "Scores against the baseline: means over runs, 95% intervals.".into()
    } else if name == "critical-difference" {
        "Mean ranks; bars join methods that Nemenyi's test does not distinguish at 5%.".into()
    } else if name == "targets" {
        "Share of target scores reached, by games.".into()
    } else if let Some(family) = of("head-to-head") {
        format!("{family}: scores of rows against columns, 95% intervals.")
    } else if let Some(family) = of("learning-curves") {
        format!("{family}: scores against the baseline by games of comparisons.")
    } else if let Some(family) = of("best-strategy") {
        format!("{family}: the best strategy of all runs.")
    } else {
        name.into()
    }
}
