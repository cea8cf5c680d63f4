//! The gate that every program passes before its first process starts.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks the mutex, even if a thread has panicked with its lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A function that decides whether the program with these words may be started. An error is the reason against it.
type Keeper = Box<dyn Fn(&[String]) -> Result<(), String> + Send>;

/// The decisions of the process so far.
struct Gate {
    /// The function that decides; `None` if all programs have the same answer.
    keeper: Option<Keeper>,
    is_open: bool,
    decisions: BTreeMap<Vec<String>, Result<(), String>>,
}

static GATE: Mutex<Gate> =
    Mutex::new(Gate { keeper: None, is_open: false, decisions: BTreeMap::new() });

/// Lets `keeper` decide which programs this process may start, as methods, as players or as families. It is asked once
/// for each command, before the first start, and receives the words of the command; its error is the reason for a
/// refusal. The command line has such a keeper, which permits what its arguments name.
pub fn guard_programs(keeper: impl Fn(&[String]) -> Result<(), String> + Send + 'static) {
    let mut gate = lock(&GATE);
    *gate = Gate { keeper: Some(Box::new(keeper)), is_open: false, decisions: BTreeMap::new() };
}

/// Lets this process start all programs, as methods, as players or as families. Without this call or
/// [`guard_programs`] they are refused: a page, a fuzzer or a server must not start whatever a text names.
pub fn allow_programs() {
    let mut gate = lock(&GATE);
    // Later calls must not forget what has passed.
    if !gate.is_open {
        *gate = Gate { keeper: None, is_open: true, decisions: BTreeMap::new() };
    }
}

/// Returns `true` if the program has passed the gate. The keeper is not asked.
pub fn has_passed(words: &[String]) -> bool {
    let gate = lock(&GATE);
    matches!(gate.decisions.get(words), Some(Ok(())))
}

/// Asks whether a program may be started.
///
/// # Errors
///
/// Returns the reason why it must not be started.
pub fn ask_to_start(words: &[String]) -> Result<(), String> {
    let mut gate = lock(&GATE);
    if let Some(decision) = gate.decisions.get(words) {
        return decision.clone();
    }
    let decision = match &gate.keeper {
        Some(keeper) => keeper(words),
        None if gate.is_open => Ok(()),
        None => Err("it is not started: call `ruse::programs::allow_programs`".into()),
    };
    gate.decisions.insert(words.to_vec(), decision.clone());
    decision
}
