//! Progress of long work: a bar on a terminal, now and then a line elsewhere.
//!
//! All bars are made by [`bar`], and drawn where [`target`] says, so that there is one place that knows whether
//! anybody wants to see them.

use std::io::IsTerminal;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::format::{counted, digits, duration, grouped, in_words, rounded, score};
use super::jobs::expected_length;
use super::outcome::Outcome;
use super::verbosity::{detail, is_quiet, is_verbose, say};
use crate::arena::StopReason;
use crate::evaluate::{Estimate, SearchStage};
use crate::experiment::{DirectoryError, Plan, RunFiles};
use crate::optimise::{Budget, IterationRecord, Observer, Progress, SearchState};

/// Lines in a log should not be more frequent.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Nor the bar move faster than an eye can follow.
const FRAMES_PER_SECOND: u8 = 10;

/// Columns that a bar takes, from so many columns of the terminal on: words come first.
const BAR_COLUMNS: [(u16, u16); 2] = [(80, 16), (24, 8)];

/// Where bars are drawn: on standard error if that is a terminal and progress is wanted, else nowhere.
fn target() -> ProgressDrawTarget {
    if is_quiet() || !std::io::stderr().is_terminal() {
        return ProgressDrawTarget::hidden();
    }
    ProgressDrawTarget::stderr_with_hz(FRAMES_PER_SECOND)
}

/// A bar, and a message of which there is as much as the terminal has room for: a line that is wider could not be
/// cleared.
fn bar(length: u64) -> ProgressBar {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| width.0);
    let template = match BAR_COLUMNS.into_iter().find(|&(least, _)| width >= least) {
        Some((_, columns)) => format!("[{{bar:{columns}}}] {{wide_msg}}"),
        None => "{wide_msg}".into(),
    };
    let style = ProgressStyle::with_template(&template).expect("the template is valid");
    ProgressBar::with_draw_target(Some(length), target()).with_style(style.progress_chars("=> "))
}

/// How long it takes until a bar is full, in words, to put behind something.
fn time_left(bar: &ProgressBar) -> String {
    match bar.position() {
        0 => String::new(),
        _ => format!(", {:#} left", HumanDuration(bar.eta())),
    }
}

/// Progress of a match.
pub(super) struct MatchProgress {
    bar: ProgressBar,
    num_pairs: u64,
}

impl MatchProgress {
    pub(super) fn new(num_pairs: u64) -> MatchProgress {
        MatchProgress { bar: bar(num_pairs), num_pairs }
    }

