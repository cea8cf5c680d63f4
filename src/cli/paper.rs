//! Writes the tables, figures and bibliography of a comparison for a paper.

use std::collections::BTreeSet;
use std::path::Path;

use ruse_base::files::{Replaces, check_output, write_output};
use ruse_lab::{Baseline, Experiment, Plan, RunDirectory, Study};
use ruse_plots::{OutputWidth, Sheet};
use ruse_registry::Registry;
use ruse_report::paper::{BIBLIOGRAPHY, DOCUMENT, MAKEFILE, Paper};

use super::drawing::{Format, Look};
use super::failure::Failure;
use super::plot::draw_comparison;
use super::table::report;

/// The width of a column of a two-column page.
const COLUMN: OutputWidth = OutputWidth::Millimetres(85.0);

/// Checks that a paper may be written into a directory, before hours of work.
pub(super) fn check(out: &Path) -> Result<(), Failure> {
    Format::Pdf.check()?;
    if out.exists() && !out.is_dir() {
        return Err(Failure::with_advice(
            format!("{} is a file: expected a directory for the paper", out.display()),
            "name a directory; if it does not exist, it is created",
        ));
    }
    if out.is_dir() {
        check_output(&out.join(BIBLIOGRAPHY), Replaces::Paper)?;
    }
    Ok(())
}

/// Writes the tables, figures and bibliography of a comparison. Also writes the document that uses them and its
/// Makefile, unless they exist. Returns a message for the user.
pub(super) fn write(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    side_by_side: bool,
    out: &Path,
) -> Result<String, Failure> {
    let Study::Meetings(_) = &plan.study else {
        let path = directory.path().display();
        return Err(Failure::with_advice(
            format!("{path} does not contain a comparison of methods, which a paper needs"),
            format!("`ruse table {path} --format tex` prints the tables of this experiment"),
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
    let races = names(&|index| race_of(run(index)));
    let using = |race: Option<&String>| {
        names(&|index| {
            let of = run(index);
            (race_of(of).as_ref() == race).then(|| of.labels[1].clone())
        })
    };
    let paper = Paper {
        report: &report,
        side_by_side,
        figures: drawings
            .iter()
            .map(|drawing| (drawing.name.clone(), caption(&drawing.name)))
            .collect(),
        without_races: using(None),
        races: races.into_iter().map(|race| (race.clone(), using(Some(&race)))).collect(),
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
            Failure::bad_input(format!("cannot create {}: {error}", directory.display()))
        })?;
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
