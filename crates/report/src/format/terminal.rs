//! Tables for terminals.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use textwrap::core::display_width;

use super::entry::{Mark, Text};
use super::grid;
use super::view::{View, ViewRow};

/// The width of lines of column names, unless the column's figures are wider.
const MIN_HEADER_WIDTH: usize = 13;

/// The maximum length of a line of text, in characters. Longer lines are hard to read, even in a wide terminal.
const WIDEST_TEXT: usize = 100;

/// The number of blanks between columns.
const GAP: usize = 2;

pub(super) fn paragraph(text: &str, width: Option<usize>) -> String {
    match width {
        Some(width) => textwrap::fill(&clean(text), width.clamp(1, WIDEST_TEXT)) + "\n",
        None => clean(text) + "\n",
    }
}

pub(super) fn write(table: &grid::Table, width: Option<usize>) -> String {
    let view = View::new(table);
    let paragraph = |text: &str| paragraph(text, width);
    let mut text = format!("{}\n", paragraph(&table.title));
    if !table.caption.is_empty() {
        text += &format!("{}\n", paragraph(&table.caption));
    }
    if !view.columns.is_empty() && !view.rows.is_empty() {
        text += &blocks(&view, width).join("\n");
        text.push('\n');
    }
    for remark in table.remarks(["*", "~"], str::to_string) {
        text += &paragraph(&remark);
    }
    // A table without remarks does not end with an empty line.
    text.trim_end_matches('\n').to_string() + "\n"
}

/// Removes characters that would break lines or move the cursor.
fn clean(text: &str) -> String {
    text.replace(char::is_control, " ")
}

/// Breaks a name into lines of the given width, at hyphens and blanks if possible.
fn in_lines(name: &str, width: usize) -> String {
    textwrap::wrap(&clean(name), width.max(1)).join("\n")
}

fn widest_line(text: &str) -> usize {
    text.lines().map(display_width).max().unwrap_or(0)
}

/// Returns the figure with its mark. Without a mark, adds a blank if `is_marked`: other figures of the column have one.
fn cell_text(Text { figure, mark, .. }: &Text, is_marked: bool) -> String {
    let mark = match mark {
        Mark::Best => "*",
        Mark::Near => "~",
        // A plain blank would be cut off.
        Mark::Plain if is_marked => "\u{a0}",
        Mark::Plain => "",
    };
    format!("{figure}{mark}")
}

/// Splits the table into as many blocks of columns as the width requires. Each has the names of the rows.
fn blocks(view: &View, width: Option<usize>) -> Vec<String> {
    let label_width = width.map_or(usize::MAX, |width| (width / 3).max(MIN_HEADER_WIDTH));
    let label = |row: &ViewRow| format!("{}{}", row.label, if row.is_best { " *" } else { "" });
    let labels = std::iter::once(view.corner.clone()).chain(view.rows.iter().map(label));
    let labels: Vec<String> = labels.map(|label| in_lines(&label, label_width)).collect();
    let column = |index: usize| {
        let cells = || view.rows.iter().map(|row| &row.cells[index]);
        let is_marked = cells().any(|cell| cell.mark != Mark::Plain);
        let cells: Vec<String> = cells().map(|cell| cell_text(cell, is_marked)).collect();
        let cell_width = cells.iter().map(|text| display_width(text)).max().unwrap_or(0);
        let header = in_lines(&view.columns[index], cell_width.max(MIN_HEADER_WIDTH));
        std::iter::once(header).chain(cells).collect()
    };
    let columns: Vec<Vec<String>> = (0..view.columns.len()).map(column).collect();
    let column_width =
        |column: &[String]| GAP + column.iter().map(|text| widest_line(text)).max().unwrap_or(0);
    let mut blocks = Vec::new();
    let mut rest = &columns[..];
    while !rest.is_empty() {
        let mut used = column_width(&labels);
        let fits = |column: &&Vec<String>| {
            used += column_width(column);
            width.is_none_or(|width| used <= width)
        };
        // A column that is wider than the terminal gets its own block.
        let count = rest.iter().take_while(fits).count().max(1);
        blocks.push(block(&labels, &rest[..count]));
        rest = &rest[count..];
    }
    blocks
}

fn block(labels: &[String], columns: &[Vec<String>]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_content_arrangement(ContentArrangement::Disabled);
    let row = |index: usize| {
        std::iter::once(&labels[index]).chain(columns.iter().map(move |column| &column[index]))
    };
    table.set_header(row(0));
    for index in 1..labels.len() {
        table.add_row(row(index));
    }
    for index in 1..=columns.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| format!("{}\n", line.replace('\u{a0}', " ").trim_end())).collect()
}
