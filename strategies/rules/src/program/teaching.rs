//! Lines that would have done better in trials.
//!
//! A program is changed line by line: lines are made from the moves that did better in a trial and from facts that were
//! known there, lines are left out, put elsewhere, or get other conditions. A role makes up to three changes, each time the one
//! with the best mean payoff in a random half of the trials.

use rand::Rng;
use rand::RngExt;
use ruse_games::rule_file::{RoleMove, RoleView, RuleFile};
use ruse_gdl::MoveId;
use ruse_strategies::{Teachable, Trial};

use super::lexicon::{FactKind, Lexicon, Term, Vocabulary};
use super::line::{Argument, Condition, Line, MAX_ARITY, NUM_CONDITIONS, NUM_LINES};
use super::{Foresight, Prepared, Program, ProgramMemory};

/// The number of changes that are compared.
const NUM_CHANGES: usize = 96;
/// The largest number of changes to the lines of a role.
const MAX_ROUNDS: usize = 3;

impl Teachable<RuleFile> for Program {
    /// The first number of what the role knows is its own. The code of a move has its number in the lower half, then
    /// whether it wins and whether it is safe.
    fn observe(
        &self,
        memory: &mut ProgramMemory,
        view: &RoleView<'_>,
        actions: &[RoleMove],
    ) -> (Vec<u64>, Vec<u64>) {
        let ProgramMemory { known, foresight, .. } = memory;
        Program::know(view, known);
        let known = std::iter::once(u64::from(view.role().0)).chain(known.iter().copied());
        let foresight = foresight.get_or_insert_with(|| Box::new(Foresight::new(&self.game)));
        foresight.begin();
        let mut code = |action: MoveId| {
            let number = u64::from(action.0);
            let Some(state) = view.state() else { return number };
            [FactKind::Wins, FactKind::Safe].into_iter().fold(number, |code, kind| {
                let asked = (state, view.role(), action);
                code | u64::from(foresight.answer(&self.game, asked, kind)) << flag(kind)
            })
        };
        (known.collect(), actions.iter().map(|action| code(action.action)).collect())
    }

    fn taught<R: Rng>(
        game: &RuleFile,
        theta: &[f64],
        trials: &[Trial],
        rng: &mut R,
    ) -> Option<Vec<f64>> {
        let lexicon = Program::lexicon(game);
        let lines = Program::lines(game, theta).ok()?;
        let mut taught = Vec::with_capacity(theta.len());
        let mut is_better = false;
        for &role in game.roles() {
            let old = &theta[taught.len()..][..Program::num_genes(game, role)];
            let number = u64::from(role.0);
            let half = trials.iter().filter(|trial| trial.known[0] == number && rng.random());
            let half: Vec<&Trial> = half.collect();
            let vocabulary = lexicon.vocabulary(role);
            let pupil = Pupil { lexicon: &lexicon, vocabulary, trials: &half };
            let better = match half.is_empty() || rng.random_range(0..3) == 0 {
                true => None,
                false => pupil.improved(&lines[role.0 as usize], rng),
            };
            let better = better.and_then(|lines| genes_of(&lexicon, vocabulary, &lines));
            is_better |= better.is_some();
            taught.extend(better.as_deref().unwrap_or(old));
        }
        is_better.then_some(taught)
    }
}

/// Returns the place of the answer to a question about a move in its code.
fn flag(kind: FactKind) -> u32 {
    32 + u32::from(kind == FactKind::Safe)
}

/// Returns the genes of these lines, followed by those of lines that are left out.
fn genes_of(lexicon: &Lexicon, vocabulary: &Vocabulary, lines: &[Line]) -> Option<Vec<f64>> {
    let mut genes = Vec::new();
    for line in lines {
        genes.extend(vocabulary.genes(lexicon, line).ok()?);
    }
    genes.resize(NUM_LINES * vocabulary.genes_per_line(), 0.0);
    Some(genes)
}

/// A line, with the set of moves that it makes in each trial.
#[derive(Clone)]
struct Answered {
    line: Line,
    moves: std::rc::Rc<[u16]>,
}

/// A role that learns from trials.
struct Pupil<'a> {
    lexicon: &'a Lexicon,
    vocabulary: &'a Vocabulary,
    trials: &'a [&'a Trial],
}

