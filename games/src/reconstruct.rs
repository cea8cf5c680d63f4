//! Games retold by one seat: the seat describes what it saw and did, in a short text without hidden information.
//!
//! [`Reconstruct`] is a capability of a game, like [`Board`](crate::Board). It extends such a text to a whole game, a
//! [`Course`]: it fills in everything that the seat does not know, in agreement with the text. A strategy that decides
//! at the end of the course uses views alone, which do not depend on the parts filled in.

use std::sync::Arc;

use rand::Rng;

use crate::{Game, Seat};

/// A decision in a game.
#[derive(Debug, Clone)]
pub struct Decided<G: Game> {
    /// The state before the decision.
    pub state: G::State,
    /// The seat that decided.
    pub seat: Seat,
    /// The action taken.
    pub action: G::Action,
}

/// A game from its start to the present.
pub struct Course<G: Game> {
    /// The seat that retells the game.
    pub teller: Seat,
    /// All decisions, in order.
    pub past: Vec<Decided<G>>,
    /// The current state, after all decisions.
    pub now: G::State,
    /// The part of the seat's own information that the text omits; `None` if the text is complete.
    pub untold: Option<Untold<G>>,
    /// Tests whether a state agrees with what the seat learned beyond its views; `None` if it learned nothing more.
    pub agrees: Option<Agrees<G>>,
}

/// A test of whether a state can be the true state.
pub type Agrees<G> = Arc<dyn Fn(&<G as Game>::State) -> bool + Send + Sync>;

/// Information that a seat has but its text omits. The [`Course`] contains a fixed choice instead.
#[derive(Debug, Clone)]
pub struct Untold<G: Game> {
    /// The current state without the omitted part, for display.
    pub shown: G::State,
    /// A name for the omitted part, such as "your fleet".
    pub missing: String,
}

impl<G: Game> Course<G> {
    /// Creates a course with a fresh deal, retold by `teller`.
    pub fn new(teller: Seat, dealt: G::State) -> Course<G> {
        Course { teller, past: Vec::new(), now: dealt, untold: None, agrees: None }
    }

    /// Appends a decision of `seat` and the state that followed.
    pub fn push(&mut self, seat: Seat, action: G::Action, next: G::State) {
        let state = std::mem::replace(&mut self.now, next);
        self.past.push(Decided { state, seat, action });
    }

    /// Plays an action of `seat`, whose turn it must be.
    ///
    /// # Errors
    ///
    /// Returns an error if the rules forbid the action.
    pub fn act<R: Rng>(
        &mut self,
        game: &G,
        seat: Seat,
        action: G::Action,
        rng: &mut R,
    ) -> Result<(), G::Illegal> {
        game.check(&self.now, &action)?;
        let mut next = self.now.clone();
        game.apply(&mut next, seat, &action, rng);
        self.push(seat, action, next);
        Ok(())
    }
}

/// A description of the texts in which a seat retells what it saw and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    /// Sentences that explain what to type.
    pub how: String,
    /// An example of a text.
    pub example: String,
    /// The prompt for a one-line text.
    pub prompt: String,
}

/// The result of reading a description.
pub(crate) type Result<T = (), E = ReconstructError> = std::result::Result<T, E>;

/// The reason why a text does not describe a game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReconstructError {
    /// The item does not match the grammar.
    #[error("item {number}, `{item}`, is not understood: {expected}")]
    Misread {
        /// The number of the item, from 1.
        number: usize,
        /// The text of the item.
        item: String,
        /// A description of the valid items.
        expected: String,
    },
    /// The item contradicts the rules or earlier items.
    #[error("item {number}, `{item}`, cannot be: {problem}")]
    Impossible {
        /// The number of the item, from 1.
        number: usize,
        /// The text of the item.
        item: String,
        /// The contradiction.
        problem: String,
    },
    /// The text lacks a required part.
    #[error("something is missing: {missing}")]
    Incomplete {
        /// A name for the missing part.
        missing: String,
    },
    /// The game has ended, so there is nothing to decide.
    #[error("the game is over, and there is nothing to decide")]
    GameOver,
    /// It is not the turn of the seat that retells the game.
    #[error("it is the turn of the opponent: tell what they did, or leave out your last item")]
    OpponentsTurn,
}

