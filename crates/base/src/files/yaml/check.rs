//! Checks a YAML text, event by event, before it is parsed as a whole.
//!
//! The parser of values takes time quadratic in the depth, and allocates about 200 bytes for each value before it returns
//! any, so a small hostile file would take minutes and gigabytes; each alias repeats the value that it refers to. If a key
//! occurs twice, a map in Rust silently keeps only the last value. The check takes time proportional to the length of the
//! text, and almost no memory.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, Tag};
use serde::de::IgnoredAny;

use crate::names::{NameError, check_name, shortened};
use crate::visible::is_unseen;

/// The largest depth of nesting; an experiment needs five levels.
const MAX_DEPTH: usize = 64;
/// The number of values that even the shortest text may have. Each list and each map counts as two values.
const FREE_VALUES: usize = 50_000;
/// The number of bytes of text for which one more value is allowed. A number in full precision takes twenty bytes of
/// text, and about 200 bytes in the parser.
const BYTES_PER_VALUE: usize = 16;
/// The tags of the standard types, without `!!`. Other tags are refused.
const KNOWN_TAGS: [&str; 7] = ["str", "int", "float", "bool", "null", "seq", "map"];

/// The reason why a text is refused, regardless of the expected type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("{0}")]
    NoYaml(String),
    #[error("more than {MAX_DEPTH} levels of lists and maps")]
    TooDeep,
    #[error("more than {0} values, the most that a file of this size may have")]
    TooMany(usize),
    #[error("there is no tag `{0}` here; leave it out")]
    Tag(String),
    #[error("`{0}` is given twice")]
    Twice(String),
    #[error("a text contains the invisible character U+{0:04X}: leave it out")]
    Unseen(u32),
    #[error(transparent)]
    Name(#[from] NameError),
}

/// Checks a text. A refusal contains the line and the column, both from 1.
pub(super) fn check(text: &str) -> Result<(), (Refusal, (usize, usize))> {
    // The parser of values, which follows YAML 1.1, ends lines and comments here; YAML 1.2 does not.
    if let Some(at) = text.find(['\u{85}', '\u{2028}', '\u{2029}']) {
        let (before, rest) = text.split_at(at);
        let column = before.chars().rev().take_while(|&c| c != '\n').count() + 1;
        let place = (before.matches('\n').count() + 1, column);
        return Err((Refusal::Unseen(rest.chars().next().unwrap_or_default().into()), place));
    }
    let place = |at: Marker| (at.line(), at.col() + 1);
    let mut walk = Walk::new(text);
    for event in Parser::new_from_str(text) {
        let (event, span) = event
            .map_err(|error| (Refusal::NoYaml(error.info().into()), place(*error.marker())))?;
        walk.take(event).map_err(|refusal| (refusal, place(span.start)))?;
    }
    Ok(())
}

/// Returns the keys of the top-level map in alphabetical order, or nothing if the text is not a map.
pub(super) fn keys(text: &str) -> Vec<String> {
    let map: BTreeMap<String, IgnoredAny> = serde_yaml::from_str(text).unwrap_or_default();
    map.into_keys().collect()
}

/// A list or a map that is not closed.
struct Open<'t> {
    /// The keys so far; `None` for a list. Numbers are compared as text.
    keys: Option<HashSet<Cow<'t, str>>>,
    /// Whether the next value of a map is a key.
    expects_key: bool,
    /// The number of the anchor, or 0 without an anchor; and the number of values before the list or the map.
    anchor: (usize, usize),
}

struct Walk<'t> {
    max_values: usize,
    num_values: usize,
    open: Vec<Open<'t>>,
    /// The number of values of each anchor.
    sizes: HashMap<usize, usize>,
}

impl<'t> Walk<'t> {
    fn new(text: &str) -> Walk<'t> {
        let max_values = FREE_VALUES + text.len() / BYTES_PER_VALUE;
        Walk { max_values, num_values: 0, open: Vec::new(), sizes: HashMap::new() }
    }

    fn take(&mut self, event: Event<'t>) -> Result<(), Refusal> {
        match event {
            Event::Alias(anchor) => {
                self.begin(None)?;
                self.count(self.sizes.get(&anchor).copied().unwrap_or(1))
            }
            Event::Scalar(text, _, anchor, tag) => {
                check_tag(tag)?;
                // In brackets, YAML 1.1 takes `?` for a map with one entry.
                let num_values = if text.starts_with('?') { 4 } else { 1 };
                self.sizes.insert(anchor, num_values);
                if let Some(unseen) = text.chars().find(|&c| is_unseen(c)) {
                    return Err(Refusal::Unseen(unseen.into()));
                }
                self.begin(Some(text))?;
                self.count(num_values)
            }
            Event::SequenceStart(anchor, tag) => self.open(None, anchor, tag),
            Event::MappingStart(anchor, tag) => self.open(Some(HashSet::new()), anchor, tag),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(Open { anchor: (anchor, before), .. }) = self.open.pop() {
                    self.sizes.insert(anchor, self.num_values - before);
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Begins a value, which may be a key of a map: `text` is a key that may not be there twice.
    fn begin(&mut self, text: Option<Cow<'t, str>>) -> Result<(), Refusal> {
        let Some(Open { keys: Some(keys), expects_key, .. }) = self.open.last_mut() else {
            return Ok(());
        };
        let is_key = std::mem::replace(expects_key, !*expects_key);
        let Some(key) = text.filter(|_| is_key) else { return Ok(()) };
        check_name(&key)?;
        if keys.contains(&key) {
            return Err(Refusal::Twice(shortened(&key).into()));
        }
        keys.insert(key);
        Ok(())
    }

    fn open(
        &mut self,
        keys: Option<HashSet<Cow<'t, str>>>,
        anchor: usize,
        tag: Option<Cow<'t, Tag>>,
    ) -> Result<(), Refusal> {
        check_tag(tag)?;
        self.begin(None)?;
        self.open.push(Open { keys, expects_key: true, anchor: (anchor, self.num_values) });
        if self.open.len() > MAX_DEPTH {
            return Err(Refusal::TooDeep);
        }
        self.count(2)
    }

    fn count(&mut self, num_values: usize) -> Result<(), Refusal> {
        self.num_values = self.num_values.saturating_add(num_values);
        if self.num_values > self.max_values {
            Err(Refusal::TooMany(self.max_values))
        } else {
            Ok(())
        }
    }
}

fn check_tag(tag: Option<Cow<'_, Tag>>) -> Result<(), Refusal> {
    match tag {
        Some(tag) if !(tag.is_yaml_core_schema() && KNOWN_TAGS.contains(&&*tag.suffix)) => {
            let handle = if tag.is_yaml_core_schema() { "!!" } else { &tag.handle };
            Err(Refusal::Tag(format!("{handle}{}", tag.suffix)))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
