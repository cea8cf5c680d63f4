//! The scores of every member of a league against every other member, over a fixed number of pairs.

use super::round_robin::{Request, open_all, play_all};
use super::scored::Scored;
use super::tally::Estimate;
use crate::arena::{League, StopSignal, Stopped};
use crate::rng::StreamKey;

/// The score of every member of a league against every other member.
#[derive(Debug, Clone, PartialEq)]
pub struct CrossTable {
    num_members: usize,
    /// The score of member a against member b for a < b, row by row.
    estimates: Vec<Estimate>,
}

impl CrossTable {
    /// Returns the number of members.
    pub fn num_members(&self) -> usize {
        self.num_members
    }

    /// Returns the score of member `a` against member `b`, or exactly one half if they are the same member.
    ///
    /// # Panics
    ///
    /// Panics if `a` or `b` is not the index of a member.
    pub fn estimate(&self, a: usize, b: usize) -> Estimate {
        let n = self.num_members;
        assert!(a < n && b < n, "members {a} and {b} of {n}");
        if a == b {
            return Estimate {
                score: 0.5,
                interval: [0.5; 2],
                confidence: super::CONFIDENCE,
                pairs: 0,
            };
        }
        let (first, second) = (a.min(b), a.max(b));
        // The rows before `first` have n - 1, n - 2, ... entries.
        let index = first * (2 * n - first - 1) / 2 + (second - first - 1);
        let estimate = self.estimates[index];
        if a < b { estimate } else { estimate.reversed() }
    }
}

/// Plays `num_pairs` pairs, but at least two, between each two of the first `num_members` members of a league. If the
/// score of two members is known exactly, they play only one pair. All meetings share the same deals, so members that
/// play alike have the same rows. `on_row` is called with the number of members that have met all others.
///
/// # Errors
///
/// Returns an error if the games were stopped from outside.
pub fn cross_play(
    league: &dyn League,
    num_members: usize,
    num_pairs: u64,
    key: StreamKey,
    stop: &StopSignal,
    mut on_row: impl FnMut(usize),
) -> Result<CrossTable, Stopped> {
    let num_pairs = num_pairs.max(2);
    let mut estimates = Vec::new();
    for a in 0..num_members {
        let opponents: Vec<usize> = (a + 1..num_members).collect();
        let duels: Vec<_> = opponents.iter().map(|&b| (a, b, key)).collect();
        let mut row = open_all(league, num_members, &duels, stop)?;
        let due: Vec<Request> = opponents
            .iter()
            .zip(&row)
            .filter(|(_, opened)| opened.exact.is_none())
            .map(|(&b, _)| Request { a, b, key, first_pair: 1, num_pairs: num_pairs - 1 })
            .collect();
        let played = play_all(league, &due, stop, |_| ())?;
        for (request, tally) in due.iter().zip(&played) {
            row[request.b - a - 1].tally.merge(tally);
        }
        let known = |scored: &Scored| scored.estimate().expect("a pair was played");
        estimates.extend(row.iter().map(known));
        on_row(a + 1);
    }
    Ok(CrossTable { num_members, estimates })
}
