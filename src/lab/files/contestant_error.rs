//! Why a contestant was refused.

use std::path::PathBuf;

use crate::family::PlayerError;
use crate::files::{DirectoryError, YamlError};
use crate::names::UnknownName;

/// Why a contestant was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContestantError {
    /// No reference strategy, and no file either.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// It does not fit the family.
    #[error(transparent)]
    Misfit(#[from] PlayerError),
    /// What is in the file does not fit the family.
    #[error("{}: {source}", path.display())]
    MisfitInFile {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: PlayerError,
    },
    /// A player that thinks by the clock, where results have to be the same on every machine.
    #[error(
        "`{name}` thinks by the clock, so that results cannot be repeated: give it playouts, as in `uct@1k`"
    )]
    Timed {
        /// The name.
        name: String,
    },
    /// Numbers without brackets.
    #[error("`{text}` is no strategy: parameters stand in brackets")]
    BareNumbers {
        /// The text; of a long one, the beginning.
        text: String,
        /// The same with brackets.
        numbers: String,
    },
    /// A directory without a strategy in it.
    #[error("there is no strategy in {}", .0.display())]
    NoStrategy(PathBuf),
    /// A directory with several strategies.
    #[error("there are {} strategies in {}", found.len(), path.display())]
    SeveralStrategies {
        /// The directory.
        path: PathBuf,
        /// The files.
        found: Vec<PathBuf>,
    },
    /// The text in brackets is not a list of numbers.
    #[error("`{text}` is not a list of numbers: {problem}")]
    NotNumbers {
        /// The text; of a long one, the beginning.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is the result of a run that cannot be used.
    #[error(transparent)]
    Directory(#[from] DirectoryError),
    /// The file is not a strategy file.
    #[error(transparent)]
    Yaml(#[from] Box<YamlError>),
    /// The strategy in the file was found under other rules.
    #[error("{} holds a strategy for the rule {rule}={value}, which is not in force{}", path.display(), in_words(.dimensions))]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The rule that differs.
        rule: String,
        /// Its value in the file.
        value: u64,
        /// How many parameters the strategy has, and how many there are under the rules in force, where these differ.
        dimensions: Option<(usize, usize)>,
    },
    /// The file holds a strategy for another family.
    #[error("{} holds a strategy of family `{found}`, not of `{expected}`", path.display())]
    OtherFamily {
        /// The file.
        path: PathBuf,
        /// The family of the strategy in the file.
        found: String,
        /// The family that is played.
        expected: String,
    },
}

/// Numbers of parameters that differ, as the end of a sentence.
fn in_words(dimensions: &Option<(usize, usize)>) -> String {
    match dimensions {
        Some((found, expected)) => {
            format!(": it has {found} parameters, and the rules in force need {expected}")
        }
        None => String::new(),
    }
}
