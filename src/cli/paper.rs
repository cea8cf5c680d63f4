//! What a paper takes from a comparison, written into a directory.

use std::collections::BTreeSet;
use std::path::Path;

use ruse_plots::{OutputWidth, Sheet};

use super::drawing::{Format, Look};
use super::failure::Failure;
use super::plot::draw_comparison;
use super::table::report;
use crate::files::{Replaces, check_output, write_output};
use crate::lab::{Baseline, Finale, Plan, RunDirectory};
use crate::registry::Registry;
use crate::report::paper::{BIBLIOGRAPHY, DOCUMENT, MAKEFILE, Paper};

/// One of two columns of a page.
const COLUMN: OutputWidth = OutputWidth::Millimetres(85.0);

/// Checks that a paper may go into a directory; rather before hours of work than after.
pub(super) fn check(out: &Path) -> Result<(), Failure> {
    if out.exists() && !out.is_dir() {
        return Err(Failure::with_advice(
            format!("{} is a file, and a paper is a directory", out.display()),
            "name a directory, which need not be there",
        ));
    }
    if out.is_dir() {
        check_output(&out.join(BIBLIOGRAPHY), Replaces::Paper)?;
    }
    Ok(())
}

/// Writes the tables, figures and bibliography of a comparison, and, unless they are there, a document that uses them and a
/// Makefile. Returns what there is to say.
pub(super) fn write(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    side_by_side: bool,
    out: &Path,
) -> Result<String, Failure> {
    let Finale::Meetings(meetings) = &plan.finale else {
        let path = directory.path().display();
        return Err(Failure::with_advice(
            format!("{path} holds no comparison of methods, and has no tables of one"),
            format!("`ruse table {path} --format tex` prints what tables there are"),
        ));
    };
    check(out)?;
    let report = report(directory, plan, side_by_side)?;
    let look =
        Look { sheet: Sheet { width: Some(COLUMN), has_words: false }, ..Look::of(Format::Pdf) };
    let drawings = draw_comparison(directory, plan, &report, registry, &look)?;
    let names = |of: &dyn Fn(usize) -> Option<String>| -> Vec<String> {
        (0..plan.runs.len()).filter_map(of).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let run = |index: usize| &plan.runs[index];
    let games: Option<Vec<u64>> = plan.runs.iter().map(|run| run.budget.games).collect();
    let paper = Paper {
        report: &report,
        side_by_side,
        figures: drawings
            .iter()
            .map(|drawing| (drawing.name.clone(), caption(&drawing.name)))
            .collect(),
        num_repeats: meetings.num_repeats,
        games: games.and_then(|games| Some([*games.iter().min()?, *games.iter().max()?])),
        pairs: plan.runs.iter().map(|run| run.evaluation_pairs).max().unwrap_or(0),
        races: names(&|index| run(index).resolved.races.comparison.clone()),
        opponents: names(&|index| {
            let of = run(index);
            Some(
                of.score_against
                    .as_ref()
                    .map_or_else(|| of.baseline.in_words(), Baseline::in_words),
            )
        }),
    };
    for directory in ["tables", "figures"].map(|name| out.join(name)) {
        std::fs::create_dir_all(&directory).map_err(|error| {
            Failure::bad_input(format!("cannot make {}: {error}", directory.display()))
        })?;
    }
    for (name, text) in paper.files() {
        let path = out.join(&name);
        match name.as_str() {
            // The author has perhaps gone on with them.
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

/// What a figure shows, in a line or two of a column.
fn caption(name: &str) -> String {
    let of = |start: &str| name.strip_prefix(start).map(|family| family.trim_start_matches('-'));
    if name == "scores" {
        "Scores against the baseline: means over runs, 95% intervals.".into()
    } else if name == "critical-difference" {
        "Mean ranks; bars join methods that Nemenyi's test does not tell apart at 5%.".into()
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
