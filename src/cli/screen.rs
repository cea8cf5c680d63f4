//! The display of a running experiment: bars on a terminal, and occasional lines elsewhere.

use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Instant;

use indicatif::{MultiProgress, ProgressBar};
use ruse_base::files::DirectoryError;
use ruse_base::stop::StopReason;
use ruse_lab::{Event, Phase, Plan, RunDirectory, RunOutcome, Watch, expected_length};
use ruse_optimise::methods::{IterationRecord, Progress};
use ruse_play::family::AnyFamily;
use ruse_play::score::Estimate;
use ruse_registry::Registry;

use super::failure::Result;
use super::format::{counted, digits, grouped, one_line, rounded, score};
use super::progress::{Heartbeat, LINE_EVERY, WorkProgress, bar, line, log, target, time_left};
use super::verbosity::{detail, error_width, is_verbose, say};

/// Shows an experiment on standard error.
#[derive(Default)]
pub(super) struct Screen {
    runs: OnceLock<RunsProgress>,
    phase: Mutex<Option<WorkProgress>>,
}

/// Prints a warning if the file system of a directory has no locks.
pub(super) fn say_if_shared(directory: &RunDirectory) {
    if !directory.is_exclusive() {
        Screen::default().on_event(&Event::NotExclusive { directory: directory.path() });
    }
}

/// Opens the directory of an experiment and, to write into it, takes its lock.
pub(super) fn open(path: &Path, writes: bool, registry: &Registry) -> Result<(RunDirectory, Plan)> {
    if !writes {
        return Ok(RunDirectory::open(path, registry)?);
    }
    let (directory, plan) = RunDirectory::reopen(path, registry)?;
    say_if_shared(&directory);
    Ok((directory, plan))
}

/// Locks a mutex, even if it is poisoned: the panic that poisoned it ends the program.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch for Screen {
    fn on_event(&self, event: &Event<'_>) {
        match *event {
            Event::NotExclusive { directory } => say(&format!(
                "the file system of {} has no locks: make sure that no other program writes there",
                directory.display()
            )),
            Event::RunsBegin { plan, runs } => {
                self.runs.get_or_init(|| RunsProgress::new(plan, runs));
            }
            Event::PhaseBegins { phase, name, size, total, done } => {
                if let Some(text) = opening(phase, name, size, total) {
                    say(&text);
                }
                if done > 0 {
                    say(&format!("resumed after {} {}", grouped(done), phase.unit()));
                }
                *lock(&self.phase) = (total > 0).then(|| WorkProgress::new(phase.unit(), total));
            }
            Event::PhaseGoesOn { done, fraction, note } => {
                if let Some(phase) = &*lock(&self.phase) {
                    phase.on_done(done, fraction, note);
                }
            }
            Event::PhaseEnds => {
                if let Some(phase) = lock(&self.phase).take() {
                    phase.finish();
                }
            }
            Event::PoolDone { name, elapsed_s } => {
                say(&format!("{name}: finished after {elapsed_s:.0} s"));
            }
            ref event => {
                if let Some(runs) = self.runs.get() {
                    runs.on_event(event);
                }
            }
        }
    }
}

/// Returns the line that announces a phase, or `None` if its bar says enough.
fn opening(phase: Phase, name: &str, size: u64, total: u64) -> Option<String> {
    Some(match phase {
        Phase::Championship => format!("{name}: the champions meet"),
        Phase::Search => name.into(),
        Phase::RoundRobin => {
            let pairs = counted(total, "pair");
            format!("{}, at most {pairs} of games", counted(size, "meeting"))
        }
        Phase::Pool => format!("{name}: {} meet", counted(size, "player")),
        Phase::Bandits => {
            format!("{name}: {} of games played; bandits learn", counted(size, "pair"))
        }
        Phase::Meetings | Phase::Yardsticks | Phase::Responses => return None,
    })
}

const THOUSANDTHS: f64 = 1000.0;

