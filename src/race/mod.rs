//! Comparison operators: sequential tests that decide which of two strategies is better.
//!
//! A race receives observations of the candidate against the incumbent, one at a time and in order, and
//! says when it has seen enough. It plays nothing itself; [`head_to_head`],
//! [`against_all`] and [`against_a_third`] feed it with pairs of games.
//!
//! | operator | question about the winning rate mu of the candidate | error probability |
//! |---|---|---|
//! | `bernstein` | mu > 1/2, mu < 1/2, or known up to the precision? ([`IntervalRace`]) | delta for the whole interval, at any time of stopping |
//! | `betting` | mu > 1/2, or mu < 1/2 + 2 precision? ([`BettingRace`]) | delta for each answer, at any time of stopping |
//! | `hoeffding` | as bernstein, without knowledge of the variance ([`IntervalRace`]) | as bernstein |
//! | `majority` | which of the two wins most of 101 games? ([`Majority`]) | none is promised |
//!
//! What a race has found out, and whether the candidate is accepted, are two questions. The second is answered by an
//! [`Acceptance`]: a candidate that merely leads may be accepted, or only one that is proven better.

mod acceptance;
mod betting;
mod championship;
mod cost;
mod interval_race;
mod majority;
mod play;

use std::ops::ControlFlow;

pub use acceptance::{Accept, Acceptance, Ties};
pub use betting::BettingRace;
pub use championship::{Championship, Meeting};
pub use cost::{Cost, least_games, measured_cost};
pub use interval_race::{Inequality, IntervalRace, Schedule};
pub use majority::Majority;
pub use play::{Decision, RaceSettings, against_a_third, against_all, head_to_head};
use serde::{Deserialize, Serialize};

/// The error probability and the precision of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// Probability that a verdict is wrong, in (0, 1). The paper states none; 0.05 here.
    pub delta: f64,
    /// Half-width of the interval at which a race without winner stops, in (0, 1). 0.01 in the paper.
    pub precision: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { delta: 0.05, precision: 0.01 }
    }
}

/// Why a race stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The candidate wins more than half.
    Better,
    /// The candidate wins less than half.
    Worse,
    /// The candidate is not better by as much as twice the precision; it may be better by less, or equal.
    NotBetter,
    /// The winning rate is known up to the precision, and one half is still possible.
    Precision,
    /// The intervals contradict each other, which has a probability of delta at most.
    Inconsistent,
    /// The candidate is neither worse than 1/2 nor better by twice the precision.
    Equivalent,
    /// The race was not decided within the observations that it has at most, and the mean decides.
    Cap,
    /// The wanted number of games was played, and the majority decides.
    Majority,
    /// The games that the comparison may take are used, or the budget of the run.
    Budget,
    /// Nothing is random, so that one pair says it all.
    Exact,
    /// Candidate and incumbent are the same.
    Identical,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Better => "better",
            Reason::Worse => "worse",
            Reason::NotBetter => "not-better",
            Reason::Precision => "precision",
            Reason::Inconsistent => "inconsistent",
            Reason::Equivalent => "equivalent",
            Reason::Cap => "cap",
            Reason::Majority => "majority",
            Reason::Budget => "budget",
            Reason::Exact => "exact",
            Reason::Identical => "identical",
        })
    }
}

/// What a race found out about the candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Whether the candidate is ahead, by the measure of the operator; a tie is for the incumbent.
    pub candidate_leads: bool,
    /// Why the race stopped.
    pub reason: Reason,
    /// Observations made: pairs, unless the race was fed with single games.
    pub num_observations: u64,
    /// Mean observation of the candidate, in [0, 1]. Biased by the stopping rule: read the interval.
    pub score: f64,
    /// Bounds of the winning rate at any time of stopping. Both hold with probability 1 - delta in races by
    /// intervals and by majority, each of them in a betting race.
    pub interval: [f64; 2],
}

impl Verdict {
    /// What one observation says that is the same as all others: `score`, in [0, 1].
    pub fn exact(score: f64) -> Verdict {
        Verdict {
            candidate_leads: score > 0.5,
            reason: Reason::Exact,
            num_observations: 1,
            score,
            interval: [score; 2],
        }
    }

    /// What is known without any observation about a candidate who is the incumbent.
    pub fn identical() -> Verdict {
        Verdict { reason: Reason::Identical, num_observations: 0, ..Verdict::exact(0.5) }
    }

    /// Whether the two are equal, and nothing is random: no game would tell them apart.
    pub fn is_exact_tie(&self) -> bool {
        self.reason == Reason::Exact && self.score == 0.5
    }

