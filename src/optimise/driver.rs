//! Runs a method: iteration after iteration, until its budget is used.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use rand_distr::Distribution;
use serde::{Deserialize, Serialize};

use super::kind::AnyMethod;
use super::method::{Against, Answered, Iteration, Joined, Method, Step};
use super::referee::{News, Referee};
use super::state_error::StateError;
use crate::arena::{StopReason, StopSignal, Stopped};
use crate::family::{AnyFamily, Player, Weighted};
use crate::race::{Acceptance, Limits, Operator};
use crate::rng::{Gaussian, Label, StreamKey};
use crate::score::{Estimate, sample};

/// How long a run may go on. The first limit that is reached ends it; there must be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Games played by the method. Games that only measure the result are not counted.
    pub games: Option<u64>,
    /// Iterations: a candidate tried, or a round of games.
    pub iterations: Option<u64>,
    /// Games in a row without a new incumbent; one that ties with the old one does not count as new. If new ones came at random, one
    /// in G games on average, n games would go by without any with probability exp(-n / G): a run that stops after n games
    /// has stopped too early with probability .05 at the most, unless new ones come more rarely than once in n / 3 games.
    pub stalled: Option<u64>,
    /// Wall time. Only the other limits are reproducible.
    pub time: Option<Duration>,
}

/// What to run.
pub struct Task<'a> {
    /// The family to tune.
    pub family: &'a dyn AnyFamily,
    /// The comparison operator.
    pub comparison: Operator,
    /// The error probability and precision of the comparisons.
    pub limits: Limits,
    /// Which candidates are accepted.
    pub acceptance: Acceptance,
    /// The optimiser.
    pub method: Arc<dyn AnyMethod>,
    /// The parameters that the run starts from, `[dimension]`, which are its random individual 0; none stands for
    /// standard Gaussian ones, drawn from `key`.
    pub start: Option<Vec<f64>>,
    /// When to stop.
    pub budget: Budget,
    /// The opponent of the naive method.
    pub baseline: Player,
    /// The opponent against which new incumbents are measured; the baseline if none. No method sees these scores.
    pub scored_against: Option<Player>,
    /// Pairs for each point of the learning curve.
    pub monitor_pairs: u64,
    /// Where all randomness of the run comes from.
    pub key: StreamKey,
}

/// One row of the history of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationRecord {
    /// 0 for the start, then one for every iteration.
    pub iteration: u64,
    /// The step size at the beginning of the iteration, of methods that have one.
    pub sigma: Option<f64>,
    /// What was found out; nothing at the start.
    pub step: Option<Step>,
    /// Games that the iteration took.
    pub iteration_games: u64,
    /// Games from the start to the end of this iteration.
    pub games: u64,
    /// The strategy that joined the population: the start, or one that was accepted.
    pub joined: Option<Vec<f64>>,
    /// What it was measured against.
    pub against: Option<Against>,
    /// The score of the incumbent against the opponent it is measured against, where there is a new one.
    pub baseline_score: Option<Estimate>,
    /// What the method was answered, of methods that are restored by their answers
    /// ([`Method::take_answers`](super::Method::take_answers)).
    pub answers: Vec<Answered>,
}

impl IterationRecord {
    /// Whether the candidate of the iteration was accepted; none at the start.
    pub fn accepted(&self) -> Option<bool> {
        self.step.map(|step| match step {
            // A race may be one step of a search whose end alone joins the population.
            Step::Raced(decision) => decision.accepted,
            Step::Learned { .. } => self.joined.is_some(),
        })
    }
}

impl Task<'_> {
    /// The parameters of an individual of the run: number 0 is its start, the others are standard Gaussian.
    pub(super) fn individual(&self, number: u64) -> Vec<f64> {
        match &self.start {
            Some(start) if number == 0 => start.clone(),
            _ => individual(self.family.space().dimension(), self.key, number),
        }
    }
}

/// What a run has to remember between two iterations, beside the strategies that were accepted and the answers that were kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchState {
    /// Iterations done.
    pub iteration: u64,
    /// Games played in them.
    pub games: u64,
    /// The games after which the incumbent was a new one for the last time.
    #[serde(default)]
    pub games_at_change: u64,
    /// What the method remembers ([`Method::state`](super::Method::state)).
    pub method: serde_json::Value,
}

