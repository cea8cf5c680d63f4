//! The choice of the two parts of a doubled player: together, or each by the games in its own seat.

use std::ops::Range;

use ruse_games::BySeat;
use ruse_play::score::Tally;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::method::Oracle;

/// The games that decide on parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Selection {
    /// The games of a seat decide on its parameters, in families of doubled strategies. In other families, the same as
    /// `whole`.
    #[default]
    BySeat,
    /// All games decide on all parameters.
    Whole,
}

impl Selection {
    /// Returns the parts of a vector of `dimension` parameters that are chosen separately in the family of `oracle`.
    pub(super) fn parts(self, oracle: &dyn Oracle, dimension: usize) -> Parts {
        match (self, oracle.seats()) {
            (Selection::BySeat, Some(BySeat { first, second })) => Parts(vec![first, second]),
            _ => Parts::whole(dimension),
        }
    }
}

/// The score of one part of a player.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PartResult {
    /// The score in quarters of a point.
    pub(super) quarter_points: f64,
    /// The number of observations, which are pairs, or games in one seat. Each observation is worth up to four
    /// quarters.
    pub(super) num: u64,
}

impl PartResult {
    /// Returns the score of the opponent.
    fn reversed(self) -> PartResult {
        PartResult { quarter_points: (4 * self.num) as f64 - self.quarter_points, ..self }
    }
}

/// The parts of a parameter vector that are chosen separately: the whole vector, or one part for each seat.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Parts(Vec<Range<usize>>);

impl Parts {
    /// Creates a single part of `dimension` parameters.
    pub(super) fn whole(dimension: usize) -> Parts {
        let all = 0..dimension;
        Parts(vec![all])
    }

    /// Returns the number of parts: 1 or 2.
    pub(super) fn num(&self) -> usize {
        self.0.len()
    }

    /// Returns the indices of the parameters of each part.
    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.0
    }

    /// Takes one part from each of these vectors, all `[dimension]`, and joins the parts into a vector.
    pub(super) fn join(&self, owners: &[&[f64]]) -> Vec<f64> {
        let mut joined = owners[0].to_vec();
        for (range, owner) in self.0.iter().zip(owners) {
            joined[range.clone()].copy_from_slice(&owner[range.clone()]);
        }
        joined
    }

    /// Joins these parts, each with the length of its range, into a vector.
    pub(super) fn assemble(&self, parts: &[&[f64]]) -> Vec<f64> {
        let mut whole = vec![0.0; self.0.iter().map(|range| range.end).max().unwrap_or(0)];
        for (range, part) in self.0.iter().zip(parts) {
            whole[range.clone()].copy_from_slice(part);
        }
        whole
    }

    /// Returns the score of each part of A in these pairs.
    pub(super) fn results(&self, tally: &Tally) -> impl Iterator<Item = PartResult> + use<> {
        self.both(tally).into_iter().take(self.num())
    }

    /// Returns the score of each part of B in these pairs: the first part of B plays the second part of A.
    pub(super) fn results_of_b(&self, tally: &Tally) -> impl Iterator<Item = PartResult> + use<> {
        let mut results = self.both(tally);
        results[..self.num()].reverse();
        results.into_iter().take(self.num()).map(PartResult::reversed)
    }

    /// Returns the scores of the parts of A; the second score is meaningless if there is only one part.
    fn both(&self, tally: &Tally) -> [PartResult; 2] {
        let quarter_points = match self.num() {
            1 => [tally.quarter_points(); 2],
            _ => tally.quarter_points_by_seat(),
        };
        let num = tally.num_pairs();
        quarter_points.map(|quarter_points| PartResult { quarter_points, num })
    }
}

#[cfg(test)]
mod tests {
    use ruse_games::Payoff;
    use ruse_strategies::PairResult;

    use super::*;

    #[test]
    fn parts_have_the_points_of_their_seat() {
        // As first player, A wins two games and draws one; as second player, it wins one, loses one, and gets the
        // graded payoff .3 for one.
        let graded = Payoff::from_parts(3600).expect("in range");
        let tally: Tally = [
            PairResult { as_first: Payoff::WIN, as_second: graded },
            PairResult { as_first: Payoff::WIN, as_second: Payoff::LOSS },
            PairResult { as_first: Payoff::DRAW, as_second: Payoff::WIN },
        ]
        .into_iter()
        .collect();
        let quarters = |results: &mut dyn Iterator<Item = PartResult>| -> Vec<(f64, u64)> {
            results.map(|result| (result.quarter_points, result.num)).collect()
        };
        let seats = Parts(vec![0..1, 1..3]);
        // By hand, four quarters for a won game: 4 + 4 + 2, and 1.2 + 0 + 4.
        assert_eq!(quarters(&mut seats.results(&tally)), [(10.0, 3), (5.2, 3)]);
        // B sits second where A sits first.
        assert_eq!(quarters(&mut seats.results_of_b(&tally)), [(12.0 - 5.2, 3), (2.0, 3)]);
        // A won pair also counts four quarters.
        let whole = Parts::whole(3);
        assert_eq!(quarters(&mut whole.results(&tally)), [(7.6, 3)]);
        assert_eq!(quarters(&mut whole.results_of_b(&tally)), [(12.0 - 7.6, 3)]);
        let (x, y) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        assert_eq!(seats.join(&[&x, &y]), [1.0, 5.0, 6.0]);
        assert_eq!(whole.join(&[&x]), x);
        assert_eq!(seats.assemble(&[&[7.0], &[8.0, 9.0]]), [7.0, 8.0, 9.0]);
    }
}
