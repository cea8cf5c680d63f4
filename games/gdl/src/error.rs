//! What a rule file is refused for, and what it is warned of.

use std::fmt;

use thiserror::Error;

use crate::limits::{LimitName, MOST_DEPTH};

/// A place in a text: line and column from 1, the column in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
}

impl Place {
    /// Where a text begins: the place of what is missing in all of it.
    pub const START: Self = Self { line: 1, column: 1 };
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// The kinds of errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A parenthesis without its partner.
    Parenthesis,
    /// Text that is no rule and no fact.
    Syntax,
    /// A wrong number of arguments.
    Arity,
    /// No `role`, `legal`, `terminal` or `goal`.
    Missing,
    /// A keyword where it may not stand, or that depends on what it may not depend on.
    Keyword,
    /// A role or a relation that is a misspelling of another, by all appearances.
    Name,
    /// A variable that nothing binds.
    Unsafe,
    /// A recursion that may build terms without end.
    Recursion,
    /// An atom that depends on its own negation.
    Unstratified,
    /// A goal value that is no whole number from 0 to 100.
    Goal,
    /// More of something than allowed.
    Limit,
}

impl ErrorKind {
    /// The name of the kind, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Parenthesis => "parenthesis",
            Self::Syntax => "syntax",
            Self::Arity => "arity",
            Self::Missing => "missing",
            Self::Keyword => "keyword",
            Self::Name => "name",
            Self::Unsafe => "unsafe",
            Self::Recursion => "recursion",
            Self::Unstratified => "unstratified",
            Self::Goal => "goal",
            Self::Limit => "limit",
        }
    }
}

impl fmt::Display for ErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What is wrong with a text, with what was found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Problem {
    /// A `)` too many.
    #[error("`)` closes nothing")]
    ClosesNothing,
    /// A `)` too few.
    #[error("`(` is never closed")]
    NeverClosed,
    /// A byte that no word may have.
    #[error("the character {} is not allowed", shown(*.byte))]
    Character {
        /// The byte.
        byte: u8,
    },
    /// `()`.
    #[error("empty list")]
    EmptyList,
    /// `(<=)`.
    #[error("`<=` without a head")]
    NoHead,
    /// A rule inside a rule.
    #[error("a rule inside a rule")]
    NestedRule,
    /// A connective in the place of something else.
    #[error("`{name}` in the place of {expected}")]
    Connective {
        /// The connective.
        name: &'static str,
        /// What is expected there.
        expected: &'static str,
    },
    /// A variable or a list in the place of a name.
    #[error("`{found}` is not {expected}")]
    NotAName {
        /// What stands there.
        found: String,
        /// What is expected there.
        expected: &'static str,
    },
    /// `not` of none or several, `or` or `and` of none.
    #[error("`{name}` takes {expected}, found {found}")]
    Operands {
        /// The connective.
        name: &'static str,
        /// How many arguments it takes.
        expected: &'static str,
        /// How many it has.
        found: usize,
    },
    /// Text nested too deeply to be read.
    #[error("text nested deeper than {limit}")]
    Nesting {
        /// The most levels there may be.
        limit: usize,
    },
    /// A keyword with a wrong number of arguments.
    #[error("`{name}` takes {} {}, found {found}", spelled(*.expected), arguments(*.expected))]
    KeywordArity {
        /// The keyword.
        name: &'static str,
        /// How many arguments it takes.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A relation with two numbers of arguments.
    #[error("relation `{name}` has {first} {} at {first_place}, {found} here", arguments(*.first))]
    RelationArity {
        /// The relation.
        name: String,
        /// Its number of arguments where it appears first.
        first: usize,
        /// Where that is.
        first_place: Place,
        /// Its number of arguments here.
        found: usize,
    },
    /// A keyword that every file needs stands in no head.
    #[error("no `{0}`")]
    Missing(&'static str),
    /// The only role is `random`.
    #[error("no role other than `random`")]
    OnlyRandom,
    /// A word that means nothing where it stands, and looks like one that does.
    #[error("no {what} `{found}`; did you mean `{nearest}`?")]
    Misspelt {
        /// What should stand there: a role, a relation or a keyword.
        what: &'static str,
        /// The word.
        found: String,
        /// The word that was probably meant.
        nearest: String,
    },
    /// `true` or `does` in a head.
    #[error("`{0}` in the head of a rule")]
    InHead(&'static str),
    /// `init`, `next`, `sees`, `base` or `input` in a body.
    #[error("`{0}` in the body of a rule")]
    InBody(&'static str),
    /// A role that depends on something.
    #[error("`role` must be a ground fact")]
    RoleRule,
    /// A keyword that depends on one that it may not depend on.
    #[error("`{name}` depends on `{on}`{}", chain(.through))]
    Depends {
        /// The keyword.
        name: String,
        /// What it depends on.
        on: String,
        /// The relations between the two.
        through: Vec<String>,
    },
    /// A variable that no positive atom of the body binds.
    #[error("variable `{variable}` of {part} is bound by no positive literal")]
    Unbound {
        /// The variable.
        variable: String,
        /// Where it stands.
        part: &'static str,
    },
    /// A recursion that is not restricted.
    #[error("argument `{argument}` of `{relation}` may grow without end")]
    Grows {
        /// The argument.
        argument: String,
        /// The relation of the atom that has it.
        relation: String,
    },
    /// An atom or a relation that depends on its own negation.
    #[error("`{name}` depends on its own negation{}", chain(.through))]
    OwnNegation {
        /// The atom or relation.
        name: String,
        /// Those between it and itself.
        through: Vec<String>,
    },
    /// A goal value that cannot be one.
    #[error("`{0}` is not a whole number from 0 to 100")]
    GoalValue(String),
    /// A derived term nested too deeply.
    #[error(
        "terms nested deeper than {limit}: the fluents may be infinitely many (limit {})",
        LimitName::TermDepth
    )]
    TermDepth {
        /// The most levels there may be.
        limit: u64,
    },
    /// More moves or percepts of one role than numbers for them.
    #[error("more than {most} {what} of role `{role}`")]
    Numbers {
        /// Moves or percepts.
        what: &'static str,
        /// The role.
        role: String,
        /// How many numbers there are.
        most: u64,
    },
    /// More of something than a limit allows.
    #[error("more than {limit} {what} (limit {name}){}", blame(*.reached, .worst.as_ref()))]
    Limit {
        /// The limit's name.
        name: LimitName,
        /// What it counts.
        what: &'static str,
        /// Its value.
        limit: u64,
        /// How many ground rules there were.
        reached: u64,
        /// The rule with most of them: its place and how many.
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
    /// The problem of a limit that no rule is to blame for.
    pub(crate) fn exceeded(name: LimitName, what: &'static str, limit: u64) -> Self {
        Self::Limit { name, what, limit, reached: 0, worst: None }
    }

    /// The kind of the problem.
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

    /// One line on what is expected, or what can be done.
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
            Self::OwnNegation { .. } => "take one negation out of the circle",
            Self::GoalValue(_) => "give a goal between 0 and 100, in digits",
            Self::Numbers { .. } => "make it several steps, with fewer moves or percepts in each",
            Self::TermDepth { limit: MOST_DEPTH } => "bind what grows to a finite relation",
            Self::Limit { name, limit, .. } if *limit >= name.most() => {
                "the limit cannot be higher: write the rules so that there are fewer"
            }
            Self::TermDepth { .. } | Self::Limit { .. } => {
                "raise the limit if the file is meant to be as large as that"
            }
        }
    }
}

/// Why a text is refused: what, where, and the line of the text.
///
/// [`Display`](fmt::Display) gives one line, `2:12: syntax: ...`; [`report`](Error::report) gives
/// that line with the name of the file, the line of the text with a caret, and a line of help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    place: Place,
    problem: Box<Problem>,
    /// The line around the place.
    line: String,
    /// Bytes of the line before that.
    skipped: usize,
}

