//! Answers that fit on one screen; `--full` prints the rest.

use comfy_table::Table;

use super::format::{paragraph, terminal_width, text};

/// The number of lines of a typical terminal, minus one for the shell prompt.
pub(super) const LINES: usize = 23;
/// The maximum number of columns without a terminal.
const COLUMNS: usize = 80;

pub(super) fn columns() -> usize {
    terminal_width().map_or(COLUMNS, usize::from).max(1)
}

/// Returns the number of lines that a text takes on the screen. Long lines continue on the next line.
pub(super) fn height(text: &str) -> usize {
    text.lines().map(|line| textwrap::core::display_width(line).div_ceil(columns()).max(1)).sum()
}

/// Returns `true` if all lines of a table fit the width of the screen.
pub(super) fn fits(table: &Table) -> bool {
    text(table).lines().all(|line| textwrap::core::display_width(line) <= columns())
}

/// Returns a table of the first rows, as many as fit in `most` lines. The number of omitted rows is printed below it.
/// `num_rows` is the number of all rows, and `of_rows(n)` returns a table of the first `n`.
pub(super) fn first_rows(most: usize, num_rows: usize, of_rows: impl Fn(usize) -> Table) -> String {
    let all = (num_rows <= most).then(|| text(&of_rows(num_rows)));
    if let Some(all) = all.filter(|all| height(all) <= most) {
        return all;
    }
    let shown = (1..num_rows.min(most)).rev().find_map(|shown| {
        let rows = text(&of_rows(shown));
        (height(&rows) < most).then_some((rows, shown))
    });
    let (rows, shown) = shown.unwrap_or_else(|| (text(&of_rows(1.min(num_rows))), 1.min(num_rows)));
    match num_rows - shown {
        0 => rows,
        more => format!("{rows} ... and {more} more: --full\n"),
    }
}

/// Says how to see what was left out.
pub(super) const HINT: &str = "--full prints the rest.";

/// Returns the first sentences of a text, as many as fit in `most` lines with a hint, and at least one. A first sentence
/// that is too long may end at a semicolon.
pub(super) fn first_sentences(most: usize, text: &str) -> String {
    if height(text) <= most {
        return text.into();
    }
    let hint = paragraph(HINT);
    let fits = |end: &usize| height(&text[..*end]) + height(&hint) <= most;
    let ends_with = |marks: &'static [char]| {
        let ends = text.match_indices(marks).map(|(at, mark)| at + mark.len());
        ends.filter(|&end| text[end..].starts_with(char::is_whitespace))
    };
    let sentences = || ends_with(&['.', '!', '?']);
    let end =
        sentences().take_while(fits).last().or_else(|| ends_with(&[';']).take_while(fits).last());
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
pub(super) fn first_blocks(most: usize, text: &str) -> String {
    let ends = text.match_indices("\n\n").map(|(at, _)| at + 1).chain([text.len()]);
    let fits = |end: &usize| height(&text[..*end]) <= most;
    match ends.take_while(fits).last() {
        Some(end) => text[..end].into(),
        None => first_sentences(most, text),
    }
}

/// Adds the hint how to see what was left out. One hint is enough.
pub(super) fn with_hint(shown: &str) -> String {
    let hint = paragraph(HINT);
    shown.replace(&hint, "") + &hint
}

/// Returns the parts that fit on a screen with `last` at the end, separated by empty lines. If a part is left out, a
/// line says how to see the rest.
pub(super) fn on_a_screen(parts: &[String], last: &str) -> String {
    let parts: Vec<&str> =
        parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let whole = parts.join("\n");
    if height(&whole) + height(last) <= LINES {
        return whole + last;
    }
    let mut shown: Vec<&str> = Vec::new();
    for part in parts {
        shown.push(part);
        // The hint follows an empty line.
        if height(&shown.join("\n")) + 2 + height(last) > LINES {
            shown.pop();
        }
    }
    with_hint(&(shown.join("\n") + "\n")) + last
}

#[cfg(test)]
mod tests {
    use super::super::format::table;
    use super::*;

    fn numbers(num: usize) -> Table {
        let mut rows = table(["number"], &[0]);
        for number in 0..num {
            rows.add_row([number.to_string()]);
        }
        rows
    }

    #[test]
    fn tables_are_cut_where_they_are_too_long() {
        assert_eq!(first_rows(4, 3, numbers), text(&numbers(3)));
        assert_eq!(
            first_rows(4, 4, numbers),
            format!("{} ... and 2 more: --full\n", text(&numbers(2)))
        );
        assert_eq!(first_rows(9, 1000, numbers).lines().count(), 9);
        assert_eq!(first_rows(1, 2, numbers).lines().count(), 3);
        assert_eq!(first_rows(5, 0, numbers), text(&numbers(0)));
    }

    #[test]
    fn omissions_are_mentioned() {
        let long = "x\n".repeat(LINES);
        assert_eq!(on_a_screen(&["a\n".into(), "b\n".into()], "c\n"), "a\n\nb\nc\n");
        let cut = on_a_screen(&["a\n".into(), long, "b\n".into()], "c\n");
        assert_eq!(cut, "a\n\nb\n\n--full prints the rest.\nc\n");
        for (most, text, expected) in [
            (9, "One.\nIt LONG.\n", "One.\nIt LONG.\n"),
            (3, "One. Two! It LONG.\n", "One. Two!\nHINT\n"),
            (2, "One; two; it LONG.\n", "One; two.\nHINT\n"),
            (1, "It LONG. Two.\n", "It LONG.\nHINT\n"),
        ] {
            let long = |text: &str| text.replace("LONG", &"is long ".repeat(40));
            assert_eq!(first_sentences(most, &long(text)), long(expected).replace("HINT", HINT));
        }
        assert_eq!(first_blocks(4, "a\n\nname\n----\nb\n"), "a\n");
        assert_eq!(first_blocks(5, "a\n\nname\n----\nb\n"), "a\n\nname\n----\nb\n");
        assert_eq!(first_blocks(1, "a.\nb\n"), format!("a.\n{HINT}\n"));
    }
}
