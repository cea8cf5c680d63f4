//! Reads the records for tables from the files of an experiment.

use ruse_base::files::{Result, reading};

use super::curves::{CurveRow, written};
use super::history::HISTORY;
use super::learning::read_curve_rows;
use super::measurements::{MeasurementsFile, ablations};
use super::run_directory::RunDirectory;
use super::strategy::StrategyFile;
use crate::language::run::Experiment;
use crate::measurement::{Measurement, MeasurementKind};
use crate::plan::Plan;
use crate::records::{CurveRecord, Opponents, Records, RunRecord};

/// Reads all known results of a plan: finished runs, meetings, exploitability, scores of yardsticks, and the worth of
/// groups of parameters.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or was changed after the program wrote it.
pub fn read_records(directory: &RunDirectory, plan: &Plan) -> Result<Records> {
    let mut records = Records::default();
    for run in &plan.runs {
        let [family, method] = run.labels.clone();
        for (names, name) in [(&mut records.families, &family), (&mut records.methods, &method)] {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        let Some(strategy) = read_finished(directory, run)? else { continue };
        let references = strategy.score_against_references.iter();
        records.measurements.extend(references.map(|(reference, score)| {
            Measurement::of_champion(MeasurementKind::Reference, run, reference, *score, "")
        }));
        let (Some(found), Some(score)) = (&strategy.found, strategy.score()) else { continue };
        records.runs.push(RunRecord {
            family,
            method,
            seed: run.resolved.seed,
            games: found.games,
            iterations: found.iterations,
            score,
            opponents: opponents(&strategy, run),
            is_random_start: strategy.is_random_start(),
            is_start: strategy.is_start(),
            budget: run.budget.games,
            stop_reason: Some(found.stop_reason),
        });
    }
    let rows = MeasurementsFile::read(directory, plan)?;
    records.measurements.extend(ablations(plan, &rows));
    // The strategies have the scores against reference strategies and training opponents.
    records.measurements.extend(rows.into_iter().filter(|row| {
        use MeasurementKind::{Ablation, Reference, Training};
        !matches!(row.kind, Ablation | Reference | Training)
    }));
    Ok(records)
}

/// Returns the training opponent, the scoring opponent, and the score against the training opponent. Returns `None` if
/// the two opponents are the same.
fn opponents(strategy: &StrategyFile, run: &Experiment) -> Option<Opponents> {
    let score_against = strategy.score_against.as_ref()?;
    Some(Opponents {
        trained_against: run.baseline.in_words(),
        scored_against: score_against.opponent.clone(),
        score_against_baseline: strategy.score_against_baseline?,
    })
}

/// Reads the learning curves of the finished runs of a plan, with the points of `curves.csv`. Long runs take a while.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or was changed after the program wrote it.
pub fn read_curves(directory: &RunDirectory, plan: &Plan) -> Result<Vec<CurveRecord>> {
    let mut curves = Vec::new();
    for (run, _) in finished(directory, plan)? {
        // Copies of results may lack the history.
        let history = directory.run_path(run).join(HISTORY);
        if directory.published().is_none()
            && !reading::is_there(&history)?
            && directory.checkpoint(run)?.is_none()
        {
            continue;
        }
        let [family, method] = run.labels.clone();
        let rows = written(run, &read_curve_rows(directory, run)?);
        let points = rows.iter().filter_map(CurveRow::point);
        let points = points.map(|point| (point.games, point.estimate.score)).collect();
        let games = rows.last().map_or(0, |row| row.games);
        curves.push(CurveRecord { family, method, seed: run.resolved.seed, points, games });
    }
    Ok(curves)
}

/// Reads the champion of a finished run, from its directory or from the published files. A run without a checkpoint
/// counts as finished if it has a strategy.
///
/// # Errors
///
/// Returns an error if a file cannot be read, or was changed after the program wrote it.
pub(super) fn read_finished(home: &RunDirectory, run: &Experiment) -> Result<Option<StrategyFile>> {
    if let Some(published) = home.published() {
        return Ok(published.strategy(run).cloned());
    }
    let checkpoint = home.checkpoint(run)?;
    if checkpoint.as_ref().is_some_and(|checkpoint| checkpoint.result.is_none()) {
        return Ok(None);
    }
    home.read_strategy(run, checkpoint.as_ref())
}

/// Returns the finished runs of a plan with their champions.
///
/// # Errors
///
/// Same as [`read_finished`].
pub(super) fn finished<'p>(
    directory: &RunDirectory,
    plan: &'p Plan,
) -> Result<Vec<(&'p Experiment, StrategyFile)>> {
    let mut finished = Vec::new();
    for experiment in &plan.runs {
        if let Some(file) = read_finished(directory, experiment)? {
            finished.push((experiment, file));
        }
    }
    Ok(finished)
}
