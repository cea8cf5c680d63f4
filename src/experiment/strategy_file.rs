//! Strategy files: what was learned, and how well it plays.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize};

use super::contestant::ContestantError;
use super::yaml::YamlSource;
use crate::arena::StopReason;
use crate::evaluate::Estimate;
use crate::family::{
    AnyFamily, ContestantSpec, MatchupError, PureSpec, UnknownName, check_weights,
};

/// The contents of a `strategy.yaml`. Only the family and the parameters, or a mixture, are needed to play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "a strategy, with at least `family` and `parameters`")]
pub struct StrategyFile {
    /// The family of the strategy.
    pub family: String,
    /// The rules under which it was found.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, u64>,
    /// Its parameters; none if it is a mixture.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<f64>,
    /// The members of a portfolio, of which one is drawn for every pair of games; none if it is one strategy.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixture: Vec<MixtureMember>,
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

/// A member of a portfolio.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "MemberEntry", into = "MemberEntry")]
pub struct MixtureMember {
    /// How often it is drawn, in proportion to the others: finite, 0 or more.
    pub weight: f64,
    /// What it is called.
    pub name: Option<String>,
    /// What plays.
    pub strategy: PureSpec,
}

/// A member as it is written.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "a member of a mixture, with `weight`, and `parameters` or `strategy`")]
struct MemberEntry {
    #[serde(deserialize_with = "weight")]
    weight: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    parameters: Option<Vec<f64>>,
    /// The name of a reference strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    strategy: Option<String>,
}

/// Why a member does not say what plays.
#[derive(Debug, thiserror::Error)]
enum MemberError {
    #[error("missing field `parameters`, or `strategy` with the name of a reference strategy")]
    Nothing,
    #[error("a member has `parameters` or a `strategy`, not both")]
    Both,
}

impl TryFrom<MemberEntry> for MixtureMember {
    type Error = MemberError;

    fn try_from(entry: MemberEntry) -> Result<MixtureMember, MemberError> {
        let strategy = match (entry.parameters, entry.strategy) {
            (Some(theta), None) => PureSpec::Parameters(theta),
            (None, Some(name)) => PureSpec::Reference(name),
            (None, None) => return Err(MemberError::Nothing),
            (Some(_), Some(_)) => return Err(MemberError::Both),
        };
        Ok(MixtureMember { weight: entry.weight, name: entry.name, strategy })
    }
}

impl From<MixtureMember> for MemberEntry {
    fn from(MixtureMember { weight, name, strategy }: MixtureMember) -> MemberEntry {
        let (parameters, strategy) = match strategy {
            PureSpec::Parameters(theta) => (Some(theta), None),
            PureSpec::Reference(name) => (None, Some(name)),
        };
        MemberEntry { weight, name, parameters, strategy }
    }
}

/// A number that is checked where it is read, so that a mistake has a place.
fn weight<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let weight = f64::deserialize(deserializer)?;
    if weight.is_finite() && weight >= 0.0 {
        return Ok(weight);
    }
    Err(serde::de::Error::custom(format!(
        "a weight is a finite number, 0 or more, and not {weight}"
    )))
}

/// The contestant that draws one of these for every pair.
pub(super) fn mixture_spec(mixture: &[MixtureMember]) -> ContestantSpec {
    let member = |member: &MixtureMember| (member.weight, member.strategy.clone());
    ContestantSpec::Mixture(mixture.iter().map(member).collect())
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
    /// A strategy of `family` of which nothing is said yet, not even what plays.
    pub fn empty(family: &str) -> StrategyFile {
        StrategyFile {
            family: family.into(),
            rules: BTreeMap::new(),
            parameters: Vec::new(),
            mixture: Vec::new(),
            words: None,
            found: None,
            score_against_baseline: None,
            score_against_references: BTreeMap::new(),
        }
    }

    /// Reads a strategy file. Whether the parameters suit the family is not checked here.
    ///
    /// # Errors
    ///
    /// When it cannot be read, or is not a strategy file.
    pub fn read(path: &Path) -> Result<StrategyFile, ContestantError> {
        let source = YamlSource::read(path)
            .map_err(|source| ContestantError::Unreadable { path: path.into(), source })?;
        let file: StrategyFile = source.parse()?;
        let keys = source.keys();
        let has = |name: &str| keys.iter().any(|key| key == name);
        let mistake = |key: &str, message: &str| -> Result<_, ContestantError> {
            Err(Box::new(source.error_at(&[key.into()], message.into())).into())
        };
        match (has("parameters"), has("mixture")) {
            (false, false) => mistake("family", "missing field `parameters`, or `mixture`"),
            (true, true) => {
                mistake("mixture", "a strategy has `parameters` or a `mixture`, not both")
            }
            (false, true) => match check_weights(file.mixture.iter().map(|member| member.weight)) {
                Ok(()) => Ok(file),
                Err(error) => mistake("mixture", &error.to_string()),
            },
            (true, false) => Ok(file),
        }
    }

    /// What plays by this file.
    pub fn contestant(&self) -> ContestantSpec {
        match self.mixture.as_slice() {
            [] => ContestantSpec::Parameters(self.parameters.clone()),
            mixture => mixture_spec(mixture),
        }
    }

    /// Checks that the parameters, which were read from `path`, suit the family.
    ///
    /// # Errors
    ///
    /// When there are too few or too many of them, or some are not finite.
    pub fn check(&self, path: &Path, family: &dyn AnyFamily) -> Result<(), ContestantError> {
        let checked = match self.mixture.as_slice() {
            [] => family.check_parameters(&self.parameters),
            mixture => mixture.iter().try_for_each(|member| check_member(family, &member.strategy)),
        };
        checked.map_err(|source| ContestantError::MisfitInFile { path: path.into(), source })
    }
}

fn check_member(family: &dyn AnyFamily, member: &PureSpec) -> Result<(), MatchupError> {
    match member {
        PureSpec::Parameters(theta) => family.check_parameters(theta),
        PureSpec::Reference(name) => {
            let references = family.references();
            let mut known = references.iter().map(|reference| reference.name);
            match known.any(|known| known == name) {
                true => Ok(()),
                false => {
                    let known = references.iter().map(|reference| reference.name);
                    Err(UnknownName::new("reference strategy", name, known).into())
                }
            }
        }
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
                mixture: Vec::new(),
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
