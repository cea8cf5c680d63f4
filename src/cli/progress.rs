//! Progress of long work: a bar on a terminal, and occasional lines elsewhere.
//!
//! [`bar`] creates all bars, and [`target`] alone decides whether they are drawn.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::format::{duration, grouped, in_words, rounded};
use super::verbosity::{is_quiet, say};
use crate::exploit::SearchStage;

/// The minimum time between two lines in a log.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(5);
/// The length of a bar that shows a fraction, in thousandths.
const THOUSANDTHS: f64 = 1000.0;
/// The maximum rate at which a bar is redrawn.
const FRAMES_PER_SECOND: u8 = 10;

/// The width of a bar, in columns, for each minimum width of the terminal. On narrow terminals bars are short, so that
/// the message fits beside them.
const BAR_COLUMNS: [(u16, u16); 3] = [(110, 32), (80, 16), (32, 8)];

/// Returns the target of bars: standard error if it is a terminal and `--quiet` is not given, otherwise none.
pub(super) fn target() -> ProgressDrawTarget {
    if is_quiet() || !std::io::stderr().is_terminal() {
        return ProgressDrawTarget::hidden();
    }
    ProgressDrawTarget::stderr_with_hz(FRAMES_PER_SECOND)
}

/// Returns a progress bar with a message that is truncated to the width of the terminal: a wider line could not be
/// cleared.
pub(super) fn bar(length: u64) -> ProgressBar {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| width.0);
    let template = match BAR_COLUMNS.into_iter().find(|&(least, _)| width >= least) {
        Some((_, columns)) => format!("[{{bar:{columns}}}] {{percent:>3}}% {{wide_msg}}"),
        None => "{percent:>3}% {wide_msg}".into(),
    };
    let style = ProgressStyle::with_template(&template).expect("the template is valid");
    ProgressBar::with_draw_target(Some(length), target()).with_style(style.progress_chars("=> "))
}

/// Returns a line of text above a bar, truncated to the width of the terminal.
pub(super) fn line() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_msg}").expect("the template is valid");
    ProgressBar::with_draw_target(Some(1), target()).with_style(style)
}

/// Returns the estimated time until a bar is full, as the beginning of a message; empty if the time is unknown.
fn time_left(bar: &ProgressBar) -> String {
    match bar.position() {
        0 => String::new(),
        _ => format!("{} left, ", HumanDuration(bar.eta())),
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
        self.bar.set_message(format!("{}{done} of {all} pairs", time_left(&self.bar)));
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of a round robin, as a fraction of its work. The number of pairs would be misleading, because pairs take
/// very different times.
pub(super) struct RoundRobinProgress {
    bar: ProgressBar,
    num_pairs: u64,
    started: Instant,
    last_line: Instant,
    /// The fraction of the work that was done before `started`; set at the first call of `on_pair`.
    fraction_before: Option<f64>,
}

impl RoundRobinProgress {
    pub(super) fn new(num_pairs: u64) -> RoundRobinProgress {
        let now = Instant::now();
        let bar = bar(THOUSANDTHS as u64);
        RoundRobinProgress { bar, num_pairs, started: now, last_line: now, fraction_before: None }
    }

    /// Shows that `num_done` pairs are played, and that `fraction` of the work is done.
    pub(super) fn on_pair(&mut self, num_done: u64, fraction: f64) {
        let before = *self.fraction_before.get_or_insert(fraction);
        let left = match fraction > before {
            false => String::new(),
            true => {
                let elapsed_s = self.started.elapsed().as_secs_f64();
                let left_s = elapsed_s * (1.0 - fraction) / (fraction - before);
                format!("about {} left, ", in_words(duration(left_s)))
            }
        };
        let status = format!("{left}{} of {} pairs", grouped(num_done), grouped(self.num_pairs));
        if !self.bar.is_hidden() {
            self.bar.set_position((THOUSANDTHS * fraction) as u64);
            self.bar.set_message(status);
        } else if self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&format!("{:3.0}%  {status}", 100.0 * fraction));
        }
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
        self.bar.set_message(format!("{}{status}", time_left(&self.bar)));
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of the computation of best responses.
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
        self.bar.set_message(format!(
            "{}{done} of {all} best responses, now {family}",
            time_left(&self.bar)
        ));
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&format!("{done} of {all} best responses computed, now {family}"));
        }
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of the scores of reference players.
pub(super) struct YardsticksProgress {
    bar: ProgressBar,
    num_done: u64,
    num_scores: u64,
    last_line: Instant,
}

impl YardsticksProgress {
    pub(super) fn new(num_scores: u64) -> YardsticksProgress {
        YardsticksProgress {
            bar: bar(num_scores),
            num_done: 0,
            num_scores,
            last_line: Instant::now(),
        }
    }

    pub(super) fn on_done(&mut self, family: &str) {
        self.num_done += 1;
        self.bar.set_position(self.num_done);
        let (done, all) = (self.num_done, self.num_scores);
        let status = format!("{done} of {all} reference players scored, now {family}");
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&status);
        }
        self.bar.set_message(format!("{}{status}", time_left(&self.bar)));
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of measurements of groups of parameters.
pub(super) struct GroupsProgress {
    bar: ProgressBar,
    num_groups: usize,
}

impl GroupsProgress {
    pub(super) fn new(num_groups: usize) -> GroupsProgress {
        GroupsProgress { bar: bar(num_groups as u64), num_groups }
    }

    pub(super) fn on_group(&mut self, num_done: usize) {
        self.bar.set_position(num_done as u64);
        let left = time_left(&self.bar);
        self.bar
            .set_message(format!("{left}{num_done} of {} groups of parameters", self.num_groups));
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of measurements of equal duration.
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
        self.bar.set_message(format!("{left}{num_done} of {all} meetings, now {family}"));
        if self.bar.is_hidden() && self.last_line.elapsed() >= LINE_EVERY {
            self.last_line = Instant::now();
            say(&format!("{num_done} of {all} meetings played, now {family}"));
        }
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// Progress of runs of bandits, updated from any thread.
pub(super) struct BanditProgress {
    bar: ProgressBar,
    num_runs: u64,
    last_line: Mutex<Instant>,
}

impl BanditProgress {
    pub(super) fn new(num_runs: u64) -> BanditProgress {
        BanditProgress { bar: bar(num_runs), num_runs, last_line: Mutex::new(Instant::now()) }
    }

    pub(super) fn on_run(&self) {
        self.bar.inc(1);
        let done = self.bar.position();
        let status = format!("{} of {} runs", grouped(done), grouped(self.num_runs));
        if !self.bar.is_hidden() {
            self.bar.set_message(format!("{}{status}", time_left(&self.bar)));
            return;
        }
        // If another thread has the lock, it prints an equally recent line.
        if let Ok(mut last_line) = self.last_line.try_lock()
            && last_line.elapsed() >= LINE_EVERY
        {
            *last_line = Instant::now();
            say(&status);
        }
    }

    pub(super) fn finish(self) {
        self.bar.finish_and_clear();
    }
}
