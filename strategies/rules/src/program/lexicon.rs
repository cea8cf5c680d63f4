//! The moves of a rule file and what its roles know, as terms that patterns can match.

use std::collections::{HashMap, HashSet};

use ruse_games::rule_file::RuleFile;
use ruse_gdl::{Information, MoveId, PerceptId, RoleId, Rules, parts_of_term};

/// The index of a word in a [`Lexicon`].
pub(super) type Word = u32;

/// The kind of a fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum FactKind {
    /// A fluent is true now, in games with complete information.
    True,
    /// The role has had a percept, in this game.
    Saw,
    /// The role has made a move, in this game.
    Did,
    /// The role has had a percept after a move of its own, in the same step.
    After,
    /// The move wins at once, in games with complete information.
    Wins,
    /// The move lets no opponent win by its next move, in games with complete information.
    Safe,
}

/// The largest number of pairs of a percept and a move for which there are facts.
const MAX_PAIRS: usize = 4_096;

/// The questions about what a move leads to.
const FORESIGHT: [(FactKind, &str); 2] = [(FactKind::Wins, "wins"), (FactKind::Safe, "safe")];

/// A ground term: a word with arguments. Nested terms are words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    pub(super) kind: FactKind,
    pub(super) head: Word,
    pub(super) arguments: Vec<Word>,
}

/// The terms with the same kind, head and number of arguments, by their indices.
pub(super) type Relation = Vec<u32>;

/// Terms in the order of their indices, grouped.
#[derive(Debug, Default)]
pub(super) struct Terms {
    pub(super) all: Vec<Term>,
    pub(super) relations: Vec<Relation>,
    /// The largest number of arguments.
    pub(super) arity: usize,
    /// The words at each argument, in terms of all relations.
    pub(super) domains: Vec<HashSet<Word>>,
}

/// The moves of a role, and the facts that it may know.
#[derive(Debug, Default)]
pub(super) struct Vocabulary {
    pub(super) moves: Terms,
    pub(super) facts: Terms,
}

/// The words and terms of a rule file.
#[derive(Debug, Default)]
pub(super) struct Lexicon {
    words: Vec<String>,
    numbers: Vec<Option<i64>>,
    by_text: HashMap<String, Word>,
    /// The heads of facts of the kind [`After`](FactKind::After): the head of the percept, the number of its arguments, and
    /// the head of the move.
    pairs: HashMap<Word, (Word, usize, Word)>,
    /// The vocabulary of each role.
    pub(super) roles: Vec<Vocabulary>,
}

impl Lexicon {
    pub(super) fn of(game: &RuleFile) -> Lexicon {
        let rules = game.language_rules();
        let mut lexicon = Lexicon::default();
        for role in rules.roles() {
            let moves =
                (0..rules.num_moves(role) as u32).map(|index| rules.move_text(role, MoveId(index)));
            let moves: Vec<String> = moves.map(String::from).collect();
            // A move of this name is made if there is nothing to choose.
            let is_choice = |text: &str| text != "noop" || moves.iter().all(|text| text == "noop");
            let choices: Vec<bool> = moves.iter().map(|text| is_choice(text)).collect();
            let made = |kind: FactKind| moves.iter().map(move |text| (kind, parts(text)));
            let facts: Vec<(FactKind, Vec<String>)> = match rules.information() {
                Information::Complete => {
                    let fluents = 0..rules.num_fluents() as u32;
                    let known =
                        fluents.map(|fluent| (FactKind::True, parts(&rules.fluent(fluent))));
                    known.chain(FORESIGHT.map(|(kind, text)| (kind, vec![text.into()]))).collect()
                }
                _ => {
                    let percepts = 0..rules.num_percepts(role) as u32;
                    let saw = percepts.map(|percept| rules.percept_text(role, PerceptId(percept)));
                    let saw: Vec<Vec<String>> = saw.map(parts).collect();
                    let pairs: Vec<_> = match has_pairs(rules, role) {
                        true => saw
                            .iter()
                            .flat_map(|percept| moves.iter().map(move |made| (percept, made)))
                            .map(|(percept, made)| lexicon.pair(percept, &parts(made)))
                            .collect(),
                        false => Vec::new(),
                    };
                    let saw = saw.into_iter().map(|percept| (FactKind::Saw, percept));
                    let pairs = pairs.into_iter().map(|pair| (FactKind::After, pair));
                    saw.chain(made(FactKind::Did)).chain(pairs).collect()
                }
            };
            let mut moves = lexicon.terms(made(FactKind::Did));
            moves.relations.retain(|relation| choices[relation[0] as usize]);
            let facts = lexicon.terms(facts);
            lexicon.roles.push(Vocabulary { moves, facts });
        }
        lexicon
    }

