//! Tables in LaTeX, with the rules of the package booktabs.

use super::sheet::{Mark, Sheet, Text};

/// What a document needs for the tables.
pub(super) const PREAMBLE: &str = "% \\usepackage{booktabs}\n";

pub(super) fn write(sheet: &Sheet) -> String {
    let mut caption = format!("{}. {}", escaped(&sheet.title), escaped(&sheet.caption));
    let marks = ["Bold", "\\textasciitilde"].into_iter().zip(&sheet.legend);
    for (mark, meaning) in marks.filter_map(|(mark, meaning)| Some((mark, meaning.as_ref()?))) {
        caption += &format!(" {mark}: {}.", escaped(meaning));
    }
    for note in &sheet.notes {
        caption += &format!(" {}", escaped(note));
    }
    let mut text = format!("\\begin{{table}}\n\\caption{{{caption}}}\n");
    if !sheet.columns.is_empty() && !sheet.rows.is_empty() {
        let alignment = "r".repeat(sheet.columns.len());
        text += &format!("\\centering\\small\n\\begin{{tabular}}{{l{alignment}}}\n\\toprule\n");
        let columns = sheet.columns.iter().map(|column| header(column));
        text += &row(std::iter::once(escaped(&sheet.corner)).chain(columns));
        text += "\\midrule\n";
        for line in &sheet.rows {
            let label = escaped(&line.label);
            let label = if line.is_best { bold(&label) } else { label };
            text += &row(std::iter::once(label).chain(line.cells.iter().map(cell)));
        }
        text += "\\bottomrule\n\\end{tabular}\n";
    }
    text + "\\end{table}\n"
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("{} \\\\\n", cells.collect::<Vec<_>>().join(" & "))
}

fn bold(text: &str) -> String {
    format!("\\textbf{{{text}}}")
}

/// The name of a column, broken at hyphens and blanks: names are longer than figures.
fn header(name: &str) -> String {
    let lines = textwrap::wrap(name, textwrap::Options::new(12).break_words(false));
    match &lines[..] {
        [] | [_] => escaped(name),
        lines => {
            let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
            format!("\\shortstack[r]{{{}}}", lines.join("\\\\"))
        }
    }
}

fn cell(Text { figure, mark }: &Text) -> String {
    let figure = escaped(figure);
    match mark {
        Mark::Best => bold(&figure),
        Mark::Near => format!("{figure}\\textasciitilde"),
        Mark::Plain => figure,
    }
}

/// Text that means itself, also at the start of a row, where a bracket or a star would belong to the end of the
/// row before.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '±' => escaped.push_str("$\\pm$"),
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