impl Pupil<'_> {
    fn answered(&self, line: Line) -> Answered {
        let prepared = line.prepared(self.lexicon, self.vocabulary);
        let moves = self.trials.iter().map(|trial| made(&prepared, trial)).collect();
        Answered { line, moves }
    }

    /// Returns the set of moves of the first line that fits in a trial.
    fn choice(lines: &[Answered], trial: usize) -> u16 {
        lines.iter().map(|line| line.moves[trial]).find(|&moves| moves != 0).unwrap_or(0)
    }

    /// Returns the sum of the mean payoffs of the moves that the lines make.
    fn score(&self, lines: &[Answered]) -> f64 {
        let trials = self.trials.iter().enumerate();
        trials.map(|(index, trial)| trial.weight * value(trial, Self::choice(lines, index))).sum()
    }

    /// Returns lines that do better than these.
    fn improved<R: Rng>(&self, lines: &[Line], rng: &mut R) -> Option<Vec<Line>> {
        let mut lines: Vec<Answered> =
            lines.iter().map(|line| self.answered(line.clone())).collect();
        let mut score = self.score(&lines);
        let mut is_better = false;
        for _ in 0..MAX_ROUNDS {
            let mut best: Option<(f64, Vec<Answered>)> = None;
            for _ in 0..NUM_CHANGES {
                let Some(changed) = self.changed(&lines, rng) else { continue };
                let score = self.score(&changed);
                if best.as_ref().is_none_or(|(best, _)| score > *best) {
                    best = Some((score, changed));
                }
            }
            match best {
                Some((better, changed)) if better > score + 1e-9 => {
                    (score, lines, is_better) = (better, changed, true);
                }
                _ => break,
            }
            if rng.random() {
                break;
            }
        }
        is_better.then(|| lines.into_iter().map(|answered| answered.line).collect())
    }

    /// Returns the lines with a random change.
    fn changed<R: Rng>(&self, lines: &[Answered], rng: &mut R) -> Option<Vec<Answered>> {
        let mut changed = lines.to_vec();
        match rng.random_range(0..if lines.is_empty() { 2 } else { 6 }) {
            0 | 1 => {
                let line = self.answered(self.new_line(lines, rng)?);
                if lines.len() == NUM_LINES || (!lines.is_empty() && rng.random_range(0..3) == 0) {
                    changed[rng.random_range(0..lines.len())] = line;
                } else {
                    changed.insert(rng.random_range(0..=lines.len()), line);
                }
            }
            2 => drop(changed.remove(rng.random_range(0..lines.len()))),
            3 => {
                let line = changed.remove(rng.random_range(0..lines.len()));
                changed.insert(rng.random_range(0..lines.len()), line);
            }
            _ => {
                let index = rng.random_range(0..lines.len());
                let line = self.varied(&lines[index].line, rng)?;
                if line == lines[index].line {
                    return None;
                }
                changed[index] = self.answered(line);
            }
        }
        Some(changed)
    }

    /// Returns a line that makes a good move in a random trial.
    fn new_line<R: Rng>(&self, lines: &[Answered], rng: &mut R) -> Option<Line> {
        /// The largest number of trials that are looked at.
        const MAX_LOOKED: usize = 8;
        for _ in 0..MAX_LOOKED {
            let index = rng.random_range(0..self.trials.len());
            let trial = self.trials[index];
            let best = trial.tried.iter().map(|tried| tried.1).fold(f64::MIN, f64::max);
            if value(trial, Self::choice(lines, index)) >= best - 1e-9 {
                continue;
            }
            let good: Vec<u64> = trial
                .tried
                .iter()
                .filter(|tried| tried.1 >= best - 1e-9)
                .map(|tried| tried.0)
                .collect();
            let code = good[rng.random_range(0..good.len())];
            let made = &self.vocabulary.moves.all[code as u32 as usize];
            let is_free = |index| index >= MAX_ARITY;
            let arguments = made.arguments.iter().enumerate();
            let arguments = arguments
                .map(|(index, &word)| (!is_free(index) && rng.random()).then_some(word))
                .collect();
            let mut line = Line { head: made.head, arguments, conditions: Vec::new() };
            for _ in 0..rng.random_range(0..=NUM_CONDITIONS) {
                if let Some(condition) = self.condition(&line, trial, code, rng) {
                    add(&mut line, condition);
                }
            }
            return Some(line);
        }
        None
    }

    /// Returns a condition that holds for a move in a trial.
    fn condition<R: Rng>(
        &self,
        line: &Line,
        trial: &Trial,
        code: u64,
        rng: &mut R,
    ) -> Option<Condition> {
        let made = &self.vocabulary.moves.all[code as u32 as usize];
        let facts = &self.vocabulary.facts.all;
        if facts.is_empty() {
            return None;
        }
        let is_known = |index: usize| {
            let kind = facts[index].kind;
            match kind {
                FactKind::Wins | FactKind::Safe => code >> flag(kind) & 1 == 1,
                _ => trial.known[1 + index / 64] >> (index % 64) & 1 == 1,
            }
        };
        let is_negated = rng.random_range(0..3) == 0;
        let relation = match rng.random_range(0..3) {
            // A question about what the move leads to.
            0 => {
                facts.iter().rposition(|fact| matches!(fact.kind, FactKind::Wins | FactKind::Safe))
            }
            _ => None,
        };
        let fitting: Vec<usize> = match relation {
            Some(last) => {
                (last - 1..=last).filter(|&index| is_known(index) != is_negated).collect()
            }
            None => {
                let relations = &self.vocabulary.facts.relations;
                let relation = &relations[rng.random_range(0..relations.len())];
                let fitting = relation.iter().map(|&index| index as usize);
                fitting.filter(|&index| is_known(index) != is_negated).collect()
            }
        };
        if fitting.is_empty() {
            return None;
        }
        // Facts about the arguments of the move come first.
        let near: Vec<usize> = fitting
            .iter()
            .copied()
            .filter(|&index| {
                facts[index].arguments.iter().any(|word| made.arguments.contains(word))
            })
            .collect();
        let from = if near.is_empty() || rng.random_range(0..4) == 0 { &fitting } else { &near };
        let fact = &facts[from[rng.random_range(0..from.len())]];
        let arguments = fact.arguments.iter().enumerate();
        let arguments =
            arguments.map(|(index, _)| self.argument(line, made, fact, index, rng)).collect();
        let condition = Condition { is_negated, kind: fact.kind, head: fact.head, arguments };
        let holds = (0..facts.len()).any(|index| {
            is_known(index) && condition.matches(self.lexicon, &facts[index], Some(&made.arguments))
        });
        (holds != is_negated).then_some(condition)
    }

    /// Returns a requirement that an argument of a fact meets.
    fn argument<R: Rng>(
        &self,
        line: &Line,
        made: &Term,
        fact: &Term,
        index: usize,
        rng: &mut R,
    ) -> Argument {
        let word = fact.arguments[index];
        if index >= MAX_ARITY {
            return Argument::Any;
        }
        let like = self.vocabulary.arguments_like(word);
        let of_move = like
            .into_iter()
            .find(|&of| line.arguments.get(of) == Some(&None) && made.arguments[of] == word);
        match (rng.random_range(0..6), of_move) {
            (0..=3, Some(of)) => Argument::OfMove(of),
            (4, _) => Argument::Any,
            (2 | 5, _) if self.lexicon.number(word).is_some() => {
                let domain = self.vocabulary.facts.all.iter().filter(|other| {
                    (other.kind, other.head, other.arguments.len())
                        == (fact.kind, fact.head, fact.arguments.len())
                });
                let larger: Vec<_> = domain
                    .map(|other| other.arguments[index])
                    .filter(|&other| self.lexicon.number(other) > self.lexicon.number(word))
                    .collect();
                match larger.is_empty() || rng.random() {
                    true => Argument::AtLeast(word),
                    false => Argument::Below(larger[rng.random_range(0..larger.len())]),
                }
            }
            _ => Argument::Word(word),
        }
    }

    /// Returns a line with another condition or argument.
    fn varied<R: Rng>(&self, line: &Line, rng: &mut R) -> Option<Line> {
        let mut line = line.clone();
        let trial = self.trials[rng.random_range(0..self.trials.len())];
        let fits =
            |tried: &&(u64, f64)| line.matches(&self.vocabulary.moves.all[tried.0 as u32 as usize]);
        let codes: Vec<u64> = trial.tried.iter().filter(fits).map(|tried| tried.0).collect();
        let code = *codes.get(rng.random_range(0..codes.len().max(1)))?;
        match rng.random_range(0..3) {
            0 if !line.conditions.is_empty() => {
                line.conditions.remove(rng.random_range(0..line.conditions.len()));
            }
            1 if !line.arguments.is_empty() => {
                let index = rng.random_range(0..line.arguments.len().min(MAX_ARITY));
                let word = self.vocabulary.moves.all[code as u32 as usize].arguments[index];
                line.arguments[index] = match line.arguments[index] {
                    Some(_) => None,
                    None => {
                        let arguments = line
                            .conditions
                            .iter_mut()
                            .flat_map(|condition| &mut condition.arguments);
                        for argument in arguments.filter(|it| **it == Argument::OfMove(index)) {
                            *argument = Argument::Word(word);
                        }
                        Some(word)
                    }
                };
            }
            _ => {
                if line.conditions.len() == NUM_CONDITIONS {
                    line.conditions.remove(rng.random_range(0..NUM_CONDITIONS));
                }
                let condition = self.condition(&line, trial, code, rng)?;
                add(&mut line, condition);
            }
        }
        Some(line)
    }
}

