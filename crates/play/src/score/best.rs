//! The best of many strategies: a round robin whose members leave once they are proven not to be the best.
//!
//! All members play the same deals against all others, also against those that have left, so the mean score over all
//! others keeps its meaning. Games between two members that have both left are not played.
//!
//! In each deal, two members have means over their opponents. A bettor stakes a fraction of its wealth on the difference:
//! the wealth is a supermartingale if the first member is not better than the second, so it ever exceeds (k - 1) / delta
//! with probability at most delta / (k - 1) (Ville, *Etude critique de la notion de collectif*, 1939; Waudby-Smith &
//! Ramdas, *Estimating means of bounded random variables by betting*, JRSS-B 86, 2024). There are k - 1 bettors against
//! the best of k members. So with probability at least 1 - delta the best member stays, whenever the games end.

use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_strategies::PairResult;

use super::round_robin::{Deals, MAX_ENTRANTS, Pairings, RoundRobin, play_parts};
use crate::arena::League;

/// The fractions that are staked, each by an equal part of the wealth.
const FRACTIONS: [f64; 8] =
    [1.0 / 128.0, 1.0 / 64.0, 1.0 / 32.0, 1.0 / 16.0, 0.125, 0.25, 0.5, 0.95];
/// The smallest number of deals between two times when members may leave; later, it is an eighth of the deals so far.
const MIN_DEALS: u64 = 4;
/// The largest number of deals between two times when members may leave.
const MAX_DEALS: u64 = 256;
/// The number of deals that one thread plays without interruption.
const TASK_DEALS: u64 = 8;

/// A member of the search for the best.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contender {
    /// The mean score over all others, in [0, 1], until the member left. It is biased, since the time of leaving depends
    /// on it.
    pub score: f64,
    /// The number of deals that the member played, or 0 if all its scores are known exactly.
    pub num_deals: u64,
    /// The member that is proven better, if the member has left.
    pub beaten_by: Option<usize>,
}

/// The result of a search for the best of many.
#[derive(Debug, Clone, PartialEq)]
pub struct Best {
    /// All members, in the order of the league.
    pub contenders: Vec<Contender>,
    /// The number of deals that were played.
    pub num_deals: u64,
    /// The number of pairs that were played.
    pub num_pairs: u64,
    /// The number of pairs that a round robin of as many deals takes.
    pub round_robin_pairs: u64,
}

impl Best {
    /// Returns the members by the time of leaving, the last first, and then by score.
    pub fn ranking(&self) -> Vec<usize> {
        let mut ranking: Vec<usize> = (0..self.contenders.len()).collect();
        ranking.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|member| &self.contenders[member]);
            let stays = b.beaten_by.is_none().cmp(&a.beaten_by.is_none());
            stays.then(b.num_deals.cmp(&a.num_deals)).then(b.score.total_cmp(&a.score))
        });
        ranking
    }

    /// Returns the members that may be the best.
    pub fn remaining(&self) -> impl Iterator<Item = usize> {
        let contenders = self.contenders.iter().enumerate();
        contenders.filter(|(_, contender)| contender.beaten_by.is_none()).map(|(index, _)| index)
    }
}

