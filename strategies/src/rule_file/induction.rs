//! Exact values of games with complete information from rule files, by backward induction.
//!
//! In each position the roles play a matrix game, whose entries are the values of the next positions. If only one role
//! has a choice, this is the largest or the smallest entry. Positions with the same facts after the same number of steps
//! are one position.

use std::collections::HashMap;

use ruse_games::rule_file::{Position, RuleFile, Walk};
use ruse_gdl::{Information, State};

use super::situations::SituationsError;
use super::solve::{SolveError, sum_of_goals};
use crate::matrix::PayoffMatrix;

/// The largest number of positions.
const MAX_POSITIONS: usize = 2_000_000;

/// Returns the score of the first role, from 0 to 1, under best play of both roles. Returns `None` if the game has
/// hidden information, or if it was stopped.
///
/// # Errors
///
/// Returns an error if the game is too large, does not have two roles, or has goals without a constant sum.
pub fn value_by_induction(
    game: &RuleFile,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Option<f64>, SolveError> {
    let num_roles = game.roles().len();
    if num_roles != 2 {
        return Err(SolveError::Roles { num_roles });
    }
    if game.language_rules().information() != Information::Complete {
        return Ok(None);
    }
    let walk = Walk::new(game);
    let start = walk.start();
    Induction { walk, is_stopped, known: HashMap::new(), sum: None }.value(&start)
}

struct Induction<'a> {
    walk: Walk,
    is_stopped: &'a dyn Fn() -> bool,
    /// The values by facts and number of steps.
    known: HashMap<(State, u32), f64>,
    /// The sum of the goals at the end of the first play.
    sum: Option<u32>,
}

impl Induction<'_> {
    fn value(&mut self, position: &Position) -> Result<Option<f64>, SolveError> {
        let key = (position.state().clone(), position.num_steps());
        if let Some(&value) = self.known.get(&key) {
            return Ok(Some(value));
        }
        if self.known.len() >= MAX_POSITIONS {
            return Err(SituationsError::TooMany.into());
        }
        if (self.is_stopped)() {
            return Ok(None);
        }
        let value = if self.walk.enter(position)? {
            let [own, other] = sum_of_goals(&self.walk, &mut self.sum)?;
            (own - other + 100.0) / 200.0
        } else {
            let roles = [0, 1].map(|side| self.walk.game().roles()[side]);
            let sizes = roles.map(|role| self.walk.legal(role).len());
            let legal = roles.map(|role| self.walk.legal(role).to_vec());
            let joints = self.walk.joint_moves();
            let share = (sizes[0] * sizes[1]) as f64 / joints.len() as f64;
            let mut entries = vec![vec![0.0; sizes[1]]; sizes[0]];
            for joint in joints {
                let after = self.walk.after(position, &joint);
                let Some(value) = self.value(&after)? else { return Ok(None) };
                let [row, column] = [0, 1].map(|side| {
                    let chosen = joint[roles[side].0 as usize];
                    legal[side].partition_point(|action| *action < chosen)
                });
                entries[row][column] += share * value;
            }
            value_of(&entries)
        };
        self.known.insert(key, value);
        Ok(Some(value))
    }
}

/// Returns the value of a matrix game to the row player.
fn value_of(entries: &[Vec<f64>]) -> f64 {
    match entries {
        [only] => only.iter().copied().fold(f64::INFINITY, f64::min),
        rows if rows[0].len() == 1 => {
            rows.iter().map(|row| row[0]).fold(f64::NEG_INFINITY, f64::max)
        }
        rows => {
            let solved = PayoffMatrix::from_rows(rows).and_then(|matrix| matrix.solve());
            solved.expect("scores are from 0 to 1, so rounding is harmless").value()
        }
    }
}
