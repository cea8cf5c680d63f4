//! What the files of a run tell of its learning, as far as its checkpoint vouches for them.

use super::curves::{CurveRow, curve_of};
use super::history::{CurvePoint, HISTORY, HistoryRow};
use super::population::{self, POPULATION, PopulationMember};
use super::run_directory::RunDirectory;
use crate::files::{DirectoryError, parse_rows};
use crate::lab::spec::run::Experiment;

/// Reads the history of a run, as far as its checkpoint vouches for it; all of it where there is no checkpoint.
///
/// # Errors
///
/// When it cannot be read, or was changed; half a row at the end, of a run that was killed, is left out.
pub fn read_history(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<HistoryRow>, DirectoryError> {
    let checkpoint = directory.checkpoint(experiment)?;
    let path = directory.run_path(experiment).join(HISTORY);
    let vouched = checkpoint.as_ref().map(|checkpoint| &checkpoint.history);
    parse_rows(&path, vouched, |rows| rows.deserialize().collect())
}

/// Reads who joined the population of a run, and when, as far as its checkpoint vouches for it; all of it where there
/// is no checkpoint, as in results that were published.
///
/// # Errors
///
/// When it cannot be read, was changed, or has parameters that are not of the family; half a row at the end is left
/// out.
pub fn read_members(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<PopulationMember>, DirectoryError> {
    let checkpoint = directory.checkpoint(experiment)?;
    let vouched = checkpoint.as_ref().map(|checkpoint| &checkpoint.population);
    population::parse(&directory.run_path(experiment), vouched, experiment.family.as_ref())
}

/// Reads the strategies that a run has accepted, the oldest first; none if the file is not there, as in
/// results that were published.
///
/// # Errors
///
/// As [`read_members`].
pub fn read_accepted(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<Vec<f64>>, DirectoryError> {
    if !directory.run_path(experiment).join(POPULATION).exists() {
        return Ok(Vec::new());
    }
    let members = read_members(directory, experiment)?;
    Ok(members.into_iter().map(|member| member.parameters).collect())
}

/// Reads how a run learned: every iteration from its history, or the points of its curve if the experiment is
/// published.
///
/// # Errors
///
/// As [`read_history`].
pub fn read_curve_rows(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<CurveRow>, DirectoryError> {
    match directory.published() {
        Some(published) => Ok(published.curve(experiment).to_vec()),
        None => Ok(curve_of(&read_history(directory, experiment)?)),
    }
}

/// Reads the learning curve of a run.
///
/// # Errors
///
/// As [`read_history`].
pub fn read_curve(
    directory: &RunDirectory,
    experiment: &Experiment,
) -> Result<Vec<CurvePoint>, DirectoryError> {
    Ok(read_curve_rows(directory, experiment)?.iter().filter_map(CurveRow::point).collect())
}
