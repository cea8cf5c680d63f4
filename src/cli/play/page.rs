//! Text wrapped to the width of the terminal, for players.

use ruse_games::Page;
use textwrap::{Options, WordSplitter};

use super::super::format::terminal_width;

fn options<'a>(page: Page) -> Options<'a> {
    // A ship, such as c3-c5, is one word, and must not be split.
    Options::new(page.width.max(Page::MIN_WIDTH)).word_splitter(WordSplitter::NoHyphenation)
}

/// Wraps each line of a text as a paragraph.
pub(crate) fn wrapped(text: &str, page: Page) -> String {
    text.lines().map(|line| textwrap::fill(line, options(page)) + "\n").collect()
}

/// Returns `name` and a wrapped paragraph, whose later lines are indented to its first column.
pub(crate) fn hanging(name: &str, text: &str, page: Page) -> String {
    let indent = " ".repeat(name.len());
    textwrap::fill(text, options(page).initial_indent(name).subsequent_indent(&indent)) + "\n"
}

/// Returns an entry of a numbered list of answers: the number, the answer and its meaning, which may be empty.
pub(crate) fn choice_line(number: usize, typed: &str, meaning: &str, page: Page) -> String {
    match meaning {
        "" => format!("{number:>2}  {}\n", typed.trim_end()),
        _ => hanging(&format!("{number:>2}  {typed}  "), meaning, page),
    }
}

/// Returns the current width and character set of the output. The width may change with the window.
pub(crate) fn current() -> Page {
    /// The width if the output's width is unknown.
    const USUAL_WIDTH: usize = 80;
    let of_environment = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = terminal_width().map(usize::from).or_else(of_environment).unwrap_or(USUAL_WIDTH);
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    Page { width: width.max(Page::MIN_WIDTH), unicode: locale.is_some_and(|name| is_utf8(&name)) }
}

/// Returns `true` if a locale, such as `en_US.UTF-8`, uses UTF-8.
fn is_utf8(locale: &str) -> bool {
    let locale = locale.to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn locales_name_their_letters() {
        for (locale, expected) in [
            ("en_US.UTF-8", true),
            ("C.utf8", true),
            ("C", false),
            ("POSIX", false),
            ("de_DE.ISO-8859-1", false),
        ] {
            assert_eq!(is_utf8(locale), expected, "{locale}");
        }
    }
}
