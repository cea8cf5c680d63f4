//! How much memory reading a text takes.

use crate::error::{Error, Place, Problem};
use crate::limits::{LimitName, Limits};

/// Counts the bytes that a text and what is read of it take, about.
#[derive(Debug, Clone)]
pub(crate) struct Meter {
    bytes: u64,
    limit: u64,
}

impl Meter {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { bytes: 0, limit: limits.memory }
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Counts what is read at a place, and refuses what the limit has no room for.
    pub(crate) fn take(&mut self, bytes: u64, place: Place) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limit {
            let problem = Problem::exceeded(LimitName::Memory, "bytes of memory", self.limit);
            return Err(Error::new(place, problem));
        }
        Ok(())
    }

    /// Counts no longer what was taken and is free.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
