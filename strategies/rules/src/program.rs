//! Programs: ordered lists of rules, which people can read and write.
//!
//! A line has a pattern of moves and up to two conditions on what the role knows. The role draws one of the legal moves
//! that match the first line with such a move, each with the same probability; if no line fits, it draws one of all
//! legal moves. These are the decision lists of Rivest (*Learning decision lists*, Machine Learning 2, 1987), with
//! variables that are bound by the move. With complete information, a condition may also look one move ahead: whether the
//! move wins, and whether it is safe ([`foresight`]).
//!
//! Each number of a strategy's parameters is a gene: a standard Gaussian number is about as likely to be each of its
//! values. So random parameters are random programs, and every method can search them.

mod foresight;
mod lexicon;
mod line;
mod teaching;
mod text;

use std::sync::Arc;

use rand::Rng;
use ruse_base::hashing::mix;
use ruse_games::Seat;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile};
use ruse_gdl::{MoveId, RoleId};
use ruse_search::{
    CopyMemory, Parameter, ParameterError, ParameterGroup, ParameterSpace, ParametricStrategy,
    Strategy, keep_buffers,
};
use ruse_strategies::programs::{divide, gene, middle, place};

use self::foresight::Foresight;
use self::lexicon::{FactKind, Lexicon, Term, Terms, Vocabulary, Word, has_pairs};
use self::line::{Argument, Condition, Line, MAX_ARITY, NUM_CONDITIONS, NUM_LINES};
use super::policy::{Policy, check, stem};

/// Marks moves that a line does not match.
const NONE: u32 = u32::MAX;

/// A condition for a move. If it is negated, it must not hold.
#[derive(Debug, Clone)]
struct Test {
    what: Question,
    is_negated: bool,
}

/// The question of a condition about a move.
#[derive(Debug, Clone)]
enum Question {
    /// Is one of these facts known?
    Facts(Vec<u32>),
    /// Does the move win, or is it safe?
    Ahead(FactKind),
}

/// A line, prepared for each move of the role.
#[derive(Debug, Clone)]
struct Prepared {
    /// The index of the first test of each move, or [`NONE`].
    first_tests: Vec<u32>,
    tests: Vec<Test>,
    num_tests: usize,
}

/// A program for each role.
#[derive(Debug, Clone)]
pub struct Program {
    game: RuleFile,
    lexicon: Arc<Lexicon>,
    /// The lines of each role of the language, empty for roles that players do not play.
    lines: Vec<Vec<Line>>,
    prepared: Vec<Vec<Prepared>>,
}

/// An argument of a move is free if its gene is above this number, as three quarters of standard Gaussian numbers are.
const FREE_ABOVE: f64 = -0.7;

/// The limits of the places for the kinds of an argument: a word, an argument of the move, anything, at least, below.
const ARGUMENT_LIMITS: [f64; 5] = [0.4, 0.75, 0.85, 0.925, 1.0];

impl Terms {
    /// Returns the term for a place: relations are equally likely, and so are the terms of a relation.
    fn at(&self, place: f64) -> &Term {
        let (relation, rest) = divide(place, self.relations.len());
        let relation = &self.relations[relation];
        &self.all[relation[divide(rest, relation.len()).0] as usize]
    }

    /// Returns the first term that fits, with its place.
    fn find(&self, fits: impl Fn(&Term) -> bool) -> Option<(&Term, f64)> {
        self.relations.iter().enumerate().find_map(|(index, relation)| {
            let found = relation.iter().position(|&term| fits(&self.all[term as usize]))?;
            let place = index as f64 + middle(found, relation.len());
            Some((&self.all[relation[found] as usize], place / self.relations.len() as f64))
        })
    }

    fn genes_per_term(&self) -> usize {
        self.arity.min(MAX_ARITY)
    }
}

impl Vocabulary {
    /// Returns the number of genes of a line: whether it is there, the move, its arguments, and for each condition
    /// whether it is there, its fact, and its arguments.
    fn genes_per_line(&self) -> usize {
        2 + self.moves.genes_per_term() + NUM_CONDITIONS * (2 + self.facts.genes_per_term())
    }

