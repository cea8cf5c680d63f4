//! Tokens: words and lists, with their places.

use std::collections::HashMap;
use std::sync::Arc;

use crate::error::{Error, Place, Problem};
use crate::limits::{LimitName, Limits};
use crate::meter::Meter;

/// The maximum nesting of lists.
const NESTING: usize = 500;

/// A word, by its number in [`Symbols`].
pub(crate) type Symbol = u32;

/// The words of a text, folded to lower case, in order of first appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Symbols {
    names: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, Symbol>,
}

impl Symbols {
    /// Returns the number of a word, which must be in lower case. Adds the word if it is new.
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as Symbol;
        let name: Arc<str> = name.into();
        self.names.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol as usize]
    }

    pub(crate) fn is_variable(&self, symbol: Symbol) -> bool {
        self.name(symbol).starts_with('?')
    }
}

/// A word or a list, with the place of the word or of the `(`.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Word(Symbol, Place),
    /// A list, which is never empty.
    List(Vec<Node>, Place),
}

impl Node {
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Word(_, place) | Self::List(_, place) => *place,
        }
    }

    /// Returns the node as text, shortened if long.
    pub(crate) fn shown(&self, symbols: &Symbols) -> String {
        fn write(node: &Node, symbols: &Symbols, out: &mut String) {
            match node {
                Node::Word(symbol, _) => out.push_str(symbols.name(*symbol)),
                Node::List(nodes, _) => {
                    for (index, node) in nodes.iter().enumerate() {
                        out.push(if index == 0 { '(' } else { ' ' });
                        if out.len() > 60 {
                            out.push_str("...");
                            break;
                        }
                        write(node, symbols, out);
                    }
                    out.push(')');
                }
            }
        }
        let mut out = String::new();
        write(self, symbols, &mut out);
        out
    }
}

fn is_word(byte: u8) -> bool {
    (0x21..=0x7e).contains(&byte)
        && !matches!(byte, b'(' | b')' | b';' | b'"' | b'\'' | b'`' | b'|')
}

/// The top-level items of a text. Only the lists of one item are in memory at a time.
pub(crate) struct Items<'a> {
    text: &'a [u8],
    at: usize,
    line: u32,
    /// The offset of the start of the current line.
    line_start: usize,
    word: String,
    /// The bytes counted for the lists of the last item.
    list_bytes: u64,
}

impl<'a> Items<'a> {
    pub(crate) fn new(text: &'a [u8], limits: &Limits) -> Result<Self, Error> {
        if text.len() as u64 > limits.text_bytes {
            let (name, limit) = (LimitName::TextBytes, limits.text_bytes);
            return Err(Error::exceeded(Place::START, name, "bytes of text", limit));
        }
        Ok(Self { text, at: 0, line: 1, line_start: 0, word: String::new(), list_bytes: 0 })
    }

