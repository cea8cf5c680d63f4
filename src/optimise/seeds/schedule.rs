//! Round robins and stages of halving: which individuals play each other, and how long.

use serde::{Deserialize, Serialize};

use crate::arena::{StopReason, Stopped};

/// A stage of halving between two iterations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Stage {
    /// Pairs that the stage may still play.
    pub(super) pairs_left: u64,
    /// The round in progress, from 0.
    pub(super) round: u32,
    /// The individuals that play in this round, of each contest as many.
    pub(super) alive: Vec<Vec<usize>>,
    /// Steps done in this round: rounds of the circle in round 0, opponents after that.
    pub(super) steps_done: u64,
    /// Steps of this round.
    pub(super) num_steps: u64,
    /// The next opponent. Individuals are exchangeable, so any order of them is a random one.
    pub(super) next_opponent: usize,
}

/// Rounds of a stage of `n` individuals: ceil(log2 n).
pub(super) fn num_rounds(n: usize) -> u32 {
    n.next_power_of_two().ilog2()
}

/// The pairs of a round robin of `n` individuals.
pub(super) fn round_robin_pairs(n: usize) -> u64 {
    (n as u64) * (n as u64 - 1) / 2
}

/// The most individuals whose round robin has at most `pairs` pairs.
pub(super) fn individuals_for(pairs: u64) -> usize {
    let mut n = ((1.0 + (1.0 + 8.0 * pairs as f64).sqrt()) / 2.0) as usize;
    // The square root may be off in the last place.
    while n > 1 && round_robin_pairs(n) > pairs {
        n -= 1;
    }
    n
}

/// Round `step` of a round robin of `n` by the circle method: one stays, the others go round; with an odd
/// number somebody has a rest.
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
    /// The individuals of the next stage, and the stage, as far as the budget allows. `first` individuals are wanted at the
    /// beginning, and `present` are there.
    pub(super) fn next(
        games_left: u64,
        first: usize,
        present: usize,
        num_contests: usize,
    ) -> Result<(usize, Stage), Stopped> {
        let pairs_left = games_left / 2;
        let wanted = if present == 0 { first } else { 2 * present };
        let (individuals, pairs) = if pairs_left / 3 >= round_robin_pairs(wanted) {
            (wanted, round_robin_pairs(wanted))
        } else {
            // The last stage.
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

    /// The individuals that play in this round, in each contest.
    pub(super) fn num_alive(&self) -> usize {
        self.alive.iter().map(Vec::len).min().unwrap_or(0)
    }

    /// The next round, in which the better half of those `ranked` in each contest plays; none when the stage is over.
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