    /// Returns the line for these genes, or `None` if there is none or it can never apply.
    fn line(&self, lexicon: &Lexicon, genes: &[f64]) -> Option<Line> {
        let (num_move, num_fact) = (self.moves.genes_per_term(), self.facts.genes_per_term());
        if genes[0] <= 0.0 {
            return None;
        }
        let made = self.moves.at(place(genes[1]));
        let is_free = |index: usize| index >= num_move || genes[2 + index] > FREE_ABOVE;
        let arguments = made.arguments.iter().enumerate();
        let arguments: Vec<Option<Word>> =
            arguments.map(|(index, &word)| (!is_free(index)).then_some(word)).collect();
        let mut line = Line { head: made.head, arguments, conditions: Vec::new() };
        for genes in genes[2 + num_move..].chunks_exact(2 + num_fact) {
            // A third of the conditions is left out, and a third is negated.
            let (kind, _) = divide(place(genes[0]), 3);
            if kind == 1 || self.facts.all.is_empty() {
                continue;
            }
            let fact = self.facts.at(place(genes[1]));
            let arguments = fact.arguments.iter().enumerate().map(|(index, &word)| {
                let place = genes[2..].get(index).map_or(0.8, |&gene| place(gene));
                self.argument(lexicon, &line, place, word)
            });
            let arguments = arguments.collect();
            let condition =
                Condition { is_negated: kind == 2, kind: fact.kind, head: fact.head, arguments };
            match self.facts.all.iter().any(|fact| condition.matches(lexicon, fact, None)) {
                true if line.conditions.contains(&condition) => {}
                true => line.conditions.push(condition),
                // No fact matches.
                false if condition.is_negated => {}
                false => return None,
            }
        }
        Some(line)
    }

    fn argument(&self, lexicon: &Lexicon, line: &Line, place: f64, word: Word) -> Argument {
        let is_number = lexicon.number(word).is_some();
        let limit = ARGUMENT_LIMITS.iter().position(|&limit| place < limit).unwrap_or(4);
        let of_move = self.arguments_like(word);
        match limit {
            1 if !of_move.is_empty() => {
                let first = ARGUMENT_LIMITS[0];
                let within = (place - first) / (ARGUMENT_LIMITS[1] - first);
                let index = of_move[divide(within, of_move.len()).0];
                match line.arguments.get(index) {
                    Some(None) => Argument::OfMove(index),
                    Some(Some(word)) => Argument::Word(*word),
                    None => Argument::Word(word),
                }
            }
            3 if is_number => Argument::AtLeast(word),
            4 if is_number => Argument::Below(word),
            0 | 1 => Argument::Word(word),
            _ => Argument::Any,
        }
    }

    /// Returns whether the genes of the condition may name this fact.
    fn may_make(&self, condition: &Condition, fact: &Term) -> bool {
        let mut arguments = condition.arguments.iter().zip(&fact.arguments);
        condition.is_about(fact)
            && arguments.all(|(argument, &word)| match *argument {
                Argument::Word(own) | Argument::AtLeast(own) | Argument::Below(own) => word == own,
                Argument::OfMove(index) => self.arguments_like(word).contains(&index),
                Argument::Any => true,
            })
    }

    /// Returns the indices of the arguments of moves that may be this word.
    fn arguments_like(&self, word: Word) -> Vec<usize> {
        let domains = self.moves.domains.iter().take(MAX_ARITY).enumerate();
        domains.filter(|(_, domain)| domain.contains(&word)).map(|(index, _)| index).collect()
    }

