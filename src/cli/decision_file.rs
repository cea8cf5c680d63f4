//! The file that records the decisions of a match.

use std::path::{Path, PathBuf};

use ruse_base::files::{Replaces, check_output, write_output};
use ruse_lab::DecisionTable;
use ruse_play::arena::CountedDecision;

use super::failure::Result;

/// The decisions of a match, written to a file after the last game.
pub(super) struct DecisionFile<'a> {
    path: &'a Path,
    table: DecisionTable,
}

impl<'a> DecisionFile<'a> {
    /// Begins an empty list of decisions. Checks that the file at `path` can be written later.
    ///
    /// # Errors
    ///
    /// Returns an error if the file exists, or if the parent directory does not exist.
    pub(super) fn new(path: &'a PathBuf) -> Result<DecisionFile<'a>> {
        check_output(path, Replaces::Nothing)?;
        Ok(DecisionFile { path, table: DecisionTable::default() })
    }

    pub(super) fn add(&mut self, pair: u64, decisions: &[CountedDecision]) {
        self.table.add(pair, decisions);
    }

    /// Writes the file, and returns the number of decisions.
    pub(super) fn finish(self) -> Result<u64> {
        let num_decisions = self.table.num_decisions();
        write_output(self.path, Replaces::Nothing, self.table.into_bytes())?;
        Ok(num_decisions)
    }
}
