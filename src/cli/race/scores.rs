//! `ruse race` on scores: of a file, or of commands that print them.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

use ruse_base::files::reading::{read_text, text_of};
use ruse_base::rng::StreamKey;
use ruse_base::stop::{StopSignal, Stopped};
use ruse_lab::ContestScores;
use ruse_play::race::{Limits, Question, Reason, ScoreRace, Verdict};
use ruse_programs::{ExchangeError, ScoreCommand, Watch};
use serde_json::{Value, json};

use super::settings::{Failures, RaceArgs, confidence, needed, plain};
use crate::cli::failure::{Failure, Result};
use crate::cli::format::{counted, grouped, paragraph};
use crate::cli::output::{self, Answer};
use crate::cli::progress::WorkProgress;
use crate::cli::verbosity::say_always;

/// The largest file of scores, in bytes.
const MAX_BYTES: u64 = 1 << 30;
/// If the first runs of a command fail, this many, the command is wrong.
const FIRST_RUNS: u64 = 10;
/// The number of runs that may be ahead of the oldest one, for each that runs at once.
const AHEAD: u64 = 4;
/// The time between two looks at a stop request.
const PAUSE: Duration = Duration::from_millis(20);

/// A race, and what is said about its scores.
struct Scores<'a> {
    args: &'a RaceArgs,
    names: Vec<String>,
    /// The number that the mean must exceed, and the difference that matters, in units of scores.
    against: f64,
    tolerance: f64,
    race: ScoreRace,
    /// The verdict, if scores have stopped the race.
    stopped: Option<Reason>,
    sums: [f64; 2],
    /// The numbers of pairs in which the first score is better, equal and worse; of a single score, than the hypothesis.
    better: [u64; 3],
    num_failed: [u64; 2],
    num_skipped: u64,
    are_runs: bool,
}

/// The advice about a file that is not of this kind.
const ADVICE: &str = "a file of scores has a column for each of two contestants, or one column, and perhaps a column `seed`";

/// Reads a file of scores, or standard input.
pub(crate) fn read_scores<T>(
    file: &str,
    parse: fn(&str) -> Result<T, String>,
    advice: &str,
) -> Result<T> {
    let cannot = |error: io::Error| Failure::bad_input(format!("cannot read {file}: {error}"));
    let text = if file == "-" {
        let mut bytes = Vec::new();
        io::stdin().take(MAX_BYTES).read_to_end(&mut bytes).map_err(cannot)?;
        text_of(bytes).map_err(|error| cannot(error.into()))?
    } else {
        read_text(file.as_ref(), MAX_BYTES).map_err(cannot)?
    };
    parse(&text).map_err(|problem| Failure::with_advice(format!("{file}: {problem}"), advice))
}

/// Returns `true` if a word names a file of scores, and not a command.
pub(crate) fn is_file(word: &str) -> bool {
    let extension = Path::new(word).extension().and_then(|extension| extension.to_str());
    word == "-" || extension.is_some_and(|extension| ["csv", "tsv", "txt"].contains(&extension))
}

pub(super) fn race(args: &RaceArgs, stop: &StopSignal) -> Result {
    let mut scores;
    match args.of.as_slice() {
        [file] if is_file(file) && args.runs.is_some() => {
            return Err(Failure::with_advice("a file of scores has no runs", "leave --runs out"));
        }
        [file] if is_file(file) => {
            let found = read_scores(file, ContestScores::parse, ADVICE)?;
            scores = Scores::new(args, found.names, false)?;
            for (line, row) in found.rows {
                scores.check(&row, &format!("line {line} of {file}"))?;
                let observed = scores.observe(&row);
                scores.race.add(observed);
            }
        }
        commands => {
            let names = commands.iter().map(|command| format!("`{command}`")).collect();
            scores = Scores::new(args, names, true)?;
            run(&mut scores, commands, stop)?;
        }
    }
    let Some(verdict) = scores.verdict() else { return Err(Failure::nothing_yet()) };
    output::write(&Raced { scores: &scores, verdict }, args.json)?;
    stop.check().map_err(|_| Failure::Interrupted)?;
    args.exit(verdict.reason)
}

