//! Errors and warnings about rule files.

use std::fmt;

use thiserror::Error;

use crate::limits::{LimitName, MAX_DEPTH};
use crate::named::named;

/// A place in a text: line and column from 1, the column in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1.
    pub column: u32,
}

impl Place {
    /// The start of a text: the place of errors about something that the whole text lacks.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

named! {
    /// The kinds of errors. Their names are in lower case.
    pub enum ErrorKind {
        /// An unmatched parenthesis.
        Parenthesis = "parenthesis",
        /// Text that is neither a rule nor a fact.
        Syntax = "syntax",
        /// A wrong number of arguments.
        Arity = "arity",
        /// No `role`, `legal`, `terminal` or `goal` is defined.
        Missing = "missing",
        /// A keyword in a forbidden place, or with a forbidden dependency.
        Keyword = "keyword",
        /// A role or a relation that is probably misspelt.
        Name = "name",
        /// A variable that is not bound.
        Unsafe = "unsafe",
        /// A recursion that may build terms of unbounded size.
        Recursion = "recursion",
        /// An atom that depends on its own negation.
        Unstratified = "unstratified",
        /// A goal value that is not a whole number from 0 to 100.
        Goal = "goal",
        /// A limit is exceeded.
        Limit = "limit",
    }
}

/// A problem in a text, with the offending values.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// An extra `)`.
    #[error("`)` closes nothing")]
    ClosesNothing,
    /// A missing `)`.
    #[error("`(` is never closed")]
    NeverClosed,
    /// A byte that is not allowed in words.
    #[error("the character {} is not allowed", shown(*.byte))]
    Character {
        /// The value of the byte.
        byte: u8,
    },
    /// An empty list, `()`.
    #[error("empty list")]
    EmptyList,
    /// A rule without a head, `(<=)`.
    #[error("`<=` without a head")]
    NoHead,
    /// A rule inside a rule.
    #[error("a rule inside a rule")]
    NestedRule,
    /// A connective where something else is expected.
    #[error("`{name}` in the place of {expected}")]
    Connective {
        /// The connective.
        name: &'static str,
        /// The expected construct.
        expected: &'static str,
    },
    /// A variable or a list where a name is expected.
    #[error("`{found}` is not {expected}")]
    NotAName {
        /// The text found there.
        found: String,
        /// The expected construct.
        expected: &'static str,
    },
    /// `not` with a number of operands other than one, or `or` or `and` without operands.
    #[error("`{name}` takes {expected}, found {found}")]
    Operands {
        /// The connective.
        name: &'static str,
        /// The number of operands that the connective takes.
        expected: &'static str,
        /// The number of operands found.
        found: usize,
    },
    /// Text that is nested too deeply.
    #[error("text nested deeper than {limit}")]
    Nesting {
        /// The maximum number of levels.
        limit: usize,
    },
    /// A keyword with a wrong number of arguments.
    #[error("`{name}` takes {} {}, found {found}", spelled(*.expected), arguments(*.expected))]
    KeywordArity {
        /// The name of the keyword.
        name: &'static str,
        /// The number of arguments that the keyword takes.
        expected: usize,
        /// The number of arguments found.
        found: usize,
    },
    /// A relation with two different numbers of arguments.
    #[error("relation `{name}` has {first} {} at {first_place}, {found} here", arguments(*.first))]
    RelationArity {
        /// The name of the relation.
        name: String,
        /// The number of arguments at the relation's first occurrence.
        first: usize,
        /// The place of the relation's first occurrence.
        first_place: Place,
        /// The number of arguments here.
        found: usize,
    },
    /// A required keyword is not in any head.
    #[error("no `{0}`")]
    Missing(&'static str),
    /// The only role is `random`.
    #[error("no role other than `random`")]
    OnlyRandom,
    /// A word that is probably misspelt: it resembles a word that has a meaning here.
    #[error("no {what} `{found}`; did you mean `{nearest}`?")]
    Misspelt {
        /// The expected kind of word: a role, a relation or a keyword.
        what: &'static str,
        /// The word.
        found: String,
        /// The word that is probably meant.
        nearest: String,
    },
    /// `true` or `does` in a head.
    #[error("`{0}` in the head of a rule")]
    InHead(&'static str),
    /// `init`, `sees`, `base` or `input` in a body, or `next` in the body of a rule for anything but `sees`.
    #[error("`{0}` in the body of a rule")]
    InBody(&'static str),
    /// A `role` rule with a body or with variables.
    #[error("`role` must be a ground fact")]
    RoleRule,
    /// A keyword with a forbidden dependency.
    #[error("`{name}` depends on `{on}`{}", chain(.through))]
    Depends {
        /// The name of the keyword.
        name: String,
        /// The name of the keyword on which `name` must not depend.
        on: String,
        /// The relations on the way from `name` to `on`, in order.
        through: Vec<String>,
    },
    /// A variable that no positive atom of the body binds.
    #[error("variable `{variable}` of {part} is bound by no positive literal")]
    Unbound {
        /// The name of the variable.
        variable: String,
        /// The part of the rule that contains the variable.
        part: &'static str,
    },
    /// A recursion that breaks the recursion restriction.
    #[error("argument `{argument}` of `{relation}` may grow without end")]
    Grows {
        /// The argument that may grow.
        argument: String,
        /// The relation of the atom with the argument.
        relation: String,
    },
    /// An atom or a relation that depends on its own negation.
    #[error("`{name}` depends on its own negation{}", chain(.through))]
    OwnNegation {
        /// The text of the atom, or the name of the relation.
        name: String,
        /// The atoms or relations on the way from `name` back to itself.
        through: Vec<String>,
    },
    /// An invalid goal value.
    #[error("`{0}` is not a whole number from 0 to 100")]
    GoalValue(String),
    /// A derived term that is nested too deeply.
    #[error(
        "terms nested deeper than {limit}: the fluents may be infinitely many (limit {})",
        LimitName::TermDepth
    )]
    TermDepth {
        /// The maximum number of levels.
        limit: u64,
    },
    /// A role with too many moves or percepts to number.
    #[error("more than {most} {what} of role `{role}`")]
    Numbers {
        /// The noun: moves or percepts.
        what: &'static str,
        /// The name of the role.
        role: String,
        /// The maximum number.
        most: u64,
    },
    /// An exceeded limit.
    #[error("more than {limit} {what} (limit {name}){}", blame(*.reached, .worst.as_ref()))]
    Limit {
        /// The name of the limit.
        name: LimitName,
        /// The things that the limit counts, in the plural.
        what: &'static str,
        /// The maximum number that the limit allows.
        limit: u64,
        /// The number of ground rules when the limit was exceeded; 0 if `worst` is `None`.
        reached: u64,
        /// The place of the rule with the most instances, and the number of its instances.
        worst: Option<(Place, u64)>,
    },
}

fn shown(byte: u8) -> String {
    match byte {
        0x21..=0x7e => format!("`{}`", byte as char),
        _ => format!("0x{byte:02x}"),
    }
}

fn spelled(number: usize) -> String {
    if number == 0 { "no".into() } else { number.to_string() }
}

fn arguments(number: usize) -> &'static str {
    if number == 1 { "argument" } else { "arguments" }
}

