//! Runs work while Python waits. The work does not hold the interpreter lock (GIL), and Python can stop it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use rayon::ThreadPool;
use ruse::arena::{StopSignal, thread_pool};

use crate::refusal::refused;

/// The interval at which Python checks for Ctrl-C.
const PATIENCE: Duration = Duration::from_millis(50);

/// The thread pool of a process.
struct Threads {
    process: u32,
    wanted: usize,
    pool: Arc<ThreadPool>,
}

static THREADS: Mutex<Option<Threads>> = Mutex::new(None);

/// Returns the thread pool for games, with `wanted` threads, or one per processor if `wanted` is 0. The pool is created
/// on first use, and again for another number of threads and after a fork, which does not copy threads.
fn pool(wanted: usize) -> PyResult<Arc<ThreadPool>> {
    let process = std::process::id();
    let mut threads = THREADS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = &*threads
        && known.process == process
        && known.wanted == wanted
    {
        return Ok(Arc::clone(&known.pool));
    }
    let pool = thread_pool((wanted > 0).then_some(wanted));
    let pool = Arc::new(pool.map_err(|error| refused(format!("cannot start threads: {error}")))?);
    let new = Threads { process, wanted, pool: Arc::clone(&pool) };
    if let Some(old) = threads.replace(new)
        && old.process != process
    {
        // The old pool's threads belong to the parent process. Dropping the pool would wait forever.
        std::mem::forget(old);
    }
    Ok(pool)
}

/// An event during work, or the work's result.
enum News<E, T> {
    Event(E),
    Done(std::thread::Result<T>),
}

/// A sender of events, which Python receives in order.
pub(crate) struct Teller<E>(Box<dyn Fn(E) + Send>);

impl<E> Teller<E> {
    /// Reports an event.
    pub(crate) fn tell(&self, event: E) {
        (self.0)(event);
    }
}

/// The result of work, and the exception if Ctrl-C or a callback stopped it.
pub(crate) struct Worked<T> {
    pub(crate) result: T,
    pub(crate) raised: Option<PyErr>,
}

impl<T> Worked<T> {
    /// Returns the result, or the exception if the work was stopped.
    pub(crate) fn whole(self) -> PyResult<T> {
        match self.raised {
            Some(raised) => Err(raised),
            None => Ok(self.result),
        }
    }
}

/// Runs `work` on a pool of `threads` threads, by default one per processor, while other Python threads continue.
/// `on_events` is called on the calling thread with the events since the last call. If it returns `true` or an error,
/// the work is stopped, and it is not called again.
pub(crate) fn work<E: Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    work: impl FnOnce(&StopSignal, Teller<E>) -> T + Send + 'static,
    mut on_events: impl FnMut(Python<'_>, Vec<E>) -> PyResult<bool>,
) -> PyResult<Worked<T>> {
    let pool = pool(threads.unwrap_or(0))?;
    let stop = StopSignal::default();
    let (sender, receiver) = channel();
    let signal = stop.clone();
    pool.spawn(move || {
        let events = sender.clone();
        let result = catch_unwind(AssertUnwindSafe(|| work(&signal, teller(events))));
        // Sending cannot fail, because the receiver waits for the result.
        let _ = sender.send(News::Done(result));
    });
    let receiver = Mutex::new(receiver);
    let mut raised = None;
    let mut is_stopped = false;
    loop {
        let (events, done) = py.detach(|| {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            let mut events = Vec::new();
            let mut next = receiver.recv_timeout(PATIENCE);
            loop {
                match next {
                    Ok(News::Event(event)) => events.push(event),
                    Ok(News::Done(result)) => return (events, Some(result)),
                    Err(RecvTimeoutError::Timeout) => return (events, None),
                    Err(RecvTimeoutError::Disconnected) => unreachable!("work tells its end"),
                }
                next = receiver.try_recv().map_err(|_| RecvTimeoutError::Timeout);
            }
        });
        if !is_stopped {
            let told = if events.is_empty() { Ok(false) } else { on_events(py, events) };
            match told.and_then(|wants_stop| py.check_signals().map(|()| wants_stop)) {
                Ok(wants_stop) => is_stopped = wants_stop,
                Err(error) => {
                    raised = Some(error);
                    is_stopped = true;
                }
            }
            if is_stopped {
                stop.raise();
            }
        }
        if let Some(result) = done {
            let result = result.unwrap_or_else(|panic| resume_unwind(panic));
            return Ok(Worked { result, raised });
        }
    }
}

fn teller<E: Send + 'static, T: Send + 'static>(events: Sender<News<E, T>>) -> Teller<E> {
    Teller(Box::new(move |event| {
        // Without a receiver, the event is not needed.
        let _ = events.send(News::Event(event));
    }))
}

/// Like [`work`], for work without events.
pub(crate) fn quietly<T: Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    job: impl FnOnce(&StopSignal) -> T + Send + 'static,
) -> PyResult<T> {
    let nothing = |_: Python<'_>, _: Vec<()>| Ok(false);
    work(py, threads, move |stop, _| job(stop), nothing)?.whole()
}
