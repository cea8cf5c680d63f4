//! `runs.csv`: one row with the results of each run. The file is derived from the strategy files.

use std::collections::BTreeMap;
use std::path::Path;

use ruse_base::files::{DirectoryError, Result};
use ruse_base::stop::StopReason;
use ruse_play::score::Estimate;
use ruse_search::ParameterSpace;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::strategy::{Discovery, ScoreAgainst, StrategyFile};
use super::tables::{by_run, csv_of, rows_of};
use crate::language::baseline::Baseline;
use crate::language::run::Experiment;
use crate::measurement::{Exploited, Measurement, MeasurementKind, Product, ResponseKind};
use crate::plan::Plan;

pub(super) const RUNS: &str = "runs.csv";

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RunRow {
    family: String,
    method: String,
    seed: u64,
    iterations: u64,
    games: u64,
    stop_reason: StopReason,
    /// The score of the champion against the scoring opponent, which is the baseline by default.
    score: f64,
    low: f64,
    high: f64,
    level: f64,
    pairs: u64,
    exact: bool,
    /// The score of the best known response to the champion, minus one half.
    exploitability: Option<f64>,
    response: Option<ResponseKind>,
    /// The parameters by name, as a JSON object. Columns would be mostly empty, because families have different
    /// parameters.
    parameters: String,
}

/// Returns the parameters by name, as a JSON object. This is also valid YAML, so it can be pasted into a strategy file.
fn by_name(space: &ParameterSpace, theta: &[f64]) -> String {
    let names = space.parameters().iter().map(|parameter| parameter.name.to_string());
    let values = theta.iter().map(|&value| Value::from(value));
    Value::Object(names.zip(values).collect()).to_string()
}

/// Parses parameters by name, and returns them in the order of the family.
fn in_order(space: &ParameterSpace, json: &str) -> Result<Vec<f64>, String> {
    let map: Map<String, Value> = serde_json::from_str(json).map_err(|error| error.to_string())?;
    let known = space.parameters();
    if let Some(name) = map.keys().find(|name| known.iter().all(|known| known.name != **name)) {
        return Err(format!("the family has no parameter `{name}`"));
    }
    let value = |name: &str| match map.get(name).map(Value::as_f64) {
        Some(Some(value)) => Ok(value),
        Some(None) => Err(format!("the parameter `{name}` is not a number")),
        None => Err(format!("the parameter `{name}` is missing")),
    };
    known.iter().map(|parameter| value(&parameter.name)).collect()
}

pub(super) fn text(finished: &[(&Experiment, StrategyFile)], measured: &[Measurement]) -> String {
    let row = |(experiment, file): &(&Experiment, StrategyFile)| {
        let [family, method] = experiment.labels.clone();
        let seed = experiment.resolved.seed;
        let (found, estimate) = file.found.as_ref().zip(file.score())?;
        let product = Product::Champion;
        let champion = Exploited { family: &family, method: &method, product, seed };
        let response = Measurement::find(measured, MeasurementKind::Response, champion);
        let [low, high] = estimate.interval;
        Some(RunRow {
            iterations: found.iterations,
            games: found.games,
            stop_reason: found.stop_reason,
            score: estimate.score,
            low,
            high,
            level: estimate.confidence,
            pairs: estimate.pairs,
            exact: estimate.is_exact(),
            exploitability: response.map(|row| row.score - 0.5),
            response: response.and_then(Measurement::response),
            parameters: by_name(&experiment.family.space(), &file.parameters),
            family,
            method,
            seed,
        })
    };
    csv_of(finished.iter().filter_map(row))
}

/// Reads the champions of a published experiment by the names of the runs. Returns `None` if there is no file.
pub(super) fn read(path: &Path, plan: &Plan) -> Result<Option<BTreeMap<String, StrategyFile>>> {
    let path = path.join(RUNS);
    let Some(rows) = rows_of::<RunRow>(&path)? else { return Ok(None) };
    let rows = by_run(&path, plan, rows, |row| (&row.family, &row.method, row.seed))?;
    let mut strategies = BTreeMap::new();
    for (experiment, row) in rows {
        let name = experiment.run_name();
        let mistake =
            |problem: String| DirectoryError::unreadable(&path, format!("{name}: {problem}"));
        let family = experiment.family.as_ref();
        let parameters = in_order(&family.space(), &row.parameters).map_err(mistake)?;
        family.check_parameters(&parameters).map_err(|error| mistake(error.to_string()))?;
        let counts = [row.iterations, row.games];
        let found = Discovery::of_run(experiment, &parameters, counts, row.stop_reason);
        let score = Estimate {
            score: row.score,
            interval: [row.low, row.high],
            confidence: row.level,
            pairs: row.pairs,
        };
        let opponent = experiment.score_against.as_ref().map(Baseline::in_words);
        let file = StrategyFile {
            rules: experiment.rules(),
            parameters,
            found: Some(found),
            // A score against another opponent leaves the score against the baseline to the measurements.
            score_against_baseline: opponent.is_none().then_some(score),
            score_against: opponent.map(|opponent| ScoreAgainst { opponent, score }),
            ..StrategyFile::empty(&experiment.resolved.family)
        };
        if strategies.insert(name.clone(), file).is_some() {
            return Err(mistake("there are two rows of it".into()));
        }
    }
    Ok(Some(strategies))
}

#[cfg(test)]
mod tests {
    use ruse_registry::Registry;

    use super::*;

    #[test]
    fn parameters_of_every_family_come_back_by_name() {
        for family in Registry::standard().families() {
            let space = family.space();
            let theta: Vec<f64> =
                (0..space.dimension()).map(|k| (k as f64 - 3.0) / 7.0 * 1e3).collect();
            let json = by_name(&space, &theta);
            assert_eq!(in_order(&space, &json), Ok(theta), "{}: {json}", family.name());
        }
    }

    #[test]
    fn parameters_that_do_not_fit_are_named() {
        let space = Registry::standard().family("pig").expect("it is there").space();
        let name = &space.parameters()[0].name;
        let refused = |json: &str| in_order(&space, json).expect_err("a mistake");
        assert_eq!(refused("{}"), format!("the parameter `{name}` is missing"));
        assert_eq!(
            refused(&format!("{{\"{name}\": \"x\"}}")),
            format!("the parameter `{name}` is not a number")
        );
        assert_eq!(refused("{\"luck\": 1}"), "the family has no parameter `luck`");
        assert!(refused("[1]").contains("invalid type"));
    }
}
