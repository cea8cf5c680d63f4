//! A child process that communicates in lines.

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, Write};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, sleep};
use std::time::{Duration, Instant, SystemTime};

use ruse_base::stop::{StopReason, Stopped};
use serde::Serialize;

use super::gate::{ask_to_start, lock};
use super::group::Group;

/// The longest line that is read, in bytes.
const LONGEST_LINE: usize = 1 << 28;
/// The maximum number of characters that a message quotes from a line.
const QUOTED: usize = 120;
/// The number of lines of standard error that are shown when a program fails.
const TOLD_LINES: usize = 12;
/// The maximum number of characters shown from each of these lines.
const TOLD_CHARACTERS: usize = 1000;
/// The interval between checks for a stop request while a program computes.
const PATIENCE: Duration = Duration::from_millis(50);
/// The number of pauses of length `PATIENCE` to wait for the last output of an ended program. We wait only if another
/// process keeps the output open.
const LAST_PAUSES: u32 = 10;
/// The interval between attempts to write to a program that does not read.
const WRITE_PAUSE: Duration = Duration::from_millis(1);

/// The time limits of a program.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// The time within which the program must end after it was asked to stop or has closed its output.
    pub parting: Duration,
    /// The time without output after which a remark is made.
    pub silence: Duration,
}

/// The work that waits for a program.
pub trait Watch {
    /// Checks whether the work must stop. This method is called every 50 ms.
    ///
    /// # Errors
    ///
    /// Returns an error if the work must stop.
    fn check(&self) -> Result<(), Stopped>;

    /// Shows a remark to the user who waits; by default, remarks are dropped.
    fn remark(&mut self, remark: &str) {
        let _ = remark;
    }
}

/// A started program. The program and its children end when the process is dropped.
pub struct Process {
    command: String,
    group: Group,
    /// The standard input of the program; `None` after it was closed.
    to: Option<ChildStdin>,
    from: Receiver<io::Result<String>>,
    /// The beginning of an unfinished line.
    begun: Arc<Mutex<String>>,
    errors: Arc<Mutex<VecDeque<String>>>,
    reader_of_errors: JoinHandle<()>,
    patience: Patience,
    /// The time at which the program was asked to stop or closed its output; `None` before that.
    released: Option<Instant>,
    /// Whether a remark about the missing output of the program was made.
    is_told: bool,
}

/// The last line that a program reads.
#[derive(Serialize)]
struct Bye {
    bye: bool,
}

/// The time since which a dismissed program has been expected to end.
struct Unwatched(Instant);

impl Watch for Unwatched {
    fn check(&self) -> Result<(), Stopped> {
        if self.0.elapsed() < PATIENCE { Ok(()) } else { Err(Stopped(StopReason::Time)) }
    }
}

/// The reason why an exchange with a program had no result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExchangeError {
    /// The [`Watch`] ended the wait.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// The program failed, as the message says.
    #[error("{0}")]
    Failed(String),
}

type Exchanged<T> = Result<T, ExchangeError>;

/// Returns the message about a command that cannot be started. Since the user may have mistyped a name, a
/// note says which names are commands.
fn cannot_start(command: &str, error: &io::Error) -> String {
    let is_name = [io::ErrorKind::NotFound, io::ErrorKind::PermissionDenied];
    let note = " (a name with a blank or a slash in it is a command)";
    let note = if is_name.contains(&error.kind()) { note } else { "" };
    format!("cannot start `{command}`: {error}{note}")
}

/// Returns a line of JSON, including its end.
pub(super) fn line_with(what: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(what).expect("plain data");
    line.push(b'\n');
    line
}

