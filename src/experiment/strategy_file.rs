//! Strategy files: what was learned, and how well it plays.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::contestant::ContestantError;
use super::yaml::YamlSource;
use crate::arena::StopReason;
use crate::evaluate::Estimate;
use crate::family::AnyFamily;

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
    /// The comparison operator, of methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<String>,
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

    /// Checks that the parameters, which were read from `path`, suit the family.
    ///
    /// # Errors
    ///
    /// When there are too few or too many of them, or some are not finite.
    pub fn check(&self, path: &Path, family: &dyn AnyFamily) -> Result<(), ContestantError> {
        family
            .check_parameters(&self.parameters)
            .map_err(|source| ContestantError::MisfitInFile { path: path.into(), source })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::Registry;

    /// Parameters survive their file bit by bit, the smallest and the largest too.
    #[test]
    fn strategies_of_every_family_survive_a_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("strategy.yaml");
        let odd = [0.1 + 0.2, -0.0, 5e-324, -1.797_693_134_862_315_7e308, 1e3, 1.0 / 3.0];
        for family in Registry::standard().families() {
            let parameters: Vec<f64> =
                odd.into_iter().cycle().take(family.space().dimension()).collect();
            let file = StrategyFile {
                family: family.name().into(),
                rules: family.rules().iter().map(|rule| (rule.name.into(), rule.value)).collect(),
                words: Some(family.words(&parameters).expect("finite parameters")),
                parameters,
                found: None,
                score_against_baseline: None,
                score_against_references: BTreeMap::new(),
            };
            std::fs::write(&path, serde_yaml::to_string(&file).expect("plain data"))
                .expect("writable");
            let read = StrategyFile::read(&path).expect("a strategy file");
            assert_eq!(read, file);
            for (found, expected) in read.parameters.iter().zip(&file.parameters) {
                assert_eq!(found.to_bits(), expected.to_bits(), "{}", family.name());
            }
            read.check(&path, family).expect("parameters of the family");
        }
    }
}
