//! The training of a best response to a mixture: a method that learns against a baseline plays against the mixture
//! instead.
//!
//! Algorithm 1 of Lanctot et al., *A unified game-theoretic approach to multiagent reinforcement learning*, NIPS 2017,
//! leaves open how best responses are found. Here, one of our methods for a fixed opponent finds the best responses.
//! Each response gets the same share of the budget, so a run finds about [`NUM_RESPONSES`] responses.

use std::ops::Range;
use std::sync::Arc;

use ruse_base::stop::{Result, StopReason, Stopped};
use ruse_games::BySeat;
use ruse_play::family::{Player, Weighted};
use ruse_play::race::Decision;
use ruse_play::score::Tally;
use ruse_search::Levels;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

use super::cma_es::CmaEsKind;
use super::es::EsKind;
use super::kind::{AnyMethod, MethodKind};
use super::local_search::LocalSearchKind;
use super::method::{Fixture, Method, Oracle, Question, Step};
use super::state_error::StateError;

/// The number of responses that share the budget.
const NUM_RESPONSES: u64 = 16;
/// The number of games for each response if the games of the run are unlimited.
const UNLIMITED: u64 = 100_000;
/// The number of random individuals reserved for each response, which is more than any method needs.
const INDIVIDUALS_EACH: u64 = 1 << 20;

/// The source of best responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Responses {
    /// Races of single mutants, of this method itself.
    #[default]
    Races,
    /// The method es.
    Es,
    /// The method cma-es.
    CmaEs,
    /// The method local-search.
    LocalSearch,
}

impl Responses {
    /// Returns the method that finds the responses, or `None` if races find them.
    fn method(self) -> Option<Arc<dyn AnyMethod>> {
        match self {
            Responses::Races => None,
            Responses::Es => Some(EsKind::default().into_any()),
            Responses::CmaEs => Some(CmaEsKind::default().into_any()),
            Responses::LocalSearch => Some(LocalSearchKind {}.into_any()),
        }
    }
}

/// A best response in progress.
#[derive(Deserialize)]
#[serde(try_from = "SavedTraining")]
pub(super) struct Training {
    by: Responses,
    method: Box<dyn Method>,
    start: Vec<f64>,
    /// The number of this response in the run, from 1.
    number: u64,
    games_left: u64,
}

/// A training as plain data.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedTraining {
    by: Responses,
    start: Vec<f64>,
    number: u64,
    games_left: u64,
    response: Vec<f64>,
    state: Value,
}

impl Serialize for Training {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Training { by, number, games_left, .. } = *self;
        let (start, response) = (self.start.clone(), self.response().to_vec());
        let state = self.method.state();
        SavedTraining { by, start, number, games_left, response, state }.serialize(serializer)
    }
}

impl TryFrom<SavedTraining> for Training {
    type Error = StateError;

    fn try_from(saved: SavedTraining) -> Result<Training, StateError> {
        let SavedTraining { by, start, number, games_left, response, state } = saved;
        if start.len() != response.len() {
            return Err(StateError::new("the start of a training is not of its dimension"));
        }
        let method = by.method().ok_or_else(|| StateError::new("`by: races` has no training"))?;
        let method = method.restore(vec![response], state)?;
        Ok(Training { by, method, start, number, games_left })
    }
}

impl Training {
    /// Creates the training of a response, which starts at `start`: `[dimension]`. `number` is the number of the
    /// response in the run, from 1. The run has `total` games, or `u64::MAX` if its games are unlimited. Returns `None`
    /// if responses are found by races.
    pub(super) fn new(by: Responses, start: Vec<f64>, number: u64, total: u64) -> Option<Training> {
        let method = by.method()?.begin(start.clone());
        let games_left = if total < u64::MAX { total / NUM_RESPONSES } else { UNLIMITED };
        Some(Training { by, method, start, number, games_left })
    }

    /// Returns the response so far: `[dimension]`.
    pub(super) fn response(&self) -> &[f64] {
        self.method.incumbent()
    }

    /// Carries out one iteration of the training against this mixture. Returns `None` if the games of the training are
    /// used up.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end for any other reason.
    pub(super) fn iterate(
        &mut self,
        oracle: &mut dyn Oracle,
        mixture: &[Weighted<Player>],
    ) -> Result<Option<Step>> {
        let Training { method, start, number, games_left, .. } = self;
        let number = *number;
        let mut sparring = Sparring { oracle, mixture, start, number, games_left: *games_left };
        let done = method.iterate(&mut sparring);
        *games_left = sparring.games_left;
        match done {
            Ok(done) => Ok(Some(done.step)),
            Err(Stopped(StopReason::Games)) => Ok(None),
            Err(stopped) => Err(stopped),
        }
    }
}

