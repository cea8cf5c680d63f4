//! Where the decisions of a match go.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::arena::CountedDecision;
use crate::files::{Replaces, check_output, write_output};
use crate::lab::DecisionTable;

/// A file that is written once all is played.
pub(super) struct DecisionFile<'a> {
    path: &'a Path,
    table: DecisionTable,
}

impl<'a> DecisionFile<'a> {
    /// A file that is not there yet.
    pub(super) fn new(path: &'a PathBuf) -> Result<DecisionFile<'a>, Failure> {
        check_output(path, Replaces::Nothing)?;
        Ok(DecisionFile { path, table: DecisionTable::default() })
    }

    /// Adds the decisions of a pair.
    pub(super) fn add(&mut self, pair: u64, decisions: &[CountedDecision]) {
        self.table.add(pair, decisions);
    }

    /// Writes the file, and says how many decisions are in it.
    pub(super) fn finish(self) -> Result<u64, Failure> {
        let num_decisions = self.table.num_decisions();
        write_output(self.path, Replaces::Nothing, self.table.into_bytes())?;
        Ok(num_decisions)
    }
}
