//! Comparison operators: sequential tests that decide which of two strategies is better.
//!
//! A race receives observations of the candidate against the incumbent, one at a time and in order, and
//! says when it has seen enough. It plays nothing itself; [`run`] feeds it with pairs of games.
//!
//! | operator | question about the winning rate mu of the candidate | error probability |
//! |---|---|---|
//! | `bernstein` | mu > 1/2, mu < 1/2, or known up to the precision? ([`IntervalRace`]) | delta for the whole interval, at any time of stopping |
//! | `betting` | mu > 1/2, or mu < 1/2 + 2 precision? ([`BettingRace`]) | delta for each answer, at any time of stopping |
//! | `hoeffding` | as bernstein, without knowledge of the variance ([`IntervalRace`]) | as bernstein |
//! | `majority` | who wins most of 101 games? ([`Majority`]) | none is promised |

mod betting;
mod interval_race;
mod majority;

use std::ops::ControlFlow;

pub use betting::BettingRace;
pub use interval_race::{Inequality, IntervalRace, Schedule};
pub use majority::Majority;
use serde::{Deserialize, Serialize};

use crate::arena::{Collector, Matchup, PairResult, StopSignal, Stopped, play_in_order};
use crate::rng::StreamKey;

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
pub enum Reason {
    /// The candidate wins more than half.
    Better,
    /// The candidate wins less than half.
    Worse,
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
    /// The budget of the run is used.
    Budget,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Better => "better",
            Reason::Worse => "worse",
            Reason::Precision => "precision",
            Reason::Inconsistent => "inconsistent",
            Reason::Equivalent => "equivalent",
            Reason::Cap => "cap",
            Reason::Majority => "majority",
            Reason::Budget => "budget",
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
    /// Bounds of the winning rate that hold with probability 1 - delta, at any time of stopping.
    pub interval: [f64; 2],
}

impl Verdict {
    /// Whether the candidate takes the place of the incumbent: it is proven better, or is ahead where the
    /// race came to an end that is part of its error probability.
    pub fn accepts(&self) -> bool {
        let ended = match self.reason {
            Reason::Better | Reason::Precision | Reason::Cap | Reason::Majority => true,
            Reason::Worse | Reason::Inconsistent | Reason::Equivalent | Reason::Budget => false,
        };
        self.candidate_leads && ended
    }
}

/// The comparison operators, by the names that a user types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// The limited Bernstein race of the paper.
    Bernstein,
    /// The betting race: the same error probability for far fewer games.
    Betting,
    /// The limited race with Hoeffding's interval.
    Hoeffding,
    /// The majority of 101 games.
    Majority,
}

impl Comparison {
    /// All operators; the first is the default.
    pub const ALL: [Comparison; 4] =
        [Comparison::Bernstein, Comparison::Betting, Comparison::Hoeffding, Comparison::Majority];

    /// The name of the operator.
    pub fn name(self) -> &'static str {
        match self {
            Comparison::Bernstein => "bernstein",
            Comparison::Betting => "betting",
            Comparison::Hoeffding => "hoeffding",
            Comparison::Majority => "majority",
        }
    }

    /// A race over observations from 0 to `scale`: 2 for games, 4 for pairs, that gives up after
    /// `max_observations`, at least one.
    pub fn race(self, limits: Limits, scale: u8, max_observations: u64) -> AnyRace {
        let by_intervals = |inequality| {
            let schedule = Schedule::Geometric;
            AnyRace::Interval(IntervalRace::new(
                inequality,
                limits,
                schedule,
                scale,
                max_observations,
            ))
        };
        match self {
            Comparison::Bernstein => by_intervals(Inequality::EmpiricalBernstein),
            Comparison::Hoeffding => by_intervals(Inequality::Hoeffding),
            Comparison::Betting => {
                AnyRace::Betting(BettingRace::superiority(limits, scale, max_observations))
            }
            Comparison::Majority => {
                AnyRace::Majority(Majority::new(limits, scale, max_observations))
            }
        }
    }
}

/// A race of any operator.
#[derive(Debug, Clone)]
pub enum AnyRace {
    /// By intervals.
    Interval(IntervalRace),
    /// By betting.
    Betting(BettingRace),
    /// By majority.
    Majority(Majority),
}

impl Race for AnyRace {
    #[inline]
    fn push(&mut self, observation: u8) -> ControlFlow<Verdict> {
        match self {
            AnyRace::Interval(race) => race.push(observation),
            AnyRace::Betting(race) => race.push(observation),
            AnyRace::Majority(race) => race.push(observation),
        }
    }

    fn observations_before_stop(&self) -> u64 {
        match self {
            AnyRace::Interval(race) => race.observations_before_stop(),
            AnyRace::Betting(race) => race.observations_before_stop(),
            AnyRace::Majority(race) => race.observations_before_stop(),
        }
    }
}

/// A sequential comparison in progress.
pub trait Race {
    /// Takes one observation, an integer from 0 to the scale of the race, and says whether to stop.
    fn push(&mut self, observation: u8) -> ControlFlow<Verdict>;

    /// The number of coming observations after which the race can stop at the earliest.
    fn observations_before_stop(&self) -> u64;
}

/// How many pairs to play at once when a race may stop at any moment: few enough that little is wasted,
/// many enough to keep all threads busy.
const BLOCK_PAIRS: std::ops::RangeInclusive<u64> = 64..=4096;

/// Plays a race over pairs of games: A is the candidate. Pairs are tested in index order, so that
/// verdict and number of observations do not depend on the number of threads.
///
/// `on_pairs` learns how many pairs were committed, now and then.
///
/// # Errors
///
/// When the race was stopped from outside, before it had a verdict.
pub fn run(
    race: &mut impl Race,
    matchup: &dyn Matchup,
    key: StreamKey,
    stop: &StopSignal,
    on_pairs: impl FnMut(u64),
) -> Result<Verdict, Stopped> {
    let mut collector = RaceCollector { race, on_pairs };
    let verdict = play_in_order(matchup, key, u64::MAX, stop, &mut collector)?;
    Ok(verdict.expect("a race stops of its own accord"))
}

struct RaceCollector<'a, R, F> {
    race: &'a mut R,
    on_pairs: F,
}

impl<R: Race, F: FnMut(u64)> Collector for RaceCollector<'_, R, F> {
    type Result = Verdict;

    fn block_pairs(&mut self, num_committed: u64) -> usize {
        (self.on_pairs)(num_committed);
        let num_pairs = self.race.observations_before_stop();
        num_pairs.clamp(*BLOCK_PAIRS.start(), *BLOCK_PAIRS.end()) as usize
    }

    fn commit(&mut self, result: PairResult) -> ControlFlow<Verdict> {
        self.race.push(result.quarter_points())
    }
}

/// Games that are won with probability `win` and drawn with probability `draw`, in half points, by a
/// linear congruential generator that is easy to write in any language: Knuth's multiplier and
/// increment, state 12345, the upper 53 bits.
#[cfg(test)]
fn pseudo_random_games(win: f64, draw: f64) -> impl Iterator<Item = u8> {
    let mut state = 12345u64;
    std::iter::repeat_with(move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let u = (state >> 11) as f64 / 2f64.powi(53);
        if u < win {
            2
        } else if u < win + draw {
            1
        } else {
            0
        }
    })
}
