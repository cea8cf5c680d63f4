//! The time limit of an answer.

use std::time::{Duration, Instant};

use ruse_base::stop::{StopReason, StopRequest, Stopped};

use super::conduct::{Absence, Fault};
use crate::{ExchangeError, Watch};

/// The end of the time for an answer. A stop request ends the wait earlier.
pub(super) struct Deadline<'a> {
    pub(super) until: Instant,
    pub(super) stop: &'a StopRequest,
}

impl Watch for Deadline<'_> {
    fn check(&self) -> Result<(), Stopped> {
        if self.stop.is_set() {
            return Err(Stopped(StopReason::Interrupted));
        }
        if Instant::now() < self.until { Ok(()) } else { Err(Stopped(StopReason::Time)) }
    }
}

/// Returns the reason why an exchange with a program, which has this time before its [`Deadline`], had no result.
pub(super) fn absence(error: ExchangeError, time: Duration) -> Absence {
    match error {
        ExchangeError::Failed(problem) => Absence::Fault(Fault::Ended, problem),
        ExchangeError::Stopped(Stopped(StopReason::Time)) => late(time),
        ExchangeError::Stopped(_) => Absence::Stopped,
    }
}

/// Returns the fault of an answer that did not come within `time`.
pub(super) fn late(time: Duration) -> Absence {
    let problem = format!("no answer within {} ms", time.as_millis());
    Absence::Fault(Fault::Late, problem)
}
