//! Visitors: opponents from outside the family, which double oracle and the hall of fame meet on request.
//!
//! A population of parametric strategies is as hard to exploit as its opponents are strong, and the strongest opponents
//! may be strategies of another family of the game, reference strategies or searches. The run may therefore have a source
//! of [wide responses](super::wide_responses::WideResponses). The method regularly requests a response to its
//! hardest mixture. A response that is not a strategy of the family becomes a visitor. Visitors are opponents only: they never
//! join the population, and the results of the method remain strategies of its family.
//!
//! With visitors, the empirical game is no longer symmetric. Its rows are the members of the population, and its columns
//! are all opponents: members and visitors. The mixture of the rows is the mixture with the best worst case; the mixture
//! of the columns is the hardest opponent. Each row in use scores the value of the game against the hardest opponent, so
//! a candidate improves the population if it does better against this opponent than such a row.
//!
//! Wide responses and the method's own search share the games equally, in shares of 1 / [`NUM_SHARES`] of the budget. If
//! a share does not suffice for the candidates of a response, shares double. If the games of a run are unlimited, the
//! method asks only once.

use ruse_base::stop::Result;
use ruse_play::family::{Player, Weighted};
use ruse_play::score::{Estimate, Tally};
use ruse_search::matrix::PayoffMatrix;
use serde::{Deserialize, Serialize};

use super::method::{Fixture, Oracle};
use super::wide_responses::{Visitor, WideResponse};

/// The number of equal shares of the budget; every other share goes to a wide response.
const NUM_SHARES: u64 = 16;
/// The number of games for a wide response if the games of the run are unlimited.
const UNLIMITED: u64 = 100_000;
/// The number of pairs that two members, or a visitor and a member, play to estimate their score against each other.
pub(super) const MEETING_PAIRS: u64 = 200;
/// The largest number of visitors.
const MAX_VISITORS: usize = 32;

/// The visitors of a population.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Visitors {
    players: Vec<Visitor>,
    /// The mean score of each member of the population against each visitor, in [0, 1]: `[visitor][member]`.
    scores: Vec<Vec<f64>>,
    /// The weights of the visitors in the hardest mixture.
    weights: Vec<f64>,
    /// The weights of the method's own opponents in the hardest mixture.
    own_weights: Vec<f64>,
    /// The number of searches for wide responses that took games or had the largest share.
    num_asked: u64,
    /// The number of games for each search.
    share: u64,
    /// The number of games left in the run when the first response was asked for; 0 before that.
    total: u64,
}

impl Visitors {
    /// Returns `true` if no response was asked for.
    pub(super) fn is_new(&self) -> bool {
        self.total == 0
    }

    /// Returns `true` if there are no visitors.
    pub(super) fn is_empty(&self) -> bool {
        self.players.is_empty()
    }

    /// Returns `true` if the state fits a population with `num_members` members and `num_opponents` own opponents.
    pub(super) fn is_sound(&self, num_members: usize, num_opponents: usize) -> bool {
        let size = self.players.len();
        self.scores.len() == size
            && self.weights.len() == size
            && self.scores.iter().all(|row| row.len() == num_members)
            && (self.is_empty() || self.own_weights.len() == num_opponents)
    }

    /// Returns `true` if the next games belong to a wide response.
    pub(super) fn is_due(&self, oracle: &dyn Oracle) -> bool {
        // At the start, no games are used.
        let used = self.total.saturating_sub(oracle.games_left());
        oracle.has_wide_responses()
            && (self.is_new() || used >= 2 * self.num_asked.saturating_mul(self.share))
    }

