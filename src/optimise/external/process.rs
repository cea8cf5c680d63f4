//! A program beside ours, which is spoken to in lines.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant};

use serde::Serialize;

use super::lines::{self, Said};
use crate::arena::Stopped;

/// The longest line that is read.
const LONGEST_LINE: u64 = 1 << 28;
/// So much of a line is quoted in messages.
const QUOTED: usize = 120;
/// Lines of its standard error that are told when a program fails.
const TOLD_LINES: usize = 12;
/// How long nobody looks whether to stop, while a program thinks.
const PATIENCE: Duration = Duration::from_millis(50);
/// How often as long somebody waits for the standard error of a program that has failed.
const ERROR_PAUSES: u32 = 10;

/// A program that was started. It ends with this.
pub(super) struct Process {
    command: String,
    child: Child,
    /// None when there is nothing more to say.
    to: Option<ChildStdin>,
    from: Receiver<io::Result<String>>,
    errors: Arc<Mutex<VecDeque<String>>>,
    reader_of_errors: JoinHandle<()>,
    /// How long it may take to end once it has nothing more to do.
    parting: Duration,
    /// Since when it has nothing more to do.
    released: Option<Instant>,
}

/// The message about a command that cannot be started. It may be the mistyped name of a method.
fn cannot_start(command: &str, error: &io::Error) -> String {
    let note = match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => {
            " (a method with a blank or a slash in it is a command)"
        }
        _ => "",
    };
    format!("cannot start `{command}`: {error}{note}")
}

/// The next line; empty at the end.
fn line_of(reader: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut bytes)?;
    if bytes.len() as u64 == LONGEST_LINE {
        return Err(io::Error::other(format!("a line is longer than {LONGEST_LINE} bytes")));
    }
    String::from_utf8(bytes).map_err(io::Error::other)
}

impl Process {
    /// Starts a program by its name and its arguments, of which there is one word at least. Once it has nothing more to do, it
    /// has `parting` to end.
    ///
    /// # Errors
    ///
    /// In words, when it cannot be started.
    pub(super) fn start(words: &[String], parting: Duration) -> Result<Process, String> {
        let command = words.join(" ");
        let mut program = Command::new(&words[0]);
        // Ctrl-C is for us: a program that died of it would be one that has failed.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut program, 0);
        let mut child = program
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| cannot_start(&command, &error))?;
        let piped = "it was asked for";
        let to = child.stdin.take();
        let mut out = BufReader::new(child.stdout.take().expect(piped));
        let mut err = BufReader::new(child.stderr.take().expect(piped));
        // A line ahead at the most: what a program says unasked stays in its pipe.
        let (sender, from) = sync_channel(1);
        std::thread::spawn(move || {
            loop {
                let line = line_of(&mut out);
                let is_last = line.as_ref().map_or(true, String::is_empty);
                if sender.send(line).is_err() || is_last {
                    return;
                }
            }
        });
        let errors = Arc::<Mutex<VecDeque<String>>>::default();
        let heard = Arc::clone(&errors);
        let reader_of_errors = std::thread::spawn(move || {
            while let Ok(line) = line_of(&mut err) {
                if line.is_empty() {
                    return;
                }
                let mut last = heard.lock().unwrap_or_else(PoisonError::into_inner);
                last.push_back(line.trim_end().to_string());
                if last.len() > TOLD_LINES {
                    last.pop_front();
                }
            }
        });
        let released = None;
        Ok(Process { command, child, to, from, errors, reader_of_errors, parting, released })
    }

    /// Tells the program something.
    ///
    /// # Errors
    ///
    /// In words, when it cannot be told anything. One that has ended is not noticed before it is listened to.
    pub(super) fn say(&mut self, what: &impl Serialize) -> Result<(), String> {
        let mut line = serde_json::to_vec(what).expect("plain data");
        line.push(b'\n');
        let to = self.to.as_mut().expect("it has not ended");
        match to.write_all(&line).and_then(|()| to.flush()) {
            // Why it has ended is known to whoever listens.
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(self.failed(&format!("it does not read on ({error})")))
            }
            _ => Ok(()),
        }
    }

    /// Its time to end begins: it was told to stop.
    pub(super) fn release(&mut self) {
        self.released = Some(Instant::now());
    }

    /// Whether it has had its time to end.
    fn is_overdue(&self) -> bool {
        self.released.is_some_and(|since| since.elapsed() > self.parting)
    }

    /// What the program says next about strategies of so many parameters. While it thinks, `check` says whether to wait.
    ///
    /// # Errors
    ///
    /// What `check` says; and inside, in words, when the program has failed, says what nobody understands, or does not end.
    pub(super) fn hear(
        &mut self,
        dimension: usize,
        check: &mut dyn FnMut() -> Result<(), Stopped>,
    ) -> Result<Result<Said, String>, Stopped> {
        let line = loop {
            check()?;
            if self.is_overdue() {
                return Ok(Err(self.stays("it was told to stop")));
            }
            match self.from.recv_timeout(PATIENCE) {
                Ok(line) => break line,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break Ok(String::new()),
            }
        };
        Ok(match line {
            Ok(line) if line.is_empty() => self.ended(check)?,
            Ok(line) => lines::read(&line, dimension).map_err(|problem| {
                let line = line.trim_end();
                let quoted: String = line.chars().take(QUOTED).collect();
                let dots = if quoted.len() < line.len() { " ..." } else { "" };
                self.failed(&format!("{problem}; its line is {quoted}{dots}"))
            }),
            Err(error) => Err(self.failed(&error.to_string())),
        })
    }

    /// Whether it has ended as it should; waits for its end.
    fn ended(
        &mut self,
        check: &mut dyn FnMut() -> Result<(), Stopped>,
    ) -> Result<Result<Said, String>, Stopped> {
        self.to = None;
        self.release();
        Ok(loop {
            match self.child.try_wait() {
                Ok(None) if self.is_overdue() => break Err(self.stays("it closed its output")),
                Ok(None) => {
                    check()?;
                    sleep(PATIENCE);
                }
                Ok(Some(status)) if status.success() => break Ok(Said::Nothing),
                Ok(Some(status)) => break Err(self.failed(&format!("it failed ({status})"))),
                Err(error) => break Err(self.failed(&error.to_string())),
            }
        })
    }

    /// What to say of a program that does not end.
    fn stays(&mut self, since: &str) -> String {
        let seconds = self.parting.as_secs_f64();
        self.failed(&format!(
            "it has not ended {seconds} seconds after {since}; a thread or a child of it may be waiting"
        ))
    }

    /// What to say of a program that cannot go on, with the last that it said of it itself.
    fn failed(&mut self, problem: &str) -> String {
        // What it writes comes before its end, unless a child of its own has the pipe still.
        for _ in 0..ERROR_PAUSES {
            if self.reader_of_errors.is_finished() {
                break;
            }
            sleep(PATIENCE);
        }
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        let said = errors.iter().map(|line| format!("\n  {line}")).collect::<String>();
        let colon = if said.is_empty() { "" } else { "; it says:" };
        format!("{}: {problem}{colon}{said}", self.command)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // An error says that it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_explained_where_it_may_be_wrong() {
        let said = |error| cannot_start("x/y", &error).contains("a method with a blank or a slash");
        assert!(said(io::ErrorKind::NotFound.into()));
        assert!(said(io::ErrorKind::PermissionDenied.into()));
        // Too many open files.
        #[cfg(unix)]
        assert!(!said(io::Error::from_raw_os_error(24)));
        assert!(!said(io::ErrorKind::OutOfMemory.into()));
    }
}
