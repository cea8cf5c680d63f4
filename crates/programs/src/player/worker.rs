//! A process that plays one game or several at once.
//!
//! Games on several threads share a process. A thread that has a question leads if the process is free: it sends all
//! waiting lines, reads the answers in the order of the questions, and hands them out. Questions that come meanwhile
//! are sent together by the next leader, so a program that plays several games sees several questions at once.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ruse_base::stop::StopRequest;
use serde::Serialize;

use super::conduct::{Absence, Fault, Result};
use super::deadline::{Deadline, absence, late};
use crate::Process;
use crate::gate::lock;
use crate::process::line_with;

/// A process, and the lines that wait for it.
pub(super) struct Worker {
    state: Mutex<State>,
    /// Is notified when the process is free, has answered, or has ended.
    changed: Condvar,
    /// The time for an answer.
    time: Duration,
}

struct State {
    /// The process; `None` while a leader uses it, and after its end.
    process: Option<Process>,
    has_ended: bool,
    waiting: Vec<Line>,
    /// The answers by number of the question.
    answers: BTreeMap<u64, Result<Answer>>,
    num_questions: u64,
}

struct Line {
    text: Vec<u8>,
    /// The number of the question; `None` for a line without an answer.
    question: Option<u64>,
}

/// A line that the process has written.
pub(super) type Answer = String;

/// Returns the reason for an answer that is missing because of a mistake in another game.
fn beside() -> Absence {
    Absence::Fault(Fault::Beside, "a mistake in another game ended the process".into())
}

impl Worker {
    pub(super) fn new(process: Process, time: Duration) -> Worker {
        let state = State {
            process: Some(process),
            has_ended: false,
            waiting: Vec::new(),
            answers: BTreeMap::new(),
            num_questions: 0,
        };
        Worker { state: Mutex::new(state), changed: Condvar::new(), time }
    }

    /// Returns `true` if the process can play further games.
    pub(super) fn is_usable(&self) -> bool {
        !lock(&self.state).has_ended
    }

    /// Takes the process, unless it is in use or has ended.
    pub(super) fn take(&self) -> Option<Process> {
        let mut state = lock(&self.state);
        state.has_ended = true;
        state.process.take()
    }

    /// Sends a line without an answer, at the latest with the next question.
    pub(super) fn tell(&self, what: &impl Serialize, stop: &StopRequest) {
        let mut state = lock(&self.state);
        state.waiting.push(Line { text: line_with(what), question: None });
        if let Some(process) = state.process.take() {
            drop(self.lead(state, process, stop));
        }
    }