    /// Returns the next item, if any, and counts its lists and new words. The previous item must have been dropped,
    /// because its lists no longer count.
    pub(crate) fn next(
        &mut self,
        symbols: &mut Symbols,
        meter: &mut Meter,
    ) -> Result<Option<Node>, Error> {
        /// The bytes of a node in a list with twice the needed capacity.
        const NODE_BYTES: u64 = 2 * size_of::<Node>() as u64;
        /// The bytes of a new list, which has a capacity of four nodes.
        const LIST_BYTES: u64 = 4 * size_of::<Node>() as u64 + 16;
        /// The bytes of a new word without its letters: two pointers, a number, and overhead.
        const WORD_BYTES: u64 = 112;

        meter.give_back(std::mem::take(&mut self.list_bytes));
        let text = self.text;
        let mut open: Vec<(Vec<Node>, Place)> = Vec::new();
        while let Some(&byte) = text.get(self.at) {
            let column = (self.at - self.line_start + 1) as u32;
            let place = Place { line: self.line, column };
            self.at += 1;
            let node = match byte {
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.at;
                    continue;
                }
                b' ' | b'\t' | b'\r' => continue,
                b';' => {
                    let rest = &text[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                    continue;
                }
                b'(' => {
                    if open.len() == NESTING {
                        return Err(Error::new(place, Problem::Nesting { limit: NESTING }));
                    }
                    self.list_bytes += LIST_BYTES;
                    meter.take(LIST_BYTES, place)?;
                    open.push((Vec::new(), place));
                    continue;
                }
                b')' => {
                    let Some((nodes, start)) = open.pop() else {
                        return Err(Error::new(place, Problem::ClosesNothing));
                    };
                    if nodes.is_empty() {
                        return Err(Error::new(start, Problem::EmptyList));
                    }
                    Node::List(nodes, start)
                }
                _ if is_word(byte) => {
                    self.word.clear();
                    self.word.push(byte.to_ascii_lowercase() as char);
                    while let Some(&byte) = text.get(self.at).filter(|&&byte| is_word(byte)) {
                        self.word.push(byte.to_ascii_lowercase() as char);
                        self.at += 1;
                    }
                    let before = symbols.len();
                    let symbol = symbols.intern(&self.word);
                    if symbols.len() > before {
                        meter.take(WORD_BYTES + self.word.len() as u64, place)?;
                    }
                    Node::Word(symbol, place)
                }
                _ => return Err(Error::new(place, Problem::Character { byte })),
            };
            let Some((nodes, _)) = open.last_mut() else { return Ok(Some(node)) };
            self.list_bytes += NODE_BYTES;
            meter.take(NODE_BYTES, place)?;
            nodes.push(node);
        }
        // The outermost open list, which in a text of many rules is the rule to check.
        open.first().map_or(Ok(None), |&(_, place)| Err(Error::new(place, Problem::NeverClosed)))
    }
}

/// Splits the text of a term, such as `(cell 1 (at b 2))`, into its head and its arguments.
pub fn parts_of_term(text: &str) -> Vec<&str> {
    match text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) {
        Some(inside) => split_terms(inside),
        None => vec![text],
    }
}

/// Splits a text into words and terms in parentheses.
pub fn split_terms(text: &str) -> Vec<&str> {
    let mut depth = 0;
    let is_space = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c.is_whitespace() && depth == 0
    };
    text.split(is_space).filter(|part| !part.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<Vec<String>, Error> {
        let limits = Limits::default();
        let mut items = Items::new(text.as_bytes(), &limits)?;
        let (mut symbols, mut meter) = (Symbols::default(), Meter::new(&limits));
        let mut shown = Vec::new();
        while let Some(item) = items.next(&mut symbols, &mut meter)? {
            shown.push(item.shown(&symbols));
        }
        Ok(shown)
    }

    #[test]
    fn words_are_folded_and_comments_skipped() {
        let items = shown("(Role X);comment (\n\t(f) ?\r\n01;x\n<=").expect("the text is right");
        assert_eq!(items, ["(role x)", "(f)", "?", "01", "<="]);
    }

    #[test]
    fn places_count_lines_and_bytes() {
        let error = |text| shown(text).expect_err("the text is refused").to_string();
        assert_eq!(error("a\n (b"), "2:2: parenthesis: `(` is never closed");
        assert_eq!(error("a\r\n\t b)"), "2:4: parenthesis: `)` closes nothing");
        assert_eq!(error("(a \u{e9})"), "1:4: syntax: the character 0xc3 is not allowed");
        assert_eq!(error("(a 'b)"), "1:4: syntax: the character `'` is not allowed");
    }

    #[test]
    fn nesting_ends_at_500() {
        assert!(shown(&("(a ".repeat(500) + &")".repeat(500))).is_ok());
        let error =
            shown(&("(a ".repeat(501) + &")".repeat(501))).expect_err("the text is refused");
        assert_eq!(error.place(), Place { line: 1, column: 1501 });
    }
}