/// The progress of the runs of a plan. Several runs have a bar each, and one for all together.
struct RunsProgress {
    /// The number of runs of this program. It may be less than the runs of the plan.
    num_runs: usize,
    /// The work of each run, in runs with the default budget of its family; 0 if another program carries out the run.
    lengths: Vec<f64>,
    /// The fraction of each run that is done, in thousandths.
    done: Vec<AtomicU32>,
    num_done: AtomicU64,
    /// The work done before the program started, in thousandths of the unit of `lengths`.
    done_before: AtomicU64,
    started: Instant,
    bars: MultiProgress,
    overall: ProgressBar,
    /// The short and the long name of each run.
    names: Vec<[String; 2]>,
    /// True if runs may end before their budgets are used.
    may_stall: bool,
    /// The families of the runs, which describe strategies.
    families: Vec<Arc<dyn AnyFamily>>,
    /// The progress of each current run; `None` for others.
    runs: Vec<Mutex<Option<RunProgress>>>,
}

impl RunsProgress {
    fn new(plan: &Plan, runs: &[usize]) -> RunsProgress {
        let num_runs = runs.len();
        let mut lengths = vec![0.0; plan.runs.len()];
        for &run in runs {
            lengths[run] = expected_length(&plan.runs[run]);
        }
        let num_all = plan.runs.len();
        let bars = MultiProgress::with_draw_target(target());
        let overall = match num_runs {
            0 | 1 => ProgressBar::hidden(),
            _ => bars.add(bar(THOUSANDTHS as u64)),
        };
        let names = plan.runs.iter().map(|run| {
            let spec = &run.resolved;
            let how = ruse_report::discovery::how(spec);
            [run.run_name(), format!("{}: {how}, seed {}", spec.family, spec.seed)]
        });
        RunsProgress {
            num_runs,
            lengths,
            done: (0..num_all).map(|_| AtomicU32::new(0)).collect(),
            num_done: AtomicU64::new(0),
            done_before: AtomicU64::new(0),
            started: Instant::now(),
            bars,
            overall,
            names: names.collect(),
            may_stall: plan.runs.iter().any(|run| run.budget.stalled.is_some()),
            families: plan.runs.iter().map(|run| run.family.clone()).collect(),
            runs: (0..num_all).map(|_| Mutex::new(None)).collect(),
        }
    }

    fn on_event(&self, event: &Event<'_>) {
        match *event {
            Event::RunBegins { run, done } => self.on_begun(run, done),
            Event::RunGoesOn { run, fraction, progress } => {
                self.on_run(run, fraction);
                if let Some(run) = &mut *lock(&self.runs[run]) {
                    run.scoring = None;
                    run.on_progress(fraction, &progress);
                }
            }
            Event::IterationDone { run, record } => {
                if let Some(run) = &mut *lock(&self.runs[run]) {
                    run.last_score = record.baseline_score.or(run.last_score);
                    run.incumbent = record.incumbent.clone().or(run.incumbent.take());
                }
                if record.joined.is_some() && is_verbose() {
                    let [name, _] = &self.names[run];
                    self.bars.suspend(|| detail(|| joined(name, record)));
                }
            }
            Event::RunRemark { run, remark } => {
                let [name, _] = &self.names[run];
                self.bars.suspend(|| say(&format!("{name}: {remark}; Ctrl-C ends the run")));
            }
            Event::RunDamaged { run, error } => {
                let [name, _] = &self.names[run];
                let so = match error {
                    DirectoryError::Lost(_) => "the run begins again",
                    _ => "the other runs go on",
                };
                self.bars.suspend(|| say(&format!("{name}: {error}; {so}")));
            }
            Event::ScoringBegins { run } => {
                if let Some(run) = &mut *lock(&self.runs[run]) {
                    run.on_scoring("scoring the result");
                }
            }
            Event::RunDone { run, outcome } => {
                if let Some(run) = lock(&self.runs[run]).take() {
                    run.finish();
                }
                match outcome.learning {
                    Some(_) => self.on_done(run, outcome),
                    None => self.on_finished_before(run),
                }
            }
            Event::RunsDone => self.overall.finish_and_clear(),
            _ => {}
        }
    }

