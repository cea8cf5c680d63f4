//! Rules for accepting a candidate after the verdict of its race.
//!
//! The limited race of Cauwet & Teytaud 2018 accepts the candidate that leads when the race stops, even if it stops
//! because the winning rate is known up to the precision. Such a candidate is not proven better: about half of the
//! candidates that are equal to the incumbent are accepted. Two options deviate from the paper: accepting only
//! candidates that are proven better, and accepting ties if nothing is random.

use serde::{Deserialize, Serialize};

use super::{Reason, Verdict};

ruse_base::named! {
    /// The lead that a candidate needs to be accepted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Accept {
        /// Accepts a candidate that leads at the end of the race, unless the budget ended the race. This is the rule of the
        /// paper.
        #[default]
        Leading = "leading",
        /// Accepts a candidate that is proven to win more than half of its games. For every operator, the probability of
        /// accepting a candidate with a winning rate of 1/2 or less is at most delta.
        Proven = "proven",
    }
}

ruse_base::named! {
    /// The rule for candidates whose score is exactly one half, without random errors.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Ties {
        /// The incumbent stays, as in the paper, because the candidate is not better.
        #[default]
        Refuse = "refuse",
        /// The candidate is accepted; otherwise, a search could not move on a plateau.
        Accept = "accept",
    }
}

/// The rule for accepting candidates. The default is the rule of the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Acceptance {
    /// The lead that a candidate needs.
    pub accept: Accept,
    /// The rule for ties.
    pub ties: Ties,
}

impl Acceptance {
    /// Returns `true` if a candidate with this verdict replaces the incumbent.
    pub fn admits(self, verdict: &Verdict) -> bool {
        if verdict.is_exact_tie() {
            return self.ties == Ties::Accept;
        }
        verdict.candidate_leads && self.admits_leader(verdict)
    }

    /// Returns `true` if a leading candidate is accepted: if the race was completed and did not decide against the
    /// candidate, and if the rule asks for it, if the candidate is proven to win more than half of its games.
    fn admits_leader(self, verdict: &Verdict) -> bool {
        match verdict.reason {
            // A betting race that reaches its cap accepts only means above 1/2 + precision. A share of delta is reserved
            // for this.
            Reason::Better | Reason::Exact | Reason::Cap => true,
            // The number of games was fixed in advance, so Hoeffding's interval is a valid test.
            Reason::Majority => self.accept == Accept::Leading || verdict.interval[0] > 0.5,
            Reason::Precision => self.accept == Accept::Leading,
            Reason::Worse
            | Reason::NotBetter
            | Reason::Inconsistent
            | Reason::Equivalent
            | Reason::Budget
            | Reason::Identical => false,
        }
    }
}

impl Verdict {
    /// Returns `true` if the candidate replaces the incumbent by the default [`Acceptance`].
    pub fn accepts(&self) -> bool {
        Acceptance::default().admits(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(reason: Reason, candidate_leads: bool, interval: [f64; 2]) -> Verdict {
        let score = if candidate_leads { 0.51 } else { 0.49 };
        Verdict { candidate_leads, reason, num_observations: 100, score, interval }
    }

    /// The table states, for every reason, which rules accept a candidate that leads. Candidates that do not lead are
    /// never accepted.
    #[test]
    fn leaders_are_accepted_at_once_or_after_a_proof() {
        let table = [
            (Reason::Better, true, true),
            (Reason::Worse, false, false),
            (Reason::NotBetter, false, false),
            (Reason::Precision, true, false),
            (Reason::Inconsistent, false, false),
            (Reason::Equivalent, false, false),
            (Reason::Cap, true, true),
            (Reason::Majority, true, false),
            (Reason::Budget, false, false),
            (Reason::Exact, true, true),
            (Reason::Identical, false, false),
        ];
        for ties in Ties::ALL {
            let [leading, proven] = Accept::ALL.map(|accept| Acceptance { accept, ties });
            for (reason, if_leading, if_proven) in table {
                let leads = verdict(reason, true, [0.49, 0.53]);
                assert_eq!(leading.admits(&leads), if_leading, "{reason}");
                assert_eq!(proven.admits(&leads), if_proven, "{reason}");
                let trails = verdict(reason, false, [0.47, 0.51]);
                assert!(!leading.admits(&trails) && !proven.admits(&trails), "{reason}");
            }
        }
    }

    #[test]
    fn a_majority_proves_something_when_it_is_large() {
        let proven = Acceptance { accept: Accept::Proven, ties: Ties::Refuse };
        assert!(proven.admits(&verdict(Reason::Majority, true, [0.501, 0.9])));
        assert!(!proven.admits(&verdict(Reason::Majority, true, [0.5, 0.9])));
    }

    #[test]
    fn ties_are_accepted_where_nothing_is_random_and_nowhere_else() {
        for accept in Accept::ALL {
            let [refusing, accepting] = Ties::ALL.map(|ties| Acceptance { accept, ties });
            assert!(!refusing.admits(&Verdict::exact(0.5)));
            assert!(accepting.admits(&Verdict::exact(0.5)));
            assert!(!accepting.admits(&Verdict::exact(0.499)));
            assert!(refusing.admits(&Verdict::exact(0.501)));
            // Neither verdict is an exact tie: the first comes without any game, and the second has random errors.
            assert!(!accepting.admits(&Verdict::identical()));
            let even = Verdict { score: 0.5, ..verdict(Reason::Precision, false, [0.49, 0.51]) };
            assert!(!accepting.admits(&even));
        }
    }
}
