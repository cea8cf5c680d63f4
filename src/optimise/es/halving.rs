//! The best of many, by games against the baseline: the better half goes on, again and again.
//!
//! Karnin, Koren & Somekh, *Almost optimal exploration in multi-armed bandits*, ICML 2013, algorithm 1 (sequential
//! halving). All rounds have about the same number of games, and all who play in a round do so in the same deals.
//!
//! Deviations: results of earlier rounds count in later ones; and where parameters belong to a seat, the parts of each
//! seat go on by the games in it, and two parts that stand at the same place play together.
//!
//! Space: an index and a sum for each part of those that still play.

use serde::{Deserialize, Serialize};

use crate::arena::Stopped;
use crate::family::Player;
use crate::optimise::method::{Fixture, Oracle};
use crate::optimise::selection::Parts;
use crate::score::Tally;

/// Pairs of each in the first round, at least.
const FIRST_PAIRS: u64 = 16;
/// The most pairs of one iteration, unless more play: it is lost if the run is stopped.
const MAX_PAIRS: u64 = 1 << 16;

/// What the indices of those that play stand for.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pool<'a> {
    /// The random individuals of the run, of which number 0 is its start.
    Individuals,
    /// These, each `[dimension]`.
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

/// The players that go on, and for how long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Halving {
    /// Those that play in this round, best first as far as is known, of each part as many.
    alive: Vec<Vec<Entrant>>,
    /// Pairs that each plays in all rounds together, and those that each has still to play in this one.
    round_pairs: u64,
    pairs_left: u64,
    /// How many are left at the end.
    num_left: usize,
}

/// One that may be chosen, or its part for one seat.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entrant {
    index: u64,
    /// What it scored so far, in quarters of a point.
    quarter_points: f64,
}

/// Rounds until one is left: ceil(log2 n).
fn num_rounds(n: u64) -> u64 {
    u64::from(n.next_power_of_two().ilog2())
}

/// The most that `games` games suffice for, a power of two up to `most`; none if these are fewer than two.
pub(super) fn affordable(games: u64, most: u64) -> Option<u64> {
    let is_enough = |n: &u64| num_rounds(*n) * n * 2 * FIRST_PAIRS <= games;
    let powers = (1..40).map(|exponent| 1 << exponent);
    powers.take_while(|n| *n <= most).take_while(is_enough).last()
}

impl Halving {
    /// The start of a contest of `num` in `num_parts` parts, until `num_left` of each are left, for about `games` games, of which
    /// each of `num` needs one pair at least in every round.
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

    /// Whether it can go on, in a contest of those that have an index below `num_vectors`.
    pub(super) fn is_sound(&self, num_vectors: u64) -> bool {
        let num = self.alive.first().map_or(0, Vec::len);
        let is_known =
            |entrant: &Entrant| entrant.index < num_vectors && entrant.quarter_points.is_finite();
        let of_part = |part: &Vec<Entrant>| part.len() == num && part.iter().all(is_known);
        num > 0 && self.num_left > 0 && self.alive.len() <= 2 && self.alive.iter().all(of_part)
    }

    /// Whether no more are left than are to be left.
    pub(super) fn is_over(&self) -> bool {
        self.alive[0].len() <= self.num_left
    }

    /// How many still play.
    pub(super) fn num_alive(&self) -> usize {
        self.alive[0].len()
    }

    /// Games of the next iteration.
    pub(super) fn next_games(&self) -> u64 {
        2 * self.next_pairs() * self.alive[0].len() as u64
    }

    /// Pairs of each in the next iteration.
    fn next_pairs(&self) -> u64 {
        let num = self.alive[0].len() as u64;
        self.pairs_left.min((MAX_PAIRS / num).max(1))
    }

    /// Those that stand at this place, joined: `[dimension]`. At place 0 is the best of each part.
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

    /// Goes on with the better half.
    fn end_round(&mut self) {
        let num = self.alive[0].len();
        let num = num.div_ceil(2).max(self.num_left.min(num));
        self.alive.iter_mut().for_each(|part| part.truncate(num));
        self.pairs_left = (self.round_pairs / num as u64).max(1);
    }

    /// Plays a round, or a part of it, and returns the results of the one that was best before.
    ///
    /// # Errors
    ///
    /// When the run is to end.
    pub(super) fn play(
        &mut self,
        oracle: &mut dyn Oracle,
        parts: &Parts,
        pool: Pool<'_>,
    ) -> Result<Tally, Stopped> {
        let num_pairs = self.next_pairs();
        let num = self.alive[0].len();
        let mut players = vec![oracle.baseline()];
        let entrant = |place| Player::from(self.joined(place, &*oracle, parts, pool));
        players.extend((0..num).map(entrant));
        let fixture = |place| Fixture { a: place + 1, b: 0, deals: 0, num_pairs };
        let fixtures: Vec<Fixture> = (0..num).map(fixture).collect();
        let tallies = oracle.play(&players, &fixtures)?;
        for (place, tally) in tallies.iter().enumerate() {
            for (part, result) in self.alive.iter_mut().zip(parts.results(tally)) {
                part[place].quarter_points += result.quarter_points;
            }
        }
        self.pairs_left -= num_pairs;
        for part in &mut self.alive {
            // Stable: of equal ones those that stood before others stay before them.
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

    /// 16 pairs of each in the first of log2 n rounds of the same size: 32 n log2 n games.
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

    /// 5, 3 and 2 play in the three rounds; 30 pairs are 6, 10 and 15 each.
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

    /// Of 32 there are 8 after two rounds; where no more play than are to be left, all stay.
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

    /// Many pairs are played in several iterations.
    #[test]
    fn iterations_are_short() {
        let halving = Halving::new(2, 1, 2, 1 << 30);
        assert_eq!((halving.pairs_left, halving.next_pairs()), (1 << 28, 1 << 15));
        let halving = Halving::new(1 << 18, 1, 1, 1 << 30);
        assert_eq!(halving.next_pairs(), 1);
    }
}
