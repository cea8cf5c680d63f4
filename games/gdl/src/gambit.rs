//! Games of Gambit as rules: game trees (`.efg`) and games in normal form (`.nfg`).
//!
//! The formats are those of Savani & Turocy, *Gambit: the package for computation in game theory*, 2025. The games must have
//! two players, payoffs of a constant sum, and perfect recall. Each step of the rules is a move in an information set. All
//! plays meet the sets in the same order; a play that misses a set waits for a step. Goals are payoffs, mapped to 0 to
//! 100 unless they are such goals already.

use std::collections::HashMap;
use std::fmt::Write;

/// The reason why a text is not a game, with the line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct GambitError {
    /// The line, from 1.
    pub line: u32,
    /// The problem.
    pub problem: String,
}

type Result<T, E = GambitError> = std::result::Result<T, E>;

/// The largest depth of a tree.
const MAX_DEPTH: usize = 1_000;
/// The largest number of moves of chance in a set. All of them have the same probability.
const MAX_CHANCE_MOVES: u32 = 1_000;
/// The largest rounding error of a payoff or a probability, as a share.
const TOLERANCE: f64 = 1e-9;

/// Returns the rules of a game in the formats of Gambit, or `None` if the text has another format.
///
/// # Errors
///
/// Returns an error if the text is malformed, or if rules cannot express the game.
pub fn rules_of_gambit(text: &[u8]) -> Option<Result<String>> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text).trim_ascii_start();
    let is_tree = text.starts_with(b"EFG ");
    if !is_tree && !text.starts_with(b"NFG ") {
        return None;
    }
    let mut reader = Reader::new(std::str::from_utf8(text).ok()?);
    let read = reader.header().and_then(|()| match is_tree {
        true => reader.node(None, [None; 2], [0.0; 2], 0),
        false => reader.normal_form(),
    });
    Some(read.and_then(|()| reader.tree.rules()))
}

/// Returns the strategies of both players, and the payoffs of the first by its strategies and then by the strategies of the
/// second, of a game in normal form (`.nfg`); `None` if the text has another format.
///
/// # Errors
///
/// Returns an error if the text is malformed, or if the payoffs do not have a constant sum.
pub fn matrix_of_gambit(text: &str) -> Option<Result<Matrix>> {
    if !text.starts_with("NFG ") {
        return None;
    }
    let mut reader = Reader::new(text);
    let read = reader.header().and_then(|()| reader.normal_form());
    let Tree { sets, nodes, .. } = &reader.tree;
    let payoff = |&end: &usize| nodes[end].payoffs[0];
    let row = |&node: &usize| nodes[node].children.iter().map(payoff).collect();
    Some(read.and_then(|()| reader.tree.range()).map(|_| {
        let rows = nodes[0].children.iter().map(row).collect();
        ([0, 1].map(|player: usize| sets[player].moves.clone()), rows)
    }))
}

type Matrix = ([Vec<String>; 2], Vec<Vec<f64>>);

/// An information set, or a chance node.
struct Set {
    /// 0 for chance, or the number of the player, from 1.
    owner: usize,
    name: String,
    moves: Vec<String>,
    /// The probabilities of the moves of chance.
    shares: Vec<f64>,
    /// The last set of the player before this one, with the player's move.
    before: Last,
    step: usize,
    line: u32,
}

type Last = Option<(usize, usize)>;

struct Node {
    /// The set of the node before.
    earlier: Option<usize>,
    /// The set of the node; `None` at an end.
    set: Option<usize>,
    children: Vec<usize>,
    payoffs: [f64; 2],
    line: u32,
}

#[derive(Default)]
struct Tree {
    title: String,
    players: Vec<String>,
    sets: Vec<Set>,
    nodes: Vec<Node>,
}

struct Reader<'a> {
    /// The rest of the text.
    rest: &'a str,
    /// The line of the last token.
    line: u32,
    tree: Tree,
    sets: HashMap<(usize, u32), usize>,
    outcomes: HashMap<u32, [f64; 2]>,
}

fn is_whole(number: f64) -> bool {
    (number - number.round()).abs() <= TOLERANCE * number.abs().max(1.0)
}

fn refuse<T>(line: u32, problem: impl Into<String>) -> Result<T> {
    Err(GambitError { line, problem: problem.into() })
}

