//! The notation for a name with options: `NAME` or `NAME:KEY=VALUE,KEY=VALUE`.
//!
//! In a list, names with options are separated by commas. A part of the form `KEY=VALUE`, without a name before it,
//! belongs to the preceding name: `ns:e0=.4,el=.33,ucb1` is a list of two names, and the first name has two options.

use std::fmt;

use crate::names::{UnknownName, shortened};

/// The error about an invalid name or option.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// A name is missing.
    #[error("there is no name in `{0}`: write NAME, or NAME:KEY=VALUE,KEY=VALUE")]
    NoName(String),
    /// An option has no value.
    #[error("`{part}` is not an option of `{name}`: write KEY=VALUE")]
    NoValue {
        /// The name to which the option belongs.
        name: String,
        /// The text that is not an option.
        part: String,
    },
    /// An option occurs twice.
    #[error("`{name}` has the option `{key}` twice: leave one out")]
    Twice {
        /// The name to which the option belongs.
        name: String,
        /// The key of the option.
        key: String,
    },
    /// A name is unknown.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The value of an option is invalid.
    #[error("`{name}` has {key}={found}, where {expected} should be")]
    Value {
        /// The name to which the option belongs.
        name: String,
        /// The key of the option.
        key: String,
        /// The value that was found.
        found: String,
        /// A description of the valid values.
        expected: String,
    },
}

/// A name with options, as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notation {
    /// The name before the options.
    pub name: String,
    /// The options, without duplicates, in the order in which they were written.
    options: Vec<(String, String)>,
}

impl fmt::Display for Notation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, (key, value)) in self.options.iter().enumerate() {
            write!(f, "{}{key}={value}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl Notation {
    /// Parses a list of names with options, separated by commas.
    ///
    /// # Errors
    ///
    /// Returns an error if a name is missing, or an option has no value or occurs twice.
    pub fn parse_list(text: &str) -> Result<Vec<Notation>, NotationError> {
        let mut list: Vec<Notation> = Vec::new();
        for part in text.split(',') {
            let part = part.trim();
            // The name ends at the first colon; a value may contain further colons.
            let name_ends = part.find(':').filter(|&colon| !part[..colon].contains('='));
            let (name, option) = match name_ends {
                Some(colon) => (Some(&part[..colon]), Some(&part[colon + 1..])),
                None if part.contains('=') => (None, Some(part)),
                None => (Some(part), None),
            };
            if let Some(name) = name {
                list.push(Notation { name: name.trim().into(), options: Vec::new() });
            }
            let thing = list.last_mut().filter(|thing| !thing.name.is_empty());
            let thing = thing.ok_or_else(|| NotationError::NoName(shortened(text).into()))?;
            if let Some(option) = option {
                thing.add(option)?;
            }
        }
        Ok(list)
    }

    fn add(&mut self, option: &str) -> Result<(), NotationError> {
        let known = option.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        let Some((key, value)) = known.filter(|(key, value)| !key.is_empty() && !value.is_empty())
        else {
            let part = shortened(option).into();
            return Err(NotationError::NoValue { name: self.name.clone(), part });
        };
        if self.options.iter().any(|(other, _)| other == key) {
            return Err(NotationError::Twice { name: self.name.clone(), key: key.into() });
        }
        self.options.push((key.into(), value.into()));
        Ok(())
    }

    /// Returns a reader for the options.
    pub fn options(&self) -> Options<'_> {
        Options { notation: self, known: Vec::new() }
    }
}

/// A reader for the options of a name. The method [`finish`](Options::finish) checks that all options were read.
#[derive(Debug)]
pub struct Options<'a> {
    notation: &'a Notation,
    /// The keys that were read.
    known: Vec<&'static str>,
}

impl<'a> Options<'a> {
    fn text(&mut self, key: &'static str) -> Option<&'a str> {
        self.known.push(key);
        let mut options = self.notation.options.iter();
        options.find(|(other, _)| other == key).map(|(_, value)| value.as_str())
    }

    fn refused(&self, key: &str, found: &str, expected: impl Into<String>) -> NotationError {
        NotationError::Value {
            name: self.notation.name.clone(),
            key: key.into(),
            found: shortened(found).into(),
            expected: expected.into(),
        }
    }

    /// Reads a number, or returns `None` if the option is absent.
    ///
    /// # Errors
    ///
    /// Returns an error if the value is not a number between `low` and `high`.
    pub fn number(
        &mut self,
        key: &'static str,
        [low, high]: [f64; 2],
    ) -> Result<Option<f64>, NotationError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match text.parse::<f64>() {
            Ok(number) if (low..=high).contains(&number) => Ok(Some(number)),
            _ => Err(self.refused(key, text, format!("a number from {low} to {high}"))),
        }
    }

