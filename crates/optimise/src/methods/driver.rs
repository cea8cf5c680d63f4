//! Runs a method, iteration after iteration, until its budget is used.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use rand_distr::Distribution;
use ruse_play::arena::{StopReason, StopSignal, Stopped};
use ruse_play::family::{AnyFamily, Player, Weighted};
use ruse_play::race::{Accept, Acceptance, Limits, Operator, Ties};
use ruse_play::rng::{Gaussian, Label, StreamKey};
use ruse_play::score::{Estimate, sample};
use serde::{Deserialize, Serialize};

use super::kind::AnyMethod;
use super::method::{Against, Answered, Iteration, Joined, Method, Step};
use super::prune::{self, Pruning};
use super::referee::{News, Referee};
use super::state_error::StateError;
use super::wide_responses::WideResponses;

/// The limits of a run. The run ends when it reaches one of the limits. At least one limit must be given.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Budget {
    /// The number of games played by the method. Games that only measure the result do not count.
    pub games: Option<u64>,
    /// The number of iterations. An iteration tests one candidate, or plays one round of games.
    pub iterations: Option<u64>,
    /// The number of consecutive games without a new incumbent. An incumbent that ties with the old one does not count
    /// as new. If new incumbents come at random, one in G games on average, then the probability that n games pass
    /// without a new incumbent is exp(-n / G). A run that stops after n such games therefore stops too early with
    /// probability at most .05, unless new incumbents are rarer than one in n / 3 games.
    pub stalled: Option<u64>,
    /// The limit on wall-clock time. Unlike the other limits, it makes runs irreproducible.
    pub time: Option<Duration>,
    /// The share of the games and of the time that is reserved for the last phase, which sets groups of parameters of
    /// the champion to zero if this makes the champion better. The share is above 0 and below 1. `None` if the run does
    /// not have this phase.
    pub prune: Option<f64>,
}

/// The description of a run.
pub struct Task<'a> {
    /// The family to tune.
    pub family: &'a dyn AnyFamily,
    /// The comparison operator.
    pub comparison: Operator,
    /// The error probability and precision of the comparisons.
    pub limits: Limits,
    /// The rule for accepting candidates.
    pub acceptance: Acceptance,
    /// The optimiser.
    pub method: Arc<dyn AnyMethod>,
    /// The parameters at the start of the run: `[dimension]`. These parameters are random individual 0 of the run.
    /// `None` stands for standard Gaussian parameters, drawn from `key`.
    pub start: Option<Vec<f64>>,
    /// The limits of the run.
    pub budget: Budget,
    /// The opponent of the methods that learn against a baseline, such as the naive method.
    pub baseline: Player,
    /// The opponent against which new incumbents are measured, or `None` for the baseline. No method sees these scores.
    pub scored_against: Option<Player>,
    /// The number of pairs for each point of the learning curve.
    pub monitor_pairs: u64,
    /// The source of responses among all players of the game, for methods that ask for them.
    pub wide_responses: Option<&'a dyn WideResponses>,
    /// The source of all randomness of the run.
    pub key: StreamKey,
}

/// One row of the history of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationRecord {
    /// The number of the iteration: 0 for the start, then increasing by one.
    pub iteration: u64,
    /// The step size at the beginning of the iteration, for methods that have one.
    pub sigma: Option<f64>,
    /// The result of the iteration; `None` at the start.
    pub step: Option<Step>,
    /// The number of games that the iteration took.
    pub iteration_games: u64,
    /// The number of games from the start to the end of this iteration.
    pub games: u64,
    /// The strategy that joined the population: the start, or an accepted candidate.
    pub joined: Option<Vec<f64>>,
    /// The opponent against which the strategy in `joined` qualified.
    pub against: Option<Against>,
    /// The new incumbent, if there is one.
    pub incumbent: Option<Vec<f64>>,
    /// The score of the new incumbent against the opponent for measurements ([`Task::scored_against`]).
    pub baseline_score: Option<Estimate>,
    /// The answers that the method received in this iteration, if the method is restored by replaying its answers
    /// ([`Method::take_answers`](super::Method::take_answers)).
    pub answers: Vec<Answered>,
}

