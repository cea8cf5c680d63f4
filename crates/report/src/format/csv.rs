//! Tables for programs: one row per cell, with all numbers.

use ruse_base::files::guarded;

use super::entry::Entry;
use super::grid::{Column, Table};

fn text(entry: &Entry) -> String {
    match entry {
        Entry::Missing => String::new(),
        Entry::Text(text) => text.figure.clone(),
        Entry::Count(count) => count.to_string(),
        Entry::Number(number) => number.to_string(),
        Entry::Flag(flag) => u8::from(*flag).to_string(),
    }
}

/// Writes tables with the same columns as one table. Texts that a spreadsheet would run as formulas are guarded.
pub(super) fn write(tables: &[Table]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names =
        |table: &Table| -> Vec<String> { table.data().map(|(name, _)| name.to_string()).collect() };
    let header = tables.iter().take(1).map(names);
    let rows = tables.iter().flat_map(|table| {
        let columns: Vec<&Column> = table.data().map(|(_, column)| column).collect();
        let row = move |row| columns.iter().map(|column| text(&column.entries[row])).collect();
        table.data_rows().map(row)
    });
    for row in header.chain(rows) {
        writer
            .write_record(row.iter().map(|cell| guarded(cell).into_owned()))
            .expect("rows have as many cells as the header, and memory takes them");
    }
    let bytes = writer.into_inner().expect("memory takes all");
    String::from_utf8(bytes).expect("it was written as text")
}
