//! The messages of the protocol.

use std::collections::HashMap;

/// The times that a player has, in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// The time from the rules to the first move.
    pub start: u32,
    /// The time for each move.
    pub play: u32,
}

/// A message of a manager.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message<'a> {
    /// Asks whether the player is free.
    Info,
    /// Announces the rules of a match that may follow.
    Preview,
    /// Begins a match.
    Start {
        /// The name of the match.
        id: &'a str,
        /// The canonical name of the player's role.
        role: String,
        /// The rules, as text.
        rules: &'a str,
        /// The times of the match.
        clocks: Clocks,
    },
    /// Asks for a move.
    Play {
        /// The name of the match.
        id: &'a str,
        /// The last step.
        news: News,
    },
    /// Ends a match that is over.
    Stop {
        /// The name of the match.
        id: &'a str,
        /// The last step.
        news: News,
    },
    /// Ends a match early.
    Abort {
        /// The name of the match.
        id: &'a str,
    },
}

/// The part of a message about the last step. All texts are canonical.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// Nothing: there was no step yet.
    Nothing,
    /// The moves of all roles, in the order of the rules; in the short form of GDL-II, the percepts of the role.
    Terms(Vec<String>),
    /// In GDL-II, the number of steps so far, and what the role did and perceived in the last step.
    Percepts {
        /// The number of steps so far.
        turn: u32,
        /// The role's move and percepts in the last step; `None` at the start.
        step: Option<(String, Vec<String>)>,
    },
}

/// The reason why a text is not a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MessageError {
    /// The text is not one list.
    #[error("a message is one list in parentheses, such as (info)")]
    NoList,
    /// The parentheses do not match.
    #[error("a parenthesis is missing, or there is one too many")]
    Parentheses,
    /// The first word is unknown.
    #[error("unknown message `{0}`: expected info, preview, start, play, stop or abort")]
    Unknown(String),
    /// The message has a wrong form.
    #[error("expected {0}")]
    Form(&'static str),
    /// A clock is too long for one match.
    #[error("a clock of {0} seconds is too long: the most is {MAX_CLOCK}")]
    Clock(u32),
    /// A clock or a turn is not a number.
    #[error("expected a whole number in place of `{0}`")]
    Number(String),
    /// The text is nested too deeply.
    #[error("the text is nested deeper than {NESTING} levels")]
    Nesting,
}

/// The longest clock, in seconds.
pub(super) const MAX_CLOCK: u32 = 3_600;
/// The maximum nesting of lists, as in rule files, and some more for the message around the rules.
const NESTING: usize = 510;
/// The maximum number of characters that an error quotes.
const QUOTED: usize = 40;

/// A token of a text with its place.
struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    /// Returns the next parenthesis or word. White space separates tokens, and `;` begins a comment up to the end of
    /// the line.
    fn next(&mut self) -> Option<&'a str> {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at)? {
                b';' => {
                    let rest = &bytes[self.at..];
                    self.at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                }
                b if b.is_ascii_whitespace() => self.at += 1,
                _ => break,
            }
        }
        let start = self.at;
        let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b';');
        self.at += match bytes[start] {
            b'(' | b')' => 1,
            _ => bytes[start..].iter().position(is_end).unwrap_or(bytes.len() - start),
        };
        // Tokens end before ASCII characters, so these are boundaries of characters.
        Some(&self.text[start..self.at])
    }
}

fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

/// Returns the words and lists of a text, each as it is written.
fn items(text: &str) -> Result<Vec<&str>, MessageError> {
    let mut items = Vec::new();
    let mut tokens = tokens(text);
    let (mut depth, mut start) = (0_usize, 0);
    while let Some(token) = tokens.next() {
        if depth == 0 {
            start = tokens.at - token.len();
        }
        match token {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1).ok_or(MessageError::Parentheses)?,
            _ => {}
        }
        if depth > NESTING {
            return Err(MessageError::Nesting);
        }
        if depth == 0 {
            items.push(&text[start..tokens.at]);
        }
    }
    if depth == 0 { Ok(items) } else { Err(MessageError::Parentheses) }
}

/// Returns the inside of a list; `None` for a word.
fn inside(item: &str) -> Option<&str> {
    item.strip_prefix('(')?.strip_suffix(')')
}

/// Returns the canonical text of a term: its words in lower case, with one space between words and no other. Returns
/// `None` if the text is not one term.
pub fn canonical(text: &str) -> Option<String> {
    if let [item] = &items(text).ok()?[..] { Some(canonical_of_item(item)) } else { None }
}

fn canonical_of_item(item: &str) -> String {
    let mut out = spaced(item, |token| token);
    out.make_ascii_lowercase();
    out
}

/// Returns the tokens of a text in this spelling, with one space between words and no other.
fn spaced<'t>(text: &'t str, spelling: impl Fn(&'t str) -> &'t str) -> String {
    let mut out = String::with_capacity(text.len());
    for token in tokens(text) {
        if token != ")" && !out.is_empty() && !out.ends_with('(') {
            out.push(' ');
        }
        out.push_str(spelling(token));
    }
    out
}

