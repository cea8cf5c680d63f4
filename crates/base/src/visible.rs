//! Makes text from outside, such as names and paths in files, safe to print. Invisible characters that could control a
//! terminal or mislead a reader are replaced.

use std::borrow::Cow;
use std::ffi::OsStr;

/// Returns `true` for characters that control a terminal, that change the direction of text (Boucher &
/// Anderson, *Trojan Source*, USENIX Security 2023), or that are not allowed in XML. All these characters are below
/// U+10000.
pub(crate) fn is_unseen(c: char) -> bool {
    let is_control = c.is_control() && c != '\n' && c != '\t';
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    is_control || turns || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// Returns the text with `by` in place of the characters for which `is_replaced` returns `true`.
fn replaced(text: &str, is_replaced: fn(char) -> bool, by: fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(is_replaced) {
        return text.into();
    }
    let replace = |c| if is_replaced(c) { by(c) } else { c.into() };
    text.chars().map(replace).collect::<String>().into()
}

/// Returns the text with each invisible character replaced by U+FFFD, the replacement character. Line ends and tabs are
/// kept.
pub fn visible(text: &str) -> Cow<'_, str> {
    replaced(text, is_unseen, |_| '\u{fffd}'.into())
}

/// Returns `true` for characters that are invisible or end a line.
fn is_hidden(c: char) -> bool {
    is_unseen(c) || c.is_control()
}

/// Returns the first character of a name that is invisible, or ends a line, if there is one.
pub(crate) fn hidden_in(name: &str) -> Option<char> {
    name.chars().find(|&c| is_hidden(c))
}

/// Checks a name or path from outside before it is written into a script or another file that programs execute.
///
/// # Errors
///
/// Returns an error if the name or path is not UTF-8 or contains an invisible character: a line end, for example, would
/// end a comment, and the rest would be executed.
pub fn check_script_word(word: &OsStr) -> Result<&str, ScriptWordError> {
    let refused = || ScriptWordError(word.to_string_lossy().replace(is_hidden, "\u{fffd}"));
    word.to_str().filter(|text| !text.contains(is_hidden)).ok_or_else(refused)
}

/// The error for a name or path that must not be written into a script. Its invalid characters are replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` contains a character that is not allowed in a script, such as a line end or invalid UTF-8"
)]
pub struct ScriptWordError(String);

/// Returns the text in one line, with escapes such as `\u{1b}` and `\n` in place of invisible characters.
pub fn escaped(text: &str) -> Cow<'_, str> {
    replaced(text, is_hidden, |c| c.escape_default().to_string())
}

/// Returns the JSON text with JSON escapes in place of invisible characters, so the value stays the same.
pub fn visible_json(text: &str) -> Cow<'_, str> {
    replaced(text, is_unseen, |c| format!("\\u{:04x}", u32::from(c)))
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
    fn words_of_scripts_are_seen() {
        for word in ["/runs/paper", "it's $(here)", "na\u{ef}ve \u{2660}", ""] {
            assert_eq!(check_script_word(word.as_ref()), Ok(word));
        }
        for word in ["x\ntouch y", "a\tb", "a\r", "\u{1b}[2J", "a\u{85}b", "a\u{202e}b", "\u{7f}"] {
            assert!(check_script_word(word.as_ref()).is_err(), "{word:?}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt;
            let refused = check_script_word(OsStr::from_bytes(b"bad\xff.yaml"));
            assert_eq!(refused, Err(ScriptWordError("bad\u{fffd}.yaml".into())));
        }
    }

    #[test]
    fn a_text_is_one_line_with_escapes() {
        for (text, shown) in [
            ("sh -c 'exit 0'", "sh -c 'exit 0'"),
            ("a\tb\nc\r\u{1b}[2K", "a\\tb\\nc\\r\\u{1b}[2K"),
            ("\u{202e}na\u{ef}ve", "\\u{202e}na\u{ef}ve"),
        ] {
            assert_eq!(escaped(text), shown);
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
