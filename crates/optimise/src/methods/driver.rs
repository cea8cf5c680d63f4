//! Runs a method, iteration after iteration, until its budget is used.

use std::convert::Infallible;
use std::ops::ControlFlow;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{Result, StopReason, StopSignal, Stopped};
use ruse_play::family::{Player, Weighted};
use ruse_play::race::{Accept, Acceptance, Limits, Operator, RaceSettings, Ties};
use ruse_play::score::{Estimate, sample};
use serde::{Deserialize, Serialize};

use super::finals::{self, Ended, Finals};
use super::kind::{AnyMethod, Restored};
use super::later::{After, Later};
use super::method::{Against, Answered, Iteration, Joined, Method, Step};
use super::prune::{self, Pruning};
use super::referee::{News, Referee};
use super::state_error::StateError;
use super::task::{Budget, Task, individual};

/// One row of the history of a run.
#[derive(Debug, Clone, PartialEq, Default)]
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
    /// The states of the phases that follow the search, as far as they have begun.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    later: Vec<Later>,
}

impl SearchState {
    /// Returns the state at the start of a run of `method`.
    pub fn at_start(method: &dyn Method) -> SearchState {
        let method = method.state();
        SearchState { iteration: 0, games: 0, games_at_change: 0, method, later: Vec::new() }
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
    pub fn method(self, kind: &dyn AnyMethod) -> Restored {
        let Resumption { state, population, answers } = self;
        let before = |population, later: &Later| later.before(population);
        let searched = state.later.iter().rev().try_fold(population, before)?;
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
    fn on_progress(&mut self, progress: Progress) {
        let _ = progress;
    }

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
    ) -> Result<(), Self::Error> {
        let _ = (record, state);
        Ok(())
    }

    /// Receives a remark for the user who waits for the run.
    fn on_remark(&mut self, remark: &str) {
        let _ = remark;
    }
}

/// Ignores all events.
impl Observer for () {
    type Error = Infallible;
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
    let phases = Phases::of(task);
    let Budget { time, prune: share, .. } = task.budget;
    let search_time = time.map(|time| share.map_or(time, |share| time.mul_f64(1.0 - share)));
    // The time of all phases begins here.
    let stops = [search_time, time].map(|time| stop.with_time_limit(time));
    let is_new = resumption.is_none();
    let (method, state, num_joined) = match resumption {
        Some(resumption) => {
            let (state, num_joined) = (resumption.state.clone(), resumption.population.len());
            (resumption.method(task.method.as_ref())?, state, num_joined)
        }
        None => {
            let method = task.method.begin(task.individual(0));
            let state = SearchState::at_start(method.as_ref());
            (method, state, 1)
        }
    };
    let mut search = Search {
        task,
        stop: &stops[0],
        interrupt: stop,
        last_game: phases.search,
        champion: method.incumbent().to_vec(),
        sigma: method.sigma(),
        method,
        past: Vec::new(),
        iteration: state.iteration,
        games: state.games,
        games_at_change: state.games_at_change,
        num_joined,
        is_recorded: !is_new,
    };
    if is_new && let Err(Stopped(reason)) = search.begin(observer)? {
        return Ok(search.result(reason));
    }
    let task = task_after_search(task);
    let mut saved = state.later.into_iter().peekable();
    let mut search_end = None;
    for begin in phases.later() {
        let later = match saved.next() {
            Some(later) => later,
            None => match search.run(observer)? {
                End::Phase(reason) => begin(&phases, &search, *search_end.get_or_insert(reason)),
                End::Run(reason) => return Ok(search.result(reason)),
            },
        };
        search_end = Some(later.ended().search_end);
        search = search.then(later, &task, &stops[1]);
    }
    match search.run(observer)? {
        End::Phase(reason) => Ok(search.result(search_end.unwrap_or(reason))),
        End::Run(reason) => Ok(search.result(reason)),
    }
}

/// The phases of a run.
struct Phases {
    /// The number of games after which the search ends; `None` if it is unlimited.
    search: Option<u64>,
    /// The games that are reserved for the finals; `None` if there are no finals.
    finals: Option<u64>,
    prune: Option<f64>,
    games: Option<u64>,
}

/// Begins a phase after another, with the reason why the search ended.
type Begin = fn(&Phases, &Search<'_>, StopReason) -> Later;

impl Phases {
    fn of(task: &Task<'_>) -> Phases {
        let Budget { games, prune, .. } = task.budget;
        let of_prune = |games| prune.map_or(0, |share| prune::reserve(share, games));
        let has_finals = task.method.info().has_finals;
        let finals = games.filter(|_| has_finals).map(finals::reserve);
        let search = games.map(|games| games - of_prune(games) - finals.unwrap_or(0));
        Phases { search, finals, prune, games }
    }

    /// Iterates over the phases after the search.
    fn later(&self) -> impl Iterator<Item = Begin> + use<> {
        let finals = self.finals.map(|_| Phases::finals as Begin);
        finals.into_iter().chain(self.prune.map(|_| Phases::prune as Begin))
    }

    fn finals(&self, search: &Search<'_>, search_end: StopReason) -> Later {
        let start = search.task.individual(0);
        let finalists = search.method.finalists().into_iter();
        let last_game = search.games + finals::games(self.finals.unwrap_or(0), search.games);
        let results = finalists.chain([search.champion.clone()]);
        Later::Finals(Finals::new(search.ended(last_game, search_end), start, results))
    }

    fn prune(&self, search: &Search<'_>, search_end: StopReason) -> Later {
        let share = self.prune.unwrap_or(0.0);
        let last_game = match self.games {
            Some(limit) => limit.min(search.games + prune::reserve(share, limit)),
            // The games before are the rest of the games of the run.
            None => {
                search.games.saturating_add((share / (1.0 - share) * search.games as f64) as u64)
            }
        };
        Later::Prune(Pruning::new(search.ended(last_game, search_end)))
    }
}

/// A phase of a run between two iterations: the search of the method, or a phase after it.
struct Search<'a> {
    /// The races and limits of the phase.
    task: &'a Task<'a>,
    /// The signal that ends the phase.
    stop: &'a StopSignal,
    /// The signal that ends the run.
    interrupt: &'a StopSignal,
    /// The number of games after which the phase ends, counted from the start of the run; `None` if it is unlimited.
    last_game: Option<u64>,
    /// The method of the run, or the phase after it.
    method: Box<dyn Method>,
    /// The last states of the phases before this one.
    past: Vec<serde_json::Value>,
    /// The numbers of iterations and games of the run, and the number of its games when the champion last changed.
    iteration: u64,
    games: u64,
    games_at_change: u64,
    /// The number of strategies that have joined the population, including the start.
    num_joined: usize,
    /// The champion and the step size after the last recorded iteration.
    champion: Vec<f64>,
    sigma: Option<f64>,
    /// Whether the state of the method is recorded. It is not if the run was stopped while a new champion was measured.
    is_recorded: bool,
}

/// The end of a phase.
enum End {
    /// The phase is over, and another may follow.
    Phase(StopReason),
    /// The whole run has been stopped.
    Run(StopReason),
}

impl<'a> Search<'a> {
    /// Records the start of the run. The inner error is the reason why the run must end at once.
    fn begin<O: Observer>(&mut self, observer: &mut O) -> Result<Result, RunError<O::Error>> {
        if let Some(limit) = self.last_game.filter(|&limit| is_too_small(self.task, limit)) {
            observer.on_remark(&format!(
                "{limit} games are less than one generation: nothing will be tuned"
            ));
        }
        let baseline_score = match self.baseline_score(0) {
            Ok(score) => score,
            Err(stopped) => return Ok(Err(stopped)),
        };
        let record = IterationRecord {
            sigma: self.sigma,
            joined: Some(self.task.individual(0)),
            incumbent: Some(self.champion.clone()),
            baseline_score,
            ..IterationRecord::default()
        };
        self.record(&record, observer).map(Ok)
    }

