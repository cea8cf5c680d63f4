//! Compares past decisions with the best decisions.
//!
//! The comparison uses only the knowledge that the seat had at the time of the decision, and the same
//! [values](super::values) or [beliefs](ruse_games::Beliefs) that a hint would have shown. Luck has no influence.

use ruse_games::{Beliefs, Game};

use super::values::{Limit, Position, Source, Values};

/// A decision, compared with the best possible decision.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The action that was taken, as a person would type it.
    pub typed: String,
    /// The value of this action, in [0, 1].
    pub value: f64,
    /// The best action: the first of several equally good actions, or the action that was taken if no action is better.
    pub best: String,
    /// The value of the best action, in [0, 1].
    pub best_value: f64,
    /// True if the comparison is certain: the values are exact, the two actions are the same, or the intervals of their
    /// measured values are disjoint.
    pub is_clear: bool,
    /// The scale of both values.
    pub scale: Scale,
}

/// The scale on which the values of decisions are given.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// The expected score.
    Score(Source),
    /// The probability of hitting a target. The text describes this probability.
    Aim(String),
}

impl Judged {
    /// Returns the value lost by not taking the best action, or 0 if the best action was taken.
    pub fn lost(&self) -> f64 {
        (self.best_value - self.value).max(0.0)
    }

    /// Compares the action that is marked as advice with the best of `values`.
    pub fn of_values(values: &Values) -> Option<Judged> {
        let taken = values.choices.iter().find(|choice| choice.is_advice)?;
        let best = values.choices.first().filter(|best| best.score > taken.score).unwrap_or(taken);
        let is_clear = match (taken.interval, best.interval) {
            (Some([_, most]), Some([least, _])) => best == taken || most < least,
            _ => true,
        };
        Some(Judged {
            typed: taken.typed.clone(),
            value: taken.score,
            best: best.typed.clone(),
            best_value: best.score,
            is_clear,
            scale: Scale::Score(values.source),
        })
    }

    /// Compares the shot `typed` with the best shots of a map for aiming.
    pub fn of_map(beliefs: &Beliefs, typed: &str) -> Option<Judged> {
        let largest = beliefs.largest();
        let aimed = beliefs.cells().find(|belief| belief.cell == typed)?;
        let best = match beliefs.is_best(aimed, largest) {
            true => aimed,
            false => beliefs.cells().find(|belief| beliefs.is_best(belief, largest))?,
        };
        Some(Judged {
            typed: typed.into(),
            value: aimed.probability,
            best: best.cell.clone(),
            best_value: best.probability,
            is_clear: true,
            scale: Scale::Aim(beliefs.meaning.clone()),
        })
    }
}

impl<G: Game> Position<'_, G> {
    /// Compares the action that is marked as advice with the best action.
    pub(super) fn judged(&self, limit: Limit) -> Option<Judged> {
        if let Some(beliefs) = self.beliefs().filter(|beliefs| beliefs.is_aim) {
            return Judged::of_map(&beliefs, &self.board().write(self.advice?));
        }
        // If choices cannot be listed, a few random choices say little about the best choice.
        let is_listed = !self.board().alternatives(&self.seen()).is_empty();
        is_listed.then(|| self.values(limit)).flatten().as_ref().and_then(Judged::of_values)
    }
}
