//! Text for the terminal of this process.

use std::path::Path;

use comfy_table::{Row, Table};
pub(super) use ruse_report::terminal::{
    LINES, Terminal, digits, four, in_words, interval, percent, rounded, sentence, text, wrapped,
};
pub(super) use ruse_report::{counted, grouped, score, signed};

use super::verbosity::is_quiet;

/// Returns the terminal that shows results.
pub(super) fn terminal() -> Terminal {
    Terminal { width: terminal_width(), is_quiet: is_quiet() }
}

/// Returns the width, in characters, of the terminal that shows results, if there is one.
pub(super) fn terminal_width() -> Option<u16> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(width.0)
}

/// Names the file or the directory that was written, if any.
pub(super) fn written(path: Option<&Path>) -> String {
    path.map_or(String::new(), |path| terminal().written_to(path))
}

/// Wraps a paragraph for the terminal of results.
pub(super) fn paragraph(text: &str) -> String {
    terminal().paragraph(text)
}

/// Creates a table for the terminal of results.
pub(super) fn table(header: impl Into<Row>, numeric: &[usize]) -> Table {
    terminal().table(header, numeric)
}

/// Creates a table with these rows for the terminal of results.
pub(super) fn table_of<R: Into<Row>>(
    header: impl Into<Row>,
    numeric: &[usize],
    rows: impl IntoIterator<Item = R>,
) -> Table {
    let mut table = table(header, numeric);
    table.add_rows(rows);
    table
}

/// Shortens the text to a line of at most `width` characters, if given. Three dots replace the omitted words.
pub(super) fn one_line(text: &str, width: Option<u16>) -> String {
    let width = width.map_or(usize::MAX, usize::from);
    if textwrap::core::display_width(text) <= width {
        return text.into();
    }
    let mut shown = String::new();
    for word in text.split_inclusive(' ') {
        let length = textwrap::core::display_width(&shown) + textwrap::core::display_width(word);
        if length + 3 > width {
            break;
        }
        shown += word;
    }
    shown + "..."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_line_shows_that_words_are_missing() {
        assert_eq!(one_line("puts the cards back", None), "puts the cards back");
        assert_eq!(one_line("puts the cards back", Some(19)), "puts the cards back");
        assert_eq!(one_line("puts the cards back", Some(18)), "puts the cards ...");
        assert_eq!(one_line("puts the cards back", Some(17)), "puts the ...");
    }
}
