//! Programs as text.
//!
//! ```text
//! plays the first line that fits:
//!   worker: if resources >= 5 and barracks < 1 build barracks
//!   soldier: if not enemy soldiers >= 3 attack the nearest base
//!   any: play the light rush
//! ```
//!
//! The first and the last line may be left out, and `;` begins a comment.

use ruse_strategies::programs::{HEADING, expectation, numbered_lines};

use super::line::{
    Command, Comparison, Group, Instruction, MAX_NUMBER, NUM_CONDITIONS, NUM_LINES, Quantity,
};

/// The last line, which may be left out: what units do for which no line fits.
const ENDING: &str = "any: play the light rush";

/// Returns the text of a program.
pub(super) fn program<'a>(lines: impl Iterator<Item = &'a Instruction>) -> String {
    let lines: String = lines.map(|line| format!("  {line}\n")).collect();
    format!("{HEADING}\n{lines}  {ENDING}")
}

/// Reads the lines of a program, or describes the first mistake with its place.
pub(super) fn parse(text: &str) -> Result<Vec<Instruction>, String> {
    let mut found = Vec::new();
    let mut has_ended = false;
    for (number, content) in numbered_lines(text) {
        let error = |problem: String| Err(format!("line {number}: {problem}"));
        if has_ended {
            return error(format!("no line may follow `{ENDING}`"));
        }
        // In an explanation, a full stop follows.
        has_ended = content.trim_end_matches('.') == ENDING;
        if has_ended {
            continue;
        }
        if found.len() == NUM_LINES {
            return error(format!("a program has at most {NUM_LINES} lines, besides `{ENDING}`"));
        }
        match parse_line(content) {
            Ok(line) => found.push(line),
            Err(problem) => return error(problem),
        }
    }
    Ok(found)
}

fn listed(items: impl IntoIterator<Item = impl ToString>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

fn parse_line(text: &str) -> Result<Instruction, String> {
    let Some((unit, rest)) = text.split_once(':') else {
        let first = text.split_whitespace().next();
        return Err(expectation("a unit and a colon, such as `worker:`", first));
    };
    let unit = unit.trim();
    let group = Group::ALL.into_iter().find(|group| group.name() == unit).ok_or_else(|| {
        format!("there is no unit `{unit}`; the units are {}", listed(Group::ALL.map(Group::name)))
    })?;
    let rest = rest.replace(">=", " >= ").replace('<', " < ");
    let words: Vec<&str> = rest.split_whitespace().collect();
    let mut words = words.as_slice();
    let mut conditions = [None; NUM_CONDITIONS];
    let mut num_conditions = 0;
    while let [link, after @ ..] = words
        && *link == if num_conditions == 0 { "if" } else { "and" }
    {
        words = after;
        let condition = parse_condition(&mut words)?;
        *conditions
            .get_mut(num_conditions)
            .ok_or_else(|| format!("a line has at most {NUM_CONDITIONS} conditions"))? =
            Some(condition);
        num_conditions += 1;
    }
    let command = parse_command(group, words, num_conditions)?;
    if conditions[0] == conditions[1] {
        conditions[1] = None;
    }
    Ok(Instruction { group, conditions, command })
}

/// Reads a condition at the beginning of `words`, and removes it there.
fn parse_condition(words: &mut &[&str]) -> Result<Comparison, String> {
    let is_negated = words.first() == Some(&"not");
    if is_negated {
        *words = &words[1..];
    }
    let begins = |quantity: &Quantity| {
        let name = quantity.to_string();
        let length = name.split(' ').count();
        (words.len() >= length && words[..length].join(" ") == name).then_some((*quantity, length))
    };
    // The longest name counts: `distance to enemy base` begins with `distance to enemy`.
    let longest = Quantity::all().iter().filter_map(begins).max_by_key(|(_, length)| *length);
    let (quantity, length) = longest.ok_or_else(|| {
        let end = words.iter().position(|word| ["<", ">=", "and"].contains(word));
        let found = words[..end.unwrap_or(words.len().min(1))].join(" ");
        let found = (!found.is_empty()).then_some(&*found);
        let expected = "a quantity, such as `workers`, `enemy soldiers`, `resources` or \
                        `distance to enemy base`";
        expectation(expected, found)
    })?;
    *words = &words[length..];
    let sign = words.first().copied();
    let is_below = match sign {
        Some("<") => true,
        Some(">=") => false,
        _ => return Err(expectation(&format!("`<` or `>=` after `{quantity}`"), sign)),
    };
    let number = words.get(1).copied();
    let parsed = number.and_then(|text| text.parse().ok());
    let parsed = parsed.filter(|parsed| (1..=MAX_NUMBER).contains(parsed));
    let parsed =
        parsed.ok_or_else(|| expectation(&format!("a number from 1 to {MAX_NUMBER}"), number))?;
    *words = &words[2..];
    Ok(Comparison { quantity, is_below: is_below != is_negated, number: parsed })
}

fn parse_command(group: Group, words: &[&str], num_conditions: usize) -> Result<Command, String> {
    let text = words.join(" ");
    let all = Command::of(group);
    let same = |command: &&Command| command.to_string() == text;
    if let Some(command) = all.iter().flatten().find(same) {
        return Ok(*command);
    }
    let first_word = |commands: &Vec<Command>| {
        commands[0].to_string().split(' ').next().unwrap_or_default().to_string()
    };
    let found = (!text.is_empty()).then_some(&*text);
    let of_word = all.iter().find(|commands| words.first() == Some(&&*first_word(commands)));
    if let Some(commands) = of_word {
        return Err(expectation(&format!("an order: {}", listed(commands)), found));
    }
    let before = match num_conditions {
        0 => "`if` or ",
        NUM_CONDITIONS => "",
        _ => "`and` or ",
    };
    let first_words = listed(all.iter().map(first_word));
    Err(expectation(&format!("{before}an order to `{}`: {first_words}", group.name()), found))
}
