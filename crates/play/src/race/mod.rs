//! Comparison operators: sequential tests that decide which of two strategies is better.
//!
//! A race receives observations of the candidate against the incumbent, one at a time and in order, and gives its
//! verdict when it has received enough of them. A race plays no games itself; [`head_to_head`], [`against_all`] and
//! [`against_a_third`] play pairs of games and pass their results to the race.
//!
//! | operator | question about the winning rate mu of the candidate | error probability |
//! |---|---|---|
//! | `bernstein` | mu > 1/2, mu < 1/2, or known up to the precision? ([`IntervalRace`]) | delta for the whole interval, at any time of stopping |
//! | `betting` | mu > 1/2, or mu < 1/2 + 2 precision? ([`BettingRace`]) | delta for each answer, at any time of stopping |
//! | `hoeffding` | as bernstein, without knowledge of the variance ([`IntervalRace`]) | as bernstein |
//! | `majority` | which of the two wins most of 101 games? ([`Majority`]) | none is promised |
//!
//! The verdict of a race and the acceptance of the candidate are two separate questions. An [`Acceptance`] answers the
//! second: it may accept every candidate that leads, or only candidates that are proven better.

mod acceptance;
mod betting;
mod championship;
mod cost;
mod counts;
mod interval_race;
mod majority;
mod play;
mod scores;
mod verdict;

use std::ops::ControlFlow;

pub use acceptance::{Accept, Acceptance, Ties};
pub use betting::BettingRace;
pub use championship::{Championship, Meeting};
pub use cost::{Cost, least_games, measured_cost};
pub use counts::{counts_stop, median_unbiased, missing, verdict_of_counts};
pub use interval_race::{Inequality, IntervalRace, Schedule};
pub use majority::Majority;
pub use play::{Decision, RaceSettings, against_a_third, against_all, head_to_head};
pub use scores::{Question, ScoreRace};
pub use verdict::{Limits, Race, Reason, Verdict};

ruse_base::named! {
    /// The comparison operators; the first is the default.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Operator {
        /// The limited Bernstein race of the paper.
        Bernstein = "bernstein",
        /// The betting race: the same error probability for far fewer games.
        Betting = "betting",
        /// The limited race with Hoeffding's interval.
        Hoeffding = "hoeffding",
        /// The majority of 101 games.
        Majority = "majority",
    }
}

impl Operator {
    /// Returns the smallest precision of a comparison, or 0 if every positive precision is allowed.
    pub fn smallest_precision(self) -> f64 {
        match self {
            Operator::Betting => BettingRace::SMALLEST_PRECISION,
            Operator::Bernstein | Operator::Hoeffding | Operator::Majority => 0.0,
        }
    }

    /// Creates a race over observations from 0 to `scale`, which is 2 for games, 4 for pairs and 8 for two pairs.
    ///
    /// # Panics
    ///
    /// Panics if the precision is less than half of [`smallest_precision`](Operator::smallest_precision). Half of the
    /// smallest precision is allowed because comparisons of two contestants against a third halve their precision.
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
    /// A race by intervals.
    Interval(IntervalRace),
    /// A race by betting.
    Betting(Box<BettingRace>),
    /// A comparison by majority.
    Majority(Majority),
}

/// Calls a method of the race, regardless of its variant.
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

#[cfg(test)]
mod tests {
    mod error_rates;

    /// Generates games that are won with probability `win` and drawn with probability `draw`, in half points. The generator
    /// is linear congruential and easy to port to any language: it has Knuth's multiplier and increment, starts in state
    /// 12345, and uses the upper 53 bits.
    pub(super) fn pseudo_random_games(win: f64, draw: f64) -> impl Iterator<Item = u16> {
        let mut state = 12345u64;
        std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
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
}
