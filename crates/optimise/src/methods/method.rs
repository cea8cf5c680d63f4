//! The interface of methods.

use std::ops::Range;

use ruse_base::stop::{Result, StopReason, Stopped};
use ruse_games::BySeat;
use ruse_play::family::{Player, Weighted};
use ruse_play::race::{Decision, Reason};
use ruse_play::score::{Estimate, Tally};
use ruse_search::Levels;
use ruse_strategies::Episode;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::state_error::StateError;
use super::wide_responses::{Scored, Visitor};

/// A question about a candidate. The answer decides whether the candidate is accepted.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Question<'a> {
    /// Does the candidate beat this opponent?
    Beats(&'a [f64]),
    /// Does the candidate do better than this incumbent against the baseline?
    DoesBetterThan(&'a [f64]),
    /// Does the candidate beat each of these opponents?
    BeatsAll(&'a [Vec<f64>]),
    /// Does the candidate beat this mixture?
    BeatsMixture(&'a [Weighted<Player>]),
    /// Does the candidate do better than an incumbent against a mixture?
    DoesBetterAgainst {
        /// The incumbent.
        incumbent: &'a [f64],
        /// The mixture from which an opponent is drawn for every pair.
        mixture: &'a [Weighted<Player>],
    },
}

/// A request for pairs of games between two players, given by their indices in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fixture {
    /// The index of the player from whose point of view results are counted.
    pub a: usize,
    /// The index of the opponent of `a`.
    pub b: usize,
    /// The number that identifies the deals: fixtures with the same number in the same iteration share their deals.
    pub deals: u64,
    /// The number of pairs to play.
    pub num_pairs: u64,
}

/// Draws the random numbers of a method, plays its games, and counts the games. The method does none of this itself.
///
/// Each answer is a function of the seed of the run, the iteration, and the number of earlier requests of the same kind
/// in this iteration.
pub trait Oracle {
    /// Returns a standard Gaussian number.
    fn gaussian(&mut self) -> f64;

    /// Returns a uniform random number below `n`.
    fn index(&mut self, n: usize) -> usize;

    /// Returns the standard Gaussian parameters of random individual `number`: `[dimension]`. The parameters are the
    /// same in every iteration. Number 0 is the start of the run, which may be given by the user.
    fn individual(&self, number: u64) -> Vec<f64>;

    /// Returns whether two strategies are known to play alike; by default, if their parameters are equal.
    fn plays_alike(&self, a: &[f64], b: &[f64]) -> bool {
        a == b
    }

    /// Returns the groups of parameters that belong together, as lists of indices; by default none. The result is the same
    /// in every iteration.
    fn groups(&self) -> Vec<Vec<usize>> {
        Vec::new()
    }

    /// Returns the parameters that take only some values, by default none. The result is the same in every iteration.
    fn levels(&self) -> Vec<Levels> {
        Vec::new()
    }

    /// Returns the distance between the values to which each parameter is rounded, 0 if it is not rounded; by default
    /// no parameter is. The result is the same in every iteration.
    fn grains(&self) -> Vec<f64> {
        Vec::new()
    }

    /// Returns the baseline of the run.
    fn baseline(&self) -> Player;

    /// Returns the parameters that belong to each seat, in families whose strategies are doubled; see
    /// [`Family::seats`](ruse_strategies::Family::seats). A method can then learn each part from the games of its own
    /// seat, with [`Tally::score_by_seat`]. The result is the same in every iteration.
    fn seats(&self) -> Option<BySeat<Range<usize>>> {
        None
    }

    /// Returns the coordinates of the strategy with parameters `theta`, in which its scores are linear; `None` if the
    /// action probabilities of the family cannot be differentiated ([`AnyFamily::capabilities`](ruse_play::family::AnyFamily)).
    fn coordinates(&self, theta: &[f64]) -> Option<Vec<f64>> {
        let _ = theta;
        None
    }

    /// Plays games of the strategy with these coordinates against itself, and returns them in order. Also returns the
    /// parameters of the strategy.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end, if the budget does not suffice, or if the family has no self-play; the
    /// iteration is then discarded.
    fn play_itself(&mut self, coordinates: &[f64], num_games: u64) -> Result<Vec<Episode>> {
        let _ = (coordinates, num_games);
        Err(self.give_up("the action probabilities of the family are not known".into()))
    }

    /// Returns the parameters of the strategy with these coordinates; `None` in the same cases as
    /// [`coordinates`](Oracle::coordinates).
    fn parameters(&self, coordinates: &[f64]) -> Option<Vec<f64>> {
        let _ = coordinates;
        None
    }

    /// Returns the number of games that the budget leaves.
    fn games_left(&self) -> u64;

    /// Answers `question` about `candidate`. This takes at most `max_games` games, and no more games than the budget
    /// leaves. If the limit, and not the budget, ends a comparison with a third player, the mean decides, unless candidates
    /// must be [proven](ruse_play::race::Accept::Proven) better.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end; the iteration is then discarded.
    fn compare_within(
        &mut self,
        max_games: u64,
        candidate: &[f64],
        question: Question<'_>,
    ) -> Result<Decision>;

    /// Answers `question` about `candidate`. This takes no more games than the budget leaves.
    ///
    /// # Errors
    ///
    /// Same as [`compare_within`](Oracle::compare_within).
    fn compare(&mut self, candidate: &[f64], question: Question<'_>) -> Result<Decision> {
        self.compare_within(u64::MAX, candidate, question)
    }

    /// Returns up to `num` strategies that would have done better than the one with parameters `theta` in up to `max_games`
    /// games against `opponent` ([`AnyTeaching::proposals`](ruse_play::family::AnyTeaching::proposals)). Returns an empty list, and plays no
    /// games, if the strategies of the family do not learn from such games.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end; the iteration is then discarded.
    fn proposals(
        &mut self,
        theta: &[f64],
        opponent: &Player,
        max_games: u64,
        num: usize,
    ) -> Result<Vec<Vec<f64>>> {
        let _ = (theta, opponent, max_games, num);
        Ok(Vec::new())
    }

    /// Plays these fixtures, and returns their results in the same order.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end, or the budget does not suffice; the iteration is then discarded.
    fn play(&mut self, players: &[Player], fixtures: &[Fixture]) -> Result<Vec<Tally>>;

    /// Returns `true` if the run has a source of responses among all players of the game.
    fn has_wide_responses(&self) -> bool {
        false
    }

    /// Searches among all players of the game for a response to `mixture`, and returns it with its score. This takes at
    /// most `max_games` games, and no more games than the budget leaves. There is no response if none was found that
    /// scores more than one half, or if the run has no source of such responses.
    ///
    /// # Errors
    ///
    /// Same as [`compare_within`](Oracle::compare_within).
    fn respond(&mut self, mixture: &[Weighted<Player>], max_games: u64) -> Result<Option<Scored>> {
        let _ = (mixture, max_games);
        Ok(None)
    }

    /// Returns a visitor as a player of the games; `None` if there is no such player.
    fn visitor(&self, visitor: &Visitor) -> Option<Player> {
        let _ = visitor;
        None
    }

    /// Checks that this number of games is left.
    ///
    /// # Errors
    ///
    /// Returns an error if fewer games are left, which ends the run.
    fn need(&self, games: u64) -> Result {
        if self.games_left() < games { Err(Stopped(StopReason::Games)) } else { Ok(()) }
    }

    /// Checks for a stop request. Methods that wait for something other than games call this function from time to
    /// time.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end; the iteration is then discarded.
    fn check(&self) -> Result {
        Ok(())
    }

    /// Shows a remark to the user who waits for the run. The remark does not affect the results.
    fn remark(&mut self, remark: &str) {
        let _ = remark;
    }

    /// Makes the run fail, and stores the reason. [`Method::iterate`] must return the result of this function as its
    /// error; the iteration is then discarded. The default implementation stores no reason and ends the run like a stop
    /// request.
    fn give_up(&mut self, reason: String) -> Stopped {
        let _ = reason;
        Stopped(StopReason::Interrupted)
    }
}

/// The opponent against which an accepted strategy qualified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Against {
    /// The baseline.
    Baseline,
    /// The member of the population with this index.
    Member(usize),
    /// Every member of the population.
    AllMembers,
    /// A mixture of the population.
    Mixture,
    /// Itself.
    Itself,
    /// A population of random individuals, which is not recorded.
    RandomIndividuals,
}

impl std::fmt::Display for Against {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Against::Baseline => f.write_str("baseline"),
            Against::Member(index) => index.fmt(f),
            Against::AllMembers => f.write_str("everybody"),
            Against::Mixture => f.write_str("mixture"),
            Against::Itself => f.write_str("itself"),
            Against::RandomIndividuals => f.write_str("random-individuals"),
        }
    }
}

