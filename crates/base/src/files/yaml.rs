//! YAML files from users, and the places of mistakes in them.

mod check;

use std::borrow::Cow;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::Deserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::error::DirectoryError;
use super::reading::{self, UnreadableFile};
use crate::names::{UnknownName, shortened};

/// The text of a YAML file with its path.
#[derive(Debug, Clone)]
pub struct YamlSource {
    /// The path of the file.
    pub path: PathBuf,
    /// The contents of the file.
    pub text: String,
}

impl YamlSource {
    /// The largest file that is read, in bytes; a mixture of 1000 members with the 420 parameters of Flip takes 11 MB.
    pub const MAX_BYTES: u64 = 16 << 20;

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read, is not a regular file of UTF-8 text, has the format of another
    /// program, or has more than [`MAX_BYTES`](Self::MAX_BYTES).
    pub fn read(path: &Path) -> io::Result<YamlSource> {
        let text = reading::read_text(path, Self::MAX_BYTES)?;
        if let Some(format) = reading::foreign(path, text.as_bytes(), &[]) {
            return Err(UnreadableFile::Foreign(format).into());
        }
        Ok(YamlSource { path: path.into(), text })
    }

    /// Parses the text into a value. Time and memory are proportional to the length of the text.
    ///
    /// # Errors
    ///
    /// Returns an error with its place if the text has the wrong type, exceeds the limits on nesting or values, repeats
    /// a key in a map, or has a tag of a non-standard type.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Box<YamlError>> {
        self.check()?;
        serde_yaml::from_str(self.body()).map_err(|error| {
            let place = error.location().map(|at| (at.line(), at.column()));
            // The place is removed from the message, because it is shown separately.
            let mut message = error.to_string();
            if let Some(end) = message.rfind(" at line ") {
                message.truncate(end);
            }
            Box::new(self.mistake(place, &in_plain_words(message)))
        })
    }

    /// Returns the text without a byte-order mark, which the parser would take for a document of its own.
    fn body(&self) -> &str {
        self.text.trim_start_matches('\u{feff}')
    }

    /// Checks the text for mistakes that no file may contain.
    fn check(&self) -> Result<(), Box<YamlError>> {
        check::check(self.body())
            .map_err(|(refusal, place)| Box::new(self.mistake(Some(place), &refusal.to_string())))
    }

    fn mistake(&self, place: Option<(usize, usize)>, message: &str) -> YamlError {
        let message = with_short_quotes(&with_short_numbers(&with_nearest(message)));
        YamlError { source_file: self.clone(), place, message }
    }

    /// Creates an error with this message about the value at `path`, or, if there is no such value, at the longest part
    /// of the path that exists.
    pub fn error_at(&self, path: &[Step], message: String) -> YamlError {
        let place = serde_yaml::Deserializer::from_str(self.body());
        let found = Locator(path).deserialize(place).err();
        let is_missing = |error: &serde_yaml::Error| error.to_string().starts_with(MISSING);
        if found.as_ref().is_some_and(is_missing) {
            return self.error_at(&path[..path.len() - 1], message);
        }
        let place = found.and_then(|error| error.location());
        let place = place.map(|at| (at.line(), at.column()));
        self.mistake(place, &message)
    }

    /// Returns the keys of the top-level map in alphabetical order, or nothing if the text is not a map.
    pub fn keys(&self) -> Vec<String> {
        match check::check(self.body()) {
            Ok(()) => check::keys(self.body()),
            Err(_) => Vec::new(),
        }
    }
}

/// Shortens numbers with hundreds of digits in a message, and writes them as powers of ten, such as 1e308.
fn with_short_numbers(message: &str) -> String {
    const MAX_DIGITS: usize = 30;
    let mut short = String::new();
    let mut rest = message;
    while let Some(start) = rest.find(|c: char| c.is_ascii_digit()) {
        let (before, from) = rest.split_at(start);
        let end = from.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(from.len());
        // A full stop after the digits may end a sentence.
        let digits = from[..end].trim_end_matches('.');
        short += before;
        // Digits in any other form are a quotation from a file, and stay unchanged.
        let number = digits.parse().ok().filter(|number: &f64| number.to_string() == digits);
        match number.filter(|_| digits.len() > MAX_DIGITS) {
            Some(number) => short += &format!("{number:e}"),
            None => short += digits,
        }
        rest = &from[digits.len()..];
    }
    short + rest
}

