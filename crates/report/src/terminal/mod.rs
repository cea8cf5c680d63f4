//! Texts for terminals: paragraphs, tables, and answers that fit on one screen; `--full` prints the rest.

mod numbers;

use std::path::Path;

use comfy_table::{
    CellAlignment, ColumnConstraint, ContentArrangement, Row, Table, Width, presets,
};

use ruse_play::score::Estimate;
use ruse_search::ParameterSpace;
use serde_json::Value;

use crate::format::{Options, grouped, score};

pub use numbers::{digits, four, in_words, interval, percent, rounded, sentence};

/// The terminal that shows a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terminal {
    /// The width in characters; `None` if the text goes elsewhere.
    pub width: Option<u16>,
    /// True if scripts read the text, which want results only.
    pub is_quiet: bool,
}

/// The result of a command.
pub trait Answer {
    /// Returns the full text for people: paragraphs and tables, ending with a newline.
    fn page(&self) -> String;

    /// Returns the main results for people, on one screen of 24 lines; by default the full page.
    fn answer(&self) -> String {
        self.page()
    }

    /// Returns the result for programs: one object with stable keys.
    fn object(&self) -> Value;
}

/// The number of lines of a typical terminal, minus one for the shell prompt.
pub const LINES: usize = 23;
/// The maximum number of columns without a terminal.
const COLUMNS: usize = 80;

/// Says how to see what was left out.
pub(crate) const HINT: &str = "--full prints the rest.";

impl Terminal {
    /// Wraps a paragraph to the width of the terminal. Without a terminal, returns it as one line.
    pub fn paragraph(&self, text: &str) -> String {
        wrapped(text, self.width) + "\n"
    }

    /// Returns the options of tables that fit the terminal.
    pub fn options(&self) -> Options {
        Options { width: self.width.map(usize::from), ..Options::default() }
    }

    /// Returns a sentence about the location of results; if quiet, only the path, for scripts.
    pub fn written_to(&self, path: &Path) -> String {
        match self.is_quiet {
            true => format!("{}\n", path.display()),
            // A path that does not fit the rest of a line gets its own.
            false => self.paragraph(&format!("Written to {}.", path.display())),
        }
    }

    /// Returns the end of an answer: the location of results and a verdict; if quiet, the location comes last.
    pub fn ending(&self, written: &str, verdict: &str) -> String {
        if self.is_quiet { format!("{verdict}{written}") } else { format!("{written}\n{verdict}") }
    }

