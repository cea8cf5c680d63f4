//! An observer for tests.

use std::convert::Infallible;

use super::{IterationRecord, Observer, Progress, SearchState};

/// Keeps the records and states of all iterations, and the remarks.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) seen: Vec<(IterationRecord, SearchState)>,
    pub(crate) remarks: Vec<String>,
}

impl Observer for Recorder {
    type Error = Infallible;

    fn on_progress(&mut self, _: Progress) {}

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
