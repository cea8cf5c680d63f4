//! What it takes to be a method, and what the four evolution strategies of the paper share.

use std::ops::Range;

use ruse_games::BySeat;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::SIGMA_RANGE;
use super::state_error::StateError;
use crate::arena::{StopReason, Stopped};
use crate::family::{Player, Weighted};
use crate::race::{Decision, Reason};
use crate::score::{Estimate, Tally};

/// What has to be found out about a candidate, to accept it or not.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Question<'a> {
    /// Does it beat this opponent?
    Beats(&'a [f64]),
    /// Does it do better than this incumbent against the baseline?
    DoesBetterThan(&'a [f64]),
    /// Does it beat each of these opponents?
    BeatsAll(&'a [Vec<f64>]),
    /// Does it beat the mixture of these?
    BeatsMixture(&'a [Weighted<Player>]),
    /// Does it do better than an incumbent against a mixture?
    DoesBetterAgainst {
        /// The incumbent.
        incumbent: &'a [f64],
        /// The players of which one is drawn for every pair.
        mixture: &'a [Weighted<Player>],
    },
}

/// Pairs of games that a method asks for, between two of the players that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixture {
    /// The index of the player whose side the results are on.
    pub a: usize,
    /// The index of its opponent.
    pub b: usize,
    /// Which deals: fixtures of the same number in the same iteration have the same.
    pub deals: u64,
    /// Pairs to play.
    pub num_pairs: u64,
}

/// Draws, plays and counts for a method, which does nothing of the kind itself.
///
/// What is asked for is a function of the seed of the run, the iteration, and how often the same was asked
/// for in this iteration.
pub trait Oracle {
    /// A standard Gaussian number.
    fn gaussian(&mut self) -> f64;

    /// A number below `n`, uniform.
    fn index(&mut self, n: usize) -> usize;

    /// The parameters of random individual `number`, standard Gaussian: `[dimension]`. It is the same in
    /// every iteration. Number 0 is the start of the run, which may be a given one.
    fn individual(&self, number: u64) -> Vec<f64>;

    /// The baseline of the run.
    fn baseline(&self) -> Player;

    /// Which parameters belong to which seat, in families whose strategies are doubled; see
    /// [`Family::seats`](ruse_strategies::Family::seats). A method may then learn each part from the games of its own seat, of
    /// which [`Tally::score_by_seat`] tells. It is the same in every iteration.
    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        None
    }

    /// Games that the budget leaves.
    fn games_left(&self) -> u64;

    /// Holds a comparison of at most so many games, and of as many as the budget leaves.
    ///
    /// # Errors
    ///
    /// When the run is to end; the iteration is then dropped.
    fn compare_within(
        &mut self,
        max_games: u64,
        candidate: &[f64],
        question: Question<'_>,
    ) -> Result<Decision, Stopped>;

    /// Holds a comparison.
    ///
    /// # Errors
    ///
    /// As [`compare_within`](Oracle::compare_within).
    fn compare(&mut self, candidate: &[f64], question: Question<'_>) -> Result<Decision, Stopped> {
        self.compare_within(u64::MAX, candidate, question)
    }

    /// Plays these fixtures, and returns their results in the same order.
    ///
    /// # Errors
    ///
    /// When the run is to end, or the budget does not suffice; the iteration is then dropped.
    fn play(&mut self, players: &[Player], fixtures: &[Fixture]) -> Result<Vec<Tally>, Stopped>;

    /// Whether to go on: methods that wait for something else than games ask now and then.
    ///
    /// # Errors
    ///
    /// When the run is to end; the iteration is then dropped.
    fn check(&self) -> Result<(), Stopped> {
        Ok(())
    }

    /// Says something to the person who waits for the run; it has no influence on anything.
    fn remark(&mut self, remark: &str) {
        let _ = remark;
    }

    /// Has the run fail for this reason, in words: the iteration is dropped with what this returns. An oracle that keeps no
    /// reasons ends the run as if somebody had asked for it.
    fn give_up(&mut self, reason: String) -> Stopped {
        let _ = reason;
        Stopped(StopReason::Interrupted)
    }
}

/// What an accepted strategy was measured against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Against {
    /// The baseline.
    Baseline,
    /// A member of the population, by its index.
    Member(usize),
    /// Every member of the population.
    Everybody,
    /// A mixture of the population.
    Mixture,
    /// A population of random individuals, which is not recorded.
    RandomIndividuals,
}

