//! The population of a run: one row for each accepted strategy, including the start.

use std::num::{ParseFloatError, ParseIntError};
use std::path::Path;

use super::history::cell;
use crate::family::AnyFamily;
use crate::files::{DirectoryError, Vouched, parse_rows};
use crate::lab::spec::run::Experiment;
use crate::optimise::IterationRecord;

pub(in crate::lab) const POPULATION: &str = "population.csv";

/// The columns before the parameters: the iteration in which a strategy joined, the games played by then, the opponent
/// in its comparison, and why the comparison stopped. A number in `against` is a row of this file, from 0.
const PLACE_COLUMNS: [&str; 4] = ["iteration", "games", "against", "reason"];

pub(in crate::lab) fn columns(experiment: &Experiment) -> Vec<String> {
    let space = experiment.family.space();
    let names = space.parameters().iter().map(|parameter| parameter.name.to_string());
    PLACE_COLUMNS.map(String::from).into_iter().chain(names).collect()
}

/// Returns the row of an iteration, or `None` if it accepted no strategy.
pub(in crate::lab) fn row(record: &IterationRecord) -> Option<impl Iterator<Item = String>> {
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

/// Reads all accepted strategies of the run in the directory `run`. There must be at least one, and all must fit
/// `family`.
pub(in crate::lab) fn read_population(
    run: &Path,
    vouched: Option<&Vouched>,
    family: &dyn AnyFamily,
) -> Result<Vec<Vec<f64>>, DirectoryError> {
    let members = parse(run, vouched, family)?;
    if members.is_empty() {
        let path = run.join(POPULATION);
        return Err(DirectoryError::Unreadable { path, problem: "it has no strategy".into() });
    }
    Ok(members.into_iter().map(|member| member.parameters).collect())
}

pub(in crate::lab) fn parse(
    run: &Path,
    vouched: Option<&Vouched>,
    family: &dyn AnyFamily,
) -> Result<Vec<PopulationMember>, DirectoryError> {
    parse_rows(&run.join(POPULATION), vouched, |rows| -> Result<_, String> {
        let mut members = Vec::new();
        for row in rows.records() {
            let row = row.map_err(|error| error.to_string())?;
            let line = row.position().map_or(0, csv::Position::line);
            let member = parse_member(&row, family);
            members.push(member.map_err(|problem| format!("line {line}: {problem}"))?);
        }
        Ok(members)
    })
}

fn parse_member(
    row: &csv::StringRecord,
    family: &dyn AnyFamily,
) -> Result<PopulationMember, String> {
    let count = |column: usize| {
        row.get(column).unwrap_or_default().parse().map_err(|e: ParseIntError| e.to_string())
    };
    let theta = row.iter().skip(PLACE_COLUMNS.len()).map(str::parse);
    let parameters: Vec<f64> =
        theta.collect::<Result<_, _>>().map_err(|e: ParseFloatError| e.to_string())?;
    family.check_parameters(&parameters).map_err(|error| error.to_string())?;
    Ok(PopulationMember { iteration: count(0)?, games: count(1)?, parameters })
}