fn chain(names: &[String]) -> String {
    if names.is_empty() {
        return String::new();
    }
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    format!(" (through {})", names.join(", "))
}

fn when(keyword: &str) -> &'static str {
    if keyword == "init" { "at the start" } else { "after a step" }
}

fn blame(reached: u64, worst: Option<&(Place, u64)>) -> String {
    worst.map_or_else(String::new, |(place, count)| {
        format!("; {count} of {reached} ground rules belong to the rule at {place}")
    })
}

impl Problem {
    /// Returns the kind of the problem.
    pub const fn kind(&self) -> ErrorKind {
        match self {
            Self::ClosesNothing | Self::NeverClosed => ErrorKind::Parenthesis,
            Self::Character { .. }
            | Self::EmptyList
            | Self::NoHead
            | Self::NestedRule
            | Self::Connective { .. }
            | Self::NotAName { .. }
            | Self::Operands { .. }
            | Self::Nesting { .. } => ErrorKind::Syntax,
            Self::KeywordArity { .. } | Self::RelationArity { .. } => ErrorKind::Arity,
            Self::Missing(_) | Self::OnlyRandom => ErrorKind::Missing,
            Self::Misspelt { .. } => ErrorKind::Name,
            Self::InHead(_) | Self::InBody(_) | Self::RoleRule | Self::Depends { .. } => {
                ErrorKind::Keyword
            }
            Self::Unbound { .. } => ErrorKind::Unsafe,
            Self::Grows { .. } => ErrorKind::Recursion,
            Self::OwnNegation { .. } => ErrorKind::Unstratified,
            Self::GoalValue(_) => ErrorKind::Goal,
            Self::TermDepth { .. } | Self::Numbers { .. } | Self::Limit { .. } => ErrorKind::Limit,
        }
    }

