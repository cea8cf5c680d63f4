//! `ruse plot`: figures of strategies and runs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use ruse_plots::Figure;

use super::execute::learning_curve;
use super::failure::{Failure, print, say};
use crate::experiment::{
    Experiment, Plan, RunDirectory, STRATEGY, StrategyFile, read_accepted, read_curve,
    write_atomically,
};
use crate::family::Registry;
use crate::figures;

/// Draw a strategy, or a run: the strategy it found and its learning curve
#[derive(Debug, Args)]
pub(super) struct PlotArgs {
    /// A strategy file, or the directory of a run
    #[arg(value_name = "FILE|DIR")]
    subject: PathBuf,
    /// The format of the figures [default: that of the name of `--out`, or svg]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    /// Where the figures go: a directory, or a file if there is one figure [default: next to the data]
    #[arg(long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Vector graphics, for papers and pages
    Svg,
    /// Pixels, twice as many as the figure has units
    Png,
}

impl Format {
    fn extension(self) -> &'static str {
        match self {
            Format::Svg => "svg",
            Format::Png => "png",
        }
    }

    fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?;
        Format::from_str(extension, true).ok()
    }

    fn render(self, figure: &impl Figure) -> Vec<u8> {
        match self {
            Format::Svg => ruse_plots::svg(figure).into_bytes(),
            Format::Png => ruse_plots::png(figure),
        }
    }
}

/// A figure in the format asked for, and its name without extension.
struct Drawing {
    name: String,
    contents: Vec<u8>,
}

pub(super) fn plot(args: &PlotArgs, registry: &Registry) -> Result<(), Failure> {
    let subject = &args.subject;
    let of_out = args.out.as_deref().and_then(Format::of_path);
    let format = args.format.or(of_out).unwrap_or(Format::Svg);
    if let Some(out) = &args.out
        && of_out.is_some_and(|of_out| of_out != format)
        && !out.is_dir()
    {
        let message =
            format!("{} is no name for a figure in {}", out.display(), format.extension());
        return Err(Failure::with_advice(message, "leave `--format` out, or change the name"));
    }
    let strategy = subject.join(STRATEGY);
    let (home, drawings) = if !subject.exists() {
        return Err(Failure::with_advice(
            format!("there is no file or directory {}", subject.display()),
            "name a strategy file, or the directory of a run: `ruse optimise` prints both",
        ));
    } else if subject.is_file() {
        let home = subject.parent().unwrap_or(Path::new("")).to_path_buf();
        (home, vec![draw_file(subject, registry, format)?])
    } else if RunDirectory::is_at(subject) {
        let (directory, plan) = RunDirectory::open(subject, registry)?;
        (subject.clone(), draw_run(&directory, &plan, registry, format)?)
    } else if strategy.is_file() {
        (subject.clone(), vec![draw_file(&strategy, registry, format)?])
    } else {
        return Err(Failure::with_advice(
            format!("{} holds neither a run nor a strategy", subject.display()),
            "name a strategy file, or the directory that `ruse optimise` made",
        ));
    };
    if drawings.is_empty() {
        return Err(Failure::with_advice(
            format!("the run in {} has nothing to show yet", subject.display()),
            format!("`ruse resume {}` goes on with it", subject.display()),
        ));
    }
    write(&drawings, &home, args.out.as_deref(), format)
}

