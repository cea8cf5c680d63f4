//! Games as they are written down.

use std::path::Path;

use super::super::failure::Failure;
use crate::files::{Replaces, write_atomically, write_output};
use crate::lab::Transcript;

/// Writes a transcript to a file that must not exist: rather now than after the game.
pub(in super::super) fn begin(path: &Path, transcript: &Transcript) -> Result<(), Failure> {
    Ok(write_output(path, Replaces::Nothing, text(transcript, path))?)
}

/// Writes a transcript over what was written before.
pub(in super::super) fn save(path: &Path, transcript: &Transcript) -> Result<(), Failure> {
    Ok(write_atomically(path, text(transcript, path))?)
}

/// The contents of the file: YAML, or JSON if its name says so.
fn text(transcript: &Transcript, path: &Path) -> String {
    let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
    if is_json {
        serde_json::to_string_pretty(transcript).expect("plain data") + "\n"
    } else {
        transcript.to_yaml()
    }
}
