//! `ruse plot`: draws strategies, runs and comparisons.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use ruse_base::files::{check_output, reading, write_atomically, write_output};
use ruse_base::stop::StopSignal;
use ruse_lab::seed_study::StudyFiles;
use ruse_lab::{
    Experiment, Plan, Records, RunDirectory, STRATEGY, StrategyFile, Study, read_accepted,
    read_decisions, read_records,
};
use ruse_plots::{Checked, LearningCurves, OutputWidth, Sheet};
use ruse_registry::Registry;
use ruse_report::figures::{self, Run, learning_curves};
use ruse_report::{AblationTable, Cell, NUM_TARGETS, Published, Report, ScoreCell};

use super::arguments::MachineArgs;
use super::drawing::{Drawing, Format, Look, parse_width};
use super::failure::{Failure, print};
use super::runless::runless;
use super::screen::say_if_shared;
use super::seed_study;
use super::verbosity::say;

/// Draw a strategy, a run or a comparison: learning curves, scores, methods head to head
#[derive(Debug, Args)]
pub(super) struct PlotArgs {
    /// A strategy file, the directory of a run or a comparison, or a table from `ruse match --decisions`
    #[arg(value_name = "FILE|DIR")]
    subject: PathBuf,
    /// The format of the figures [default: the extension of the `--out` file, or svg]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
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

pub(super) fn plot(args: &PlotArgs, registry: &Registry, stop: &StopSignal) -> Result<(), Failure> {
    let subject = &args.subject;
    let of_out = args.out.as_deref().and_then(Format::of_path);
    let format = args.format.or(of_out).unwrap_or(Format::Svg);
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
        let (directory, plan) = match &args.out {
            None => RunDirectory::reopen(subject, registry)?,
            Some(_) => RunDirectory::open(subject, registry)?,
        };
        if args.out.is_none() {
            say_if_shared(&directory);
        }
        let drawings = match args.population && runless(&plan).is_none() {
            true => draw_populations(&directory, &plan, look, stop)?,
            false => draw_directory(&directory, &plan, registry, look, args.side_by_side, stop)?,
        };
        (subject.clone(), drawings, Some(directory))
    } else if strategy.is_file() {
        (subject.clone(), draw_file(&strategy, registry, look)?, None)
    } else if let Some(study) = StudyFiles::at(subject).read()? {
        let name = subject.file_name().map_or("seeds".into(), |name| name.to_string_lossy());
        (subject.clone(), seed_study::draw_study(&name, &study, look)?, None)
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

/// Draws the results in a directory.
fn draw_directory(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    look: &Look,
    side_by_side: bool,
    stop: &StopSignal,
) -> Result<Vec<Drawing>, Failure> {
    let mut drawings = match (runless(plan), &plan.study) {
        (Some(of), _) => return of.draw(plan, directory, look),
        (None, Study::Meetings(_)) => {
            let report = super::table::report(directory, plan, side_by_side)?;
            draw_comparison(directory, plan, &report, registry, look)?
        }
        _ => {
            let mut drawings = draw_run(directory, plan, registry, look)?;
            drawings.extend(draw_methods(directory, plan, look, side_by_side, stop)?);
            drawings
        }
    };
    drawings.extend(draw_ablation(&read_records(directory, plan)?, look)?);
    Ok(drawings)
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
) -> Result<Vec<(String, String)>, Failure> {
    let look = Look { only, ..Look::of(Format::Svg) };
    let stop = StopSignal::default();
    let drawings = draw_directory(directory, plan, registry, &look, false, &stop)?;
    let figures = picked(drawings, &look)?.into_iter();
    let svg = |contents| String::from_utf8(contents).expect("SVG is text");
    Ok(figures.map(|(name, contents)| (name, svg(contents))).collect())
}

/// Returns the figures that `--only` selects: the figure with exactly this name, or else all figures whose names
/// contain the text.
fn picked(drawings: Vec<Drawing>, look: &Look) -> Result<Vec<(String, Vec<u8>)>, Failure> {
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
    format: Format,
) -> Result<(), Failure> {
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
fn draw_file(path: &Path, registry: &Registry, look: &Look) -> Result<Vec<Drawing>, Failure> {
    let name = path.file_stem().map_or("strategy".into(), |stem| stem.to_string_lossy());
    if path.extension().is_some_and(|extension| extension == "csv") {
        let rows = read_decisions(path).map_err(Failure::bad_input)?;
        let title = format!("{name}: numbers of legal actions");
        let mut drawings = vec![Drawing::new(&*name, look, || {
            Ok(Checked::new(figures::breadth(&title, &rows))?)
        })?];
        if let Some(tried) = figures::tried(&format!("{name}: different actions tried"), &rows) {
            let name = format!("{name}-tried");
            drawings.push(Drawing::new(name, look, || Ok(Checked::new(tried)?))?);
        }
        return Ok(drawings);
    }
    draw_strategy(path, registry, &[], name.into_owned(), look).map(|drawing| vec![drawing])
}

fn draw_strategy(
    path: &Path,
    registry: &Registry,
    earlier: &[Vec<f64>],
    name: String,
    look: &Look,
) -> Result<Drawing, Failure> {
    let file = StrategyFile::read(path)?;
    let family = file.family(registry)?.with_rules(&file.rules)?;
    let file = file.checked(path, family.as_ref())?;
    if !file.mixture.is_empty() {
        return Err(Failure::with_advice(
            format!("{} is a mixture: expected a single strategy", path.display()),
            format!(
                "`ruse show {}` prints its members; write one into a separate file",
                path.display()
            ),
        ));
    }
    picture(&file, path, registry, earlier, name, look)
}

/// Draws a strategy that was read from `path`.
fn picture(
    file: &StrategyFile,
    path: &Path,
    registry: &Registry,
    earlier: &[Vec<f64>],
    name: String,
    look: &Look,
) -> Result<Drawing, Failure> {
    let usual = registry.family(&file.family)?;
    let family = usual.with_rules(&file.rules)?;
    // `earlier` has parameters of the experiment's family, which may differ from the current one.
    Drawing::new(name, look, || {
        figures::strategy(family.as_ref(), usual.as_ref(), file, earlier)
            .map_err(|error| Failure::bad_input(format!("{}: {error}", path.display())))
    })
}

/// Draws the runs in a directory and, if there are several, the champion of all runs.
pub(super) fn draw_run(
    directory: &RunDirectory,
    plan: &Plan,
    registry: &Registry,
    look: &Look,
) -> Result<Vec<Drawing>, Failure> {
    let mut drawings = Vec::new();
    let is_alone = plan.runs.len() == 1;
    let methods: BTreeSet<&str> = plan.runs.iter().map(|run| run.labels[1].as_str()).collect();
    let is_named_by_method = methods.len() == plan.runs.len();
    for experiment in &plan.runs {
        if !directory.has_begun(experiment)? {
            continue;
        }
        let name = |name: &str| match is_alone {
            true => name.to_string(),
            false if is_named_by_method => format!("{name}-{}", experiment.labels[1]),
            false => format!("{name}-{}", experiment.run_name()),
        };
        let strategy = draw_learned(directory, experiment, registry, name("strategy"), look)?;
        let run = Run { directory, experiment };
        let curve = draw_learning_curve(&[run], name("learning-curve"), look)?;
        let subject = (!is_alone).then(|| experiment.run_name());
        let both = strategy.into_iter().chain([curve]);
        drawings.extend(both.map(|drawing| Drawing { subject: subject.clone(), ..drawing }));
    }
    let champion = directory.path().join(STRATEGY);
    if !is_alone && reading::is_there(&champion)? {
        drawings.push(draw_strategy(&champion, registry, &[], "strategy".into(), look)?);
    }
    Ok(drawings)
}

/// The subject of the figures of [`draw_methods`].
pub(super) const ALL_TOGETHER: &str = "all methods";

/// Draws several methods on one family: their scores, their learning curves, and games between their champions, which
/// are played for the figure. Returns no figures for a single method, or if a run is not finished.
pub(super) fn draw_methods(
    directory: &RunDirectory,
    plan: &Plan,
    look: &Look,
    side_by_side: bool,
    stop: &StopSignal,
) -> Result<Vec<Drawing>, Failure> {
    let is_finished = |run: &Experiment| match directory.is_published() {
        true => directory.has_begun(run),
        false => reading::is_there(&directory.strategy_path(run)),
    };
    let finished = plan.runs.iter().map(is_finished).collect::<Result<Vec<_>, _>>()?;
    if plan.runs.len() < 2 || finished.contains(&false) {
        return Ok(Vec::new());
    }
    let runs: Vec<Run<'_>> =
        plan.runs.iter().map(|experiment| Run { directory, experiment }).collect();
    let published = side_by_side.then(Published::cauwet_teytaud_2018);
    let published = |family: &str, method: &str| {
        published.as_ref().and_then(|tables| tables.score(family, method)).map(|of| of.score)
    };
    let scores = || Ok(ruse_plots::Checked::new(figures::scores(&runs, &published)?)?);
    let meetings = || {
        let meetings = figures::head_to_head(&runs, None, stop, |_| ())?;
        Ok(ruse_plots::Checked::new(meetings)?)
    };
    Ok(vec![
        Drawing::new("scores", look, scores)?.about(ALL_TOGETHER),
        Drawing::new("head-to-head", look, meetings)?.about(ALL_TOGETHER),
        draw_learning_curve(&runs, "learning-curves".into(), look)?.about(ALL_TOGETHER),
    ])
}

/// Draws the strategy of a run, with earlier champions. If the run is not finished, prints a message and returns
/// `None`.
fn draw_learned(
    directory: &RunDirectory,
    experiment: &Experiment,
    registry: &Registry,
    name: String,
    look: &Look,
) -> Result<Option<Drawing>, Failure> {
    let path = directory.strategy_path(experiment);
    let Some(file) = directory.learned(experiment)? else {
        say(&format!("there is no {} yet: the run is not finished", path.display()));
        return Ok(None);
    };
    let accepted = read_accepted(directory, experiment)?;
    picture(&file, &path, registry, &accepted, name, look).map(Some)
}

/// The prefix of the names of figures that show the worth of parameters.
pub(super) const WORTH: &str = "worth";

/// Draws the measured worth of the parameters of champions.
pub(super) fn draw_ablation(records: &Records, look: &Look) -> Result<Vec<Drawing>, Failure> {
    let tables = AblationTable::all(records);
    let draw = |table: &AblationTable| {
        let name = match tables.len() {
            1 => WORTH.to_string(),
            _ => format!("{WORTH}-{}-{}-seed{}", table.family, table.method, table.seed),
        };
        let figure = figures::ablation(table);
        Drawing::new(name, look, || Ok(ruse_plots::Checked::new(figure)?))
    };
    tables.iter().map(draw).collect()
}

/// Draws the learning curves of runs on one family.
fn draw_learning_curve(runs: &[Run<'_>], name: String, look: &Look) -> Result<Drawing, Failure> {
    Drawing::new(name, look, || {
        let curves = learning_curves(runs)?;
        let curves = LearningCurves { has_all_panels: look.has_all_panels, ..curves };
        Ok(ruse_plots::Checked::new(curves)?)
    })
}

/// Writes the figures of a comparison into its directory.
pub(super) fn write_comparison(
    directory: &RunDirectory,
    plan: &Plan,
    report: &Report,
    registry: &Registry,
    format: Format,
) -> Result<(), Failure> {
    for drawing in draw_comparison(directory, plan, report, registry, &Look::of(format))? {
        let name = format!("{}.{}", drawing.name, format.extension());
        write_atomically(&directory.path().join(name), drawing.contents.unwrap_or_default())?;
    }
    Ok(())
}

/// Draws a figure for each run that was started: the scores of its accepted strategies against each other.
fn draw_populations(
    directory: &RunDirectory,
    plan: &Plan,
    look: &Look,
    stop: &StopSignal,
) -> Result<Vec<Drawing>, Failure> {
    if directory.is_published() {
        return Err(Failure::with_advice(
            format!(
                "{} is a published copy, without the populations of the runs",
                directory.path().display()
            ),
            "leave `--population` out, or repeat the experiment with `ruse run DIR/experiment.yaml --out NEW`",
        ));
    }
    let begun = begun(directory, plan)?;
    let mut drawings = Vec::new();
    for &run in &begun {
        let name = run.experiment.run_name();
        let title = match begun.len() {
            1 => "population".to_string(),
            _ => format!("population-{name}"),
        };
        drawings.push(Drawing::new(title, look, || {
            say(&format!("{name}: its population plays"));
            let figure = figures::population(run, None, stop, |_| ())?;
            Ok(ruse_plots::Checked::new(figure)?)
        })?);
    }
    Ok(drawings)
}

/// Draws a comparison: scores, ranks and targets of the methods and, for each family, head-to-head scores, learning
/// curves and the best strategy.
pub(super) fn draw_comparison(
    directory: &RunDirectory,
    plan: &Plan,
    report: &Report,
    registry: &Registry,
    look: &Look,
) -> Result<Vec<Drawing>, Failure> {
    let runs: Vec<Run<'_>> =
        plan.runs.iter().map(|experiment| Run { directory, experiment }).collect();
    let seeds = figures::seeds_of(&runs);
    let mut drawings = Vec::new();
    if report.scores.cells.iter().flatten().any(|cell| cell.ours.is_some()) {
        let is_withheld = |cell: &Cell<ScoreCell>| {
            cell.ours.as_ref().is_some_and(|ours| ours.mean.withheld.is_some())
        };
        let without = match report.scores.cells.iter().flatten().any(is_withheld) {
            true => ", except for fewer than three runs, and for runs in two groups",
            false => "",
        };
        let caption =
            format!("Means over runs, {seeds}; 95% intervals of learning and playing{without}.");
        let figure = figures::scores_of_table(&report.scores, &caption);
        drawings.push(Drawing::new("scores", look, || Ok(ruse_plots::Checked::new(figure)?))?);
    }
    if let Some(across) = &report.across {
        let caption = format!(
            "{} families, each counted once, {seeds}. A bar joins methods that Nemenyi's test does not distinguish at \
             5%, as if families were independent.",
            across.families.len()
        );
        let figure = figures::critical_difference(across, &caption);
        let drawing =
            Drawing::new("critical-difference", look, || Ok(ruse_plots::Checked::new(figure)?))?;
        drawings.push(drawing);
    }
    if !report.targets.curves.is_empty() {
        let caption = format!(
            "{NUM_TARGETS} scores in each of {} families, evenly spaced from the lowest start to the highest score of \
             any run; all runs, {seeds}.",
            report.targets.families.len()
        );
        let figure = figures::targets(&report.targets, &caption);
        drawings.push(Drawing::new("targets", look, || Ok(ruse_plots::Checked::new(figure)?))?);
    }
    for table in &report.head_to_head {
        let caption = format!(
            "Means over the champions of all runs, {seeds}; 95% intervals of learning and playing."
        );
        let figure = figures::head_to_head_of_table(table, &caption);
        let name = format!("head-to-head-{}", table.family);
        let drawing = Drawing::new(name, look, || Ok(ruse_plots::Checked::new(figure)?))?;
        drawings.push(drawing.about(&table.family));
    }
    let all = begun(directory, plan)?;
    for family in &report.scores.families {
        let of_family = all.iter().filter(|run| run.experiment.labels[0] == *family);
        let begun: Vec<Run<'_>> = of_family.copied().collect();
        if begun.is_empty() {
            continue;
        }
        let curves = draw_learning_curve(&begun, format!("learning-curves-{family}"), look)?;
        let best = match best_run(&begun)? {
            Some((best, _)) => {
                let name = format!("best-strategy-{family}");
                draw_learned(directory, best, registry, name, look)?
            }
            None => None,
        };
        let both = [curves].into_iter().chain(best);
        let subject = Some(family.clone());
        drawings.extend(both.map(|drawing| Drawing { subject: subject.clone(), ..drawing }));
    }
    Ok(drawings)
}

/// Returns the run with the highest score, and its strategy.
pub(super) fn best_run<'a>(
    runs: &[Run<'a>],
) -> Result<Option<(&'a Experiment, StrategyFile)>, Failure> {
    let mut scored = Vec::new();
    for run in runs {
        let Some(file) = run.directory.learned(run.experiment)? else { continue };
        scored.extend(file.score().map(|score| (score.score, run.experiment, file)));
    }
    let best = scored.into_iter().max_by(|(x, ..), (y, ..)| x.total_cmp(y));
    Ok(best.map(|(_, experiment, file)| (experiment, file)))
}

/// Returns the runs that have begun.
fn begun<'a>(directory: &'a RunDirectory, plan: &'a Plan) -> Result<Vec<Run<'a>>, Failure> {
    let mut begun = Vec::new();
    for experiment in &plan.runs {
        if directory.has_begun(experiment)? {
            begun.push(Run { directory, experiment });
        }
    }
    Ok(begun)
}
