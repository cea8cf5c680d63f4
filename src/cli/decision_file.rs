//! Files with a line for each decision of a match: how much there was to choose from.

use std::path::{Path, PathBuf};

use ruse_games::{NumActions, Seat};

use super::failure::Failure;
use crate::arena::{CountedDecision, Side};
use crate::files::write_atomically;

/// The columns.
const COLUMNS: [&str; 9] =
    ["pair", "game", "step", "clock", "seat", "player", "units", "log10_actions", "actions"];

/// A file that is written once all is played.
pub(super) struct DecisionFile<'a> {
    path: &'a Path,
    table: csv::Writer<Vec<u8>>,
    num_decisions: u64,
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
        let mut table = csv::Writer::from_writer(Vec::new());
        table.write_record(COLUMNS).expect("memory can be written to");
        Ok(DecisionFile { path, table, num_decisions: 0 })
    }

    /// Adds the decisions of a pair, which are in order.
    pub(super) fn add(&mut self, pair: u64, decisions: &[CountedDecision]) {
        for decision in decisions {
            let breadth = decision.breadth;
            let log10 = match breadth.num_actions {
                NumActions::Exactly(number) => libm::log10(number as f64),
                NumActions::About(number) => libm::log10(number),
            };
            let record = [
                (pair + 1).to_string(),
                (decision.game + 1).to_string(),
                (decision.step + 1).to_string(),
                breadth.clock.map_or(String::new(), |clock| clock.to_string()),
                if decision.seat == Seat::First { "first" } else { "second" }.to_string(),
                if decision.side == Side::A { "a" } else { "b" }.to_string(),
                breadth.num_slots.to_string(),
                log10.to_string(),
                breadth.num_actions.to_string(),
            ];
            self.table.write_record(&record).expect("memory can be written to");
        }
        self.num_decisions += decisions.len() as u64;
    }

    /// Writes the file, and says how many decisions are in it.
    pub(super) fn finish(self) -> Result<u64, Failure> {
        let text = self.table.into_inner().expect("memory can be written to");
        write_atomically(self.path, text)?;
        Ok(self.num_decisions)
    }
}
