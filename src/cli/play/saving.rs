//! The files of saved games.

use std::path::Path;

use ruse_base::files::{Replaces, write_atomically, write_output};
use ruse_games::Seat;
use ruse_lab::{ActionTranscript, Ending, GameTranscript, Transcript};
use ruse_play::session::Session;

use super::super::failure::Result;

/// Writes a transcript to a new file. This happens before the first game, so that an error loses no games.
pub(crate) fn begin(path: &Path, transcript: &Transcript) -> Result {
    Ok(write_output(path, Replaces::Nothing, text(transcript, path))?)
}

/// Adds the game of a session to the transcript, and replaces the file, if any. A crash then loses at most one game.
/// `result` is for the player in the seat `person`.
pub(crate) fn add(
    path: Option<&Path>,
    transcript: &mut Transcript,
    session: &dyn Session,
    person: Seat,
    result: Ending,
) -> Result {
    let action = |(seat, typed): &(Seat, String)| ActionTranscript::new(*seat, typed.clone());
    let actions = session.actions().iter().map(action).collect();
    transcript.games.push(GameTranscript { person: person.into(), result, actions });
    Ok(path.map_or(Ok(()), |path| write_atomically(path, text(transcript, path)))?)
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
