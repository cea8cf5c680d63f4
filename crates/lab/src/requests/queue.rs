//! The queue of requests. Requests are read in sequence, processed by all threads, and answered in order.
//!
//! A request is divided into tasks. An idle thread takes the next task of the earliest request that has tasks left.
//! This way, many small requests are processed at once, and all threads work on a large one. The answers do not depend
//! on which thread plays which task.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::time::Duration;

use ruse_base::rng::StreamKey;
use ruse_base::stop::StopSignal;
use ruse_play::arena::{Duel, Source};
use ruse_play::score::Tally;
use ruse_strategies::PairResult;

use super::spec::RequestId;

/// The maximum number of requests in progress.
const MAX_JOBS: usize = 1024;
/// The maximum total size of the waiting lines, in bytes. A single line may be longer.
const MAX_BYTES_WAITING: usize = 4 << 20;
/// The minimum number of pairs in a task; the maximum is `MAX_TASK_PAIRS`. Stop requests are checked between tasks.
const MIN_TASK_PAIRS: u64 = 8;
const MAX_TASK_PAIRS: u64 = 128;
/// The intended number of tasks of a request per thread. It balances long and short games.
const TASKS_PER_THREAD: u64 = 8;
/// The interval between checks for a stop request while waiting for the next answer.
const POLL: Duration = Duration::from_millis(50);

const NO_PANIC: &str = "no thread panics with the lock in hand";

#[derive(Debug)]
pub(super) enum Line {
    /// The bytes of a line, without its end.
    Text(Vec<u8>),
    /// A line that was too long, and was skipped.
    TooLong,
}

pub(super) struct Games {
    pub(super) duel: Duel,
    pub(super) key: StreamKey,
    pub(super) num_pairs: u64,
    /// The results of the pairs that were already played, from the first pair on.
    pub(super) tally: Tally,
    /// The identifier of the request.
    pub(super) id: RequestId,
    /// The exact score, if it is known.
    pub(super) exact: Option<f64>,
}

impl Games {
    /// Returns the number of pairs in each task.
    fn task_pairs(&self, num_threads: u64) -> u64 {
        let share = self.num_pairs / (TASKS_PER_THREAD * num_threads);
        share.clamp(MIN_TASK_PAIRS, MAX_TASK_PAIRS)
    }
}

/// A line after processing.
pub(super) enum Prepared {
    /// The answer, without games.
    Answer(String),
    /// The games for the answer.
    Games(Games),
}

enum Stage {
    Waiting(Line),
    InPreparation,
    Playing(Arc<Games>),
    Answered(String),
}

struct Job {
    stage: Stage,
    /// The first pair that is not in a task yet.
    next_pair: u64,
    tally: Tally,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    /// The number of the first request in `jobs`. Requests are numbered from 0 in input order.
    first: u64,
    /// The numbers of the requests that have unassigned tasks.
    with_tasks: BTreeSet<u64>,
    bytes_waiting: usize,
    /// The number of workers started, including idle workers.
    num_workers: usize,
    /// The number of threads that wait for a task. It is at most one, because waking a thread takes as long as a small
    /// game.
    num_idle: usize,
    reader_waits: bool,
    writer_waits: bool,
    /// The result of reading the input, at its end.
    end: Option<std::io::Result<()>>,
    is_stopped: bool,
}

/// A unit of work: to process a line, or to play some pairs of a request.
enum QueueTask {
    Prepare { number: u64, line: Line },
    Play { number: u64, games: Arc<Games>, first_pair: u64, num_pairs: u64 },
}

#[derive(Default)]
pub(super) struct Queue {
    state: Mutex<State>,
    has_room: Condvar,
    has_tasks: Condvar,
    has_answers: Condvar,
    num_threads: u64,
    /// The signal that stops all threads.
    halt: StopSignal,
}

/// Output that is ready to be written.
pub(super) enum Ready {
    /// The next answers in order, each followed by a line end.
    Answers(String),
    /// All requests were answered. Has the result of reading the input.
    End(std::io::Result<()>),
}

impl State {
    fn is_full(&self) -> bool {
        self.jobs.len() >= MAX_JOBS || self.bytes_waiting >= MAX_BYTES_WAITING
    }

    fn job(&mut self, number: u64) -> &mut Job {
        &mut self.jobs[(number - self.first) as usize]
    }

    /// Returns `true` and counts a new worker if one should be started. One worker always waits for the next task,
    /// until there are `num_threads`. Waking a thousand workers for one request would take longer than the request.
    fn wants_another(&mut self, num_threads: u64) -> bool {
        let wants = self.num_idle == 0 && (self.num_workers as u64) < num_threads;
        self.num_workers += usize::from(wants);
        wants
    }

