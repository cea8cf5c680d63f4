//! `ruse plot`: draws strategies, runs and comparisons.

use std::path::{Path, PathBuf};

use clap::Args;
use ruse_base::files::{check_output, write_output};
use ruse_base::stop::StopSignal;
use ruse_lab::seed_study::StudyFiles;
use ruse_lab::{Plan, RunDirectory, STRATEGY, read_decisions};
use ruse_plots::{OutputWidth, Sheet};
use ruse_registry::Registry;
use ruse_report::figures;
use ruse_report::shown::{
    Drawing, FigureFormat, Look, Results, draw_populations, draw_strategy, draw_study,
};

use super::arguments::MachineArgs;
use super::failure::{Failure, Result, print};
use super::figure_file::{figure_formats, parse_width};
use super::screen::open;
use super::verbosity::say;

/// Draw a strategy, a run or a comparison: learning curves, scores, methods head to head
#[derive(Debug, Args)]
pub(super) struct PlotArgs {
    /// A strategy file, the directory of a run or a comparison, or a table from `ruse match --decisions`
    #[arg(value_name = "FILE|DIR")]
    subject: PathBuf,
    /// The format of the figures [default: the extension of the `--out` file, or svg]
    #[arg(long, value_name = "FORMAT", value_parser = figure_formats())]
    format: Option<FigureFormat>,
    /// A directory for the figures, or a file if there is one figure [default: next to the data]
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Draw only figures with this word in their name: `strategy`, `curve`, `scores`, a family, a method
    #[arg(long, value_name = "WORD")]
    only: Option<String>,
    /// The width of the figures, with its unit: 85mm (a column), 17cm, 800px [default: the width of each figure]
    ///
    /// At 85mm and more, letters are at least 6 points high; panels are placed below each other if necessary.
    #[arg(long, value_name = "WIDTH", value_parser = parse_width)]
    width: Option<OutputWidth>,
    /// Leave out titles and captions, for papers with their own captions
    #[arg(long)]
    no_title: bool,
    /// Draw step sizes and the shares of accepted candidates below learning curves
    #[arg(long)]
    all_panels: bool,
    /// Play all accepted strategies of a run against each other, and draw the scores, which show cycles
    #[arg(long)]
    population: bool,
    /// Add the published scores of Cauwet & Teytaud (2018) to the scores of methods
    #[arg(long)]
    side_by_side: bool,
    #[command(flatten)]
    pub(super) machine: MachineArgs,
}

pub(super) fn plot(args: &PlotArgs, registry: &Registry, stop: &StopSignal) -> Result {
    let subject = &args.subject;
    let of_out = args.out.as_deref().and_then(FigureFormat::of_path);
    let format = args.format.or(of_out).unwrap_or(FigureFormat::Svg);
    format.check()?;
    let look = Look {
        format,
        sheet: Sheet { width: args.width, has_words: !args.no_title },
        has_all_panels: args.all_panels,
        is_for_page: false,
        only: args.only.clone(),
    };
    let look = &look;
    if let Some(out) = &args.out
        && out.extension().is_some()
        && !out.is_dir()
    {
        let Some(of_out) = of_out else {
            return Err(Failure::with_advice(
                format!(
                    "invalid name of a figure {}: expected the ending .svg, .png or .pdf",
                    out.display()
                ),
                "change the name, or name an existing directory",
            ));
        };
        if of_out != format {
            let message = format!("{} does not end in `.{}`", out.display(), format.extension());
            return Err(Failure::with_advice(message, "leave `--format` out, or change the name"));
        }
        check_output(out, format.replaces())?;
    }
    if args.population && !RunDirectory::is_at(subject) {
        return Err(Failure::with_advice(
            format!("{} is not a run directory, which `--population` needs", subject.display()),
            "name the directory that `ruse optimise` created, or leave `--population` out",
        ));
    }
    let strategy = subject.join(STRATEGY);
    let (home, drawings, _directory) = if !subject.exists() {
        return Err(Failure::with_advice(
            format!("there is no file or directory {}", subject.display()),
            "name a strategy file, or the directory of a run: `ruse optimise` prints both",
        ));
    } else if subject.is_file() {
        let home = subject.parent().unwrap_or(Path::new("")).to_path_buf();
        (home, draw_file(subject, registry, look)?, None)
    } else if RunDirectory::is_at(subject) {
        // Writing into the directory needs its lock, which is held until all figures are written.
        let (directory, plan) = open(subject, args.out.is_none(), registry)?;
        let results = Results::new(&plan, &directory, registry, stop, &say);
        let drawings = match args.population && !plan.runs.is_empty() {
            true => draw_populations(&results, look)?,
            false => {
                results.say_unfinished()?;
                results.kind().draw(&results, look, args.side_by_side)?
            }
        };
        (subject.clone(), drawings, Some(directory))
    } else if strategy.is_file() {
        (subject.clone(), draw_file(&strategy, registry, look)?, None)
    } else if let Some(study) = StudyFiles::at(subject).read()? {
        let name = subject.file_name().map_or("seeds".into(), |name| name.to_string_lossy());
        (subject.clone(), draw_study(&name, &study, look)?, None)
    } else {
        return Err(Failure::with_advice(
            format!("{} contains neither a run nor a strategy", subject.display()),
            "name a strategy file, or the directory that `ruse optimise` created",
        ));
    };
    if drawings.is_empty() {
        return Err(Failure::with_advice(
            format!("the run in {} has nothing to show yet", subject.display()),
            format!("`ruse resume {}` continues it", subject.display()),
        ));
    }
    write(&picked(drawings, look)?, &home, args.out.as_deref(), format)
}

