//! Payoffs from games that are split into parts: choices are made from one part, and scored on another.
//!
//! Both a mixture and a best response look better than they are in the games from which they were chosen, because the
//! maximum of many estimates is too large. Games that had no part in either choice are free of this bias.

use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_play::arena::League;

use super::payoffs::{PayoffError, Payoffs};

/// The scores of the members of a pool against each other and themselves, in three parts of the pairs of each meeting:
/// the first half, the third quarter, and the last quarter. Exactly known scores are the same in all parts.
#[derive(Debug, Clone, PartialEq)]
pub struct SplitPayoffs {
    parts: [Payoffs; 3],
    whole: Payoffs,
}

impl SplitPayoffs {
    /// Combines three parts with the same members.
    ///
    /// # Panics
    ///
    /// Panics if the numbers of members differ between the parts.
    pub fn new(parts: [Payoffs; 3]) -> SplitPayoffs {
        let mut whole = parts[0].clone();
        for part in &parts[1..] {
            assert_eq!(part.num_members(), whole.num_members(), "parts are of the same pool");
            whole.merge(part);
        }
        SplitPayoffs { parts, whole }
    }

    /// Plays each member of a league against every member, including itself. A meeting has `pairs_per_meeting` pairs,
    /// or one pair if no random number is drawn in that pair. With fewer than four pairs per meeting, the last quarter
    /// contains no games. `on_pairs` is called from time to time with the number of pairs played.
    ///
    /// # Errors
    ///
    /// Returns an error if a stop was requested, or the pool has too few or too many members.
    pub fn estimate(
        league: &dyn League,
        num_members: usize,
        pairs_per_meeting: u64,
        key: StreamKey,
        stop: &StopSignal,
        mut on_pairs: impl FnMut(u64),
    ) -> Result<SplitPayoffs, PayoffError> {
        let (first, open) = Payoffs::opened(league, num_members, true, key, stop)?;
        let known = first.known();
        let mut num_played = first.num_pairs();
        on_pairs(num_played);
        let pairs = pairs_per_meeting.max(1);
        // If a division leaves an odd pair, this pair goes to the earlier part. One pair was played already.
        let three_quarters = pairs - pairs / 4;
        let ends = [1, pairs.div_ceil(2), three_quarters, pairs];
        let mut parts = [first, known.clone(), known];
        for (part, ends) in parts.iter_mut().zip(ends.windows(2)) {
            let request = |&(i, j): &(usize, usize)| (i, j, ends[0], ends[1] - ends[0]);
            let requests: Vec<_> = open.iter().map(request).collect();
            num_played += part.play_from(league, &requests, key, stop)?;
            on_pairs(num_played);
        }
        Ok(SplitPayoffs::new(parts))
    }

    /// Returns the payoffs of all games.
    pub fn whole(&self) -> &Payoffs {
        &self.whole
    }

    /// Returns the first half, on which mixtures are chosen.
    pub fn first_half(&self) -> &Payoffs {
        &self.parts[0]
    }

    /// Returns the third quarter. If a mixture was chosen on the first half, the response to this mixture may be chosen
    /// on the third quarter.
    pub fn third_quarter(&self) -> &Payoffs {
        &self.parts[1]
    }

    /// Returns the last quarter.
    pub fn last_quarter(&self) -> &Payoffs {
        &self.parts[2]
    }

    /// Returns the second half.
    pub fn second_half(&self) -> Payoffs {
        let mut half = self.parts[1].clone();
        half.merge(&self.parts[2]);
        half
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::Effort;
    use crate::portfolio::payoffs::tests::{Chances, noisy_rps};

    fn split(league: &Chances, pairs: u64) -> SplitPayoffs {
        let (key, stop) = (StreamKey::root(1), StopSignal::default());
        SplitPayoffs::estimate(league, league.0.len(), pairs, key, &stop, |_| ()).expect("played")
    }

    #[test]
    fn parts_are_disjoint_and_together_all_games() {
        let league = noisy_rps(0.65);
        for (pairs, sizes) in
            [(200, [100, 50, 50]), (7, [4, 2, 1]), (3, [2, 1, 0]), (2, [1, 1, 0]), (1, [1, 0, 0])]
        {
            let found = split(&league, pairs);
            let parts = [found.first_half(), found.third_quarter(), found.last_quarter()];
            assert_eq!(parts.map(|part| part.meeting(0, 3).tally.num_pairs()), sizes);
            let effort = Effort { pairs_per_meeting: pairs, num_rounds: 0, with_self: true };
            let (key, stop) = (StreamKey::root(1), StopSignal::default());
            let together = Payoffs::estimate(&league, 5, effort, key, &stop, |_| ());
            assert_eq!(found.whole(), &together.expect("played"));
        }
    }

    #[test]
    fn exact_payoffs_are_the_same_in_all_parts() {
        let found = split(&Chances(vec![vec![1.0, 1.0], vec![0.0, 1.0]]), 100);
        assert_eq!(found.first_half(), found.last_quarter());
        assert_eq!((found.second_half(), found.whole().num_pairs()), (found.whole().clone(), 3));
    }

    /// Five members meet each other and themselves in 15 meetings: one pair each, then up to half, three quarters and
    /// all of 200 pairs.
    #[test]
    fn the_pairs_of_all_parts_are_reported() {
        let (key, stop, mut told) = (StreamKey::root(1), StopSignal::default(), Vec::new());
        let on_pairs = |num_pairs| told.push(num_pairs);
        SplitPayoffs::estimate(&noisy_rps(0.65), 5, 200, key, &stop, on_pairs).expect("played");
        assert_eq!(told, [15, 1500, 2250, 3000]);
    }
}