    /// Shows that a run begins or is resumed. A single run also gets a line that describes it.
    fn on_begun(&self, run: usize, done: Option<[u64; 2]>) {
        let tell = |text: &str| {
            if self.num_runs == 1 {
                say(text);
            } else if is_verbose() {
                self.bars.suspend(|| say(text));
            }
        };
        let [name, at_length] = &self.names[run];
        tell(at_length);
        if let Some([iterations, games]) = done.map(|done| done.map(grouped)) {
            tell(&format!("resumed after iteration {iterations} and {games} games"));
        }
        let bar = bar(THOUSANDTHS as u64);
        let (bar, best, prefix) = match self.num_runs {
            1 => {
                let best = self.bars.add(line());
                (self.bars.add(bar), best, String::new())
            }
            _ => {
                let bar = self.bars.insert_before(&self.overall, bar);
                (bar, ProgressBar::hidden(), format!("{name}: "))
            }
        };
        let now = Instant::now();
        let mut progress = RunProgress {
            bar,
            best,
            family: self.families[run].clone(),
            incumbent: None,
            left: if self.may_stall { "at most" } else { "about" },
            prefix,
            started: now,
            games_before: done.map_or(0, |[_, games]| games),
            last_line: now,
            last_score: None,
            fraction_before: None,
            scoring: None,
        };
        progress.on_scoring("scoring the start");
        *lock(&self.runs[run]) = Some(progress);
    }

    /// Returns the fraction of the work done, from 0 to 1.
    fn fraction(&self) -> f64 {
        let done = self.done.iter().map(|done| f64::from(done.load(Ordering::Relaxed)));
        let done: f64 = done.zip(&self.lengths).map(|(done, length)| done * length).sum();
        // Because of rounding, the quotient may be slightly above 1.
        (done / (THOUSANDTHS * self.lengths.iter().sum::<f64>())).clamp(0.0, 1.0)
    }

    fn status(&self) -> String {
        let num_done = self.num_done.load(Ordering::Relaxed);
        let fraction = self.fraction();
        let before = self.done_before.load(Ordering::Relaxed) as f64
            / (THOUSANDTHS * self.lengths.iter().sum::<f64>());
        let left = time_left("about", self.started, before, fraction);
        format!("{left}{num_done} of {} runs", self.num_runs)
    }

    fn show(&self) {
        if !self.overall.is_hidden() {
            self.overall.set_position((THOUSANDTHS * self.fraction()) as u64);
            self.overall.set_message(self.status());
        }
    }

    fn on_run(&self, index: usize, fraction: f64) {
        self.done[index].store((THOUSANDTHS * fraction) as u32, Ordering::Relaxed);
        self.show();
    }

    /// Counts a run that was finished before the program started.
    fn on_finished_before(&self, index: usize) {
        self.num_done.fetch_add(1, Ordering::Relaxed);
        let length = (THOUSANDTHS * self.lengths[index]) as u64;
        self.done_before.fetch_add(length, Ordering::Relaxed);
        self.on_run(index, 1.0);
    }

    /// Counts a run that has ended, and prints its score.
    fn on_done(&self, index: usize, outcome: &RunOutcome<'_>) {
        if self.num_runs == 1 || outcome.result.stop_reason == StopReason::Interrupted {
            return;
        }
        let num_done = self.num_done.fetch_add(1, Ordering::Relaxed) + 1;
        self.on_run(index, 1.0);
        let score = outcome.strategy.score().as_ref().map_or(String::new(), in_words);
        let width = self.num_runs.to_string().len();
        let line = format!(
            "{num_done:width$} of {}: {}{score}, {} games",
            self.num_runs,
            outcome.experiment.run_name(),
            rounded(outcome.result.games as f64),
        );
        self.bars.suspend(|| say(&line));
    }
}