impl<'a> Scores<'a> {
    fn new(args: &'a RaceArgs, names: Vec<String>, are_runs: bool) -> Result<Scores<'a>> {
        let [low, high] = args.range;
        let is_pair = names.len() == 2;
        let (against, precision) = args.hypotheses(if is_pair { 0.0 } else { (low + high) / 2.0 });
        args.check_elo(is_pair)?;
        // If less is better, the race is about the negatives of the scores.
        let (range, signed) =
            if args.less { ([-high, -low], -against) } else { (args.range, against) };
        let question = if is_pair { Question::Difference(signed) } else { Question::Mean(signed) };
        let limits = Limits { delta: args.delta, precision };
        let race = ScoreRace::new(question, range, limits, StreamKey::root(args.seed));
        let race = race.ok_or_else(|| {
            let [mut lowest, mut highest] = ScoreRace::hypotheses(question, range);
            if args.less {
                [lowest, highest] = [-highest, -lowest];
            }
            let message = format!("no race is about {against} with precision {precision}");
            let least = ScoreRace::SMALLEST_PRECISION;
            let advice = format!(
                "--against lies between {} and {} in this range, and --precision is at least {least}",
                plain(lowest),
                plain(highest)
            );
            Failure::with_advice(message, advice)
        })?;
        let tolerance = 2.0 * precision * (high - low);
        let (stopped, sums, better, num_failed, num_skipped) = (None, [0.0; 2], [0; 3], [0; 2], 0);
        Ok(Scores {
            args,
            names,
            against,
            tolerance,
            race,
            stopped,
            sums,
            better,
            num_failed,
            num_skipped,
            are_runs,
        })
    }

    /// Checks that scores lie in the range.
    fn check(&self, scores: &[f64], whose: &str) -> Result {
        let [low, high] = self.args.range;
        match scores.iter().find(|score| !(low..=high).contains(*score)) {
            None => Ok(()),
            Some(score) => Err(Failure::with_advice(
                format!("{whose} has the score {score}, outside of the range {low},{high}"),
                "give the least and the largest possible score, as in --range 0,100",
            )),
        }
    }

    /// Counts one score or two, which lie in the range, and returns the observation of the race.
    fn observe(&mut self, scores: &[f64]) -> f64 {
        let sign = if self.args.less { -1.0 } else { 1.0 };
        let (observed, than) = match *scores {
            [a, b] => (sign * (a - b), 0.0),
            _ => (sign * scores[0], sign * self.against),
        };
        let place = if observed > than { 0 } else { 1 + usize::from(observed < than) };
        self.better[place] += 1;
        for (sum, score) in self.sums.iter_mut().zip(scores) {
            *sum += score;
        }
        observed
    }

    fn is_pair(&self) -> bool {
        self.names.len() == 2
    }

    fn num(&self) -> u64 {
        self.better.iter().sum()
    }

    /// Returns the verdict, in the signs of the scores.
    fn verdict(&self) -> Option<Verdict> {
        let verdict = self.race.verdict()?;
        let reason = self.stopped.unwrap_or(verdict.reason);
        let [low, high] = verdict.interval;
        let interval = if self.args.less { [-high, -low] } else { [low, high] };
        // The levels of the race are rounded.
        let score = (self.sums[0] - self.sums[1]) / self.num() as f64;
        Some(Verdict { reason, score, interval, ..verdict })
    }

    /// Describes the race so far in a line.
    fn status(&self) -> String {
        let Some(verdict) = self.verdict() else { return "the first runs".into() };
        let more = |more| format!("about {} more", grouped(more));
        let more = self.race.missing().map_or("many more".into(), more);
        let unit = if self.is_pair() { "pair" } else { "run" };
        let [score, low, high] = numbers(verdict);
        format!("{}, {score} [{low}, {high}], {more}", counted(self.num(), unit))
    }
}

/// Runs the commands on the seeds, and takes their scores in the order of the seeds, until the race ends.
fn run(scores: &mut Scores<'_>, commands: &[String], stop: &StopSignal) -> Result {
    let args = scores.args;
    let commands = commands.iter().map(|text| {
        let advice = "a file of scores is named .csv, .tsv or .txt";
        ScoreCommand::parse(text)
            .ok_or_else(|| Failure::with_advice(format!("`{text}` is not a command"), advice))
    });
    let commands = commands.collect::<Result<Vec<_>>>()?;
    commands.iter().try_for_each(ScoreCommand::ask).map_err(Failure::bad_input)?;
    if !commands.iter().all(ScoreCommand::takes_seed) {
        say_always("a command without {seed} gets no seed: its scores must vary by themselves");
    }
    let progress = WorkProgress::endless("racing");
    let (width, jobs) = (commands.len() as u64, u64::from(args.jobs.get()));
    let num_runs = args.runs.map_or(u64::MAX, |runs| runs.saturating_mul(width));
    let (next, taken, done) = (AtomicU64::new(0), AtomicU64::new(0), StopSignal::default());
    let work = |sender: Sender<(u64, Result<f64, ExchangeError>)>| {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            while index >= taken.load(Ordering::Relaxed) + AHEAD * jobs && done.check().is_ok() {
                std::thread::sleep(PAUSE);
            }
            if index >= num_runs || done.check().is_err() {
                return;
            }
            let seed = args.seed.wrapping_add(index / width);
            let score = commands[(index % width) as usize].run(seed, &mut Until { done: &done });
            if sender.send((index, score)).is_err() {
                return;
            }
        }
    };
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            let sender = sender.clone();
            scope.spawn(|| work(sender));
        }
        drop(sender);
        let mut early = BTreeMap::new();
        let mut take = || -> Result {
            while scores.num() + scores.num_skipped < num_runs / width {
                match receiver.recv_timeout(PAUSE) {
                    Ok((index, score)) => drop(early.insert(index, score)),
                    Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                }
                if stop.check().is_err() {
                    return Ok(());
                }
                let first = (scores.num() + scores.num_skipped) * width;
                if (first..first + width).all(|index| early.contains_key(&index)) {
                    let found = (first..first + width).map(|index| early.remove(&index));
                    let found = found.flatten().collect();
                    let seed = args.seed.wrapping_add(first / width);
                    taken.store(first + width, Ordering::Relaxed);
                    if scores.take_runs(found, seed)?.is_break() {
                        return Ok(());
                    }
                    progress.on_alive_as(|| scores.status());
                }
            }
            Ok(())
        };
        let taken = take();
        done.raise();
        progress.finish();
        taken
    })
}