    /// Carries out iterations until the phase is over.
    fn run<O: Observer>(&mut self, observer: &mut O) -> Result<End, RunError<O::Error>> {
        loop {
            if let ControlFlow::Break(end) = self.step(observer)? {
                return Ok(end);
            }
        }
    }

    /// Carries out one iteration, measures the champion if it is new, and records both.
    fn step<O: Observer>(
        &mut self,
        observer: &mut O,
    ) -> Result<ControlFlow<End>, RunError<O::Error>> {
        let over = |reason| Ok(ControlFlow::Break(End::Phase(reason)));
        let Budget { iterations, stalled, .. } = self.task.budget;
        if iterations.is_some_and(|limit| self.iteration >= limit) {
            return over(StopReason::Iterations);
        }
        if stalled.is_some_and(|limit| self.games - self.games_at_change >= limit) {
            return over(StopReason::Stalled);
        }
        let (Iteration { step, joined }, iteration_games) = match self.iterate(observer)? {
            Ok(done) => done,
            Err(Stopped(StopReason::Interrupted)) => {
                return Ok(ControlFlow::Break(End::Run(StopReason::Interrupted)));
            }
            Err(Stopped(reason)) => return over(reason),
        };
        self.is_recorded = false;
        // On a plateau, every second candidate may tie; such a candidate is only as good as the incumbent that it
        // replaces.
        let is_tie = matches!(step, Step::Raced(decision) if decision.verdict.is_exact_tie());
        let is_new = !is_tie && self.method.incumbent() != self.champion;
        let number = self.iteration + 1;
        let baseline_score = match is_new.then(|| self.baseline_score(number)).transpose() {
            Ok(score) => score.flatten(),
            // The record needs this score, so the iteration is discarded: a record without a score would depend on the
            // time at which the run was stopped.
            Err(Stopped(reason)) => return Ok(ControlFlow::Break(End::Run(reason))),
        };
        self.iteration = number;
        self.games += iteration_games;
        if is_new {
            self.games_at_change = self.games;
        }
        self.num_joined += usize::from(joined.is_some());
        let (joined, against) =
            joined.map(|Joined { parameters, against }| (parameters, against)).unzip();
        let record = IterationRecord {
            iteration: self.iteration,
            sigma: self.sigma,
            step: Some(step),
            iteration_games,
            games: self.games,
            joined,
            against,
            incumbent: is_new.then(|| self.method.incumbent().to_vec()),
            baseline_score,
            answers: self.method.take_answers(),
        };
        self.record(&record, observer).map(ControlFlow::Continue)
    }