/// Shortens long quotations from files in a message.
pub fn with_short_quotes(message: &str) -> String {
    /// The length, in bytes, above which the middle of a message is left out even if its quotations are short.
    const MAX_BYTES: usize = 1000;
    let mut short = String::new();
    let mut rest = message;
    while let Some(start) = rest.find(['`', '"']) {
        let (before, quotation) = rest.split_at(start);
        let mark = &quotation[..1];
        let Some(end) = end_of_quotation(&quotation[1..], mark) else { break };
        short += before;
        short += mark;
        short += &shortened(&quotation[1..=end]);
        short += mark;
        rest = &quotation[end + 2..];
    }
    short += rest;
    if short.len() <= MAX_BYTES {
        return short;
    }
    // A long key is part of a path, and has no quotation marks.
    let num_chars = short.chars().count();
    let half = MAX_BYTES / 8;
    let beginning = short.chars().take(half);
    let end = short.chars().skip(num_chars.saturating_sub(half).max(half));
    beginning.chain(['…']).chain(end).collect()
}

/// Returns the end of a quotation that began with `mark`. Only texts in double quotation marks contain escapes.
fn end_of_quotation(text: &str, mark: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.bytes().position(|byte| {
        let is_end = mark.as_bytes() == [byte] && !is_escaped;
        is_escaped = mark == "\"" && byte == b'\\' && !is_escaped;
        is_end
    })
}

/// Replaces the names of Rust types in a message, because authors of experiments do not know these names.
pub fn in_plain_words(message: String) -> String {
    let Some((start, rust)) = message.rsplit_once("expected ") else { return message };
    let plain = match rust {
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a sequence" => "a list",
        "a boolean" => "true or false",
        _ => return message,
    };
    format!("{start}expected {plain}")
}

/// Shortens the message about an unknown key: if a known key is similar, only the most similar known key is listed.
fn with_nearest(message: &str) -> Cow<'_, str> {
    const UNKNOWN: &str = "unknown field `";
    const EXPECTED: &str = "`, expected ";
    let nearest = || {
        let (before, rest) = message.split_once(UNKNOWN)?;
        let (key, known) = rest.split_once(EXPECTED)?;
        // Every second part is in quotation marks.
        let known = known.split('`').skip(1).step_by(2);
        let unknown = UnknownName::new("key", key, known);
        unknown.nearest()?;
        Some(format!("{before}{UNKNOWN}{key}`; {}", unknown.advice()))
    };
    nearest().map_or(Cow::Borrowed(message), Cow::Owned)
}

/// A step of the path to a value in a YAML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The value of a key of a map.
    Key(String),
    /// A key of a map, rather than the value of the key.
    KeyItself(String),
    /// The index of an item of a list, from 0.
    Index(usize),
}

impl From<&str> for Step {
    fn from(key: &str) -> Step {
        Step::Key(key.into())
    }
}

impl From<usize> for Step {
    fn from(index: usize) -> Step {
        Step::Index(index)
    }
}

/// Follows a path through a document, and fails at the end of the path, so that the error contains the place. Values
/// other than lists and maps are refused by the default methods of [`Visitor`].
struct Locator<'a>(&'a [Step]);

impl<'de> DeserializeSeed<'de> for Locator<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// The message of a [`Locator`] if nothing exists at the end of its path.
const MISSING: &str = "missing";

/// Returns the error of a [`Locator`] at the end of its path; the message is not used.
fn here<E: de::Error>() -> E {
    E::custom("here")
}

impl<'de> Visitor<'de> for Locator<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Some((Step::Index(index), rest)) = self.0.split_first() else { return Err(here()) };
        for _ in 0..*index {
            if items.next_element::<IgnoredAny>()?.is_none() {
                return Err(here());
            }
        }
        items.next_element_seed(Locator(rest))?;
        Err(here())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let (wanted, rest) = match self.0.split_first() {
            Some((Step::Key(wanted), rest)) => (wanted, rest),
            Some((Step::KeyItself(wanted), _)) => {
                while entries.next_key_seed(KeyLocator(wanted))?.is_some() {
                    entries.next_value::<IgnoredAny>()?;
                }
                return Err(de::Error::custom(MISSING));
            }
            _ => return Err(here()),
        };
        while let Some(key) = entries.next_key::<String>()? {
            if key == *wanted {
                return entries.next_value_seed(Locator(rest));
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Err(de::Error::custom(MISSING))
    }
}

/// Fails at a key with this name, so that the error contains the place of the key.
struct KeyLocator<'a>(&'a str);

impl<'de> DeserializeSeed<'de> for KeyLocator<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for KeyLocator<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<(), E> {
        if key == self.0 { Err(here()) } else { Ok(()) }
    }
}

