//! Searches with an ask-and-tell interface. Python makes the comparisons.

use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use ruse::arena::StopSignal;
use ruse::family::{AnyFamily, Player, Weighted};
use ruse::lab::RaceOptions;
use ruse::optimise::{
    Budget, IterationRecord, Observer, OptionValues, RunResult, SearchState, Task, UsualStart, run,
};
use ruse::race::RaceSettings;
use ruse::rand::Rng;
use ruse::rng::{Label, StreamKey};
use ruse::serde::Deserialize;
use ruse::serde_json::{self, Value, json};

use crate::foreign::{ForeignFamily, Question};
use crate::race::level_of;
use crate::refusal::{error, refused};

/// A question for Python: the candidate, the opponent, the seed, and the pair of games that `optimise` would play.
type Asked = (Vec<f64>, Option<Vec<f64>>, u64, Pair);

/// An identifier of a pair of games that `ruse` can play.
#[pyclass(frozen, module = "ruse._ruse")]
#[derive(Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) key: StreamKey,
    pub(crate) index: u64,
}

enum Message {
    Question(Question),
    End(Value),
}

/// The number of games for one answer, which stands for a pair.
const GAMES_OF_ANSWER: u64 = 2;
/// The interval at which Python checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);
/// The usual stack size of a main thread, in bytes.
const STACK_BYTES: usize = 8 << 20;

/// A search in progress, on its own thread, which mostly waits.
#[pyclass(frozen, module = "ruse._ruse")]
pub(crate) struct Searcher {
    said: Mutex<Receiver<Message>>,
    answers: SyncSender<u16>,
    stop: StopSignal,
    levels: u16,
    state: Arc<Joined>,
    asked: Mutex<Asking>,
}

/// The state of the search's thread, as Python knows it.
enum Asking {
    /// The thread is computing.
    Nothing,
    /// The thread waits for an answer to this question.
    Question(Question),
    /// The thread has ended with this result.
    Ended(String),
}

/// The last accepted strategy of a search, and the number of iterations.
#[derive(Default)]
struct Joined {
    champion: Mutex<Vec<f64>>,
    iterations: AtomicU64,
}

impl Observer for &Joined {
    type Error = Infallible;

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        _: &dyn Fn() -> SearchState,
    ) -> Result<(), Infallible> {
        self.iterations.store(record.iteration, Ordering::Relaxed);
        if let Some(joined) = &record.joined {
            self.champion.lock().unwrap_or_else(PoisonError::into_inner).clone_from(joined);
        }
        Ok(())
    }
}

fn told(result: &RunResult) -> Value {
    let mixture = result.mixture.as_ref().map(|members| {
        let member = |member: &Weighted<Player>| json!([member.weight, member.of.parameters()]);
        members.iter().map(member).collect::<Vec<_>>()
    });
    json!({
        "champion": result.champion,
        "mixture": mixture,
        "iterations": result.iterations,
        "calls": result.games / GAMES_OF_ANSWER,
        "stop_reason": result.stop_reason,
    })
}

#[pymethods]
impl Searcher {
    /// Begins a search. `settings` is JSON, checked by the Python files except for names and ranges.
    #[new]
    fn new(settings: &str) -> PyResult<Searcher> {
        let settings: Settings = Settings::read(settings)?;
        let Settings { dimension, levels, .. } = settings;
        let (say, said) = sync_channel(1);
        let (answers, hear) = sync_channel(1);
        let (hear, question) = (Mutex::new(hear), say.clone());
        let ask = move |asked: Question| -> Option<u16> {
            question.send(Message::Question(asked)).ok()?;
            hear.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
        };
        let family = ForeignFamily { dimension, levels, answers: Arc::new(ask) };
        if let Some(start) = &settings.start {
            (&family as &dyn AnyFamily).check_parameters(start).map_err(error)?;
        }
        let stop = StopSignal::default();
        let state = Arc::new(Joined::default());
        let (of_thread, signal) = (Arc::clone(&state), stop.clone());
        let no_threads = |problem: String| refused(format!("cannot start threads: {problem}"));
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).stack_size(STACK_BYTES).build();
        let pool = pool.map_err(|problem| no_threads(problem.to_string()))?;
        let search = move || {
            // One thread does all the work, so that questions are in order.
            let end = pool.install(|| {
                let task = settings.task(&family);
                run(&task, None, &signal, &mut &*of_thread)
            });
            let end = match end {
                Ok(result) => told(&result),
                Err(problem) => json!({ "error": problem.to_string() }),
            };
            // The receiver may be gone.
            let _ = say.send(Message::End(end));
        };
        let thread = std::thread::Builder::new().name("search".into()).spawn(search);
        thread.map_err(|problem| no_threads(problem.to_string()))?;
        let asked = Mutex::new(Asking::Nothing);
        Ok(Searcher { said: Mutex::new(said), answers, stop, levels, state, asked })
    }

    /// Returns the next question, or `None` when the search has ended. It stays the same until it is answered.
    fn ask(&self, py: Python<'_>) -> PyResult<Option<Asked>> {
        loop {
            match &*self.asking() {
                Asking::Question(question) => return Ok(Some(asked(question))),
                Asking::Ended(_) => return Ok(None),
                Asking::Nothing => {}
            }
            let said = py.detach(|| {
                let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
                said.recv_timeout(PATIENCE)
            });
            let next = match said {
                Ok(Message::Question(question)) => Asking::Question(question),
                Ok(Message::End(end)) => match end.get("error") {
                    Some(problem) => return Err(refused(problem.as_str().unwrap_or_default())),
                    None => Asking::Ended(end.to_string()),
                },
                Err(RecvTimeoutError::Timeout) => {
                    py.check_signals()?;
                    continue;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(refused(
                        "the search is no longer there: it was begun before a fork, or has failed",
                    ));
                }
            };
            *self.asking() = next;
        }
    }

    /// Answers the last question with the score of the candidate.
    fn tell(&self, score: f64) -> PyResult<()> {
        let Some(level) = level_of(score, self.levels) else {
            return Err(refused(format!(
                "{score} is not a score of this search: it takes 0, 1 and the values between them in {} equal steps; more of them \
                 with levels=",
                self.levels
            )));
        };
        let mut asking = self.asking();
        if !matches!(*asking, Asking::Question(_)) {
            return Err(refused("nothing was asked; ask first"));
        }
        *asking = Asking::Nothing;
        self.answers.send(level).map_err(|_| refused("the search has ended"))
    }

    /// Returns the last accepted strategy, or an empty list before the first.
    fn champion(&self) -> Vec<f64> {
        self.state.champion.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the number of iterations so far.
    fn iterations(&self) -> u64 {
        self.state.iterations.load(Ordering::Relaxed)
    }

    /// Returns the result as JSON, or `None` before the end of the search.
    fn end(&self) -> Option<String> {
        match &*self.asking() {
            Asking::Ended(end) => Some(end.clone()),
            _ => None,
        }
    }
}