    /// Asks for a response to the mixture. The response may be a strategy of the family.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end.
    pub(super) fn ask(
        &mut self,
        mixture: &[Weighted<Player>],
        oracle: &mut dyn Oracle,
    ) -> Result<(Option<WideResponse>, Estimate)> {
        if self.is_new() {
            self.total = oracle.games_left().max(1);
            let is_limited = self.total < u64::MAX;
            self.share = if is_limited { (self.total / NUM_SHARES).max(1) } else { UNLIMITED };
        }
        let games_left = oracle.games_left();
        let found = oracle.respond(mixture, self.share)?;
        let took_none = self.total < u64::MAX && oracle.games_left() == games_left;
        if took_none && self.share < self.total / 4 {
            self.share *= 2;
        } else {
            self.num_asked += 1;
        }
        Ok(match found {
            Some((response, score)) => (Some(response), score),
            None => (None, Estimate::computed(0.5, 0)),
        })
    }

    /// Adds a visitor, which plays all members, unless it is known or the games do not suffice. Returns `true` if it
    /// was added.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end.
    pub(super) fn welcome(
        &mut self,
        visitor: Visitor,
        members: &[&[f64]],
        oracle: &mut dyn Oracle,
    ) -> Result<bool> {
        let Some(player) = oracle.visitor(&visitor) else { return Ok(false) };
        let games = 2 * MEETING_PAIRS * members.len() as u64;
        if self.players.contains(&visitor) || oracle.games_left() < games {
            return Ok(false);
        }
        let mut players = vec![player];
        players.extend(members.iter().map(|theta| Player::from(*theta)));
        let fixtures = meetings((1..players.len()).map(|a| (a, 0)));
        self.scores.push(oracle.play(&players, &fixtures)?.iter().map(mean).collect());
        self.players.push(visitor);
        self.weights.push(0.0);
        if self.players.len() > MAX_VISITORS {
            // The newcomer stays: it is a response to the hardest mixture.
            let lightest = lightest(&self.weights[..self.players.len() - 1]);
            self.players.remove(lightest);
            self.scores.remove(lightest);
            self.weights.remove(lightest);
        }
        Ok(true)
    }

    /// Adds a member of the population, which plays all visitors. If the games do not suffice, it counts as average.
    ///
    /// # Errors
    ///
    /// Returns an error if the run must end.
    pub(super) fn meet(&mut self, newcomer: &[f64], oracle: &mut dyn Oracle) -> Result {
        if self.is_empty() {
            return Ok(());
        }
        let games = 2 * MEETING_PAIRS * self.players.len() as u64;
        let visitors: Vec<Player> =
            self.players.iter().filter_map(|visitor| oracle.visitor(visitor)).collect();
        if oracle.games_left() < games || visitors.len() < self.players.len() {
            for row in &mut self.scores {
                row.push(row.iter().sum::<f64>() / row.len() as f64);
            }
            return Ok(());
        }
        let mut players = vec![Player::from(newcomer)];
        players.extend(visitors);
        let fixtures = meetings((1..players.len()).map(|b| (0, b)));
        let tallies = oracle.play(&players, &fixtures)?;
        self.scores.iter_mut().zip(&tallies).for_each(|(row, tally)| row.push(mean(tally)));
        Ok(())
    }

    /// Removes a member of the population.
    pub(super) fn forget(&mut self, member: usize) {
        self.scores.iter_mut().for_each(|row| {
            row.remove(member);
        });
    }

    /// Solves the game of the members against all opponents, and returns the weights of the members. `rows` contains the
    /// scores of each member against the method's own opponents. There must be a visitor.
    pub(super) fn solve(&mut self, rows: &[Vec<f64>]) -> Vec<f64> {
        let with_visitors = rows.iter().enumerate().map(|(member, row)| {
            row.iter().copied().chain(self.scores.iter().map(|scores| scores[member])).collect()
        });
        let matrix: Vec<Vec<f64>> = with_visitors.collect();
        let num_own = rows[0].len();
        let solved = PayoffMatrix::from_rows(&matrix).and_then(|matrix| matrix.solve());
        let (members, mut opponents) = match solved {
            Ok(found) => (found.row_mixture, found.column_mixture),
            // Rounding errors have never been observed to be so large with so few members. A fair guess is that the
            // newest are the best.
            Err(_) => (last_of(rows.len()), last_of(matrix[0].len())),
        };
        self.weights = opponents.split_off(num_own);
        self.own_weights = opponents;
        members
    }

