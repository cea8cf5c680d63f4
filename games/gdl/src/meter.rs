//! An estimate of the memory for reading a text.

use crate::error::{Error, Place};
use crate::limits::{LimitName, Limits};

/// Counts the approximate bytes of a text and of the rules read from it.
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

    /// Counts bytes of memory for the text at a place. Returns an error if the total exceeds the limit.
    pub(crate) fn take(&mut self, bytes: u64, place: Place) -> Result<(), Error> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > self.limit {
            return Err(Error::exceeded(place, LimitName::Memory, "bytes of memory", self.limit));
        }
        Ok(())
    }

    /// Subtracts bytes that have been freed.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}
