//! Errors about experiments as users write them.

use std::borrow::Cow;

use ruse_base::files::Step;
use ruse_base::names::{NameError, UnknownName};
use ruse_games::RulesError;
use ruse_optimise::methods::OptionError;
use ruse_play::family::{BASELINE, FamilyError, FamilyFileError};
use ruse_play::score::MAX_ENTRANTS;

use super::parts::unknown_key;
use super::quantity::QuantityError;
use crate::files::strategy::ContestantError;

/// Returns advice for a rule value that is the path of a map.
fn of_map_file(value: &str) -> &'static str {
    match value.ends_with(".xml") || value.ends_with(".txt") {
        true => ". A map from a file is a part of the family's name, as in `rts-script:FILE.xml`",
        false => "",
    }
}

/// The reason why an experiment was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum SpecError {
    /// There is no such family, method or comparison operator.
    Unknown(#[from] UnknownName),
    /// The file of the family is invalid.
    FamilyFile(Box<FamilyFileError>),
    /// The game does not support the rules.
    Rules(#[from] RulesError),
    /// A name contains an invisible character.
    Name(NameError),
    /// The baseline is not a contestant of the family.
    #[error("baseline: {0}")]
    Baseline(#[source] ContestantError),
    /// The scoring opponent is not a contestant of the family.
    #[error("score-against: {0}")]
    ScoreAgainst(#[source] Box<ContestantError>),
    /// A player of a round robin does not belong to the family.
    #[error("{0}")]
    Player(#[source] Box<ContestantError>),
    /// The value of a rule is neither a number nor a name for a number.
    #[error(
        "the value of rule `{rule}` is `{value}`, which is neither a whole number nor a name that is known; `ruse show FAMILY` \
         lists the rules and their values{}",
        of_map_file(.value)
    )]
    RuleValue {
        /// The name of the rule.
        rule: String,
        /// The value that was given.
        value: String,
    },
    /// A round robin has too few or too many players.
    #[error("a round robin takes 2 to {MAX_ENTRANTS} players, {0} found")]
    NumPlayers(usize),
    /// A player has a variable budget, but there are no budgets.
    #[error(
        "a player has the budget `@T`, but there are no `budgets`: add a line such as `budgets: [100, 1k]`"
    )]
    NoBudgets,
    /// There are budgets, but no player has a variable budget.
    #[error(
        "there are budgets, but no player thinks for one: write `@T` behind the name of a method, as in `uct@T`, or leave \
         `budgets` out"
    )]
    IdleBudgets,
    /// The start is not a point of the parameter space of the family.
    #[error("start: {0}")]
    Start(#[source] Box<StartError>),
    /// The method does not have this option.
    #[error("the {method} method has no `{key}`")]
    NotOfMethod {
        /// The key in a file, which is the name of the option.
        key: String,
        /// The method.
        method: String,
        /// The methods that have the option.
        owners: Vec<String>,
    },
    /// The method needs probabilities of actions that the family does not know.
    #[error(
        "the method {method} does not work with {family}, because the probabilities of its actions have no known \
         gradient"
    )]
    NoSelfPlay {
        /// The method.
        method: String,
        /// The family.
        family: String,
        /// The families with which the method works, and the forms of the names of families from files.
        others: Vec<String>,
    },
    /// A key is unknown.
    #[error("{}", unknown_key(key, known))]
    UnknownKey {
        /// The key.
        key: String,
        /// The known keys.
        known: Vec<String>,
    },
    /// The value of an option is invalid.
    #[error("{key}: {source}")]
    Option {
        /// The key in a file, which is the name of the option.
        key: String,
        /// The problem.
        source: OptionError,
    },
    /// Two items have the same name.
    #[error("there are two of the {what} `{name}`")]
    Repeated {
        /// The kind of item.
        what: &'static str,
        /// The repeated name.
        name: String,
    },
    /// A responder does not play the game.
    #[error("respond-with: {0}")]
    RespondWith(UnknownName),
    /// The strategies of a pool are given in no way, or in two.
    #[error(
        "a pool has either `random` or `players`; this one has {found}: write `random: [32]`, or list the players"
    )]
    NoStrategies {
        /// The keys found: `neither` or `both`.
        found: &'static str,
    },
    /// A key of random strategies, in a pool of listed players.
    #[error("`{0}` is for random strategies, and this pool lists its players")]
    NotRandom(&'static str),
    /// A list is empty.
    #[error("the list of {0} is empty")]
    Empty(&'static str),
    /// The seeds are given in two ways.
    #[error("`seeds` takes the place of `repeats` and `seed`")]
    SeedsTwice,
    /// A name is not valid for a directory.
    #[error(
        "`{0}` is not a valid name for directories: expected up to 64 letters, digits, `-`, `_` and `.` that begin with \
         a letter or a digit"
    )]
    Label(String),
    /// The comparison operator does not support this precision.
    #[error("precision: {found:e} is too small for {comparison} races: {least:e} or more works")]
    TooPrecise {
        /// The comparison operator.
        comparison: &'static str,
        /// The precision.
        found: f64,
        /// The minimum supported precision.
        least: f64,
    },
    /// A number is out of range.
    #[error("{key}: {source}")]
    Quantity {
        /// The key in a file, which is the name of the option.
        key: Cow<'static, str>,
        /// The problem.
        source: QuantityError,
    },
}

