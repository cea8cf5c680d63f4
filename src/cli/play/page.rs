//! Text wrapped to the width of the terminal, for people who play.

use ruse_games::Page;
use textwrap::{Options, WordSplitter};

use super::super::format::terminal_width;

fn options<'a>(page: Page) -> Options<'a> {
    // A ship, such as c3-c5, is one word, and must not be split.
    Options::new(page.width.max(Page::MIN_WIDTH)).word_splitter(WordSplitter::NoHyphenation)
}

/// Wraps each line of a text as a paragraph.
pub(in super::super) fn wrapped(text: &str, page: Page) -> String {
    text.lines().map(|line| textwrap::fill(line, options(page)) + "\n").collect()
}

/// Returns `name` followed by a wrapped paragraph. All lines after the first are indented to the column in which the
/// paragraph begins.
pub(in super::super) fn hanging(name: &str, text: &str, page: Page) -> String {
    let indent = " ".repeat(name.len());
    textwrap::fill(text, options(page).initial_indent(name).subsequent_indent(&indent)) + "\n"
}

/// Returns an entry of a numbered list of possible answers. The entry consists of the number, the answer and the
/// meaning of the answer, which may be empty.
pub(in super::super) fn choice_line(
    number: usize,
    typed: &str,
    meaning: &str,
    page: Page,
) -> String {
    match meaning {
        "" => format!("{number:>2}  {}\n", typed.trim_end()),
        _ => hanging(&format!("{number:>2}  {typed}  "), meaning, page),
    }
}

/// Returns a page with the current width and the character set of the output. The width may change when a window is
/// resized.
pub(in super::super) fn current() -> Page {
    /// The width that is used if the width of the output is unknown.
    const USUAL_WIDTH: usize = 80;
    let of_environment = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = terminal_width().map(usize::from).or_else(of_environment).unwrap_or(USUAL_WIDTH);
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    Page { width: width.max(Page::MIN_WIDTH), unicode: locale.is_some_and(|name| is_utf8(&name)) }
}

/// Returns whether a locale, such as `en_US.UTF-8`, has the character set UTF-8.
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