impl<'a> Reader<'a> {
    fn new(rest: &'a str) -> Reader<'a> {
        let (sets, outcomes) = (HashMap::new(), HashMap::new());
        Reader { rest, line: 1, tree: Tree::default(), sets, outcomes }
    }

    fn refuse<T>(&self, problem: impl Into<String>) -> Result<T> {
        refuse(self.line, problem)
    }

    /// Returns the letter with which the next token begins.
    fn peek(&mut self) -> Option<char> {
        let is_between = |letter: char| letter.is_whitespace() || letter == ',';
        self.skip(self.rest.len() - self.rest.trim_start_matches(is_between).len());
        self.rest.chars().next()
    }

    fn skip(&mut self, len: usize) -> &'a str {
        let (token, rest) = self.rest.split_at(len);
        self.line += token.matches('\n').count() as u32;
        self.rest = rest;
        token
    }

    /// Reads a letter if it comes next.
    fn reads(&mut self, letter: char) -> bool {
        let reads = self.peek() == Some(letter);
        self.skip(if reads { letter.len_utf8() } else { 0 });
        reads
    }

    fn word(&mut self) -> &'a str {
        self.peek();
        let is_end = |letter: char| letter.is_whitespace() || "{}\",".contains(letter);
        self.skip(self.rest.find(is_end).unwrap_or(self.rest.len()))
    }

    fn text(&mut self) -> Result<&'a str> {
        if !self.reads('"') {
            return self.refuse("expected a text in quotation marks");
        }
        let mut is_escaped = false;
        let end = self.rest.find(|letter| {
            let is_end = letter == '"' && !is_escaped;
            is_escaped = letter == '\\' && !is_escaped;
            is_end
        });
        let Some(end) = end else { return self.refuse("the text in quotation marks does not end") };
        let text = self.skip(end);
        self.skip(1);
        Ok(text)
    }

    /// Reads a text if there is one.
    fn label(&mut self) -> Result<&'a str> {
        if self.peek() == Some('"') { self.text() } else { Ok("") }
    }

    /// Reads a number, as in `3`, `-0.25` or `1/3`.
    fn number(&mut self) -> Result<f64> {
        let word = self.word();
        let (top, bottom) = word.split_once('/').unwrap_or((word, "1"));
        let number = top.parse().and_then(|top: f64| Ok(top / bottom.parse::<f64>()?));
        match number {
            Ok(number) if number.is_finite() => Ok(number),
            _ => self.refuse(format!("expected a number, as in 3, 0.25 or 1/3, found `{word}`")),
        }
    }

    fn count(&mut self) -> Result<u32> {
        let word = self.word();
        let count = word.parse();
        count.or_else(|_| self.refuse(format!("expected a whole number, found `{word}`")))
    }

    /// Reads items between braces.
    fn list<T>(&mut self, item: impl Fn(&mut Reader<'a>) -> Result<T>) -> Result<Vec<T>> {
        if !self.reads('{') {
            return self.refuse("expected `{`");
        }
        let mut items = Vec::new();
        while !self.reads('}') {
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn texts(&mut self) -> Result<Vec<String>> {
        self.list(|reader| reader.text().map(String::from))
    }

    fn payoffs(&mut self) -> Result<[f64; 2]> {
        let payoffs = self.list(Reader::number)?;
        payoffs.try_into().or_else(|_| self.refuse("expected the payoffs of two players"))
    }

    fn header(&mut self) -> Result<()> {
        for _ in ["EFG", "2", "R"] {
            self.word();
        }
        self.tree.title = self.text()?.into();
        self.tree.players = self.texts()?;
        match self.tree.players.len() {
            2 => self.label().map(|_| ()),
            num => self.refuse(format!("the game has {num} players; expected two")),
        }
    }

    fn set(&mut self, owner: usize, name: &str, moves: Vec<String>, before: Last) -> usize {
        let (name, shares, line) = (name.into(), Vec::new(), self.line);
        self.tree.sets.push(Set { owner, name, moves, shares, before, step: 0, line });
        self.tree.sets.len() - 1
    }

    /// Adds a node below `parent`.
    fn add(&mut self, parent: Option<usize>, set: Option<usize>, payoffs: [f64; 2]) -> usize {
        let index = self.tree.nodes.len();
        let earlier = parent.and_then(|parent| self.tree.nodes[parent].set);
        let node = Node { earlier, set, children: Vec::new(), payoffs, line: self.line };
        self.tree.nodes.push(node);
        if let Some(parent) = parent {
            self.tree.nodes[parent].children.push(index);
        }
        index
    }

    /// Reads a node and all nodes below it. `last` has the last set of each player, with the player's move.
    fn node(
        &mut self,
        parent: Option<usize>,
        mut last: [Last; 2],
        paid: [f64; 2],
        depth: usize,
    ) -> Result<()> {
        if depth > MAX_DEPTH {
            return self.refuse(format!("the tree is deeper than {MAX_DEPTH}"));
        }
        let kind = self.word();
        if !["c", "p", "t"].contains(&kind) {
            return self.refuse(format!("expected a node, as in `c`, `p` or `t`, found `{kind}`"));
        }
        self.text()?;
        let set = match kind {
            "t" => None,
            "c" => Some(self.members(0, None)?),
            _ => match self.count()? as usize {
                player @ 1..=2 => Some(self.members(player, last[player - 1])?),
                player => return self.refuse(format!("there is no player {player}")),
            },
        };
        let outcome = self.count()?;
        self.label()?;
        if self.peek() == Some('{') {
            let payoffs = self.payoffs()?;
            self.outcomes.insert(outcome, payoffs);
        }
        let payoffs = match self.outcomes.get(&outcome) {
            Some(payoffs) => [0, 1].map(|side: usize| paid[side] + payoffs[side]),
            None if outcome == 0 => paid,
            None => return self.refuse(format!("outcome {outcome} has no payoffs")),
        };
        let node = self.add(parent, set, payoffs);
        let Some(index) = set else { return Ok(()) };
        let (owner, num_moves) = (self.tree.sets[index].owner, self.tree.sets[index].moves.len());
        for number in 0..num_moves {
            if owner > 0 {
                last[owner - 1] = Some((index, number));
            }
            self.node(Some(node), last, payoffs, depth + 1)?;
        }
        Ok(())
    }

    /// Reads the number, the name and the moves of a set. Later nodes of the set may leave name and moves out.
    fn members(&mut self, owner: usize, before: Last) -> Result<usize> {
        let number = self.count()?;
        let name = self.label()?;
        let known = self.sets.get(&(owner, number)).copied();
        let moves = match (known, self.peek()) {
            (Some(set), letter) if letter != Some('{') => {
                let Set { moves, shares, .. } = &self.tree.sets[set];
                let shares = shares.iter().copied().chain(std::iter::repeat(0.0));
                moves.iter().cloned().zip(shares).collect()
            }
            _ => self.list(|reader| {
                let name = reader.text()?.into();
                Ok((name, if owner == 0 { reader.number()? } else { 0.0 }))
            })?,
        };
        let (moves, shares): (Vec<String>, Vec<f64>) = moves.into_iter().unzip();
        if moves.is_empty() {
            return self.refuse(format!("set {number} has no moves"));
        }
        // Players do not know the sets of chance, so each node of chance may have a step of its own.
        let Some(set) = known.filter(|_| owner > 0) else {
            let set = self.set(owner, name, moves, before);
            self.tree.sets[set].shares = shares;
            self.sets.insert((owner, number), set);
            return Ok(set);
        };
        let first = &self.tree.sets[set];
        if first.moves != moves {
            return self.refuse(format!("set {number} has other moves than before"));
        }
        if first.before != before {
            let problem = "the player forgets earlier moves in set";
            return self.refuse(format!("{problem} {number} (imperfect recall)"));
        }
        Ok(set)
    }

    /// Reads a game in normal form after its header, as a tree in which the second player does not see the first move.
    fn normal_form(&mut self) -> Result<()> {
        let strategies = self.list(|reader| match reader.peek() {
            Some('{') => reader.texts(),
            _ => Ok((1..=reader.count()?).map(|number| number.to_string()).collect()),
        })?;
        let Ok([first, second]) = <[Vec<String>; 2]>::try_from(strategies) else {
            return self.refuse("expected the strategies of two players");
        };
        self.label()?;
        let outcomes = match self.peek() {
            Some('{') => Some(self.list(|reader| {
                reader.reads('{');
                reader.label()?;
                let payoffs = [reader.number()?, reader.number()?];
                if reader.reads('}') { Ok(payoffs) } else { reader.refuse("expected two payoffs") }
            })?),
            _ => None,
        };
        let num_rows = first.len();
        let mut cells = Vec::new();
        for _ in 0..num_rows * second.len() {
            cells.push(match &outcomes {
                None => [self.number()?, self.number()?],
                Some(outcomes) => match self.count()? as usize {
                    0 => [0.0; 2],
                    number if number <= outcomes.len() => outcomes[number - 1],
                    number => return self.refuse(format!("there is no outcome {number}")),
                },
            });
        }
        if cells.is_empty() {
            return self.refuse("a player has no strategies");
        }
        let [rows, columns] =
            [(1, first), (2, second)].map(|(owner, moves)| self.set(owner, "", moves, None));
        let root = self.add(None, Some(rows), [0.0; 2]);
        for row in 0..num_rows {
            let node = self.add(Some(root), Some(columns), [0.0; 2]);
            for &payoffs in cells[row..].iter().step_by(num_rows) {
                self.add(Some(node), None, payoffs);
            }
        }
        Ok(())
    }
}

/// The words in use, each with the largest number that was added to it.
type Words = HashMap<String, u32>;

/// Returns a text as a word of a rule file, or `otherwise` if nothing is left of it. The word is not among `words`.
fn word(text: &str, otherwise: &str, words: &mut Words) -> String {
    let kept = |letter: char| letter.is_ascii_alphanumeric() || "+-._".contains(letter);
    let parts = text.split(|letter| !kept(letter)).filter(|part| !part.is_empty());
    let text = parts.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    let text = if text.is_empty() { otherwise.into() } else { text };
    let mut word = text.clone();
    while words.contains_key(&word) {
        let number = words.get_mut(&text).expect("its first number is 1");
        *number += 1;
        word = format!("{text}-{number}");
    }
    words.insert(word.clone(), 1);
    word
}

impl Tree {
    /// Gives each set its step: later than the sets before it in any play.
    fn find_steps(&mut self) -> Result<()> {
        let mut has_changed = true;
        while has_changed {
            has_changed = false;
            for (earlier, set) in self.nodes.iter().filter_map(|node| node.earlier.zip(node.set)) {
                let step = self.sets[earlier].step + 1;
                if step > self.sets.len() {
                    let problem = "two plays meet the same information sets in different orders";
                    return refuse(self.sets[set].line, problem);
                }
                has_changed |= step > self.sets[set].step;
                self.sets[set].step = self.sets[set].step.max(step);
            }
        }
        Ok(())
    }

    fn ends(&self) -> impl Iterator<Item = &Node> {
        self.nodes.iter().filter(|node| node.set.is_none())
    }

    /// Returns the payoffs of the first player that are mapped to the goals 0 and 100.
    fn range(&self) -> Result<[f64; 2]> {
        let sum = |node: &Node| node.payoffs[0] + node.payoffs[1];
        let payoffs = || self.ends().map(|node| node.payoffs[0]);
        let [low, high] =
            [payoffs().fold(f64::INFINITY, f64::min), payoffs().fold(f64::NEG_INFINITY, f64::max)];
        let first = self.ends().next().map_or(0.0, sum);
        let mut others = self.ends();
        let scale = TOLERANCE * [low, high, first].map(f64::abs).into_iter().fold(1.0, f64::max);
        if let Some(other) = others.find(|node| (sum(node) - first).abs() > scale) {
            let [a, b] = other.payoffs;
            let problem = format!(
                "the payoffs {a} and {b} do not have the sum {first} of the payoffs before; only games with a constant sum \
                 can be played"
            );
            return refuse(other.line, problem);
        }
        let is_goal = |payoff: f64| payoff.fract() == 0.0 && (0.0..=100.0).contains(&payoff);
        if first == 100.0 && payoffs().all(is_goal) {
            return Ok([0.0, 100.0]);
        }
        if low == high {
            return Ok([low - 1.0, low + 1.0]);
        }
        let place = |payoff: f64, steps: u8| (payoff - low) / (high - low) * f64::from(steps);
        let fits = |steps: &u8| payoffs().all(|payoff| is_whole(place(payoff, *steps)));
        let Some(steps) = (1..=100).find(fits) else {
            let problem = "the payoffs are not multiples of 1/N of their range for an N up to 100; rules have whole goals up \
                           to 100";
            return refuse(1, problem);
        };
        // Each step has the same number of goals. The rest of the goals is below and above the payoffs.
        let used = 100 / steps * steps;
        let goal = (high - low) / f64::from(used);
        let below = f64::from((100 - used) / 2);
        Ok([low - below * goal, low + (100.0 - below) * goal])
    }

    /// Returns the words for the moves of chance, with the indices of the children. A move has as many words as its
    /// probability needs.
    fn moves_of_chance(set: &Set) -> Result<Vec<(String, usize)>> {
        let sum: f64 = set.shares.iter().sum();
        if (sum - 1.0).abs() > TOLERANCE || set.shares.iter().any(|share| *share < 0.0) {
            return refuse(set.line, format!("the probabilities add up to {sum}; expected 1"));
        }
        let whole = (1..=MAX_CHANCE_MOVES).map(f64::from);
        let mut whole =
            whole.filter(|whole| set.shares.iter().all(|share| is_whole(share * whole)));
        let Some(whole) = whole.next() else {
            let problem = format!(
                "the probabilities are not multiples of 1/N for an N up to {MAX_CHANCE_MOVES}; in rules, all moves of chance \
                 have the same probability"
            );
            return refuse(set.line, problem);
        };
        let (mut moves, mut taken) = (Vec::new(), Words::new());
        for (index, (share, label)) in set.shares.iter().zip(&set.moves).enumerate() {
            for _ in 0..(share * whole).round() as u32 {
                moves.push((word(label, "chance", &mut taken), index));
            }
        }
        Ok(moves)
    }

    /// Returns the text of a rule file.
    fn rules(mut self) -> Result<String> {
        self.find_steps()?;
        let [low, high] = self.range()?;
        let mut taken = Words::from([("random".into(), 1)]);
        let [first, second] =
            [0, 1].map(|index: usize| word(&self.players[index], "player", &mut taken));
        let title: Vec<&str> = self.title.split_whitespace().collect();
        let mut text = format!("; {}\n", title.join(" "));
        if [low, high] != [0.0, 100.0] {
            let _ = writeln!(text, "; Payoffs: {low} to {high}");
        }
        let has_chance = self.sets.iter().any(|set| set.owner == 0);
        let random = if has_chance { " (role random)" } else { "" };
        let _ = writeln!(text, "(role {first}) (role {second}){random}\n(init (at n0))");
        let (mut words, mut taken) = (Vec::new(), Words::new());
        for set in &self.sets {
            let mut names = Words::new();
            let moves = match set.owner {
                0 => Tree::moves_of_chance(set)?,
                _ => {
                    let moves = set.moves.iter().enumerate();
                    moves.map(|(index, name)| (word(name, "move", &mut names), index)).collect()
                }
            };
            words.push((word(&set.name, "set", &mut taken), moves));
        }
        // The number of steps between two sets in which nothing happens.
        let waits = |earlier: usize, set: Option<usize>| {
            set.map_or(0, |set| self.sets[set].step - self.sets[earlier].step - 1)
        };
        let place = |node: usize, waits: usize| match waits {
            0 => format!("n{node}"),
            waits => format!("n{node}-{waits}"),
        };
        for (number, node) in self.nodes.iter().enumerate() {
            let Some(index) = node.set else {
                let goal = (100.0 * (node.payoffs[0] - low) / (high - low)).round();
                let _ = writeln!(text, "(end n{number} {goal} {})", 100.0 - goal);
                continue;
            };
            let (name, moves) = &words[index];
            let role = ["random", &*first, &*second][self.sets[index].owner];
            let _ = writeln!(text, "(node n{number} {role} {name})");
            for (word, child) in moves {
                let child = node.children[*child];
                let after = place(child, waits(index, self.nodes[child].set));
                let _ = writeln!(text, "(move n{number} {word} {after})");
            }
            for left in 1..=node.earlier.map_or(0, |earlier| waits(earlier, node.set)) {
                let _ =
                    writeln!(text, "(pass {} {})", place(number, left), place(number, left - 1));
            }
        }
        if text.contains("\n(pass ") {
            text += "(<= (after ?c) (true (at ?n)) (pass ?n ?c))\n";
        }
        let _ = write!(
            text,
            "(<= (asked ?n ?r) (node ?n ?r ?s))
(<= (legal ?r ?m) (true (at ?n)) (node ?n ?r ?s) (move ?n ?m ?c))
(<= (legal ?r noop) (role ?r) (true (at ?n)) (not (asked ?n ?r)))
(<= (after ?c) (true (at ?n)) (node ?n ?r ?s) (does ?r ?m) (move ?n ?m ?c))
(<= (next (at ?c)) (after ?c))
(<= (sees ?r ?s) (after ?n) (node ?n ?r ?s) (distinct ?r random))
(<= terminal (true (at ?n)) (end ?n ?a ?b))
(<= (goal {first} ?a) (true (at ?n)) (end ?n ?a ?b))
(<= (goal {second} ?b) (true (at ?n)) (end ?n ?a ?b))
"
        );
        Ok(text)
    }
}

#[cfg(test)]
mod tests;