    /// Carries out one iteration of the method, and returns it with its number of games.
    fn iterate<O: Observer>(&mut self, observer: &mut O) -> Result<Attempt, RunError<O::Error>> {
        let (iteration, sigma, before) = (self.iteration + 1, self.sigma, self.games);
        let mut on_news = |news: News<'_>| match news {
            News::Games(games) => {
                observer.on_progress(Progress { iteration, sigma, games: before + games });
            }
            News::Remark(remark) => observer.on_remark(remark),
        };
        let key = self.task.key.child(Label::Iteration, iteration);
        let games_left = self.last_game.map_or(u64::MAX, |limit| limit.saturating_sub(before));
        let mut referee = Referee::new(self.task, key, games_left, self.stop, &mut on_news);
        let done = self.method.iterate(&mut referee);
        match (done, referee.failure) {
            (Err(_), Some(failure)) => Err(RunError::Method(failure)),
            (done, _) => Ok(done.map(|done| (done, referee.games))),
        }
    }

    fn record<O: Observer>(
        &mut self,
        record: &IterationRecord,
        observer: &mut O,
    ) -> Result<(), RunError<O::Error>> {
        observer.on_iteration(record, &|| self.state()).map_err(RunError::Observer)?;
        self.champion = self.method.incumbent().to_vec();
        self.sigma = self.method.sigma();
        self.is_recorded = true;
        Ok(())
    }

    fn state(&self) -> SearchState {
        let Search { iteration, games, games_at_change, .. } = *self;
        let mut phases = self.past.iter().cloned().chain([self.method.state()]);
        let method = phases.next().expect("there is a search");
        let later = |state| serde_json::from_value(state).expect("it was one");
        let later = phases.map(later).collect();
        SearchState { iteration, games, games_at_change, method, later }
    }

    fn ended(&self, last_game: u64, search_end: StopReason) -> Ended {
        let (champion, num_joined) = (self.champion.clone(), self.num_joined);
        Ended { champion, last_game, num_joined, search_end }
    }

    /// Returns the score of the incumbent against the opponent for measurements ([`Task::scored_against`]). The duration of
    /// these games does not count towards the budget.
    fn baseline_score(&self, iteration: u64) -> Result<Option<Estimate>> {
        let task = self.task;
        let incumbent = Player::from(self.method.incumbent());
        let opponent = task.scored_against.as_ref().unwrap_or(&task.baseline);
        let duel = task.family.duel(&incumbent, opponent);
        let duel = duel.expect("a run only meets contestants that were checked");
        let key = task.key.child(Label::Monitor, iteration);
        let (tally, played) = sample(&duel, key, task.monitor_pairs, self.interrupt, |_| ());
        played.map(|()| tally.estimate())
    }

    /// Returns the phase that follows this one.
    fn then(self, later: Later, task: &'a Task<'a>, stop: &'a StopSignal) -> Search<'a> {
        let mut past = self.past;
        past.push(self.method.state());
        Search {
            task,
            stop,
            last_game: Some(later.ended().last_game),
            champion: later.ended().champion.clone(),
            past,
            method: Box::new(After { later, searched: self.method }),
            ..self
        }
    }

    fn result(self, stop_reason: StopReason) -> RunResult {
        RunResult {
            mixture: if self.is_recorded { self.method.mixture() } else { None },
            champion: self.champion,
            sigma: self.sigma,
            iterations: self.iteration,
            games: self.games,
            stop_reason,
        }
    }
}

/// An iteration with its number of games, unless it was stopped.
type Attempt = Result<(Iteration, u64)>;

/// Returns the task of the phases after the search, with the races of the pruning and without the limits of the search.
fn task_after_search<'a>(task: &Task<'a>) -> Task<'a> {
    Task {
        races: RaceSettings {
            comparison: Operator::Betting,
            limits: Limits { delta: task.races.limits.delta, ..Limits::default() },
            acceptance: Acceptance { accept: Accept::Proven, ties: Ties::Refuse },
            ..task.races
        },
        budget: Budget::default(),
        wide_responses: None,
        ..task.clone()
    }
}
