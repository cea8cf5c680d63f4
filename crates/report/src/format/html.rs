//! Tables in HTML: parts of a page, and well-formed XML.

use super::entry::{Mark, Text};
use super::grid::Table;
use super::view::View;

pub(super) fn write(table: &Table) -> String {
    let view = View::new(table);
    let mut text = String::from("<figure class=\"table\">\n");
    let title = escaped(&table.title);
    // Wide tables scroll separately from the page. Without a mouse, the Tab key reaches them.
    text += &format!(
        "<div class=\"scroll\" role=\"region\" aria-label=\"{title}\" tabindex=\"0\">\n\
         <table>\n<caption>{title}</caption>\n"
    );
    text += &format!("<thead><tr><th scope=\"col\">{}</th>", escaped(&view.corner));
    for column in &view.columns {
        text += &format!("<th scope=\"col\">{}</th>", escaped(column));
    }
    text += "</tr></thead>\n<tbody>\n";
    for row in &view.rows {
        text += &format!("<tr><th scope=\"row\">{}</th>", marked(&row.label, row.is_best));
        let cells = view.columns.iter().zip(&row.cells);
        text.extend(cells.map(|(column, text)| cell(column, text)));
        text += "</tr>\n";
    }
    text += "</tbody>\n</table>\n</div>\n";

    if !table.caption.is_empty() {
        text += &format!("<figcaption>{}</figcaption>\n", escaped(&table.caption));
    }
    let items = table.remarks(["<strong>Bold</strong>", "~"], escaped).into_iter();
    let items: String = items.map(|item| format!("<li>{item}</li>\n")).collect();
    if !items.is_empty() {
        text += &format!("<ul>\n{items}</ul>\n");
    }
    text + "</figure>\n"
}

/// Returns a cell, labelled with the name of its column. Narrow screens show rows as lists with these labels.
fn cell(column: &str, Text { figure, mark, .. }: &Text) -> String {
    let figure = marked(figure, *mark == Mark::Best);
    let after = if *mark == Mark::Near { " ~" } else { "" };
    format!("<td data-label=\"{}\">{figure}{after}</td>", escaped(column))
}

fn marked(text: &str, is_best: bool) -> String {
    if is_best { format!("<strong>{}</strong>", escaped(text)) } else { escaped(text) }
}

/// Escapes text for use between tags and in attributes. The result is ASCII, because the encoding of the page is
/// unknown.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            // Control characters are not allowed, not even as character references.
            control if control.is_control() => escaped.push(' '),
            // These two characters are not allowed, either.
            '\u{fffe}' | '\u{ffff}' => escaped += "&#65533;",
            ascii if ascii.is_ascii() => escaped.push(ascii),
            other => escaped += &format!("&#{};", u32::from(other)),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_means_itself() {
        assert_eq!(escaped("a<b & \"c\" > 'd'"), "a&lt;b &amp; &quot;c&quot; &gt; &#39;d&#39;");
        assert_eq!(escaped("\u{b1}\u{0}\u{ffff}"), "&#177; &#65533;");
    }
}
