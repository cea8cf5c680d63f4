//! What decisions were worth beside the best ones, once they are taken.
//!
//! A decision is judged from what its seat knew when it was taken, by the same [values](super::values) or
//! [beliefs](ruse_games::Beliefs) that were shown to a person who asked for a hint there. Luck has no influence.

use ruse_strategies::Family;

use super::values::{Limit, Position, Source, Values};

/// What a decision was worth beside the best one that there was.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// The action that was taken, as a person would type it.
    pub typed: String,
    /// What it was worth, in [0, 1].
    pub value: f64,
    /// The best action; the first of equally good ones. It is the one that was taken where that was as good.
    pub best: String,
    /// What that was worth, in [0, 1].
    pub best_value: f64,
    /// Whether the two are told apart: always where values are exact, and where they are measured if their intervals do not
    /// meet.
    pub is_clear: bool,
    /// What the values are.
    pub scale: Scale,
}

/// What decisions are valued by.
#[derive(Debug, Clone, PartialEq)]
pub enum Scale {
    /// The expected score.
    Score(Source),
    /// The probability that an aim is hit; what it rests on is in the words.
    Aim(String),
}

impl Judged {
    /// How much better the best action was; 0 if it was taken.
    pub fn lost(&self) -> f64 {
        (self.best_value - self.value).max(0.0)
    }

    /// The best of `values` beside the one that was taken, which is marked as advice.
    fn of(values: &Values) -> Option<Judged> {
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
}

impl<F: Family> Position<'_, F> {
    /// Judges the action that is marked as advice.
    pub(super) fn judged(&self, limit: Limit) -> Option<Judged> {
        let typed = self.board().write(self.advice?);
        let Some(beliefs) = self.beliefs().filter(|beliefs| beliefs.is_aim) else {
            // Where choices cannot be listed, a few at random say little about the best.
            let is_listed = !self.board().alternatives(&self.seen()).is_empty();
            return is_listed.then(|| self.values(limit)).flatten().as_ref().and_then(Judged::of);
        };
        let largest = beliefs.largest();
        let aimed = beliefs.cells().find(|belief| belief.cell == typed)?;
        let best = match beliefs.is_best(aimed, largest) {
            true => aimed,
            false => beliefs.cells().find(|belief| beliefs.is_best(belief, largest))?,
        };
        Some(Judged {
            value: aimed.probability,
            best: best.cell.clone(),
            best_value: best.probability,
            is_clear: true,
            typed,
            scale: Scale::Aim(beliefs.meaning),
        })
    }
}