    /// Returns the head and the arguments of the fact that a percept came after a move.
    fn pair(&mut self, percept: &[String], made: &[String]) -> Vec<String> {
        let head = format!("{} after {}", percept[0], made[0]);
        let words = [&head, &percept[0], &made[0]].map(|text| self.word(text));
        self.pairs.insert(words[0], (words[1], percept.len() - 1, words[2]));
        std::iter::once(head).chain(percept[1..].iter().chain(&made[1..]).cloned()).collect()
    }

    /// Returns the head of the percept of a fact of the kind [`After`](FactKind::After), the number of its arguments, and
    /// the head of the move.
    pub(super) fn parts_of_pair(&self, head: Word) -> (&str, usize, &str) {
        let (percept, num_arguments, made) = self.pairs[&head];
        (self.text(percept), num_arguments, self.text(made))
    }

    fn terms(&mut self, texts: impl IntoIterator<Item = (FactKind, Vec<String>)>) -> Terms {
        let mut terms = Terms::default();
        let mut places = HashMap::new();
        for (index, (kind, parts)) in (0..).zip(texts) {
            let mut words = parts.iter().map(|word| self.word(word));
            let head = words.next().expect("a term has a head");
            let term = Term { kind, head, arguments: words.collect() };
            terms.arity = terms.arity.max(term.arguments.len());
            terms.domains.resize_with(terms.arity, HashSet::new);
            for (domain, &word) in terms.domains.iter_mut().zip(&term.arguments) {
                domain.insert(word);
            }
            let place = *places.entry((kind, head, term.arguments.len())).or_insert_with(|| {
                terms.relations.push(Relation::new());
                terms.relations.len() - 1
            });
            terms.relations[place].push(index);
            terms.all.push(term);
        }
        terms
    }

    fn word(&mut self, text: &str) -> Word {
        if let Some(&word) = self.by_text.get(text) {
            return word;
        }
        let word = self.words.len() as Word;
        self.words.push(text.into());
        self.numbers.push(text.parse().ok());
        self.by_text.insert(text.into(), word);
        word
    }

    pub(super) fn find(&self, text: &str) -> Option<Word> {
        self.by_text.get(text).copied()
    }

    pub(super) fn text(&self, word: Word) -> &str {
        &self.words[word as usize]
    }

    /// Returns whether some role has facts of this kind.
    pub(super) fn has_kind(&self, kind: FactKind) -> bool {
        self.roles.iter().any(|role| role.facts.all.iter().any(|fact| fact.kind == kind))
    }

    /// Returns the number that a word stands for.
    pub(super) fn number(&self, word: Word) -> Option<i64> {
        self.numbers[word as usize]
    }

    pub(super) fn vocabulary(&self, role: RoleId) -> &Vocabulary {
        &self.roles[role.0 as usize]
    }
}

/// Returns whether a role with hidden information has facts about percepts after moves.
pub(super) fn has_pairs(rules: &Rules, role: RoleId) -> bool {
    rules.num_percepts(role) * rules.num_moves(role) <= MAX_PAIRS
}

/// Returns the head and the arguments of a term.
fn parts(text: &str) -> Vec<String> {
    parts_of_term(text).into_iter().map(String::from).collect()
}