/// Draws the results in a directory, as `ruse plot --only NAME` does. Returns the figures with their names, as SVG.
///
/// # Errors
///
/// Returns an error if the results cannot be read, or if no figure has `only` in its name.
pub fn figures_of(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    only: Option<String>,
) -> Result<Vec<(String, String)>> {
    let look = Look { only, ..Look::of(FigureFormat::Svg) };
    let stop = StopSignal::default();
    let results = Results::new(plan, directory, registry, &stop, &say);
    let drawings = results.kind().draw(&results, &look, false)?;
    let figures = picked(drawings, &look)?.into_iter();
    let svg = |contents| String::from_utf8(contents).expect("SVG is text");
    Ok(figures.map(|(name, contents)| (name, svg(contents))).collect())
}

/// Returns the figures that `--only` selects: the figure with exactly this name, or else all figures whose names
/// contain the text.
fn picked(drawings: Vec<Drawing>, look: &Look) -> Result<Vec<(String, Vec<u8>)>> {
    let names = listed(drawings.iter().map(|drawing| drawing.name.as_str()));
    let drawn = drawings.into_iter().filter_map(|drawing| Some((drawing.name, drawing.contents?)));
    let mut drawn: Vec<(String, Vec<u8>)> = drawn.collect();
    let Some(only) = &look.only else { return Ok(drawn) };
    if drawn.iter().any(|(name, _)| name == only) {
        drawn.retain(|(name, _)| name == only);
    }
    match drawn.is_empty() {
        false => Ok(drawn),
        true => Err(Failure::with_advice(
            format!("no figure has `{only}` in its name"),
            format!("known are {names}"),
        )),
    }
}

/// Lists at most twelve names, and the number of others.
fn listed<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const MOST: usize = 12;
    let names: Vec<&str> = names.collect();
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len() {
        num if num > MOST => format!("{shown} and {} more", num - MOST),
        _ => shown,
    }
}

/// Writes the figures, and prints their paths.
fn write(
    drawings: &[(String, Vec<u8>)],
    home: &Path,
    out: Option<&Path>,
    format: FigureFormat,
) -> Result {
    let extension = format.extension();
    let in_directory = |directory: &Path| -> Vec<PathBuf> {
        let names = drawings.iter().map(|(name, _)| format!("{name}.{extension}"));
        names.map(|name| directory.join(name)).collect()
    };
    let paths = match out {
        None => in_directory(home),
        Some(out) if out.is_dir() => in_directory(out),
        Some(out) if out.extension().is_some() && drawings.len() > 1 => {
            let message = format!(
                "cannot write {} figures into one file {}: {}",
                drawings.len(),
                out.display(),
                listed(drawings.iter().map(|(name, _)| name.as_str()))
            );
            let advice = "pick one with `--only NAME`, or name a directory";
            return Err(Failure::with_advice(message, advice));
        }
        Some(out) if out.extension().is_some() => vec![out.to_path_buf()],
        Some(out) => {
            std::fs::create_dir_all(out).map_err(|error| {
                Failure::bad_input(format!("cannot create {}: {error}", out.display()))
            })?;
            in_directory(out)
        }
    };
    // All files are checked before the first is written.
    for path in &paths {
        check_output(path, format.replaces())?;
    }
    let mut page = String::new();
    for ((_, contents), path) in drawings.iter().zip(&paths) {
        write_output(path, format.replaces(), contents)?;
        page += &format!("{}\n", path.display());
    }
    print(&page)
}

/// Draws a strategy file, or a table of decisions.
fn draw_file(path: &Path, registry: &Registry, look: &Look) -> Result<Vec<Drawing>> {
    let name = path.file_stem().map_or("strategy".into(), |stem| stem.to_string_lossy());
    if path.extension().is_some_and(|extension| extension == "csv") {
        let rows = read_decisions(path).map_err(Failure::bad_input)?;
        let title = format!("{name}: numbers of legal actions");
        let mut drawings = vec![Drawing::of_data(&*name, look, figures::breadth(&title, &rows))?];
        if let Some(tried) = figures::tried(&format!("{name}: different actions tried"), &rows) {
            drawings.push(Drawing::of_data(format!("{name}-tried"), look, tried)?);
        }
        return Ok(drawings);
    }
    Ok(vec![draw_strategy(path, registry, name.into_owned(), look)?])
}
