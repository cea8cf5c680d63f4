//! YAML files from users: read with the place of every mistake.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Deserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// The text of a YAML file and where it came from.
#[derive(Debug, Clone)]
pub struct YamlSource {
    /// The path of the file.
    pub path: PathBuf,
    /// Its contents.
    pub text: String,
}

/// The largest file that is read: one of this size is no experiment or strategy.
const MAX_BYTES: u64 = 16 << 20;

impl YamlSource {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it cannot be read, is no regular file of UTF-8 text, or is absurdly large.
    pub fn read(path: &Path) -> std::io::Result<YamlSource> {
        let metadata = std::fs::metadata(path)?;
        let refused =
            |problem: String| std::io::Error::new(std::io::ErrorKind::InvalidInput, problem);
        if !metadata.is_file() {
            return Err(refused("it is not a regular file".into()));
        }
        if metadata.len() > MAX_BYTES {
            let num_bytes = metadata.len();
            return Err(refused(format!(
                "{num_bytes} bytes are too many, {MAX_BYTES} are allowed"
            )));
        }
        Ok(YamlSource { path: path.into(), text: std::fs::read_to_string(path)? })
    }

    /// Turns the text into a value.
    ///
    /// # Errors
    ///
    /// Says where the text is not what was expected.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, Box<YamlError>> {
        serde_yaml::from_str(&self.text).map_err(|error| {
            let place = error.location().map(|at| (at.line(), at.column()));
            // The place is shown on its own.
            let mut message = error.to_string();
            if let Some(end) = message.rfind(" at line ") {
                message.truncate(end);
            }
            let message = in_plain_words(message);
            Box::new(YamlError { source_file: self.clone(), place, message })
        })
    }

    /// The mistake `message` about the value that `path` leads to, or about what there is of the path.
    pub fn error_at(&self, path: &[Step], message: String) -> YamlError {
        let place = serde_yaml::Deserializer::from_str(&self.text);
        let found = Locator(path).deserialize(place).err();
        let is_missing = |error: &serde_yaml::Error| error.to_string().starts_with(MISSING);
        if found.as_ref().is_some_and(is_missing) {
            return self.error_at(&path[..path.len() - 1], message);
        }
        let place = found.and_then(|error| error.location());
        let place = place.map(|at| (at.line(), at.column()));
        YamlError { source_file: self.clone(), place, message }
    }

    /// The keys of the map that the text is; none if it is something else.
    pub fn keys(&self) -> Vec<String> {
        serde_yaml::from_str::<serde_yaml::Mapping>(&self.text).map_or(Vec::new(), |map| {
            map.keys().filter_map(|key| key.as_str().map(String::from)).collect()
        })
    }
}

/// The names of Rust's types mean nothing to who writes an experiment.
pub(super) fn in_plain_words(message: String) -> String {
    for (rust, plain) in [("u64", "a whole number, 0 or more"), ("f64", "a number")] {
        if let Some(start) = message.strip_suffix(&format!("expected {rust}")) {
            return format!("{start}expected {plain}");
        }
    }
    message
}

/// A step on the way to a value in a YAML document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The value of a key of a map.
    Key(String),
    /// An item of a list, from 0.
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

/// Walks along a path and fails at its end, so that the error has the place.
struct Locator<'a>(&'a [Step]);

impl<'de> DeserializeSeed<'de> for Locator<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// What a [`Locator`] says when there is nothing at the end of its path.
const MISSING: &str = "missing";

/// What a [`Locator`] says when it has arrived; nobody reads it.
fn here<E: de::Error>() -> E {
    E::custom("here")
}

impl<'de> Visitor<'de> for Locator<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        Err(here())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        Err(here())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        Err(here())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        Err(here())
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<(), E> {
        Err(here())
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        Err(here())
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
        let Some((Step::Key(wanted), rest)) = self.0.split_first() else { return Err(here()) };
        while let Some(key) = entries.next_key::<String>()? {
            if key == *wanted {
                return entries.next_value_seed(Locator(rest));
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Err(de::Error::custom(MISSING))
    }
}

/// A mistake in a YAML file.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{}{}: {message}", source_file.path.display(), display_place(*place))]
pub struct YamlError {
    /// The file.
    pub source_file: YamlSource,
    /// Line and column of the mistake, both from 1, if known.
    pub place: Option<(usize, usize)>,
    /// What was found and what was expected.
    pub message: String,
}

fn display_place(place: Option<(usize, usize)>) -> String {
    place.map_or(String::new(), |(line, column)| format!(":{line}:{column}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_path() {
        let text = "a: 1\nb:\n  - x\n  - {c: 2, d: [7, 8]}\ne: ''\n";
        let source = YamlSource { path: "x.yaml".into(), text: text.into() };
        let cases: [(&[Step], _); 9] = [
            (&["a".into()], (1, 4)),
            (&["b".into(), 0.into()], (3, 5)),
            (&["b".into(), 1.into(), "c".into()], (4, 9)),
            (&["b".into(), 1.into(), "d".into(), 1.into()], (4, 19)),
            (&["b".into(), 1.into(), "d".into()], (4, 15)),
            (&["e".into()], (5, 4)),
            // There is no such key: the map it is that should have it.
            (&["x".into()], (1, 1)),
            (&["b".into(), 1.into(), "x".into()], (4, 5)),
            // There is no such key in a name: the name it is.
            (&["b".into(), 0.into(), "c".into()], (3, 5)),
        ];
        for (path, place) in cases {
            let error = source.error_at(path, "wrong".into());
            assert_eq!(error.place, Some(place), "{path:?}");
        }
        assert_eq!(source.keys(), ["a", "b", "e"]);
    }
}
