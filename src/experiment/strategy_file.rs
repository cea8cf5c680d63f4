//! Strategy files: what was learned, and how well it plays.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::contestant::ContestantError;
use super::yaml::YamlSource;
use crate::arena::StopReason;
use crate::evaluate::Estimate;

/// The contents of a `strategy.yaml`. Only the family and the parameters are needed to play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "a strategy, with at least `family` and `parameters`")]
pub struct StrategyFile {
    /// The family of the strategy.
    pub family: String,
    /// The rules under which it was found.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, u64>,
    /// Its parameters.
    pub parameters: Vec<f64>,
    /// How it plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// How it was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Discovery>,
    /// Its score against the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_against_baseline: Option<Estimate>,
    /// Its scores against the reference strategies.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub score_against_references: BTreeMap<String, Estimate>,
}

/// How a strategy was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Discovery {
    /// The optimiser.
    pub method: String,
    /// The comparison operator.
    pub comparison: String,
    /// The seed of the run.
    pub seed: u64,
    /// Candidates tried.
    pub iterations: u64,
    /// Games in comparisons.
    pub games: u64,
    /// Why the run ended.
    pub stop_reason: StopReason,
}

impl StrategyFile {
    /// Reads a strategy file. Whether the parameters suit the family is not checked here.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is not a strategy file.
    pub fn read(path: &Path) -> Result<StrategyFile, ContestantError> {
        let source = YamlSource::read(path)
            .map_err(|source| ContestantError::Unreadable { path: path.into(), source })?;
        Ok(source.parse()?)
    }
}