impl Scores<'_> {
    /// Takes the scores of the runs with a seed, some of which may have failed.
    fn take_runs(
        &mut self,
        found: Vec<Result<f64, ExchangeError>>,
        seed: u64,
    ) -> Result<ControlFlow<()>> {
        let [low, high] = self.args.range;
        let mut scores = Vec::new();
        let mut has_failed = false;
        for (index, score) in found.into_iter().enumerate() {
            let whose = format!("{} with seed {seed}", self.names[index]);
            match score {
                Ok(score) => {
                    self.check(&[score], &whose)?;
                    scores.push(score);
                }
                Err(ExchangeError::Stopped(_)) => return Ok(ControlFlow::Break(())),
                Err(error) => {
                    self.num_failed[index] += 1;
                    has_failed = true;
                    let policy = self.args.failures;
                    let is_wrong = self.num_failed[index] == FIRST_RUNS
                        && self.num() + self.num_skipped + 1 == FIRST_RUNS;
                    if policy == Failures::Stop || is_wrong {
                        let advice = match policy {
                            Failures::Stop => {
                                "--failures worst counts the worst score for a failed run, and --failures skip leaves out its seed"
                            }
                            _ => "all of the first runs failed",
                        };
                        return Err(Failure::with_advice(format!("seed {seed}: {error}"), advice));
                    }
                    scores.push(if self.args.less { high } else { low });
                }
            }
        }
        if has_failed && self.args.failures == Failures::Skip {
            self.num_skipped += 1;
            return Ok(ControlFlow::Continue(()));
        }
        let observed = self.observe(&scores);
        Ok(match self.race.push(observed) {
            ControlFlow::Continue(()) => ControlFlow::Continue(()),
            ControlFlow::Break(reason) => {
                self.stopped = Some(reason);
                ControlFlow::Break(())
            }
        })
    }
}

/// Ends the wait for a command when the race is over.
struct Until<'a> {
    done: &'a StopSignal,
}

impl Watch for Until<'_> {
    fn check(&self) -> Result<(), Stopped> {
        self.done.check()
    }

    fn remark(&mut self, remark: &str) {
        say_always(remark);
    }
}

/// Returns the number of decimals that tell the ends of an interval apart.
fn decimals([low, high]: [f64; 2]) -> usize {
    (1.0 - libm::log10((high - low) / 2.0).floor()).clamp(0.0, 9.0) as usize
}

/// Formats an estimate and its interval.
fn numbers(verdict: Verdict) -> [String; 3] {
    let decimals = decimals(verdict.interval);
    let [low, high] = verdict.interval;
    [verdict.score, low, high].map(|number| format!("{number:.decimals$}"))
}

struct Raced<'a> {
    scores: &'a Scores<'a>,
    verdict: Verdict,
}

