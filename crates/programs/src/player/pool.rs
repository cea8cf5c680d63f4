//! The processes of programs that play. They live from game to game, and are shared by all leagues.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ruse_base::stop::StopRequest;
use ruse_games::Rule;
use serde::Serialize;

use super::conduct::{Absence, Conduct, Fault, Result};
use super::deadline::{Deadline, absence};
use super::name::ProgramName;
use super::wire::{Hello, Introduction};
use super::worker::Worker;
use crate::gate::lock;
use crate::process::UNFLUSHED;
use crate::{PATIENCE, Process};

/// The time for the first answer: a program may have to load a model.
const START: Duration = Duration::from_secs(60);
/// The number of times that a program is started again after a fault.
const RESTARTS: u64 = 3;

static POOLS: Mutex<Vec<Arc<Pool>>> = Mutex::new(Vec::new());

/// Returns the conduct of all programs that have played since the last call of [`dismiss_programs`], in the order of
/// their first games. Programs with the same command count as one.
pub fn conduct_of_programs() -> Vec<Conduct> {
    let pools = lock(&POOLS);
    let conducts = pools.iter().map(|pool| lock(&pool.conduct).clone());
    Conduct::merged(conducts.filter(|conduct| conduct.games + conduct.num_forfeits() > 0))
}

/// Returns `true` if all programs that were started since the last call of [`dismiss_programs`] call themselves
/// deterministic, and none has shown otherwise.
pub fn programs_are_steady() -> bool {
    let is_steady = |pool: &Arc<Pool>| pool.is_deterministic() && lock(&pool.conduct).is_steady();
    lock(&POOLS).iter().all(is_steady)
}

/// Tells the programs that play that they are no longer needed, and waits until they have ended. A program that does not
/// end within ten seconds is killed. A program whose players are still in use goes on.
pub fn dismiss_programs() {
    // Processes end when their pool is dropped, which must not happen under the lock.
    drop(std::mem::take(&mut *lock(&POOLS)));
}

/// The processes of a program that plays a game by some rules.
pub(super) struct Pool {
    name: ProgramName,
    hello: Hello,
    introduction: Introduction,
    /// The running processes, each as often as it can play further games.
    free: Mutex<Vec<Arc<Worker>>>,
    /// Is locked while a process for several games starts.
    starting: Mutex<()>,
    conduct: Mutex<Conduct>,
    num_games: AtomicU64,
    num_decisions: AtomicU64,
    num_restarts: AtomicU64,
}

/// Starts a process and reads its introduction.
fn start(name: &ProgramName, hello: &Hello, stop: &StopRequest) -> Result<(Process, Introduction)> {
    let ended = |problem| Absence::Fault(Fault::Ended, problem);
    let mut process = Process::start(&name.words, PATIENCE).map_err(ended)?;
    let mut watch = Deadline { until: Instant::now() + START, stop };
    process.say(hello, &mut watch).map_err(|error| absence(error, START))?;
    let line = process.hear(&mut watch).map_err(|error| match absence(error, START) {
        Absence::Fault(Fault::Late, problem) => {
            Absence::Fault(Fault::Late, format!("{problem} after its start; {UNFLUSHED}"))
        }
        other => other,
    })?;
    let Some(line) = line else {
        return Err(ended(process.failed("it ended before it had answered")));
    };
    match Introduction::read(&line) {
        Ok(introduction) => Ok((process, introduction)),
        Err(problem) => Err(Absence::Fault(Fault::Broken, process.failed_by(&line, &problem))),
    }
}

impl Pool {
    /// Returns the pool of this program, which is created with one process if there is none.
    ///
    /// # Errors
    ///
    /// Returns a message if the program cannot be started, or its first answer is invalid.
    pub(super) fn of(
        name: &ProgramName,
        game: &str,
        rules: &[Rule],
        how_to_play: &str,
    ) -> Result<Arc<Pool>, String> {
        let hello = Hello::new(game, rules, how_to_play);
        let mut pools = lock(&POOLS);
        if let Some(known) = pools.iter().find(|pool| pool.name == *name && pool.hello == hello) {
            return Ok(Arc::clone(known));
        }
        let started = start(name, &hello, &StopRequest::default());
        let (process, introduction) = started.map_err(|absence| match absence {
            Absence::Fault(_, problem) if problem.starts_with(&name.words[0]) => problem,
            Absence::Fault(_, problem) => format!("{}: {problem}", name.command()),
            Absence::Stopped => format!("{}: stopped", name.command()),
        })?;
        let command = name.command();
        let called = introduction.name.clone().unwrap_or_else(|| command.clone());
        let Introduction { deterministic, concurrent, .. } = introduction;
        let conduct =
            Conduct { command, name: called, deterministic, concurrent, ..Conduct::default() };
        let worker = Arc::new(Worker::new(process, name.time));
        let pool = Arc::new(Pool {
            name: name.clone(),
            hello,
            introduction,
            free: Mutex::new(vec![worker; concurrent]),
            starting: Mutex::new(()),
            conduct: Mutex::new(conduct),
            num_games: AtomicU64::new(0),
            num_decisions: AtomicU64::new(0),
            num_restarts: AtomicU64::new(0),
        });
        pools.push(Arc::clone(&pool));
        Ok(pool)
    }

