//! Sequential halving: chooses the best of many candidates by playing games against the baseline.
//!
//! Karnin, Koren & Somekh, *Almost optimal exploration in multi-armed bandits*, ICML 2013, algorithm 1 (sequential
//! halving). All rounds have about the same number of games, and all entrants of a round play on the same deals.
//!
//! Deviations: the results of earlier rounds count in later rounds. If parameters belong to seats, the parts for each
//! seat are ranked by the games in that seat, and parts of the same rank play together.
//!
//! Space: an index and a sum for each part of each remaining entrant.

use ruse_base::stop::Result;
use ruse_play::score::Tally;
use serde::{Deserialize, Serialize};

use super::method::{Oracle, play_against};
use super::selection::Parts;

/// The minimum number of pairs that each entrant plays in the first round.
const FIRST_PAIRS: u64 = 16;
/// The maximum number of pairs played in one iteration. If there are more entrants than this, each plays one pair. The
/// number is limited because an iteration is lost if the run stops during the iteration.
const MAX_PAIRS: u64 = 1 << 16;

/// The vectors to which the indices of entrants refer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pool<'a> {
    /// The random individuals of the run; number 0 is its start.
    Individuals,
    /// The given vectors, each `[dimension]`.
    Given(&'a [Vec<f64>]),
}

impl Pool<'_> {
    fn vector(self, oracle: &dyn Oracle, index: u64) -> Vec<f64> {
        match self {
            Pool::Individuals => oracle.individual(index),
            Pool::Given(vectors) => vectors[index as usize].clone(),
        }
    }
}

/// The remaining entrants and the progress of the contest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Halving {
    /// For each part, the entrants of this round, sorted by their results so far, best first. All parts have the same
    /// number of entrants.
    alive: Vec<Vec<Entrant>>,
    /// The number of pairs in a round, over all entrants; `pairs_left` is the number of pairs that each entrant still
    /// has to play in this round.
    round_pairs: u64,
    pairs_left: u64,
    /// The number of entrants that are left at the end.
    num_left: usize,
}

/// A candidate of the contest, or its part for one seat.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entrant {
    index: u64,
    /// The score so far, in quarters of a point.
    quarter_points: f64,
}

/// Returns the number of rounds until one of `n` entrants is left: ceil(log2 n).
fn num_rounds(n: u64) -> u64 {
    u64::from(n.next_power_of_two().ilog2())
}

/// Returns the largest number of entrants for which `games` games suffice: a power of two, at most `most`. Returns
/// `None` if the games do not suffice for two entrants.
pub(super) fn affordable(games: u64, most: u64) -> Option<u64> {
    let is_enough = |n: &u64| num_rounds(*n) * n * 2 * FIRST_PAIRS <= games;
    (1..40).map(|exponent| 1 << exponent).take_while(|n| *n <= most).take_while(is_enough).last()
}

impl Halving {
    /// Creates a contest of `num` entrants, each with `num_parts` parts, which takes about `games` games and ends with
    /// `num_left` entrants. Each entrant plays at least one pair in every round.
    pub(super) fn new(num: u64, num_left: usize, num_parts: usize, games: u64) -> Halving {
        let entrant = |index| Entrant { index, quarter_points: 0.0 };
        let round_pairs = games / 2 / num_rounds(num.div_ceil(num_left as u64)).max(1);
        Halving {
            alive: vec![(0..num).map(entrant).collect(); num_parts],
            round_pairs,
            pairs_left: (round_pairs / num).max(1),
            num_left,
        }
    }

    /// Returns `true` if the saved state is valid for `num_vectors` candidates.
    pub(super) fn is_sound(&self, num_vectors: u64) -> bool {
        let num = self.alive.first().map_or(0, Vec::len);
        let is_known =
            |entrant: &Entrant| entrant.index < num_vectors && entrant.quarter_points.is_finite();
        let of_part = |part: &Vec<Entrant>| part.len() == num && part.iter().all(is_known);
        num > 0 && self.num_left > 0 && self.alive.len() <= 2 && self.alive.iter().all(of_part)
    }

    pub(super) fn is_over(&self) -> bool {
        self.alive[0].len() <= self.num_left
    }

    pub(super) fn num_alive(&self) -> usize {
        self.alive[0].len()
    }

    /// Returns the number of games that the next iteration takes.
    pub(super) fn next_games(&self) -> u64 {
        2 * self.next_pairs() * self.alive[0].len() as u64
    }

    /// Returns the number of pairs that each entrant plays in the next iteration.
    fn next_pairs(&self) -> u64 {
        let num = self.alive[0].len() as u64;
        self.pairs_left.min((MAX_PAIRS / num).max(1))
    }

