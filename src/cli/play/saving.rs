//! Games as they are written down.

use std::path::Path;

use super::super::failure::Failure;
use crate::files::write_atomically;
use crate::lab::Transcript;

/// Writes a transcript to a file that must not exist: rather now than after the game.
pub(in super::super) fn begin(path: &Path, transcript: &Transcript) -> Result<(), Failure> {
    if path.exists() {
        let message = format!("{} exists", path.display());
        return Err(Failure::with_advice(message, "nothing was changed; name a new file"));
    }
    save(path, transcript)
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