    /// Creates a table without ruled lines. It is readable in a terminal, easy to process in a pipe, and independent of the
    /// character set.
    pub fn table(&self, header: impl Into<Row>, numeric: &[usize]) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(header);
        match self.width {
            Some(width) => {
                table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width)
            }
            None => table.set_content_arrangement(ContentArrangement::Disabled),
        };
        for &index in numeric {
            if let Some(column) = table.column_mut(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    fn columns(&self) -> usize {
        self.width.map_or(COLUMNS, usize::from).max(1)
    }

    /// Returns the number of lines that a text takes on the screen. Long lines continue on the next line.
    pub fn height(&self, text: &str) -> usize {
        text.lines()
            .map(|line| textwrap::core::display_width(line).div_ceil(self.columns()).max(1))
            .sum()
    }

    /// Returns `true` if all lines of a table fit the width of the screen.
    pub fn fits(&self, table: &Table) -> bool {
        text(table).lines().all(|line| textwrap::core::display_width(line) <= self.columns())
    }

    /// Returns a table of the first rows, as many as fit in `most` lines. The number of omitted rows is printed below it.
    /// `total` is the number of all rows, and `table(n)` returns a table of the first `n`.
    pub fn first_rows(&self, most: usize, total: usize, table: impl Fn(usize) -> Table) -> String {
        let all = (total <= most).then(|| text(&table(total)));
        if let Some(all) = all.filter(|all| self.height(all) <= most) {
            return all;
        }
        let shown = (1..total.min(most)).rev().find_map(|shown| {
            let rows = text(&table(shown));
            (self.height(&rows) < most).then_some((rows, shown))
        });
        let (rows, shown) = shown.unwrap_or_else(|| (text(&table(1.min(total))), 1.min(total)));
        match total - shown {
            0 => rows,
            more => format!("{rows} ... and {more} more: --full\n"),
        }
    }

    /// Returns the first sentences of a text, as many as fit in `most` lines with a hint, and at least one. A first sentence
    /// that is too long may end at a semicolon.
    pub fn first_sentences(&self, most: usize, text: &str) -> String {
        if self.height(text) <= most {
            return text.into();
        }
        let hint = self.paragraph(HINT);
        let fits = |end: &usize| self.height(&text[..*end]) + self.height(&hint) <= most;
        let ends_with = |marks: &'static [char]| {
            let ends = text.match_indices(marks).map(|(at, mark)| at + mark.len());
            ends.filter(|&end| text[end..].starts_with(char::is_whitespace))
        };
        let sentences = || ends_with(&['.', '!', '?']);
        let end = sentences().take_while(fits).last();
        let end = end.or_else(|| ends_with(&[';']).take_while(fits).last());
        let end = end.or_else(|| sentences().next()).unwrap_or(text.len());
        let shown = text[..end].trim_end();
        if shown == text.trim_end() {
            return text.into();
        }
        match shown.strip_suffix(';') {
            Some(clauses) => format!("{clauses}.\n{hint}"),
            None => format!("{shown}\n{hint}"),
        }
    }

    /// Returns the first blocks of a text that fit in `most` lines. Blocks, such as tables, are separated by empty lines. A
    /// first block that does not fit is cut.
    pub fn first_blocks(&self, most: usize, text: &str) -> String {
        let ends = text.match_indices("\n\n").map(|(at, _)| at + 1).chain([text.len()]);
        let fits = |end: &usize| self.height(&text[..*end]) <= most;
        match ends.take_while(fits).last() {
            Some(end) => text[..end].into(),
            None => self.first_sentences(most, text),
        }
    }

    /// Adds the hint how to see what was left out. One hint is enough.
    pub fn with_hint(&self, shown: &str) -> String {
        let hint = self.paragraph(HINT);
        shown.replace(&hint, "") + &hint
    }

    /// Returns the parts that fit on a screen with `last` at the end, separated by empty lines. If a part is left out, a
    /// line says how to see the rest.
    pub fn on_a_screen(&self, parts: &[String], last: &str) -> String {
        let parts: Vec<&str> =
            parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
        let whole = parts.join("\n");
        if self.height(&whole) + self.height(last) <= LINES {
            return whole + last;
        }
        let mut shown: Vec<&str> = Vec::new();
        for part in parts {
            shown.push(part);
            // The hint follows an empty line.
            if self.height(&shown.join("\n")) + 2 + self.height(last) > LINES {
                shown.pop();
            }
        }
        self.with_hint(&(shown.join("\n") + "\n")) + last
    }

    /// Returns the table of the parameters, with names, values and meanings. `theta` may have only the first parameters.
    pub fn parameter_rows(&self, space: &ParameterSpace, theta: &[f64]) -> Table {
        let mut rows = self.table(["parameter", "value", "meaning"], &[1]);
        for (parameter, value) in space.parameters().iter().zip(theta) {
            rows.add_row([&*parameter.name, &format!("{value:.4}"), &*parameter.meaning]);
        }
        rows
    }

    /// Returns the table of scores, with intervals and sample sizes.
    pub fn score_rows(&self, scores: &[(String, Estimate)]) -> Table {
        let mut rows = self.table(["against", "score", "95% interval", "pairs"], &[1, 2, 3]);
        for (opponent, estimate) in scores {
            let [score, interval, pairs] = score_cells(estimate, "-");
            rows.add_row([opponent.clone(), score, interval, pairs]);
        }
        rows
    }
}

/// Returns a score, its interval and its number of pairs for a table. If it is exact, `no_pairs` is in place of a number.
pub(crate) fn score_cells(estimate: &Estimate, no_pairs: &str) -> [String; 3] {
    let [shown, pairs] = match estimate.is_exact() {
        true => ["exact".into(), no_pairs.into()],
        false => [interval(estimate), grouped(estimate.pairs)],
    };
    [score(estimate.score, digits(estimate)), shown, pairs]
}

/// Wraps the text to lines of at most `width` characters, if given. Continuations are indented like their line. Words
/// are never broken, so that paths and options can be copied. Colour codes do not count as characters.
pub fn wrapped(text: &str, width: Option<u16>) -> String {
    let Some(width) = width else { return text.into() };
    let wrap = |line: &str| {
        let rest = line.trim_start_matches(' ');
        let indent = &line[..line.len() - rest.len()];
        let options = textwrap::Options::new(usize::from(width))
            .initial_indent(indent)
            .subsequent_indent(indent)
            .break_words(false)
            .word_separator(textwrap::WordSeparator::AsciiSpace)
            .word_splitter(textwrap::WordSplitter::NoHyphenation);
        textwrap::fill(rest, options)
    };
    text.split('\n').map(wrap).collect::<Vec<_>>().join("\n")
}

