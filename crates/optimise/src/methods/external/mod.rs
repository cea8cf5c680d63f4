//! Optimisers that are external programs: they ask for scores in lines of JSON, and run like built-in methods.
//!
//! We start the program, send it the task in one line, answer its requests, count the games, and tell the program when
//! its next request would exceed the budget. `docs/methods.md` describes these lines. If the requests of a program
//! depend only on its seed and the answers, its results are the same on any number of threads. They are also the same
//! after an interruption: the program is then restarted and receives all earlier answers again.

mod lines;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ruse_base::hashing::mix;
use ruse_games::BySeat;
use ruse_programs::{ExchangeError, Patience, Process, Watch, words_of};
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::lines::check_program_line;
use ruse_base::stop::{Result, StopReason, Stopped};
use ruse_play::family::Player;

use self::lines::{Answer, Message, ProgramTask, Request, Scores};
use super::kind::{
    AnyMethod, MethodInfo, MethodOption, OptionError, OptionValues, Restored, UsualRaces,
    UsualStart,
};
use super::method::{
    Against, Answered, Iteration, Joined, Lesson, Method, Oracle, Step, play_against,
};
use super::state_error::StateError;

/// The default time limits of a program: the time within which it must end after a stop request, and the time without
/// output after which a remark is made.
const PATIENCE: Patience =
    Patience { parting: Duration::from_secs(60), silence: Duration::from_secs(10) };

/// The number of possible seeds of programs. Seeds are below this number, so that they are integers in every language.
const SEEDS: usize = 1 << 31;

/// A method that runs an external program. The name of the method is the command that starts the program.
#[derive(Debug, Clone)]
pub struct External {
    command: String,
    words: Arc<[String]>,
    patience: Patience,
}

impl External {
    /// Returns the method of this name if the name is a command, that is, if it contains whitespace or a slash and
    /// follows the quoting rules of shells.
    pub fn parse(name: &str) -> Option<External> {
        if !name.contains(|c: char| c.is_whitespace() || c == '/' || c == std::path::MAIN_SEPARATOR)
        {
            return None;
        }
        let words = words_of(name)?;
        Some(External { command: name.into(), words: words.into(), patience: PATIENCE })
    }

    fn at(&self, start: Vec<f64>, incumbent: Vec<f64>, memory: Memory) -> Box<dyn Method> {
        Box::new(Client {
            words: Arc::clone(&self.words),
            patience: self.patience,
            start,
            incumbent,
            task: memory.task,
            recalled: Vec::new(),
            untaken: Vec::new(),
            has_asked: false,
            process: None,
            next: None,
        })
    }
}

impl AnyMethod for External {
    fn info(&self) -> MethodInfo<'_> {
        MethodInfo {
            compares: false,
            has_finals: true,
            usual_races: UsualRaces::OURS,
            usual_start: UsualStart::Zero,
            ..MethodInfo::new(&self.command, "a program of yours that asks for scores")
        }
    }

    fn command(&self) -> Option<&str> {
        Some(&self.command)
    }

    fn options(&self) -> Vec<MethodOption> {
        Vec::new()
    }

    fn with_options(&self, values: &OptionValues) -> Result<Arc<dyn AnyMethod>, OptionError> {
        match values.keys().next() {
            Some(name) => Err(OptionError::unknown(name)),
            None => Ok(Arc::new(self.clone())),
        }
    }

    fn begin(&self, start: Vec<f64>) -> Box<dyn Method> {
        self.at(start.clone(), start, Memory::default())
    }

    fn restore(&self, population: Vec<Vec<f64>>, state: Value) -> Restored {
        let memory: Memory = serde_json::from_value(state)?;
        let ends = population.first().zip(population.last());
        let (start, incumbent) = ends.expect("a population has its start, at least");
        Ok(self.at(start.clone(), incumbent.clone(), memory))
    }
}

/// The longest label of a command, in characters.
const LONGEST_LABEL: usize = 40;

/// Returns the label of a method in tables and directories. The label of a command consists of its arguments without
/// the options, as in `my_optimiser` for `python my_optimiser.py --pairs=50`; any other method is labelled by its name.
pub fn method_label(name: &str) -> Cow<'_, str> {
    let Some(External { words, .. }) = External::parse(name) else { return name.into() };
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let label = |word: &String| {
        let stem = Path::new(word).file_stem().unwrap_or_default().to_string_lossy();
        stem.chars().map(|c| if is_plain(c) { c } else { '-' }).collect::<String>()
    };
    let arguments = words.iter().skip(1).filter(|word| !word.starts_with('-'));
    let mut parts: Vec<String> = arguments.map(label).collect();
    if parts.is_empty() {
        parts.push(label(&words[0]));
    }
    let joined = parts.join("-");
    let trimmed = joined.trim_matches('-');
    match trimmed.is_empty() {
        true => "program".into(),
        // The text is ASCII, so every index is a character boundary.
        false => trimmed[..trimmed.len().min(LONGEST_LABEL)].to_string().into(),
    }
}