impl std::fmt::Display for Against {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Against::Baseline => f.write_str("baseline"),
            Against::Member(index) => index.fmt(f),
            Against::Everybody => f.write_str("everybody"),
            Against::Mixture => f.write_str("mixture"),
            Against::RandomIndividuals => f.write_str("random-individuals"),
        }
    }
}

/// A strategy that joins the population.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// Its parameters: `[dimension]`.
    pub parameters: Vec<f64>,
    /// What it was measured against.
    pub against: Against,
}

/// What a method learns from games that are no race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Lesson {
    /// Many were played, and one has the best average so far.
    BestAverage,
    /// A generation was played.
    Generation,
}

impl std::fmt::Display for Lesson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Lesson::BestAverage => "best-average",
            Lesson::Generation => "generation",
        })
    }
}

/// What was found out in one iteration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Races decided about a candidate.
    Raced(Decision),
    /// Games were played that are no race.
    Learned {
        /// What they are for.
        lesson: Lesson,
        /// The score that they give to the strategy they are about.
        estimate: Estimate,
    },
}

impl Step {
    /// Why the games of the iteration ended.
    pub fn end(&self) -> StepEnd {
        match self {
            Step::Raced(decision) => StepEnd::Race(decision.verdict.reason),
            Step::Learned { lesson, .. } => StepEnd::Lesson(*lesson),
        }
    }

    /// The score that was found, and its interval.
    pub fn score(&self) -> (f64, [f64; 2]) {
        match self {
            Step::Raced(decision) => (decision.verdict.score, decision.verdict.interval),
            Step::Learned { estimate, .. } => (estimate.score, estimate.interval),
        }
    }
}

/// Why the games of an iteration ended, in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum StepEnd {
    /// A race stopped for this reason.
    Race(Reason),
    /// There was no race.
    Lesson(Lesson),
}

impl std::fmt::Display for StepEnd {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StepEnd::Race(reason) => reason.fmt(f),
            StepEnd::Lesson(lesson) => lesson.fmt(f),
        }
    }
}

/// What came of one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Iteration {
    /// What was found out.
    pub step: Step,
    /// The strategy that was accepted, if one was.
    pub joined: Option<Joined>,
}

impl Iteration {
    /// The iteration in which a comparison decided about `candidate`.
    pub fn compared(decision: Decision, candidate: Vec<f64>, against: Against) -> Iteration {
        let joined = decision.accepted.then_some(Joined { parameters: candidate, against });
        Iteration { step: Step::Raced(decision), joined }
    }
}

/// One of several, drawn by weights that add up to `total`; nothing if rounding leaves none.
pub(super) fn draw_by_weight<T>(
    members: impl IntoIterator<Item = Weighted<T>>,
    total: f64,
    oracle: &mut dyn Oracle,
) -> Option<T> {
    const RESOLUTION: usize = 1 << 20;
    let mut drawn = total * oracle.index(RESOLUTION) as f64 / RESOLUTION as f64;
    let is_drawn = |member: &Weighted<T>| {
        drawn -= member.weight;
        drawn < 0.0
    };
    members.into_iter().find(is_drawn).map(|member| member.of)
}

/// A request of a method that was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The number by which the request is known again.
    pub request: u64,
    /// The scores of its candidates, in order: one at least, each from 0 to 1.
    pub scores: Vec<f64>,
    /// Games that the budget left; none without a limit.
    pub games_left: Option<u64>,
}

