//! Championships: every member races every other member.

use std::sync::Arc;

use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};

use super::play::{Decision, RaceSettings, head_to_head};
use crate::arena::{Duel, League};
use crate::score::Pairings;

/// A race between two members of a championship.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meeting {
    /// The index of the member from whose point of view the decision is stated.
    pub a: usize,
    /// The index of the opponent of `a`.
    pub b: usize,
    /// The outcome of the race, from the point of view of `a`.
    pub decision: Decision,
}

/// The races of a championship.
#[derive(Debug, Clone, PartialEq)]
pub struct Championship {
    num_members: usize,
    /// The races. The member with the lower index is side A.
    pub meetings: Vec<Meeting>,
}

impl Championship {
    /// Runs a race between each two of the first `num_members` members of a league. The number of games in `rules` is
    /// divided equally among the races.
    ///
    /// # Errors
    ///
    /// Returns an error if the championship was stopped from outside.
    pub fn hold(
        rules: RaceSettings,
        league: &Arc<dyn League>,
        num_members: usize,
        key: StreamKey,
        stop: &StopSignal,
        mut on_meeting: impl FnMut(&Meeting),
    ) -> Result<Championship, Stopped> {
        let pairings = Pairings::of(num_members);
        let max_games = rules.max_games / (pairings.len() as u64).max(1);
        let rules = RaceSettings { max_games, ..rules };
        let mut meetings = Vec::new();
        for (index, (a, b)) in (0..).zip(pairings.all()) {
            let key = key.child(Label::Championship, index);
            let decision = head_to_head(rules, &Duel::new(league, a, b), key, stop, |_| ())?;
            let meeting = Meeting { a, b, decision };
            on_meeting(&meeting);
            meetings.push(meeting);
        }
        Ok(Championship { num_members, meetings })
    }

    /// Returns the number of members.
    pub fn num_members(&self) -> usize {
        self.num_members
    }

    /// Returns the mean score of a member over all others, in [0, 1], or one half if there are no others.
    pub fn mean_score(&self, member: usize) -> f64 {
        let scores = self.meetings.iter().filter_map(|&Meeting { a, b, decision }| {
            let score = decision.verdict.score;
            (a == member).then_some(score).or((b == member).then_some(1.0 - score))
        });
        let (sum, count) = scores.fold((0.0, 0), |(sum, count), score| (sum + score, count + 1));
        if count == 0 { 0.5 } else { sum / f64::from(count) }
    }

    /// Returns the members by mean score, best first; members with equal scores are ordered by index.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.num_members).collect();
        ranking.sort_by(|&x, &y| self.mean_score(y).total_cmp(&self.mean_score(x)).then(x.cmp(&y)));
        ranking
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::race::{Acceptance, Limits, Operator};
    use crate::score::tests::Strengths;

    #[test]
    fn the_strongest_wins_and_all_meet_once() {
        let league: Arc<dyn League> = Arc::new(Strengths(vec![0.1, 0.3, 0.0, 0.2]));
        let limits = Limits { delta: 0.05, precision: 0.02 };
        let rules = RaceSettings {
            comparison: Operator::Bernstein,
            limits,
            acceptance: Acceptance::default(),
            max_games: 1_000_000,
        };
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        let held = Championship::hold(rules, &league, 4, key, &stop, |_| ()).expect("not stopped");
        assert_eq!((held.num_members(), held.meetings.len()), (4, 6));
        assert_eq!(held.ranking(), [1, 3, 0, 2]);
        // The member of strength .3 scores .7, .8 and .6 against the members of strengths .1, 0 and .2.
        assert!((held.mean_score(1) - 0.7).abs() < 0.05, "{}", held.mean_score(1));

        let rules = RaceSettings { max_games: 600, ..rules };
        let held = Championship::hold(rules, &league, 4, key, &stop, |_| ()).expect("not stopped");
        assert!(held.meetings.iter().all(|meeting| meeting.decision.num_games <= 100));
        let alone = Championship::hold(rules, &league, 1, key, &stop, |_| ()).expect("not stopped");
        assert_eq!((alone.ranking(), alone.mean_score(0)), (vec![0], 0.5));
    }
}
