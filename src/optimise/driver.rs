//! Runs a method: draws its mutations, plays its comparisons, counts its budget.

use std::time::Duration;

use rand::RngExt;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};

use super::MethodName;
use super::method::{Draws, Method, Proposal, Question};
use crate::arena::{CommonDeals, Matchup, StopReason, StopSignal, Stopped};
use crate::evaluate::{Estimate, score};
use crate::family::{AnyFamily, ContestantSpec};
use crate::race::{self, Comparison, Decision, Limits, Reason};
use crate::rng::{Label, Stream, StreamKey};

/// How long a run may go on. The first limit that is reached ends it; there must be one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// Games in comparisons. Games that only measure the result are not counted.
    pub games: Option<u64>,
    /// Candidates tried.
    pub iterations: Option<u64>,
    /// Wall time. Only the other two limits are reproducible.
    pub time: Option<Duration>,
}

/// What to run.
pub struct Task<'a> {
    /// The family to tune.
    pub family: &'a dyn AnyFamily,
    /// The comparison operator.
    pub comparison: Comparison,
    /// The error probability and precision of the comparisons.
    pub limits: Limits,
    /// The optimiser.
    pub method: MethodName,
    /// When to stop.
    pub budget: Budget,
    /// Whom the naive method plays, and new incumbents are measured against.
    pub baseline: ContestantSpec,
    /// Pairs for each point of the learning curve.
    pub monitor_pairs: u64,
    /// Where all randomness of the run comes from.
    pub key: StreamKey,
}

/// One row of the history of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct IterationRecord {
    /// 0 for the start, then one for every candidate.
    pub iteration: u64,
    /// The step size with which the candidate was drawn.
    pub sigma: f64,
    /// What was found out about the candidate; nothing at the start.
    pub decision: Option<Decision>,
    /// Games in comparisons, from the start to the end of this iteration.
    pub games: u64,
    /// The incumbent, where there is a new one.
    pub new_incumbent: Option<NewIncumbent>,
}

/// A strategy that was accepted, or from which a run starts.
#[derive(Debug, Clone, PartialEq)]
pub struct NewIncumbent {
    /// Its parameters: `[dimension]`.
    pub parameters: Vec<f64>,
    /// Its score against the baseline, unless the run was stopped.
    pub baseline_score: Option<Estimate>,
}

/// What a run has to remember between two iterations, but for the strategies that were accepted.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchState {
    /// Candidates tried.
    pub iteration: u64,
    /// Games in comparisons.
    pub games: u64,
    /// The step size of the next candidate.
    pub sigma: f64,
}

/// Where to go on.
#[derive(Debug, Clone, PartialEq)]
pub struct Resumption {
    /// The state after the last iteration.
    pub state: SearchState,
    /// The start and every strategy that was accepted, in order: each `[dimension]`.
    pub population: Vec<Vec<f64>>,
}

/// Where a run stands, within an iteration.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// The iteration in progress, from 1.
    pub iteration: u64,
    /// The step size in use.
    pub sigma: f64,
    /// Games in comparisons so far.
    pub games: u64,
}

/// Somebody who watches a run.
pub trait Observer {
    /// What goes wrong when watching.
    type Error;

    /// Called several times a second.
    fn on_progress(&mut self, progress: Progress);

    /// Called after every iteration, in order, and once for the start, with the state in which the run can
    /// go on.
    ///
    /// # Errors
    ///
    /// An error ends the run.
    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: SearchState,
    ) -> Result<(), Self::Error>;
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The parameters of the last incumbent: `[dimension]`.
    pub champion: Vec<f64>,
    /// The last step size.
    pub sigma: f64,
    /// Candidates tried.
    pub iterations: u64,
    /// Games in comparisons.
    pub games: u64,
    /// Why the run ended.
    pub stop_reason: StopReason,
}

/// Draws the standard Gaussian parameters from which a run starts; they are those of a fixed baseline too.
pub fn start_parameters(dimension: usize, key: StreamKey) -> Vec<f64> {
    let mut stream = key.child(Label::Start, 0).stream();
    (0..dimension).map(|_| StandardNormal.sample(&mut stream)).collect()
}

/// The random numbers of one iteration.
struct IterationDraws {
    mutation: Stream,
    choice: Stream,
}

impl Draws for IterationDraws {
    fn gaussian(&mut self) -> f64 {
        StandardNormal.sample(&mut self.mutation)
    }

    fn index(&mut self, n: usize) -> usize {
        self.choice.random_range(0..n)
    }
}