    /// Returns genes whose line is `line`, or the reason why there are none.
    fn genes(&self, lexicon: &Lexicon, line: &Line) -> Result<Vec<f64>, String> {
        let (num_move, num_fact) = (self.moves.genes_per_term(), self.facts.genes_per_term());
        let made = self.moves.find(|term| line.matches(term));
        let mut genes = vec![1.0, gene(made.ok_or("the role has no such move")?.1)];
        for index in 0..num_move {
            let is_free = line.arguments.get(index).is_none_or(Option::is_none);
            genes.push(if is_free { 1.0 } else { -1.0 });
        }
        for index in 0..NUM_CONDITIONS {
            let Some(condition) = line.conditions.get(index) else {
                genes.extend([gene(middle(1, 3)), 0.0]);
                genes.extend(vec![0.0; num_fact]);
                continue;
            };
            let found = self.facts.find(|fact| self.may_make(condition, fact));
            let (fact, place) = found.ok_or_else(|| {
                format!(
                    "the condition `{}` fits no fact that the role may know",
                    text::condition(lexicon, condition)
                )
            })?;
            genes.push(gene(middle(if condition.is_negated { 2 } else { 0 }, 3)));
            genes.push(gene(place));
            for index in 0..num_fact {
                let between = |limit: usize, share: f64| {
                    let first = limit.checked_sub(1).map_or(0.0, |before| ARGUMENT_LIMITS[before]);
                    first + share * (ARGUMENT_LIMITS[limit] - first)
                };
                let place = match condition.arguments.get(index) {
                    Some(Argument::Word(_)) => between(0, 0.5),
                    Some(Argument::OfMove(of)) => {
                        let like = self.arguments_like(fact.arguments[index]);
                        let place = like.iter().position(|like| like == of).unwrap_or(0);
                        between(1, middle(place, like.len()))
                    }
                    Some(Argument::Any) | None => between(2, 0.5),
                    Some(Argument::AtLeast(_)) => between(3, 0.5),
                    Some(Argument::Below(_)) => between(4, 0.5),
                };
                genes.push(gene(place));
            }
        }
        Ok(genes)
    }
}

impl Line {
    fn prepared(&self, lexicon: &Lexicon, vocabulary: &Vocabulary) -> Prepared {
        let mut prepared = Prepared {
            first_tests: vec![NONE; vocabulary.moves.all.len()],
            tests: Vec::new(),
            num_tests: self.conditions.len(),
        };
        let question = |condition: &Condition, of_move: &[Word]| {
            if matches!(condition.kind, FactKind::Wins | FactKind::Safe) {
                return Question::Ahead(condition.kind);
            }
            let all = (0..).zip(&vocabulary.facts.all);
            let fits = all.filter(|(_, fact)| condition.matches(lexicon, fact, Some(of_move)));
            Question::Facts(fits.map(|(index, _)| index).collect())
        };
        // Conditions without arguments of the move are the same for all moves.
        let has_moves_arguments = |condition: &Condition| {
            condition.arguments.iter().any(|argument| matches!(argument, Argument::OfMove(_)))
        };
        let common: Vec<Option<Question>> = self
            .conditions
            .iter()
            .map(|condition| (!has_moves_arguments(condition)).then(|| question(condition, &[])))
            .collect();
        for (index, made) in
            vocabulary.moves.all.iter().enumerate().filter(|(_, made)| self.matches(made))
        {
            prepared.first_tests[index] = prepared.tests.len() as u32;
            for (condition, common) in self.conditions.iter().zip(&common) {
                let what = common.clone().unwrap_or_else(|| question(condition, &made.arguments));
                prepared.tests.push(Test { what, is_negated: condition.is_negated });
            }
        }
        prepared
    }
}

impl Prepared {
    /// Returns whether the line makes a move. `ahead` answers questions about what it leads to.
    fn makes(
        &self,
        action: MoveId,
        known: &[u64],
        mut ahead: impl FnMut(MoveId, FactKind) -> bool,
    ) -> bool {
        let first = self.first_tests[action.0 as usize];
        if first == NONE {
            return false;
        }
        let is_known = |&fact: &u32| known[fact as usize / 64] >> (fact % 64) & 1 == 1;
        let tests = &self.tests[first as usize..][..self.num_tests];
        tests.iter().all(|test| {
            let holds = match &test.what {
                Question::Facts(facts) => facts.iter().any(is_known),
                Question::Ahead(kind) => ahead(action, *kind),
            };
            holds != test.is_negated
        })
    }
}

/// Buffers of a [`Program`].
#[derive(Debug, Default)]
pub struct ProgramMemory {
    known: Vec<u64>,
    made: Vec<MoveId>,
    /// Created when a line first asks what a move leads to.
    foresight: Option<Box<Foresight>>,
}

