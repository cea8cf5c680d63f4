//! Tables as people see them: names of rows, headings, and figures.

use std::collections::HashSet;

use super::entry::{Mark, Text};
use super::grid::{Column, Place, Table};
use super::remarks::is_general;

#[derive(Debug)]
pub(super) struct View {
    /// The heading of the names of the rows.
    pub(super) corner: String,
    /// The headings of the other columns.
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<ViewRow>,
}

#[derive(Debug)]
pub(super) struct ViewRow {
    pub(super) label: String,
    pub(super) is_best: bool,
    pub(super) cells: Vec<Text>,
}

impl View {
    pub(super) fn new(table: &Table) -> View {
        let (mut corner, mut columns) = (String::new(), Vec::new());
        let (mut labels, mut plain, mut across, mut figures) = (None, Vec::new(), None, None);
        for column in &table.columns {
            match &column.place {
                Place::Nowhere => {}
                Place::Label(heading) => (corner, labels) = (heading.clone(), Some(column)),
                Place::Column(heading) => {
                    columns.push(heading.clone());
                    plain.push(column);
                }
                Place::Across(num) => across = Some((*num, column)),
                Place::Figure => figures = Some(column),
            }
        }
        let text = |column: &Column, row: usize| column.entries[row].text();
        // A table without rows has no headings, either.
        let num_rows = table.is_data.len();
        let num = across.map_or(1, |(num, _)| num.max(1)).min(num_rows.max(1));
        if let Some((_, headings)) = across {
            columns.extend(headings.entries.iter().take(num).map(|entry| entry.text().figure));
        }
        let row = |first: usize| {
            let label = labels.map_or(Text::plain(""), |labels| text(labels, first));
            let figures = figures.into_iter();
            let of_headings =
                figures.flat_map(|of| (first..first + num).map(move |row| text(of, row)));
            ViewRow {
                label: label.figure,
                is_best: label.mark == Mark::Best,
                cells: plain.iter().map(|column| text(column, first)).chain(of_headings).collect(),
            }
        };
        let rows = (0..num_rows).step_by(num).map(row).collect();
        View { corner, columns, rows }
    }
}

/// Removes remarks that an earlier table makes.
pub(super) fn say_once(tables: &mut [Table]) {
    let mut said = HashSet::new();
    for table in tables {
        if !said.insert(table.caption.clone()) {
            table.caption.clear();
        }
        for meaning in &mut table.legend {
            *meaning = meaning.take().filter(|meaning| said.insert(meaning.clone()));
        }
        // Other notes are about one family, even if their text is the same.
        table.notes.retain(|note| !is_general(note) || said.insert(note.clone()));
    }
}
