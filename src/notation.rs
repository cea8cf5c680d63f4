//! How a user names a thing with options: `NAME` or `NAME:KEY=VALUE,KEY=VALUE`.
//!
//! Several things stand in one list with commas between them: a part that is `KEY=VALUE`, without a name before it, belongs
//! to the thing before. So `ns:e0=.4,el=.33,ucb1` is two things, the first with two options.

use std::fmt;

use crate::names::{UnknownName, shortened};

/// What is wrong with the name of a thing, or with its options.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotationError {
    /// There is no name where one should be.
    #[error("there is no name in `{0}`: write NAME, or NAME:KEY=VALUE,KEY=VALUE")]
    NoName(String),
    /// An option has no value.
    #[error("`{part}` is no option of `{name}`: write KEY=VALUE")]
    NoValue {
        /// The thing.
        name: String,
        /// What stands there.
        part: String,
    },
    /// An option is given twice.
    #[error("`{name}` has the option `{key}` twice: leave one out")]
    Twice {
        /// The thing.
        name: String,
        /// The option.
        key: String,
    },
    /// A name means nothing.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// A value is not one of the option.
    #[error("`{name}` has {key}={found}, where {expected} should be")]
    Value {
        /// The thing.
        name: String,
        /// The option.
        key: String,
        /// What stands there.
        found: String,
        /// What should be there.
        expected: String,
    },
}

/// A name with options, as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notation {
    /// The name.
    pub name: String,
    /// The options in the order in which they were written; no key is there twice.
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
    /// Reads a list of things, with commas between them.
    ///
    /// # Errors
    ///
    /// When there is no name, an option without value, or one that is given twice.
    pub fn parse_list(text: &str) -> Result<Vec<Notation>, NotationError> {
        let mut list: Vec<Notation> = Vec::new();
        for part in text.split(',') {
            let part = part.trim();
            // The name ends at the first colon; a value may have more of them.
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

    /// The options, to be read one after the other.
    pub fn options(&self) -> Options<'_> {
        Options { notation: self, known: Vec::new() }
    }
}

/// The options of a thing, which know at the end whether all were understood.
#[derive(Debug)]
pub struct Options<'a> {
    notation: &'a Notation,
    /// The keys asked for.
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

    /// A number, if the option is there.
    ///
    /// # Errors
    ///
    /// When it is not between `low` and `high`.
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

    /// The value that goes with one of these words, if the option is there.
    ///
    /// # Errors
    ///
    /// When it is another word.
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

    /// The end: all options were asked for.
    ///
    /// # Errors
    ///
    /// When there is another.
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
        // What a value has of colons is its own.
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
            ("ns:e0", "`e0` is no option of `ns`: write KEY=VALUE"),
            ("ns:e0=", "`e0=` is no option of `ns`: write KEY=VALUE"),
            ("ns:e0=1,e0=2", "`ns` has the option `e0` twice: leave one out"),
        ] {
            let error = Notation::parse_list(text).expect_err(text);
            assert_eq!(error.to_string(), message);
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