impl Searcher {
    fn asking(&self) -> std::sync::MutexGuard<'_, Asking> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Searcher {
    /// Stops the thread. Dropping the searcher closes its channels, so the thread ends at its next question or answer.
    fn drop(&mut self) {
        self.stop.raise();
    }
}

/// Converts a question for Python.
fn asked(question: &Question) -> Asked {
    let Question { a, b, key, pair } = question;
    let seed = key.child(Label::Pair, *pair).stream().next_u64();
    (a.clone(), b.clone(), seed, Pair { key: *key, index: *pair })
}

/// The settings as JSON.
#[derive(Deserialize)]
#[serde(crate = "ruse::serde")]
struct Said {
    method: String,
    options: OptionValues,
    #[serde(flatten)]
    races: RaceOptions,
    levels: u64,
    dimension: usize,
    start: Option<Vec<f64>>,
    budget: u64,
    iterations: Option<u64>,
    seed: u64,
}

struct Settings {
    dimension: usize,
    levels: u16,
    method: Arc<dyn ruse::optimise::AnyMethod>,
    races: RaceSettings,
    start: Option<Vec<f64>>,
    budget: Budget,
    seed: u64,
}

impl Settings {
    fn read(settings: &str) -> PyResult<Settings> {
        let said: Said = serde_json::from_str(settings).map_err(|of| refused(of.to_string()))?;
        let method = crate::refusal::registry().method(&said.method).map_err(error)?;
        if method.info().needs_self_play {
            return Err(refused(format!(
                "the {} method has to know the probabilities of actions, which a function does not tell; choose another \
                 method",
                method.name()
            )));
        }
        let known: Vec<String> = method.options().into_iter().map(|option| option.name).collect();
        if let Some(stray) = said.options.keys().find(|key| !known.contains(key)) {
            let names = if known.is_empty() { "none".into() } else { known.join(", ") };
            return Err(refused(format!(
                "the {} method has no `{stray}`; its options are {names}",
                method.name()
            )));
        }
        let method = method.with_options(&said.options).map_err(|of| refused(of.to_string()))?;
        let races = said.races.checked(method.info().usual_races).map_err(error)?;
        let levels = u16::try_from(said.levels).unwrap_or(0);
        if !ForeignFamily::is_allowed(levels) {
            return Err(refused(format!(
                "levels is {}, and must be an even number that divides 24000, such as 2, 4, 10, 100 or 24000",
                said.levels
            )));
        }
        let dimension = said.dimension;
        let zero = (method.info().usual_start == UsualStart::Zero).then(|| vec![0.0; dimension]);
        Ok(Settings {
            dimension,
            levels,
            method,
            races,
            start: said.start.or(zero),
            budget: Budget {
                games: Some(said.budget.saturating_mul(GAMES_OF_ANSWER)),
                iterations: said.iterations,
                ..Budget::default()
            },
            seed: said.seed,
        })
    }

    fn task<'a>(&self, family: &'a ForeignFamily) -> Task<'a> {
        Task {
            family,
            method: Arc::clone(&self.method),
            races: self.races,
            start: self.start.clone(),
            budget: self.budget,
            baseline: Player::Redrawn,
            scored_against: None,
            // No games are played for a learning curve, because no curve is drawn.
            monitor_pairs: 0,
            wide_responses: None,
            key: StreamKey::root(self.seed),
        }
    }
}