impl IterationRecord {
    /// Returns `true` if the candidate of the iteration was accepted; `None` at the start.
    pub fn accepted(&self) -> Option<bool> {
        self.step.map(|step| match step {
            // A search may take several races, and only its result joins the population. Here, each accepted candidate
            // counts.
            Step::Raced(decision) => decision.accepted,
            Step::Learned { .. } => self.joined.is_some(),
        })
    }
}

impl Task<'_> {
    /// Returns the parameters of an individual of the run. Number 0 is the start of the run; all other individuals are
    /// drawn from the standard Gaussian distribution.
    pub(super) fn individual(&self, number: u64) -> Vec<f64> {
        match &self.start {
            Some(start) if number == 0 => start.clone(),
            _ => individual(self.family.space().dimension(), self.key, number),
        }
    }
}

/// The state of a run between two iterations, apart from the accepted strategies and the kept answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchState {
    /// The number of iterations done.
    pub iteration: u64,
    /// The number of games played in these iterations.
    pub games: u64,
    /// The number of games played when the incumbent last changed.
    #[serde(default)]
    pub games_at_change: u64,
    /// The state of the method ([`Method::state`](super::Method::state)).
    pub method: serde_json::Value,
    /// The state of the phase that follows the search, once it has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    prune: Option<Pruning>,
}

impl SearchState {
    /// Returns the state at the start of a run of `method`.
    pub fn at_start(method: &dyn Method) -> SearchState {
        let method = method.state();
        SearchState { iteration: 0, games: 0, games_at_change: 0, method, prune: None }
    }
}

/// The point at which a run continues.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// The state after the last iteration.
    pub state: SearchState,
    /// The start and every accepted strategy, in order: each `[dimension]`.
    pub population: Vec<Vec<f64>>,
    /// The [answers](IterationRecord::answers) of all iterations, in order.
    pub answers: Vec<Answered>,
}

impl Resumption {
    /// Restores the method.
    ///
    /// # Errors
    ///
    /// Returns an error if the state does not belong to a run of this method.
    pub fn method(self, kind: &dyn AnyMethod) -> Result<Box<dyn Method>, StateError> {
        let Resumption { state, population, answers } = self;
        let searched = match &state.prune {
            Some(pruning) => pruning.searched(population)?,
            None => population,
        };
        let mut method = kind.restore(searched, state.method)?;
        method.recall(answers)?;
        Ok(method)
    }
}

/// The progress of a run within an iteration.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The iteration in progress, from 1.
    pub iteration: u64,
    /// The current step size, if there is one.
    pub sigma: Option<f64>,
    /// The number of games so far.
    pub games: u64,
}

/// An observer of a run.
pub trait Observer {
    /// The error of the observer.
    type Error;

    /// Receives the progress, several times per second.
    fn on_progress(&mut self, progress: Progress);

    /// Receives the record of the start, and then the record of every iteration, in order. `state` returns the state
    /// from which the run can continue.
    ///
    /// # Errors
    ///
    /// An error ends the run.
    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &dyn Fn() -> SearchState,
    ) -> Result<(), Self::Error>;

    /// Receives a remark for the user who waits for the run.
    fn on_remark(&mut self, remark: &str) {
        let _ = remark;
    }
}

/// Ignores all events.
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

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The parameters of the last incumbent: `[dimension]`.
    pub champion: Vec<f64>,
    /// The mixture that the method found; `None` if the method finds no mixture or the run was interrupted immediately.
    pub mixture: Option<Vec<Weighted<Player>>>,
    /// The last step size, for methods that have one.
    pub sigma: Option<f64>,
    /// The number of iterations done.
    pub iterations: u64,
    /// The number of games played in these iterations.
    pub games: u64,
    /// The reason why the run ended.
    pub stop_reason: StopReason,
}

/// Draws the standard Gaussian parameters from which a run starts by default; a fixed baseline has the same parameters.
pub fn start_parameters(dimension: usize, key: StreamKey) -> Vec<f64> {
    individual(dimension, key, 0)
}

