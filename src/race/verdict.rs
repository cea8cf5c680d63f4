//! What a race is, and what it finds out.

use std::ops::ControlFlow;

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