impl SpecError {
    /// Returns the place of the mistake in the file of a single run.
    pub(crate) fn step(&self) -> Step {
        match self {
            SpecError::UnknownKey { key, .. } => Step::KeyItself(key.clone()),
            error => error.key().into(),
        }
    }

    /// Returns the key of the mistake in a file.
    pub fn key(&self) -> &str {
        match self {
            SpecError::Unknown(unknown) => &unknown.kind,
            SpecError::NoSelfPlay { .. } => "method",
            SpecError::FamilyFile(_) => "family",
            SpecError::Rules(_) | SpecError::RuleValue { .. } => "rules",
            SpecError::Player(_) | SpecError::NumPlayers(_) | SpecError::NoBudgets => "players",
            SpecError::IdleBudgets => "budgets",
            SpecError::Baseline(_) => "baseline",
            SpecError::ScoreAgainst(_) => "score-against",
            SpecError::Start(_) => "start",
            SpecError::RespondWith(_) => "respond-with",
            SpecError::Quantity { key, .. } => key,
            SpecError::NotOfMethod { key, .. }
            | SpecError::UnknownKey { key, .. }
            | SpecError::Option { key, .. } => key,
            SpecError::Repeated { .. } | SpecError::Label(_) | SpecError::Name(_) => "name",
            SpecError::TooPrecise { .. } => "precision",
            SpecError::NoStrategies { .. } => "random",
            SpecError::Empty(key) | SpecError::NotRandom(key) => key,
            SpecError::SeedsTwice => "seeds",
        }
    }
}

impl From<FamilyError> for SpecError {
    fn from(error: FamilyError) -> SpecError {
        match error {
            FamilyError::Unknown(unknown) => unknown.into(),
            FamilyError::File(error) => SpecError::FamilyFile(Box::new(error)),
        }
    }
}

/// Returns a function that adds `key` to an error about a quantity.
pub(super) fn quantity(
    key: impl Into<Cow<'static, str>>,
) -> impl FnOnce(QuantityError) -> SpecError {
    move |source| SpecError::Quantity { key: key.into(), source }
}

/// The reason why a start was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The start is not a strategy of the family.
    #[error(transparent)]
    Contestant(#[from] ContestantError),
    /// The reference strategy cannot be imitated by any parameters.
    #[error("the reference strategy `{name}` of `{family}` is not a point of the parameter space")]
    NoParameters {
        /// The name of the reference strategy.
        name: String,
        /// The name of the family.
        family: String,
        /// The names of the reference strategies that have parameters.
        usable: Vec<String>,
    },
    /// The file contains several strategies.
    #[error("{path} holds a mixture, and a search starts from one strategy")]
    Mixture {
        /// The path as it was given.
        path: String,
    },
    /// The baseline, which is drawn again for every pair, cannot be a start.
    #[error("`{BASELINE}` is drawn again for every pair, and a search starts from one strategy")]
    Redrawn,
}

impl StartError {
    /// Returns advice that is not part of the message, if there is any.
    pub fn advice(&self) -> Option<String> {
        match self {
            StartError::Contestant(ContestantError::Unknown(unknown)) => Some(unknown.advice()),
            StartError::Contestant(_) => None,
            StartError::NoParameters { usable, .. } if usable.is_empty() => {
                Some("none of its reference strategies is; start from `zero`, `gaussian` or a strategy file".into())
            }
            StartError::NoParameters { usable, .. } => {
                Some(format!("these are: {}", usable.join(", ")))
            }
            StartError::Mixture { path } => Some(format!(
                "name a member by its number or its name, as in `{path}#1`, if it has parameters"
            )),
            StartError::Redrawn => Some("`gaussian` draws a start once, by the seed".into()),
        }
    }
}
