//! Tables in Markdown.

use super::entry::{Mark, Text};
use super::grid::Table;
use super::view::View;

pub(super) fn write(table: &Table) -> String {
    let view = View::new(table);
    let mut text = format!("## {}\n\n", escaped(&table.title));
    if !table.caption.is_empty() {
        text += &format!("{}\n\n", escaped(&table.caption));
    }
    if !view.columns.is_empty() && !view.rows.is_empty() {
        let columns = std::iter::once(&view.corner).chain(&view.columns);
        text += &row(columns.map(|column| escaped(column)));
        let numeric = view.columns.iter().map(|_| "---:".to_string());
        text += &row(std::iter::once("---".to_string()).chain(numeric));
        for line in &view.rows {
            let label = escaped(&line.label);
            let label = if line.is_best { format!("**{label}**") } else { label };
            text += &row(std::iter::once(label).chain(line.cells.iter().map(cell)));
        }
        text.push('\n');
    }
    for remark in table.remarks(["**Bold**", "\\~"], escaped) {
        text += &format!("- {remark}\n");
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
