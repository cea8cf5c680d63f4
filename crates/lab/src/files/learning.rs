//! Reads the history, the population and the learning curve of a run from its files, up to its checkpoint.

use ruse_base::files::{Result, read_rows, reading};

use super::curves::{CurveRow, curve_of};
use super::history::{CurvePoint, HISTORY, HistoryRow};
use super::population::{POPULATION, PopulationMember, members};
use super::run_directory::RunDirectory;
use crate::language::run::Experiment;

/// Reads the history of a run up to its checkpoint, or the whole history if there is no checkpoint.
///
/// # Errors
///
/// Returns an error if the history cannot be read, or was changed. An incomplete last row, left by a killed run, is
/// ignored.
pub fn read_history(directory: &RunDirectory, experiment: &Experiment) -> Result<Vec<HistoryRow>> {
    let checkpoint = directory.checkpoint(experiment)?;
    let path = directory.run_path(experiment).join(HISTORY);
    let vouched = checkpoint.as_ref().map(|checkpoint| &checkpoint.history);
    read_rows(&path, vouched)
}

/// Reads the members of the population of a run up to its checkpoint. Without a checkpoint, as in published results,
/// reads all members.
///
/// # Errors
///
/// Returns an error if the members cannot be read, were changed, or have parameters that do not fit the family. An
/// incomplete last row is ignored.
pub fn read_members(directory: &RunDirectory, run: &Experiment) -> Result<Vec<PopulationMember>> {
    let checkpoint = directory.checkpoint(run)?;
    let vouched = checkpoint.as_ref().map(|checkpoint| &checkpoint.population);
    let path = directory.run_path(run).join(POPULATION);
    members(&path, read_rows(&path, vouched)?, run.family.as_ref())
}

/// Reads the strategies that a run has accepted, oldest first. The result is empty without a file, as in published
/// results.
///
/// # Errors
///
/// Same as [`read_members`].
pub fn read_accepted(directory: &RunDirectory, experiment: &Experiment) -> Result<Vec<Vec<f64>>> {
    if !reading::is_there(&directory.run_path(experiment).join(POPULATION))? {
        return Ok(Vec::new());
    }
    let members = read_members(directory, experiment)?;
    Ok(members.into_iter().map(|member| member.parameters).collect())
}

/// Reads the learning curve of a run. It has a row for each iteration, or only the rows of `curves.csv` if the
/// experiment is published.
///
/// # Errors
///
/// Same as [`read_history`].
pub fn read_curve_rows(directory: &RunDirectory, experiment: &Experiment) -> Result<Vec<CurveRow>> {
    match directory.published() {
        Some(published) => Ok(published.curve(experiment).to_vec()),
        None => Ok(curve_of(&read_history(directory, experiment)?)),
    }
}

/// Reads the learning curve of a run: the scores of the incumbents against the baseline.
///
/// # Errors
///
/// Same as [`read_history`].
pub fn read_curve(directory: &RunDirectory, experiment: &Experiment) -> Result<Vec<CurvePoint>> {
    Ok(read_curve_rows(directory, experiment)?.iter().filter_map(CurveRow::point).collect())
}