/// Returns the text of a table, indented by one column, without blanks at the ends of lines. Words are never broken, so
/// that names can be copied; the table may therefore be wider than the terminal.
pub fn text(table: &Table) -> String {
    let mut table = table.clone();
    for (index, width) in widest_words(&table).into_iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            // The width includes a blank on either side.
            let width = Width::Fixed(width.saturating_add(2));
            column.set_constraint(ColumnConstraint::LowerBoundary(width));
        }
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Returns the width of the widest word in each column.
fn widest_words(table: &Table) -> Vec<u16> {
    let mut widest = Vec::new();
    for row in table.header().into_iter().chain(table.row_iter()) {
        for (index, cell) in row.cell_iter().enumerate() {
            let content = cell.content();
            let widths = content.split_whitespace().map(textwrap::core::display_width);
            let width = u16::try_from(widths.max().unwrap_or(0)).unwrap_or(u16::MAX);
            match widest.get_mut(index) {
                Some(known) => *known = width.max(*known),
                None => widest.push(width),
            }
        }
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(num: usize) -> Table {
        let mut rows = Terminal::default().table(["number"], &[0]);
        for number in 0..num {
            rows.add_row([number.to_string()]);
        }
        rows
    }

    #[test]
    fn tables_are_cut_where_they_are_too_long() {
        assert_eq!(Terminal::default().first_rows(4, 3, numbers), text(&numbers(3)));
        assert_eq!(
            Terminal::default().first_rows(4, 4, numbers),
            format!("{} ... and 2 more: --full\n", text(&numbers(2)))
        );
        assert_eq!(Terminal::default().first_rows(9, 1000, numbers).lines().count(), 9);
        assert_eq!(Terminal::default().first_rows(1, 2, numbers).lines().count(), 3);
        assert_eq!(Terminal::default().first_rows(5, 0, numbers), text(&numbers(0)));
    }

    #[test]
    fn omissions_are_mentioned() {
        let long = "x\n".repeat(LINES);
        assert_eq!(
            Terminal::default().on_a_screen(&["a\n".into(), "b\n".into()], "c\n"),
            "a\n\nb\nc\n"
        );
        let cut = Terminal::default().on_a_screen(&["a\n".into(), long, "b\n".into()], "c\n");
        assert_eq!(cut, "a\n\nb\n\n--full prints the rest.\nc\n");
        for (most, text, expected) in [
            (9, "One.\nIt LONG.\n", "One.\nIt LONG.\n"),
            (3, "One. Two! It LONG.\n", "One. Two!\nHINT\n"),
            (2, "One; two; it LONG.\n", "One; two.\nHINT\n"),
            (1, "It LONG. Two.\n", "It LONG.\nHINT\n"),
        ] {
            let long = |text: &str| text.replace("LONG", &"is long ".repeat(40));
            assert_eq!(
                Terminal::default().first_sentences(most, &long(text)),
                long(expected).replace("HINT", HINT)
            );
        }
        assert_eq!(Terminal::default().first_blocks(4, "a\n\nname\n----\nb\n"), "a\n");
        assert_eq!(
            Terminal::default().first_blocks(5, "a\n\nname\n----\nb\n"),
            "a\n\nname\n----\nb\n"
        );
        assert_eq!(Terminal::default().first_blocks(1, "a.\nb\n"), format!("a.\n{HINT}\n"));
    }

    #[test]
    fn names_in_tables_are_never_broken() {
        let mut rows = Terminal::default().table(["family", "how it plays"], &[]);
        rows.add_row([
            "guess-who-deterministic",
            "asks more and more questions until lines have to be broken",
        ]);
        for width in [20, 30, 40, 80] {
            rows.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
            let text = text(&rows);
            for word in ["guess-who-deterministic", "questions", "family", "broken"] {
                assert!(text.contains(word), "{width}: {word}\n{text}");
            }
        }
    }

    #[test]
    fn lines_fit_and_words_stay_whole() {
        let text =
            "error: there is no such thing\n\n  tip: name hall-of-fame or runs/first/strategy.yaml";
        assert_eq!(wrapped(text, None), text);
        assert_eq!(
            wrapped(text, Some(20)),
            "error: there is no\nsuch thing\n\n  tip: name\n  hall-of-fame or\n  runs/first/strategy.yaml"
        );
        // First, the terminal has no columns; then, the text has colours.
        assert_eq!(wrapped("a b", Some(0)), "a\nb");
        assert_eq!(wrapped("\u{1b}[31mab\u{1b}[0m cd", Some(5)), "\u{1b}[31mab\u{1b}[0m cd");
    }
}