impl Program {
    /// Writes the facts that a role knows.
    fn know(view: &RoleView<'_>, known: &mut Vec<u64>) {
        known.clear();
        if let Some(state) = view.state() {
            known.extend_from_slice(state.words());
            return;
        }
        let (rules, role) = (view.rules(), view.role());
        let (num_percepts, num_moves) = (rules.num_percepts(role), rules.num_moves(role));
        let (first_pair, has_pairs) = (num_percepts + num_moves, has_pairs(rules, role));
        let num_pairs = if has_pairs { num_percepts * num_moves } else { 0 };
        known.resize((first_pair + num_pairs).div_ceil(64), 0);
        let mut set = |fact: usize| known[fact / 64] |= 1 << (fact % 64);
        for step in view.steps() {
            let own = step.own.0 as usize;
            set(num_percepts + own);
            for percept in step.percepts {
                let percept = percept.0 as usize;
                set(percept);
                if has_pairs {
                    set(first_pair + percept * num_moves + own);
                }
            }
        }
    }

    /// Writes the moves of the first line that fits.
    fn choose(&self, view: &RoleView<'_>, memory: &mut ProgramMemory) {
        let ProgramMemory { known, made, foresight } = memory;
        Program::know(view, known);
        made.clear();
        if let Some(foresight) = foresight {
            foresight.begin();
        }
        let mut ahead = |action: MoveId, kind: FactKind| {
            let foresight = foresight.get_or_insert_with(|| Box::new(Foresight::new(&self.game)));
            let state = view.state().expect("only with complete information lines look ahead");
            foresight.answer(&self.game, (state, view.role(), action), kind)
        };
        for line in &self.prepared[view.role().0 as usize] {
            let legal = view.legal().iter().copied();
            made.extend(legal.filter(|&action| line.makes(action, known, &mut ahead)));
            if !made.is_empty() {
                return;
            }
        }
        made.extend_from_slice(view.legal());
    }
}

impl Policy for Program {
    /// With complete information, the state decides, and otherwise all that was seen and done.
    fn memory(&self, view: &RoleView<'_>) -> u64 {
        if view.state().is_some() {
            return 0;
        }
        let mut known = Vec::new();
        Program::know(view, &mut known);
        known.iter().fold(0, |hash, &word| mix(hash ^ word))
    }

    fn probabilities(&self, view: &RoleView<'_>, probabilities: &mut Vec<f64>) {
        let mut memory = ProgramMemory::default();
        self.choose(view, &mut memory);
        let share = 1.0 / memory.made.len() as f64;
        probabilities.clear();
        let is_made = |action: &MoveId| memory.made.contains(action);
        probabilities
            .extend(view.legal().iter().map(|action| if is_made(action) { share } else { 0.0 }));
    }
}

impl Strategy<RuleFile> for Program {
    type Memory = ProgramMemory;

    const COPY: CopyMemory<ProgramMemory> = keep_buffers;

    /// Keeps the buffers.
    #[inline]
    fn begin(&self, _: &mut ProgramMemory, _: Seat) {}

    fn act<R: Rng>(
        &self,
        memory: &mut ProgramMemory,
        view: RoleView<'_>,
        rng: &mut R,
        action: &mut RoleMove,
    ) {
        use rand::RngExt;
        self.choose(&view, memory);
        let made = &memory.made;
        let choice = if made.len() == 1 { made[0] } else { made[rng.random_range(0..made.len())] };
        *action = RoleMove { role: view.role(), action: choice };
    }
}

impl Program {
    fn lexicon(game: &RuleFile) -> Arc<Lexicon> {
        game.derived(|| Lexicon::of(game))
    }

    /// Returns the number of parameters of a role.
    pub fn num_genes(game: &RuleFile, role: RoleId) -> usize {
        NUM_LINES * Program::lexicon(game).vocabulary(role).genes_per_line()
    }

    fn new(game: &RuleFile, lines: Vec<Vec<Line>>) -> Program {
        let lexicon = Program::lexicon(game);
        let prepared = lines.iter().zip(&lexicon.roles).map(|(lines, vocabulary)| {
            lines.iter().map(|line| line.prepared(&lexicon, vocabulary)).collect()
        });
        let prepared = prepared.collect();
        Program { game: game.clone(), lexicon, lines, prepared }
    }

