//! Progress of long work: a bar on a terminal, now and then a line elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::failure::say;
use super::format::{digits, grouped, rounded, score};
use crate::arena::StopReason;
use crate::evaluate::Estimate;
use crate::experiment::{DirectoryError, RunFiles};
use crate::optimise::{Budget, IterationRecord, Observer, Progress, SearchState};

/// Lines in a log should not be more frequent.
const LINE_EVERY: Duration = Duration::from_secs(5);
/// Nor the bar move faster than an eye can follow.
const FRAMES_PER_SECOND: u8 = 10;

/// A bar on standard error, if that is a terminal.
fn bar(length: u64, template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let target = ProgressDrawTarget::stderr_with_hz(FRAMES_PER_SECOND);
    let style = ProgressStyle::with_template(template).expect("the template is valid");
    ProgressBar::with_draw_target(Some(length), target).with_style(style.progress_chars("=> "))
}

/// Progress of a match.
pub(super) struct MatchProgress {
    bar: ProgressBar,
}

impl MatchProgress {
    pub(super) fn new(num_pairs: u64) -> MatchProgress {
        let template = "[{wide_bar}] {human_pos} of {human_len} pairs, {eta} left";
        MatchProgress { bar: bar(num_pairs, template) }
    }

    pub(super) fn on_pairs(&mut self, num_pairs: u64) {
        self.bar.set_position(num_pairs);
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
        BenchProgress { bar: bar(num_families, "[{bar:16}] {msg}") }
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

/// Watches a run: writes its history, shows its progress.
pub(super) struct RunProgress {
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

impl RunProgress {
    pub(super) fn new(
        budget: Budget,
        files: RunFiles,
        elapsed_before_s: f64,
        games_before: u64,
    ) -> RunProgress {
        let now = Instant::now();
        let bar = bar(1000, "[{bar:8}] {wide_msg}");
        let interactive = !bar.is_hidden();
        RunProgress {
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
    pub(super) fn finish(mut self) -> Result<(), DirectoryError> {
        self.bar.finish_and_clear();
        self.files.flush()
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
        shares.into_iter().fold(0.0, f64::max).min(1.0)
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

impl Observer for RunProgress {
    type Error = DirectoryError;

    fn on_progress(&mut self, progress: Progress) {
        self.files.flush_if_due();
        if self.interactive {
            self.bar.set_position((1000.0 * self.fraction_done(&progress)) as u64);
            self.bar.set_message(self.status(&progress));
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            let percent = 100.0 * self.fraction_done(&progress);
            say(&format!("{percent:3.0} %  {}", self.status(&progress)));
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