/// A strategy that joins the population, and the opponent against which it qualified.
#[derive(Debug, Clone, PartialEq)]
pub struct Joined {
    /// The parameters of the strategy: `[dimension]`.
    pub parameters: Vec<f64>,
    /// The opponent against which the strategy qualified.
    pub against: Against,
}

/// The purpose of games that are not a race.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Lesson {
    /// Games of many individuals, whose result is the best average score so far.
    BestAverage,
    /// The games of a generation.
    Generation,
    /// The games of a strategy against itself; the score is the score of the first seat.
    SelfPlay,
    /// The games of the finalists of a search.
    Finals,
    /// The games of a champion and of its variants without a group of parameters.
    Ablation,
    /// The games of a search for a response among all players of the game.
    Response,
}

impl std::fmt::Display for Lesson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// The games of one iteration and their result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Step {
    /// Races decided whether to accept a candidate.
    Raced(Decision),
    /// The method learned from games that are not a race.
    Learned {
        /// The purpose of the games.
        lesson: Lesson,
        /// The score of the measured strategy.
        estimate: Estimate,
    },
}

impl Step {
    /// Creates the step of games that are not a race, and whose results for the measured strategy are in `tally`.
    ///
    /// # Panics
    ///
    /// Panics if no pairs were played.
    pub(super) fn learned(lesson: Lesson, tally: &Tally) -> Step {
        Step::Learned { lesson, estimate: tally.estimate().expect("pairs were played") }
    }