    /// Returns a line of help: what is expected, or how to fix the problem.
    pub fn help(&self) -> &'static str {
        match self {
            Self::ClosesNothing => "take it away, or open a list before it",
            Self::NeverClosed => "close the list with `)`",
            Self::Character { .. } => {
                "a text has parentheses, white space, comments from `;` to the end of the line, and \
                 words of printable ASCII without `\"`, `'`, `` ` `` and `|`"
            }
            Self::EmptyList => "a list begins with a name, as in `(cell 1 1 empty)`",
            Self::NoHead => "a rule is `(<= head literal...)`",
            Self::NestedRule => "close the rule before the next one begins",
            Self::Connective { .. } => {
                "`not`, `or`, `and` and `distinct` join literals in the body of a rule, and `<=` \
                 begins a rule"
            }
            Self::NotAName { .. } => "a word that does not begin with `?` is expected",
            Self::Operands { .. } => "`not` has one literal in it, `or` and `and` have one or more",
            Self::Nesting { .. } => "write the rule with helper relations",
            Self::KeywordArity { .. } => "give the keyword the arguments that the language fixes",
            Self::RelationArity { .. } => "give one of the two another name",
            Self::Missing(_) => "every file has `role`, `legal`, `terminal` and `goal` in heads",
            Self::OnlyRandom => "`random` is chance: add the role of a player",
            Self::Misspelt { .. } => {
                "a role has a fact, as in `(role white)`, and a relation has a rule or a fact"
            }
            Self::InHead(_) => "what will be true is `next`, and `legal` moves are done",
            Self::InBody("next") => "only rules for `sees` may look at the state after the step",
            Self::InBody(_) => "use a helper relation that both rules depend on",
            Self::RoleRule => "write one fact for each role, as in `(role white)`",
            Self::Depends { .. } => {
                "`init` is derived before there is a state; `legal`, `goal` and `terminal` are \
                 derived before there are moves"
            }
            Self::Unbound { .. } => {
                "add an atom to the body, not negated, that has the variable among its arguments"
            }
            Self::Grows { .. } => {
                "bind the argument by an atom that does not depend on the head of the rule"
            }
            Self::OwnNegation { .. } => "take one negation out of the cycle",
            Self::GoalValue(_) => "give a goal between 0 and 100, in digits",
            Self::Numbers { .. } => "make it several steps, with fewer moves or percepts in each",
            Self::TermDepth { limit: MAX_DEPTH } => "bind what grows to a finite relation",
            Self::Limit { name, limit, .. } if *limit >= name.most() => {
                "the limit cannot be higher: write the rules so that there are fewer"
            }
            Self::TermDepth { .. } | Self::Limit { .. } => {
                "raise the limit if the file is meant to be as large as that"
            }
        }
    }
}

/// The reason why a text is rejected: the problem, its place, and its line of the text.
///
/// [`Display`](fmt::Display) writes one line, `2:12: syntax: ...`; [`report`](Error::report) adds the name of the file,
/// the line of the text with a caret, and a line of help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    place: Place,
    problem: Box<Problem>,
    /// The part of the line around the error.
    line: String,
    /// The number of bytes of the line before `line`.
    skipped: usize,
}

impl Error {
    pub(crate) fn new(place: Place, problem: Problem) -> Self {
        Self { place, problem: Box::new(problem), line: String::new(), skipped: 0 }
    }

    /// Creates the error of an exceeded limit that no single rule causes.
    pub(crate) fn exceeded(place: Place, name: LimitName, what: &'static str, limit: u64) -> Self {
        Self::new(place, Problem::Limit { name, what, limit, reached: 0, worst: None })
    }

    /// Adds the line of the text that [`report`](Error::report) shows.
    pub(crate) fn with_text(mut self, text: &[u8]) -> Self {
        let index = self.place.line as usize - 1;
        let line = text.split(|&byte| byte == b'\n').nth(index).unwrap_or_default();
        // A text of megabytes may consist of one line.
        const KEPT: usize = 200;
        let column = self.place.column as usize - 1;
        self.skipped = column.saturating_sub(KEPT).min(line.len());
        let kept = &line[self.skipped..line.len().min(column + KEPT)];
        self.line = String::from_utf8_lossy(kept).trim_end_matches('\r').into();
        self
    }

    /// Returns the place of the error.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Returns the problem.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// Returns the kind of the problem.
    pub fn kind(&self) -> ErrorKind {
        self.problem.kind()
    }

