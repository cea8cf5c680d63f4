//! Programs as text: a block for each role, with a line for each rule.
//!
//! ```text
//! plays the first line that fits:
//! white:
//!   if (cell ?a ?b empty) and not (cell 2 2 black) play (mark ?a ?b)
//!   if (turn >=5) play pass
//! ```
//!
//! With complete information, `it wins` and `it is safe` ask what the move leads to. The first line may be left out. `?a` is an argument of the move, `_` anything, `>=5` and `<5` numbers, and `;` begins a comment. With hidden
//! information, conditions are about percepts and own moves so far: `saw (hit 2 3)`, `did (shoot 1 1)`, and percepts in the step
//! of a move: `saw occupied after (try ?a)`.

use ruse_games::rule_file::RuleFile;
use ruse_gdl::{parts_of_term, split_terms};
use ruse_strategies::programs::{HEADING, expectation, numbered_lines};

use super::lexicon::{FactKind, Lexicon, Word};
use super::line::{Argument, Condition, Line, MAX_ARITY, NUM_CONDITIONS, NUM_LINES};

/// The name of the argument of a move with this index.
fn variable(index: usize) -> String {
    match u8::try_from(index).ok().filter(|&index| index < 26) {
        Some(index) => format!("?{}", char::from(b'a' + index)),
        None => format!("?{}", index + 1),
    }
}

fn term(head: &str, arguments: &[String]) -> String {
    if arguments.is_empty() { head.into() } else { format!("({head} {})", arguments.join(" ")) }
}

pub(super) fn condition(lexicon: &Lexicon, condition: &Condition) -> String {
    let argument = |argument: &Argument| match *argument {
        Argument::Word(word) => lexicon.text(word).to_string(),
        Argument::OfMove(index) => variable(index),
        Argument::AtLeast(word) => format!(">={}", lexicon.text(word)),
        Argument::Below(word) => format!("<{}", lexicon.text(word)),
        Argument::Any => "_".into(),
    };
    let arguments: Vec<String> = condition.arguments.iter().map(argument).collect();
    let not = if condition.is_negated { "not " } else { "" };
    let kind = match condition.kind {
        FactKind::After => {
            let (percept, num_arguments, made) = lexicon.parts_of_pair(condition.head);
            let (of_percept, of_move) = arguments.split_at(num_arguments);
            return format!("{not}saw {} after {}", term(percept, of_percept), term(made, of_move));
        }
        FactKind::True => "",
        FactKind::Saw => "saw ",
        FactKind::Did => "did ",
        FactKind::Wins => "it ",
        FactKind::Safe => "it is ",
    };
    format!("{not}{kind}{}", term(lexicon.text(condition.head), &arguments))
}

fn line(lexicon: &Lexicon, line: &Line) -> String {
    let arguments = line.arguments.iter().enumerate();
    let arguments: Vec<String> = arguments
        .map(|(index, word)| word.map_or_else(|| variable(index), |word| lexicon.text(word).into()))
        .collect();
    let conditions: Vec<String> = line.conditions.iter().map(|it| condition(lexicon, it)).collect();
    let play = format!("play {}", term(lexicon.text(line.head), &arguments));
    if conditions.is_empty() { play } else { format!("if {} {play}", conditions.join(" and ")) }
}

/// Returns the text of a program. The last line of a role says what happens if no other line fits.
pub(super) fn program(game: &RuleFile, lexicon: &Lexicon, lines: &[Vec<Line>]) -> String {
    let rules = game.language_rules();
    let mut text = format!("{HEADING}\n");
    for &role in game.roles() {
        text += &format!("{}:\n", rules.role_name(role));
        for it in &lines[role.0 as usize] {
            text += &format!("  {}\n", line(lexicon, it));
        }
        text += "  play any\n";
    }
    text.truncate(text.trim_end().len());
    text
}

/// The lines of a role with their numbers in the text.
type Numbered = Vec<(usize, Line)>;

/// Reads the lines of each role that players play, in order.
pub(super) fn parse(game: &RuleFile, words: &Lexicon, text: &str) -> Result<Vec<Numbered>, String> {
    let rules = game.language_rules();
    let mut found: Vec<Numbered> = vec![Numbered::new(); game.roles().len()];
    let mut role = None;
    for (number, content) in numbered_lines(text) {
        let error = |problem: String| Err(format!("line {number}: {problem}"));
        if let Some(name) = content.strip_suffix(':') {
            let names = || game.roles().iter().map(|&role| rules.role_name(role));
            role = names().position(|known| known == name.trim());
            if role.is_none() {
                let known = names().collect::<Vec<_>>().join(", ");
                return error(format!("there is no role `{name}`; the roles are {known}"));
            }
            continue;
        }
        let Some(role) = role else {
            return error("the name of a role with a colon comes first".into());
        };
        // In an explanation, a full stop follows.
        if content.trim_end_matches('.') == "play any" {
            continue;
        }
        match parse_line(words, content) {
            Ok(line) => found[role].push((number, line)),
            Err(problem) => return error(problem),
        }
        if found[role].len() > NUM_LINES {
            return error(format!("a role has at most {NUM_LINES} lines, besides `play any`"));
        }
    }
    Ok(found)
}

/// Splits a line into words and terms in parentheses.
fn pieces(text: &str) -> Result<Vec<&str>, String> {
    let mut depth = 0;
    for c in text.chars() {
        depth += i32::from(c == '(') - i32::from(c == ')');
        if depth < 0 {
            return Err("a parenthesis closes that was not opened".into());
        }
    }
    if depth > 0 {
        return Err("a closing parenthesis is missing".into());
    }
    Ok(split_terms(text))
}

