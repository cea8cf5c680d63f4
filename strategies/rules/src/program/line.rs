//! The lines of programs.

use super::lexicon::{FactKind, Lexicon, Term, Word};

/// The number of lines of each role.
pub(super) const NUM_LINES: usize = 10;
/// The number of conditions of a line.
pub(super) const NUM_CONDITIONS: usize = 2;
/// The largest number of arguments of a term that have a gene; the others are free.
pub(super) const MAX_ARITY: usize = 8;
/// The requirement on an argument of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// This word.
    Word(Word),
    /// The argument of the move with this index.
    OfMove(usize),
    /// A number that is at least that of this word.
    AtLeast(Word),
    /// A number below that of this word.
    Below(Word),
    /// Anything.
    Any,
}

/// A condition: there is, or is not, a known fact that matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Condition {
    pub(super) is_negated: bool,
    pub(super) kind: FactKind,
    pub(super) head: Word,
    pub(super) arguments: Vec<Argument>,
}

/// A line: the moves that it makes, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) head: Word,
    /// The arguments of the move; `None` is anything.
    pub(super) arguments: Vec<Option<Word>>,
    pub(super) conditions: Vec<Condition>,
}

impl Condition {
    pub(super) fn is_about(&self, fact: &Term) -> bool {
        (fact.kind, fact.head, fact.arguments.len()) == (self.kind, self.head, self.arguments.len())
    }

    /// Returns whether a fact matches, if the move has the arguments `of_move`, or may match if these are not known.
    pub(super) fn matches(&self, lexicon: &Lexicon, fact: &Term, of_move: Option<&[Word]>) -> bool {
        let number = |word: Word| lexicon.number(word);
        self.is_about(fact)
            && self.arguments.iter().zip(&fact.arguments).all(|(argument, &word)| match *argument {
                Argument::Word(expected) => word == expected,
                Argument::OfMove(index) => of_move.is_none_or(|of_move| word == of_move[index]),
                Argument::AtLeast(least) => number(word).is_some_and(|n| Some(n) >= number(least)),
                Argument::Below(most) => number(word).is_some_and(|n| Some(n) < number(most)),
                Argument::Any => true,
            })
    }
}

impl Line {
    pub(super) fn matches(&self, made: &Term) -> bool {
        made.head == self.head
            && made.arguments.len() == self.arguments.len()
            && self
                .arguments
                .iter()
                .zip(&made.arguments)
                .all(|(own, word)| own.is_none_or(|own| own == *word))
    }
}