/// The progress of one run.
struct RunProgress {
    bar: ProgressBar,
    /// A line above the bar with the best strategy so far, for a single run.
    best: ProgressBar,
    family: Arc<dyn AnyFamily>,
    /// The best strategy so far, unless it was shown.
    incumbent: Option<Vec<f64>>,
    /// The words before the time left: "about", or "at most" if runs may stall.
    left: &'static str,
    /// The beginning of the message; empty for a single run.
    prefix: String,
    started: Instant,
    /// The number of games before the run was resumed.
    games_before: u64,
    last_line: Instant,
    last_score: Option<Estimate>,
    /// The fraction done before `started`, set at the first report.
    fraction_before: Option<f64>,
    /// Set while the start or the result is scored, if there is no bar and only one run.
    scoring: Option<Heartbeat>,
}

impl RunProgress {
    fn on_scoring(&mut self, what: &'static str) {
        match self.bar.is_hidden() {
            true => self.scoring = self.prefix.is_empty().then(|| Heartbeat::new(what)),
            false => self.bar.set_message(format!("{}{what}", self.prefix)),
        }
    }

    fn on_progress(&mut self, fraction: f64, progress: &Progress) {
        if !self.bar.is_hidden() {
            self.bar.set_position((THOUSANDTHS * fraction) as u64);
            let status = self.status(fraction, progress);
            self.bar.set_message(format!("{}{status}", self.prefix));
            if !self.best.is_hidden()
                && let Some(words) = self.news()
            {
                let score = self.score().map_or(String::new(), |score| format!(" {score},"));
                self.best.set_message(one_line(&format!("best:{score} {words}"), error_width()));
            }
        } else if self.prefix.is_empty() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            log(&format!("{:3.0}%  {}", 100.0 * fraction, self.status(fraction, progress)));
            if let Some(words) = self.news() {
                log(&format!("      best so far: {words}"));
            }
        }
    }

    /// Returns the best strategy so far in words, if it has changed.
    fn news(&mut self) -> Option<String> {
        let words = self.family.words(&self.incumbent.take()?).ok()?;
        // The rest is too long for a line, but in the results.
        Some(words.split("; ").next().unwrap_or_default().into())
    }

    /// Returns the score of the best strategy so far.
    fn score(&self) -> Option<String> {
        let estimate = self.last_score?;
        let digits = digits(&estimate);
        let [low, high] = estimate.interval;
        let half_width = score((high - low) / 2.0, digits);
        Some(format!("{} +- {half_width}", score(estimate.score, digits)))
    }

    fn finish(self) {
        self.best.finish_and_clear();
        self.bar.finish_and_clear();
    }

    fn status(&mut self, fraction: f64, progress: &Progress) -> String {
        let before = *self.fraction_before.get_or_insert(fraction);
        let left = time_left(self.left, self.started, before, fraction);
        let games = progress.games - self.games_before;
        let games_per_s = games as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        // The score comes first, because a narrow terminal cuts the end. The line with the best strategy has the score,
        // too.
        let score = self.score().filter(|_| self.best.is_hidden());
        let score = score.map_or(String::new(), |score| format!("score {score}, "));
        // A step size is only useful to experts on the method.
        let sigma = progress.sigma.filter(|_| is_verbose());
        let sigma = sigma.map_or(String::new(), |sigma| format!(", sigma {sigma:.3}"));
        format!(
            "{score}{left}{} games, {}/s, iteration {}{sigma}",
            rounded(progress.games as f64),
            rounded(games_per_s),
            grouped(progress.iteration),
        )
    }
}

/// Returns a score and its interval, after a comma.
fn in_words(estimate: &Estimate) -> String {
    let digits = digits(estimate);
    let [low, high] = estimate.interval.map(|bound| score(bound, digits));
    format!(", score {} [{low}, {high}]", score(estimate.score, digits))
}

/// Describes a strategy that joined a run's population.
fn joined(name: &str, record: &IterationRecord) -> String {
    let score = record.baseline_score.as_ref().map_or(String::new(), in_words);
    let sigma = record.sigma.map_or(String::new(), |sigma| format!(", sigma {sigma:.3}"));
    format!(
        "{name}: accepted in iteration {}{sigma}, after {}{score}",
        grouped(record.iteration),
        counted(record.games, "game"),
    )
}
