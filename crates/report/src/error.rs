//! The errors of figures and pages.

use std::io;
use std::path::PathBuf;

use ruse_base::files::DirectoryError;
use ruse_base::stop::Stopped;
use ruse_games::RulesError;
use ruse_lab::{ContestantError, RecordError};
use ruse_play::family::FamilyError;
use ruse_plots::FigureError;
use ruse_search::ParameterError;

use crate::figure_format::FigureFormat;

/// The result of a function that shows an experiment.
pub(crate) type Result<T, E = ReportError> = std::result::Result<T, E>;

/// The reason why an experiment cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum ReportError {
    /// A file cannot be read or written.
    Directory(#[from] DirectoryError),
    /// A strategy cannot be read.
    Strategy(#[from] ContestantError),
    /// A family is unknown.
    Family(#[from] FamilyError),
    /// A family does not have these rules.
    Rules(#[from] RulesError),
    /// The records contradict each other.
    Records(#[from] RecordError),
    /// There are no runs to draw.
    #[error("there is no run to draw")]
    NoRuns,
    /// The runs belong to several families.
    #[error(
        "these runs are of families `{first}` and `{other}`; draw those of one family at a time"
    )]
    SeveralFamilies {
        /// One of the families.
        first: String,
        /// Another family.
        other: String,
    },
    /// A run has no result yet.
    #[error("there is no {} yet: the run is not finished", .0.display())]
    NotFinished(PathBuf),
    /// The data of a figure cannot be drawn.
    Figure(#[from] FigureError),
    /// The games of a figure, or a measurement, were stopped.
    Stopped(#[from] Stopped),
    /// A run has no final strategy.
    #[error("the run {0} is not finished")]
    Unfinished(String),
    /// A figure of one strategy cannot show a mixture.
    #[error("{} is a mixture: expected a single strategy", .0.display())]
    Mixture(PathBuf),
    /// The parameters in a strategy file are not in the space of the family.
    #[error("{}: {source}", path.display())]
    Parameters {
        /// The path of the file.
        path: PathBuf,
        /// The error.
        source: ParameterError,
    },
    /// The program was built without this format.
    #[error("this program was built without the feature `png`, and writes no {}", .0.extension().to_uppercase())]
    NoFormat(FigureFormat),
    /// A published copy does not contain the populations of its runs.
    #[error("{} is a published copy, without the populations of the runs", .0.display())]
    NoPopulations(PathBuf),
    /// The directory does not contain a comparison.
    #[error("{} does not contain a comparison of methods, which a paper needs", .0.display())]
    NoComparison(PathBuf),
    /// A file has the name of the directory for a paper.
    #[error("{} is a file: expected a directory for the paper", .0.display())]
    NotDirectory(PathBuf),
    /// A directory cannot be created.
    #[error("cannot create {}: {source}", path.display())]
    Uncreatable {
        /// The path of the directory.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}