impl Raced<'_> {
    /// Returns the verdict as one word, and what it says about the scores.
    fn in_words(&self) -> (&'static str, String) {
        let &Scores { args, ref names, against, tolerance, .. } = self.scores;
        let (more, above, below, sign) = if args.less {
            ("less", "below", "above", -1.0)
        } else {
            ("more", "above", "below", 1.0)
        };
        let [from, to, by] = [against, against + sign * tolerance, tolerance].map(plain);
        let about = match names.as_slice() {
            [a, b] if against != 0.0 => format!("the mean of {a} minus {b}"),
            [a, ..] => format!("the mean of {a}"),
            [] => String::new(),
        };
        match (self.verdict.reason, names.as_slice()) {
            (Reason::Better, [a, b]) if against == 0.0 => {
                ("better", format!("{a} scores {more} than {b}"))
            }
            (Reason::NotBetter, [a, b]) if against == 0.0 => {
                ("not-better", format!("{a} does not score {more} than {b} by {by} or more"))
            }
            (Reason::Equivalent, [a, b]) if against == 0.0 => {
                ("equivalent", format!("{a} scores {more} than {b}, but by no more than {by}"))
            }
            (Reason::Better, _) => ("better", format!("{about} is {above} {from}")),
            (Reason::NotBetter, _) => ("not-better", format!("{about} is {below} {to}")),
            (Reason::Equivalent, _) => {
                ("equivalent", format!("{about} is between {from} and {to}"))
            }
            _ => {
                let unit = if self.scores.is_pair() { "pair" } else { "score" };
                ("undecided", needed(self.scores.race.missing(), unit))
            }
        }
    }
}

impl Answer for Raced<'_> {
    fn page(&self) -> String {
        let Raced { scores, verdict } = self;
        let Scores { args, .. } = scores;
        let (word, meaning) = self.in_words();
        let num = scores.num();
        let unit = if scores.is_pair() { "pair" } else { "score" };
        let [better, equal, worse] = scores.better.map(grouped);
        let seeds = match scores.are_runs {
            true => format!(
                ", seeds {} to {}",
                args.seed,
                args.seed.wrapping_add(num + scores.num_skipped - 1)
            ),
            false => String::new(),
        };
        let what = if scores.is_pair() { "difference" } else { "mean" };
        let [score, low, high] = numbers(*verdict);
        let mut page = format!(
            "{word}: {meaning} ({})\n\
             {}{seeds}: {better} better, {equal} equal, {worse} worse\n\
             {what} {score}; {} interval at any time of stopping [{low}, {high}]",
            args.settings(),
            counted(num, unit),
            confidence(args.delta),
        );
        if scores.is_pair() {
            let decimals = decimals(verdict.interval);
            let [a, b] = scores.sums.map(|sum| format!("{:.decimals$}", sum / num as f64));
            page += &format!("; means {a} and {b}");
        }
        if let Some(failed) = scores.failed_in_words() {
            page += &format!("\n{failed}");
        }
        paragraph(&page)
    }

    fn object(&self) -> Value {
        let Raced { scores, verdict } = self;
        let Scores { args, .. } = scores;
        let num = scores.num();
        let means: Vec<f64> =
            scores.sums[..scores.names.len()].iter().map(|sum| sum / num as f64).collect();
        json!({
            "verdict": self.in_words().0,
            "contestants": scores.names.iter().map(|name| name.trim_matches('`')).collect::<Vec<_>>(),
            "range": args.range,
            "less": args.less,
            "against": scores.against,
            "delta": args.delta,
            "precision": args.hypotheses(0.0).1,
            "observations": num,
            "better": scores.better[0],
            "equal": scores.better[1],
            "worse": scores.better[2],
            "means": means,
            "estimate": verdict.score,
            "interval": verdict.interval,
            "confidence": 1.0 - args.delta,
            "failed": scores.num_failed[..scores.names.len()],
            "skipped": scores.num_skipped,
            "missing": (verdict.reason == Reason::Budget).then(|| scores.race.missing()).flatten(),
        })
    }
}

impl Scores<'_> {
    fn failed_in_words(&self) -> Option<String> {
        let failed: u64 = self.num_failed.iter().sum();
        let runs = || {
            let each = self.names.iter().zip(self.num_failed).filter(|(_, num)| *num > 0);
            each.map(|(name, num)| format!("{num} of {name}")).collect::<Vec<_>>().join(" and ")
        };
        (failed > 0).then(|| match self.args.failures {
            Failures::Skip => format!(
                "{} failed, {}; they are left out, so the verdict is about the others",
                counted(failed, "run"),
                runs()
            ),
            _ => {
                format!("{} failed, {}; they have the worst score", counted(failed, "run"), runs())
            }
        })
    }
}
