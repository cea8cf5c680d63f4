//! Tables in LaTeX, with the rules of the package `booktabs`.
//!
//! A caption has a label, and fits on two lines of a column; all other remarks stand above the table as a comment, for
//! the text of the paper.

use super::numbers::{common_digits, with_interval, with_interval_to};
use super::options::Options;
use super::sheet::{Mark, Sheet, Text};

/// The packages that a document needs for the tables.
pub(super) const PREAMBLE: &str = "% \\usepackage{booktabs}\n";

/// The mark of a figure that is nearly the best, in a caption.
const NEAR: &str = "$^{\\sim}$";

pub(super) fn write(sheet: &Sheet, options: &Options) -> String {
    write_as(sheet, &name(sheet), options)
}

/// Returns the table with this name in its label.
pub(super) fn write_as(sheet: &Sheet, name: &str, options: &Options) -> String {
    let (comment, caption) = match options.long_captions {
        true => (String::new(), long_caption(sheet)),
        false => (comment(sheet), short_caption(sheet)),
    };
    let width = width(sheet);
    let environment = if width > COLUMN { "table*" } else { "table" };
    // The widest tables are set in small letters with little space between columns.
    let size = match width > PAGE {
        true => "\\scriptsize\\setlength{\\tabcolsep}{3pt}",
        false => "\\small",
    };
    let mut text = format!(
        "{comment}\\begin{{{environment}}}\n\\caption{{{caption}}}\n\\label{{tab:{name}}}\n"
    );
    if !sheet.columns.is_empty() && !sheet.rows.is_empty() {
        let alignment = "r".repeat(sheet.columns.len());
        text += &format!(
            "\\smallskip\n\\centering{size}\n\\begin{{tabular}}{{l{alignment}}}\n\\toprule\n"
        );
        let columns = sheet.columns.iter().map(|column| header(column));
        text += &row(std::iter::once(escaped(&sheet.corner)).chain(columns));
        text += "\\midrule\n";
        let digits: Vec<usize> =
            (0..sheet.columns.len()).map(|column| digits(sheet, column)).collect();
        for line in &sheet.rows {
            let label = escaped(&line.label);
            let label = if line.is_best { bold(&label) } else { label };
            let cells = line.cells.iter().zip(&digits).map(|(text, &digits)| cell(text, digits));
            text += &row(std::iter::once(label).chain(cells));
        }
        text += "\\bottomrule\n\\end{tabular}\n";
    }
    text + &format!("\\end{{{environment}}}\n")
}

/// Returns the title as used in labels and file names: lower-case letters, digits and hyphens.
pub(super) fn name(sheet: &Sheet) -> String {
    let words = sheet.title.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<String> =
        words.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect();
    words.join("-")
}

fn short_caption(sheet: &Sheet) -> String {
    let mut caption = escaped(&sheet.short).replace("\\textasciitilde{}:", &format!("{NEAR}:"));
    let shown = || sheet.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.figure.as_str());
    for (sign, meaning) in
        [(" ?", "?: runs too few or in two groups"), ("(alike)", "(alike): all runs equal")]
    {
        if shown().any(|figure| figure.contains(sign)) {
            caption += &format!(" {meaning}.");
        }
    }
    caption
}

/// Returns the remarks that the caption leaves out.
fn comment(sheet: &Sheet) -> String {
    let marks = ["Bold", "~"].into_iter().zip(&sheet.legend);
    let marks = marks.filter_map(|(mark, meaning)| Some(format!("{mark}: {}.", meaning.as_ref()?)));
    let text = std::iter::once(format!("{}. {}", sheet.title, sheet.caption))
        .chain(marks)
        .chain(sheet.notes.iter().cloned());
    let wrap = |paragraph: String| {
        // A control character would end the comment.
        let paragraph = paragraph.replace(char::is_control, " ");
        let lines = textwrap::wrap(&paragraph, 96).into_iter();
        lines.map(|line| format!("% {line}\n")).collect::<String>()
    };
    text.map(wrap).collect()
}

fn long_caption(sheet: &Sheet) -> String {
    let mut caption = format!("{}. {}", escaped(&sheet.title), escaped(&sheet.caption));
    let marks = ["Bold", NEAR].into_iter().zip(&sheet.legend);
    for (mark, meaning) in marks.filter_map(|(mark, meaning)| Some((mark, meaning.as_ref()?))) {
        caption += &format!(" {mark}: {}.", escaped(meaning));
    }
    for note in &sheet.notes {
        caption += &format!(" {}", escaped(note));
    }
    caption
}

/// The width of a column of a two-column page, and of the page, in points.
const COLUMN: usize = 241;
const PAGE: usize = 510;

/// Returns the approximate width of a table with letters of nine points.
fn width(sheet: &Sheet) -> usize {
    /// The mean width of a letter, and the space between two columns, in points.
    const LETTER: usize = 5;
    const SPACE: usize = 12;
    let letters = |text: &str| text.chars().count();
    let first = sheet.rows.iter().map(|row| letters(&row.label)).max().unwrap_or(0);
    let others = sheet.columns.iter().enumerate().map(|(column, name)| {
        let cells = sheet.rows.iter().filter_map(|row| row.cells.get(column));
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

/// Breaks the name of a column at hyphens and blanks, because names are longer than the figures below them.
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
fn digits(sheet: &Sheet, column: usize) -> usize {
    let cells = sheet.rows.iter().filter_map(|row| row.cells.get(column));
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
        // The mark stands outside the column, so that digits stay aligned.
        Mark::Near => format!("{figure}\\rlap{{{NEAR}}}"),
        Mark::Plain => figure,
    }
}

/// Escapes text so that it is safe even at the start of a row, where LaTeX would take a bracket or a star as part of
/// the previous row.
pub(in crate::report) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '±' => escaped.push_str("$\\pm$"),
            // `>=` is one comparison of two characters.
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