    /// Whether the candidate takes the place of the incumbent by the usual rule, which is the default
    /// [`Acceptance`].
    pub fn accepts(&self) -> bool {
        Acceptance::default().admits(self)
    }
}

/// The comparison operators, by the names that a user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operator {
    /// The limited Bernstein race of the paper.
    Bernstein,
    /// The betting race: the same error probability for far fewer games.
    Betting,
    /// The limited race with Hoeffding's interval.
    Hoeffding,
    /// The majority of 101 games.
    Majority,
}

impl Operator {
    /// All operators; the first is the default.
    pub const ALL: [Operator; 4] =
        [Operator::Bernstein, Operator::Betting, Operator::Hoeffding, Operator::Majority];

    /// The name of the operator.
    pub fn name(self) -> &'static str {
        match self {
            Operator::Bernstein => "bernstein",
            Operator::Betting => "betting",
            Operator::Hoeffding => "hoeffding",
            Operator::Majority => "majority",
        }
    }

    /// The smallest precision that a comparison can have; 0, which is none itself, if all are allowed.
    pub fn smallest_precision(self) -> f64 {
        match self {
            Operator::Betting => BettingRace::SMALLEST_PRECISION,
            Operator::Bernstein | Operator::Hoeffding | Operator::Majority => 0.0,
        }
    }

    /// A race over observations from 0 to `scale`: 2 for games, 4 for pairs, 8 for two pairs.
    ///
    /// # Panics
    ///
    /// When the precision is less than half of
    /// [`smallest_precision`](Operator::smallest_precision): half of it is asked for when two contestants
    /// meet a third.
    pub fn race(self, limits: Limits, scale: u16) -> AnyRace {
        let by_intervals = |inequality| {
            let schedule = Schedule::Geometric;
            AnyRace::Interval(IntervalRace::new(inequality, limits, schedule, scale))
        };
        match self {
            Operator::Bernstein => by_intervals(Inequality::EmpiricalBernstein),
            Operator::Hoeffding => by_intervals(Inequality::Hoeffding),
            Operator::Betting => {
                AnyRace::Betting(Box::new(BettingRace::superiority(limits, scale)))
            }
            Operator::Majority => AnyRace::Majority(Majority::new(limits, scale)),
        }
    }
}

/// A race of any operator.
#[derive(Debug, Clone)]
pub enum AnyRace {
    /// By intervals.
    Interval(IntervalRace),
    /// By betting.
    Betting(Box<BettingRace>),
    /// By majority.
    Majority(Majority),
}

/// Calls a method of whichever race it is.
macro_rules! of_any {
    ($any:expr, $race:ident => $call:expr) => {
        match $any {
            AnyRace::Interval($race) => $call,
            AnyRace::Betting($race) => $call,
            AnyRace::Majority($race) => $call,
        }
    };
}

impl Race for AnyRace {
    #[inline]
    fn push(&mut self, observation: u16) -> ControlFlow<Verdict> {
        of_any!(self, race => race.push(observation))
    }

    fn observations_before_stop(&self) -> u64 {
        of_any!(self, race => race.observations_before_stop())
    }

    fn doubt(&self) -> f64 {
        of_any!(self, race => race.doubt())
    }

    fn out_of_budget(&self) -> Verdict {
        of_any!(self, race => race.out_of_budget())
    }
}

/// A sequential comparison in progress.
pub trait Race {
    /// Takes one observation, an integer from 0 to the scale of the race, and says whether to stop.
    fn push(&mut self, observation: u16) -> ControlFlow<Verdict>;

    /// The number of coming observations after which the race can stop at the earliest.
    fn observations_before_stop(&self) -> u64;

    /// How much speaks against the candidate, in any unit that grows with it: of several races of the
    /// same operator, the one that most likely refuses has the most.
    fn doubt(&self) -> f64;

    /// What can be said when no more observations can be made.
    fn out_of_budget(&self) -> Verdict;
}

/// Games that are won with probability `win` and drawn with probability `draw`, in half points, by a
/// linear congruential generator that is easy to write in any language: Knuth's multiplier and
/// increment, state 12345, the upper 53 bits.
#[cfg(test)]
fn pseudo_random_games(win: f64, draw: f64) -> impl Iterator<Item = u16> {
    let mut state = 12345u64;
    std::iter::repeat_with(move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let u = (state >> 11) as f64 / 9_007_199_254_740_992.0;
        if u < win {
            2
        } else if u < win + draw {
            1
        } else {
            0
        }
    })
}
