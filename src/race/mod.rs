//! Comparison operators: sequential tests that decide which of two strategies is better.
//!
//! A race receives observations of the candidate against the incumbent, one at a time and in order, and
//! says when it has seen enough. It plays nothing itself; [`run`] feeds it with pairs of games.
//!
//! | operator | hypothesis on the winning rate mu of the candidate | error |
//! |---|---|---|
//! | [`Bernstein`] | mu > 1/2 against mu < 1/2, up to a precision | delta in all, at any time of stopping |

mod bernstein;

use std::ops::ControlFlow;

pub use bernstein::{Bernstein, Schedule};
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
    /// The allowed number of observations was made.
    Budget,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Reason::Better => "better",
            Reason::Worse => "worse",
            Reason::Precision => "precision",
            Reason::Inconsistent => "inconsistent",
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
    /// Whether the candidate takes the place of the incumbent: it is proven better, or the race came to
    /// its precision with the candidate ahead.
    pub fn accepts(&self) -> bool {
        self.candidate_leads && matches!(self.reason, Reason::Better | Reason::Precision)
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
