//! The figures of runs: their strategies, learning curves and populations, and the worth of parameters.

use std::collections::BTreeSet;
use std::path::Path;

use ruse_base::files::{DirectoryError, reading};
use ruse_lab::{ContestantError, Experiment, Records, STRATEGY, StrategyFile, read_accepted};
use ruse_plots::{Checked, LearningCurves};
use ruse_registry::Registry;

use super::Results;
use super::drawing::{Drawing, Drawings, Look};
use crate::error::Result;
use crate::figures::{self, Run, learning_curves};
use crate::{AblationTable, Published, ReportError};

/// Draws the strategy in a file.
///
/// # Errors
///
/// Returns an error if the file cannot be read, or contains a mixture.
pub fn draw_strategy(
    path: &Path,
    registry: &Registry,
    name: String,
    look: &Look,
) -> Result<Drawing> {
    let file = StrategyFile::read(path)?;
    let family = file.family(registry)?.with_rules(&file.rules)?;
    let file = file.checked(path, family.as_ref())?;
    if !file.mixture.is_empty() {
        return Err(ReportError::Mixture(path.into()));
    }
    picture(&file, path, registry, &[], name, look)
}

/// Draws a strategy that was read from `path`, with the strategies that its run accepted earlier.
fn picture(
    file: &StrategyFile,
    path: &Path,
    registry: &Registry,
    earlier: &[Vec<f64>],
    name: String,
    look: &Look,
) -> Result<Drawing> {
    let usual = registry.family(&file.family)?;
    let family = usual.with_rules(&file.rules)?;
    // `earlier` has parameters of the experiment's family, which may differ from the current one.
    Drawing::new(name, look, || {
        figures::strategy(family.as_ref(), usual.as_ref(), file, earlier)
            .map_err(|source| ReportError::Parameters { path: path.into(), source })
    })
}

/// Draws the runs on one family and the worth of parameters. If there are several runs, also draws the champion of all
/// runs, and the methods together.
pub(super) fn draw_all(results: &Results<'_>, look: &Look, side_by_side: bool) -> Drawings {
    let mut drawings = draw_each(results, look)?;
    drawings.extend(draw_methods(results, look, side_by_side)?);
    drawings.extend(draw_ablation(results.records()?, look)?);
    Ok(drawings)
}

/// Draws the runs in a directory and, if there are several, the champion of all runs.
pub(super) fn draw_each(results: &Results<'_>, look: &Look) -> Drawings {
    let Results { plan, directory, registry, .. } = *results;
    let mut drawings = Vec::new();
    let is_alone = plan.runs.len() == 1;
    let methods: BTreeSet<&str> = plan.runs.iter().map(|run| run.labels[1].as_str()).collect();
    let is_named_by_method = methods.len() == plan.runs.len();
    for run in begun(results)? {
        let experiment = run.experiment;
        let name = |name: &str| match is_alone {
            true => name.to_string(),
            false if is_named_by_method => format!("{name}-{}", experiment.labels[1]),
            false => format!("{name}-{}", experiment.run_name()),
        };
        let strategy = draw_learned(results, experiment, name("strategy"), look)?;
        let curve = draw_learning_curve(&[run], name("learning-curve"), look)?;
        let subject = (!is_alone).then(|| experiment.run_name());
        let both = strategy.into_iter().chain([curve]);
        drawings.extend(both.map(|drawing| Drawing { subject: subject.clone(), ..drawing }));
    }
    let champion = directory.path().join(STRATEGY);
    if !is_alone && reading::is_there(&champion)? {
        drawings.push(draw_strategy(&champion, registry, "strategy".into(), look)?);
    }
    Ok(drawings)
}

/// The subject of the figures of [`draw_methods`].
const ALL_TOGETHER: &str = "all methods";