fn quoted(text: &str) -> String {
    text.chars().take(QUOTED).collect()
}

fn number(item: &str) -> Result<u32, MessageError> {
    item.parse().map_err(|_| MessageError::Number(quoted(item)))
}

fn clock(item: &str) -> Result<u32, MessageError> {
    let seconds = number(item)?;
    if seconds > MAX_CLOCK { Err(MessageError::Clock(seconds)) } else { Ok(seconds) }
}

fn is_nil(item: &str) -> bool {
    item.eq_ignore_ascii_case("nil")
}

fn terms(item: &str, form: &'static str) -> Result<Vec<String>, MessageError> {
    let inside = inside(item).ok_or(MessageError::Form(form))?;
    Ok(items(inside)?.into_iter().map(canonical_of_item).collect())
}

fn news(rest: &[&str], form: &'static str) -> Result<News, MessageError> {
    match rest {
        [nil] if is_nil(nil) => Ok(News::Nothing),
        [listed] => Ok(News::Terms(terms(listed, form)?)),
        [turn, own, percepts] => {
            let turn = number(turn)?;
            let percepts = if is_nil(percepts) { Vec::new() } else { terms(percepts, form)? };
            let step = (!is_nil(own)).then(|| (canonical_of_item(own), percepts));
            Ok(News::Percepts { turn, step })
        }
        _ => Err(MessageError::Form(form)),
    }
}

/// The form of the message at the start of a match.
const START: &str = "(start MATCH ROLE (RULE...) START-CLOCK PLAY-CLOCK)";

impl<'a> Message<'a> {
    /// Reads a message.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not a message.
    pub fn parse(text: &'a str) -> Result<Message<'a>, MessageError> {
        let [message] = items(text)?[..] else { return Err(MessageError::NoList) };
        let inside = inside(message).ok_or(MessageError::NoList)?;
        let parts = items(inside)?;
        let Some((&name, rest)) = parts.split_first() else { return Err(MessageError::NoList) };
        let name = canonical_of_item(name);
        match (&*name, rest) {
            ("info", _) => Ok(Message::Info),
            ("preview", [_, _]) => Ok(Message::Preview),
            ("preview", _) => Err(MessageError::Form("(preview RULES CLOCK)")),
            ("start", &[id, role, rules, start, play, ..]) => {
                let rules = self::inside(rules).ok_or(MessageError::Form(START))?;
                let clocks = Clocks { start: clock(start)?, play: clock(play)? };
                Ok(Message::Start { id, role: canonical_of_item(role), rules, clocks })
            }
            ("start", _) => Err(MessageError::Form(START)),
            ("play", &[id, ref rest @ ..]) => {
                const FORM: &str = "(play MATCH (MOVE...)), or in GDL-II (play MATCH (PERCEPT...)) or (play MATCH TURN MOVE (PERCEPT...))";
                Ok(Message::Play { id, news: news(rest, FORM)? })
            }
            ("stop", &[id, ref rest @ ..]) => {
                const FORM: &str = "(stop MATCH (MOVE...)), or in GDL-II (stop MATCH (PERCEPT...)) or (stop MATCH TURN MOVE (PERCEPT...))";
                Ok(Message::Stop { id, news: news(rest, FORM)? })
            }
            ("abort", &[id]) => Ok(Message::Abort { id }),
            ("play" | "stop" | "abort", _) => {
                Err(MessageError::Form("the name of the match after the name of the message"))
            }
            _ => Err(MessageError::Unknown(quoted(&name))),
        }
    }
}

/// Returns the name of the match in a message that asks for a move, even if the rest of the message is wrong. Returns
/// `None` for other messages.
pub(super) fn asked_for_move(text: &str) -> Option<&str> {
    let mut tokens = tokens(text);
    let is_ask = tokens.next()? == "(" && tokens.next()?.eq_ignore_ascii_case("play");
    is_ask.then(|| tokens.next().unwrap_or_default())
}

/// The spelling of the words in a text, by their lower case, for programs to which the case of letters matters. The
/// first of several spellings of a word counts.
#[derive(Debug, Clone, Default)]
pub(super) struct Spelling(HashMap<String, String>);

impl Spelling {
    pub(super) fn of(text: &str) -> Spelling {
        let mut first = HashMap::new();
        for token in tokens(text) {
            first.entry(token.to_ascii_lowercase()).or_insert(token);
        }
        let differs = |(lower, word): (String, &str)| (lower != word).then(|| (lower, word.into()));
        Spelling(first.into_iter().filter_map(differs).collect())
    }

