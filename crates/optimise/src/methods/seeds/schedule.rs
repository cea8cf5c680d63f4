//! Round robins and stages of halving: which individuals play each other, and for how long.

use ruse_base::stop::{Result, StopReason, Stopped};
use serde::{Deserialize, Serialize};

/// A stage of halving between two iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stage {
    /// The number of pairs that the stage may still play.
    pub(super) pairs_left: u64,
    /// The number of the current round, from 0.
    pub(super) round: u32,
    /// The individuals of each contest that play in this round. Their number is the same in all contests.
    pub(super) alive: Vec<Vec<usize>>,
    /// The number of steps done in this round. A step is a round of the circle method in round 0, and one opponent in
    /// later rounds.
    pub(super) steps_done: u64,
    pub(super) num_steps: u64,
    /// The next opponent. Individuals are exchangeable, so opponents may be taken in order.
    pub(super) next_opponent: usize,
}

/// Returns the number of rounds of a stage of `n` individuals: ceil(log2 n).
pub(super) fn num_rounds(n: usize) -> u32 {
    n.next_power_of_two().ilog2()
}

/// Returns the number of pairs of a round robin of `n` individuals.
pub(super) fn round_robin_pairs(n: usize) -> u64 {
    (n as u64) * (n as u64 - 1) / 2
}

/// Returns the largest number of individuals whose round robin has at most `pairs` pairs.
pub(super) fn individuals_for(pairs: u64) -> usize {
    let mut n = ((1.0 + (1.0 + 8.0 * pairs as f64).sqrt()) / 2.0) as usize;
    // The square root may be off by one in the last place.
    while n > 1 && round_robin_pairs(n) > pairs {
        n -= 1;
    }
    n
}

/// Iterates over the pairs of round `step` of a round robin of `n` individuals by the circle method: one individual
/// stays and the others rotate. If `n` is odd, one individual rests.
pub(super) fn circle(n: usize, step: u64) -> impl Iterator<Item = (usize, usize)> {
    let even = n + n % 2;
    let ring = even - 1;
    let at = move |place: usize| match place {
        0 => ring,
        _ => (place - 1 + (step % ring as u64) as usize) % ring,
    };
    (0..even / 2).map(move |i| (at(i), at(even - 1 - i))).filter(move |&(a, b)| a < n && b < n)
}

impl Stage {
    /// Returns the next stage that the budget allows, and the number of its individuals. The first stage has `first`
    /// individuals; each later stage has twice as many as `present`.
    pub(super) fn next(
        games_left: u64,
        first: usize,
        present: usize,
        num_contests: usize,
    ) -> Result<(usize, Stage)> {
        let pairs_left = games_left / 2;
        let wanted = if present == 0 { first } else { 2 * present };
        let (individuals, pairs) = if pairs_left / 3 >= round_robin_pairs(wanted) {
            (wanted, round_robin_pairs(wanted))
        } else {
            // The last stage uses the rest of the budget.
            (individuals_for(pairs_left).max(present), pairs_left)
        };
        let rounds = u64::from(num_rounds(individuals));
        let num_steps = pairs / rounds.max(1) / (individuals as u64 / 2).max(1);
        if individuals < 2 || num_steps == 0 {
            return Err(Stopped(StopReason::Games));
        }
        let alive = vec![(0..individuals).collect(); num_contests];
        let stage = Stage {
            pairs_left: pairs,
            round: 0,
            alive,
            steps_done: 0,
            num_steps,
            next_opponent: 0,
        };
        Ok((individuals, stage))
    }

    /// Returns the number of individuals that play in this round, in each contest.
    pub(super) fn num_alive(&self) -> usize {
        self.alive.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// Returns the next round, or `None` if the stage is over. In each contest, the better half of `ranked` plays in
    /// the next round.
    pub(super) fn next_round(mut self, ranked: &[Vec<usize>], individuals: usize) -> Option<Stage> {
        let better_half = |ranked: &Vec<usize>| ranked[..ranked.len().div_ceil(2)].to_vec();
        self.alive = ranked.iter().map(better_half).collect();
        self.round += 1;
        self.steps_done = 0;
        let rounds_left = num_rounds(individuals).saturating_sub(self.round);
        if self.num_alive() <= 1 || rounds_left == 0 {
            return None;
        }
        let share = self.pairs_left / u64::from(rounds_left);
        self.num_steps = share / self.num_alive() as u64;
        (self.num_steps > 0).then_some(self)
    }
}
