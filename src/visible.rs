//! Text from outside, such as names in files and paths, without what a terminal or a reader would obey and not see.

use std::borrow::Cow;

/// Characters that move, colour and retitle a terminal, that turn the direction of what follows (Boucher & Anderson,
/// *Trojan Source*, USENIX Security 2023), or that XML has not. All are below U+10000.
fn is_unseen(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    is_control || turns || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// The text with U+FFFD, the character for those that cannot be shown, in their place. Ends of lines and tabs stay.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    match text.contains(is_unseen) {
        true => text.replace(is_unseen, "\u{fffd}").into(),
        false => text.into(),
    }
}

/// The JSON text with the escapes of JSON in their place: the value stays what it is.
#[cfg(feature = "cli")]
pub(crate) fn visible_json(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return text.into();
    }
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match is_unseen(c) {
            true => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
            false => escaped.push(c),
        }
    }
    escaped.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_obeyed_and_not_seen() {
        // A title, a colour, an override, an isolate, a mark, the C1 form of CSI, DEL and a carriage return.
        for (text, shown) in [
            ("plain\ttext\n", "plain\ttext\n"),
            ("\u{1b}]0;x\u{7}", "\u{fffd}]0;x\u{fffd}"),
            ("\u{1b}[31mred", "\u{fffd}[31mred"),
            ("a\u{202e}b", "a\u{fffd}b"),
            ("a\u{2066}b\u{2069}", "a\u{fffd}b\u{fffd}"),
            ("\u{200e}\u{200f}\u{61c}", "\u{fffd}\u{fffd}\u{fffd}"),
            ("\u{9b}2J\u{7f}\r", "\u{fffd}2J\u{fffd}\u{fffd}"),
            ("na\u{ef}ve \u{2660} \u{1f0a1}", "na\u{ef}ve \u{2660} \u{1f0a1}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn json_means_the_same() {
        let value = serde_json::json!({ "a\u{202e}": "\u{1b}[31m \u{9b} \u{7f} \u{2066}\n\u{ef}" });
        let shown = visible_json(&format!("{value:#}\n")).into_owned();
        assert_eq!(
            shown,
            "{\n  \"a\\u202e\": \"\\u001b[31m \\u009b \\u007f \\u2066\\n\u{ef}\"\n}\n"
        );
        let again: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        assert_eq!(again, value);
    }
}
