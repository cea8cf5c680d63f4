//! Games as they are written down.

use std::path::Path;

use super::super::failure::Failure;
use crate::family::{AnyFamily, Player};
use crate::files::write_atomically;
use crate::lab::{MixtureMember, Transcript};

/// A transcript without games; `player` is named if a strategy sits in the place of the person.
pub(in super::super) fn empty_transcript(
    family: &dyn AnyFamily,
    player: Option<&str>,
    against: &str,
    opponent: &Player,
    seed: u64,
) -> Transcript {
    let (mut parameters, mut mixture) = (Vec::new(), Vec::new());
    match opponent {
        Player::Parameters(theta) => parameters.clone_from(theta),
        Player::Mixture(members) => {
            mixture.extend(members.iter().map(|member| MixtureMember {
                weight: member.weight,
                name: None,
                strategy: member.of.clone(),
            }));
        }
        _ => (),
    }
    Transcript {
        family: family.name().into(),
        rules: family.rules().into_iter().map(|rule| (rule.name.into(), rule.value)).collect(),
        player: player.map(String::from),
        opponent: against.into(),
        parameters,
        mixture,
        seed,
        games: Vec::new(),
    }
}

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
        serde_yaml::to_string(transcript).expect("plain data")
    }
}
