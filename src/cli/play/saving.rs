//! The files of saved games.

use std::path::Path;

use ruse_lab::Transcript;
use ruse_play::files::{Replaces, write_atomically, write_output};

use super::super::failure::Failure;

/// Writes a transcript to a new file. This happens before the first game, so that an error loses no games.
pub(in super::super) fn begin(path: &Path, transcript: &Transcript) -> Result<(), Failure> {
    Ok(write_output(path, Replaces::Nothing, text(transcript, path))?)
}

/// Replaces the transcript in the file.
pub(in super::super) fn save(path: &Path, transcript: &Transcript) -> Result<(), Failure> {
    Ok(write_atomically(path, text(transcript, path))?)
}

/// Returns the contents of the file: JSON if its name ends in `.json`, otherwise YAML.
fn text(transcript: &Transcript, path: &Path) -> String {
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_json {
        serde_json::to_string_pretty(transcript).expect("plain data") + "\n"
    } else {
        transcript.to_yaml()
    }
}
