//! Programs in any language, with which we exchange lines of text.
//!
//! A program is started without a shell, in a process group of its own, and ends with its children when its
//! [`Process`] is dropped.

#![warn(unnameable_types)]

mod gate;
mod group;
mod player;
mod process;
mod score;

use std::time::Duration;

use ruse_base::visible::escaped;

pub use self::gate::{allow_programs, ask_to_start, guard_programs, has_passed};
pub use self::group::kill_programs;
pub use self::player::{
    Conduct, Fault, ProgramMemory, ProgramName, ProgramPlayer, RefusedProgram, ask_to_start_named,
    conduct_of_programs, dismiss_programs, programs_are_steady, words_in,
};
pub use self::process::{ExchangeError, Patience, Process, Watch};
pub use self::score::ScoreCommand;

/// The beginning of the name of a player that is a program, or of a family whose games a program plays. The command
/// follows.
pub const PROGRAM: &str = "program:";
/// The beginning of the name of a player of the protocol: `ggp:HOST:PORT@START/PLAY`.
pub const PEER: &str = "ggp:";
/// The time limits of a program that plays.
pub const PATIENCE: Patience =
    Patience { parting: Duration::from_secs(10), silence: Duration::from_secs(10) };

/// Returns the words of a command, by the quoting rules of shells. Returns `None` if there is no word or a quotation is
/// not closed.
pub fn words_of(command: &str) -> Option<Vec<String>> {
    shlex::split(command).filter(|words| !words.is_empty())
}

/// Returns the command of these words, with quotes where a shell needs them, and with escapes in place of invisible
/// characters.
pub fn quoted(words: &[String]) -> String {
    let word = |word: &String| shlex::try_quote(word).unwrap_or(word.into()).into_owned();
    escaped(&words.iter().map(word).collect::<Vec<_>>().join(" ")).into_owned()
}
