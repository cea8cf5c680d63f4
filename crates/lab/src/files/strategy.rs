//! Strategy files, each with a learned strategy and its scores.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ruse_search::ParameterError;
use serde::{Deserialize, Serialize};

use super::checkpoint::STRATEGY;
pub use super::contestant_error::ContestantError;
use super::contestant_error::Result;
use ruse_base::files::{Step, YamlSource, reading};
use ruse_base::stop::StopReason;
use ruse_play::family::{AnyFamily, BASELINE, FamilyError, Player, PlayerError, check_weights};

use super::finished::check_vouched;
use super::strategy_parameters::{self, MIXTURE};
pub use crate::language::written::MixtureMember;
pub(crate) use crate::language::written::{listed, mixture_spec};
use ruse_base::names::UnknownName;
use ruse_base::rng::StreamKey;
use ruse_optimise::methods::start_parameters;
use ruse_play::score::Estimate;
use ruse_registry::Registry;

/// The name of a start with all parameters 0.
pub(crate) const ZERO: &str = "zero";
/// The name of a start with given parameters, as written in a strategy file.
pub(crate) const GIVEN: &str = "given";

/// The contents of a `strategy.yaml`. Only the family and the parameters, or a mixture, are needed to play.
///
/// ```
/// # mod ruse { pub use {::ruse_lab as lab, ruse_registry as registry, ruse_play::family}; }
/// use ruse::lab::StrategyFile;
/// use ruse::family::Player;
/// use ruse::registry::Registry;
///
/// # let directory = tempfile::tempdir()?;
/// # let path = &directory.path().join("strategy.yaml");
/// std::fs::write(path, "family: war\nparameters: {C: 9, B: -9, others: 0}\n")?;
/// let file = StrategyFile::read(path)?;
/// let registry = Registry::standard();
/// let family = registry.family(&file.family)?;
/// let file = file.checked(path, family.as_ref())?;
/// assert_eq!(file.contestant(), Player::Parameters(vec![0.0, -9.0, 9.0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(expecting = "a strategy, with at least `family` and `parameters`")]
pub struct StrategyFile {
    /// The family of the strategy.
    pub family: String,
    /// The rules for which the strategy was found.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub rules: BTreeMap<String, u64>,
    /// The descriptions of the family, if programs play its games: with them, no program is started to read the file.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub descriptions: BTreeMap<String, String>,
    /// The parameters; empty for a mixture.
    #[serde(default, deserialize_with = "listed", skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<f64>,
    /// The members of a mixture; empty for a single strategy. One member is drawn for every pair of games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mixture: Vec<MixtureMember>,
    /// A description, in words, of how the strategy plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// The search that found the strategy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<Discovery>,
    /// The score of the strategy against the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_against_baseline: Option<Estimate>,
    /// The score of the strategy against the scoring opponent, if that opponent is not the baseline.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_against: Option<ScoreAgainst>,
    /// The scores of the strategy against the reference strategies.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub score_against_references: BTreeMap<String, Estimate>,
    /// The score of the strategy against the strongest opponent found, if there was a search.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_case: Option<WorstCase>,
}

/// The score of a strategy against the strongest opponent found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct WorstCase {
    /// A description of the opponent.
    pub opponent: String,
    /// The parameters of the opponent, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Vec<f64>>,
    /// The score of the strategy in fresh games, played after the opponent was chosen. `None` if no opponent was found
    /// that scores more than one half; the opponent is then the strategy itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Estimate>,
    /// The number of games that the search played.
    pub games: u64,
}

impl WorstCase {
    /// If the strongest opponent scores more, the strategy is called easily exploited.
    const EASY: f64 = 0.6;
    const BEST: &str = "a best response";

    /// Returns the score against a best response.
    pub fn exact(score: f64) -> WorstCase {
        let (opponent, score) = (WorstCase::BEST.into(), Estimate::computed(score, 0));
        WorstCase { opponent, parameters: None, score: Some(score), games: 0 }
    }

    /// Returns `true` if the opponent is a best response, which is computed without games.
    pub fn is_exact(&self) -> bool {
        self.opponent == WorstCase::BEST
    }

    /// Returns `true` if the whole interval of the opponent's score is above .6.
    pub fn is_easily_exploited(&self) -> bool {
        self.score.is_some_and(|score| score.interval[1] < 1.0 - WorstCase::EASY)
    }
}

