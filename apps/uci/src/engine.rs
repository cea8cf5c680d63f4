//! An engine as a child process.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

use crate::options::UciOption;

/// The time in which an engine must end after `quit`, before it is killed.
const PARTING: Duration = Duration::from_millis(500);
/// The number of lines that are read before they are used; further lines stay in the pipe.
const LINES_AHEAD: usize = 64;
/// The longest line that is read, in bytes. The rest of a longer line counts as the next line.
const LONGEST_LINE: u64 = 1 << 16;
/// The score of a mate, in hundredths of a pawn.
const MATE: i32 = 30_000;

/// The error of an engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The program cannot be started.
    #[error("cannot start `{command}`: {source}")]
    Start {
        /// The command.
        command: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The engine has not answered in time.
    #[error("no `{expected}` within {seconds} seconds after `{asked}`{}", hint(asked))]
    Silent {
        /// The command that the engine was sent.
        asked: String,
        /// The answer that was expected.
        expected: &'static str,
        /// The time that the engine had.
        seconds: f64,
    },
    /// The engine has ended or has closed its output.
    #[error("it ended ({status}) before it answered `{asked}`")]
    Ended {
        /// The command that the engine was sent.
        asked: String,
        /// The exit status.
        status: String,
    },
    /// The engine has not named a move, although there are legal moves.
    #[error("it answered `{0}` where there are legal moves")]
    NoMove(String),
    /// The engine has named an illegal move.
    #[error("illegal move {0}")]
    IllegalMove(String),
}

/// Returns advice for an engine that does not answer.
fn hint(asked: &str) -> &'static str {
    match asked {
        "uci" => "; some engines speak UCI only with an argument, which follows after `--`",
        _ if asked.starts_with("go nodes") => {
            "; an engine that does not know `go nodes` needs --depth or --movetime"
        }
        _ => "",
    }
}

/// The limits of the time in which an engine must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// The time in which an engine must answer `uci` and `isready`, and find a move without a limit of time.
    pub answer: Duration,
    /// The time that an engine may need in addition to its time for a move.
    pub delay: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience { answer: Duration::from_secs(10), delay: Duration::from_secs(5) }
    }
}

/// The limit of the search for a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// A number of positions.
    Nodes(u64),
    /// A number of plies.
    Depth(u64),
    /// A time in milliseconds.
    Time(u64),
}

impl Limit {
    fn time(self, patience: Patience) -> Duration {
        match self {
            Limit::Nodes(_) | Limit::Depth(_) => patience.answer,
            Limit::Time(time) => patience.delay + Duration::from_millis(time),
        }
    }
}

/// Writes the limit as in `go nodes 2000`.
impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Limit::Nodes(number) => write!(f, "nodes {number}"),
            Limit::Depth(number) => write!(f, "depth {number}"),
            Limit::Time(time) => write!(f, "movetime {time}"),
        }
    }
}

/// The move that an engine has found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The word after `bestmove`, which is not checked.
    pub best_move: String,
    /// The last score, in hundredths of a pawn for the side to move; `None` if the engine has not named one.
    pub score: Option<i32>,
}

/// A running engine. It ends when the value is dropped, and at the latest when its input closes.
pub struct Engine {
    /// The limits from now on.
    pub patience: Patience,
    child: Child,
    /// `None` after the input was closed.
    to: Option<ChildStdin>,
    from: Receiver<String>,
    name: String,
    options: Vec<UciOption>,
    /// The options that the engine was sent, with their last values.
    sent: BTreeMap<String, String>,
}

impl Engine {
    /// Starts an engine from its name and arguments, and reads its options. `words` must not be empty.
    ///
    /// # Errors
    ///
    /// Returns an error if the program cannot be started, ends, or does not write `uciok` in time.
    pub fn start(words: &[String], patience: Patience) -> Result<Engine, EngineError> {
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command
            .spawn()
            .map_err(|source| EngineError::Start { command: words.join(" "), source })?;
        let to = child.stdin.take();
        let mut out = BufReader::new(child.stdout.take().expect("it was asked for"));
        let (sender, from) = sync_channel(LINES_AHEAD);
        let reading = std::thread::Builder::new().name("engine".into()).spawn(move || {
            let mut line = Vec::new();
            while matches!((&mut out).take(LONGEST_LINE).read_until(b'\n', &mut line), Ok(1..)) {
                let text = String::from_utf8_lossy(&line).trim().to_string();
                line.clear();
                if sender.send(text).is_err() {
                    return;
                }
            }
        });
        if let Err(source) = reading {
            let _ = child.kill();
            return Err(EngineError::Start { command: words.join(" "), source });
        }
        let (name, sent) = (words[0].clone(), BTreeMap::new());
        let mut engine = Engine { patience, child, to, from, name, options: Vec::new(), sent };
        let (mut id, mut options) = (None, Vec::new());
        engine.ask("uci", "uciok", patience.answer, |line| {
            match line.strip_prefix("id name ") {
                Some(name) => id = Some(name.to_string()),
                None => options.extend(UciOption::parse(line)),
            }
        })?;
        if let Some(id) = id {
            engine.name = id;
        }
        engine.options = options;
        Ok(engine)
    }

    /// Returns the name that the engine gives itself, or its command.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the options of the engine, in its order.
    pub fn options(&self) -> &[UciOption] {
        &self.options
    }