/// The reason why a file from a user was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error(transparent)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file contains a mistake.
    Yaml(#[from] Box<YamlError>),
    /// The file belongs to a directory that cannot be used.
    Directory(#[from] DirectoryError),
}

/// A mistake in a YAML file.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}{}: {message}", source_file.path.display(), display_place(*place))]
pub struct YamlError {
    /// The file with the mistake.
    pub source_file: YamlSource,
    /// The line and the column of the mistake, both from 1, if they are known.
    pub place: Option<(usize, usize)>,
    /// A description of the problem and of the expected contents.
    pub message: String,
}

fn display_place(place: Option<(usize, usize)>) -> String {
    place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_messages_are_short() {
        let tiny = -1e-300;
        for (message, expected) in [
            (
                format!("the mean {} is not between -1e6 and 1e6", 1e308),
                "the mean 1e308 is not between -1e6 and 1e6",
            ),
            (
                format!("{tiny} is out of range, or {}.", f64::MAX),
                "-1e-300 is out of range, or 1.7976931348623157e308.",
            ),
            ("line 2: 3 of 1000000 take 0.25 s...".into(), "line 2: 3 of 1000000 take 0.25 s..."),
        ] {
            assert_eq!(with_short_numbers(&message), expected);
        }
        // Quoted text stays unchanged.
        let text = "there is no family `1234567890123456789012345678901234567890`";
        assert_eq!(with_short_numbers(text), text);
    }

    #[test]
    fn values_are_found_by_their_path() {
        let text = "a: 1\nb:\n  - x\n  - {c: 2, d: [7, 8]}\ne: ''\n";
        let source = YamlSource { path: "x.yaml".into(), text: text.into() };
        let cases: [(&[Step], _); 11] = [
            (&["a".into()], (1, 4)),
            (&["b".into(), 0.into()], (3, 5)),
            (&["b".into(), 1.into(), "c".into()], (4, 9)),
            (&["b".into(), 1.into(), "d".into(), 1.into()], (4, 19)),
            (&["b".into(), 1.into(), "d".into()], (4, 15)),
            (&["e".into()], (5, 4)),
            (&[Step::KeyItself("e".into())], (5, 1)),
            (&["b".into(), 1.into(), Step::KeyItself("d".into())], (4, 12)),
            // If there is no such key, the place is the map in which the key is missing.
            (&["x".into()], (1, 1)),
            (&["b".into(), 1.into(), "x".into()], (4, 5)),
            // A name has no keys, so if the parent is a name, the place is the name itself.
            (&["b".into(), 0.into(), "c".into()], (3, 5)),
        ];
        for (path, place) in cases {
            let error = source.error_at(path, "wrong".into());
            assert_eq!(error.place, Some(place), "{path:?}");
        }
        assert_eq!(source.keys(), ["a", "b", "e"]);
    }

    #[test]
    fn the_key_that_was_meant_is_named() {
        for (message, said) in [
            (
                "unknown field `bugdet`, expected one of `family`, `budget`, `seed`",
                "unknown field `bugdet`; did you mean `budget`?",
            ),
            (
                "families[1]: unknown field `famly`, expected `family` or `name`",
                "families[1]: unknown field `famly`; did you mean `family`?",
            ),
            ("unknown field `x`, expected `budget`", "unknown field `x`, expected `budget`"),
            (
                "unknown field `budgit`, there are no fields",
                "unknown field `budgit`, there are no fields",
            ),
            ("there is no method `x`", "there is no method `x`"),
        ] {
            assert_eq!(with_nearest(message), said);
        }
    }

    #[test]
    fn messages_have_no_types_of_rust() {
        for (message, plain) in [
            ("invalid type: integer `-1`, expected u32", "expected a whole number, 0 or more"),
            ("invalid type: string \"x\", expected i16", "expected a whole number"),
            ("invalid type: string \"x\", expected f64", "expected a number"),
            ("invalid type: map, expected a sequence", "expected a list"),
            ("unknown field `x`, expected `f64s`", "expected `f64s`"),
        ] {
            assert!(in_plain_words(message.into()).ends_with(plain), "{message}");
        }
        assert_eq!(in_plain_words("missing field `a`".into()), "missing field `a`");
    }

    #[test]
    fn quotations_are_short() {
        let [long, short] = [100, 60].map(|number| "x".repeat(number));
        for (message, expected) in [
            ("`a` and \"b\"".to_string(), "`a` and \"b\"".to_string()),
            (format!("`{long}`, not `{short}`"), format!("`{short}…`, not `{short}`")),
            (format!(r#"string "\"{long}", but"#), format!(r#"string "\"{}…", but"#, &short[2..])),
            (format!("it's `{long}"), format!("it's `{long}")),
            (long.repeat(100), format!("{long}{0}…{long}{0}", "x".repeat(25))),
        ] {
            assert_eq!(with_short_quotes(&message), expected);
        }
    }
}