    /// Returns the error in the style of a compiler, on four lines without a final line break.
    pub fn report(&self, file: &str) -> String {
        // The line is cut around the caret, since thousands of characters are unreadable.
        const SHOWN: usize = 100;
        let column = self.place.column as usize - 1 - self.skipped;
        let line: Vec<char> = self.line.chars().collect();
        let start = column.saturating_sub(SHOWN / 2).min(line.len());
        let end = (start + SHOWN).min(line.len());
        let cut: String =
            line[start..end].iter().map(|&c| if c.is_control() { ' ' } else { c }).collect();
        let number = self.place.line.to_string();
        let (margin, caret) = (" ".repeat(number.len()), " ".repeat(column - start.min(column)));
        let help = self.problem.help();
        format!("{file}:{self}\n {number} | {cut}\n {margin} | {caret}^\n {margin} = help: {help}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.place, self.kind(), self.problem)
    }
}

impl std::error::Error for Error {}

/// A warning: something that is allowed but looks like a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The place in the text.
    pub place: Place,
    /// The subject of the warning.
    pub what: Oddity,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// Returns the end of a warning that suggests another name.
fn or_else(nearest: &Option<impl fmt::Display>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

/// The subject of a warning.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Oddity {
    /// A rule without a body, which counts as a fact.
    #[error("a rule with an empty body is a fact")]
    EmptyBody,
    /// The file has no `init`, or no `next`.
    #[error("no `{keyword}` in any head: nothing is true {}", when(.keyword))]
    Missing {
        /// The keyword that is missing.
        keyword: &'static str,
    },
    /// A relation that occurs in bodies, but not in heads.
    #[error("relation `{0}` is used and never defined: it is false")]
    Undefined(String),
    /// A function with two different numbers of arguments.
    #[error("function `{name}` has {first} {} at {first_place}, {found} here: they are two functions", arguments(*.first))]
    FunctionArity {
        /// The name of the function.
        name: String,
        /// The number of arguments at the function's first occurrence.
        first: usize,
        /// The place of the function's first occurrence.
        first_place: Place,
        /// The number of arguments here.
        found: usize,
    },
    /// A relation that occurs in heads, but not in bodies.
    #[error("relation `{name}` is defined and never used{}", or_else(.nearest))]
    Unused {
        /// The name of the relation.
        name: String,
        /// The keyword that the name nearly matches, if any.
        nearest: Option<&'static str>,
    },
    /// A fact of the state that no rule reads.
    #[error("no rule reads `{name}` of the state{}", or_else(.nearest))]
    Unread {
        /// The name of the fact.
        name: String,
        /// The fact that rules read and that the name nearly matches, if any.
        nearest: Option<String>,
    },
    /// A condition on a move that is never legal.
    #[error("`{action}` is never a legal move of {role}{}", or_else(.nearest))]
    NeverLegal {
        /// The role, or `any role`.
        role: String,
        /// The move.
        action: String,
        /// The move whose name the move nearly matches, if any.
        nearest: Option<String>,
    },
    /// A word at the start of a line that begins a comment in other languages.
    #[error("`{0}` begins no comment, as `;` does: the rest of the line is read as facts")]
    ForeignComment(String),
    /// An atom of `legal`, `does`, `goal` or `sees` with a name that is not a role.
    #[error("`{relation}` of `{name}`, which is not a role: ignored")]
    NoRole {
        /// The keyword of the atom.
        relation: &'static str,
        /// The name that is not a role.
        name: String,
    },
    /// A rule for `base` or `input` that would be invalid if these keywords were used.
    #[error("a rule for `{keyword}` with {what}: skipped, like all rules for `{keyword}`")]
    Skipped {
        /// The keyword: `base` or `input`.
        keyword: &'static str,
        /// The invalid part of the rule.
        what: &'static str,
    },
    /// Rules that exceed a limit of grounding, and are evaluated without grounding.
    #[error("{why}: the file is played without ground rules, which is slow")]
    NotGrounded {
        /// The exceeded limit.
        why: String,
    },
    /// A rule for `sees` that depends on the state after the step.
    #[error("`next` in the body of a rule for `sees`: the role perceives the state after the step")]
    NextSeen,
    /// A variable in the place of a role that nothing binds.
    #[error(
        "variable `{variable}` of `{keyword}` is bound by no positive literal: it stands for each role"
    )]
    AnyRole {
        /// The name of the variable.
        variable: String,
        /// The keyword of the head: `legal`, `goal` or `sees`.
        keyword: &'static str,
    },
}