/// The score of a strategy against a named opponent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct ScoreAgainst {
    /// The name of the opponent. The experiment defines the opponent exactly.
    pub opponent: String,
    /// The score.
    pub score: Estimate,
}

/// Returns the path of the strategy file: the path itself, or the path of the only strategy in a directory.
///
/// In a directory, the strategy file is the file next to `experiment.yaml`, if it exists; otherwise it is the file of
/// the only run.
///
/// # Errors
///
/// Returns an error if a directory has no strategy, or several.
fn strategy_path(path: &Path) -> Result<Cow<'_, Path>> {
    if !path.is_dir() {
        return Ok(path.into());
    }
    let own = path.join(STRATEGY);
    if reading::is_there(&own)? {
        return Ok(own.into());
    }
    let unreadable = |source| ContestantError::Unreadable { path: path.into(), source };
    let mut found = Vec::new();
    for entry in std::fs::read_dir(path).map_err(unreadable)? {
        let file = entry.map_err(unreadable)?.path().join(STRATEGY);
        if reading::is_there(&file)? {
            found.push(file);
        }
    }
    found.sort();
    // A file with an error sorts first; naming it shows the error.
    found.sort_by_cached_key(|file| {
        let file = StrategyFile::read(file).ok();
        let score = file.as_ref().and_then(|file| file.score()).map_or(0.0, |score| score.score);
        (file.map(|file| file.family), std::cmp::Reverse((score * 1e9) as u64))
    });
    match found.len() {
        0 => Err(ContestantError::NoStrategy(path.into())),
        1 => Ok(found.remove(0).into()),
        _ => Err(ContestantError::SeveralStrategies { path: path.into(), found }),
    }
}

/// The search that found a strategy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Discovery {
    /// The optimiser.
    pub method: String,
    /// The comparison operator, for methods that compare.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<String>,
    /// The start of the run: `zero`, the name of a reference strategy, or `given` for parameters that the experiment
    /// contains. `None` stands for Gaussian parameters, which the seed determines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// True if the strategy is the start of the run. Not recorded for a Gaussian start, which the seed determines.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_start: bool,
    /// The baseline of the run, in words. `None` stands for a baseline that is drawn again for each pair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<String>,
    /// The seed of the run.
    pub seed: u64,
    /// The number of candidates tried.
    pub iterations: u64,
    /// The number of games in comparisons.
    pub games: u64,
    /// The reason why the run ended.
    pub stop_reason: StopReason,
}

impl StrategyFile {
    /// Creates a strategy file with only the name of the family.
    pub fn empty(family: &str) -> StrategyFile {
        StrategyFile { family: family.into(), ..StrategyFile::default() }
    }

    /// Returns `true` if the strategy is the random start of its run: the run found nothing better.
    pub fn is_random_start(&self) -> bool {
        self.found.as_ref().is_some_and(|found| {
            let start = start_parameters(self.parameters.len(), StreamKey::root(found.seed));
            found.start.is_none() && !start.is_empty() && start == self.parameters
        })
    }

    /// Returns `true` if the strategy is the start of its run, random or not: the run found nothing better.
    pub fn is_start(&self) -> bool {
        self.start_in_words().is_some()
    }

    /// Describes the start if the strategy is the start of its run; otherwise returns `None`.
    pub fn start_in_words(&self) -> Option<String> {
        if self.is_random_start() {
            return Some("the random start".into());
        }
        let found = self.found.as_ref().filter(|found| found.is_start)?;
        let label = match found.start.as_deref()? {
            ZERO => "all parameters 0",
            GIVEN => "given parameters",
            reference => reference,
        };
        Some(format!("the start ({label})"))
    }

    /// Returns the score of the run against the scoring opponent, which is the baseline by default.
    pub fn score(&self) -> Option<Estimate> {
        self.score_against.as_ref().map(|of| of.score).or(self.score_against_baseline)
    }

    /// Returns the name of the opponent of the [`score`](StrategyFile::score).
    pub fn scored_against(&self) -> String {
        match &self.score_against {
            Some(ScoreAgainst { opponent, .. }) => opponent.clone(),
            None => format!("the {BASELINE}"),
        }
    }