/// Writes the figures, and prints where they are.
fn write(
    drawings: &[Drawing],
    home: &Path,
    out: Option<&Path>,
    format: Format,
) -> Result<(), Failure> {
    let extension = format.extension();
    let in_directory = |directory: &Path| -> Vec<PathBuf> {
        let names = drawings.iter().map(|drawing| format!("{}.{extension}", drawing.name));
        names.map(|name| directory.join(name)).collect()
    };
    let paths = match out {
        None => in_directory(home),
        Some(out) if out.is_dir() => in_directory(out),
        Some(out) if out.extension().is_some() && drawings.len() > 1 => {
            let message =
                format!("{} figures do not go into the one file {}", drawings.len(), out.display());
            return Err(Failure::with_advice(message, "name a directory"));
        }
        Some(out) if out.extension().is_some() => vec![out.to_path_buf()],
        Some(out) => {
            std::fs::create_dir_all(out).map_err(|error| {
                Failure::bad_input(format!("cannot make {}: {error}", out.display()))
            })?;
            in_directory(out)
        }
    };
    let mut page = String::new();
    for (drawing, path) in drawings.iter().zip(&paths) {
        write_atomically(path, &drawing.contents)?;
        page += &format!("{}\n", path.display());
    }
    print(&page)
}

/// A strategy file.
fn draw_file(path: &Path, registry: &Registry, format: Format) -> Result<Drawing, Failure> {
    let name = path.file_stem().map_or("strategy".into(), |stem| stem.to_string_lossy());
    draw_strategy(path, registry, &[], name.into_owned(), format)
}

fn draw_strategy(
    path: &Path,
    registry: &Registry,
    earlier: &[Vec<f64>],
    name: String,
    format: Format,
) -> Result<Drawing, Failure> {
    let file = StrategyFile::read(path)?;
    let usual = registry.family(&file.family)?;
    let family = usual.with_rules(&file.rules)?;
    file.check(path, family.as_ref())?;
    // The strategies before were of the family of the experiment, which may be another one by now.
    let picture = figures::strategy(family.as_ref(), usual, &file, earlier)
        .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))?;
    Ok(Drawing { name, contents: format.render(&picture) })
}

/// The runs of a directory, and their champion if there are several.
fn draw_run(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    format: Format,
) -> Result<Vec<Drawing>, Failure> {
    let mut drawings = Vec::new();
    let is_alone = plan.runs.len() == 1;
    let methods: BTreeSet<&str> =
        plan.runs.iter().map(|run| run.resolved.method.as_str()).collect();
    let is_named_by_method = methods.len() == plan.runs.len();
    for experiment in &plan.runs {
        if !directory.run_path(experiment).exists() {
            continue;
        }
        let name = |name: &str| match is_alone {
            true => name.to_string(),
            false if is_named_by_method => format!("{name}-{}", experiment.resolved.method),
            false => format!("{name}-{}", experiment.run_name()),
        };
        drawings.extend(draw_learned(directory, experiment, registry, name("strategy"), format)?);
        drawings.push(draw_learning_curve(directory, experiment, name("learning-curve"), format)?);
    }
    let champion = directory.path().join(STRATEGY);
    if !is_alone && champion.is_file() {
        drawings.push(draw_strategy(&champion, registry, &[], "strategy".into(), format)?);
    }
    Ok(drawings)
}

/// What a run has found, if it is finished, and how it got there.
fn draw_learned(
    directory: &RunDirectory,
    experiment: &Experiment,
    registry: &Registry,
    name: String,
    format: Format,
) -> Result<Option<Drawing>, Failure> {
    let path = directory.strategy_path(experiment);
    if !path.is_file() {
        say(&format!("there is no {} yet: the run is not finished", path.display()));
        return Ok(None);
    }
    let accepted = read_accepted(directory, experiment)?;
    draw_strategy(&path, registry, &accepted, name, format).map(Some)
}

fn draw_learning_curve(
    directory: &RunDirectory,
    experiment: &Experiment,
    name: String,
    format: Format,
) -> Result<Drawing, Failure> {
    let curve = read_curve(directory, experiment)?;
    // A run that is not finished is drawn up to its last point.
    let found = StrategyFile::read(&directory.strategy_path(experiment)).ok();
    let games = found.and_then(|file| file.found).map(|found| found.games);
    let games = games.or(curve.last().map(|point| point.games)).unwrap_or(0);
    let contents = format.render(&learning_curve(experiment, &curve, games));
    Ok(Drawing { name, contents })
}