    fn next_task(&mut self, num_threads: u64) -> Option<QueueTask> {
        let number = *self.with_tasks.first()?;
        let job = self.job(number);
        match std::mem::replace(&mut job.stage, Stage::InPreparation) {
            Stage::Waiting(line) => {
                self.with_tasks.remove(&number);
                self.bytes_waiting -= num_bytes(&line);
                Some(QueueTask::Prepare { number, line })
            }
            Stage::Playing(games) => {
                job.stage = Stage::Playing(Arc::clone(&games));
                let first_pair = job.next_pair;
                let num_pairs = games.task_pairs(num_threads).min(games.num_pairs - first_pair);
                job.next_pair += num_pairs;
                if job.next_pair == games.num_pairs {
                    self.with_tasks.remove(&number);
                }
                Some(QueueTask::Play { number, games, first_pair, num_pairs })
            }
            Stage::InPreparation | Stage::Answered(_) => {
                unreachable!("there is nothing to do for it")
            }
        }
    }
}

fn num_bytes(line: &Line) -> usize {
    match line {
        Line::Text(bytes) => bytes.len(),
        Line::TooLong => 0,
    }
}

/// Stops all threads when a thread panics, because its request would never be answered.
struct StopOnPanic<'a>(&'a Queue);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.stop();
        }
    }
}

impl Queue {
    pub(super) fn new(num_threads: usize) -> Queue {
        Queue {
            state: Mutex::new(State { num_workers: 1, ..State::default() }),
            num_threads: num_threads as u64,
            ..Queue::default()
        }
    }

    /// Waits for space in the queue, and adds a line. Returns `false` if the queue was stopped instead.
    pub(super) fn push(&self, line: Line) -> bool {
        let mut state = self.lock();
        while !state.is_stopped && state.is_full() {
            state.reader_waits = true;
            state = self.has_room.wait(state).expect(NO_PANIC);
            state.reader_waits = false;
        }
        if state.is_stopped {
            return false;
        }
        let number = state.first + state.jobs.len() as u64;
        state.bytes_waiting += num_bytes(&line);
        state.with_tasks.insert(number);
        let stage = Stage::Waiting(line);
        state.jobs.push_back(Job { stage, next_pair: 0, tally: Tally::default() });
        if state.num_idle > 0 {
            self.has_tasks.notify_one();
        }
        true
    }

    /// Records the end of the input, and the error that ended it, if any.
    pub(super) fn close(&self, end: std::io::Result<()>) {
        self.lock().end = Some(end);
        self.has_tasks.notify_all();
        self.has_answers.notify_all();
    }

    /// Waits for the next answers in order. Returns `None` when `is_over` returns `true`.
    pub(super) fn answers(&self, is_over: impl Fn() -> bool) -> Option<Ready> {
        let mut state = self.lock();
        loop {
            let mut answers = String::new();
            while let Some(Job { stage: Stage::Answered(answer), .. }) = state.jobs.front() {
                answers.push_str(answer);
                answers.push('\n');
                state.jobs.pop_front();
                state.first += 1;
            }
            if !answers.is_empty() {
                if state.reader_waits {
                    self.has_room.notify_one();
                }
                return Some(Ready::Answers(answers));
            }
            if state.is_stopped || is_over() {
                return None;
            }
            if state.jobs.is_empty() && state.end.is_some() {
                return state.end.take().map(Ready::End);
            }
            state.writer_waits = true;
            state = self.has_answers.wait_timeout(state, POLL).expect(NO_PANIC).0;
            state.writer_waits = false;
        }
    }

    pub(super) fn stop(&self) {
        self.halt.raise();
        self.lock().is_stopped = true;
        for waiting in [&self.has_room, &self.has_tasks, &self.has_answers] {
            waiting.notify_all();
        }
    }

