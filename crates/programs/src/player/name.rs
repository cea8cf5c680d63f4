//! The names of programs that play.

use std::time::Duration;

use ruse_search::Budget;

use crate::{PROGRAM, ask_to_start, quoted, words_of};

/// The time for a move, unless the name of the player has another.
const USUAL_TIME: Duration = Duration::from_secs(10);
/// The first part of a name with a time limit: `program@2s:COMMAND`.
const TIMED: &str = "program@";

/// A command for a program that plays, and its time limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramName {
    /// The name and the arguments of the program.
    pub(super) words: Vec<String>,
    /// The time for each move.
    pub(super) time: Duration,
}

impl ProgramName {
    /// Parses `program:COMMAND` or `program@TIME:COMMAND`. Returns `None` if `name` begins in another way; the inner
    /// `Err` is a message.
    pub fn parse(name: &str) -> Option<Result<ProgramName, String>> {
        if let Some(command) = name.strip_prefix(PROGRAM) {
            return Some(ProgramName::new(command, USUAL_TIME, name));
        }
        let (time, command) = name.strip_prefix(TIMED)?.split_once(':').unwrap_or(("", ""));
        let Ok(Budget::Milliseconds(milliseconds)) = time.parse() else {
            return Some(Err(format!(
                "`{name}` is not a player: expected program@TIME:COMMAND, with the time for a move, as in \
                 program@500ms:./player"
            )));
        };
        Some(ProgramName::new(command, Duration::from_millis(milliseconds), name))
    }

    fn new(command: &str, time: Duration, name: &str) -> Result<ProgramName, String> {
        let no_command = || format!("`{name}` has no command; expected program:COMMAND");
        Ok(ProgramName { words: words_of(command).ok_or_else(no_command)?, time })
    }

    /// Returns the command.
    pub fn command(&self) -> String {
        self.words.join(" ")
    }
}

/// Returns the words of the command in the name of a method, a player or a family, as in `python x.py`,
/// `program@2s:python x.py` and `program:python x.py`; `None` if there is no valid command.
pub fn words_in(name: &str) -> Option<Vec<String>> {
    match ProgramName::parse(name) {
        Some(program) => program.ok().map(|program| program.words),
        None => words_of(name),
    }
}

/// The error about a program that must not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{command}`: {reason}")]
pub struct RefusedProgram {
    /// The command.
    pub command: String,
    /// The reason.
    pub reason: String,
}

/// Asks whether the program in the name of a method, a player or a family may be started. A name without a program has
/// no effect.
///
/// # Errors
///
/// Returns the reason why it must not be started.
pub fn ask_to_start_named(name: &str) -> Result<(), RefusedProgram> {
    let Some(words) = words_in(name) else { return Ok(()) };
    let refused = |reason| RefusedProgram { command: quoted(&words), reason };
    ask_to_start(&words).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        let parsed =
            |name| ProgramName::parse(name).map(|parsed| parsed.map(|of| (of.command(), of.time)));
        let some = |command: &str, ms| Some(Ok((command.to_string(), Duration::from_millis(ms))));
        assert_eq!(
            parsed("program:python 'my player.py' -v"),
            some("python my player.py -v", 10_000)
        );
        assert_eq!(parsed("program@500ms:./x@y"), some("./x@y", 500));
        assert_eq!(parsed("program@2s:x"), some("x", 2_000));
        assert_eq!(parsed("uct@500"), None);
        for wrong in
            ["program@500:x", "program@ms:x", "program@2s", "program:", "program: ", "program:'"]
        {
            assert!(matches!(parsed(wrong), Some(Err(_))), "{wrong}");
        }
    }
}
