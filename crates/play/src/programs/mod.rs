//! Programs in any language, with which we exchange lines of text.
//!
//! A program is started without a shell, in a process group of its own, and ends with its children when its
//! [`Process`] is dropped.

mod game;
mod group;
mod process;

pub use self::game::{PROGRAM, ProgramGames, check_game_line};
pub use self::group::kill_programs;
pub use self::process::{Patience, Process, Watch};

/// Returns the words of a command, by the quoting rules of shells. Returns `None` if there is no word or a quotation is
/// not closed.
pub fn words_of(command: &str) -> Option<Vec<String>> {
    shlex::split(command).filter(|words| !words.is_empty())
}
