//! Games as one seat tells them: what it saw and did, in a short text, without what was hidden from it.
//!
//! [`Retell`] is a capability of a game beside [`Board`](crate::Board). It makes a whole game of such a text, in which what the
//! seat does not know is filled in with anything that agrees. A strategy that is asked at the end of this [`Course`] decides
//! from views alone, which are the same however the rest was filled in.

use std::sync::Arc;

use rand::Rng;

use crate::{Game, Seat};

/// A decision in a game.
#[derive(Debug, Clone)]
pub struct Decided<G: Game> {
    /// The state in which it was taken.
    pub state: G::State,
    /// The seat whose turn it was.
    pub seat: Seat,
    /// What it did.
    pub action: G::Action,
}

/// A game from its start up to now.
pub struct Course<G: Game> {
    /// The seat that tells.
    pub teller: Seat,
    /// All decisions, in order.
    pub past: Vec<Decided<G>>,
    /// The state after them.
    pub now: G::State,
    /// What the seat did not tell of itself; none if it told all it saw.
    pub untold: Option<Untold<G>>,
    /// Whether a state of the present is as the seat was told, where it was told more than its views say.
    pub agrees: Option<Agrees<G>>,
}

/// Whether a state can be the true one.
pub type Agrees<G> = Arc<dyn Fn(&<G as Game>::State) -> bool + Send + Sync>;

/// The part that a seat sees and did not tell; a [`Course`] fills it in the same way each time.
#[derive(Debug, Clone)]
pub struct Untold<G: Game> {
    /// The state to show in place of the true one: without what was not told.
    pub shown: G::State,
    /// The name of the part, such as "your fleet".
    pub missing: String,
}

impl<G: Game> Course<G> {
    /// A game that has just been dealt, as told by `teller`.
    pub fn new(teller: Seat, dealt: G::State) -> Course<G> {
        Course { teller, past: Vec::new(), now: dealt, untold: None, agrees: None }
    }

    /// Adds a decision of `seat` and the state that followed.
    pub fn push(&mut self, seat: Seat, action: G::Action, next: G::State) {
        let state = std::mem::replace(&mut self.now, next);
        self.past.push(Decided { state, seat, action });
    }

    /// Plays an action of `seat`, whose turn it must be.
    ///
    /// # Errors
    ///
    /// When the rules forbid the action.
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

/// How a seat tells what it saw and did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grammar {
    /// Sentences that say what is typed.
    pub how: String,
    /// A text.
    pub example: String,
    /// The question for one line.
    pub prompt: String,
}

/// Why a text tells no game.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetellError {
    /// The grammar does not have such an item.
    #[error("item {number}, `{item}`, is not understood: {expected}")]
    Misread {
        /// The number of the item, from 1.
        number: usize,
        /// The item.
        item: String,
        /// What could have been typed.
        expected: String,
    },
    /// The item contradicts the rules, or the items before it.
    #[error("item {number}, `{item}`, cannot be: {problem}")]
    Impossible {
        /// The number of the item, from 1.
        number: usize,
        /// The item.
        item: String,
        /// The contradiction.
        problem: String,
    },
    /// Something was left out.
    #[error("something is missing: {missing}")]
    Incomplete {
        /// What is to be told.
        missing: String,
    },
    /// The game ends with what was told.
    #[error("the game is over, and there is nothing to decide")]
    GameOver,
    /// The seat that tells is not to act.
    #[error("it is the turn of the opponent: tell what they did, or leave out your last item")]
    OpponentsTurn,
}

/// A game that can be told from one seat.
pub trait Retell<G: Game>: Send + Sync {
    /// How it is told.
    fn grammar(&self) -> Grammar;

    /// A game that agrees with `text`, as told from `seat`; without a seat it is the one that the text is of, or the first. What the
    /// seat does not know is drawn from `rng`.
    ///
    /// # Errors
    ///
    /// Names the first item that is not understood or contradicts those before.
    fn retell(
        &self,
        text: &str,
        seat: Option<Seat>,
        rng: &mut dyn Rng,
    ) -> Result<Course<G>, RetellError>;

    /// What `seat` saw and did in a game, as [`retell`](Retell::retell) reads it.
    fn tell(&self, seat: Seat, past: &[Decided<G>], now: &G::State) -> String;
}

/// Each decision with the state that followed.
pub(crate) fn with_next<'a, G: Game>(
    past: &'a [Decided<G>],
    now: &'a G::State,
) -> impl Iterator<Item = (&'a Decided<G>, &'a G::State)> {
    let next = past.iter().skip(1).map(|decided| &decided.state).chain([now]);
    past.iter().zip(next)
}

/// A word of a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Item<'a> {
    /// From 1.
    pub(crate) number: usize,
    pub(crate) text: &'a str,
}

impl<'a> Item<'a> {
    /// The words of a text, with blanks, commas or semicolons between them.
    pub(crate) fn all(text: &'a str) -> impl Iterator<Item = Item<'a>> {
        let is_between = |c: char| c.is_whitespace() || c == ',' || c == ';';
        let words = text.split(is_between).filter(|word| !word.is_empty());
        words.zip(1..).map(|(text, number)| Item { number, text })
    }

    /// Returns the text after `they:` in an item of what the opponent did.
    pub(crate) fn theirs(self) -> Option<&'a str> {
        self.text.strip_prefix("they:")
    }

    pub(crate) fn misread(self, expected: impl Into<String>) -> RetellError {
        RetellError::Misread {
            number: self.number,
            item: self.text.into(),
            expected: expected.into(),
        }
    }

    pub(crate) fn impossible(self, problem: impl ToString) -> RetellError {
        RetellError::Impossible {
            number: self.number,
            item: self.text.into(),
            problem: problem.to_string(),
        }
    }
}
