//! Colours for the texts of games, in terminals that support colours.

use std::borrow::Cow;
use std::io::Write;

use clap::builder::styling::{AnsiColor, Style};
use ruse_base::visible::visible;
use ruse_games::Tint;
use ruse_play::session::Session;

use super::super::failure::Result;

/// Returns the style of a tint. People who cannot distinguish red and green can still distinguish the tints, and the
/// letters differ, too.
pub(super) fn style(tint: Tint) -> Style {
    match tint {
        Tint::First => AnsiColor::Yellow.on_default().bold(),
        Tint::Second => AnsiColor::Cyan.on_default().bold(),
        Tint::Hit => AnsiColor::Red.on_default().bold(),
        Tint::Miss => AnsiColor::Blue.on_default(),
        Tint::RedSuit => AnsiColor::Red.on_default(),
        Tint::Good => AnsiColor::Green.on_default(),
        Tint::Bad => AnsiColor::Magenta.on_default(),
    }
}

/// Colours the words of a text that have a tint.
fn painted(text: &str, tint: impl Fn(&str) -> Option<Tint>) -> String {
    let mut painted = String::with_capacity(text.len());
    for piece in text.split_inclusive([' ', '\n']) {
        let word = piece.trim_end_matches([' ', '\n', '.', ',', ';', ':', '!']);
        match tint(word).filter(|_| !word.is_empty()).map(style) {
            Some(style) => {
                painted += &format!("{style}{word}{style:#}{}", &piece[word.len()..]);
            }
            None => painted += piece,
        }
    }
    painted
}

/// Prints a text with the colours of the game, or without colours if the output is a pipe or `NO_COLOR` is set.
pub(crate) fn print(text: &str, session: &dyn Session) -> Result {
    let text: Cow<'_, str> = visible(text);
    write(&painted(&text, |word| session.tint(word)))
}

/// Prints a text with styles, or without if the output is a pipe or `NO_COLOR` is set.
pub(super) fn write(styled: &str) -> Result {
    let mut output = anstream::stdout().lock();
    output.write_all(styled.as_bytes())?;
    output.flush()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_painted_and_nothing_else() {
        let tint = |word: &str| (word == "X").then_some(Tint::Hit);
        assert_eq!(painted("a X. XX\nX\n", tint), {
            let hit = "\u{1b}[1m\u{1b}[31mX\u{1b}[0m";
            format!("a {hit}. XX\n{hit}\n")
        });
        assert_eq!(painted("", tint), "");
        assert_eq!(painted(" . \n", tint), " . \n");
    }
}
