//! Texts: words, lists, and where they stand.

use std::collections::HashMap;

use crate::error::{Error, Place, Problem};
use crate::limits::{Limits, exceeded};

/// The deepest nesting of lists that is read.
const NESTING: usize = 500;

/// A word, by its number in [`Symbols`].
pub(crate) type Symbol = u32;

/// The words of a text, folded to lower case, in order of first appearance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Symbols {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, Symbol>,
}

impl Symbols {
    /// The number of a word, which must be in lower case.
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.names.len() as Symbol;
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        &self.names[symbol as usize]
    }

    /// Whether a word is a variable.
    pub(crate) fn is_variable(&self, symbol: Symbol) -> bool {
        self.name(symbol).starts_with('?')
    }
}

/// A word or a list, with the place of the word or of the `(`.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Word(Symbol, Place),
    /// Never empty.
    List(Vec<Node>, Place),
}

impl Node {
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Word(_, place) | Self::List(_, place) => *place,
        }
    }

    /// The node as text, shortened where it is long.
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

/// Whether a byte may be part of a word.
fn is_word(byte: u8) -> bool {
    (0x21..=0x7e).contains(&byte)
        && !matches!(byte, b'(' | b')' | b';' | b'"' | b'\'' | b'`' | b'|')
}

/// Reads a text into its top-level items.
pub(crate) fn read(
    text: &[u8],
    limits: &Limits,
    symbols: &mut Symbols,
) -> Result<Vec<Node>, Error> {
    if text.len() as u64 > limits.text_bytes {
        let problem = exceeded("text-bytes", "bytes of text", limits.text_bytes);
        return Err(Error::new(Place::START, problem));
    }
    let mut items = Vec::new();
    let mut open: Vec<(Vec<Node>, Place)> = Vec::new();
    let (mut line, mut line_start, mut at) = (1, 0, 0);
    let mut word = String::new();
    while at < text.len() {
        let place = Place { line, column: (at - line_start + 1) as u32 };
        let byte = text[at];
        at += 1;
        let node = match byte {
            b'\n' => {
                line += 1;
                line_start = at;
                continue;
            }
            b' ' | b'\t' | b'\r' => continue,
            b';' => {
                while at < text.len() && text[at] != b'\n' {
                    at += 1;
                }
                continue;
            }
            b'(' => {
                if open.len() == NESTING {
                    return Err(Error::new(place, Problem::Nesting { limit: NESTING }));
                }
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
                word.clear();
                word.push(byte.to_ascii_lowercase() as char);
                while at < text.len() && is_word(text[at]) {
                    word.push(text[at].to_ascii_lowercase() as char);
                    at += 1;
                }
                Node::Word(symbols.intern(&word), place)
            }
            _ => return Err(Error::new(place, Problem::Character { byte })),
        };
        match open.last_mut() {
            Some((nodes, _)) => nodes.push(node),
            None => items.push(node),
        }
    }
    // The outermost list that is open: in a text of many rules it is the rule to look at.
    match open.first() {
        Some(&(_, place)) => Err(Error::new(place, Problem::NeverClosed)),
        None => Ok(items),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Result<Vec<String>, Error> {
        let mut symbols = Symbols::default();
        let items = read(text.as_bytes(), &Limits::default(), &mut symbols)?;
        Ok(items.iter().map(|item| item.shown(&symbols)).collect())
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
