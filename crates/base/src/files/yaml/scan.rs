//! Scans a YAML text before it is parsed, and checks the depth of nesting, the number of values, and the tags.
//!
//! The parser takes time quadratic in the depth, and allocates about 200 bytes for each value before it returns any. A
//! small hostile file would take minutes and gigabytes. The scan takes time proportional to the length of the text, and
//! almost no memory.
//!
//! The scan finds the same tokens as the parser, by the rules of libyaml's `scanner.c`. Simpler rules cannot
//! distinguish the bracket of a list or a map from a bracket in a text or a comment. The parser stops at the first
//! error in a text, so tokens after the error do not matter. Counts are upper bounds.

/// The largest depth of nesting; an experiment needs five levels. If one bracket or one indentation opens several
/// levels, as in `[a: 1]`, they count as one.
pub(super) const MAX_DEPTH: usize = 64;
/// The number of values that even the shortest text may have. Each list and each map counts as two values.
const FREE_VALUES: usize = 50_000;
/// The number of bytes of text for which one more value is allowed. A number in full precision takes twenty bytes of
/// text, and about 200 bytes in the parser.
const BYTES_PER_VALUE: usize = 16;
/// The tags that a text may contain, which are the tags of the standard types.
const KNOWN_TAGS: [&str; 7] = ["!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map"];

/// Returns the number of values that a text of this length may have.
pub(super) fn max_values(num_bytes: usize) -> usize {
    FREE_VALUES + num_bytes / BYTES_PER_VALUE
}

/// The reason why a text is not passed to the parser.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("more than {MAX_DEPTH} levels of lists and maps")]
    TooDeep,
    #[error("more than {0} values, the most that a file of this size may have")]
    TooMany(usize),
    #[error("there is no tag `{0}` here; leave it out")]
    Tag(String),
    #[error("there are no tags here; leave the directive out")]
    TagDirective,
}

/// Scans a text. A refusal contains the line and the column, both from 1.
pub(super) fn scan(text: &str) -> Result<(), (Refusal, (usize, usize))> {
    let mut scanner = Scanner::new(text);
    scanner.run().map_err(|refusal| (refusal, (scanner.line + 1, scanner.column + 1)))
}

