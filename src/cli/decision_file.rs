//! Where the decisions of a match go.

use std::path::{Path, PathBuf};

use super::failure::Failure;
use crate::arena::CountedDecision;
use crate::files::write_atomically;
use crate::lab::DecisionTable;

/// A file that is written once all is played.
pub(super) struct DecisionFile<'a> {
    path: &'a Path,
    table: DecisionTable,
}

impl<'a> DecisionFile<'a> {
    /// A file that is not there yet.
    pub(super) fn new(path: &'a PathBuf) -> Result<DecisionFile<'a>, Failure> {
        if path.symlink_metadata().is_ok() {
            let message = format!("{} is there already", path.display());
            let advice = "nothing was changed; name a new file with --decisions";
            return Err(Failure::with_advice(message, advice));
        }
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent.filter(|parent| !parent.is_dir()) {
            let message = format!("there is no directory {}; make it first", parent.display());
            return Err(Failure::bad_input(message));
        }
        Ok(DecisionFile { path, table: DecisionTable::default() })
    }

    /// Adds the decisions of a pair.
    pub(super) fn add(&mut self, pair: u64, decisions: &[CountedDecision]) {
        self.table.add(pair, decisions);
    }

    /// Writes the file, and says how many decisions are in it.
    pub(super) fn finish(self) -> Result<u64, Failure> {
        let num_decisions = self.table.num_decisions();
        write_atomically(self.path, self.table.into_bytes())?;
        Ok(num_decisions)
    }
}
