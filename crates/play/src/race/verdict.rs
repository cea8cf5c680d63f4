//! The interface of a race and its verdict.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

/// The error probability and the precision of a comparison.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limits {
    /// The probability that a verdict is wrong, in (0, 1). The paper states no value; the default is 0.05.
    pub delta: f64,
    /// The half-width of the interval at which a race without a winner stops, in (0, 1). The paper uses 0.01.
    pub precision: f64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { delta: 0.05, precision: 0.01 }
    }
}

/// The reason why a race stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Reason {
    /// The candidate wins more than half of its games.
    Better,
    /// The candidate wins less than half of its games.
    Worse,
    /// The candidate is proven not to be better by twice the precision or more. It may be slightly better, equal or
    /// worse.
    NotBetter,
    /// The winning rate is known up to the precision, and one half is still possible.
    Precision,
    /// The intervals contradict each other, which happens with probability at most delta.
    Inconsistent,
    /// The winning rate of the candidate is proven to lie between 1/2 and 1/2 plus twice the precision.
    Equivalent,
    /// The race reached the maximum number of observations without a decision, so the mean decides.
    Cap,
    /// The fixed number of games was played, and the majority decides.
    Majority,
    /// The games of the comparison, or the budget of the run, are used up.
    Budget,
    /// Nothing is random, so one pair decides.
    Exact,
    /// Candidate and incumbent are identical.
    Identical,
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// The verdict of a race about the candidate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Verdict {
    /// Whether the candidate is ahead, as the operator measures it. A tie counts for the incumbent.
    pub candidate_leads: bool,
    /// The reason why the race stopped.
    pub reason: Reason,
    /// The number of observations: pairs, unless the race receives single games.
    pub num_observations: u64,
    /// The mean of the observations, in [0, 1]. The stopping rule biases the mean, but not the interval.
    pub score: f64,
    /// Bounds on the winning rate, valid at any stopping time. In races by intervals and by majority, both bounds hold
    /// together with probability 1 - delta. In a betting race, each bound alone holds with this probability.
    pub interval: [f64; 2],
}

impl Verdict {
    /// Returns the verdict of a race whose observations are all equal to `score`, in [0, 1].
    pub fn exact(score: f64) -> Verdict {
        Verdict {
            candidate_leads: score > 0.5,
            reason: Reason::Exact,
            num_observations: 1,
            score,
            interval: [score; 2],
        }
    }

    /// Returns the verdict about a candidate that is identical to the incumbent, without any observation.
    pub fn identical() -> Verdict {
        Verdict { reason: Reason::Identical, num_observations: 0, ..Verdict::exact(0.5) }
    }

    /// Returns `true` if candidate and incumbent are equal and nothing is random: further games could not separate
    /// them.
    pub fn is_exact_tie(&self) -> bool {
        self.reason == Reason::Exact && self.score == 0.5
    }
}

/// A sequential comparison in progress.
pub trait Race {
    /// Takes one observation, which is an integer from 0 to the scale of the race. Returns `Break` with the verdict if
    /// the race stops.
    fn push(&mut self, observation: u16) -> ControlFlow<Verdict>;

    /// Returns the smallest number of further observations after which the race can stop.
    fn observations_before_stop(&self) -> u64;

    /// Returns the evidence against the candidate, on an increasing scale. Among races with the same operator, the race
    /// with the largest value is the most likely to refuse.
    fn doubt(&self) -> f64;

    /// Returns the verdict if no more observations can be made.
    fn out_of_budget(&self) -> Verdict;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_verdicts_have_one_observation_or_none() {
        for (score, leads) in [(0.25, false), (0.5, false), (0.75, true)] {
            let verdict = Verdict::exact(score);
            assert_eq!((verdict.candidate_leads, verdict.num_observations), (leads, 1));
            assert_eq!((verdict.score, verdict.interval), (score, [score; 2]));
            assert_eq!(verdict.is_exact_tie(), score == 0.5);
        }
        let identical = Verdict::identical();
        assert_eq!((identical.num_observations, identical.score), (0, 0.5));
        assert!(!identical.is_exact_tie() && !identical.candidate_leads);
    }
}