    /// Returns the parameters of the program with this text, or a description of the first mistake with its place.
    pub fn parse(game: &RuleFile, text: &str) -> Result<Vec<f64>, String> {
        let lexicon = Program::lexicon(game);
        let lines = text::parse(game, &lexicon, text)?;
        let mut theta = Vec::new();
        for (&role, lines) in game.roles().iter().zip(&lines) {
            let vocabulary = lexicon.vocabulary(role);
            for (number, line) in lines {
                let genes = vocabulary.genes(&lexicon, line);
                theta.extend(genes.map_err(|problem| format!("line {number}: {problem}"))?);
            }
            let missing = NUM_LINES - lines.len();
            theta.extend(vec![0.0; missing * vocabulary.genes_per_line()]);
        }
        Ok(theta)
    }

    /// Returns the text of the program.
    pub fn words(&self, game: &RuleFile) -> String {
        text::program(game, &self.lexicon, &self.lines)
    }
}

impl ParametricStrategy<RuleFile> for Program {
    fn space(game: &RuleFile) -> ParameterSpace {
        let lexicon = Program::lexicon(game);
        let (mut parameters, mut groups) = (Vec::new(), Vec::new());
        for &role in game.roles() {
            let vocabulary = lexicon.vocabulary(role);
            for line in 1..=NUM_LINES {
                let name = format!("{}-{line}", stem(game, role));
                let first = parameters.len();
                for (part, meaning) in parts_of_line(vocabulary) {
                    let role = game.language_rules().role_name(role);
                    let meaning = format!("line {line} of {role}: {meaning}");
                    parameters.push(Parameter::new(format!("{name}-{part}"), meaning));
                }
                let members = (first..parameters.len()).collect();
                groups.push(ParameterGroup { name: name.into(), members });
            }
        }
        ParameterSpace::new(parameters).with_groups(groups)
    }

    /// Compares the lines: genes of lines and conditions that are left out have no effect.
    fn plays_alike(game: &RuleFile, a: &[f64], b: &[f64]) -> bool {
        let lines = |genes: &[f64]| Program::lines(game, genes);
        a == b || lines(a).is_ok_and(|lines_of_a| lines(b).is_ok_and(|b| b == lines_of_a))
    }

    fn from_parameters(game: &RuleFile, theta: &[f64]) -> Result<Self, ParameterError> {
        let lines = Program::lines(game, theta)?;
        Ok(Program::new(game, lines))
    }
}

impl Program {
    /// Returns the lines of each role of the language.
    fn lines(game: &RuleFile, theta: &[f64]) -> Result<Vec<Vec<Line>>, ParameterError> {
        let lexicon = Program::lexicon(game);
        let of_role = |role: &RoleId| NUM_LINES * lexicon.vocabulary(*role).genes_per_line();
        let expected: usize = game.roles().iter().map(of_role).sum();
        check::<Self>(game, theta, expected)?;
        let mut lines = vec![Vec::new(); lexicon.roles.len()];
        let mut rest = theta;
        for &role in game.roles() {
            let vocabulary = lexicon.vocabulary(role);
            let (genes, others) = rest.split_at(of_role(&role));
            rest = others;
            let found = genes
                .chunks_exact(vocabulary.genes_per_line())
                .filter_map(|genes| vocabulary.line(&lexicon, genes));
            lines[role.0 as usize] = found.collect();
        }
        Ok(lines)
    }
}

/// Returns the short names and the meanings of the genes of a line.
fn parts_of_line(vocabulary: &Vocabulary) -> Vec<(String, String)> {
    let mut parts = vec![
        ("on".to_string(), "it is left out, unless this is above 0".to_string()),
        ("move".into(), "the move".into()),
    ];
    for argument in 1..=vocabulary.moves.genes_per_term() {
        parts.push((
            format!("move{argument}"),
            format!("argument {argument} of the move is free, if this is above {FREE_ABOVE}"),
        ));
    }
    for condition in 1..=NUM_CONDITIONS {
        parts.push((
            format!("if{condition}"),
            format!("condition {condition} holds, is left out, or does not hold"),
        ));
        parts.push((format!("if{condition}fact"), format!("the fact of condition {condition}")));
        for argument in 1..=vocabulary.facts.genes_per_term() {
            parts.push((
                format!("if{condition}arg{argument}"),
                format!(
                    "argument {argument} of condition {condition}: as in the fact, as in the move, anything, at least, below"
                ),
            ));
        }
    }
    parts
}

#[cfg(test)]
mod tests;
