//! Observers for tests.

use std::convert::Infallible;

use super::{IterationRecord, Observer, Resumption, SearchState};

/// Keeps the records and states of all iterations, and the remarks.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) seen: Vec<(IterationRecord, SearchState)>,
    pub(crate) remarks: Vec<String>,
}

impl Observer for Recorder {
    type Error = Infallible;

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &dyn Fn() -> SearchState,
    ) -> Result<(), Infallible> {
        self.seen.push((record.clone(), state()));
        Ok(())
    }

    fn on_remark(&mut self, remark: &str) {
        self.remarks.push(remark.into());
    }
}

/// An observer that ends the run after some iterations, and keeps everything that is needed to continue.
pub(crate) struct Interrupter {
    stop_after: u64,
    population: Vec<Vec<f64>>,
    state: Option<String>,
}

impl Interrupter {
    /// Creates the observer that ends a run after the iteration with this number.
    pub(crate) fn after(stop_after: u64) -> Interrupter {
        Interrupter { stop_after, population: Vec::new(), state: None }
    }

    /// Returns the point at which the run continues. The state has been text, as in a checkpoint.
    pub(crate) fn resumption(self) -> Resumption {
        let state = self.state.expect("it has begun");
        let state = serde_json::from_str(&state).expect("as it was written");
        Resumption { state, population: self.population, answers: Vec::new() }
    }
}

impl Observer for Interrupter {
    type Error = ();

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &dyn Fn() -> SearchState,
    ) -> Result<(), ()> {
        self.population.extend(record.joined.clone());
        self.state = Some(serde_json::to_string(&state()).expect("plain data"));
        if record.iteration == self.stop_after { Err(()) } else { Ok(()) }
    }
}

/// Does the work in a pool with this number of threads.
pub(crate) fn in_threads<T: Send>(num_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(num_threads).build();
    pool.expect("there are threads").install(work)
}
