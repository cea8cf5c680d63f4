//! Tables as JSON: an object for each row.

use serde_json::{Value, json};

use super::grid::Table;

/// Returns the rows of tables with the same columns, or their results; `None` if programs do not see the tables.
pub(super) fn value(tables: &[Table]) -> Option<Value> {
    if let Some(results) = tables.iter().find_map(|table| table.results.as_ref()) {
        return Some(results.clone());
    }
    let rows = |table: &Table| -> Vec<Value> {
        let row = |row: usize| {
            let cells = table.data();
            cells
                .map(|(name, column)| (name.replace('-', "_"), json!(column.entries[row])))
                .collect()
        };
        table.data_rows().map(row).collect()
    };
    let tables: Vec<&Table> = tables.iter().filter(|table| table.is_for_programs()).collect();
    (!tables.is_empty()).then(|| tables.into_iter().flat_map(rows).collect())
}
