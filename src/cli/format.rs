//! Formats numbers, paragraphs and tables for people.

use std::io::{self, Write};
use std::time::Duration;

use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Table, Width, presets};
use ruse_base::names::capitalised;
use ruse_base::visible::visible;
use ruse_play::score::Estimate;
pub(super) use ruse_report::{counted, grouped, score, signed};

/// Formats a number to three digits: 312k, 1.25M.
pub(super) fn rounded(number: f64) -> String {
    let (scaled, suffix) = match number {
        n if n >= 999.5e6 => (n / 1e9, "G"),
        n if n >= 999.5e3 => (n / 1e6, "M"),
        n if n >= 999.5 => (n / 1e3, "k"),
        n => (n, ""),
    };
    let decimals = match scaled {
        s if suffix.is_empty() || s >= 99.95 => 0,
        s if s >= 9.995 => 1,
        _ => 2,
    };
    format!("{scaled:.decimals$}{suffix}")
}

/// Returns the number of decimals of an estimate: enough to distinguish the bounds of its interval, so that it does not
/// look exact.
pub(super) fn digits(estimate: &Estimate) -> usize {
    /// The maximum number of decimals. Narrower intervals come from rounding.
    const MOST: usize = 6;
    let [low, high] = estimate.interval;
    let usual = ruse_report::digits(estimate.interval);
    let tells = |&digits: &usize| score(low, digits) != score(high, digits);
    (usual..=MOST).find(tells).unwrap_or(usual)
}

/// Formats the bounds of an interval: [.694, .700].
pub(super) fn interval(estimate: &Estimate) -> String {
    let [low, high] = estimate.interval.map(|bound| score(bound, digits(estimate)));
    format!("[{low}, {high}]")
}

/// Formats an exact score to four decimals. A score that rounds to zero has no sign.
pub(super) fn four(value: f64) -> String {
    score(if value.abs() < 5e-5 { 0.0 } else { value }, 4)
}

/// Formats a share in percent, without the sign: with one decimal below 10, otherwise with none.
pub(super) fn percent(share: f64) -> String {
    match 100.0 * share {
        percent if percent < 10.0 => format!("{percent:.1}"),
        percent => format!("{percent:.0}"),
    }
}

/// Converts seconds into a duration. Negative numbers and NaN become zero; large numbers become the longest duration.
///
/// `Duration::from_secs_f64` panics for negative numbers, which may come from rounding.
pub(super) fn duration(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX)
}

/// Formats a time in words, rounded to its largest unit, as in `3 minutes`.
pub(super) fn in_words(time: Duration) -> String {
    /// The limit of times that are formatted. Much longer times would overflow a count of nanoseconds.
    const LONGEST: Duration = Duration::from_secs(1_000_000 * 365 * 24 * 3600);
    match time {
        time if time < LONGEST => indicatif::HumanDuration(time).to_string(),
        _ => "more than a million years".into(),
    }
}

/// Returns the width, in characters, of the terminal that shows results, if there is one.
pub(super) fn terminal_width() -> Option<u16> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(width.0)
}

/// Returns the width, in characters, of the terminal that shows errors and remarks, if there is one.
pub(super) fn error_width() -> Option<u16> {
    let (width, _) = terminal_size::terminal_size_of(io::stderr())?;
    Some(width.0)
}

/// Prints a remark on standard error. Errors are ignored, because they cannot be reported anywhere.
pub(super) fn say_always(text: &str) {
    let _ = writeln!(io::stderr(), "{}", wrapped(&visible(text), error_width()));
}

/// Wraps a paragraph to the width of the terminal. Without a terminal, returns it as one line.
pub(super) fn paragraph(text: &str) -> String {
    wrapped(text, terminal_width()) + "\n"
}

/// Wraps the text to lines of at most `width` characters, if given. Continuations are indented like their line. Words
/// are never broken, so that paths and options can be copied. Colour codes do not count as characters.
pub(super) fn wrapped(text: &str, width: Option<u16>) -> String {
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

/// Adds a capital letter and a full stop.
pub(super) fn sentence(text: &str) -> String {
    let stop = if text.ends_with('.') { "" } else { "." };
    format!("{}{stop}", capitalised(text))
}

/// Creates a table without ruled lines. It is readable in a terminal, easy to process in a pipe, and independent of the
/// character set.
pub(super) fn table<const N: usize>(header: [&str; N], numeric: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(header);
    match terminal_width() {
        Some(width) => table.set_content_arrangement(ContentArrangement::Dynamic).set_width(width),
        None => table.set_content_arrangement(ContentArrangement::Disabled),
    };
    for &index in numeric {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Returns the text of a table, indented by one column, without blanks at the ends of lines. Words are never broken, so
/// that names can be copied; the table may therefore be wider than the terminal.
pub(super) fn text(table: &Table) -> String {
    let mut table = table.clone();
    for (index, width) in widest_words(&table).into_iter().enumerate() {
        if let Some(column) = table.column_mut(index) {
            // The width includes a blank on either side.
            let width = Width::Fixed(width.saturating_add(2));
            column.set_constraint(ColumnConstraint::LowerBoundary(width));
        }
    }
    let lines = table.lines().map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
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

    #[test]
    fn a_shortened_line_shows_that_words_are_missing() {
        assert_eq!(one_line("puts the cards back", None), "puts the cards back");
        assert_eq!(one_line("puts the cards back", Some(19)), "puts the cards back");
        assert_eq!(one_line("puts the cards back", Some(18)), "puts the cards ...");
        assert_eq!(one_line("puts the cards back", Some(17)), "puts the ...");
    }

    #[test]
    fn digits_show_that_an_interval_has_a_width() {
        for (interval, expected) in [
            ([0.45, 0.55], 3),
            ([0.4990, 0.5010], 4),
            // This is the interval of 20,000 pairs that were all drawn.
            ([0.49998, 0.50002], 5),
            ([0.5, 0.5], 4),
            ([0.5, 0.5 + 1e-12], 4),
        ] {
            let score = f64::midpoint(interval[0], interval[1]);
            let estimate = Estimate { score, interval, confidence: 0.95, pairs: 20_000 };
            assert_eq!(digits(&estimate), expected, "{interval:?}");
        }
    }

    #[test]
    fn names_in_tables_are_never_broken() {
        let mut rows = table(["family", "how it plays"], &[]);
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

    #[test]
    fn numbers_are_short_and_readable() {
        assert_eq!([0, 999, 1000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
        assert_eq!(
            [0.4, 12.3, 999.4, 999.6, 31_250.0, 312_500.0, 999_700.0, 1.254e6, 3e10].map(rounded),
            ["0", "12", "999", "1.00k", "31.2k", "312k", "1.00M", "1.25M", "30.0G"]
        );
        let times = [-1e-300, f64::NAN, 0.4, 89.0, 3e7, 1e20, f64::INFINITY].map(duration);
        assert_eq!(
            times.map(in_words),
            [
                "0 seconds",
                "0 seconds",
                "0 seconds",
                "89 seconds",
                "50 weeks",
                "more than a million years",
                "more than a million years"
            ]
        );
        assert_eq!([score(0.6969, 3), score(1.0, 3), score(0.0, 2)], [".697", "1.000", ".00"]);
    }
}
