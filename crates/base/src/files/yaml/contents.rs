//! Checks a YAML document before it is converted to a value. Finds keys that occur twice, and aliases that make a small
//! file expand to a large value.
//!
//! If a key occurs twice, a map in Rust silently keeps only the last value. Each alias repeats the value that it refers
//! to.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashSet};
use std::fmt;

use serde::Deserializer;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::scan::max_values;
use crate::names::{NameError, check_name, shortened};
use crate::visible::is_unseen;

/// The reason why a document is refused, regardless of the expected type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("`{0}` is given twice")]
    Twice(String),
    #[error("more than {0} values, as aliases repeat them")]
    TooMany(usize),
    #[error("a text contains the invisible character U+{0:04X}: leave it out")]
    Unseen(u32),
    #[error(transparent)]
    Name(#[from] NameError),
}

/// Checks a document. A refusal contains the line and the column, both from 1. The parser of the value reports all
/// other mistakes.
pub(super) fn check(text: &str) -> Result<(), (Refusal, Option<(usize, usize)>)> {
    let max_values = max_values(text.len());
    let walk = Walk { num_left: Cell::new(max_values), max_values, refusal: RefCell::default() };
    let Err(error) = Value(&walk).deserialize(serde_yaml::Deserializer::from_str(text)) else {
        return Ok(());
    };
    match walk.refusal.into_inner() {
        Some(refusal) => Err((refusal, error.location().map(|at| (at.line(), at.column())))),
        None => Ok(()),
    }
}

/// Returns the keys of the top-level map in alphabetical order, or nothing if the text is not a map.
pub(super) fn keys(text: &str) -> Vec<String> {
    let map: BTreeMap<String, IgnoredAny> = serde_yaml::from_str(text).unwrap_or_default();
    map.into_keys().collect()
}

struct Walk {
    num_left: Cell<usize>,
    max_values: usize,
    refusal: RefCell<Option<Refusal>>,
}

impl Walk {
    fn refuse<E: de::Error>(&self, refusal: Refusal) -> E {
        let error = E::custom(&refusal);
        self.refusal.replace(Some(refusal));
        error
    }

    /// Counts a text, which may be a name that is shown.
    fn count_text<E: de::Error>(&self, text: &str) -> Result<(), E> {
        match text.chars().find(|&c| is_unseen(c)) {
            None => self.count(),
            Some(unseen) => Err(self.refuse(Refusal::Unseen(unseen.into()))),
        }
    }

    fn count<E: de::Error>(&self) -> Result<(), E> {
        match self.num_left.get().checked_sub(1) {
            Some(num_left) => {
                self.num_left.set(num_left);
                Ok(())
            }
            None => Err(self.refuse(Refusal::TooMany(self.max_values))),
        }
    }
}

/// Deserialises any value, and counts the value itself and all values that it contains.
#[derive(Clone, Copy)]
struct Value<'a>(&'a Walk);

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<(), E> {
        self.0.count()
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<(), E> {
        self.0.count()
    }

    fn visit_i128<E: de::Error>(self, _: i128) -> Result<(), E> {
        self.0.count()
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<(), E> {
        self.0.count()
    }

    fn visit_u128<E: de::Error>(self, _: u128) -> Result<(), E> {
        self.0.count()
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<(), E> {
        self.0.count()
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<(), E> {
        self.0.count_text(text)
    }

    fn visit_unit<E: de::Error>(self) -> Result<(), E> {
        self.0.count()
    }

    fn visit_none<E: de::Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.count()?;
        while items.next_element_seed(self)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.0.count()?;
        let mut known = HashSet::new();
        while entries.next_key_seed(Key { walk: self.0, known: &mut known })?.is_some() {
            entries.next_value_seed(self)?;
        }
        Ok(())
    }
}

/// A key that must not have occurred earlier in its map. Numbers are compared as text.
struct Key<'a, 'de> {
    walk: &'a Walk,
    known: &'a mut HashSet<Cow<'de, str>>,
}

impl<'de> Key<'_, 'de> {
    fn add<E: de::Error>(self, key: Cow<'de, str>) -> Result<(), E> {
        self.walk.count()?;
        check_name(&key).map_err(|error| self.walk.refuse::<E>(error.into()))?;
        if self.known.contains(&key) {
            return Err(self.walk.refuse(Refusal::Twice(shortened(&key).into())));
        }
        self.known.insert(key);
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Key<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: de::Error>(self, key: &'de str) -> Result<(), E> {
        self.add(Cow::Borrowed(key))
    }

    fn visit_str<E: de::Error>(self, key: &str) -> Result<(), E> {
        self.add(Cow::Owned(key.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_given_once_at_any_depth() {
        let twice = |key: &str, place| Err((Refusal::Twice(key.into()), Some(place)));
        for (text, expected) in [
            ("a: 1\nb: {a: 1, c: [{a: 2}, {a: 3}]}", Ok(())),
            ("a: 1\nb: 2\na: 3", twice("a", (3, 1))),
            ("a: {suits: 3, suits: 4}", twice("suits", (1, 15))),
            ("- x\n- b:\n    c: 1\n    d: 2\n    \"c\": 3", twice("c", (5, 5))),
            ("{1: a, '1': b}", twice("1", (1, 8))),
            ("a: &x {b: 1}\nc: *x\nd: *x", Ok(())),
            // These mistakes are reported by the parser of the value.
            ("a: [1, 2", Ok(())),
            ("? [a]\n: 1", Ok(())),
            ("", Ok(())),
        ] {
            assert_eq!(check(text), expected, "{text}");
        }
    }

    #[test]
    fn invisible_characters_are_refused_wherever_they_stand() {
        for text in [
            "a: \"x\\e[31m\"",
            "- [\"\\u202e\"]",
            "\"\\x07\": 1",
            "a: {\"x\\n\": 1}",
            "- a\u{202e}b",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
        assert_eq!(check("words: |\n  a\n\n  b\tc \u{2660}"), Ok(()));
    }

    #[test]
    fn aliases_do_not_multiply() {
        let ten = |of: char| (0..10).map(|_| format!("*{of}, ")).collect::<String>();
        let mut text = String::from("a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n");
        for (name, of) in ('b'..='f').zip('a'..) {
            text += &format!("{name}: &{name} [{}]\n", ten(of));
        }
        let (refusal, place) = check(&text).expect_err("a million values");
        assert_eq!(refusal, Refusal::TooMany(max_values(text.len())));
        assert_eq!(place.map(|(line, _)| line), Some(1));
    }

    #[test]
    fn keys_are_those_of_the_whole() {
        assert_eq!(keys("a: 1\nb: {c: 2}\n3: x"), ["3", "a", "b"]);
        assert_eq!(keys("- a: 1"), Vec::<String>::new());
        assert_eq!(keys("a: [1"), Vec::<String>::new());
    }
}