/// Reads the next line, including its end; returns an empty line at the end of the input. An incomplete line is passed
/// to `on_part`.
fn line_of(
    reader: &mut impl BufRead,
    longest: usize,
    mut on_part: impl FnMut(&[u8]),
) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    loop {
        let available = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            available => available?,
        };
        let end = available.iter().position(|&byte| byte == b'\n');
        let num_used = end.map_or(available.len(), |place| place + 1);
        line.extend_from_slice(&available[..num_used]);
        reader.consume(num_used);
        if line.len() > longest {
            return Err(io::Error::other(format!("a line is longer than {longest} bytes")));
        }
        if end.is_some() || num_used == 0 {
            return Ok(line);
        }
        on_part(&line);
    }
}

/// Returns the first characters of a line.
fn beginning(line: &str, num_characters: usize) -> String {
    let line = line.trim_end();
    match line.char_indices().nth(num_characters) {
        Some((end, _)) => format!("{} ...", &line[..end]),
        None => line.into(),
    }
}

/// The most frequent cause of a program's silence.
pub(super) const UNFLUSHED: &str = "does it flush its output after each line?";

impl Process {
    /// Starts a program from its name and arguments; `words` must not be empty.
    ///
    /// # Errors
    ///
    /// Returns a message if the program [must not](super::guard_programs) or cannot be started.
    pub fn start(words: &[String], patience: Patience) -> Result<Process, String> {
        ask_to_start(words).map_err(|reason| format!("{}: {reason}", words.join(" ")))?;
        Process::spawn(words, patience)
    }

    /// Like [`start`](Process::start), for a program that may be started.
    pub(super) fn spawn(words: &[String], patience: Patience) -> Result<Process, String> {
        let command = words.join(" ");
        let mut program = Command::new(&words[0]);
        program
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let cannot = |error: io::Error| cannot_start(&command, &error);
        let mut group = Group::start(&mut program).map_err(cannot)?;
        let piped = "it was asked for";
        let to = group.child().stdin.take().expect(piped);
        // A program that does not read must not block the check for stop requests.
        #[cfg(unix)]
        rustix::io::ioctl_fionbio(&to, true).map_err(io::Error::from).map_err(cannot)?;
        let mut out = BufReader::new(group.child().stdout.take().expect(piped));
        let mut err = BufReader::new(group.child().stderr.take().expect(piped));
        let begun = Arc::<Mutex<String>>::default();
        let seen = Arc::clone(&begun);
        // The thread reads at most one line ahead; unsolicited output stays in the pipe.
        let (sender, from) = sync_channel(1);
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        let reading = thread("answers").spawn(move || {
            loop {
                let line = line_of(&mut out, LONGEST_LINE, |part| {
                    let part = &part[..part.len().min(4 * QUOTED)];
                    *lock(&seen) = beginning(&String::from_utf8_lossy(part), QUOTED);
                });
                let line = line.and_then(|line| String::from_utf8(line).map_err(io::Error::other));
                let is_last = line.as_ref().map_or(true, String::is_empty);
                lock(&seen).clear();
                if sender.send(line).is_err() || is_last {
                    return;
                }
            }
        });
        reading.map_err(cannot)?;
        let errors = Arc::<Mutex<VecDeque<String>>>::default();
        let heard = Arc::clone(&errors);
        let reader_of_errors = thread("messages").spawn(move || {
            while let Ok(line) = line_of(&mut err, LONGEST_LINE, |_| ()) {
                if line.is_empty() {
                    return;
                }
                let mut last = lock(&heard);
                last.push_back(beginning(&String::from_utf8_lossy(&line), TOLD_CHARACTERS));
                if last.len() > TOLD_LINES {
                    last.pop_front();
                }
            }
        });
        let reader_of_errors = reader_of_errors.map_err(cannot)?;
        Ok(Process {
            command,
            group,
            to: Some(to),
            from,
            begun,
            errors,
            reader_of_errors,
            patience,
            released: None,
            is_told: false,
        })
    }

    /// Sends a line to the program.
    ///
    /// # Errors
    ///
    /// Returns an error if `watch` ends the run while the program does not read, or if writing fails; a program that
    /// has ended is only detected by [`hear`](Process::hear).
    pub fn say(&mut self, what: &impl Serialize, watch: &mut dyn Watch) -> Exchanged<()> {
        self.say_line(&line_with(what), watch)
    }

