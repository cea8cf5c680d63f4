//! What fits on the screen of who plays.

use ruse_games::Page;

use super::super::format::terminal_width;

/// Lines of text, each a paragraph, in lines that fit.
pub(super) fn wrapped(text: &str, page: Page) -> String {
    let width = page.width.max(Page::MIN_WIDTH);
    text.lines().map(|line| textwrap::fill(line, width) + "\n").collect()
}

/// The page that there is now: a window may have changed its size.
pub(super) fn current() -> Page {
    /// Where nobody says how wide the output is.
    const USUAL_WIDTH: usize = 80;
    let of_environment = || std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let width = terminal_width().map(usize::from).or_else(of_environment).unwrap_or(USUAL_WIDTH);
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    Page { width: width.max(Page::MIN_WIDTH), unicode: locale.is_some_and(|name| is_utf8(&name)) }
}

/// Whether a locale such as `en_US.UTF-8` has all letters.
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
