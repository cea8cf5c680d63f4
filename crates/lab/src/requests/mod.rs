//! Scores strategies for an external optimiser. Each line of input is a request in JSON. Its answer is a line of JSON.
//!
//! Answers come in the order of the requests, as early as possible. They do not depend on the number of threads: many small
//! requests are processed at once, and all threads play the games of a large one.

mod spec;

use std::collections::BTreeMap;
use std::io::{self, BufRead};
use std::sync::mpsc::{RecvTimeoutError, channel, sync_channel};
use std::time::Duration;

use rayon::Yield;
use serde::Serialize;

pub use self::spec::{RequestError, RequestId, RequestSpec, id_of};
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::{StopSignal, Stopped};
use ruse_play::family::{AnyFamily, PlayerError};
use ruse_play::score::{known, sample};

use super::language::run::DefaultPairs;

/// The defaults and limits of requests.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Evaluation {
    /// The default number of pairs of games. `None` means a number that suits the family, or 0 if the score is known
    /// exactly.
    pub pairs: Option<u64>,
    /// The maximum number of pairs per request. It is limited because later requests wait for the answer.
    pub max_pairs: u64,
    /// The default seed of all random numbers.
    pub seed: u64,
    /// The probability that an interval contains the score.
    pub confidence: f64,
    /// True if games are played even if the score can be computed.
    pub sampled: bool,
}

/// The reason why not all requests were answered.
#[derive(Debug, thiserror::Error)]
pub enum RequestsError<E> {
    /// The input cannot be read.
    #[error("cannot read the requests: {0}")]
    Unreadable(io::Error),
    /// An answer could not be delivered.
    #[error(transparent)]
    Refused(E),
    /// The program was stopped from outside.
    #[error("the requests were stopped")]
    Stopped,
    /// The system cannot start a thread.
    #[error("cannot start a thread: {0}")]
    NoThread(io::Error),
}

/// The maximum size of a request, in bytes. Each parameter of the family adds `MAX_BYTES_PER_PARAMETER`.
const MAX_BYTES: usize = 1 << 20;
const MAX_BYTES_PER_PARAMETER: usize = 64;

/// The maximum number of requests in progress, and of lines that wait.
const MAX_REQUESTS: usize = 64;
/// The interval between checks for a stop request while no request is in progress.
const POLL: Duration = Duration::from_millis(50);
/// The interval between checks for new requests while games are played.
const GLANCE: Duration = Duration::from_millis(1);

enum Line {
    /// The bytes of a line, without its end.
    Text(Vec<u8>),
    /// A line that was too long, and was skipped.
    TooLong,
}

/// Answers requests until the end of the input, which `open` opens on a separate thread. `on_answers` receives one or
/// more lines of answers at a time.
///
/// # Errors
///
/// Returns an error if the input cannot be read, if an answer cannot be delivered, or if the program was stopped from
/// outside. `stop` is then raised.
pub fn answer<R: BufRead, E>(
    family: &dyn AnyFamily,
    usual: Evaluation,
    open: impl FnOnce() -> R + Send + 'static,
    mut on_answers: impl FnMut(&str) -> Result<(), E>,
    stop: &StopSignal,
) -> Result<(), RequestsError<E>> {
    let max_bytes = MAX_BYTES + MAX_BYTES_PER_PARAMETER * family.space().dimension();
    let (sender, lines) = sync_channel(MAX_REQUESTS);
    // The thread is not joined, because it may wait forever for a line.
    let reading = std::thread::Builder::new().name("input".into()).spawn(move || {
        let end = read_lines(open(), max_bytes, |line| match &line {
            // A blank line gets no answer.
            Line::Text(text) if text.trim_ascii().is_empty() => true,
            _ => sender.send(Ok(line)).is_ok(),
        });
        // An error after the end is not awaited.
        let _ = end.map_err(|error| sender.send(Err(error)));
    });
    reading.map_err(RequestsError::NoThread)?;
    let server = Server { family, usual, max_bytes, stop };
    let (answering, answered) = channel();
    rayon::in_place_scope_fifo(|scope| {
        let (mut begun, mut written) = (0, 0);
        let mut early = BTreeMap::new();
        let mut serve = || {
            let mut end = None;
            loop {
                while end.is_none() && begun - written < MAX_REQUESTS {
                    let wait = if begun == written { POLL } else { Duration::ZERO };
                    match lines.recv_timeout(wait) {
                        Ok(Ok(line)) => {
                            let (number, answering, server) = (begun, answering.clone(), &server);
                            scope.spawn_fifo(move |_| {
                                // An answer after a stop is not awaited.
                                let _ = answering.send((number, server.answer(line)));
                            });
                            begun += 1;
                        }
                        Ok(Err(error)) => end = Some(Err(RequestsError::Unreadable(error))),
                        Err(RecvTimeoutError::Disconnected) => end = Some(Ok(())),
                        Err(RecvTimeoutError::Timeout) => break,
                    }
                }
                stop.check().map_err(|_| RequestsError::Stopped)?;
                // If this thread belongs to the pool, it may be the only one.
                if begun > written && rayon::yield_now() != Some(Yield::Executed) {
                    early.extend(answered.recv_timeout(GLANCE));
                }
                early.extend(answered.try_iter());
                let mut text = String::new();
                while let Some(answer) = early.remove(&written) {
                    text += &answer.map_err(|Stopped(_)| RequestsError::Stopped)?;
                    text.push('\n');
                    written += 1;
                }
                if !text.is_empty() {
                    on_answers(&text).map_err(RequestsError::Refused)?;
                }
                if begun == written
                    && let Some(end) = end.take()
                {
                    return end;
                }
            }
        };
        // Games of later requests must not go on if an answer cannot be delivered.
        serve().inspect_err(|_| _ = stop.raise())
    })
}