/// Adds a condition that the line does not have yet.
fn add(line: &mut Line, condition: Condition) {
    if !line.conditions.contains(&condition) {
        line.conditions.push(condition);
    }
}

/// Returns the set of moves that a line makes in a trial.
fn made(prepared: &Prepared, trial: &Trial) -> u16 {
    let tried = trial.tried.iter().enumerate();
    tried.fold(0, |moves, (index, &(code, _))| {
        let ahead = |_, kind: FactKind| code >> flag(kind) & 1 == 1;
        moves | u16::from(prepared.makes(MoveId(code as u32), &trial.known[1..], ahead)) << index
    })
}

/// Returns the mean payoff of a set of moves, or of all moves if it is empty.
fn value(trial: &Trial, moves: u16) -> f64 {
    let moves = if moves == 0 { u16::MAX } else { moves };
    let (mut sum, mut num) = (0.0, 0.0);
    for (index, &(_, payoff)) in trial.tried.iter().enumerate() {
        if moves >> index & 1 == 1 {
            sum += payoff;
            num += 1.0;
        }
    }
    sum / num
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::Xoshiro256PlusPlus;
    use ruse_base::stop::StopRequest;
    use ruse_games::{BySeat, Seat};
    use ruse_search::{AnyMemory, AnyStrategy, ParametricStrategy};
    use ruse_strategies::{MAX_TRIED, Streams, Teaching};

    use super::*;
    use crate::RuleFileReference;
    use crate::tests::file;

    /// Returns trials of the program with this text against random play, and the number of games.
    fn trials(game: &RuleFile, text: &str, num: u64) -> (Vec<f64>, Vec<Trial>, u64) {
        let theta = Program::parse(game, text).expect("a program");
        let program = Program::from_parameters(game, &theta).expect("parameters");
        let opponent: &dyn AnyStrategy<RuleFile> = &RuleFileReference::Random;
        let mut memory = AnyMemory::default();
        let teaching = Teaching::<RuleFile, Program>::new();
        let (mut trials, mut num_games) = (Vec::new(), 0);
        for index in 0..num {
            let stream = |part| Xoshiro256PlusPlus::seed_from_u64(10 * index + part);
            let seats = BySeat { first: stream(1), second: stream(2) };
            let streams = Streams { chance: stream(0), seats };
            let seat = if index % 2 == 0 { Seat::First } else { Seat::Second };
            let (opponent, request) = ((opponent, &mut memory), StopRequest::default());
            let (trial, games) =
                (teaching.play)(game, &program, seat, opponent, &streams, &mut stream(3), &request);
            trials.extend(trial);
            num_games += games;
        }
        (theta, trials, num_games)
    }

    /// By the rules, a winning move of x scores 1, and a game has as many decisions as are left; each action is tried once.
    #[test]
    fn trials_have_the_payoffs_of_the_rules() {
        let game = file("tic_tac_toe");
        let (_, trials, num_games) = trials(&game, "", 200);
        let mut num_wins = 0;
        for trial in &trials {
            assert!((2..=9).contains(&trial.tried.len()));
            assert!((1.0..=4.0).contains(&trial.weight), "the last move of x is forced");
            for &(code, payoff) in &trial.tried {
                assert_eq!(trial.tried.iter().filter(|tried| tried.0 == code).count(), 1);
                if code >> flag(FactKind::Wins) & 1 == 1 {
                    assert_eq!(payoff, 1.0);
                    num_wins += 1;
                }
            }
        }
        assert!(num_wins > 20, "{num_wins}");
        let num_tried: usize = trials.iter().map(|trial| trial.tried.len()).sum();
        assert_eq!(num_games, num_tried as u64);
        // In a game with many moves, some of them are tried.
        let game = file("reversi_6x6");
        let (_, trials, _) = self::trials(&game, "", 20);
        assert!(trials.iter().all(|trial| trial.tried.len() <= MAX_TRIED));
    }

    /// If only the middle pays, lines that take it are found.
    #[test]
    fn lines_with_the_moves_that_pay_are_found() {
        let game = file("tic_tac_toe");
        let (theta, mut trials, _) = trials(&game, "", 100);
        let lexicon = Program::lexicon(&game);
        let vocabulary = lexicon.vocabulary(game.roles()[0]);
        let middle = vocabulary
            .moves
            .all
            .iter()
            .position(|term| term.arguments.iter().all(|&word| lexicon.text(word) == "2"));
        let middle = middle.expect("a move") as u64;
        for (code, payoff) in trials.iter_mut().flat_map(|trial| &mut trial.tried) {
            *payoff = f64::from(u8::from(*code as u32 as u64 == middle));
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        let mut num_found = 0;
        for _ in 0..20 {
            let Some(taught) = Program::taught(&game, &theta, &trials, &mut rng) else { continue };
            let program = Program::from_parameters(&game, &taught).expect("parameters");
            num_found += u32::from(program.words(&game).contains("play (mark 2 2)"));
        }
        assert!(num_found > 15, "{num_found} of 20");
        // Nothing does better if all moves pay the same.
        trials.iter_mut().flat_map(|trial| &mut trial.tried).for_each(|tried| tried.1 = 0.5);
        assert_eq!(Program::taught(&game, &theta, &trials, &mut rng), None);
    }
}