    /// Returns the time for a move.
    pub(super) fn time(&self) -> Duration {
        self.name.time
    }

    pub(super) fn is_deterministic(&self) -> bool {
        self.introduction.deterministic
    }

    /// Returns `true` if the program is told what its seat sees at turns of the other seat.
    pub(super) fn watches(&self) -> bool {
        self.introduction.watches
    }

    /// Returns the number of the next game, from 0.
    pub(super) fn next_game(&self) -> u64 {
        lock(&self.conduct).games += 1;
        self.num_games.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a decision, and returns its number, from 0.
    pub(super) fn next_decision(&self) -> u64 {
        lock(&self.conduct).decisions += 1;
        self.num_decisions.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns a running process that can play a further game, if there is one.
    fn free_worker(&self) -> Option<Arc<Worker>> {
        let mut free = lock(&self.free);
        std::iter::from_fn(|| free.pop()).find(|worker| worker.is_usable())
    }

    /// Returns a process that can play a further game.
    pub(super) fn worker(&self, stop: &StopRequest) -> Result<Arc<Worker>> {
        if let Some(worker) = self.free_worker() {
            return Ok(worker);
        }
        // Processes for one game start at the same time. A process for several games may serve all threads that wait.
        let several = (self.introduction.concurrent > 1).then(|| lock(&self.starting));
        if let Some(worker) = several.as_ref().and_then(|_| self.free_worker()) {
            return Ok(worker);
        }
        if self.num_restarts.load(Ordering::Relaxed) > RESTARTS {
            let problem = format!("it was started again {RESTARTS} times");
            return Err(Absence::Fault(Fault::GivenUp, problem));
        }
        let (process, _) = start(&self.name, &self.hello, stop)?;
        let worker = Arc::new(Worker::new(process, self.time()));
        let others = self.introduction.concurrent - 1;
        lock(&self.free).extend(std::iter::repeat_n(&worker, others).cloned());
        Ok(worker)
    }

    pub(super) fn give_back(&self, worker: Arc<Worker>) {
        lock(&self.free).push(worker);
    }

    /// Counts a game that the program forfeits.
    pub(super) fn count(&self, fault: Fault, problem: String) {
        if fault.ends_process() && !matches!(fault, Fault::GivenUp | Fault::Beside) {
            self.num_restarts.fetch_add(1, Ordering::Relaxed);
        }
        let mut conduct = lock(&self.conduct);
        *conduct.forfeits.entry(fault).or_default() += 1;
        conduct.first_fault.get_or_insert(problem);
    }

    /// Counts a decision that a deterministic program has taken in two ways.
    pub(super) fn changes_its_mind(&self, how: &str) {
        let mut conduct = lock(&self.conduct);
        conduct.changes += 1;
        conduct.first_change.get_or_insert_with(|| how.into());
    }

    /// Asks for an answer, and parses it.
    pub(super) fn ask<T>(
        &self,
        worker: &Worker,
        question: &impl Serialize,
        stop: &StopRequest,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T> {
        let line = worker.ask(question, stop)?;
        let broken =
            |problem: String| Absence::Fault(Fault::Broken, worker.end_after(&line, &problem));
        parse(&line).map_err(broken)
    }
}

impl Drop for Pool {
    /// Tells the processes that they are no longer needed. A process that does not end is killed.
    fn drop(&mut self) {
        let free = self.free.get_mut().unwrap_or_else(PoisonError::into_inner);
        let mut processes: Vec<Process> =
            free.drain(..).filter_map(|worker| worker.take()).collect();
        Process::dismiss(&mut processes);
    }
}
