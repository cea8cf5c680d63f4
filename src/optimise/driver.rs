//! Runs a method: draws its mutations, plays its comparisons, counts its budget.

use std::time::Duration;

use rand_distr::{Distribution, StandardNormal};

use super::Iterative;
use crate::arena::{Matchup, PairResult, StopReason, StopSignal, Stopped};
use crate::evaluate::{Estimate, score};
use crate::family::{AnyFamily, ContestantSpec};
use crate::race::{self, Comparison, Limits, Reason, Verdict};
use crate::rng::{Label, StreamKey};

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
    /// When to stop.
    pub budget: Budget,
    /// Whom new incumbents are measured against, for the learning curve.
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
    /// What the race said of the candidate; none at the start.
    pub verdict: Option<Verdict>,
    /// Games in comparisons, from the start to the end of this iteration.
    pub games: u64,
    /// The score of the incumbent against the baseline, where there is a new incumbent.
    pub baseline_score: Option<Estimate>,
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

    /// Called after every iteration, in order, and once for the start.
    ///
    /// # Errors
    ///
    /// An error ends the run.
    fn on_iteration(&mut self, record: &IterationRecord) -> Result<(), Self::Error>;
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

/// Runs the iterative method until its budget is used or `stop` is raised. An iteration in progress is
/// then dropped.
///
/// # Errors
///
/// Only those of the observer.
pub fn run<O: Observer>(
    task: &Task<'_>,
    stop: &StopSignal,
    observer: &mut O,
) -> Result<RunResult, O::Error> {
    let stop = stop.with_time_limit(task.budget.time);
    let dimension = task.family.space().dimension();
    let mut method = Iterative::new(start_parameters(dimension, task.key));
    let mut candidate = Vec::new();
    let mut iteration = 0;
    let mut games = 0;
    let mut verdict = None;
    let mut sigma = method.sigma();

    let stop_reason = loop {
        let is_new = verdict.as_ref().is_none_or(Verdict::accepts);
        let baseline_score = if is_new { monitor(task, &method, iteration, &stop) } else { None };
        observer.on_iteration(&IterationRecord {
            iteration,
            sigma,
            verdict,
            games,
            baseline_score,
        })?;

        if task.budget.iterations.is_some_and(|limit| iteration >= limit) {
            break StopReason::Iterations;
        }
        // A pair is two games; a budget that is odd leaves one.
        let pairs_left = task.budget.games.map_or(u64::MAX, |limit| (limit - games) / 2);
        if pairs_left == 0 {
            break StopReason::Games;
        }

        let key = task.key.child(Label::Iteration, iteration + 1);
        let mut stream = key.child(Label::Mutation, 0).stream();
        sigma = method.sigma();
        method
            .propose(std::iter::repeat_with(|| StandardNormal.sample(&mut stream)), &mut candidate);
        let matchup = matchup(
            task.family,
            &ContestantSpec::Parameters(candidate.clone()),
            &ContestantSpec::Parameters(method.incumbent().to_vec()),
        );
        let scale = PairResult::MAX_QUARTER_POINTS;
        let mut race = task.comparison.race(task.limits, scale, pairs_left);
        let on_pairs = |num_pairs| {
            let games = games + 2 * num_pairs;
            observer.on_progress(Progress { iteration: iteration + 1, sigma, games });
        };
        let key = key.child(Label::Race, 0);
        match race::run(&mut race, matchup.as_ref(), key, &stop, on_pairs) {
            Err(Stopped(reason)) => break reason,
            Ok(found) => {
                games += 2 * found.num_observations;
                // A race that the budget cut short says nothing about the step size.
                if found.reason != Reason::Budget {
                    method.learn(&candidate, found.accepts());
                }
                verdict = Some(found);
                iteration += 1;
            }
        }
    };
    Ok(RunResult {
        champion: method.incumbent().to_vec(),
        sigma: method.sigma(),
        iterations: iteration,
        games,
        stop_reason,
    })
}

/// The score of the incumbent against the baseline, unless there is no time left.
fn monitor(
    task: &Task<'_>,
    method: &Iterative,
    iteration: u64,
    stop: &StopSignal,
) -> Option<Estimate> {
    let incumbent = ContestantSpec::Parameters(method.incumbent().to_vec());
    let matchup = matchup(task.family, &incumbent, &task.baseline);
    let key = task.key.child(Label::Monitor, iteration);
    let (tally, _) = score(matchup.as_ref(), key, task.monitor_pairs, stop, |_| ());
    tally.estimate()
}

fn matchup<'a>(
    family: &'a dyn AnyFamily,
    a: &ContestantSpec,
    b: &ContestantSpec,
) -> Box<dyn Matchup + 'a> {
    family.matchup(a, b).expect("a run only meets contestants that were checked")
}
