//! Tables that are written and read as a whole.

use std::path::Path;

use ruse_base::files::{self, DirectoryError, Result, reading};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::language::run::Experiment;
use crate::plan::Plan;

/// The maximum size of a table about runs that is read, in bytes.
const MAX_BYTES: u64 = 1 << 30;

pub(crate) fn csv_of(rows: impl IntoIterator<Item = impl Serialize>) -> String {
    files::csv_of(rows).expect("rows are flat, and memory takes them")
}

/// Parses the text of the table at `path`.
pub(crate) fn rows_in<Row: DeserializeOwned>(path: &Path, text: &str) -> Result<Vec<Row>> {
    files::rows_of(text.as_bytes()).map_err(|error| DirectoryError::unreadable(path, error))
}

/// Reads the rows of a table, or returns `None` if the file does not exist.
pub(super) fn rows_of<Row: DeserializeOwned>(path: &Path) -> Result<Option<Vec<Row>>> {
    let text = reading::text_if_there(path, MAX_BYTES)?;
    text.map(|text| rows_in(path, &text)).transpose()
}

/// Finds the run of each row in the plan. `place` returns the family, the method and the seed of a row.
pub(super) fn by_run<'p, Row>(
    path: &Path,
    plan: &'p Plan,
    rows: Vec<Row>,
    place: impl Fn(&Row) -> (&str, &str, u64),
) -> Result<Vec<(&'p Experiment, Row)>> {
    let runs = plan.runs_by_place();
    let with_run = |row: Row| {
        let (family, method, seed) = place(&row);
        let Some(&run) = runs.get(&(family, method, seed)) else {
            let problem = format!("the experiment has no run {family}-{method}-seed{seed}");
            return Err(DirectoryError::unreadable(path, problem));
        };
        Ok((run, row))
    };
    rows.into_iter().map(with_run).collect()
}