    /// Sends a line. If the engine has ended, the wait for its next answer finds out.
    fn say(&mut self, line: &str) {
        if let Some(to) = &mut self.to {
            // One write for the whole line: some engines read what a pipe has, not lines.
            let _ = to.write_all(format!("{line}\n").as_bytes()).and_then(|()| to.flush());
        }
    }

    /// Sends a line, and passes the answers to `on_line` up to the line that begins with the word `expected`, which is
    /// returned.
    fn ask(
        &mut self,
        asked: &str,
        expected: &'static str,
        patience: Duration,
        mut on_line: impl FnMut(&str),
    ) -> Result<String, EngineError> {
        self.say(asked);
        let deadline = Instant::now() + patience;
        loop {
            // An engine that writes without end must not delay the deadline.
            let left = deadline.saturating_duration_since(Instant::now());
            let asked = || asked.to_string();
            match self.from.recv_timeout(left) {
                Ok(line) if line.split_whitespace().next() == Some(expected) => return Ok(line),
                Ok(line) if !left.is_zero() => on_line(&line),
                Ok(_) | Err(RecvTimeoutError::Timeout) => {
                    let seconds = patience.as_secs_f64();
                    return Err(EngineError::Silent { asked: asked(), expected, seconds });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let status = self.ended_within(PARTING);
                    let status = status.unwrap_or_else(|| "its output is closed".into());
                    return Err(EngineError::Ended { asked: asked(), status });
                }
            }
        }
    }

    /// Waits for the end of the process, and returns its status.
    fn ended_within(&mut self, time: Duration) -> Option<String> {
        const PAUSE: Duration = Duration::from_millis(1);
        let since = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status.to_string()),
                _ if since.elapsed() >= time => return None,
                _ => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Sends the options whose values differ from the values that were sent last.
    pub fn configure(&mut self, settings: &[(&str, &str)]) {
        for &(name, value) in settings {
            if self.sent.get(name).is_none_or(|sent| sent != value) {
                self.say(&format!("setoption name {name} value {value}"));
                self.sent.insert(name.into(), value.into());
            }
        }
    }

    /// Checks whether the engine has never had other values than these. Some engines, such as Toga II 3.0, keep
    /// evaluations from before a change of options even if a new game begins.
    pub fn suits(&self, settings: &[(&str, &str)]) -> bool {
        let differs =
            |(name, value): &(&str, &str)| self.sent.get(*name).is_some_and(|sent| sent != value);
        !settings.iter().any(differs)
    }

    /// Announces a new game, and waits until the engine is ready.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine ends, or is not ready in time.
    pub fn new_game(&mut self) -> Result<(), EngineError> {
        self.say("ucinewgame");
        self.ask("isready", "readyok", self.patience.answer, |_| ()).map(drop)
    }

    /// Asks for a move in a position, which is written as after the command `position`.
    ///
    /// # Errors
    ///
    /// Returns an error if the engine ends or does not answer in time.
    pub fn think(&mut self, position: &str, limit: Limit) -> Result<Answer, EngineError> {
        self.say(&format!("position {position}"));
        let mut score = None;
        let asked = format!("go {limit}");
        let line = self.ask(&asked, "bestmove", limit.time(self.patience), |line| {
            score = read_score(line).or(score);
        })?;
        let best_move = line.split_whitespace().nth(1).unwrap_or_default();
        match best_move {
            "" | "(none)" | "0000" | "NULL" => Err(EngineError::NoMove(line)),
            _ => Ok(Answer { best_move: best_move.into(), score }),
        }
    }
}

/// Reads the score of an `info` line, in hundredths of a pawn. Bounds, and lines of moves other than the best, have no
/// score.
fn read_score(line: &str) -> Option<i32> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let after = |key| words.iter().position(|word| *word == key).map(|place| &words[place + 1..]);
    let is_best = after("multipv").is_none_or(|rest| rest.first() == Some(&"1"));
    let is_exact = !words.contains(&"lowerbound") && !words.contains(&"upperbound");
    if words.first() != Some(&"info") || !is_best || !is_exact {
        return None;
    }
    match after("score")? {
        ["cp", value, ..] => value.parse().ok(),
        // `mate 0` is said of a side that is mated.
        ["mate", moves, ..] => {
            moves.parse().ok().map(|moves: i32| if moves > 0 { MATE } else { -MATE })
        }
        _ => None,
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.say("quit");
        self.to = None;
        if self.ended_within(PARTING).is_none() {
            // An error means that the engine has just ended.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of Toga II 3.0 and Stockfish 15.1.
    #[test]
    fn scores_are_read_as_engines_write_them() {
        let line =
            "info multipv 1 depth 7 seldepth 14 score cp -28 time 14 nodes 21370 pv d2d4 d7d5";
        assert_eq!(read_score(line), Some(-28));
        assert_eq!(read_score(&line.replace("multipv 1", "multipv 2")), None);
        assert_eq!(read_score(&line.replace("-28", "-28 upperbound")), None);
        assert_eq!(read_score("info depth 1 score mate 3 pv h5f7"), Some(MATE));
        assert_eq!(read_score("info depth 1 score mate -3"), Some(-MATE));
        assert_eq!(read_score("info depth 0 score mate 0"), Some(-MATE));
        for line in ["info depth 7 nodes 3", "score cp 3", "info score", "info score cp", ""] {
            assert_eq!(read_score(line), None, "{line}");
        }
    }
}
