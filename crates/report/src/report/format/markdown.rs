//! Tables in Markdown.

use super::sheet::{Mark, Sheet, Text};

pub(super) fn write(sheet: &Sheet) -> String {
    let mut text = format!("## {}\n\n", escaped(&sheet.title));
    if !sheet.caption.is_empty() {
        text += &format!("{}\n\n", escaped(&sheet.caption));
    }
    if !sheet.columns.is_empty() && !sheet.rows.is_empty() {
        let columns = std::iter::once(&sheet.corner).chain(&sheet.columns);
        text += &row(columns.map(|column| escaped(column)));
        let numeric = sheet.columns.iter().map(|_| "---:".to_string());
        text += &row(std::iter::once("---".to_string()).chain(numeric));
        for line in &sheet.rows {
            let label = escaped(&line.label);
            let label = if line.is_best { format!("**{label}**") } else { label };
            text += &row(std::iter::once(label).chain(line.cells.iter().map(cell)));
        }
        text.push('\n');
    }
    let marks = ["**Bold**", "\\~"].into_iter().zip(&sheet.legend);
    for (mark, meaning) in marks.filter_map(|(mark, meaning)| Some((mark, meaning.as_ref()?))) {
        text += &format!("- {mark}: {}.\n", escaped(meaning));
    }
    for note in &sheet.notes {
        text += &format!("- {}\n", escaped(note));
    }
    text
}

fn row(cells: impl Iterator<Item = String>) -> String {
    format!("| {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

fn cell(Text { figure, mark, .. }: &Text) -> String {
    let figure = escaped(figure);
    match mark {
        Mark::Best => format!("**{figure}**"),
        Mark::Near => format!("{figure} \\~"),
        Mark::Plain => figure,
    }
}

/// Escapes text. A `<` before a blank does not begin a tag, and an interval in brackets is not a link.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let is_special = match character {
            '\\' | '|' | '*' | '_' | '~' | '`' => true,
            '<' | '[' => characters.peek().is_some_and(|next| next.is_alphabetic() || *next == '/'),
            _ => false,
        };
        if is_special {
            escaped.push('\\');
        }
        escaped.push(if character.is_control() { ' ' } else { character });
    }
    escaped
}
