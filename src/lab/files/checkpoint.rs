//! Checkpoints: how far a run is, and what of its files counts.

use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files::{DirectoryError, Vouched, fingerprint_of, reading, write_without_wait};
use crate::optimise::SearchState;

/// The name of the file that holds what was learned.
pub const STRATEGY: &str = "strategy.yaml";
/// The name of the file that holds the mixed strategy of a method that mixes.
pub const MIXTURE: &str = "mixture.yaml";
pub(in crate::lab) const CHECKPOINT: &str = "checkpoint.yaml";
/// How the file begins: the fingerprint of what follows.
const VOUCHED: &str = "# Written by ruse, and not to be edited: ";
/// Another version may draw other numbers.
pub(in crate::lab) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The state of a method is some numbers for each pair of parameters at the most.
const MAX_BYTES: u64 = 64 << 20;

/// How far a run is, and how much of its growing files counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Checkpoint {
    /// The version of the program.
    pub version: String,
    /// A fingerprint of the resolved experiment.
    pub experiment: String,
    /// The state after the last iteration.
    pub state: SearchState,
    /// The history up to the last iteration.
    pub history: Vouched,
    /// The population up to the last iteration.
    pub population: Vouched,
    /// The answers up to the last iteration, of methods that are programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vouched>,
    /// Seconds used so far, in runs with a limit on their time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_s: Option<f64>,
    /// What the run has found, once it has come to its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<ResultPrints>,
    /// What it had found when it was interrupted last, if that is still to be seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupted: Option<ResultPrints>,
}

/// The fingerprints of the files in which a run says what it has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResultPrints {
    /// That of `strategy.yaml`.
    pub strategy: String,
    /// That of `mixture.yaml`, of methods that mix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixture: Option<String>,
}

impl ResultPrints {
    /// The fingerprints of these texts.
    pub(in crate::lab) fn of(strategy: &str, mixture: Option<&str>) -> ResultPrints {
        ResultPrints { strategy: fingerprint_of(strategy), mixture: mixture.map(fingerprint_of) }
    }
}

impl Checkpoint {
    /// The checkpoint in the file at `path`, of whatever experiment.
    pub(in crate::lab) fn read_at(path: &Path) -> Result<Option<Checkpoint>, DirectoryError> {
        let corrupt = |problem: String| DirectoryError::Corrupt { path: path.into(), problem };
        let text = match reading::read_text(path, MAX_BYTES) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            text => text.map_err(|error| corrupt(error.to_string()))?,
        };
        let lines = text.strip_prefix(VOUCHED).and_then(|rest| rest.split_once('\n'));
        match lines {
            Some((expected, json)) if fingerprint_of(json) == expected => {
                let checkpoint: Checkpoint =
                    serde_json::from_str(json).map_err(|error| corrupt(error.to_string()))?;
                check_version(&checkpoint.version).map_err(corrupt)?;
                Ok(Some(checkpoint))
            }
            _ => {
                // Perhaps it is only old.
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

    /// The fingerprint of the champion of a run that has come to its end.
    pub fn strategy(&self) -> Option<&str> {
        Some(self.result.as_ref()?.strategy.as_str())
    }

    /// The fingerprint of the mixed strategy of a run that has come to its end, if it has one.
    pub fn mixture(&self) -> Option<&str> {
        self.result.as_ref()?.mixture.as_deref()
    }

    /// Writes it in place of the one before.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), DirectoryError> {
        // JSON is YAML, too, and faster to write.
        let json = serde_json::to_string(self).expect("plain data can be written as JSON");
        let text = format!("{VOUCHED}{}\n{json}", fingerprint_of(&json));
        write_without_wait(path, text)
    }
}

fn check_version(found: &str) -> Result<(), String> {
    match found == VERSION {
        true => Ok(()),
        false => Err(format!("it is of version {found}, and this is version {VERSION}")),
    }
}

/// Checks that there are no results in the directory of a run, which has no checkpoint.
pub(in crate::lab) fn check_no_results(run: &Path) -> Result<(), DirectoryError> {
    match [STRATEGY, MIXTURE].iter().any(|name| run.join(name).exists()) {
        true => Err(DirectoryError::NoCheckpoint(run.into())),
        false => Ok(()),
    }
}