/// A game that was described, or the reason why the description is refused.
pub(crate) type Retold<G> = Result<Course<G>>;

/// A game that can be retold by one seat.
pub trait Reconstruct<G: Game>: Send + Sync {
    /// Returns a description of the texts that [`reconstruct`](Reconstruct::reconstruct) reads.
    fn grammar(&self) -> Grammar;

    /// Parses `text`, in which `seat` retells a game, and returns a game that agrees with the text. If `seat` is
    /// `None`, the text determines the seat; if it cannot, the seat is the first. Information that the seat does not
    /// have is drawn from `rng`.
    ///
    /// # Errors
    ///
    /// Returns an error that names the first item that is invalid or contradicts earlier items.
    fn reconstruct(&self, text: &str, seat: Option<Seat>, rng: &mut dyn Rng) -> Retold<G>;

    /// Returns what `seat` saw and did in a game, in the form that [`reconstruct`](Reconstruct::reconstruct) reads.
    fn tell(&self, seat: Seat, past: &[Decided<G>], now: &G::State) -> String;
}

/// Pairs each decision with the state that followed.
pub(crate) fn with_next<'a, G: Game>(
    past: &'a [Decided<G>],
    now: &'a G::State,
) -> impl Iterator<Item = (&'a Decided<G>, &'a G::State)> {
    let next = past.iter().skip(1).map(|decided| &decided.state).chain([now]);
    past.iter().zip(next)
}

/// Returns a text in lower case, with each item joined to its answer: `e5 = miss` and `e5 miss` become `e5=miss`. An
/// answer is a word that `is_answer` accepts.
pub(crate) fn with_answers(text: &str, is_answer: impl Fn(&str) -> bool) -> String {
    let lower = text.to_lowercase();
    let mut joined = String::with_capacity(lower.len());
    let mut is_open = false;
    for item in Item::all(&lower) {
        let is_answer = is_answer(item.text) && is_open;
        if is_answer {
            joined.push('=');
        } else if !item.text.starts_with('=') && !joined.ends_with('=') {
            joined.push(' ');
        }
        joined += item.text;
        is_open = !item.text.contains('=') && !is_answer;
    }
    joined
}

/// One item of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    /// The position of the item, from 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
}

impl<'a> Item<'a> {
    /// Splits a text at blanks, commas and semicolons.
    pub(crate) fn all(text: &'a str) -> impl Iterator<Item = Item<'a>> {
        let is_between = |c: char| c.is_whitespace() || c == ',' || c == ';';
        let words = text.split(is_between).filter(|word| !word.is_empty());
        words.zip(1..).map(|(text, number)| Item { number, text })
    }

    /// Returns the text after `they:` in an item about the opponent's action.
    pub(crate) fn theirs(self) -> Option<&'a str> {
        self.text.strip_prefix("they:")
    }

    pub(crate) fn misread(self, expected: impl Into<String>) -> ReconstructError {
        ReconstructError::Misread {
            number: self.number,
            item: self.text.into(),
            expected: expected.into(),
        }
    }

    pub(crate) fn impossible(self, problem: impl ToString) -> ReconstructError {
        ReconstructError::Impossible {
            number: self.number,
            item: self.text.into(),
            problem: problem.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_may_follow_a_blank() {
        let is_answer = |word: &str| word == "miss" || word == "hit";
        for (text, expected) in [
            ("E5 miss, d4=hit", " e5=miss d4=hit"),
            ("e5 = miss; d4= hit d5 =hit", " e5=miss d4=hit d5=hit"),
            ("hit e5", " hit e5"),
            ("e5 hit miss", " e5=hit miss"),
            ("", ""),
        ] {
            assert_eq!(with_answers(text, is_answer), expected);
        }
    }
}