/// The state of a run of a program, apart from the answers.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Memory {
    /// The task that the program received; `None` before its start.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    task: Option<ReceivedTask>,
}

/// The task that a program received, except for the start of the search.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReceivedTask {
    seed: u64,
    games: Option<u64>,
}

/// The next event of a program.
enum Next {
    Asks(Request),
    /// The program has ended, or requests more games than the budget leaves.
    Ends(StopReason),
}

/// An oracle whose run waits for a program.
struct Waiting<'a>(&'a mut dyn Oracle);

impl Watch for Waiting<'_> {
    fn check(&self) -> Result {
        self.0.check()
    }

    fn remark(&mut self, remark: &str) {
        self.0.remark(remark);
    }
}

/// A connection to a program that searches.
struct Client {
    words: Arc<[String]>,
    patience: Patience,
    start: Vec<f64>,
    incumbent: Vec<f64>,
    /// The task that the program received; `None` before its start.
    task: Option<ReceivedTask>,
    /// The answers from before an interruption, which are replayed to the restarted program.
    recalled: Vec<Answered>,
    /// The answers since the last [`Method::take_answers`].
    untaken: Vec<Answered>,
    /// Whether the program has made a request.
    has_asked: bool,
    process: Option<Process>,
    /// The next event of the process, if it is known already.
    next: Option<Next>,
}

/// Returns a fingerprint by which a repeated request is recognised.
fn print_of(request: &Request) -> u64 {
    let numbers = request.evaluate.iter().chain(&request.against).flatten();
    let bits = numbers.map(|number| number.to_bits());
    let lengths = [request.pairs, request.evaluate.len() as u64];
    let by_seat = request.by_seat.then_some(u64::MAX);
    lengths.into_iter().chain(bits).chain(by_seat).fold(0, |hash, word| mix(hash ^ word))
}

/// Returns the number of games that the budget leaves, or `None` if games are unlimited.
fn left(oracle: &dyn Oracle) -> Option<u64> {
    Some(oracle.games_left()).filter(|games| *games != u64::MAX)
}

/// Returns the reason why the run ends after this error.
fn end_of(error: ExchangeError, oracle: &mut dyn Oracle) -> Stopped {
    match error {
        ExchangeError::Stopped(stopped) => stopped,
        error => oracle.give_up(error.to_string()),
    }
}

impl Client {
    /// Starts the program, unless it is running, and replays the earlier answers.
    fn connect(&mut self, oracle: &mut dyn Oracle) -> Result {
        if self.process.is_some() {
            return Ok(());
        }
        let told = match self.task {
            Some(told) => told,
            None => ReceivedTask { seed: oracle.index(SEEDS) as u64, games: left(oracle) },
        };
        let ReceivedTask { seed, games } = told;
        let process = Process::start(&self.words, self.patience);
        let process = self.process.insert(process.map_err(|problem| oracle.give_up(problem))?);
        let seats = oracle.seats().map(|BySeat { first, second }| {
            [first, second].map(|parameters| [parameters.start, parameters.end])
        });
        let task =
            ProgramTask { dimension: self.start.len(), start: &self.start, seed, games, seats };
        process.say(&task, &mut Waiting(oracle)).map_err(|error| end_of(error, oracle))?;
        self.task = Some(told);
        let (mut next, _) = self.listen(games, oracle)?;
        for (index, answered) in std::mem::take(&mut self.recalled).iter().enumerate() {
            let by_seat = match &next {
                Next::Asks(request) if print_of(request) == answered.request => request.by_seat,
                _ => {
                    return Err(oracle.give_up(format!(
                        "{}: started again, the program does not ask what it asked before (request {}), so that the run \
                         cannot go on; begin it again, and make the program a function of its seed and of the answers",
                        self.words.join(" "),
                        index + 1
                    )));
                }
            };
            self.answer(answered, by_seat, oracle)?;
            self.has_asked = true;
            (next, _) = self.listen(answered.games_left, oracle)?;
        }
        self.next = Some(next);
        Ok(())
    }