/// Draws several methods on one family: their scores, their learning curves, and games between their champions, which
/// are played for the figure. Returns no figures for a single method, or if a run is not finished.
pub(super) fn draw_methods(results: &Results<'_>, look: &Look, side_by_side: bool) -> Drawings {
    let Results { plan, directory, stop, .. } = *results;
    let is_finished = |run: &Experiment| match directory.is_published() {
        true => directory.has_begun(run),
        false => reading::is_there(&directory.strategy_path(run)),
    };
    let finished = plan.runs.iter().map(is_finished).collect::<Result<Vec<_>, _>>()?;
    if plan.runs.len() < 2 || finished.contains(&false) {
        return Ok(Vec::new());
    }
    let runs = results.runs();
    let published = side_by_side.then(Published::cauwet_teytaud_2018);
    let published = |family: &str, method: &str| {
        published.as_ref().and_then(|tables| tables.score(family, method)).map(|of| of.score)
    };
    let scores = || Ok(Checked::new(figures::scores(&runs, &published)?)?);
    let meetings = || Ok(Checked::new(figures::head_to_head(&runs, None, stop)?)?);
    Ok(vec![
        Drawing::new("scores", look, scores)?.about(ALL_TOGETHER),
        Drawing::new("head-to-head", look, meetings)?.about(ALL_TOGETHER),
        draw_learning_curve(&runs, "learning-curves".into(), look)?.about(ALL_TOGETHER),
    ])
}

/// Draws the strategy of a run, with earlier champions. If the run is not finished, returns `None` after a remark.
pub(super) fn draw_learned(
    results: &Results<'_>,
    experiment: &Experiment,
    name: String,
    look: &Look,
) -> Result<Option<Drawing>> {
    let Results { directory, registry, say, .. } = *results;
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
pub(super) fn draw_ablation(records: &Records, look: &Look) -> Drawings {
    let tables = AblationTable::all(records);
    let draw = |table: &AblationTable| {
        let name = match tables.len() {
            1 => WORTH.to_string(),
            _ => format!("{WORTH}-{}-{}-seed{}", table.family, table.method, table.seed),
        };
        Drawing::of_data(name, look, figures::ablation(table))
    };
    tables.iter().map(draw).collect()
}

/// Draws the learning curves of runs on one family.
pub(super) fn draw_learning_curve(runs: &[Run<'_>], name: String, look: &Look) -> Result<Drawing> {
    Drawing::new(name, look, || {
        let curves = learning_curves(runs)?;
        let curves = LearningCurves { has_all_panels: look.has_all_panels, ..curves };
        Ok(Checked::new(curves)?)
    })
}

/// Draws a figure for each run that was started: the scores of its accepted strategies against each other, in games that
/// are played for the figure.
///
/// # Errors
///
/// Returns an error if the directory is a published copy, if the populations cannot be read, or if the games were
/// stopped.
pub fn draw_populations(results: &Results<'_>, look: &Look) -> Drawings {
    let Results { directory, say, stop, .. } = *results;
    if directory.is_published() {
        return Err(ReportError::NoPopulations(directory.path().into()));
    }
    let begun = begun(results)?;
    let draw = |&run: &Run<'_>| {
        let name = run.experiment.run_name();
        let title = match begun.len() {
            1 => "population".to_string(),
            _ => format!("population-{name}"),
        };
        Drawing::new(title, look, || {
            say(&format!("{name}: its population plays"));
            figures::population(run, None, stop)
        })
    };
    begun.iter().map(draw).collect()
}

/// Returns the run with the highest score, and its strategy.
///
/// # Errors
///
/// Returns an error if a strategy cannot be read.
pub fn best_run<'a>(
    runs: &[Run<'a>],
) -> Result<Option<(&'a Experiment, StrategyFile)>, ContestantError> {
    let mut scored = Vec::new();
    for run in runs {
        let Some(file) = run.directory.learned(run.experiment)? else { continue };
        scored.extend(file.score().map(|score| (score.score, run.experiment, file)));
    }
    let best = scored.into_iter().max_by(|(x, ..), (y, ..)| x.total_cmp(y));
    Ok(best.map(|(_, experiment, file)| (experiment, file)))
}

/// Returns the runs that have begun.
pub(super) fn begun<'a>(results: &Results<'a>) -> Result<Vec<Run<'a>>, DirectoryError> {
    let mut begun = Vec::new();
    for run in results.runs() {
        if results.directory.has_begun(run.experiment)? {
            begun.push(run);
        }
    }
    Ok(begun)
}