/// Draws the parameters of a run's random individual with index `number` from the standard Gaussian distribution.
pub fn individual(dimension: usize, key: StreamKey, number: u64) -> Vec<f64> {
    let mut stream = key.child(Label::Start, number).stream();
    (0..dimension).map(|_| Gaussian.sample(&mut stream)).collect()
}

/// The reason why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E> {
    /// The state from which the run should continue is not a state of its method.
    #[error(transparent)]
    State(#[from] StateError),
    /// The method failed; the text is the reason.
    #[error("{0}")]
    Method(String),
    /// The observer returned an error.
    #[error(transparent)]
    Observer(E),
}

/// Returns `true` if the first iteration of the method takes more games than this limit. No games are played.
fn is_too_small(task: &Task<'_>, limit: u64) -> bool {
    if task.method.command().is_some() {
        return false;
    }
    // The referee refuses requests beyond the limit before it looks at the signal.
    let stop = StopSignal::default();
    stop.raise();
    let mut on_news = |_: News<'_>| ();
    let key = task.key.child(Label::Iteration, 1);
    let mut referee = Referee::new(task, key, limit, &stop, &mut on_news);
    let first = task.method.begin(task.individual(0)).iterate(&mut referee);
    matches!(first, Err(Stopped(StopReason::Games)))
}

/// Runs a method, from its start or from `resumption`, until its budget is used or `stop` is raised. If the run is
/// stopped, the iteration in progress is discarded.
///
/// # Errors
///
/// Returns an error if the observer returns one, if the run cannot be resumed, or if the method fails.
pub fn run<O: Observer>(
    task: &Task<'_>,
    resumption: Option<Resumption>,
    stop: &StopSignal,
    observer: &mut O,
) -> Result<RunResult, RunError<O::Error>> {
    let interrupt = stop;
    let share = task.budget.prune;
    let time_of_search =
        task.budget.time.map(|time| share.map_or(time, |share| time.mul_f64(1.0 - share)));
    let stop_search = interrupt.with_time_limit(time_of_search);
    let stop_pruning = interrupt.with_time_limit(task.budget.time);
    let games_of_search = task
        .budget
        .games
        .map(|limit| share.map_or(limit, |share| limit - prune::reserve(share, limit)));
    let task_of_pruning = task_of_pruning(task);
    let groups = share.map_or(Vec::new(), |_| groups(task));
    let mut pruning = None;
    let (mut method, mut iteration, mut games, mut games_at_change, mut num_joined) =
        match resumption {
            Some(resumption) => {
                let num_joined = resumption.population.len();
                let SearchState { iteration, games, games_at_change, .. } = resumption.state;
                pruning.clone_from(&resumption.state.prune);
                let method = resumption.method(task.method.as_ref())?;
                (method, iteration, games, games_at_change, num_joined)
            }
            None => {
                let start = task.individual(0);
                if let Some(limit) = games_of_search.filter(|&limit| is_too_small(task, limit)) {
                    observer.on_remark(&format!(
                        "{limit} games are less than one generation: nothing will be tuned"
                    ));
                }
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
                    incumbent: Some(method.incumbent().to_vec()),
                    baseline_score,
                    answers: Vec::new(),
                };
                let state = || SearchState::at_start(method.as_ref());
                observer.on_iteration(&record, &state).map_err(RunError::Observer)?;
                (method, 0, 0, 0, 1)
            }
        };

    let stop_reason = loop {
        let limit = match &pruning {
            None if task.budget.iterations.is_some_and(|limit| iteration >= limit) => {
                Some(StopReason::Iterations)
            }
            None if task.budget.stalled.is_some_and(|limit| games - games_at_change >= limit) => {
                Some(StopReason::Stalled)
            }
            _ => None,
        };
        let number = iteration + 1;
        let sigma = method.sigma();
        let incumbent_before = incumbent(method.as_ref(), pruning.as_ref()).to_vec();
        let mut iteration_games = 0;
        let done = match limit {
            Some(reason) => Err(Stopped(reason)),
            None => {
                let key = task.key.child(Label::Iteration, number);
                let mut on_news = |news: News<'_>| match news {
                    News::Games(iteration_games) => {
                        let games = games + iteration_games;
                        observer.on_progress(Progress { iteration: number, sigma, games });
                    }
                    News::Remark(remark) => observer.on_remark(remark),
                };
                let (task, games_left, stop) = match &pruning {
                    None => {
                        let games_left = games_of_search.map_or(u64::MAX, |limit| limit - games);
                        (task, games_left, &stop_search)
                    }
                    Some(pruning) => (&task_of_pruning, pruning.games_left(games), &stop_pruning),
                };
                let mut referee = Referee::new(task, key, games_left, stop, &mut on_news);
                let done = match &mut pruning {
                    None => method.iterate(&mut referee),
                    Some(pruning) => pruning.iterate(&groups, &mut referee),
                };
                if let (Err(_), Some(failure)) = (&done, referee.failure) {
                    return Err(RunError::Method(failure));
                }
                iteration_games = referee.games;
                done
            }
        };
        let Iteration { step, joined } = match (done, &pruning) {
            (Ok(done), _) => done,
            (Err(Stopped(StopReason::Interrupted)), _) => break StopReason::Interrupted,
            (Err(_), Some(pruning)) => break pruning.search_end,
            (Err(Stopped(reason)), None) => {
                let Some(share) = share else { break reason };
                let (champion, limit) = (method.incumbent(), task.budget.games);
                pruning = Some(Pruning::new(champion, share, limit, games, num_joined, reason));
                continue;
            }
        };
        // On a plateau, every second candidate may tie; such a candidate is only as good as the incumbent that it
        // replaces.
        let is_tie = matches!(step, Step::Raced(decision) if decision.verdict.is_exact_tie());
        let incumbent = incumbent(method.as_ref(), pruning.as_ref());
        let is_new = !is_tie && incumbent != incumbent_before;
        let baseline_score = if !is_new {
            None
        } else {
            match baseline_score(task, incumbent, number, interrupt) {
                Ok(score) => score,
                Err(Stopped(stop_reason)) => {
                    // The record needs this score, so the iteration is discarded: a record without a score would depend
                    // on the time at which the run was stopped.
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
        num_joined += usize::from(joined.is_some());
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
            incumbent: is_new.then(|| incumbent.to_vec()),
            baseline_score,
            answers: method.take_answers(),
        };
        let state = || SearchState {
            iteration,
            games,
            games_at_change,
            method: method.state(),
            prune: pruning.clone(),
        };
        observer.on_iteration(&record, &state).map_err(RunError::Observer)?;
    };
    Ok(RunResult {
        champion: incumbent(method.as_ref(), pruning.as_ref()).to_vec(),
        mixture: method.mixture(),
        sigma: method.sigma(),
        iterations: iteration,
        games,
        stop_reason,
    })
}