/// Runs a method until its budget is used or `stop` is raised, from its start or from where it was. An
/// iteration in progress is dropped when the run is stopped.
///
/// # Errors
///
/// Only those of the observer.
pub fn run<O: Observer>(
    task: &Task<'_>,
    resumption: Option<Resumption>,
    stop: &StopSignal,
    observer: &mut O,
) -> Result<RunResult, O::Error> {
    let stop = stop.with_time_limit(task.budget.time);
    let start = || start_parameters(task.family.space().dimension(), task.key);
    let is_fresh = resumption.is_none();
    let Resumption { mut state, population } = resumption.unwrap_or_else(|| Resumption {
        state: SearchState { iteration: 0, games: 0, sigma: 1.0 },
        population: vec![start()],
    });
    let mut method = task.method.method(population, state.sigma);
    if is_fresh {
        let record = IterationRecord {
            iteration: 0,
            sigma: state.sigma,
            decision: None,
            games: 0,
            new_incumbent: Some(new_incumbent(task, method.as_ref(), 0, &stop)),
        };
        observer.on_iteration(&record, state)?;
    }

    let stop_reason = loop {
        if task.budget.iterations.is_some_and(|limit| state.iteration >= limit) {
            break StopReason::Iterations;
        }
        let games_left = task.budget.games.map_or(u64::MAX, |limit| limit - state.games);
        if games_left < task.method.least_games() {
            break StopReason::Games;
        }

        let iteration = state.iteration + 1;
        let key = task.key.child(Label::Iteration, iteration);
        let mut draws = IterationDraws {
            mutation: key.child(Label::Mutation, 0).stream(),
            choice: key.child(Label::Choice, 0).stream(),
        };
        let sigma = method.sigma();
        let proposal = method.propose(&mut draws);
        let on_games = |race_games| {
            observer.on_progress(Progress { iteration, sigma, games: state.games + race_games });
        };
        let decision =
            match decide(task, &proposal, games_left, key.child(Label::Race, 0), &stop, on_games) {
                Err(Stopped(reason)) => break reason,
                Ok(decision) => decision,
            };
        // A race that the budget cut short says nothing about the step size.
        if decision.verdict.reason != Reason::Budget {
            method.learn(&proposal.candidate, decision.accepted);
        }
        state = SearchState {
            iteration,
            games: state.games + decision.num_games,
            sigma: method.sigma(),
        };
        let record = IterationRecord {
            iteration,
            sigma,
            decision: Some(decision),
            games: state.games,
            new_incumbent: decision
                .accepted
                .then(|| new_incumbent(task, method.as_ref(), iteration, &stop)),
        };
        observer.on_iteration(&record, state)?;
    };
    Ok(RunResult {
        champion: method.incumbent().to_vec(),
        sigma: method.sigma(),
        iterations: state.iteration,
        games: state.games,
        stop_reason,
    })
}

/// Finds out what the method asks.
fn decide(
    task: &Task<'_>,
    proposal: &Proposal,
    max_games: u64,
    key: StreamKey,
    stop: &StopSignal,
    on_games: impl FnMut(u64),
) -> Result<Decision, Stopped> {
    let rules = race::Rules { comparison: task.comparison, limits: task.limits, max_games };
    let candidate = ContestantSpec::Parameters(proposal.candidate.clone());
    let against = |theta: &Vec<f64>| {
        matchup(task.family, &candidate, &ContestantSpec::Parameters(theta.clone()))
    };
    match &proposal.question {
        Question::Beats(opponent) => {
            race::head_to_head(rules, against(opponent).as_ref(), key, stop, on_games)
        }
        Question::DoesBetterThan(incumbent) => {
            let incumbent = ContestantSpec::Parameters(incumbent.clone());
            let candidate = matchup(task.family, &candidate, &task.baseline);
            let incumbent = matchup(task.family, &incumbent, &task.baseline);
            let deals =
                CommonDeals { candidate: candidate.as_ref(), incumbent: incumbent.as_ref() };
            race::against_a_third(rules, deals, key, stop, on_games)
        }
        Question::BeatsAll(opponents) => {
            let matchups: Vec<_> = opponents.iter().map(against).collect();
            race::against_all(rules, &matchups, key, stop, on_games)
        }
    }
}

/// The incumbent, and its score against the baseline unless there is no time left.
fn new_incumbent(
    task: &Task<'_>,
    method: &dyn Method,
    iteration: u64,
    stop: &StopSignal,
) -> NewIncumbent {
    let parameters = method.incumbent().to_vec();
    let incumbent = ContestantSpec::Parameters(parameters.clone());
    let matchup = matchup(task.family, &incumbent, &task.baseline);
    let key = task.key.child(Label::Monitor, iteration);
    let (tally, played) = score(matchup.as_ref(), key, task.monitor_pairs, stop, |_| ());
    // Half a score would make the files of a run depend on when it was stopped.
    let baseline_score = played.ok().and_then(|()| tally.estimate());
    NewIncumbent { parameters, baseline_score }
}

fn matchup<'a>(
    family: &'a dyn AnyFamily,
    a: &ContestantSpec,
    b: &ContestantSpec,
) -> Box<dyn Matchup + 'a> {
    family.matchup(a, b).expect("a run only meets contestants that were checked")
}
