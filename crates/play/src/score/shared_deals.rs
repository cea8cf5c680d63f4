//! A round robin on shared deals, and the intervals of the mean scores of its members.
//!
//! All meetings share the same deals, so the mean score of a member over its opponents is known for every deal. These
//! means form one sample, even though the meetings of the member depend on each other. The differences between the
//! means of two members also form one sample. The intervals of both samples are computed as in [`Tally::estimate`],
//! from all values that occur. An exactly known score of a meeting is a constant in these means.

use std::collections::HashMap;

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

use super::CONFIDENCE;
use super::interval::score_interval_at;
use super::round_robin::{Deals, MAX_ENTRANTS, Pairings, RoundRobin, play_parts};
use super::tally::{Estimate, Tally};
use crate::arena::League;

/// The smallest and the largest number of deals between two updates of the progress. A block that a stop request
/// interrupts is lost, so the first blocks are small.
const BLOCK_DEALS: [u64; 2] = [4, 64];
/// The number of deals that one thread plays without interruption.
const TASK_DEALS: u64 = 8;

/// The number of times that each value occurred, keyed by the bits of the value.
type Counts = HashMap<u64, u64>;

/// A round robin on shared deals: the scores of its members in each meeting and on average.
#[derive(Debug, Clone, PartialEq)]
pub struct SharedDeals {
    scores: RoundRobin,
    /// The number of deals that two members play if their score against each other is not known exactly.
    num_deals: u64,
    /// The sum of the exact scores of each member.
    exact_sums: Vec<f64>,
    /// The number of opponents of each member against which its score is not known exactly.
    num_sampled: Vec<usize>,
    /// For each member, the sums of its scores in a deal, each with the number of deals in which it occurred. Exactly
    /// known scores are excluded.
    sums: Vec<Counts>,
    /// The differences between the `sums` of a and b in a deal, each with the number of deals, for a < b, row by row.
    differences: Vec<Counts>,
}

impl SharedDeals {
    /// Plays `num_deals` pairs, but at least two, between each two of the first `num_members` members of a league,
    /// unless the score of the two members is known exactly. `on_pairs` is called from time to time with the number of
    /// pairs played. If the games are stopped from outside, the deals so far count.
    ///
    /// # Errors
    ///
    /// Returns an error if the games were stopped from outside before the first deals were over.
    ///
    /// # Panics
    ///
    /// Panics if there are fewer than two members, or more than [`MAX_ENTRANTS`].
    pub fn play(
        league: &dyn League,
        num_members: usize,
        num_deals: u64,
        key: StreamKey,
        stop: &StopSignal,
        mut on_pairs: impl FnMut(u64),
    ) -> Result<SharedDeals, Stopped> {
        assert!((2..=MAX_ENTRANTS).contains(&num_members), "{num_members} members");
        let num_deals = num_deals.max(2);
        let (pairings, deals) = (Pairings::of(num_members), Deals::Shared(key));
        let pairs: Vec<(usize, usize)> = pairings.all().collect();
        let mut scores = RoundRobin::unplayed(pairings);
        let open = scores.open(league, &pairs, deals, num_members, stop)?;
        let mut exact_sums = vec![0.0; num_members];
        let mut num_sampled = vec![0; num_members];
        for (meeting, &(a, b)) in scores.meetings_mut().iter_mut().zip(&pairs) {
            match meeting.exact {
                Some(score) => {
                    exact_sums[a] += score;
                    exact_sums[b] += 1.0 - score;
                }
                None => {
                    // The sample includes the first deal, which would otherwise be counted twice.
                    meeting.tally = Tally::default();
                    num_sampled[a] += 1;
                    num_sampled[b] += 1;
                }
            }
        }
        let mut shared = SharedDeals {
            scores,
            num_deals: if open.is_empty() { 0 } else { num_deals },
            exact_sums,
            num_sampled,
            sums: vec![Counts::new(); num_members],
            differences: vec![Counts::new(); pairs.len()],
        };
        let mut num_played = 0;
        let mut first = 0;
        while first < shared.num_deals {
            let [least, most] = BLOCK_DEALS;
            let block = first.clamp(least, most).min(shared.num_deals - first);
            let before = shared.scores.clone();
            let requests: Vec<_> = open.iter().map(|&(a, b)| (a, b, first, block)).collect();
            let requests = shared.scores.requests(&requests, deals);
            let mut sums = vec![vec![0.0; num_members]; block as usize];
            let add = |request: usize, first_pair: u64, results: Vec<PairResult>| {
                let (a, b) = open[request];
                let tally = &mut shared.scores.meeting_mut(a, b).tally;
                for (sums, &result) in
                    sums[(first_pair - first) as usize..].iter_mut().zip(&results)
                {
                    tally.add(result);
                    sums[a] += result.score();
                    sums[b] += 1.0 - result.score();
                }
            };
            let count = &mut |pairs| num_played += pairs;
            let played = play_parts(league, &requests, TASK_DEALS, stop, <[_]>::to_vec, add, count);
            if let Err(stopped) = played {
                if first < least {
                    return Err(stopped);
                }
                (shared.scores, shared.num_deals) = (before, first);
                break;
            }
            sums.iter().for_each(|of_deal| shared.count(of_deal));
            on_pairs(num_played);
            first += block;
        }
        Ok(shared)
    }