    /// Returns a canonical term in this spelling.
    pub(super) fn spell(&self, term: &str) -> String {
        match self.0.is_empty() {
            true => term.into(),
            false => spaced(term, |token| self.0.get(token).map_or(token, String::as_str)),
        }
    }
}

/// Returns the rules in one line, without comments.
pub(super) fn in_one_line(rules: &str) -> String {
    spaced(rules.trim_start_matches('\u{feff}'), |token| token)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Message<'_> {
        Message::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    /// The messages are from Genesereth & Thielscher, chapter 3, and from the Dresden GGP server.
    #[test]
    fn messages_of_match_servers_are_read() {
        assert_eq!(parse("(INFO)"), Message::Info);
        assert_eq!(parse("( PREVIEW ((role a)) 10 )"), Message::Preview);
        let start = "(START MATCH.3316980891 ROBOT (( ROLE ROBOT ) ; here\n (init (on a))) 30 15)";
        let rules = "( ROLE ROBOT ) ; here\n (init (on a))";
        let (role, clocks) = ("robot".to_string(), Clocks { start: 30, play: 15 });
        let id = "MATCH.3316980891";
        assert_eq!(parse(start), Message::Start { id, role, rules, clocks });
        let play = |news| Message::Play { id: "m23", news };
        assert_eq!(parse("(play m23 NIL)"), play(News::Nothing));
        let moves = vec!["(mark 2 2)".to_string(), "noop".into()];
        assert_eq!(parse("(play m23 (( mark 2  2 ) noop))"), play(News::Terms(moves)));
        assert_eq!(parse("(PLAY m23 ())"), play(News::Terms(vec![])));
        let seen = |turn, step| play(News::Percepts { turn, step });
        assert_eq!(parse("(PLAY m23 0 NIL NIL)"), seen(0, None));
        let step = ("(ask 1)".to_string(), vec!["(Yes 2)".to_lowercase(), "no".into()]);
        assert_eq!(parse("(PLAY m23 3 (ASK 1) ((Yes 2) NO))"), seen(3, Some(step)));
        assert_eq!(parse("(play m23 1 wait ())"), seen(1, Some(("wait".into(), vec![]))));
        let stop = Message::Stop { id: "m23", news: News::Terms(vec!["noop".into(), "a".into()]) };
        assert_eq!(parse("(stop m23 (noop a))"), stop);
        assert_eq!(parse("(ABORT m23)"), Message::Abort { id: "m23" });
    }

    #[test]
    fn other_texts_are_refused_with_words() {
        for (text, words) in [
            ("", "one list"),
            ("info", "one list"),
            ("()", "one list"),
            ("(info) (info)", "one list"),
            ("(info", "parenthesis"),
            ("(info))", "parenthesis"),
            ("(ping)", "unknown message `ping`"),
            ("(play)", "the name of the match"),
            ("(play m)", "(play MATCH (MOVE...))"),
            ("(play m noop)", "(play MATCH (MOVE...))"),
            ("(play m x y (z))", "number in place of `x`"),
            ("(stop m 1 a b)", "(stop MATCH"),
            ("(abort)", "the name of the match"),
            ("(preview x)", "(preview RULES CLOCK)"),
            ("(start m r (role r) 10)", "(start MATCH ROLE"),
            ("(start m r rules 10 10)", "(start MATCH ROLE"),
            ("(start m r ((role r)) ten 10)", "number in place of `ten`"),
            ("(start m r ((role r)) -1 10)", "number in place of `-1`"),
            ("(start m r ((role r)) 10 3601)", "a clock of 3601 seconds is too long"),
        ] {
            let error = Message::parse(text).expect_err(text).to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
        let deep = "(".repeat(1_000) + &")".repeat(1_000);
        assert_eq!(Message::parse(&deep), Err(MessageError::Nesting));
    }

    #[test]
    fn a_wrong_message_may_still_ask_for_a_move() {
        for (text, id) in [
            ("(PLAY m 1 2", Some("m")),
            (" ( play m))", Some("m")),
            ("(play", Some("")),
            ("(stop m", None),
            ("play m", None),
            ("", None),
        ] {
            assert_eq!(asked_for_move(text), id, "{text}");
        }
    }

    #[test]
    fn terms_have_one_text() {
        for (text, canonical_text) in [
            ("NOOP", Some("noop")),
            (" ( MARK 1\n( f X )) ; why\n", Some("(mark 1 (f x))")),
            ("(f)", Some("(f)")),
            ("a b", None),
            ("", None),
            ("(a", None),
            (")", None),
        ] {
            assert_eq!(canonical(text).as_deref(), canonical_text, "{text}");
        }
    }

    #[test]
    fn words_are_spelt_as_in_the_rules() {
        let text = "\u{feff}; Rules\n(ROLE White)\n(legal White (moveTo ?X))  ; end";
        let spelling = Spelling::of(text);
        assert_eq!(spelling.spell("(moveto white (f 1))"), "(moveTo White (f 1))");
        assert_eq!(spelling.spell("noop"), "noop");
        assert_eq!(in_one_line(text), "(ROLE White) (legal White (moveTo ?X))");
    }
}