/// An optimiser of the parameters of a strategy.
pub trait Method: Send {
    /// The parameters of the best strategy so far: `[dimension]`.
    fn incumbent(&self) -> &[f64];

    /// The step size of the next iteration, if the method has one.
    fn sigma(&self) -> Option<f64>;

    /// The mixture of parameters that the method has come to, of methods that mix: weights are above 0, and together
    /// about 1.
    fn mixture(&self) -> Option<Vec<Weighted<Player>>> {
        None
    }

    /// Does one iteration.
    ///
    /// # Errors
    ///
    /// What the oracle says. The method is then what it was before.
    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration, Stopped>;

    /// What the method remembers, beside the population of accepted strategies and the answers that were taken from it. With these
    /// it can be made again, to the last bit.
    fn state(&self) -> Value;

    /// Takes the answers that have come since the last call. A method that is made again by being told all that it was answered keeps
    /// them here and not in its state, which would be longer with every iteration.
    fn take_answers(&mut self) -> Vec<Answered> {
        Vec::new()
    }

    /// Tells a method that was restored all answers that were taken from it, in order.
    ///
    /// # Errors
    ///
    /// When it never had any.
    fn recall(&mut self, answers: Vec<Answered>) -> Result<(), StateError> {
        match answers.is_empty() {
            true => Ok(()),
            false => Err(StateError::new("this method keeps no answers")),
        }
    }
}

/// The search point and step size of a (1+1) evolution strategy (Rechenberg 1973), with the constants of
/// Cauwet & Teytaud 2018, algorithms 1 to 4.
///
/// Deviation: sigma is kept within [`SIGMA_RANGE`].
#[derive(Debug, Clone, PartialEq)]
pub(super) struct SearchPoint {
    pub(super) x: Vec<f64>,
    pub(super) sigma: f64,
}

impl SearchPoint {
    pub(super) fn new(x: Vec<f64>, sigma: f64) -> SearchPoint {
        SearchPoint { x, sigma }
    }

    /// The search point after the last of these was accepted.
    pub(super) fn last_of(population: &[Vec<f64>], sigma: f64) -> SearchPoint {
        let x = population.last().expect("a population has its start, at least").clone();
        SearchPoint::new(x, sigma)
    }

    /// The mutation x' of x.
    pub(super) fn mutate(&self, oracle: &mut dyn Oracle) -> Vec<f64> {
        // x'_i <- x_i + sigma N(0, 1)
        self.x.iter().map(|x| x + self.sigma * oracle.gaussian()).collect()
    }

    /// Moves to x' and widens the search, or stays and narrows it.
    pub(super) fn update(&mut self, candidate: &[f64], decision: &Decision) {
        if decision.accepted {
            self.x.copy_from_slice(candidate);
            // A tie, where ties are accepted, says nothing about the step size.
            if !decision.verdict.is_exact_tie() {
                self.sigma *= 2.0;
            }
        } else if decision.verdict.reason != Reason::Budget {
            // A race that the budget cut short says nothing about the step size.
            self.sigma *= 0.84;
        }
        self.sigma = self.sigma.clamp(*SIGMA_RANGE.start(), *SIGMA_RANGE.end());
    }

    /// What has to be remembered beside the population.
    pub(super) fn state(&self) -> Value {
        serde_json::json!({ "sigma": self.sigma })
    }
}

/// The step size in the state of a (1+1) evolution strategy.
///
/// # Errors
///
/// When there is none, or it is out of range.
pub(super) fn sigma_of(state: Value) -> Result<f64, StateError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct State {
        sigma: f64,
    }

    let State { sigma } = serde_json::from_value(state)?;
    match SIGMA_RANGE.contains(&sigma) {
        true => Ok(sigma),
        false => Err(StateError::new(format!("sigma is {sigma}"))),
    }
}

#[cfg(test)]
pub(super) mod tests;