    /// Returns the lowest of all scores in the file, with its opponent, if there was a search for the strongest opponent:
    /// a reference strategy may have scored more in the games of its own row than in the games of the search. The score
    /// is missing if no opponent scored more than one half.
    pub fn worst(&self) -> Option<WorstCase> {
        let found = self.worst_case.clone()?;
        let lowest = |found: WorstCase, (opponent, score): (String, Estimate)| {
            let least = found.score.map_or(0.5, |score| score.score);
            match score.score < least {
                true => WorstCase { opponent, parameters: None, score: Some(score), ..found },
                false => found,
            }
        };
        let baseline = self.score_against_baseline.map(|score| (format!("the {BASELINE}"), score));
        let against = self.score_against.iter().map(|of| (of.opponent.clone(), of.score));
        let references = self.score_against_references.iter().map(|(name, score)| {
            (format!("the reference strategy {name} of {}", self.family), *score)
        });
        let rows = baseline.into_iter().chain(against).chain(references);
        Some(if found.is_exact() { found } else { rows.fold(found, lowest) })
    }

    /// Reads a strategy file. Call [`checked`](StrategyFile::checked) to check that the parameters fit the family.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not a strategy file, or is a run's file and was changed.
    pub fn read(path: &Path) -> Result<StrategyFile> {
        let path = &*strategy_path(path)?;
        let source = YamlSource::read(path)
            .map_err(|source| ContestantError::Unreadable { path: path.into(), source })?;
        check_vouched(path, &source.text)?;
        StrategyFile::from_source(&source)
    }