struct Scanner<'a> {
    text: &'a str,
    /// The index of the next byte.
    at: usize,
    /// The line and column of the next byte, in characters, both from 0.
    line: usize,
    column: usize,
    /// The columns of the lists and maps that indentation has opened and not yet closed.
    indents: Vec<usize>,
    brackets: Vec<Bracket>,
    /// Whether a key may begin here.
    allows_key: bool,
    /// The line and the column of a value outside of brackets that may turn out to be a key.
    key: Option<(usize, usize)>,
    /// Whether the value of an item or of a key is expected next. If another indicator comes first, this value is
    /// empty.
    waits: bool,
    /// Whether a list that begins here may have the same indentation as the map around it.
    allows_list: bool,
    /// Whether the next `:` would have no key before it.
    lacks_key: bool,
    /// An upper bound on the number of values so far; each list and map counts as two.
    num_values: usize,
    /// The maximum number of levels open at the same time.
    depth: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    List,
    Map,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Scanner<'a> {
        Scanner {
            text,
            at: 0,
            line: 0,
            column: 0,
            indents: Vec::new(),
            brackets: Vec::new(),
            allows_key: true,
            key: None,
            waits: false,
            allows_list: false,
            lacks_key: true,
            num_values: 0,
            depth: 0,
        }
    }

    fn byte(&self, offset: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + offset).copied()
    }

    /// Returns the length of the line break at an offset, in bytes, or 0 if there is no line break.
    fn line_break(&self, offset: usize) -> usize {
        match &self.text.as_bytes()[(self.at + offset).min(self.text.len())..] {
            [b'\r', b'\n', ..] | [0xc2, 0x85, ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            [0xe2, 0x80, 0xa8 | 0xa9, ..] => 3,
            _ => 0,
        }
    }

    /// Returns `true` if there is a blank, a line break or the end of the text at an offset.
    fn is_blank(&self, offset: usize) -> bool {
        matches!(self.byte(offset), None | Some(b' ' | b'\t')) || self.line_break(offset) > 0
    }

    /// Advances by a character, or by a line break.
    fn advance(&mut self) {
        let num_bytes = self.line_break(0);
        if num_bytes > 0 {
            self.at += num_bytes;
            self.line += 1;
            self.column = 0;
        } else if let Some(first) = self.byte(0) {
            self.at += match first {
                0..0xc0 => 1,
                0xc0..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            self.column += 1;
        }
    }

    fn skip_line(&mut self) {
        while self.byte(0).is_some() && self.line_break(0) == 0 {
            self.advance();
        }
    }

    fn is_in_brackets(&self) -> bool {
        !self.brackets.is_empty()
    }

    /// Returns `true` if there is `---` or `...` here, at the beginning of a line.
    fn is_at_document_mark(&self) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        self.column == 0
            && (rest.starts_with(b"---") || rest.starts_with(b"..."))
            && self.is_blank(3)
    }

    fn skip_to_token(&mut self) {
        loop {
            if self.column == 0 && self.text[self.at..].starts_with('\u{feff}') {
                self.advance();
            }
            while matches!(self.byte(0), Some(b' ' | b'\t')) {
                self.advance();
            }
            if self.byte(0) == Some(b'#') {
                self.skip_line();
            }
            if self.line_break(0) == 0 {
                return;
            }
            self.advance();
            self.allows_key |= !self.is_in_brackets();
        }
    }

    fn run(&mut self) -> Result<(), Refusal> {
        loop {
            self.skip_to_token();
            let Some(byte) = self.byte(0) else { return Ok(()) };
            if !self.is_in_brackets() {
                let column = self.column;
                self.indents.truncate(self.indents.partition_point(|&indent| indent <= column));
            }
            if self.is_at_document_mark() || (self.column == 0 && byte == b'%') {
                self.document_mark(byte)?;
                continue;
            }
            let is_indicator = self.is_blank(1);
            match byte {
                b'[' => self.open(Bracket::List)?,
                b'{' => self.open(Bracket::Map)?,
                b']' | b'}' | b',' => self.close_or_go_on(byte)?,
                b'-' if is_indicator => self.item()?,
                b'?' if is_indicator || self.is_in_brackets() => self.explicit_key()?,
                b':' if is_indicator || self.is_in_brackets() => self.value()?,
                b'*' | b'&' => self.anchor()?,
                b'!' => self.tag()?,
                b'|' | b'>' if !self.is_in_brackets() => self.block_text()?,
                b'\'' | b'"' => self.quoted_text(byte)?,
                _ => self.plain_text()?,
            }
        }
    }

    fn count(&mut self, num_values: usize) -> Result<(), Refusal> {
        self.num_values += num_values;
        let max_values = max_values(self.text.len());
        if self.num_values > max_values { Err(Refusal::TooMany(max_values)) } else { Ok(()) }
    }

    fn check_depth(&mut self) -> Result<(), Refusal> {
        self.depth = self.depth.max(self.indents.len() + self.brackets.len());
        if self.depth > MAX_DEPTH { Err(Refusal::TooDeep) } else { Ok(()) }
    }

    /// Opens a list or a map in this column, unless one is open there already.
    fn indent(&mut self, column: usize) -> Result<(), Refusal> {
        if self.is_in_brackets() || self.indents.last().is_some_and(|&last| last >= column) {
            return Ok(());
        }
        self.indents.push(column);
        self.check_depth()?;
        // One more value is counted, because the last item may be empty.
        self.count(3)
    }

    /// Begins a value, which may turn out to be a key.
    fn begin_value(&mut self) -> Result<(), Refusal> {
        if self.allows_key && !self.is_in_brackets() {
            self.key = Some((self.line, self.column));
        }
        (self.allows_key, self.lacks_key) = (false, false);
        (self.waits, self.allows_list) = (false, false);
        self.count(1)
    }

    /// Begins an indicator. If the value of an item or a key was expected here, that value is empty.
    fn begin_indicator(&mut self) -> Result<(), Refusal> {
        self.allows_list = false;
        let is_empty = std::mem::take(&mut self.waits);
        self.count(is_empty.into())
    }

    fn document_mark(&mut self, byte: u8) -> Result<(), Refusal> {
        if byte == b'%' && self.text[self.at..].starts_with("%TAG") {
            return Err(Refusal::TagDirective);
        }
        self.indents.clear();
        (self.key, self.allows_key, self.lacks_key) = (None, false, true);
        match byte {
            b'%' => self.skip_line(),
            _ => (0..3).for_each(|_| self.advance()),
        }
        self.begin_indicator()?;
        self.count(1)
    }

    fn open(&mut self, bracket: Bracket) -> Result<(), Refusal> {
        self.begin_value()?;
        self.count(1)?;
        self.brackets.push(bracket);
        self.check_depth()?;
        (self.allows_key, self.lacks_key) = (true, true);
        self.advance();
        Ok(())
    }

    fn close_or_go_on(&mut self, byte: u8) -> Result<(), Refusal> {
        self.begin_indicator()?;
        if self.brackets.last() == Some(&Bracket::Map) {
            // The last key of the map may lack a value.
            self.count(1)?;
        }
        if byte == b',' {
            (self.allows_key, self.lacks_key) = (true, true);
        } else {
            self.brackets.pop();
            (self.allows_key, self.lacks_key) = (false, false);
        }
        self.advance();
        Ok(())
    }

    fn item(&mut self) -> Result<(), Refusal> {
        let begins_list = self.allows_list;
        self.begin_indicator()?;
        if begins_list {
            self.count(3)?;
        }
        self.indent(self.column)?;
        (self.key, self.allows_key) = (None, true);
        (self.waits, self.lacks_key) = (true, true);
        self.advance();
        Ok(())
    }

    fn explicit_key(&mut self) -> Result<(), Refusal> {
        self.begin_indicator()?;
        self.indent(self.column)?;
        // A pair in a list is a map of its own, and the value of the pair may be missing.
        self.count(3)?;
        self.key = None;
        self.allows_key = !self.is_in_brackets();
        (self.waits, self.allows_list, self.lacks_key) = (true, true, true);
        self.advance();
        Ok(())
    }

    fn value(&mut self) -> Result<(), Refusal> {
        self.begin_indicator()?;
        // The value may be empty, and so may the key.
        self.count(1 + usize::from(self.lacks_key))?;
        if self.brackets.last() == Some(&Bracket::List) {
            self.count(2)?;
        }
        if !self.is_in_brackets() {
            let key = self.key.take().filter(|&(line, _)| line == self.line);
            self.indent(key.map_or(self.column, |(_, column)| column))?;
            self.allows_key = key.is_none();
        }
        (self.allows_list, self.lacks_key) = (true, true);
        self.advance();
        Ok(())
    }

    fn anchor(&mut self) -> Result<(), Refusal> {
        self.begin_value()?;
        // An alias that refers to the anchor also takes memory.
        self.count(1)?;
        self.advance();
        while self.byte(0).is_some_and(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_') {
            self.advance();
        }
        Ok(())
    }

    fn tag(&mut self) -> Result<(), Refusal> {
        let rest = &self.text[self.at..];
        let known =
            KNOWN_TAGS.iter().find(|tag| rest.starts_with(**tag) && self.is_blank(tag.len()));
        let Some(known) = known else {
            let end = rest.find(|c: char| c.is_whitespace() || ",[]{}".contains(c));
            return Err(Refusal::Tag(rest[..end.unwrap_or(rest.len())].into()));
        };
        self.begin_value()?;
        (0..known.len()).for_each(|_| self.advance());
        Ok(())
    }

    fn quoted_text(&mut self, mark: u8) -> Result<(), Refusal> {
        self.begin_value()?;
        self.advance();
        while let Some(byte) = self.byte(0) {
            let is_mark = byte == mark;
            self.advance();
            let is_pair = match mark {
                b'"' => byte == b'\\',
                _ => is_mark && self.byte(0) == Some(mark),
            };
            if is_pair {
                self.advance();
            } else if is_mark {
                return Ok(());
            }
        }
        Ok(())
    }

    fn plain_text(&mut self) -> Result<(), Refusal> {
        self.begin_value()?;
        let min_column = self.indents.last().map_or(0, |&indent| indent + 1);
        // This byte does not begin another token; that was checked before.
        self.advance();
        loop {
            while !self.is_blank(0) {
                let ends = match self.byte(0) {
                    Some(b':') => self.is_blank(1),
                    Some(b',' | b'[' | b']' | b'{' | b'}') => self.is_in_brackets(),
                    _ => false,
                };
                if ends {
                    return Ok(());
                }
                self.advance();
            }
            let line = self.line;
            while self.byte(0).is_some() && self.is_blank(0) {
                self.advance();
            }
            self.allows_key |= self.line > line;
            let is_outside = !self.is_in_brackets() && self.column < min_column;
            if is_outside || self.is_at_document_mark() || matches!(self.byte(0), None | Some(b'#'))
            {
                return Ok(());
            }
        }
    }

    fn block_text(&mut self) -> Result<(), Refusal> {
        self.begin_value()?;
        (self.key, self.allows_key) = (None, true);
        let min_indent = self.indents.last().map_or(0, |&indent| indent + 1);
        let header = &self.text.as_bytes()[self.at + 1..];
        let digit = header.iter().take(2).find(|byte| byte.is_ascii_digit());
        let given = digit.map(|digit| min_indent.saturating_sub(1) + usize::from(digit - b'0'));
        self.skip_line();
        self.advance();
        let mut indent = given;
        loop {
            // Skip empty lines, and the indentation of the next line.
            let mut widest = 0;
            loop {
                while self.byte(0) == Some(b' ') && indent.is_none_or(|it| self.column < it) {
                    self.advance();
                }
                widest = widest.max(self.column);
                if self.line_break(0) == 0 {
                    break;
                }
                self.advance();
            }
            let indent = *indent.get_or_insert(widest.max(min_indent).max(1));
            if self.column != indent || self.byte(0).is_none() {
                return Ok(());
            }
            self.skip_line();
            self.advance();
        }
    }
}

#[cfg(test)]
mod tests;
