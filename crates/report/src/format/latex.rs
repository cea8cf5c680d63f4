//! Tables in LaTeX, with the rules of the package `booktabs`.
//!
//! Each caption has a label, and fits on two lines of a column. Other remarks are in a comment above the table, to be
//! copied into the paper.

use super::entry::{Mark, Text};
use super::grid::Table;
use super::numbers::{common_digits, with_interval, with_interval_to};
use super::options::Options;
use super::view::View;

/// The packages that a document needs for the tables.
pub(super) const PREAMBLE: &str = "% \\usepackage{booktabs}\n";

/// The mark of nearly the best figures, in a caption.
const NEAR: &str = "$^{\\sim}$";

pub(super) fn write(table: &Table, options: &Options) -> String {
    write_as(table, &name(table), options)
}

/// Formats the table as LaTeX, with `name` in its label.
pub(super) fn write_as(table: &Table, name: &str, options: &Options) -> String {
    let view = View::new(table);
    let (comment, caption) = match options.long_captions {
        true => (String::new(), long_caption(table)),
        false => (comment(table), short_caption(table, &view)),
    };
    let width = width(&view);
    let environment = if width > COLUMN { "table*" } else { "table" };
    // The widest tables are in small type, with little space between columns.
    let small = "\\scriptsize\\setlength{\\tabcolsep}{3pt}";
    let size = if width > PAGE { small } else { "\\small" };
    let mut text = format!(
        "{comment}\\begin{{{environment}}}\n\\caption{{{caption}}}\n\\label{{tab:{name}}}\n"
    );
    if !view.columns.is_empty() && !view.rows.is_empty() {
        let alignment = "r".repeat(view.columns.len());
        text += &format!(
            "\\smallskip\n\\centering{size}\n\\begin{{tabular}}{{l{alignment}}}\n\\toprule\n"
        );
        let columns = view.columns.iter().map(|column| header(column));
        text += &row(std::iter::once(escaped(&view.corner)).chain(columns));
        text += "\\midrule\n";
        let digits: Vec<usize> =
            (0..view.columns.len()).map(|column| digits(&view, column)).collect();
        for line in &view.rows {
            let label = escaped(&line.label);
            let label = if line.is_best { bold(&label) } else { label };
            let cells = line.cells.iter().zip(&digits).map(|(text, &digits)| cell(text, digits));
            text += &row(std::iter::once(label).chain(cells));
        }
        text += "\\bottomrule\n\\end{tabular}\n";
    }
    text + &format!("\\end{{{environment}}}\n")
}

/// Returns the title for labels and file names: lower-case letters, digits and hyphens.
pub(super) fn name(table: &Table) -> String {
    let words = table.title.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<String> =
        words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

fn short_caption(table: &Table, view: &View) -> String {
    let mut caption = escaped(&table.short).replace("\\textasciitilde{}:", &format!("{NEAR}:"));
    let shown = || view.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.figure.as_str());
    for (sign, meaning) in
        [(" ?", "?: runs too few or in two groups"), ("(alike)", "(alike): all runs equal")]
    {
        if shown().any(|figure| figure.contains(sign)) {
            caption += &format!(" {meaning}.");
        }
    }
    caption
}

/// Returns the remarks that are not in the caption.
fn comment(table: &Table) -> String {
    let text = std::iter::once(format!("{}. {}", table.title, table.caption))
        .chain(table.remarks(["Bold", "~"], str::to_string));
    let wrap = |paragraph: String| {
        // A control character would end the comment.
        let paragraph = paragraph.replace(char::is_control, " ");
        let lines = textwrap::wrap(&paragraph, 96).into_iter();
        lines.map(|line| format!("% {line}\n")).collect::<String>()
    };
    text.map(wrap).collect()
}

fn long_caption(table: &Table) -> String {
    let mut caption = format!("{}. {}", escaped(&table.title), escaped(&table.caption));
    for remark in table.remarks(["Bold", NEAR], escaped) {
        caption += &format!(" {remark}");
    }
    caption
}

/// The width of a column of a two-column page, in points.
const COLUMN: usize = 241;
/// The width of a two-column page, in points.
const PAGE: usize = 510;

/// Returns the approximate width of a table in nine-point type.
fn width(view: &View) -> usize {
    /// The mean width of a letter, and the space between two columns, in points.
    const LETTER: usize = 5;
    const SPACE: usize = 12;
    let letters = |text: &str| text.chars().count();
    let first = view.rows.iter().map(|row| letters(&row.label)).max().unwrap_or(0);
    let others = view.columns.iter().enumerate().map(|(column, name)| {
        let cells = view.rows.iter().filter_map(|row| row.cells.get(column));
        let widest = cells.map(|cell| letters(&cell.figure)).max().unwrap_or(0);
        widest.max(lines(name).iter().map(|line| letters(line)).max().unwrap_or(0))
    });
    let (letters, columns) = others.fold((first, 1), |(sum, n), width| (sum + width, n + 1));
    letters * LETTER + columns * SPACE
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("{} \\\\\n", cells.collect::<Vec<_>>().join(" & "))
}

fn bold(text: &str) -> String {
    format!("\\textbf{{{text}}}")
}

/// Breaks a column's name at hyphens and blanks, because most names are longer than the figures below them.
fn lines(name: &str) -> Vec<std::borrow::Cow<'_, str>> {
    textwrap::wrap(name, textwrap::Options::new(12).break_words(false))
}

fn header(name: &str) -> String {
    match &lines(name)[..] {
        [] | [_] => escaped(name),
        lines => {
            let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
            format!("\\shortstack[r]{{{}}}", lines.join("\\\\"))
        }
    }
}

/// Returns the number of digits of the means in a column.
fn digits(view: &View, column: usize) -> usize {
    let cells = view.rows.iter().filter_map(|row| row.cells.get(column));
    common_digits(cells.filter_map(|cell| cell.mean.as_ref()))
}

fn cell(Text { figure, mark, mean }: &Text, digits: usize) -> String {
    let figure = match mean {
        Some(mean) => figure.replacen(&with_interval(mean), &with_interval_to(mean, digits), 1),
        None => figure.clone(),
    };
    let figure = match figure.strip_prefix('-') {
        Some("") => "--".into(),
        Some(number) => format!("$-${}", escaped(number)),
        None => escaped(&figure),
    };
    match mark {
        Mark::Best => bold(&figure),
        // The mark stands outside the column, to keep digits aligned.
        Mark::Near => format!("{figure}\\rlap{{{NEAR}}}"),
        Mark::Plain => figure,
    }
}

/// Escapes text. At the start of a row, LaTeX would take a bracket or a star as part of the previous row.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '±' => escaped.push_str("$\\pm$"),
            // `>=` is one comparison sign.
            '=' if escaped.ends_with("$>$") => {
                escaped.truncate(escaped.len() - "$>$".len());
                escaped.push_str("$\\ge$");
            }
            '<' | '>' => escaped.extend(['$', character, '$']),
            '[' | ']' | '*' => escaped.extend(['{', character, '}']),
            '`' => escaped.push_str("\\textasciigrave{}"),
            '_' | '%' | '&' | '#' | '$' | '{' | '}' => escaped.extend(['\\', character]),
            control if control.is_control() => escaped.push(' '),
            plain => escaped.push(plain),
        }
    }
    escaped
}
