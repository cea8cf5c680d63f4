//! Errors about contestants that cannot be used.

use std::path::PathBuf;

use ruse_base::files::{DirectoryError, YamlError};
use ruse_base::names::UnknownName;
use ruse_play::family::PlayerError;

/// The result of reading a player.
pub(crate) type Result<T = (), E = ContestantError> = std::result::Result<T, E>;

/// The reason why a contestant was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum ContestantError {
    /// The name is neither a reference strategy nor a file.
    Unknown(#[from] UnknownName),
    /// The contestant does not fit the family.
    Misfit(#[from] PlayerError),
    /// The contents of the file do not fit the family.
    #[error("{}: {source}", path.display())]
    MisfitInFile {
        /// The file.
        path: PathBuf,
        /// The mismatch.
        source: PlayerError,
    },
    /// The player searches with a time limit, so its results would depend on the machine.
    #[error(
        "`{name}` thinks by the clock, so that results cannot be repeated: give it playouts, as in `uct@1k`"
    )]
    Timed {
        /// The name of the player.
        name: String,
    },
    /// The player plays by the protocol of match servers, which no other command than `match` speaks.
    #[error("`{name}` is a player for `ruse match` only")]
    Peer {
        /// The name of the player.
        name: String,
    },
    /// The name of a planner lacks its opponent, or has another mistake.
    #[error(
        "`{name}` is not a planner: write planner@400, or planner@400:base=PLAYER,against=PLAYER"
    )]
    Planner {
        /// The name of the player.
        name: String,
    },
    /// The parameters lack brackets.
    #[error("`{text}` is not a strategy: parameters stand in brackets")]
    BareNumbers {
        /// The text, shortened if it is long.
        text: String,
        /// The numbers, with brackets.
        numbers: String,
    },
    /// The directory does not contain a strategy.
    #[error("there is no strategy in {}", .0.display())]
    NoStrategy(PathBuf),
    /// The directory contains several strategies.
    #[error("there are {} strategies in {}", found.len(), path.display())]
    SeveralStrategies {
        /// The directory.
        path: PathBuf,
        /// The strategy files, ordered by family and then by descending score.
        found: Vec<PathBuf>,
    },
    /// The text in brackets is not a list of numbers.
    #[error("`{text}` is not a list of numbers: {problem}")]
    NotNumbers {
        /// The text, shortened if it is long.
        text: String,
        /// The problem with the text.
        problem: String,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error that the operating system reported.
        source: std::io::Error,
    },
    /// The directory of the file's run cannot be used.
    Directory(#[from] DirectoryError),
    /// The file is not a strategy file.
    Yaml(#[from] Box<YamlError>),
    /// The strategy in the file was found under other rules.
    #[error("{} holds a strategy for the rule {rule}={value}, which is not in force{}", path.display(), in_words(.dimensions))]
    OtherRules {
        /// The file.
        path: PathBuf,
        /// The name of the rule that differs.
        rule: String,
        /// The value of the rule in the file.
        value: u64,
        /// The numbers of parameters in the file and under the current rules, if they differ.
        dimensions: Option<(usize, usize)>,
    },
    /// The file contains a strategy for another family.
    #[error("{} holds a strategy of family `{found}`, not of `{expected}`", path.display())]
    OtherFamily {
        /// The file.
        path: PathBuf,
        /// The family of the strategy in the file.
        found: String,
        /// The family that is being played.
        expected: String,
    },
}

/// Returns the end of the message about other rules.
fn in_words(dimensions: &Option<(usize, usize)>) -> String {
    match dimensions {
        Some((found, expected)) => {
            format!(": it has {found} parameters, and the rules in force need {expected}")
        }
        None => String::new(),
    }
}
