//! Races whose observations come from Python.

use std::ops::ControlFlow;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use ruse::lab::RaceOptions;
use ruse::optimise::UsualRaces;
use ruse::race::{AnyRace, Race as _, RaceSettings, Verdict};
use ruse::serde_json::json;

use crate::refusal::{error, refused};

/// A sequential comparison in progress.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Race {
    race: Mutex<(AnyRace, Option<Verdict>)>,
    acceptance: ruse::race::Acceptance,
    levels: u16,
}

/// The maximum of `levels`, the highest level of an observation.
const MAX_LEVELS: u16 = 24_000;

#[pymethods]
impl Race {
    #[new]
    fn new(
        comparison: String,
        delta: f64,
        precision: f64,
        accept: Option<String>,
        levels: u16,
    ) -> PyResult<Race> {
        if !(1..=MAX_LEVELS).contains(&levels) {
            return Err(refused(format!(
                "levels is {levels}, and must lie between 1 and {MAX_LEVELS}: 2 for games that are won, drawn or lost"
            )));
        }
        let RaceSettings { comparison, limits, acceptance, .. } =
            checked_races(comparison, delta, precision, accept)?;
        Ok(Race { race: Mutex::new((comparison.race(limits, levels), None)), acceptance, levels })
    }

    /// Adds a score from 0 to 1. Returns `true` if the race is decided.
    fn push(&self, score: f64) -> PyResult<bool> {
        let Some(level) = level_of(score, self.levels) else {
            return Err(refused(format!(
                "{score} is not a score of this race: it takes 0, 1 and the values between them in {} equal steps",
                self.levels
            )));
        };
        let mut state = self.race.lock().unwrap_or_else(PoisonError::into_inner);
        let (race, verdict) = &mut *state;
        if verdict.is_some() {
            return Err(refused("the race is decided; begin another one"));
        }
        if let ControlFlow::Break(found) = race.push(level) {
            *verdict = Some(found);
        }
        Ok(verdict.is_some())
    }

    /// Returns the verdict as JSON; before the race is decided, `None`, or with `now` the verdict if no score follows.
    fn verdict(&self, now: bool) -> Option<String> {
        let state = self.race.lock().unwrap_or_else(PoisonError::into_inner);
        let verdict = state.1.or_else(|| now.then(|| state.0.out_of_budget()))?;
        Some(told(self.acceptance.admits(&verdict), &verdict, verdict.num_observations))
    }
}

/// Returns a verdict as JSON. `games` is the number of games counted.
pub(crate) fn told(accepts: bool, verdict: &Verdict, games: u64) -> String {
    json!({
        "accepts": accepts,
        "reason": verdict.reason.to_string(),
        "observations": verdict.num_observations,
        "games": games,
        "score": verdict.score,
        "interval": verdict.interval,
    })
    .to_string()
}

/// Returns the level of a score, if there is one: `levels` for the score 1.
pub(crate) fn level_of(score: f64, levels: u16) -> Option<u16> {
    /// The maximum distance between a score and a level, in levels.
    const ROUNDING: f64 = 1e-6;
    let level = score * f64::from(levels);
    let is_level = (0.0..=1.0).contains(&score) && (level - level.round()).abs() <= ROUNDING;
    is_level.then(|| level.round() as u16)
}

/// Checks the settings of a race that is not part of a run.
pub(crate) fn checked_races(
    comparison: String,
    delta: f64,
    precision: f64,
    accept: Option<String>,
) -> PyResult<RaceSettings> {
    let (comparison, delta, precision) = (Some(comparison), Some(delta), Some(precision));
    let options = RaceOptions { comparison, delta, precision, accept, ties: None };
    options.checked(UsualRaces::OF_THE_PAPER).map_err(error)
}
