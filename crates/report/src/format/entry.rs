//! The contents of cells.

use serde::Serialize;

use super::numbers::{grouped, with_interval};
use crate::repeats::MeanScore;

/// The content of a cell. In JSON, it is a plain value.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Entry {
    /// A figure that is unknown or does not exist.
    Missing,
    /// A name, or a figure formatted for people.
    Text(Text),
    /// A count.
    Count(u64),
    /// A number in full precision. Its column determines its unit and range.
    Number(f64),
    /// Yes or no.
    Flag(bool),
}

/// A text and its mark.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Text {
    /// The text.
    pub figure: String,
    /// The mark of the text.
    #[serde(skip)]
    pub mark: Mark,
    /// The mean that the text shows with its interval. In LaTeX, all means of a column have the same number of digits.
    #[serde(skip)]
    pub mean: Option<MeanScore>,
}

/// The mark of a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// One of the best figures.
    Best,
    /// A figure that is nearly the best.
    Near,
    /// Any other figure.
    Plain,
}

impl Mark {
    /// Returns the mark of a figure that is the best, nearly the best, or neither.
    pub(crate) fn of(is_best: bool, is_near: bool) -> Mark {
        match (is_best, is_near) {
            (true, _) => Mark::Best,
            (_, true) => Mark::Near,
            _ => Mark::Plain,
        }
    }
}

impl Text {
    /// Creates a text without a mark.
    pub fn plain(figure: impl Into<String>) -> Text {
        Text { figure: figure.into(), mark: Mark::Plain, mean: None }
    }

    /// Creates the text of a mean with its interval, and then `after`.
    pub fn mean(mean: &MeanScore, after: &str) -> Text {
        Text { mean: Some(*mean), ..Text::plain(with_interval(mean) + after) }
    }

    /// Returns this text with this mark.
    #[must_use]
    pub fn marked(self, mark: Mark) -> Text {
        Text { mark, ..self }
    }
}

/// The text of a missing figure.
pub(crate) const MISSING: &str = "-";

impl Entry {
    /// Formats the entry for people.
    pub(super) fn text(&self) -> Text {
        match self {
            Entry::Missing => Text::plain(MISSING),
            Entry::Text(text) => text.clone(),
            Entry::Count(count) => Text::plain(grouped(*count)),
            Entry::Number(number) => Text::plain(number.to_string()),
            Entry::Flag(flag) => Text::plain(if *flag { "yes" } else { "no" }),
        }
    }
}

/// A value that a cell of a table can contain.
pub trait ToEntry {
    /// Returns the entry with this value.
    fn to_entry(&self) -> Entry;
}

macro_rules! to_entry {
    ($($type:ty: |$value:ident| $entry:expr;)*) => {$(
        impl ToEntry for $type {
            fn to_entry(&self) -> Entry {
                let $value = self;
                $entry
            }
        }
    )*};
}

to_entry! {
    Entry: |entry| entry.clone();
    Text: |text| Entry::Text(text.clone());
    str: |text| Entry::Text(Text::plain(text));
    String: |text| text.as_str().to_entry();
    usize: |count| Entry::Count(*count as u64);
    u64: |count| Entry::Count(*count);
    f64: |number| Entry::Number(*number);
    bool: |flag| Entry::Flag(*flag);
}

impl<T: ToEntry + ?Sized> ToEntry for &T {
    fn to_entry(&self) -> Entry {
        (**self).to_entry()
    }
}

impl<T: ToEntry> ToEntry for Option<T> {
    fn to_entry(&self) -> Entry {
        self.as_ref().map_or(Entry::Missing, T::to_entry)
    }
}