    /// Reads messages of the program until the program makes a request within the budget, or ends. Also returns the
    /// last champion that the program named.
    fn listen(
        &mut self,
        games_left: Option<u64>,
        oracle: &mut dyn Oracle,
    ) -> Result<(Next, Option<Vec<f64>>)> {
        let process = self.process.as_mut().expect("it was started");
        let mut champion = None;
        let mut end = StopReason::Finished;
        loop {
            let said = process.hear(&mut Waiting(oracle)).map_err(|error| end_of(error, oracle))?;
            let Some(line) = said else { return Ok((Next::Ends(end), champion)) };
            let message = lines::read(&line, self.start.len());
            let refused = |problem: String| oracle.give_up(process.failed_by(&line, &problem));
            match message.map_err(refused)? {
                Message::Champion(theta) => champion = Some(theta),
                Message::Request(_) if end == StopReason::Games => {
                    return Err(oracle.give_up(format!(
                        "{}: the program asks on after it was told to stop",
                        self.words.join(" ")
                    )));
                }
                Message::Request(request)
                    if games_left.is_none_or(|games| request.games() <= games) =>
                {
                    return Ok((Next::Asks(request), champion));
                }
                Message::Request(_) => {
                    end = StopReason::Games;
                    let stop = Answer { scores: None, games_left, stop: true };
                    let said = process.say(&stop, &mut Waiting(oracle));
                    said.map_err(|error| end_of(error, oracle))?;
                    process.release();
                }
            }
        }
    }

    /// Sends the answer; `by_seat` is `true` if its scores alternate between the seats.
    fn answer(&mut self, answered: &Answered, by_seat: bool, oracle: &mut dyn Oracle) -> Result {
        let Answered { scores, games_left, .. } = answered;
        let scores = match by_seat {
            false => Scores::Means(scores),
            true => Scores::BySeat(scores.as_chunks().0),
        };
        let answer = Answer { scores: Some(scores), games_left: *games_left, stop: false };
        let process = self.process.as_mut().expect("it was started");
        process.say(&answer, &mut Waiting(oracle)).map_err(|error| end_of(error, oracle))
    }
}

impl Method for Client {
    fn incumbent(&self) -> &[f64] {
        &self.incumbent
    }

    fn sigma(&self) -> Option<f64> {
        None
    }

    fn iterate(&mut self, oracle: &mut dyn Oracle) -> Result<Iteration> {
        self.connect(oracle)?;
        let request = match self.next.take().expect("the program was heard") {
            Next::Asks(request) => request,
            Next::Ends(reason) => {
                self.next = Some(Next::Ends(reason));
                if !self.has_asked && reason == StopReason::Finished {
                    let command = self.words.join(" ");
                    return Err(oracle.give_up(format!("{command}: the program asked for nothing")));
                }
                return Err(Stopped(reason));
            }
        };
        let opponent = request.against.clone().map_or_else(|| oracle.baseline(), Player::from);
        let candidates = request.evaluate.iter().cloned();
        let tallies = play_against(oracle, opponent, candidates, request.pairs)?;

        let means = tallies.iter().map(|tally| tally.score().expect("pairs were played"));
        let seats = tallies.iter().map(|tally| tally.score_by_seat().expect("pairs were played"));
        let scores: Vec<f64> = match request.by_seat {
            false => means.collect(),
            true => seats.flatten().collect(),
        };
        let answered = Answered { request: print_of(&request), scores, games_left: left(oracle) };
        self.answer(&answered, request.by_seat, oracle)?;
        let (next, champion) = self.listen(answered.games_left, oracle)?;
        let best =
            tallies.iter().max_by(|x, y| x.score().partial_cmp(&y.score()).expect("numbers"));
        let estimate = best.and_then(|tally| tally.estimate()).expect("pairs were played");
        self.next = Some(next);
        self.untaken.push(answered);
        self.has_asked = true;
        let joined = champion.filter(|theta| *theta != self.incumbent).map(|parameters| {
            self.incumbent.clone_from(&parameters);
            Joined { parameters, against: Against::Baseline }
        });
        Ok(Iteration { step: Step::Learned { lesson: Lesson::Generation, estimate }, joined })
    }

    fn state(&self) -> Value {
        serde_json::to_value(Memory { task: self.task }).expect("plain data")
    }

    fn take_answers(&mut self) -> Vec<Answered> {
        std::mem::take(&mut self.untaken)
    }

    fn recall(&mut self, answers: Vec<Answered>) -> Result<(), StateError> {
        self.recalled.extend(answers);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