    /// Asks a question, and waits for the answer.
    ///
    /// # Errors
    ///
    /// Returns the reason for a missing answer. Unless the games were stopped or the fault is
    /// [`Beside`](Fault::Beside), the process has ended because of this question.
    pub(super) fn ask(&self, what: &impl Serialize, stop: &StopRequest) -> Result<Answer> {
        let mut state = lock(&self.state);
        let question = state.num_questions;
        state.num_questions += 1;
        state.waiting.push(Line { text: line_with(what), question: Some(question) });
        loop {
            if let Some(answer) = state.answers.remove(&question) {
                return answer;
            }
            state = match state.process.take() {
                Some(process) => self.lead(state, process, stop),
                None if state.has_ended => return Err(beside()),
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// Ends the process, which cannot be used any more, and returns a message about a line that it wrote.
    pub(super) fn end_after(&self, line: &str, problem: &str) -> String {
        match self.take() {
            Some(mut process) => process.failed_by(line, problem),
            None => format!("{problem}; its line is {line}"),
        }
    }

    /// Sends the waiting lines, and reads the answers.
    fn lead<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        mut process: Process,
        stop: &StopRequest,
    ) -> MutexGuard<'a, State> {
        let lines = std::mem::take(&mut state.waiting);
        drop(state);
        let mut answers = Vec::new();
        let served = self.serve(&mut process, &lines, &mut answers, stop);
        let mut questions = lines.iter().filter_map(|line| line.question);
        // The process is killed before others learn that it has ended.
        let process = served.is_ok().then_some(process);
        let mut state = lock(&self.state);
        let answered = answers.into_iter().zip(questions.by_ref());
        state.answers.extend(answered.map(|(answer, question)| (question, Ok(answer))));
        if let Err(absence) = served {
            let is_stop = matches!(absence, Absence::Stopped);
            let of_first = questions.next().map(|question| (question, Err(absence)));
            let other = || if is_stop { Absence::Stopped } else { beside() };
            state.answers.extend(of_first);
            state.answers.extend(questions.map(|question| (question, Err(other()))));
        }
        state.has_ended |= process.is_none();
        state.process = process.filter(|_| !state.has_ended);
        self.changed.notify_all();
        state
    }

    /// Exchanges lines with the process. `answers` receives the answers, in the order of the questions. An error is the
    /// reason why the next answer is missing.
    fn serve(
        &self,
        process: &mut Process,
        lines: &[Line],
        answers: &mut Vec<Answer>,
        stop: &StopRequest,
    ) -> Result {
        let is_asked = lines.iter().any(|line| line.question.is_some());
        // A line that comes between games is found out at the next question.
        if is_asked && let Some(line) = process.unasked() {
            let problem = format!("a line that nothing had asked for: {line}");
            return Err(Absence::Fault(Fault::Broken, problem));
        }
        let since = Instant::now();
        let mut watch = Deadline { until: since + self.time, stop };
        let missing = |error| absence(error, self.time);
        for line in lines {
            process.say_line(&line.text, &mut watch).map_err(missing)?;
        }
        for _ in lines.iter().filter(|line| line.question.is_some()) {
            match process.hear(&mut watch).map_err(missing)? {
                Some(_) if since.elapsed() > self.time => return Err(late(self.time)),
                Some(line) => answers.push(line),
                None => {
                    let problem = process.failed("it ended during a game");
                    return Err(Absence::Fault(Fault::Ended, problem));
                }
            }
        }
        Ok(())
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::PATIENCE;

    fn worker(script: &str) -> Worker {
        let words = ["sh", "-c", script].map(String::from);
        crate::allow_programs();
        let process = Process::start(&words, PATIENCE).expect("a shell");
        Worker::new(process, Duration::from_secs(20))
    }

    fn fault(answer: Result<Answer>) -> Option<Fault> {
        match answer {
            Err(Absence::Fault(fault, _)) => Some(fault),
            Err(Absence::Stopped) | Ok(_) => None,
        }
    }

    /// The program reads the second and the third question before it answers either. The first answer waits until both
    /// questions wait.
    #[test]
    fn questions_that_wait_are_sent_together() {
        let directory = tempfile::tempdir().expect("a directory");
        let go = directory.path().join("go");
        let worker = worker(&format!(
            "read -r a; while ! [ -e '{}' ]; do sleep 0.01; done; echo \"$a\"; read -r b; read -r c; echo \"$b\"; echo \"$c\"",
            go.display()
        ));
        let never = StopRequest::default();
        let ask =
            |number: u32| worker.ask(&number, &never).ok().map(|line| line.trim().to_string());
        std::thread::scope(|scope| {
            let first = scope.spawn(|| ask(1));
            while lock(&worker.state).process.is_some() {
                std::thread::yield_now();
            }
            let others = [2, 3].map(|number| scope.spawn(move || ask(number)));
            while lock(&worker.state).waiting.len() < 2 {
                std::thread::yield_now();
            }
            std::fs::write(&go, "").expect("writable");
            assert_eq!(first.join().expect("no panic").as_deref(), Some("1"));
            for (other, expected) in others.into_iter().zip(["2", "3"]) {
                assert_eq!(other.join().expect("no panic").as_deref(), Some(expected));
            }
        });
    }

    #[test]
    fn a_mistake_ends_all_games_of_the_process() {
        let never = StopRequest::default();
        let worker = worker("read -r a; read -r b; echo hm; exit 3");
        worker.tell(&0, &never);
        assert_eq!(worker.ask(&1, &never).ok().as_deref(), Some("hm\n"));
        assert!(worker.is_usable());
        assert_eq!(fault(worker.ask(&2, &never)), Some(Fault::Ended));
        assert!(!worker.is_usable());
        assert_eq!(fault(worker.ask(&3, &never)), Some(Fault::Beside));
        assert!(worker.take().is_none());
    }
}
