//! Exact values of games with complete information from rule files.
//!
//! In each position the roles play a matrix game, whose entries are the values of the next positions. If only one role
//! has a choice, this is the largest or the smallest entry. Positions with the same facts are one position.

use ruse_games::rule_file::RuleFile;
use ruse_gdl::Information;
use ruse_search::matrix::PayoffMatrix;
use ruse_strategies::certificate::{Horizon, Merged, Outcome, Successor, Unfold, Work};

use super::RuleFileReference;
use super::policy::Policy;
use super::situations::SituationsError;
use super::solve::{SolveError, sum_of_goals};
use super::unfolding::{Place, Seen, Unfolding};

/// Returns the score of the first role, from 0 to 1, under best play of both roles. Returns `None` if the game has
/// hidden information, or if it was stopped.
///
/// # Errors
///
/// Returns an error if the game is too large, does not have two roles, or has goals without a constant sum.
pub fn value_by_induction(game: &RuleFile, work: &Work<'_>) -> Result<Option<f64>, SolveError> {
    let num_roles = game.roles().len();
    if num_roles != 2 {
        return Err(SolveError::Roles { num_roles });
    }
    if game.language_rules().information() != Information::Complete {
        return Ok(None);
    }
    // All edges that fit.
    let work = &Work::new(u64::MAX, work.is_stopped, work.on_visited);
    // Plays no role.
    let opponent: [(f64, &dyn Policy); 1] = [(1.0, &RuleFileReference::Random)];
    let unfolding = Unfolding::new(game, game.roles(), &opponent, work);
    let mut both = BothSides { unfolding, num_rows: vec![1], sum: None };
    let horizon = both.horizon().expect("the information is complete");
    let merged = Merged::collect(&mut both, horizon, work)?;
    let values = merged.filter(Merged::is_complete).and_then(|merged| {
        let choose = |place: u32, entries: &[[f64; 2]]| {
            let num_rows = both.num_rows[place as usize];
            [0, 1].map(|bound| value_of(entries.chunks(entries.len() / num_rows), bound, work))
        };
        merged.values(choose, work)
    });
    match values {
        _ if (work.is_stopped)() => Ok(None),
        Some([high, low]) if Merged::is_exact([high, low]) => Ok(Some(high)),
        _ => Err(SituationsError::TooMany.into()),
    }
}

/// The game of both roles: an action is a move of the first role and a move of the second.
struct BothSides<'a> {
    unfolding: Unfolding<'a>,
    /// For each place, the number of moves of the first role.
    num_rows: Vec<usize>,
    /// The sum of the goals at the first end of a game.
    sum: Option<u32>,
}

impl Unfold for BothSides<'_> {
    type Place = Place;
    type Key = <Unfolding<'static> as Unfold>::Key;
    type Seen = Seen;
    type Fault = SolveError;

    fn horizon(&self) -> Option<Horizon> {
        // At the cap, both roles have the same goal.
        let both = self.unfolding.horizon()?;
        Some(Horizon { payoff: both.payoff.map(|_| 0.5), ..both })
    }

    fn start(&mut self, successors: &mut Vec<Successor<Place, Seen>>) {
        self.unfolding.start(successors);
    }

    fn key(&self, place: &Place) -> Self::Key {
        self.unfolding.key(place)
    }

    fn expand(
        &mut self,
        place: &Place,
        successors: &mut Vec<Successor<Place, Seen>>,
    ) -> Result<Outcome, SolveError> {
        let outcome = self.unfolding.expand(place, successors)?;
        let walk = self.unfolding.walk();
        self.num_rows.push(walk.legal(walk.game().roles()[0]).len());
        if !matches!(outcome, Outcome::Over(_)) {
            return Ok(outcome);
        }
        let [own, other] = sum_of_goals(walk, &mut self.sum)?;
        Ok(Outcome::Over((own - other + 100.0) / 200.0))
    }
}

/// Returns the value of a matrix game to the row player, from one of the bounds of its entries.
fn value_of<'a>(rows: impl Iterator<Item = &'a [[f64; 2]]>, bound: usize, work: &Work<'_>) -> f64 {
    let rows: Vec<&[[f64; 2]]> = rows.collect();
    match rows[..] {
        [only] => only.iter().map(|entry| entry[bound]).fold(f64::INFINITY, f64::min),
        _ if rows[0].len() == 1 => {
            rows.iter().map(|row| row[0][bound]).fold(f64::NEG_INFINITY, f64::max)
        }
        _ => {
            let entries: Vec<Vec<f64>> =
                rows.iter().map(|row| row.iter().map(|entry| entry[bound]).collect()).collect();
            let solved = PayoffMatrix::from_rows(&entries)
                .and_then(|matrix| matrix.solve_unless(work.is_stopped));
            solved.expect("scores are from 0 to 1, so rounding is harmless").value()
        }
    }
}