/// Where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// The state after the last iteration.
    pub state: SearchState,
    /// The start and every strategy that was accepted, in order: each `[dimension]`.
    pub population: Vec<Vec<f64>>,
    /// The [answers](IterationRecord::answers) of all iterations, in order.
    pub answers: Vec<Answered>,
}

impl Resumption {
    /// Makes the method again, as it was.
    ///
    /// # Errors
    ///
    /// When this is not where a run of this method was.
    pub fn method(self, kind: &dyn AnyMethod) -> Result<Box<dyn Method>, StateError> {
        let Resumption { state, population, answers } = self;
        let mut method = kind.restore(population, state.method)?;
        method.recall(answers)?;
        Ok(method)
    }
}

/// Where a run stands, within an iteration.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The iteration in progress, from 1.
    pub iteration: u64,
    /// The step size in use, if there is one.
    pub sigma: Option<f64>,
    /// Games so far.
    pub games: u64,
}

/// What watches a run.
pub trait Observer {
    /// What goes wrong when watching.
    type Error;

    /// Called several times a second.
    fn on_progress(&mut self, progress: Progress);

    /// Called after every iteration, in order, and once for the start. `state` makes the state in which the run can go on.
    ///
    /// # Errors
    ///
    /// An error ends the run.
    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &dyn Fn() -> SearchState,
    ) -> Result<(), Self::Error>;

    /// Called with what the person who waits for the run should know.
    fn on_remark(&mut self, remark: &str) {
        let _ = remark;
    }
}

/// Watches nothing.
impl Observer for () {
    type Error = Infallible;

    fn on_progress(&mut self, _: Progress) {}

    fn on_iteration(
        &mut self,
        _: &IterationRecord,
        _: &dyn Fn() -> SearchState,
    ) -> Result<(), Infallible> {
        Ok(())
    }
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The parameters of the last incumbent: `[dimension]`.
    pub champion: Vec<f64>,
    /// The mixture of parameters, of methods that mix, unless the run was ended at once.
    pub mixture: Option<Vec<Weighted<Player>>>,
    /// The last step size, of methods that have one.
    pub sigma: Option<f64>,
    /// Iterations done.
    pub iterations: u64,
    /// Games played in them.
    pub games: u64,
    /// Why the run ended.
    pub stop_reason: StopReason,
}

/// Draws the standard Gaussian parameters from which a run starts when it is given no others; they are those of a fixed
/// baseline too.
pub fn start_parameters(dimension: usize, key: StreamKey) -> Vec<f64> {
    individual(dimension, key, 0)
}

/// Draws the standard Gaussian parameters of a random individual of a run.
pub fn individual(dimension: usize, key: StreamKey, number: u64) -> Vec<f64> {
    let mut stream = key.child(Label::Start, number).stream();
    (0..dimension).map(|_| Gaussian.sample(&mut stream)).collect()
}

/// Why a run could not go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError<E> {
    /// What it was resumed from is not a state of its method.
    #[error(transparent)]
    State(#[from] StateError),
    /// The method cannot go on, for this reason.
    #[error("{0}")]
    Method(String),
    /// The observer gave up.
    #[error(transparent)]
    Observer(E),
}