/// Searches for the member of a league with the highest mean score over all others, in at most `max_deals` deals. With
/// probability at least 1 - `delta`, the best member is among the [remaining](Best::remaining). `on_deals` is called
/// from time to time with the number of deals played and of members that remain. If the games are stopped from outside, the
/// result is the result of the deals so far.
///
/// # Errors
///
/// Returns an error if the games were stopped from outside before the first deals were over.
///
/// # Panics
///
/// Panics if there are fewer than two members or more than [`MAX_ENTRANTS`], or `delta` is not in (0, 1).
pub fn best_of(
    league: &dyn League,
    num_members: usize,
    max_deals: u64,
    delta: f64,
    key: StreamKey,
    stop: &StopSignal,
    mut on_deals: impl FnMut(u64, usize),
) -> Result<Best, Stopped> {
    assert!((2..=MAX_ENTRANTS).contains(&num_members), "{num_members} members");
    assert!(delta > 0.0 && delta < 1.0, "delta is {delta}");
    let (pairings, deals) = (Pairings::of(num_members), Deals::Shared(key));
    let pairs: Vec<(usize, usize)> = pairings.all().collect();
    let mut scores = RoundRobin::unplayed(pairings);
    let open = scores.open(league, &pairs, deals, num_members, stop)?;
    let others = (num_members - 1) as f64;
    let mut search = Search {
        exact: vec![0.0; num_members],
        sums: vec![0.0; num_members],
        wealth: vec![[1.0; FRACTIONS.len()]; num_members * num_members],
        is_proven: vec![false; num_members * num_members],
        target: others / delta,
        contenders: vec![Contender { score: 0.0, num_deals: 0, beaten_by: None }; num_members],
    };
    for (meeting, &(a, b)) in scores.meetings().iter().zip(&pairs) {
        if let Some(score) = meeting.exact {
            search.exact[a] += score / others;
            search.exact[b] += (1.0 - score) / others;
        }
    }
    let mut best =
        Best { contenders: Vec::new(), num_deals: 0, num_pairs: 0, round_robin_pairs: 0 };
    if open.is_empty() {
        search.compare_exactly();
    }
    while !open.is_empty() && best.num_deals < max_deals && search.num_remaining() > 1 {
        let first = best.num_deals;
        let block = (first / 8).clamp(MIN_DEALS, MAX_DEALS).min(max_deals - first);
        let remains = |member: usize| search.contenders[member].beaten_by.is_none();
        let meetings = open.iter().copied().filter(|&(a, b)| remains(a) || remains(b));
        let meetings: Vec<_> = meetings.map(|(a, b)| (a, b, first, block)).collect();
        let requests = scores.requests(&meetings, deals);
        let mut sums = vec![search.exact.clone(); block as usize];
        let add = |request: usize, first_pair: u64, results: Vec<PairResult>| {
            let (a, b, ..) = meetings[request];
            for (sums, &result) in sums[(first_pair - first) as usize..].iter_mut().zip(&results) {
                sums[a] += result.score() / others;
                sums[b] += (1.0 - result.score()) / others;
            }
        };
        let mut num_pairs = 0;
        let count = &mut |pairs| num_pairs += pairs;
        let played = play_parts(league, &requests, TASK_DEALS, stop, <[_]>::to_vec, add, count);
        match played {
            Err(stopped) if first == 0 => return Err(stopped),
            Err(_) => break,
            Ok(()) => {}
        }
        best.num_deals += block;
        best.num_pairs += num_pairs;
        best.round_robin_pairs += block * open.len() as u64;
        sums.iter().for_each(|means| search.bet(means));
        search.leave();
        on_deals(best.num_deals, search.num_remaining());
    }
    Ok(Best { contenders: search.contenders, ..best })
}

/// A search in progress. Matrices are stored row by row, one row for each member that might be better.
struct Search {
    /// The part of each member's mean that is known exactly.
    exact: Vec<f64>,
    /// The sums of the means over all deals.
    sums: Vec<f64>,
    wealth: Vec<[f64; FRACTIONS.len()]>,
    /// Whether the member of the row is proven better than the member of the column.
    is_proven: Vec<bool>,
    target: f64,
    contenders: Vec<Contender>,
}

impl Search {
    fn num_members(&self) -> usize {
        self.contenders.len()
    }

    fn remaining(&self) -> Vec<usize> {
        let remains = |&member: &usize| self.contenders[member].beaten_by.is_none();
        (0..self.num_members()).filter(remains).collect()
    }

    fn num_remaining(&self) -> usize {
        self.remaining().len()
    }

    /// Lets all members leave that score less than another, if all scores are known.
    fn compare_exactly(&mut self) {
        let best = (0..self.num_members()).reduce(|best, member| {
            if self.exact[member] > self.exact[best] { member } else { best }
        });
        let best = best.expect("there are members");
        for (member, contender) in self.contenders.iter_mut().enumerate() {
            contender.score = self.exact[member];
            contender.beaten_by = (self.exact[member] < self.exact[best]).then_some(best);
        }
    }

    /// Lets the bettors of all remaining members play, given the means of a deal.
    fn bet(&mut self, means: &[f64]) {
        let remaining = self.remaining();
        for &member in &remaining {
            self.sums[member] += means[member];
            self.contenders[member].num_deals += 1;
        }
        let num_members = self.num_members();
        for &a in &remaining {
            for &b in remaining.iter().filter(|&&b| b != a) {
                let place = a * num_members + b;
                if self.is_proven[place] {
                    continue;
                }
                let difference = means[a] - means[b];
                let parts = &mut self.wealth[place];
                for (part, fraction) in parts.iter_mut().zip(FRACTIONS) {
                    *part *= 1.0 + fraction * difference;
                }
                let wealth = parts.iter().sum::<f64>() / FRACTIONS.len() as f64;
                self.is_proven[place] = wealth >= self.target;
            }
        }
    }

    /// Lets all members leave that another is proven better than.
    fn leave(&mut self) {
        let (remaining, num_members) = (self.remaining(), self.num_members());
        for &b in &remaining {
            let contender = &mut self.contenders[b];
            contender.score = self.sums[b] / contender.num_deals as f64;
            let is_better = |&a: &usize| self.is_proven[a * num_members + b];
            contender.beaten_by = remaining.iter().copied().find(is_better);
        }
    }
}

#[cfg(test)]
mod tests;
