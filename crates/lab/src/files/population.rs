//! The population of a run: one row for each accepted strategy, including the start.

use std::path::Path;

use ruse_base::files::{DirectoryError, Result};
use ruse_optimise::methods::IterationRecord;
use ruse_play::family::AnyFamily;

use super::history::cell;
use crate::language::run::Experiment;

pub(crate) const POPULATION: &str = "population.csv";

/// The columns before the parameters: the iteration in which a strategy joined, the games played by then, the opponent
/// in its comparison, and why the comparison stopped. A number in `against` is a row of this file, from 0.
const PLACE_COLUMNS: [&str; 4] = ["iteration", "games", "against", "reason"];

pub(crate) fn columns(experiment: &Experiment) -> Vec<String> {
    let space = experiment.family.space();
    let names = space.parameters().iter().map(|parameter| parameter.name.to_string());
    PLACE_COLUMNS.map(String::from).into_iter().chain(names).collect()
}

/// Returns the row of an iteration, or `None` if it accepted no strategy.
pub(crate) fn row(record: &IterationRecord) -> Option<impl Iterator<Item = String>> {
    let place = [
        record.iteration.to_string(),
        record.games.to_string(),
        cell(record.against),
        cell(record.step.map(|step| step.end())),
    ];
    let numbers = record.joined.as_ref()?.iter().map(f64::to_string);
    Some(place.into_iter().chain(numbers))
}

/// An accepted strategy.
#[derive(Debug, Clone, PartialEq)]
pub struct PopulationMember {
    /// The iteration in which the strategy was accepted, 0 for the start.
    pub iteration: u64,
    /// The number of games in comparisons up to this iteration.
    pub games: u64,
    /// The parameters.
    pub parameters: Vec<f64>,
}

/// A row of the table: the columns before the parameters, and the parameters.
pub(crate) type PopulationRow = (u64, u64, String, String, Vec<f64>);

/// Returns the strategies in these rows of the table at `path`. There must be at least one.
pub(crate) fn strategies(
    path: &Path,
    rows: Vec<PopulationRow>,
    family: &dyn AnyFamily,
) -> Result<Vec<Vec<f64>>> {
    let members = members(path, rows, family)?;
    match members.is_empty() {
        true => Err(DirectoryError::unreadable(path, "it has no strategy")),
        false => Ok(members.into_iter().map(|member| member.parameters).collect()),
    }
}

/// Returns the members in these rows of the table at `path`, which must fit `family`.
pub(crate) fn members(
    path: &Path,
    rows: Vec<PopulationRow>,
    family: &dyn AnyFamily,
) -> Result<Vec<PopulationMember>> {
    let member = |(line, (iteration, games, _, _, parameters)): (usize, PopulationRow)| {
        family
            .check_parameters(&parameters)
            .map_err(|error| DirectoryError::unreadable(path, format!("line {line}: {error}")))?;
        Ok(PopulationMember { iteration, games, parameters })
    };
    (2..).zip(rows).map(member).collect()
}