fn parse_line(lexicon: &Lexicon, text: &str) -> Result<Line, String> {
    let all = pieces(text)?;
    let mut pieces = all.iter().copied().peekable();
    let mut conditions = Vec::new();
    let mut expected = if pieces.next_if_eq(&"if").is_some() { "a condition" } else { "`play`" };
    while expected == "a condition" {
        conditions.push(Written::from(&mut pieces)?);
        if pieces.next_if_eq(&"and").is_none() {
            expected = "`and` or `play`";
        }
    }
    match pieces.next() {
        Some("play") => {}
        found => return Err(expectation(expected, found)),
    }
    let made = pieces.next().ok_or("the move after `play` is missing")?;
    if let Some(more) = pieces.next() {
        return Err(format!("`{more}` follows the move, which ends a line"));
    }
    if conditions.len() > NUM_CONDITIONS {
        return Err(format!(
            "a line has at most {NUM_CONDITIONS} conditions, found {}",
            conditions.len()
        ));
    }
    let word = |text: &str| {
        lexicon
            .find(text)
            .ok_or_else(|| format!("the rule file does not contain the word `{text}`"))
    };
    let mut parts = parts_of_term(made).into_iter();
    let head = word(parts.next().unwrap_or_default())?;
    // The arguments of the move by the names of their variables.
    let mut variables: Vec<Option<&str>> = Vec::new();
    let mut arguments = Vec::new();
    for part in parts {
        let is_variable = part.starts_with('?');
        if is_variable && variables.contains(&Some(part)) {
            return Err(format!("the variable `{part}` stands for two arguments of the move"));
        }
        variables.push(is_variable.then_some(part));
        let is_free = is_variable || part == "_";
        if !is_free && variables.len() > MAX_ARITY {
            return Err(format!("only the first {MAX_ARITY} arguments of a move can be words"));
        }
        arguments.push(if is_free { None } else { Some(word(part)?) });
    }
    let conditions = conditions.iter().map(|it| it.condition(lexicon, &variables, &word));
    Ok(Line { head, arguments, conditions: conditions.collect::<Result<_, _>>()? })
}

/// A condition as it is written.
struct Written<'a> {
    is_negated: bool,
    kind: FactKind,
    fact: &'a str,
    /// The move, if the fact is a percept after a move.
    after: Option<&'a str>,
}

impl<'a> Written<'a> {
    fn from(
        pieces: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    ) -> Result<Written<'a>, String> {
        let is_negated = pieces.next_if_eq(&"not").is_some();
        let kind = match pieces.peek() {
            Some(&"saw") => FactKind::Saw,
            Some(&"did") => FactKind::Did,
            Some(&"it") => FactKind::Wins,
            _ => FactKind::True,
        };
        if kind != FactKind::True {
            pieces.next();
        }
        if kind == FactKind::Wins {
            let is_about_safety = pieces.next_if_eq(&"is").is_some();
            let (kind, expected) = match is_about_safety {
                true => (FactKind::Safe, "safe"),
                false => (FactKind::Wins, "wins"),
            };
            return match pieces.next() {
                Some(found) if found == expected => {
                    Ok(Written { is_negated, kind, fact: expected, after: None })
                }
                found => Err(expectation("`it wins` or `it is safe`", found)),
            };
        }
        match pieces.next() {
            Some(fact) if !["and", "play", "if", "not"].contains(&fact) => {
                if kind != FactKind::Saw || pieces.next_if_eq(&"after").is_none() {
                    return Ok(Written { is_negated, kind, fact, after: None });
                }
                let after = pieces.next().ok_or("the move after `after` is missing")?;
                Ok(Written { is_negated, kind: FactKind::After, fact, after: Some(after) })
            }
            found => Err(expectation("a condition", found)),
        }
    }

    fn condition(
        &self,
        lexicon: &Lexicon,
        variables: &[Option<&str>],
        word: &impl Fn(&str) -> Result<Word, String>,
    ) -> Result<Condition, String> {
        let looks_ahead = matches!(self.kind, FactKind::Wins | FactKind::Safe);
        if looks_ahead && !lexicon.has_kind(self.kind) {
            return Err("only with complete information can a condition look ahead".into());
        }
        let mut parts = parts_of_term(self.fact);
        let mut head = parts.remove(0).to_string();
        word(&head)?;
        if let Some(after) = self.after {
            let made = parts_of_term(after);
            word(made[0])?;
            head = format!("{head} after {}", made[0]);
            parts.extend(&made[1..]);
        }
        let head = lexicon.find(&head).ok_or_else(|| format!("no role sees `{head}`"))?;
        let number = |text: &str| {
            let found = word(text)?;
            lexicon.number(found).map(|_| found).ok_or_else(|| format!("`{text}` is not a number"))
        };
        let argument = |(index, part): (usize, &str)| {
            let argument = if part == "_" {
                return Ok(Argument::Any);
            } else if part.starts_with('?') {
                let place = variables.iter().position(|variable| *variable == Some(part));
                Argument::OfMove(place.filter(|&place| place < MAX_ARITY).ok_or_else(|| {
                    format!("the variable `{part}` is not among the first {MAX_ARITY} arguments of the move")
                })?)
            } else if let Some(least) = part.strip_prefix(">=") {
                Argument::AtLeast(number(least)?)
            } else if let Some(most) = part.strip_prefix('<') {
                Argument::Below(number(most)?)
            } else {
                Argument::Word(word(part)?)
            };
            match index < MAX_ARITY {
                true => Ok(argument),
                false => Err(format!(
                    "only the first {MAX_ARITY} arguments of a condition can be other than `_`"
                )),
            }
        };
        let arguments =
            parts.into_iter().enumerate().map(argument).collect::<Result<_, String>>()?;
        Ok(Condition { is_negated: self.is_negated, kind: self.kind, head, arguments })
    }
}
