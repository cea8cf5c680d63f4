//! Signals that ask the program to end: SIGINT (Ctrl-C), SIGTERM, SIGHUP, and SIGXCPU (no processor time is left).
//!
//! The first signal asks the work to stop; a second one, or one that the work does not hear, ends the program at once.
//! The exit code is 128 plus the number of the signal, as in a shell.

use std::io;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::verbosity::say_always;

/// The number of SIGINT.
const INTERRUPT: i32 = 2;
/// The time after a signal in which further signals are part of the same request. `timeout` sends SIGTERM both to the
/// program and to its process group.
const SAME_REQUEST: Duration = Duration::from_millis(300);

/// The first signal that arrived, or 0.
static ARRIVED: AtomicI32 = AtomicI32::new(0);
static LISTENER: Mutex<Option<Listener>> = Mutex::new(None);

struct Listener {
    /// Asks the work to stop. Returns `false` if the work would not hear.
    ask: Box<dyn FnMut() -> bool + Send>,
    /// The exit code if the program ends at once, if it does not depend on the signal.
    exit_code: Option<u8>,
    /// The time of the first signal.
    asked: Option<Instant>,
}

/// Listens to signals. The first one ends the program at once, until the next call of [`listen`].
///
/// # Errors
///
/// Returns an error if the system does not let the program listen.
pub(super) fn begin() -> io::Result<()> {
    ARRIVED.store(0, Ordering::Relaxed);
    let listener = Listener { ask: Box::new(|| false), exit_code: None, asked: None };
    let is_first = lock().replace(listener).is_none();
    if is_first { start() } else { Ok(()) }
}

/// Calls `ask` at the first signal, which asks the work to stop. It returns `false` if the work would not hear, so the
/// program ends at once, with the `exit_code` if there is one.
pub(super) fn listen(ask: impl FnMut() -> bool + Send + 'static, exit_code: Option<u8>) {
    if let Some(listener) = &mut *lock() {
        (listener.ask, listener.exit_code) = (Box::new(ask), exit_code);
    }
}

/// Returns the exit code of a program that a signal has interrupted.
pub(super) fn exit_code() -> u8 {
    128 + arrived() as u8
}

/// Says that the work was interrupted, and by what.
pub(super) fn say_interrupted() {
    let name = match arrived() {
        1 => "SIGHUP",
        INTERRUPT => "SIGINT",
        15 => "SIGTERM",
        _ => "SIGXCPU",
    };
    say_always(&format!("interrupted by {name}"));
}

fn arrived() -> i32 {
    match ARRIVED.load(Ordering::Relaxed) {
        0 => INTERRUPT,
        signal => signal,
    }
}

fn lock() -> std::sync::MutexGuard<'static, Option<Listener>> {
    LISTENER.lock().unwrap_or_else(PoisonError::into_inner)
}

fn on_signal(signal: i32) {
    let mut listener = lock();
    let Some(listener) = &mut *listener else { return };
    let _only_the_first_counts =
        ARRIVED.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed);
    match listener.asked {
        Some(asked) if asked.elapsed() < SAME_REQUEST => return,
        None if (listener.ask)() => {
            listener.asked = Some(Instant::now());
            return;
        }
        _ => {}
    }
    ruse_programs::kill_programs();
    // Standard error may be stuck, which must not hold up the end.
    let (said, saying) = std::sync::mpsc::channel();
    let saying_it = std::thread::Builder::new().spawn(move || {
        say_interrupted();
        said.send(())
    });
    let _ = saying_it.map(|_| saying.recv_timeout(SAME_REQUEST));
    std::process::exit(listener.exit_code.unwrap_or_else(exit_code).into());
}

#[cfg(unix)]
fn start() -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXCPU, SIGXFSZ};
    // A write beyond the limit on the size of files is then an error, as on a full disk.
    signal_hook::flag::register(SIGXFSZ, std::sync::Arc::default())?;
    let mut signals = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGXCPU])?;
    let thread = std::thread::Builder::new().name("signals".into());
    thread.spawn(move || signals.forever().for_each(on_signal)).map(drop)
}

#[cfg(not(unix))]
fn start() -> io::Result<()> {
    ctrlc::set_handler(|| on_signal(INTERRUPT)).map_err(io::Error::other)
}