    pub(super) fn on_pairs(&mut self, num_pairs: u64) {
        self.bar.set_position(num_pairs);
        let (done, all) = (grouped(num_pairs), grouped(self.num_pairs));
        self.bar.set_message(format!("{done} of {all} pairs{}", time_left(&self.bar)));
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of the search for a best response.
pub(super) struct SearchProgress {
    bar: ProgressBar,
    restarts: u64,
    games_per_restart: u64,
    last_line: Instant,
}

impl SearchProgress {
    pub(super) fn new(restarts: u64, games_per_restart: u64) -> SearchProgress {
        let bar = bar(restarts.saturating_mul(games_per_restart));
        SearchProgress { bar, restarts, games_per_restart, last_line: Instant::now() }
    }

    pub(super) fn on_stage(&mut self, stage: SearchStage) {
        let status = match stage {
            SearchStage::Training { restart, games } => {
                self.bar.set_position((restart - 1).saturating_mul(self.games_per_restart) + games);
                format!("run {restart} of {}, {} games", self.restarts, rounded(games as f64))
            }
            SearchStage::Selection { pairs } => {
                format!("choosing a response, {} pairs", rounded(pairs as f64))
            }
            SearchStage::Confirmation { pairs } => {
                format!("fresh deals, {} pairs", rounded(pairs as f64))
            }
        };
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&status);
        }
        self.bar.set_message(status);
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of best responses that are computed.
pub(super) struct ExploitProgress {
    bar: ProgressBar,
    num_done: u64,
    num_strategies: u64,
    last_line: Instant,
}

impl ExploitProgress {
    pub(super) fn new(num_strategies: u64) -> ExploitProgress {
        let bar = bar(num_strategies);
        ExploitProgress { bar, num_done: 0, num_strategies, last_line: Instant::now() }
    }

    pub(super) fn on_done(&mut self, family: &str) {
        self.num_done += 1;
        self.bar.set_position(self.num_done);
        let (done, all) = (self.num_done, self.num_strategies);
        self.bar.set_message(format!("{done} of {all} best responses: {family}"));
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&format!("{done} of {all} best responses computed, now {family}"));
        }
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of measurements, each of which takes as long.
pub(super) struct BenchProgress {
    bar: ProgressBar,
}

impl BenchProgress {
    pub(super) fn new(num_families: u64) -> BenchProgress {
        BenchProgress { bar: bar(num_families) }
    }

    pub(super) fn on_family(&mut self, name: &str) {
        self.bar.set_message(name.to_string());
        self.bar.tick();
    }

    pub(super) fn on_family_done(&mut self) {
        self.bar.inc(1);
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of meetings between champions.
pub(super) struct MeetingsProgress {
    bar: ProgressBar,
    num_meetings: u64,
    last_line: Instant,
}

impl MeetingsProgress {
    pub(super) fn new(num_meetings: u64) -> MeetingsProgress {
        MeetingsProgress { bar: bar(num_meetings), num_meetings, last_line: Instant::now() }
    }

    pub(super) fn on_meeting(&mut self, family: &str, num_done: u64) {
        self.bar.set_position(num_done);
        let (all, left) = (self.num_meetings, time_left(&self.bar));
        self.bar.set_message(format!("{num_done} of {all} meetings{left}: {family}"));
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&format!("{num_done} of {all} meetings played, now {family}"));
        }
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// A fraction in whole thousandths.
const THOUSANDTHS: f64 = 1000.0;

/// Progress of the runs of a plan: of several, a bar for each that goes on and one for all.
pub(super) struct PlanProgress {
    num_runs: usize,
    num_threads: usize,
    /// How much work each run is, and how much of it is done, in thousandths.
    lengths: Vec<f64>,
    done: Vec<AtomicU32>,
    num_done: AtomicU64,
    /// What was done before the program began, in units of `lengths`, in thousandths.
    done_before: AtomicU64,
    started: Instant,
    bars: MultiProgress,
    overall: ProgressBar,
}

impl PlanProgress {
    pub(super) fn new(plan: &Plan) -> PlanProgress {
        let num_runs = plan.runs.len();
        let bars = MultiProgress::with_draw_target(target());
        let overall = match num_runs {
            0 | 1 => ProgressBar::hidden(),
            _ => bars.add(bar(THOUSANDTHS as u64)),
        };
        PlanProgress {
            num_runs,
            num_threads: rayon::current_num_threads(),
            lengths: plan.runs.iter().map(expected_length).collect(),
            done: (0..num_runs).map(|_| AtomicU32::new(0)).collect(),
            num_done: AtomicU64::new(0),
            done_before: AtomicU64::new(0),
            started: Instant::now(),
            bars,
            overall,
        }
    }

    /// Threads that all runs together have.
    pub(super) fn num_threads(&self) -> usize {
        self.num_threads
    }

    /// Says how a run goes, if it is the only one.
    pub(super) fn on_run_begun(&self, text: impl FnOnce() -> String) {
        if self.num_runs == 1 {
            say(&text());
        } else if is_verbose() {
            self.bars.suspend(|| say(&text()));
        }
    }

    /// Work done, as a part of all, from 0 to 1.
    fn fraction(&self) -> f64 {
        let done = self.done.iter().map(|done| f64::from(done.load(Ordering::Relaxed)));
        let done: f64 = done.zip(&self.lengths).map(|(done, length)| done * length).sum();
        // The sums are rounded: of work that is done, the part may come out above 1.
        (done / (THOUSANDTHS * self.lengths.iter().sum::<f64>())).clamp(0.0, 1.0)
    }

    fn status(&self) -> String {
        let num_done = self.num_done.load(Ordering::Relaxed);
        let fraction = self.fraction();
        let before = self.done_before.load(Ordering::Relaxed) as f64
            / (THOUSANDTHS * self.lengths.iter().sum::<f64>());
        let elapsed_s = self.started.elapsed().as_secs_f64();
        let left = match fraction > before {
            true => {
                let left_s = elapsed_s * (1.0 - fraction) / (fraction - before);
                format!(", about {} left", in_words(duration(left_s)))
            }
            false => String::new(),
        };
        let percent = 100.0 * fraction;
        format!("{num_done} of {} runs, {percent:.0} %{left}", self.num_runs)
    }

    fn show(&self) {
        if !self.overall.is_hidden() {
            self.overall.set_position((THOUSANDTHS * self.fraction()) as u64);
            self.overall.set_message(self.status());
        }
    }

    /// A run goes on.
    fn on_run(&self, index: usize, fraction: f64) {
        self.done[index].store((THOUSANDTHS * fraction) as u32, Ordering::Relaxed);
        self.show();
    }

    /// A run was finished before the program began.
    pub(super) fn on_finished_before(&self, index: usize) {
        self.num_done.fetch_add(1, Ordering::Relaxed);
        let length = (THOUSANDTHS * self.lengths[index]) as u64;
        self.done_before.fetch_add(length, Ordering::Relaxed);
        self.on_run(index, 1.0);
    }

    /// A run has ended.
    pub(super) fn on_run_done(&self, index: usize, outcome: &Outcome<'_>) {
        if self.num_runs == 1 || outcome.result.stop_reason == StopReason::Interrupted {
            return;
        }
        let num_done = self.num_done.fetch_add(1, Ordering::Relaxed) + 1;
        self.on_run(index, 1.0);
        let score = outcome.strategy.score_against_baseline.map_or(String::new(), |estimate| {
            let digits = digits(&estimate);
            let [low, high] = estimate.interval.map(|bound| score(bound, digits));
            format!("score {} [{low}, {high}], ", score(estimate.score, digits))
        });
        let width = self.num_runs.to_string().len();
        let line = format!(
            "{num_done:width$} of {}: {}, {score}{} games",
            self.num_runs,
            outcome.experiment.run_name(),
            rounded(outcome.result.games as f64),
        );
        self.bars.suspend(|| say(&line));
    }

    /// Clears the bars.
    pub(super) fn finish(&self) {
        self.overall.finish_and_clear();
    }
}

/// Watches a run: writes its history, shows its progress.
pub(super) struct RunProgress<'a> {
    plan: &'a PlanProgress,
    /// Which of its runs this is.
    index: usize,
    name: String,
    bar: ProgressBar,
    budget: Budget,
    files: RunFiles,
    started: Instant,
    /// Seconds that the run took before it was resumed.
    elapsed_before_s: f64,
    /// Games that were counted before it was resumed.
    games_before: u64,
    last_line: Instant,
    last_score: Option<Estimate>,
    interactive: bool,
}

impl<'a> RunProgress<'a> {
    pub(super) fn new(
        plan: &'a PlanProgress,
        index: usize,
        name: String,
        budget: Budget,
        files: RunFiles,
        (elapsed_before_s, games_before): (f64, u64),
    ) -> RunProgress<'a> {
        let now = Instant::now();
        let bar = bar(THOUSANDTHS as u64);
        let bar = match plan.num_runs {
            1 => plan.bars.add(bar),
            _ => plan.bars.insert_before(&plan.overall, bar),
        };
        let interactive = !bar.is_hidden();
        RunProgress {
            plan,
            name,
            index,
            bar,
            budget,
            files,
            started: now,
            elapsed_before_s,
            games_before,
            last_line: now,
            last_score: None,
            interactive,
        }
    }

    /// Clears the line of the bar, and makes sure that everything is written.
    pub(super) fn finish(mut self) -> Result<RunFiles, DirectoryError> {
        self.bar.finish_and_clear();
        self.files.flush()?;
        Ok(self.files)
    }

    /// Seconds that the run took in all.
    fn elapsed_s(&self) -> f64 {
        self.elapsed_before_s + self.started.elapsed().as_secs_f64()
    }

    /// How much of the budget is used, from 0 to 1.
    fn fraction_done(&self, progress: &Progress) -> f64 {
        let share = |done: f64, limit: Option<f64>| limit.map_or(0.0, |limit| done / limit);
        let Budget { games, iterations, time } = self.budget;
        let shares = [
            share(progress.games as f64, games.map(|limit| limit as f64)),
            share((progress.iteration - 1) as f64, iterations.map(|limit| limit as f64)),
            share(self.elapsed_s(), time.map(|limit| limit.as_secs_f64())),
        ];
        shares.into_iter().fold(0.0, f64::max).clamp(0.0, 1.0)
    }

    /// Somebody joined the population, in words.
    fn on_joined(&self, record: &IterationRecord) -> String {
        let score = record.baseline_score.map_or(String::new(), |estimate| {
            let digits = digits(&estimate);
            let [low, high] = estimate.interval.map(|bound| score(bound, digits));
            format!(", score {} [{low}, {high}]", score(estimate.score, digits))
        });
        let sigma = record.sigma.map_or(String::new(), |sigma| format!(", sigma {sigma:.3}"));
        format!(
            "{}: accepted in iteration {}{sigma}, after {}{score}",
            self.name,
            grouped(record.iteration),
            counted(record.games, "game"),
        )
    }

    fn status(&self, progress: &Progress) -> String {
        let games = progress.games - self.games_before;
        let games_per_s = games as f64 / self.started.elapsed().as_secs_f64().max(1e-3);
        // The most important first: a narrow terminal cuts the end off.
        let score = self.last_score.map_or(String::new(), |estimate| {
            let digits = digits(&estimate);
            let [low, high] = estimate.interval;
            let half_width = score((high - low) / 2.0, digits);
            format!("score {} +- {half_width}, ", score(estimate.score, digits))
        });
        let sigma = progress.sigma.map_or(String::new(), |sigma| format!("sigma {sigma:.3}, "));
        format!(
            "{score}iteration {}, {sigma}{} games, {}/s",
            grouped(progress.iteration),
            rounded(progress.games as f64),
            rounded(games_per_s),
        )
    }
}

impl Observer for RunProgress<'_> {
    type Error = DirectoryError;

    fn on_progress(&mut self, progress: Progress) {
        self.files.flush_if_due();
        let fraction = self.fraction_done(&progress);
        self.plan.on_run(self.index, fraction);
        if self.interactive {
            self.bar.set_position((THOUSANDTHS * fraction) as u64);
            let status = self.status(&progress);
            self.bar.set_message(match self.plan.num_runs {
                1 => status,
                _ => format!("{}: {status}", self.name),
            });
        } else if self.plan.num_runs == 1 && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&format!("{:3.0} %  {}", 100.0 * fraction, self.status(&progress)));
        }
    }

    fn on_iteration(
        &mut self,
        record: &IterationRecord,
        state: &SearchState,
    ) -> Result<(), DirectoryError> {
        let elapsed_s = self.budget.time.map(|_| self.elapsed_s());
        self.files.write(record, state, elapsed_s)?;
        self.last_score = record.baseline_score.or(self.last_score);
        if record.joined.is_some() && is_verbose() {
            self.plan.bars.suspend(|| detail(|| self.on_joined(record)));
        }
        Ok(())
    }
}

/// A reason to stop, as a person would say it.
pub(super) fn reason_in_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Games => "the games of the budget are played",
        StopReason::Iterations => "the iterations of the budget are done",
        StopReason::Time => "the time is over",
        StopReason::Interrupted => "somebody interrupted it",
    }
}
