//! Tables whose rows are about the runs of a plan. A table is written and read as a whole.

use std::collections::HashMap;
use std::path::Path;

use ruse_base::files::{self, DirectoryError, reading};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::language::run::Experiment;
use crate::plan::Plan;

/// The maximum size of a table that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

pub(super) fn csv_of(rows: impl IntoIterator<Item = impl Serialize>) -> String {
    files::csv_of(rows).expect("rows are flat, and memory takes them")
}

/// Reads the rows of a table, or returns `None` if there is no file.
pub(super) fn rows_of<Row: DeserializeOwned>(
    path: &Path,
) -> Result<Option<Vec<Row>>, DirectoryError> {
    let Some(text) = reading::text_if_there(path, MAX_BYTES)? else { return Ok(None) };
    let rows = files::rows_of(text.as_bytes());
    rows.map(Some).map_err(|error| DirectoryError::unreadable(path, error))
}

/// Finds the run of each row in the plan. `place` returns the family, the method and the seed of a row.
pub(super) fn by_run<'p, Row>(
    path: &Path,
    plan: &'p Plan,
    rows: Vec<Row>,
    place: impl Fn(&Row) -> (String, String, u64),
) -> Result<Vec<(&'p Experiment, Row)>, DirectoryError> {
    let runs = plan.runs.iter().map(|run| {
        let [family, method] = run.labels.clone();
        ((family, method, run.resolved.seed), run)
    });
    let runs: HashMap<_, _> = runs.collect();
    let with_run = |row: Row| {
        let place = place(&row);
        match runs.get(&place) {
            Some(&run) => Ok((run, row)),
            None => {
                let (family, method, seed) = place;
                let problem = format!("the experiment has no run {family}-{method}-seed{seed}");
                Err(DirectoryError::unreadable(path, problem))
            }
        }
    };
    rows.into_iter().map(with_run).collect()
}
