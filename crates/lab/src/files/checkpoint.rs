//! Checkpoints: the progress of a run and, for each of its files, the length and the fingerprint of the valid part.

use std::io;
use std::path::Path;

use ruse_base::files::{
    DirectoryError, Result, Vouched, fingerprint_of, reading, write_atomically,
};
use ruse_optimise::methods::SearchState;
use serde::{Deserialize, Serialize};

/// The name of the file with the learned strategy.
pub const STRATEGY: &str = "strategy.yaml";
/// The name of the file with the mixed strategy, which only some methods compute.
pub const MIXTURE: &str = "mixture.yaml";
pub(crate) const CHECKPOINT: &str = "checkpoint.yaml";
/// The text before the fingerprint in the first line of a checkpoint or list. The fingerprint covers the other lines.
const VOUCHED: &str = "# Written by ruse, and not to be edited: ";
/// The version of the program. Another version may draw different random numbers.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The maximum size of a checkpoint that is read, in bytes. The state of a method has at most a few numbers for each
/// pair of parameters.
const MAX_BYTES: u64 = 64 << 20;

/// A checkpoint of a run, with the valid parts of its growing files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Checkpoint {
    /// The version of the program.
    pub version: String,
    /// The fingerprint of the resolved experiment.
    pub experiment: String,
    /// The state of the search after the last iteration.
    pub state: SearchState,
    /// The valid part of the history. It ends with the last iteration.
    pub history: Vouched,
    /// The valid part of the population. It ends with the last iteration.
    pub population: Vouched,
    /// The valid part of the answers to an external program, if there are any. It ends with the last iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vouched>,
    /// The number of seconds used so far, for a run with a time limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    /// The fingerprints of the results, if the run is finished.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultPrints>,
    /// The fingerprints of the results written at the last interruption, if these files still exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<ResultPrints>,
}

/// The fingerprints of the result files of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultPrints {
    /// The fingerprint of `strategy.yaml`.
    pub strategy: String,
    /// The fingerprint of `mixture.yaml`, if the method computes a mixture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixture: Option<String>,
}

impl ResultPrints {
    pub(crate) fn of(strategy: &str, mixture: Option<&str>) -> ResultPrints {
        ResultPrints { strategy: fingerprint_of(strategy), mixture: mixture.map(fingerprint_of) }
    }

    /// Returns the fingerprint of the file with this name, [`STRATEGY`] or [`MIXTURE`].
    pub(super) fn of_file(&self, name: &str) -> Option<&str> {
        match name {
            STRATEGY => Some(&self.strategy),
            _ => self.mixture.as_deref(),
        }
    }
}

impl Checkpoint {
    /// Reads the checkpoint at `path`, which may belong to any experiment. Returns `None` if the file does not exist.
    pub(crate) fn read_at(path: &Path) -> Result<Option<Checkpoint>> {
        let corrupt = |problem: String| DirectoryError::Corrupt { path: path.into(), problem };
        let text = match reading::read_text(path, MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| corrupt(error.to_string()))?,
        };
        if is_lost(&text) {
            return Err(DirectoryError::Lost(path.into()));
        }
        match without_print(&text) {
            Some(json) => {
                let checkpoint: Checkpoint =
                    serde_json::from_str(json).map_err(|error| corrupt(error.to_string()))?;
                check_version(&checkpoint.version).map_err(corrupt)?;
                Ok(Some(checkpoint))
            }
            None => {
                // The checkpoint may come from an older version.
                #[derive(Deserialize)]
                struct Any {
                    version: String,
                }
                if let Ok(Any { version }) = serde_json::from_str(&text) {
                    check_version(&version).map_err(corrupt)?;
                }
                Err(DirectoryError::Changed(path.into()))
            }
        }
    }

    /// Writes the checkpoint, replacing an earlier one.
    ///
    /// # Errors
    ///
    /// Returns an error if the checkpoint cannot be written.
    pub fn write(&self, path: &Path) -> Result {
        // JSON is also valid YAML, and faster to write.
        let json = serde_json::to_string(self).expect("plain data can be written as JSON");
        write_atomically(path, with_print(&json))
    }
}

/// Returns a text after a line with its fingerprint.
pub(super) fn with_print(text: &str) -> String {
    format!("{VOUCHED}{}\n{text}", fingerprint_of(text))
}

/// Returns the text after the line with its fingerprint, or `None` if the fingerprint is missing or wrong.
pub(super) fn without_print(text: &str) -> Option<&str> {
    let (expected, text) = text.strip_prefix(VOUCHED)?.split_once('\n')?;
    (fingerprint_of(text) == expected).then_some(text)
}

/// Returns `true` if the system has lost the text of a file, as in a power cut.
pub(super) fn is_lost(text: &str) -> bool {
    text.is_empty() || text.contains('\0')
}

fn check_version(found: &str) -> Result<(), String> {
    match found == VERSION {
        true => Ok(()),
        false => Err(format!("it is of version {found}, and this is version {VERSION}")),
    }
}

/// Checks that a run without a checkpoint has no results.
pub(crate) fn check_no_results(run: &Path) -> Result {
    for name in [STRATEGY, MIXTURE] {
        if reading::is_there(&run.join(name))? {
            return Err(DirectoryError::NoCheckpoint(run.into()));
        }
    }
    Ok(())
}