/// The trainings of a run, one after the other.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trainings {
    /// The current training.
    now: Option<Training>,
    num_begun: u64,
    /// The number of games left in the run when the first training began; `u64::MAX` if games are unlimited.
    total: u64,
}

impl Trainings {
    /// Returns `true` if no training has begun.
    pub(super) fn is_new(&self) -> bool {
        self.num_begun == 0
    }

    /// Returns `true` if the next iteration is the first of a training.
    pub(super) fn is_between(&self) -> bool {
        self.now.is_none()
    }

    /// Returns `true` if the state is valid for parameters of this dimension.
    pub(super) fn is_sound(&self, dimension: usize) -> bool {
        self.now.iter().all(|training| training.start.len() == dimension)
    }

    /// Carries out one iteration of the current training, or of a new training that starts at `start`. When a training
    /// has used up its games, the inner `Err` contains the response that it found.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end.
    pub(super) fn iterate(
        &mut self,
        by: Responses,
        start: &[f64],
        oracle: &mut dyn Oracle,
        mixture: &[Weighted<Player>],
    ) -> Result<Result<Step, Vec<f64>>> {
        if self.is_new() {
            self.total = oracle.games_left();
        }
        let mut training = match self.now.take() {
            Some(training) => training,
            None => {
                self.num_begun += 1;
                let start = start.to_vec();
                Training::new(by, start, self.num_begun, self.total).expect("it trains")
            }
        };
        match training.iterate(oracle, mixture)? {
            Some(step) => {
                self.now = Some(training);
                Ok(Ok(step))
            }
            None => Ok(Err(training.response().to_vec())),
        }
    }
}

/// The oracle of a training. The mixture replaces the baseline, and games are limited to the share of the training.
struct Sparring<'a> {
    oracle: &'a mut dyn Oracle,
    mixture: &'a [Weighted<Player>],
    /// The start of the training, which is individual 0.
    start: &'a [f64],
    number: u64,
    games_left: u64,
}

impl Oracle for Sparring<'_> {
    fn gaussian(&mut self) -> f64 {
        self.oracle.gaussian()
    }

    fn index(&mut self, n: usize) -> usize {
        self.oracle.index(n)
    }

    fn individual(&self, number: u64) -> Vec<f64> {
        match number {
            0 => self.start.to_vec(),
            _ => self.oracle.individual(self.number * INDIVIDUALS_EACH + number),
        }
    }

    fn baseline(&self) -> Player {
        Player::Mixture(self.mixture.to_vec())
    }

    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        self.oracle.seats()
    }

    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        self.oracle.plays_alike(a, b)
    }

    fn groups(&self) -> Vec<Vec<usize>> {
        self.oracle.groups()
    }

    fn levels(&self) -> Vec<Levels> {
        self.oracle.levels()
    }

    fn proposals(
        &mut self,
        theta: &[f64],
        opponent: &Player,
        max_games: u64,
        num: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let max_games = max_games.min(self.games_left());
        let before = self.oracle.games_left();
        let proposals = self.oracle.proposals(theta, opponent, max_games, num)?;
        self.games_left = self.games_left.saturating_sub(before - self.oracle.games_left());
        Ok(proposals)
    }

    fn games_left(&self) -> u64 {
        self.games_left.min(self.oracle.games_left())
    }

    fn compare_within(
        &mut self,
        max_games: u64,
        candidate: &[f64],
        question: Question<'_>,
    ) -> Result<Decision> {
        let question = match question {
            Question::DoesBetterThan(incumbent) => {
                Question::DoesBetterAgainst { incumbent, mixture: self.mixture }
            }
            question => question,
        };
        // The smallest race takes one pair for each of two players.
        self.need(4)?;
        let max_games = max_games.min(self.games_left());
        let decision = self.oracle.compare_within(max_games, candidate, question)?;
        self.games_left = self.games_left.saturating_sub(decision.num_games);
        Ok(decision)
    }

    fn play(&mut self, players: &[Player], fixtures: &[Fixture]) -> Result<Vec<Tally>> {
        let games = fixtures.iter().map(|fixture| 2 * fixture.num_pairs).sum();
        self.need(games)?;
        let tallies = self.oracle.play(players, fixtures)?;
        self.games_left -= games;
        Ok(tallies)
    }

    fn check(&self) -> Result {
        self.oracle.check()
    }

    fn give_up(&mut self, reason: String) -> Stopped {
        self.oracle.give_up(reason)
    }
}

#[cfg(test)]
mod tests;