/// Returns the task with the races of the pruning.
fn task_of_pruning<'a>(task: &Task<'a>) -> Task<'a> {
    Task {
        family: task.family,
        method: task.method.clone(),
        comparison: Operator::Betting,
        limits: Limits { delta: task.limits.delta, ..Limits::default() },
        acceptance: Acceptance { accept: Accept::Proven, ties: Ties::Refuse },
        start: task.start.clone(),
        budget: task.budget,
        baseline: task.baseline.clone(),
        scored_against: task.scored_against.clone(),
        monitor_pairs: task.monitor_pairs,
        wide_responses: None,
        key: task.key,
    }
}

/// Returns the groups of parameters that the pruning tests, without repetition.
fn groups(task: &Task<'_>) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for group in task.family.space().groups() {
        if !groups.contains(&group.members) {
            groups.push(group.members);
        }
    }
    groups
}

/// Returns the best strategy so far: the champion of the pruning, if it has begun, or the incumbent of the method.
fn incumbent<'a>(method: &'a dyn Method, pruning: Option<&'a Pruning>) -> &'a [f64] {
    pruning.map_or(method.incumbent(), Pruning::champion)
}

/// Returns the score of an incumbent against the opponent for measurements ([`Task::scored_against`]). The duration of
/// these games does not count towards the budget.
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