    /// Returns the reason why the games of the iteration ended.
    pub fn end(&self) -> StepEnd {
        match self {
            Step::Raced(decision) => StepEnd::Race(decision.verdict.reason),
            Step::Learned { lesson, .. } => StepEnd::Lesson(*lesson),
        }
    }

    /// Returns the score and its interval.
    pub fn score(&self) -> (f64, [f64; 2]) {
        match self {
            Step::Raced(decision) => (decision.verdict.score, decision.verdict.interval),
            Step::Learned { estimate, .. } => (estimate.score, estimate.interval),
        }
    }
}

/// The reason why the games of an iteration ended, displayed as one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum StepEnd {
    /// A race stopped for this reason.
    Race(Reason),
    /// The games were not a race, but served this purpose.
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

/// The result of one iteration.
#[derive(Debug, Clone, PartialEq)]
pub struct Iteration {
    /// The games and their result.
    pub step: Step,
    /// The accepted strategy, if there is one.
    pub joined: Option<Joined>,
}

impl Iteration {
    /// Creates the result of an iteration in which a comparison accepted or rejected `candidate`.
    pub fn compared(decision: Decision, candidate: Vec<f64>, against: Against) -> Iteration {
        let joined = decision.accepted.then_some(Joined { parameters: candidate, against });
        Iteration { step: Step::Raced(decision), joined }
    }
}

/// Plays `num_pairs` pairs of each of `players` against `opponent`, all on the same deals, and returns the results in order.
///
/// # Errors
///
/// Same as [`Oracle::play`].
pub(super) fn play_against(
    oracle: &mut dyn Oracle,
    opponent: Player,
    players: impl IntoIterator<Item = Vec<f64>>,
    num_pairs: u64,
) -> Result<Vec<Tally>> {
    let players = players.into_iter().map(Player::from);
    let players: Vec<Player> = std::iter::once(opponent).chain(players).collect();
    let fixture = |a| Fixture { a, b: 0, deals: 0, num_pairs };
    let fixtures: Vec<Fixture> = (1..players.len()).map(fixture).collect();
    oracle.play(&players, &fixtures)
}

/// Draws one of `members` by their weights, which sum to `total`; `None` if rounding errors leave no member.
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

/// An answered request of a method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answered {
    /// The fingerprint by which the request is recognised.
    pub request: u64,
    /// The scores of the candidates in the request, in order. There is at least one score, and each is from 0 to 1.
    pub scores: Vec<f64>,
    /// The number of games that the budget left; `None` if games are unlimited.
    pub games_left: Option<u64>,
}

/// An optimiser of the parameters of a strategy.
pub trait Method: Send {
    /// Returns the parameters of the best strategy so far: `[dimension]`.
    fn incumbent(&self) -> &[f64];

    /// Returns the step size of the next iteration, if the method has one.
    fn sigma(&self) -> Option<f64>;

    /// Returns further strategies that may be better than the incumbent, each `[dimension]`. They play in the finals.
    fn finalists(&self) -> Vec<Vec<f64>> {
        Vec::new()
    }

    /// Returns the mixture of strategies that the method found, or `None` if the method finds no mixture. Weights are
    /// positive and their sum is about 1.
    fn mixture(&self) -> Option<Vec<Weighted<Player>>> {
        None
    }

    /// Carries out one iteration.
    ///
    /// # Errors
    ///
    /// Returns the error of the oracle. The method is then unchanged.
    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration>;

    /// Returns the state of the method, apart from the population of accepted strategies and the answers taken from the
    /// method. State, population and answers suffice to restore the method to the last bit.
    fn state(&self) -> Value;

    /// Takes the answers received since the last call. A method that is restored by replaying its answers must return
    /// them here and leave them out of its state, which would otherwise grow with every iteration.
    fn take_answers(&mut self) -> Vec<Answered> {
        Vec::new()
    }

    /// Gives a restored method all answers that were taken from it, in order.
    ///
    /// # Errors
    ///
    /// Returns an error if the method does not use answers.
    fn recall(&mut self, answers: Vec<Answered>) -> Result<(), StateError> {
        match answers.is_empty() {
            true => Ok(()),
            false => Err(StateError::new("this method keeps no answers")),
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