    /// Counts the sums of the members in one deal, and the differences between these sums.
    fn count(&mut self, sums: &[f64]) {
        let add =
            |counts: &mut Counts, value: f64| *counts.entry(value.to_bits()).or_default() += 1;
        for (counts, &sum) in self.sums.iter_mut().zip(sums) {
            add(counts, sum);
        }
        for (counts, (a, b)) in self.differences.iter_mut().zip(self.scores.pairings().all()) {
            // Adding 0 avoids -0, which has different bits from 0.
            add(counts, sums[a] - sums[b] + 0.0);
        }
    }

    /// Returns the scores of the meetings.
    pub fn scores(&self) -> &RoundRobin {
        &self.scores
    }

    /// Returns the number of deals that two members play if their score is not known exactly.
    pub fn num_deals(&self) -> u64 {
        self.num_deals
    }

    /// Returns the number of pairs that were played for samples.
    pub fn num_pairs(&self) -> u64 {
        let sampled = self.scores.meetings().iter().filter(|meeting| meeting.exact.is_none());
        sampled.map(|meeting| meeting.tally.num_pairs()).sum()
    }

    /// Returns the mean score of a member over all others, in [0, 1]; its sample size is the number of deals.
    ///
    /// # Panics
    ///
    /// Panics if there is no such member.
    pub fn mean(&self, member: usize) -> Estimate {
        let num_opponents = (self.scores.num_members() - 1) as f64;
        let num_sampled = self.num_sampled[member] as f64;
        let exact = self.exact_sums[member];
        let sampled = estimate(&self.sums[member], [0.0, num_sampled], CONFIDENCE);
        let whole = |sampled: f64| (exact + sampled) / num_opponents;
        Estimate {
            score: whole(sampled.0),
            interval: sampled.1.map(whole),
            confidence: CONFIDENCE,
            pairs: if num_sampled > 0.0 { self.num_deals } else { 0 },
        }
    }

    /// Returns the mean score of member `a` minus the mean score of member `b`, in [-1, 1], with its interval at
    /// [`CONFIDENCE`].
    ///
    /// # Panics
    ///
    /// Panics if there is no such member, or if `a` and `b` are the same member.
    pub fn lead(&self, a: usize, b: usize) -> (f64, [f64; 2]) {
        self.lead_at(a, b, CONFIDENCE)
    }

    /// Same as [`lead`](SharedDeals::lead), with an interval at a level of confidence in (0, 1).
    pub fn lead_at(&self, a: usize, b: usize, confidence: f64) -> (f64, [f64; 2]) {
        let (first, second) = (a.min(b), a.max(b));
        let [most, least] = [first, second].map(|member| self.num_sampled[member] as f64);
        let counts = &self.differences[self.scores.pairings().index(first, second)];
        let sampled = estimate(counts, [-least, most], confidence);
        let exact = self.exact_sums[first] - self.exact_sums[second];
        let num_opponents = (self.scores.num_members() - 1) as f64;
        let whole = |sampled: f64| (exact + sampled) / num_opponents;
        let (lead, [low, high]) = (whole(sampled.0), sampled.1.map(whole));
        if a < b { (lead, [low, high]) } else { (-lead, [-high, -low]) }
    }
}

/// Returns the mean of values that lie within the given bounds, with its interval.
fn estimate(counts: &Counts, [least, most]: [f64; 2], confidence: f64) -> (f64, [f64; 2]) {
    let width = most - least;
    if width <= 0.0 || counts.is_empty() {
        return (0.0, [0.0; 2]);
    }
    let mut values: Vec<(f64, u64)> =
        counts.iter().map(|(&bits, &count)| (f64::from_bits(bits), count)).collect();
    values.sort_by(|(x, _), (y, _)| x.total_cmp(y));
    let num_values: u64 = values.iter().map(|(_, count)| count).sum();
    let mean = values.iter().map(|&(value, count)| value * count as f64).sum::<f64>();
    let shares: Vec<_> = values
        .iter()
        .map(|&(value, count)| (((value - least) / width).clamp(0.0, 1.0), count))
        .collect();
    let interval = score_interval_at(confidence, &shares);
    (mean / num_values as f64, interval.map(|bound| least + width * bound))
}

#[cfg(test)]
mod tests;
