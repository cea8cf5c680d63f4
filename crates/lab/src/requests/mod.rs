//! Scores strategies for an external optimiser. Each line of input is a request in JSON. Its answer is a line of JSON.
//!
//! Answers come in the order of the requests, as early as possible. They do not depend on the number of threads.

mod queue;
mod spec;

use std::io::{self, BufRead};
use std::sync::Arc;
use std::thread::Scope;

use serde::Serialize;

use self::queue::{Games, Line, Prepared, Queue, Ready};
pub use self::spec::{RequestError, RequestId, RequestSpec, id_of};
use ruse_base::rng::{Label, StreamKey};
use ruse_base::stop::StopSignal;
use ruse_play::arena::Source;
use ruse_play::family::{AnyFamily, PlayerError};
use ruse_play::score::Tally;

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

/// Answers requests until the end of the input, which `open` opens on a separate thread. `on_answers` receives one or
/// more lines of answers at a time.
///
/// # Errors
///
/// Returns an error if the input cannot be read, if an answer cannot be delivered, or if the program was stopped from
/// outside.
pub fn answer<R: BufRead, E>(
    family: &dyn AnyFamily,
    usual: Evaluation,
    open: impl FnOnce() -> R + Send + 'static,
    mut on_answers: impl FnMut(&str) -> Result<(), E>,
    stop: &StopSignal,
) -> Result<(), RequestsError<E>> {
    let max_bytes = MAX_BYTES + MAX_BYTES_PER_PARAMETER * family.space().dimension();
    let queue = Arc::new(Queue::new(rayon::current_num_threads()));
    let lines = Arc::clone(&queue);
    // The thread is not joined, because it may wait forever for a line.
    let reading = std::thread::Builder::new().name("input".into()).spawn(move || {
        // A blank line gets no answer.
        let end = read_lines(open(), max_bytes, |line| match &line {
            Line::Text(text) if text.trim_ascii().is_empty() => true,
            _ => lines.push(line),
        });
        lines.close(end);
    });
    reading.map_err(RequestsError::NoThread)?;
    let server = Server { family, usual, max_bytes };
    std::thread::scope(|scope| {
        serve(scope, &queue, &server).map_err(RequestsError::NoThread)?;
        let ended = loop {
            match queue.answers(|| stop.check().is_err()) {
                Some(Ready::Answers(answers)) => {
                    if let Err(refusal) = on_answers(&answers) {
                        break Err(RequestsError::Refused(refusal));
                    }
                }
                Some(Ready::End(end)) => break end.map_err(RequestsError::Unreadable),
                None => break Err(RequestsError::Stopped),
            }
        };
        queue.stop();
        ended
    })
}

/// Starts another thread for requests.
fn serve<'scope>(
    scope: &'scope Scope<'scope, '_>,
    queue: &'scope Queue,
    server: &'scope Server<'scope>,
) -> std::io::Result<()> {
    let work = move || {
        queue.work(
            // Without another thread, this one answers the requests in turn.
            || _ = serve(scope, queue, server),
            |line, halt| server.prepare(line, halt),
            |games, tally| server.conclude(games, tally),
        );
    };
    std::thread::Builder::new().spawn_scoped(scope, work).map(drop)
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
    fn prepare(&self, line: Line, halt: &StopSignal) -> Prepared {
        let (id, error) = match line {
            Line::TooLong => (RequestId::default(), RequestError::TooLong(self.max_bytes)),
            Line::Text(text) => match RequestSpec::parse(&text) {
                Err(error) => (id_of(&text), error),
                Ok(request) => match self.begin(&request, halt) {
                    Err(error) => (request.id, error),
                    Ok(games) if games.tally.num_pairs() == games.num_pairs => {
                        return Prepared::Answer(self.conclude(&games, &games.tally));
                    }
                    Ok(games) => return Prepared::Games(games),
                },
            },
        };
        Prepared::Answer(Answer::Refused { id: &id, error: error.to_string() }.to_json())
    }

    /// Prepares the games of a request. If the score cannot be computed, plays the first pair, which may show that the
    /// score is exact. Plays nothing if a stop is requested.
    fn begin(&self, request: &RequestSpec, halt: &StopSignal) -> Result<Games, RequestError> {
        let Evaluation { pairs, max_pairs, seed, sampled, .. } = self.usual;
        if let Some(pairs) = request.pairs.filter(|pairs| *pairs > max_pairs) {
            return Err(RequestError::TooManyPairs { pairs, max_pairs });
        }
        let key = StreamKey::root(request.seed.unwrap_or(seed));
        let [a, b] = request.contestants(self.family, key)?;
        let misfit =
            |source: PlayerError| RequestError::Contestant { side: "a", source: source.into() };
        let duel = self.family.duel(&a, &b).map_err(misfit)?;
        let key = key.child(Label::Match, 0);
        let computed = if sampled { None } else { duel.exact() };
        let asked = request.pairs.or(pairs);
        let mut tally = Tally::default();
        let exact = computed.or_else(|| {
            let first = duel.open(key, halt).ok()?;
            tally.add(first.seen);
            first.exact.filter(|_| !sampled)
        });
        let num_pairs = match (asked, exact) {
            (Some(num_pairs), _) => num_pairs,
            (None, Some(_)) => 0,
            (None, None) => {
                DefaultPairs::of_players(self.family, &[&a, &b]).evaluation.min(max_pairs)
            }
        };
        if num_pairs == 0 {
            tally = Tally::default();
        }
        Ok(Games { duel, key, num_pairs, tally, id: request.id.clone(), exact })
    }

    fn conclude(&self, games: &Games, tally: &Tally) -> String {
        let Games { num_pairs, id, exact, .. } = games;
        // A score that is known exactly needs no pairs.
        let score = exact.or_else(|| tally.score()).expect("pairs were played, or it is exact");
        let interval = match exact {
            Some(score) => [*score; 2],
            None => tally.interval_at(self.usual.confidence),
        };
        let answer = Answer::Scored {
            id,
            score,
            exact: exact.is_some(),
            interval,
            pairs: *num_pairs,
            wins: tally.wins(),
            draws: tally.draws(),
            losses: tally.losses(),
        };
        answer.to_json()
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
