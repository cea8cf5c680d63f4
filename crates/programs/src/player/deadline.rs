//! The time limit of an answer.

use std::cell::Cell;
use std::time::{Duration, Instant};

use ruse_base::stop::{StopReason, StopRequest, Stopped};

use super::conduct::{Absence, Fault};
use crate::Watch;

/// The end of the time for an answer. A stop request ends the wait earlier.
pub(super) struct Deadline<'a> {
    until: Instant,
    stop: &'a StopRequest,
    is_late: Cell<bool>,
}

impl<'a> Deadline<'a> {
    pub(super) fn new(until: Instant, stop: &'a StopRequest) -> Deadline<'a> {
        Deadline { until, stop, is_late: Cell::new(false) }
    }

    /// Returns the reason why the wait for an answer, which has this time, was ended.
    pub(super) fn absence(&self, time: Duration) -> Absence {
        if self.is_late.get() { Deadline::late(time) } else { Absence::Stopped }
    }

    /// Returns the fault of an answer that did not come within `time`.
    pub(super) fn late(time: Duration) -> Absence {
        let problem = format!("no answer within {} ms", time.as_millis());
        Absence::Fault(Fault::Late, problem)
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
}