    /// Like [`say`](Process::say), for a line that is already written, with its end.
    ///
    /// # Errors
    ///
    /// Same as [`say`](Process::say).
    pub(super) fn say_line(&mut self, line: &[u8], watch: &mut dyn Watch) -> Exchanged<()> {
        let since = Instant::now();
        let mut rest = line;
        while !rest.is_empty() {
            let to = self.to.as_mut().expect("it has not ended");
            match to.write(rest) {
                Ok(num_written) => rest = &rest[num_written..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    watch.check()?;
                    self.tell_silence(since, "has not read what it was told", watch);
                    sleep(WRITE_PAUSE);
                }
                // `hear` finds out why the program has ended.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => break,
                Err(error) => {
                    return Err(self.failure(&format!("it does not read on ({error})")));
                }
            }
        }
        Ok(())
    }

    /// Starts the clock for a program that was asked to stop: it must exit within the time limit.
    pub fn release(&mut self) {
        self.released = Some(Instant::now());
    }

    /// Returns `true` if the program has exceeded the time limit for its end.
    fn is_overdue(&self) -> bool {
        self.released.is_some_and(|since| since.elapsed() > self.patience.parting)
    }

    /// Reads the program's next line, without its end. Returns `None` after the program has ended successfully.
    /// `watch` is polled for stop requests while the program computes.
    ///
    /// # Errors
    ///
    /// Returns an error if `watch` ends the run, or if the program failed: it exited with an error, timed out, or wrote
    /// a line that is not text.
    pub fn hear(&mut self, watch: &mut dyn Watch) -> Exchanged<Option<String>> {
        let since = Instant::now();
        let mut last_pauses = 0;
        let line = loop {
            watch.check()?;
            if self.is_overdue() {
                return Err(self.stays("it was told to stop"));
            }
            match self.from.recv_timeout(PATIENCE) {
                Ok(line) => break line,
                Err(RecvTimeoutError::Disconnected) => break Ok(String::new()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // The children end with the program. Its output is complete by now, even if a process that cannot be killed
            // keeps it open.
            match self.group.status() {
                Ok(None) => self.tell_silence(since, "has said nothing", watch),
                _ if last_pauses == LAST_PAUSES => break Ok(String::new()),
                _ => last_pauses += 1,
            }
        };
        match line {
            Ok(line) if line.is_empty() => self.ended(watch),
            Ok(line) => Ok(Some(line)),
            Err(error) => Err(self.failure(&error.to_string())),
        }
    }

    /// Returns the beginning of a line that the program has written before it was asked, if there is one.
    pub fn unasked(&mut self) -> Option<String> {
        let line = self.from.try_recv().ok()?.ok()?;
        (!line.is_empty()).then(|| beginning(&line, QUOTED))
    }

    /// Returns the message about an invalid line of the program.
    pub fn failed_by(&mut self, line: &str, problem: &str) -> String {
        self.failed(&format!("{problem}; its line is {}", beginning(line, QUOTED)))
    }

    /// Shows a remark that the program has been silent for a long time, unless this remark was shown before.
    fn tell_silence(&mut self, since: Instant, what: &str, watch: &mut dyn Watch) {
        let elapsed = since.elapsed();
        if self.is_told || elapsed < self.patience.silence {
            return;
        }
        self.is_told = true;
        let begun = lock(&self.begun).clone();
        let begun = match begun.is_empty() {
            true => format!("; {UNFLUSHED}"),
            false => format!(", and has not ended the line {begun}"),
        };
        let since = SystemTime::now() - elapsed;
        watch.remark(&format!(
            "{}: the program {what} for {} seconds (since {}){begun}",
            self.command,
            elapsed.as_secs(),
            humantime::format_rfc3339_seconds(since),
        ));
    }

    /// Waits for the end of the program. Returns `None` if the program succeeded.
    fn ended(&mut self, watch: &mut dyn Watch) -> Exchanged<Option<String>> {
        self.to = None;
        self.release();
        // Most programs end as soon as they have closed their output.
        let mut pause = WRITE_PAUSE / 8;
        loop {
            match self.group.status() {
                Ok(None) if self.is_overdue() => return Err(self.stays("it closed its output")),
                Ok(None) => {
                    watch.check()?;
                    sleep(pause);
                    pause = (2 * pause).min(PATIENCE);
                }
                Ok(Some(status)) if status.success() => return Ok(None),
                Ok(Some(status)) => return Err(self.failure(&format!("it failed ({status})"))),
                Err(error) => return Err(self.failure(&error.to_string())),
            }
        }
    }

    /// Returns the error about a program that has not ended within its time limit.
    fn stays(&mut self, since: &str) -> ExchangeError {
        let seconds = self.patience.parting.as_secs_f64();
        self.failure(&format!(
            "it has not ended {seconds} seconds after {since}; a thread or a child of it may be waiting"
        ))
    }

    /// Closes the input of the program, which must then end within the time limit.
    pub fn leave(&mut self) {
        self.to = None;
        self.release();
    }

    /// Tells programs that they are no longer needed, and waits until they have ended.
    pub fn dismiss(processes: &mut [Process]) {
        for process in processes.iter_mut() {
            // A program that has ended, or does not read, is not told.
            let _ = process.say(&Bye { bye: true }, &mut Unwatched(Instant::now()));
            process.leave();
        }
        processes.iter_mut().for_each(Process::wait);
    }

    /// Waits until a program that was [left](Process::leave) ends, or its time limit is exceeded.
    pub fn wait(&mut self) {
        while !self.is_overdue() && matches!(self.group.status(), Ok(None)) {
            sleep(WRITE_PAUSE);
        }
    }

    fn failure(&mut self, problem: &str) -> ExchangeError {
        ExchangeError::Failed(self.failed(problem))
    }

    /// Returns the message about a program that failed, with its last lines of standard error.
    pub fn failed(&mut self, problem: &str) -> String {
        // The standard error of a program is complete when the program ends, unless a child keeps the pipe open.
        let mut pauses = 0..LAST_PAUSES;
        while !self.reader_of_errors.is_finished() && pauses.next().is_some() {
            sleep(PATIENCE);
        }
        let errors = lock(&self.errors);
        let said = errors.iter().map(|line| format!("\n  {line}")).collect::<String>();
        let colon = if said.is_empty() { "" } else { "; it says:" };
        format!("{}: {problem}{colon}{said}", self.command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_explained_where_it_may_be_wrong() {
        let said = |error| cannot_start("x/y", &error).contains("a name with a blank or a slash");
        assert!(said(io::ErrorKind::NotFound.into()));
        assert!(said(io::ErrorKind::PermissionDenied.into()));
        // Error 24 means that too many files are open.
        #[cfg(unix)]
        assert!(!said(io::Error::from_raw_os_error(24)));
        assert!(!said(io::ErrorKind::OutOfMemory.into()));
    }

    #[test]
    fn lines_have_a_longest_length() {
        let mut parts = Vec::new();
        let mut text = BufReader::with_capacity(4, "123456\n78".as_bytes());
        let mut next =
            |longest| line_of(&mut text, longest, |part: &[u8]| parts.push(part.to_vec()));
        assert_eq!(next(7).expect("short enough"), b"123456\n");
        assert_eq!(next(7).expect("the last"), b"78");
        assert_eq!(next(7).expect("the end"), b"");
        assert_eq!(parts, [b"1234".to_vec(), b"7".to_vec(), b"78".to_vec()]);
        let mut text = BufReader::with_capacity(4, "123456\n".as_bytes());
        assert!(line_of(&mut text, 6, |_| ()).is_err());
    }
}