/// Runs a method until its budget is used or `stop` is raised, from its start or from where it was. An
/// iteration in progress is dropped when the run is stopped.
///
/// # Errors
///
/// Those of the observer, when there is nothing to resume from, and when the method gives up.
pub fn run<O: Observer>(
    task: &Task<'_>,
    resumption: Option<Resumption>,
    stop: &StopSignal,
    observer: &mut O,
) -> Result<RunResult, RunError<O::Error>> {
    let interrupt = stop;
    let stop = stop.with_time_limit(task.budget.time);
    let (mut method, mut iteration, mut games, mut games_at_change) = match resumption {
        Some(resumption) => {
            let SearchState { iteration, games, games_at_change, .. } = resumption.state;
            (resumption.method(task.method.as_ref())?, iteration, games, games_at_change)
        }
        None => {
            let start = task.individual(0);
            let method = task.method.begin(start.clone());
            let baseline_score = match baseline_score(task, method.incumbent(), 0, interrupt) {
                Ok(score) => score,
                Err(Stopped(stop_reason)) => {
                    return Ok(RunResult {
                        champion: start,
                        mixture: None,
                        sigma: method.sigma(),
                        iterations: 0,
                        games: 0,
                        stop_reason,
                    });
                }
            };
            let record = IterationRecord {
                iteration: 0,
                sigma: method.sigma(),
                step: None,
                iteration_games: 0,
                games: 0,
                joined: Some(start),
                against: None,
                baseline_score,
                answers: Vec::new(),
            };
            let state = || SearchState {
                iteration: 0,
                games: 0,
                games_at_change: 0,
                method: method.state(),
            };
            observer.on_iteration(&record, &state).map_err(RunError::Observer)?;
            (method, 0, 0, 0)
        }
    };

    let stop_reason = loop {
        if task.budget.iterations.is_some_and(|limit| iteration >= limit) {
            break StopReason::Iterations;
        }
        if task.budget.stalled.is_some_and(|limit| games - games_at_change >= limit) {
            break StopReason::Stalled;
        }
        let games_left = task.budget.games.map_or(u64::MAX, |limit| limit - games);
        let sigma = method.sigma();
        let number = iteration + 1;
        let key = task.key.child(Label::Iteration, number);
        let mut on_news = |news: News<'_>| match news {
            News::Games(iteration_games) => {
                let games = games + iteration_games;
                observer.on_progress(Progress { iteration: number, sigma, games });
            }
            News::Remark(remark) => observer.on_remark(remark),
        };
        let mut referee = Referee::new(task, key, games_left, &stop, &mut on_news);
        let incumbent_before = method.incumbent().to_vec();
        let Iteration { step, joined } = match method.iterate(&mut referee) {
            Err(Stopped(reason)) => match referee.failure {
                Some(failure) => return Err(RunError::Method(failure)),
                None => break reason,
            },
            Ok(done) => done,
        };
        let iteration_games = referee.games;
        // A tie may come with every second candidate, and is as good as what it takes the place of.
        let is_tie = matches!(step, Step::Raced(decision) if decision.verdict.is_exact_tie());
        let is_new = !is_tie && method.incumbent() != incumbent_before;
        let baseline_score = if !is_new {
            None
        } else {
            match baseline_score(task, method.incumbent(), number, interrupt) {
                Ok(score) => score,
                Err(Stopped(stop_reason)) => {
                    // A row without its score would depend on when the run was stopped.
                    return Ok(RunResult {
                        champion: incumbent_before,
                        mixture: None,
                        sigma,
                        iterations: iteration,
                        games,
                        stop_reason,
                    });
                }
            }
        };
        iteration = number;
        games += iteration_games;
        if is_new {
            games_at_change = games;
        }
        let (joined, against) =
            joined.map(|Joined { parameters, against }| (parameters, against)).unzip();
        let record = IterationRecord {
            iteration,
            sigma,
            step: Some(step),
            iteration_games,
            games,
            joined,
            against,
            baseline_score,
            answers: method.take_answers(),
        };
        let state = || SearchState { iteration, games, games_at_change, method: method.state() };
        observer.on_iteration(&record, &state).map_err(RunError::Observer)?;
    };
    Ok(RunResult {
        champion: method.incumbent().to_vec(),
        mixture: method.mixture(),
        sigma: method.sigma(),
        iterations: iteration,
        games,
        stop_reason,
    })
}

/// The score of an incumbent against the opponent it is measured against. It does not count for the time of the budget.
fn baseline_score(
    task: &Task<'_>,
    incumbent: &[f64],
    iteration: u64,
    interrupt: &StopSignal,
) -> Result<Option<Estimate>, Stopped> {
    let incumbent = Player::Parameters(incumbent.to_vec());
    let opponent = task.scored_against.as_ref().unwrap_or(&task.baseline);
    let duel = task.family.duel(&incumbent, opponent);
    let duel = duel.expect("a run only meets contestants that were checked");
    let key = task.key.child(Label::Monitor, iteration);
    let (tally, played) = sample(&duel, key, task.monitor_pairs, interrupt, |_| ());
    played.map(|()| tally.estimate())
}