    /// Processes tasks until [`stop`](Queue::stop) is called. `prepare` processes a line; `conclude` makes the answer
    /// once all games are counted. `start_another` starts another thread that calls this function. The caller starts
    /// the first.
    pub(super) fn work(
        &self,
        start_another: impl Fn(),
        prepare: impl Fn(Line, &StopSignal) -> Prepared,
        conclude: impl Fn(&Games, &Tally) -> String,
    ) {
        let _guard = StopOnPanic(self);
        let mut results: Vec<PairResult> = Vec::new();
        let mut state = self.lock();
        while !state.is_stopped {
            let task = state.next_task(self.num_threads);
            if task.is_some() && state.wants_another(self.num_threads) {
                drop(state);
                start_another();
                state = self.lock();
            }
            match task {
                None => {
                    state.num_idle += 1;
                    state = self.has_tasks.wait(state).expect(NO_PANIC);
                    state.num_idle -= 1;
                }
                Some(QueueTask::Prepare { number, line }) => {
                    if state.reader_waits {
                        self.has_room.notify_one();
                    }
                    drop(state);
                    let prepared = prepare(line, &self.halt);
                    state = self.lock();
                    match prepared {
                        Prepared::Answer(answer) => self.answer(&mut state, number, answer),
                        Prepared::Games(games) => {
                            let job = state.job(number);
                            job.next_pair = games.tally.num_pairs();
                            job.tally = games.tally.clone();
                            let num_pairs = games.num_pairs - job.next_pair;
                            let num_tasks = num_pairs.div_ceil(games.task_pairs(self.num_threads));
                            job.stage = Stage::Playing(Arc::new(games));
                            state.with_tasks.insert(number);
                            // This thread takes one of the tasks itself.
                            for _ in 1..num_tasks.min(state.num_idle as u64 + 1) {
                                self.has_tasks.notify_one();
                            }
                        }
                    }
                }
                Some(QueueTask::Play { number, games, first_pair, num_pairs }) => {
                    drop(state);
                    results.clear();
                    results.resize(num_pairs as usize, PairResult::default());
                    let played = games.duel.play(games.key, first_pair, &mut results, &self.halt);
                    if played.is_err() {
                        return;
                    }
                    let played: Tally = results.iter().copied().collect();
                    state = self.lock();
                    let job = state.job(number);
                    job.tally.merge(&played);
                    if job.tally.num_pairs() == games.num_pairs {
                        let tally = std::mem::take(&mut job.tally);
                        drop(state);
                        let answer = conclude(&games, &tally);
                        state = self.lock();
                        self.answer(&mut state, number, answer);
                    }
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect(NO_PANIC)
    }

    fn answer(&self, state: &mut State, number: u64, answer: String) {
        state.job(number).stage = Stage::Answered(answer);
        if number == state.first && state.writer_waits {
            self.has_answers.notify_one();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;
    use std::thread::Scope;

    use ruse_play::family::Player;
    use ruse_registry::Registry;

    use super::*;

    /// The registry, which is static because matchups borrow their families.
    static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

    fn start<'scope>(scope: &'scope Scope<'scope, '_>, queue: &'scope Queue) {
        scope.spawn(move || {
            let prepare = |line, _: &StopSignal| {
                let Line::Text(text) = line else { return Prepared::Answer("too long".into()) };
                let num_pairs = text.len() as u64;
                let family = REGISTRY.family("pig").expect("known");
                let [a, b] = ["hold-20", "hold-25"].map(|s| Player::Named(s.into()));
                let duel = family.duel(&a, &b).expect("of the family");
                let (key, tally) = (StreamKey::root(1), Tally::default());
                let id = RequestId::default();
                Prepared::Games(Games { duel, key, num_pairs, tally, id, exact: None })
            };
            let conclude = |_: &Games, tally: &Tally| tally.num_pairs().to_string();
            queue.work(|| start(scope, queue), prepare, conclude);
        });
    }

    /// Sends requests for these numbers of pairs to a queue for `num_threads` threads. Returns the answers, and the
    /// number of workers started.
    fn answers(num_threads: usize, requests: &[usize]) -> (String, usize) {
        let queue = Queue::new(num_threads);
        std::thread::scope(|scope| {
            start(scope, &queue);
            for &num_pairs in requests {
                assert!(queue.push(Line::Text(vec![b'x'; num_pairs])));
            }
            queue.close(Ok(()));
            let mut text = String::new();
            while let Some(Ready::Answers(answers)) = queue.answers(|| false) {
                text += &answers;
            }
            queue.stop();
            let num_workers = queue.lock().num_workers;
            (text, num_workers)
        })
    }

    #[test]
    fn workers_do_not_outnumber_tasks() {
        // With 8 pairs per task, there are five tasks: preparing two lines, and playing 8 pairs twice for the first
        // request and once for the second. One more worker waits.
        let (answered, num_workers) = answers(1024, &[16, 8]);
        assert_eq!(answered, "16\n8\n");
        assert!((1..=6).contains(&num_workers), "{num_workers}");
    }

    #[test]
    fn answers_do_not_depend_on_the_threads() {
        let requests: Vec<usize> = (1..100).map(|number| number * 7 % 61 + 1).collect();
        let expected: String = requests.iter().map(|num_pairs| format!("{num_pairs}\n")).collect();
        for num_threads in [1, 2, 5, 1024] {
            let (answered, num_workers) = answers(num_threads, &requests);
            assert_eq!(answered, expected, "{num_threads} threads");
            assert!(num_workers <= num_threads, "{num_workers} of {num_threads}");
        }
    }
}