    /// Parses the text of a strategy file. Call [`checked_in`](StrategyFile::checked_in) to check that the parameters
    /// fit the family.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a valid strategy file.
    pub fn from_source(source: &YamlSource) -> Result<StrategyFile> {
        let file: StrategyFile = source.parse()?;
        let keys = source.keys();
        let has = |name: &str| keys.iter().any(|key| key == name);
        let mistake = |key: &str, message: &str| -> Result<_> {
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

    /// Returns the family of the strategy, with default rules. A program that plays the games is not started if the file
    /// has its description.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such family, or its file or description is invalid.
    pub fn family(&self, registry: &Registry) -> Result<Arc<dyn AnyFamily>, FamilyError> {
        registry.describe(&self.descriptions)?;
        registry.family(&self.family)
    }

    /// Describes in words how the strategy plays. If a program plays the games, these are the words that were recorded,
    /// since the program is not started to ask for them again.
    ///
    /// # Errors
    ///
    /// Returns an error if the parameters do not fit the family.
    pub fn in_words(&self, family: &dyn AnyFamily) -> Result<String, ParameterError> {
        match &self.words {
            Some(words) if !self.descriptions.is_empty() => Ok(words.clone()),
            _ => family.words(&self.parameters),
        }
    }

    /// Returns the player in this file.
    pub fn contestant(&self) -> Player {
        match self.mixture.as_slice() {
            [] => Player::Parameters(self.parameters.clone()),
            mixture => mixture_spec(mixture),
        }
    }

    /// Returns the member with this name or number. Members are numbered from 1.
    ///
    /// # Errors
    ///
    /// Returns an error if the strategy is not a mixture, or has no such member.
    pub fn member(&self, wanted: &str) -> Result<Player, UnknownName> {
        let named = self.mixture.iter().find(|member| member.name.as_deref() == Some(wanted));
        let numbered = || {
            let number: usize = wanted.parse().ok()?;
            self.mixture.get(number.checked_sub(1)?)
        };
        let names = || {
            let members = self.mixture.iter().enumerate();
            members.map(|(index, member)| match &member.name {
                Some(name) => name.clone(),
                None => (index + 1).to_string(),
            })
        };
        let member = named.or_else(numbered);
        Ok(member.ok_or_else(|| UnknownName::new(MEMBER, wanted, names()))?.strategy.clone())
    }

    /// Checks that the strategy, which was read from `path`, fits the family. Parameters given by name are put into the
    /// order of the family.
    ///
    /// # Errors
    ///
    /// Returns an error, with the place in the file, if the number of parameters is wrong, or a parameter is not
    /// finite.
    pub fn checked(self, path: &Path, family: &dyn AnyFamily) -> Result<StrategyFile> {
        self.checked_by(path, || YamlSource::read(path).ok(), family)
    }

    /// Like [`checked`](StrategyFile::checked), for a strategy that was read from text.
    ///
    /// # Errors
    ///
    /// Same as [`checked`](StrategyFile::checked).
    pub fn checked_in(self, source: &YamlSource, family: &dyn AnyFamily) -> Result<StrategyFile> {
        self.checked_by(&source.path, || Some(source.clone()), family)
    }

    fn checked_by(
        mut self,
        path: &Path,
        read: impl Fn() -> Option<YamlSource>,
        family: &dyn AnyFamily,
    ) -> Result<StrategyFile> {
        let misfit = |place, is_named, error| misfit_at(path, read(), place, is_named, error);
        if self.mixture.is_empty() {
            let is_named = read_parameters(&mut self.parameters, &[], &read, family)?;
            let checked = family.check_parameters(&self.parameters);
            checked.map_err(|error| misfit(Vec::new(), is_named, error))?;
        }
        for (index, member) in self.mixture.iter_mut().enumerate() {
            let is_named = read_member(&mut member.strategy, &mut vec![index], &read, family)?;
            let place = vec![MIXTURE.into(), Step::Index(index)];
            check_member(family, &member.strategy)
                .map_err(|error| misfit(place, is_named, error))?;
        }
        Ok(self)
    }
}

/// Reads parameters that are not written as a list ([`strategy_parameters::by_name`]). Returns whether they were read.
fn read_parameters(
    theta: &mut Vec<f64>,
    member: &[usize],
    read: &dyn Fn() -> Option<YamlSource>,
    family: &dyn AnyFamily,
) -> Result<bool> {
    let source = if theta.is_empty() { read() } else { None };
    let Some(source) = source else { return Ok(false) };
    let found = strategy_parameters::by_name(&source, member, family)?;
    Ok(found.map(|parameters| *theta = parameters).is_some())
}

/// Like [`read_parameters`], for the member of a mixture at this place, and for its members.
fn read_member(
    player: &mut Player,
    place: &mut Vec<usize>,
    read: &dyn Fn() -> Option<YamlSource>,
    family: &dyn AnyFamily,
) -> Result<bool> {
    match player {
        Player::Parameters(theta) => read_parameters(theta, place, read, family),
        Player::Mixture(members) => {
            for (index, member) in members.iter_mut().enumerate() {
                place.push(index);
                read_member(&mut member.of, place, read, family)?;
                place.pop();
            }
            Ok(false)
        }
        _ => Ok(false),
    }
}

/// Returns the error for a strategy that does not fit the family. The strategy is at `place` in the file at `path`.
fn misfit_at(
    path: &Path,
    source: Option<YamlSource>,
    mut place: Vec<Step>,
    is_named: bool,
    error: PlayerError,
) -> ContestantError {
    let Some(source) = source else {
        return ContestantError::MisfitInFile { path: path.into(), source: error };
    };
    let advice = match &error {
        PlayerError::Parameters { family, source } => {
            place.push(strategy_parameters::PARAMETERS.into());
            if let ParameterError::NotFinite { index, name, .. } = source {
                place.push(if is_named { Step::Key(name.clone()) } else { Step::Index(*index) });
            }
            format!("`ruse show {family}` lists them")
        }
        PlayerError::Unknown(unknown) => {
            place.push("strategy".into());
            unknown.advice()
        }
        _ => String::new(),
    };
    let message = if advice.is_empty() { error.to_string() } else { format!("{error}; {advice}") };
    Box::new(source.error_at(&place, message)).into()
}

/// The word for a member of a mixture in messages about missing members.
pub(crate) const MEMBER: &str = "member";

/// Checks a member of a mixture in a strategy file. The file may be from anybody, so it must not start a program.
fn check_member(family: &dyn AnyFamily, member: &Player) -> Result<(), PlayerError> {
    match member.programs().first() {
        Some(name) => Err(PlayerError::Program(format!(
            "a strategy file starts no programs, and names `{name}`; name it in the command, or in an experiment"
        ))),
        None => family.check(member),
    }
}

#[cfg(test)]
mod tests {
    use ruse_registry::Registry;

    use super::*;

    fn learned(seed: u64, parameters: Vec<f64>) -> StrategyFile {
        let found = Discovery {
            method: "naive".into(),
            comparison: None,
            start: None,
            is_start: false,
            baseline: None,
            seed,
            iterations: 3,
            games: 600,
            stop_reason: StopReason::Games,
        };
        StrategyFile { parameters, found: Some(found), ..StrategyFile::empty("war") }
    }

    #[test]
    fn the_random_start_of_a_run_is_known() {
        let start = start_parameters(3, StreamKey::root(7));
        assert!(learned(7, start.clone()).is_random_start());
        assert!(!learned(8, start.clone()).is_random_start());
        assert!(!learned(7, vec![1.0, 2.0, 3.0]).is_random_start());
        // Without information about the search, the start is unknown.
        assert!(!StrategyFile { found: None, ..learned(7, start) }.is_random_start());
    }

    /// The worst case is the lowest score of the whole file, whatever the search has found.
    #[test]
    fn the_worst_case_is_the_lowest_score() {
        let score = |score: f64| Some(Estimate::computed(score, 10));
        let found = |opponent: &str, score| WorstCase {
            opponent: opponent.into(),
            parameters: None,
            score,
            games: 9,
        };
        let with = |baseline, reference: f64, worst| {
            let file = StrategyFile {
                score_against_baseline: baseline,
                score_against_references: [("low".into(), Estimate::computed(reference, 9))].into(),
                worst_case: worst,
                ..learned(1, vec![0.0; 3])
            };
            file.worst().map(|worst| (worst.opponent, worst.score.map(|score| score.score)))
        };
        let own = || Some(found("the search uct@9", score(0.4)));
        let itself = || Some(found(&ruse_optimise::exploit::Responder::Itself.to_string(), None));
        let low = "the reference strategy low of war".to_string();
        assert_eq!(with(score(0.3), 0.3, None), None);
        assert_eq!(with(score(0.5), 0.45, own()), Some(("the search uct@9".into(), Some(0.4))));
        assert_eq!(with(score(0.5), 0.39, own()), Some((low.clone(), Some(0.39))));
        assert_eq!(with(score(0.3), 0.39, own()), Some(("the baseline".into(), Some(0.3))));
        assert_eq!(with(score(0.6), 0.5, itself()), Some(("the strategy itself".into(), None)));
        assert_eq!(with(score(0.6), 0.49, itself()), Some((low, Some(0.49))));
        let exact = || Some(WorstCase::exact(0.5));
        assert_eq!(with(score(0.4), 0.4, exact()), Some((WorstCase::BEST.into(), Some(0.5))));
    }

    #[test]
    fn a_directory_stands_for_its_only_strategy() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path();
        let file = learned(1, vec![1.0, 2.0, 3.0]);
        let write = |of: &str, file: &StrategyFile| {
            std::fs::create_dir_all(path.join(of)).expect("writable");
            let text = serde_yaml::to_string(file).expect("plain data");
            std::fs::write(path.join(of).join(STRATEGY), text).expect("writable");
        };
        assert!(matches!(StrategyFile::read(path), Err(ContestantError::NoStrategy(_))));
        write("war-naive-seed1", &file);
        assert_eq!(StrategyFile::read(path).expect("one strategy"), file);
        write("war-naive-seed2", &file);
        let Err(ContestantError::SeveralStrategies { found, .. }) = StrategyFile::read(path) else {
            panic!("two strategies")
        };
        assert_eq!(found.len(), 2);
        // This is the champion of the whole experiment.
        let champion = learned(2, vec![4.0, 5.0, 6.0]);
        write(".", &champion);
        assert_eq!(StrategyFile::read(path).expect("the champion"), champion);
    }

    /// Parameters survive a file bit for bit, even the smallest and the largest numbers.
    #[test]
    fn strategies_of_every_family_survive_a_file() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let path = directory.path().join("strategy.yaml");
        let odd = [0.1 + 0.2, -0.0, 5e-324, -1.797_693_134_862_315_7e308, 1e3, 1.0 / 3.0];
        for family in Registry::standard().families() {
            let parameters: Vec<f64> =
                odd.into_iter().cycle().take(family.space().dimension()).collect();
            let file = StrategyFile {
                rules: family.rule_values(),
                words: Some(family.words(&parameters).expect("finite parameters")),
                parameters,
                ..StrategyFile::empty(family.name())
            };
            std::fs::write(&path, serde_yaml::to_string(&file).expect("plain data"))
                .expect("writable");
            let read = StrategyFile::read(&path).expect("a strategy file");
            assert_eq!(read, file);
            for (found, expected) in read.parameters.iter().zip(&file.parameters) {
                assert_eq!(found.to_bits(), expected.to_bits(), "{}", family.name());
            }
            read.checked(&path, family).expect("parameters of the family");
        }
    }
}