/// Passes each line of `input` to `on_line`, until the input ends or `on_line` returns `false`.
fn read_lines(
    mut input: impl BufRead,
    max_bytes: usize,
    mut on_line: impl FnMut(Line) -> bool,
) -> io::Result<()> {
    let mut text = Vec::new();
    // The text of a line that is too long is discarded.
    let mut is_too_long = false;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let is_end = buffer.is_empty();
        let end_of_line = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end_of_line.unwrap_or(buffer.len())];
        is_too_long |= text.len() + part.len() > max_bytes;
        if is_too_long {
            text = Vec::new();
        } else {
            text.extend_from_slice(part);
        }
        let num_bytes = part.len() + usize::from(end_of_line.is_some());
        input.consume(num_bytes);
        if end_of_line.is_some() || (is_end && (is_too_long || !text.is_empty())) {
            let line = match std::mem::take(&mut is_too_long) {
                true => Line::TooLong,
                false => Line::Text(std::mem::take(&mut text)),
            };
            if !on_line(line) {
                return Ok(());
            }
        }
        if is_end {
            return Ok(());
        }
    }
}

struct Server<'a> {
    family: &'a dyn AnyFamily,
    usual: Evaluation,
    max_bytes: usize,
    stop: &'a StopSignal,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answer<'a> {
    Refused {
        id: &'a RequestId,
        error: String,
    },
    Scored {
        id: &'a RequestId,
        score: f64,
        exact: bool,
        interval: [f64; 2],
        pairs: u64,
        wins: u64,
        draws: u64,
        losses: u64,
    },
}

impl Answer<'_> {
    fn to_json(&self) -> String {
        serde_json::to_string(self).expect("plain data")
    }
}

impl Server<'_> {
    /// Returns the answer to a line.
    fn answer(&self, line: Line) -> Result<String, Stopped> {
        let (id, error) = match line {
            Line::TooLong => (RequestId::default(), RequestError::TooLong(self.max_bytes)),
            Line::Text(text) => match RequestSpec::parse(&text) {
                Err(error) => (id_of(&text), error),
                Ok(request) => match self.score(&request) {
                    Err(error) => (request.id, error),
                    Ok(answer) => return answer,
                },
            },
        };
        Ok(Answer::Refused { id: &id, error: error.to_string() }.to_json())
    }

    /// Plays the games of a request. If the score cannot be computed, the first pair may show that it is exact.
    fn score(&self, request: &RequestSpec) -> Result<Result<String, Stopped>, RequestError> {
        let Evaluation { pairs, max_pairs, seed, sampled, confidence } = self.usual;
        if let Some(pairs) = request.pairs.filter(|pairs| *pairs > max_pairs) {
            return Err(RequestError::TooManyPairs { pairs, max_pairs });
        }
        let key = StreamKey::root(request.seed.unwrap_or(seed));
        let [a, b] = request.contestants(self.family, key)?;
        let misfit =
            |source: PlayerError| RequestError::Contestant { side: "a", source: source.into() };
        let duel = self.family.duel(&a, &b).map_err(misfit)?;
        let key = key.child(Label::Match, 0);
        let known = if sampled { Ok(None) } else { known(&duel, key, self.stop) };
        let exact = match known {
            Err(stopped) => return Ok(Err(stopped)),
            Ok(known) => known.and_then(|scored| scored.exact),
        };
        let num_pairs = match (request.pairs.or(pairs), exact) {
            (Some(num_pairs), _) => num_pairs,
            (None, Some(_)) => 0,
            (None, None) => {
                DefaultPairs::of_players(self.family, &[&a, &b]).evaluation.min(max_pairs)
            }
        };
        let (tally, played) = sample(&duel, key, num_pairs, self.stop, |_| ());
        Ok(played.map(|()| {
            // A score that is known exactly needs no pairs.
            let score = exact.or_else(|| tally.score()).expect("pairs were played, or it is exact");
            let answer = Answer::Scored {
                id: &request.id,
                score,
                exact: exact.is_some(),
                interval: exact.map_or_else(|| tally.interval_at(confidence), |score| [score; 2]),
                pairs: num_pairs,
                wins: tally.wins(),
                draws: tally.draws(),
                losses: tally.losses(),
            };
            answer.to_json()
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &[u8], buffer: usize) -> Vec<Result<String, ()>> {
        let mut lines = Vec::new();
        let input = io::BufReader::with_capacity(buffer, input);
        read_lines(input, 5, |line| {
            lines.push(match line {
                Line::Text(text) => Ok(String::from_utf8(text).expect("text")),
                Line::TooLong => Err(()),
            });
            true
        })
        .expect("readable");
        lines
    }

    #[test]
    fn lines_are_read_whatever_the_buffer_holds() {
        let text = |text: &str| Ok(text.to_string());
        for buffer in [1, 2, 3, 7, 100] {
            assert_eq!(lines(b"", buffer), []);
            assert_eq!(lines(b"\n", buffer), [text("")]);
            assert_eq!(lines(b"a\n\nbc", buffer), [text("a"), text(""), text("bc")]);
            assert_eq!(lines(b"12345\n123456\nx\n", buffer), [text("12345"), Err(()), text("x")]);
            assert_eq!(lines(b"x\n12345678901234567890", buffer), [text("x"), Err(())]);
        }
    }
}