impl Error {
    pub(crate) fn new(place: Place, problem: Problem) -> Self {
        Self { place, problem: Box::new(problem), line: String::new(), skipped: 0 }
    }

    /// Adds the line of the text, for [`report`](Error::report).
    pub(crate) fn with_text(mut self, text: &[u8]) -> Self {
        let index = self.place.line as usize - 1;
        let line = text.split(|&byte| byte == b'\n').nth(index).unwrap_or_default();
        // All rules of a text of megabytes may stand on one line.
        const KEPT: usize = 200;
        let column = self.place.column as usize - 1;
        self.skipped = column.saturating_sub(KEPT).min(line.len());
        let kept = &line[self.skipped..line.len().min(column + KEPT)];
        self.line = String::from_utf8_lossy(kept).trim_end_matches('\r').into();
        self
    }

    /// Where the text is wrong.
    pub fn place(&self) -> Place {
        self.place
    }

    /// What is wrong with it.
    pub fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The kind of what is wrong.
    pub fn kind(&self) -> ErrorKind {
        self.problem.kind()
    }

    /// The error as a compiler would show it, on four lines without an end of line at the end.
    pub fn report(&self, file: &str) -> String {
        // A caret under a line of thousands of characters helps nobody.
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

/// Something in a text that is allowed and looks like a mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// Where it is.
    pub place: Place,
    /// What it is.
    pub what: Oddity,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.what)
    }
}

/// What a text is warned of.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Oddity {
    /// A rule without a body, which is read as a fact.
    #[error("a rule with an empty body is a fact")]
    EmptyBody,
    /// No `init` or no `next`.
    #[error("no `{keyword}` in any head: nothing is true {}", when(.keyword))]
    Missing {
        /// The keyword.
        keyword: &'static str,
    },
    /// A relation that stands in bodies and in no head.
    #[error("relation `{0}` is used and never defined: it is false")]
    Undefined(String),
    /// A function with two numbers of arguments.
    #[error("function `{name}` has {first} {} at {first_place}, {found} here: they are two functions", arguments(*.first))]
    FunctionArity {
        /// The function.
        name: String,
        /// Its number of arguments where it appears first.
        first: usize,
        /// Where that is.
        first_place: Place,
        /// Its number of arguments here.
        found: usize,
    },
    /// A relation that stands in heads and in no body, and has nearly the name of a keyword.
    #[error("relation `{name}` is defined and never used; did you mean `{nearest}`?")]
    Unused {
        /// The relation.
        name: String,
        /// The keyword.
        nearest: &'static str,
    },
    /// `legal`, `does`, `goal` or `sees` of something that is no role.
    #[error("`{relation}` of `{name}`, which is no role: ignored")]
    NoRole {
        /// The relation.
        relation: &'static str,
        /// What is no role.
        name: String,
    },
}