    /// Reads an option that accepts one of `words`, and returns the value paired with the word. Returns `None` if the
    /// option is absent.
    ///
    /// # Errors
    ///
    /// Returns an error for any other word.
    pub fn choice<T: Copy>(
        &mut self,
        key: &'static str,
        words: &[(&str, T)],
    ) -> Result<Option<T>, NotationError> {
        let Some(text) = self.text(key) else { return Ok(None) };
        match words.iter().find(|(word, _)| *word == text) {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let words: Vec<&str> = words.iter().map(|(word, _)| *word).collect();
                Err(self.refused(key, text, words.join(" or ")))
            }
        }
    }

    /// Checks that all options were read.
    ///
    /// # Errors
    ///
    /// Returns an error if there is an unknown option.
    pub fn finish(self) -> Result<(), NotationError> {
        let mut options = self.notation.options.iter();
        match options.find(|(key, _)| !self.known.contains(&key.as_str())) {
            None => Ok(()),
            Some((key, _)) => {
                let kind = format!("option of `{}`", self.notation.name);
                Err(UnknownName::new(kind, key, self.known).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_belong_to_the_name_before() {
        let list =
            Notation::parse_list("ns:e0=.4, el=.33,ucb1 , two-phase:share=.25").expect("fine");
        let texts: Vec<String> = list.iter().map(Notation::to_string).collect();
        assert_eq!(texts, ["ns:e0=.4,el=.33", "ucb1", "two-phase:share=.25"]);
        let mut options = list[0].options();
        assert_eq!(options.number("e0", [0.0, 1.0]), Ok(Some(0.4)));
        assert_eq!(options.number("eg", [0.0, 1.0]), Ok(None));
        assert_eq!(options.choice("el", &[(".33", 7)]), Ok(Some(7)));
        assert_eq!(options.finish(), Ok(()));
        // Colons within a value belong to the value.
        let list = Notation::parse_list("a:file=x:y").expect("fine");
        assert_eq!(list[0].options, [("file".to_string(), "x:y".to_string())]);
    }

    #[test]
    fn mistakes_say_what_to_write() {
        for (text, message) in [
            ("", "there is no name in ``: write NAME, or NAME:KEY=VALUE,KEY=VALUE"),
            ("e0=1", "there is no name in `e0=1`: write NAME, or NAME:KEY=VALUE,KEY=VALUE"),
            ("a,,b", "there is no name in `a,,b`: write NAME, or NAME:KEY=VALUE,KEY=VALUE"),
            ("a,,e0=1", "there is no name in `a,,e0=1`: write NAME, or NAME:KEY=VALUE,KEY=VALUE"),
            ("ns:e0", "`e0` is not an option of `ns`: write KEY=VALUE"),
            ("ns:e0=", "`e0=` is not an option of `ns`: write KEY=VALUE"),
            ("ns:e0=1,e0=2", "`ns` has the option `e0` twice: leave one out"),
        ] {
            assert_eq!(Notation::parse_list(text).expect_err(text).to_string(), message);
        }
        let list = Notation::parse_list("ns:e0=2,fast=yes").expect("it is well formed");
        let mut options = list[0].options();
        let error = options.number("e0", [0.0, 1.0]).expect_err("too large");
        assert_eq!(error.to_string(), "`ns` has e0=2, where a number from 0 to 1 should be");
        let error = options.choice("fast", &[("on", 1), ("off", 0)]).expect_err("no such word");
        assert_eq!(error.to_string(), "`ns` has fast=yes, where on or off should be");
        let mut options = list[0].options();
        let _ = options.number("e0", [0.0, 9.0]);
        let error = options.finish().expect_err("there is another");
        assert_eq!(error.to_string(), "there is no option of `ns` `fast`");
    }
}
