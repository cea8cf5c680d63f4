//! Fresh games, which are played after mixtures have been chosen. They are needed because a mixture seems to lose less
//! than it does in the games from which it was chosen.
//!
//! Every meeting that is not known exactly plays a few fresh pairs, and the remaining pairs go to the meetings in which
//! they narrow the bounds most. The score of a mixture x against member j has the variance sum_i x_i^2 s_ij^2 / n_ij,
//! where s_ij^2 is the variance of a pair between members i and j, and n_ij the number of these pairs. The allocation
//! minimises the sum of these variances over all members and mixtures (Neyman's allocation). The sum of each mixture is
//! first divided by its value under equal allocation. The variances s_ij^2 come from the earlier games, so the number
//! of pairs of a meeting does not depend on fresh results, and the mean of a meeting is unbiased.

use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_play::arena::League;
use ruse_play::score::Pairings;

use super::payoffs::{PayoffError, Payoffs, neyman, variance};

/// The minimum number of pairs of a meeting, which is enough to estimate a variance. A meeting plays fewer if fewer are
/// available.
const FEWEST_PAIRS: u64 = 8;

impl Payoffs {
    /// Plays fresh pairs between the members of these payoffs, for `mixtures` that were chosen from the payoffs. Each
    /// meeting that is not known exactly plays `pairs_per_meeting` pairs on average. No other games of the same league
    /// may have used `key`.
    ///
    /// # Errors
    ///
    /// Returns an error if the games were stopped from outside.
    pub fn fresh(
        &self,
        league: &dyn League,
        mixtures: &[&[f64]],
        pairs_per_meeting: u64,
        key: StreamKey,
        stop: &StopSignal,
        mut on_pairs: impl FnMut(u64),
    ) -> Result<Payoffs, PayoffError> {
        let n = self.num_members();
        let open: Vec<(usize, usize)> =
            Pairings::of(n).all().filter(|&(i, j)| self.meeting(i, j).exact.is_none()).collect();
        let fewest = pairs_per_meeting.min(FEWEST_PAIRS);
        let squares: Vec<f64> =
            mixtures.iter().map(|x| x.iter().map(|weight| weight * weight).sum()).collect();
        let candidates: Vec<_> = open
            .iter()
            .map(|&(i, j)| {
                let share = |(x, squares): (&&[f64], &f64)| (x[i] * x[i] + x[j] * x[j]) / squares;
                let weight: f64 = mixtures.iter().zip(&squares).map(share).sum();
                (i, j, weight * variance(self.meeting(i, j)), fewest as f64)
            })
            .filter(|candidate| candidate.2 > 0.0)
            .collect();
        let budget = (pairs_per_meeting - fewest) * open.len() as u64;
        let more = neyman(&candidates, budget);
        let more = candidates.iter().zip(more).map(|(&(i, j, ..), pairs)| (i, j, fewest, pairs));
        let few = open.iter().map(|&(i, j)| (i, j, 0, fewest));
        let mut fresh = self.known();
        let mut num_played = 0;
        for requests in [few.collect::<Vec<_>>(), more.collect()] {
            num_played += fresh.play_from(league, &requests, key, stop)?;
            on_pairs(num_played);
        }
        Ok(fresh)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portfolio::Effort;
    use crate::portfolio::payoffs::tests::{Chances, counted, estimated, noisy_rps};

    #[test]
    fn fresh_pairs_go_to_the_members_of_the_mixtures() {
        let league = noisy_rps(0.65);
        let effort = Effort { pairs_per_meeting: 100, num_rounds: 0, with_self: false };
        let payoffs = estimated(&league, effort, 1);
        let (key, stop) = (StreamKey::root(2), StopSignal::default());
        let third = 1.0 / 3.0;
        let mixture = [third, third, third, 0.0, 0.0];
        let mut told = 0;
        let fresh = payoffs.fresh(&league, &[&mixture], 40, key, &stop, |pairs| told = pairs);
        let fresh = fresh.expect("played");
        let pairs = |i, j| fresh.meeting(i, j).tally.num_pairs();
        // Ten meetings; the last two members are not in the mixture, so their meeting plays the least.
        assert_eq!((fresh.num_pairs(), told, pairs(3, 4)), (400, 400, 8));
        // Both members of the first meeting are in the mixture, so this meeting counts for the scores of both. The
        // numbers of pairs have about the ratio of sqrt(2 / 3 * .25) to sqrt(1 / 3 * .09).
        assert!(pairs(0, 1) > 60 && pairs(0, 3) > 20 && pairs(0, 1) > pairs(0, 3), "{fresh:?}");
        let none = payoffs.fresh(&league, &[&mixture], 0, key, &stop, |_| ()).expect("nothing");
        assert_eq!(none.num_pairs(), 0);
    }

    /// Calculated by hand. A pure mixture has weight 1 in both meetings of its member. The uniform mixture has (1/9 +
    /// 1/9) / (1/3) = 2/3 in every meeting. The sums are 5/3, 5/3 and 2/3, and the variances are equal, so the meetings
    /// have 20.386 times the roots of 5, 5 and 2 of the 120 pairs.
    #[test]
    fn every_mixture_counts_the_same() {
        let payoffs = counted(3, [(0, 1, 2, 2), (0, 2, 2, 2), (1, 2, 2, 2)]);
        let league = Chances(vec![vec![0.5; 3]; 3]);
        let (key, stop) = (StreamKey::root(2), StopSignal::default());
        let mixtures = [&[1.0, 0.0, 0.0][..], &[1.0 / 3.0; 3]];
        let fresh = payoffs.fresh(&league, &mixtures, 40, key, &stop, |_| ()).expect("played");
        let meetings = [(0, 1), (0, 2), (1, 2)];
        assert_eq!(meetings.map(|(i, j)| fresh.meeting(i, j).tally.num_pairs()), [45, 46, 29]);
    }
}
