//! Questions to a person and their answers, in a terminal or through a pipe.

use std::io::{BufRead, IsTerminal, Read};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use ruse_base::stop::StopSignal;

use super::super::failure::{Failure, Result, print};
use super::super::signals;

/// The reason why a question was not answered.
#[derive(Debug)]
pub(crate) enum Leaving {
    /// The person wants to leave, or the input has ended.
    Quit,
    /// Ctrl-C was pressed.
    Interrupted,
    /// Output is not possible.
    Failed(Failure),
}

impl Leaving {
    /// Returns the result of the command that the person leaves.
    pub(crate) fn result(self) -> Result {
        match self {
            Leaving::Quit => Ok(()),
            Leaving::Interrupted => Err(Failure::Interrupted),
            Leaving::Failed(failure) => Err(failure),
        }
    }
}

impl From<Failure> for Leaving {
    fn from(failure: Failure) -> Leaving {
        Leaving::Failed(failure)
    }
}

/// An event on the input: a line was typed, the input ended, or Ctrl-C was pressed.
enum Input {
    Line(String),
    End,
    Interrupted,
}

/// The maximum length of a line that is read at once. All answers are shorter.
const MAX_LINE_BYTES: u64 = 4096;

/// A dialogue with a person, through standard input and output.
pub(crate) struct Console {
    input: Receiver<Input>,
    /// True if the console prints the answers that it reads. A terminal shows them by itself, so this is for other
    /// input.
    echoes: bool,
}

impl Console {
    /// Listens to standard input and to Ctrl-C, which raises `stop`, so that searching players stop.
    pub(crate) fn new(stop: StopSignal) -> Result<Console> {
        let (sender, input) = mpsc::channel();
        let lines = sender.clone();
        // Reading cannot be interrupted, so it has its own thread, which is never joined.
        let listening = std::thread::Builder::new().name("input".into()).spawn(move || {
            let mut stdin = std::io::stdin().lock();
            while let Some(line) = read_line(&mut stdin) {
                if lines.send(Input::Line(line)).is_err() {
                    return;
                }
            }
            let _ = lines.send(Input::End);
        });
        listening.map_err(Failure::no_thread)?;
        signals::listen(move || !stop.raise() && sender.send(Input::Interrupted).is_ok(), None);
        Ok(Console { input, echoes: !std::io::stdin().is_terminal() })
    }

    /// Returns whether the answers come from a file or a pipe, and not from a person.
    pub(crate) fn is_script(&self) -> bool {
        self.echoes
    }

    /// Waits for some time. Ctrl-C ends the wait; typed lines are discarded.
    pub(crate) fn wait(&mut self, time: Duration) -> Result<(), Leaving> {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if let Ok(Input::Interrupted) = self.input.recv_timeout(left) {
                return Err(interrupted()?);
            }
        }
        Ok(())
    }

    /// Waits for Enter between two actions.
    pub(crate) fn ask_to_continue(&mut self) -> Result<(), Leaving> {
        match self.ask("Enter to continue, q to leave")?.as_str() {
            "q" | "quit" => Err(Leaving::Quit),
            _ => Ok(()),
        }
    }

    /// Asks a question, and returns the answer, trimmed.
    pub(crate) fn ask(&mut self, question: &str) -> Result<String, Leaving> {
        print(&format!("{question}> "))?;
        let answer = self.input.recv().unwrap_or(Input::End);
        match answer {
            Input::Line(line) => {
                let line = line.trim().to_string();
                if self.echoes {
                    print(&format!("{line}\n"))?;
                }
                Ok(line)
            }
            Input::End => {
                print("\n")?;
                Err(Leaving::Quit)
            }
            Input::Interrupted => Err(interrupted()?),
        }
    }
}

/// Ends the line in which Ctrl-C was typed, and returns the reason for leaving.
pub(super) fn interrupted() -> Result<Leaving> {
    print("\n")?;
    Ok(Leaving::Interrupted)
}

/// Reads the next line, with spaces for control characters; `None` at the end of the input. After [`MAX_LINE_BYTES`],
/// the rest of a line counts as another line.
fn read_line(input: &mut impl BufRead) -> Option<String> {
    let mut bytes = Vec::new();
    match input.take(MAX_LINE_BYTES).read_until(b'\n', &mut bytes) {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(String::from_utf8_lossy(&bytes).replace(char::is_control, " ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_clean() {
        let mut input: &[u8] = b"4 2\r\n\x1b[31mred\n\xff\nlast";
        let lines: Vec<_> = std::iter::from_fn(|| read_line(&mut input)).collect();
        assert_eq!(lines, ["4 2  ", " [31mred ", "\u{fffd} ", "last"]);
        let mut long = vec![b'x'; 10_000];
        long.push(b'\n');
        let mut input = &long[..];
        let lengths: Vec<_> =
            std::iter::from_fn(|| read_line(&mut input)).map(|line| line.len()).collect();
        assert_eq!(lengths, [4096, 4096, 1809]);
    }
}