    /// Joins the parts that have the given rank into a vector: `[dimension]`. The parts of rank 0 are the best.
    pub(super) fn joined(
        &self,
        place: usize,
        oracle: &dyn Oracle,
        parts: &Parts,
        pool: Pool<'_>,
    ) -> Vec<f64> {
        let owner = |part: &Vec<Entrant>| pool.vector(oracle, part[place].index);
        let owners: Vec<Vec<f64>> = self.alive.iter().map(owner).collect();
        let owners: Vec<&[f64]> = owners.iter().map(Vec::as_slice).collect();
        parts.join(&owners)
    }

    /// Ends a round; the better half remains.
    fn end_round(&mut self) {
        let num = self.alive[0].len();
        let num = num.div_ceil(2).max(self.num_left.min(num));
        self.alive.iter_mut().for_each(|part| part.truncate(num));
        self.pairs_left = (self.round_pairs / num as u64).max(1);
    }

    /// Plays a round, or a part of a round. Returns the results of the entrant that was best before these games.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end.
    pub(super) fn play(
        &mut self,
        oracle: &mut dyn Oracle,
        parts: &Parts,
        pool: Pool<'_>,
    ) -> Result<Tally> {
        let num_pairs = self.next_pairs();
        let num = self.alive[0].len();
        let entrants = (0..num).map(|place| self.joined(place, &*oracle, parts, pool));
        let (baseline, entrants) = (oracle.baseline(), entrants.collect::<Vec<_>>());
        let tallies = play_against(oracle, baseline, entrants, num_pairs)?;
        for (place, tally) in tallies.iter().enumerate() {
            for (part, result) in self.alive.iter_mut().zip(parts.results(tally)) {
                part[place].quarter_points += result.quarter_points;
            }
        }
        self.pairs_left -= num_pairs;
        for part in &mut self.alive {
            // A stable sort: entrants with equal scores keep their order.
            part.sort_by(|x, y| y.quarter_points.total_cmp(&x.quarter_points));
        }
        if self.pairs_left == 0 {
            self.end_round();
        }
        Ok(tallies.into_iter().next().expect("one plays at least"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A contest of n entrants needs 32 n log2 n games: log2 n rounds of equal size, the first of which has 16 pairs
    /// for each entrant.
    #[test]
    fn as_many_as_the_games_suffice_for() {
        for (games, most, expected) in [
            (63, 100, None),
            (64, 100, Some(2)),
            (255, 100, Some(2)),
            (256, 100, Some(4)),
            (1_000_000, 1 << 20, Some(2048)),
            (1_000_000, 1000, Some(512)),
            (u64::MAX, 16_384, Some(16_384)),
            (u64::MAX, 1, None),
        ] {
            assert_eq!(affordable(games, most), expected, "{games} games, {most} at most");
        }
    }

    /// The contest has three rounds with 5, 3 and 2 entrants. Each round has 30 pairs, so each entrant plays 6, 10 and
    /// 15 pairs.
    #[test]
    fn rounds_have_about_the_same_size() {
        let mut halving = Halving::new(5, 1, 1, 3 * 60);
        assert_eq!((halving.alive[0].len(), halving.pairs_left, halving.next_games()), (5, 6, 60));
        for (num, pairs) in [(3, 10), (2, 15)] {
            halving.pairs_left = 0;
            halving.end_round();
            assert_eq!((halving.alive[0].len(), halving.pairs_left), (num, pairs));
        }
        assert!(!halving.is_over());
        halving.end_round();
        assert!(halving.is_over());
    }

    /// After two rounds, 8 of 32 entrants are left. If a contest that should end with 8 entrants begins with only 4,
    /// all 4 stay.
    #[test]
    fn several_may_be_left() {
        let mut halving = Halving::new(32, 8, 1, 1024);
        assert_eq!((halving.round_pairs, halving.pairs_left), (256, 8));
        halving.end_round();
        assert!(!halving.is_over());
        halving.end_round();
        assert_eq!((halving.is_over(), halving.num_alive()), (true, 8));
        let mut halving = Halving::new(4, 8, 2, 1024);
        assert_eq!((halving.round_pairs, halving.pairs_left), (512, 128));
        halving.end_round();
        assert_eq!((halving.is_over(), halving.num_alive()), (true, 4));
    }

    /// A large number of pairs is split into several iterations.
    #[test]
    fn iterations_are_short() {
        let halving = Halving::new(2, 1, 2, 1 << 30);
        assert_eq!((halving.pairs_left, halving.next_pairs()), (1 << 28, 1 << 15));
        assert_eq!(Halving::new(1 << 18, 1, 1, 1 << 30).next_pairs(), 1);
    }
}