    /// Returns the hardest mixture. `own` contains the method's own opponents, in the order of the columns.
    pub(super) fn hardest(
        &self,
        own: impl Iterator<Item = Player>,
        oracle: &dyn Oracle,
    ) -> Vec<Weighted<Player>> {
        let own = self.own_weights.iter().zip(own).map(|(&weight, of)| Weighted { weight, of });
        let visitors = self.weights.iter().zip(&self.players);
        let visitors = visitors.filter_map(|(&weight, visitor)| {
            Some(Weighted { weight, of: oracle.visitor(visitor)? })
        });
        own.chain(visitors).filter(|member| member.weight > 0.0).collect()
    }
}

/// Returns fixtures between these players, each with its own deals.
pub(super) fn meetings(pairs: impl Iterator<Item = (usize, usize)>) -> Vec<Fixture> {
    let fixture = |(deals, (a, b))| Fixture { a, b, deals: deals as u64, num_pairs: MEETING_PAIRS };
    pairs.enumerate().map(fixture).collect()
}

pub(super) fn mean(tally: &Tally) -> f64 {
    tally.score().expect("pairs were played")
}

/// Returns weights of which the last has everything.
pub(super) fn last_of(number: usize) -> Vec<f64> {
    (1..=number).map(|n| f64::from(u8::from(n == number))).collect()
}

/// Returns the index of the smallest of these weights.
pub(super) fn lightest(weights: &[f64]) -> usize {
    let lightest = weights.iter().enumerate().min_by(|x, y| x.1.total_cmp(y.1));
    lightest.expect("there are others beside the newcomer").0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::methods::method::tests::Scripted;

    fn visitor(name: &str) -> Visitor {
        Visitor { family: "war".into(), name: Some(name.into()), parameters: Vec::new() }
    }

    /// Rock and paper are the members, and scissors is a visitor. With rock at x, the score is x against scissors and
    /// (1 - x) / 2 against paper, so the best worst case is 1/3 at x = 1/3. Paper at 2/3 and scissors at 1/3 hold each
    /// member to 1/3.
    #[test]
    fn members_have_the_best_worst_case_against_all_opponents() {
        let mut visitors = Visitors {
            players: vec![visitor("scissors")],
            scores: vec![vec![1.0, 0.0]],
            weights: vec![0.0],
            num_asked: 1,
            ..Visitors::default()
        };
        let close = |found: &[f64], expected: &[f64]| {
            assert_eq!(found.len(), expected.len());
            let all = found.iter().zip(expected);
            assert!(all.clone().all(|(x, y)| (x - y).abs() < 1e-9), "{found:?}, {expected:?}");
        };
        let members = visitors.solve(&[vec![0.5, 0.0], vec![1.0, 0.5]]);
        close(&members, &[1.0 / 3.0, 2.0 / 3.0]);
        close(&visitors.own_weights, &[0.0, 2.0 / 3.0]);
        close(&visitors.weights, &[1.0 / 3.0]);
        assert!(visitors.is_sound(2, 2) && !visitors.is_sound(3, 2) && !visitors.is_sound(2, 3));
        // The oracle does not know the visitor, so it is left out.
        let oracle = Scripted::new(Vec::new(), |_, _| true);
        let own = [vec![0.0], vec![1.0]].map(Player::from);
        let hardest = visitors.hardest(own.into_iter(), &oracle);
        assert_eq!(hardest.len(), 1);
        assert_eq!(hardest[0].of, Player::from(vec![1.0]));
        visitors.forget(0);
        assert_eq!(visitors.scores, [[0.0]]);
    }

    /// Without a source of responses, no response is due.
    #[test]
    fn without_a_source_nothing_is_asked() {
        let oracle = Scripted::new(Vec::new(), |_, _| true);
        assert!(!Visitors::default().is_due(&oracle));
    }
}
