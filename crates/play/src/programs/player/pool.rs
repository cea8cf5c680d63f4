//! The processes of programs that play. They live from game to game, and are shared by all leagues.

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ruse_games::Rule;
use ruse_strategies::StopRequest;
use serde::Serialize;

use super::conduct::{Absence, Conduct, Fault};
use super::name::ProgramName;
use super::wire::{Hello, Introduction};
use crate::arena::{StopReason, Stopped};
use crate::programs::{PATIENCE, Process, Watch};

/// The time for the first answer: a program may have to load a model.
const START: Duration = Duration::from_secs(60);
/// The number of times that a program is started again after a fault.
const RESTARTS: u64 = 3;

/// Whether players may be programs.
static IS_ALLOWED: AtomicBool = AtomicBool::new(false);

static POOLS: Mutex<Vec<Arc<Pool>>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Lets players be programs, in this process. Without this call they are refused: a page, a fuzzer or a server must not
/// start whatever a text names. The command line calls this function.
pub fn allow_programs() {
    IS_ALLOWED.store(true, Ordering::Relaxed);
}

/// Returns the conduct of all programs that have played since the last call of [`dismiss_programs`], in the order of
/// their first games. Programs with the same command count as one.
pub fn conduct_of_programs() -> Vec<Conduct> {
    let pools = lock(&POOLS);
    let conducts = pools.iter().map(|pool| lock(&pool.conduct).clone());
    Conduct::merged(conducts.filter(|conduct| conduct.games + conduct.num_forfeits() > 0))
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
    /// The running processes that play no game.
    idle: Mutex<Vec<Process>>,
    conduct: Mutex<Conduct>,
    num_games: AtomicU64,
    num_decisions: AtomicU64,
    num_restarts: AtomicU64,
}

/// The end of the time for an answer. A stop request ends the wait earlier.
struct Deadline<'a> {
    until: Instant,
    stop: &'a StopRequest,
    is_late: Cell<bool>,
}

impl<'a> Deadline<'a> {
    fn new(until: Instant, stop: &'a StopRequest) -> Deadline<'a> {
        Deadline { until, stop, is_late: Cell::new(false) }
    }

    fn absence(&self, time: Duration) -> Absence {
        match self.is_late.get() {
            true => late(time),
            false => Absence::Stopped,
        }
    }
}

impl Watch for Deadline<'_> {
    fn check(&self) -> Result<(), Stopped> {
        if self.stop.is_set() {
            return Err(Stopped(StopReason::Interrupted));
        }
        if Instant::now() < self.until {
            return Ok(());
        }
        self.is_late.set(true);
        Err(Stopped(StopReason::Time))
    }

    fn remark(&mut self, _: &str) {}
}

fn late(time: Duration) -> Absence {
    let problem = format!("no answer within {} ms", time.as_millis());
    Absence::Fault(Fault::Late, problem)
}

/// Starts a process and reads its introduction.
fn start(
    name: &ProgramName,
    hello: &Hello,
    stop: &StopRequest,
) -> Result<(Process, Introduction), Absence> {
    let ended = |problem| Absence::Fault(Fault::Ended, problem);
    let mut process = Process::start(&name.words, PATIENCE).map_err(ended)?;
    let mut watch = Deadline::new(Instant::now() + START, stop);
    let said = process.say(hello, &mut watch).map_err(|_| watch.absence(START))?;
    said.map_err(ended)?;
    let line = process.hear(&mut watch).map_err(|_| watch.absence(START))?;
    match line {
        Ok(Some(line)) => match serde_json::from_str(&line) {
            Ok(introduction) => Ok((process, introduction)),
            Err(error) => {
                let problem = process.failed_by(
                    &line,
                    &format!("expected its name, as in {{\"name\": \"mine\"}} ({error})"),
                );
                Err(Absence::Fault(Fault::Broken, problem))
            }
        },
        Ok(None) => Err(ended(process.failed("it ended before it had answered"))),
        Err(problem) => Err(ended(problem)),
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
        if !IS_ALLOWED.load(Ordering::Relaxed) {
            let command = name.command();
            return Err(format!(
                "`{command}` is not started: call `ruse::programs::allow_programs`"
            ));
        }
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
        let conduct = Conduct { command, name: called, ..Conduct::default() };
        let pool = Arc::new(Pool {
            name: name.clone(),
            hello,
            introduction,
            idle: Mutex::new(vec![process]),
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

    /// Returns a process that plays no game.
    pub(super) fn process(&self, stop: &StopRequest) -> Result<Process, Absence> {
        let idle = lock(&self.idle).pop();
        if let Some(process) = idle {
            return Ok(process);
        }
        if self.num_restarts.load(Ordering::Relaxed) > RESTARTS {
            let problem = format!("it was started again {RESTARTS} times");
            return Err(Absence::Fault(Fault::GivenUp, problem));
        }
        start(&self.name, &self.hello, stop).map(|(process, _)| process)
    }

    pub(super) fn give_back(&self, process: Process) {
        lock(&self.idle).push(process);
    }

    /// Counts a game that the program forfeits.
    pub(super) fn count(&self, fault: Fault, problem: String) {
        if fault.ends_process() && fault != Fault::GivenUp {
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

    /// Sends a line.
    pub(super) fn say(
        &self,
        process: &mut Process,
        line: &impl Serialize,
        stop: &StopRequest,
    ) -> Result<(), Absence> {
        if let Some(line) = process.unasked() {
            let problem = format!("a line that nothing had asked for: {line}");
            return Err(Absence::Fault(Fault::Broken, problem));
        }
        let mut watch = Deadline::new(Instant::now() + self.time(), stop);
        let said = process.say(line, &mut watch).map_err(|_| watch.absence(self.time()))?;
        said.map_err(|problem| Absence::Fault(Fault::Ended, problem))
    }

    /// Reads the answer to a line that was sent at `since`.
    pub(super) fn hear<T>(
        &self,
        process: &mut Process,
        since: Instant,
        stop: &StopRequest,
        parse: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<T, Absence> {
        let mut watch = Deadline::new(since + self.time(), stop);
        let line = process.hear(&mut watch).map_err(|_| watch.absence(self.time()))?;
        let fault = |fault, problem| Err(Absence::Fault(fault, problem));
        match line {
            Ok(Some(_)) if since.elapsed() > self.time() => Err(late(self.time())),
            Ok(Some(line)) => parse(&line)
                .or_else(|problem| fault(Fault::Broken, process.failed_by(&line, &problem))),
            Ok(None) => fault(Fault::Ended, process.failed("it ended during a game")),
            Err(problem) => fault(Fault::Ended, problem),
        }
    }
}

impl Drop for Pool {
    /// Tells the processes that they are no longer needed. A process that does not end is killed.
    fn drop(&mut self) {
        Process::dismiss(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner));
    }
}
