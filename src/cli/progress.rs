//! The display of the progress of long work: a bar on a terminal, and occasional lines elsewhere.
//!
//! [`bar`] creates all bars, and [`target`] decides whether they are drawn.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::format::{grouped, in_words};
use super::verbosity::{is_quiet, say};

/// The minimum time between two lines in a log.
pub(super) const LINE_EVERY: Duration = Duration::from_secs(5);
/// The time after which long work tells its progress in a log for the first time. Later lines are further apart.
const FIRST_LINE: Duration = Duration::from_secs(2);
/// The unit of progress in measurements of worth.
pub(super) const GROUPS: &str = "groups of parameters";
/// The length of a bar that shows a fraction.
const THOUSANDTHS: f64 = 1000.0;
/// The maximum rate at which a bar is redrawn.
const FRAMES_PER_SECOND: u8 = 10;

/// The width of a bar, in columns, for each minimum width of the terminal. Bars are short on narrow terminals, so that
/// the message fits beside them.
const BAR_COLUMNS: [(u16, u16); 3] = [(110, 32), (80, 16), (32, 8)];

/// Returns the target for bars: standard error, or nothing if it is not a terminal or `--quiet` is given.
pub(super) fn target() -> ProgressDrawTarget {
    if is_quiet() || !std::io::stderr().is_terminal() {
        return ProgressDrawTarget::hidden();
    }
    ProgressDrawTarget::stderr_with_hz(FRAMES_PER_SECOND)
}

/// Returns a progress bar. Its message is cut to the width of the terminal, because a wider line could not be cleared.
pub(super) fn bar(length: u64) -> ProgressBar {
    let width = terminal_size::terminal_size_of(std::io::stderr()).map_or(80, |(width, _)| width.0);
    let template = match BAR_COLUMNS.into_iter().find(|&(least, _)| width >= least) {
        Some((_, columns)) => format!("[{{bar:{columns}}}] {{percent:>3}}% {{wide_msg}}"),
        None => "{percent:>3}% {wide_msg}".into(),
    };
    let style = ProgressStyle::with_template(&template).expect("the template is valid");
    ProgressBar::with_draw_target(Some(length), target()).with_style(style.progress_chars("=> "))
}

/// Returns a line of text above a bar, cut to the width of the terminal.
pub(super) fn line() -> ProgressBar {
    let style = ProgressStyle::with_template("{wide_msg}").expect("the template is valid");
    ProgressBar::with_draw_target(Some(1), target()).with_style(style)
}

/// Prints a line of progress in a log. If the environment variable `RUSE_PROGRESS` is `off`, prints nothing, so that the
/// messages of a command do not depend on the speed of the machine.
pub(super) fn log(line: &str) {
    if std::env::var_os("RUSE_PROGRESS").is_none_or(|value| value != "off") {
        say(line);
    }
}

/// Returns the estimated time left, as the beginning of a message; empty if unknown. `before` is the fraction done at
/// the time `started`, and `fraction` the fraction done now.
pub(super) fn time_left(about: &str, started: Instant, before: f64, fraction: f64) -> String {
    if fraction <= before {
        return String::new();
    }
    let left_s = started.elapsed().as_secs_f64() * (1.0 - fraction) / (fraction - before);
    format!("{about} {} left, ", in_words(left_s))
}

/// Says from time to time that work of unknown length continues, until it is dropped.
pub(super) struct Heartbeat {
    _ends_it: Sender<()>,
}

impl Heartbeat {
    /// `what` is the work, such as "scoring the start".
    pub(super) fn new(what: &'static str) -> Heartbeat {
        const FIRST: Duration = Duration::from_secs(3);
        const LONGEST: Duration = Duration::from_secs(30);
        let (_ends_it, ended) = channel::<()>();
        let (started, mut pause) = (Instant::now(), FIRST);
        let beat = move || {
            while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                log(&format!("{what}, for {} so far", in_words(started.elapsed().as_secs_f64())));
                pause = (2 * pause).min(LONGEST);
            }
        };
        // Without a thread nothing is said.
        let _ = std::thread::Builder::new().name("heartbeat".into()).spawn(beat);
        Heartbeat { _ends_it }
    }
}

/// The progress of work that is counted in units: a bar on a terminal, and a line every few seconds elsewhere. Any
/// thread may report progress.
pub(super) struct WorkProgress {
    bar: ProgressBar,
    /// The unit, in the plural.
    unit: &'static str,
    total: u64,
    started: Instant,
    state: Mutex<WorkState>,
}

struct WorkState {
    num_done: u64,
    last_line: Instant,
    /// The fraction done at the first report, when the clock was started.
    fraction_before: Option<f64>,
}

impl WorkProgress {
    pub(super) fn new(unit: &'static str, total: u64) -> WorkProgress {
        let now = Instant::now();
        let state = WorkState { num_done: 0, last_line: now, fraction_before: None };
        let bar = bar(THOUSANDTHS as u64);
        WorkProgress { bar, unit, total, started: now, state: Mutex::new(state) }
    }

    /// Returns the progress of work of unknown length.
    pub(super) fn endless(what: &'static str) -> WorkProgress {
        WorkProgress { bar: line(), ..WorkProgress::new(what, 0) }
    }

    /// Shows that `number` more units are done, and `note`, which names the current work.
    pub(super) fn on_more(&self, number: u64, note: &str) {
        let mut state = self.state();
        let num_done = state.num_done + number;
        self.show_done(&mut state, num_done, None, note);
    }

    /// Shows `num_done` units, and `note`, which names the current work. `fraction` is the share of the work done, from
    /// 0 to 1; it is given if units take different times.
    pub(super) fn on_done(&self, num_done: u64, fraction: Option<f64>, note: &str) {
        self.show_done(&mut self.state(), num_done, fraction, note);
    }

    fn show_done(&self, state: &mut WorkState, num_done: u64, fraction: Option<f64>, note: &str) {
        state.num_done = num_done;
        let fraction = fraction.unwrap_or(num_done as f64 / self.total.max(1) as f64).min(1.0);
        let before = *state.fraction_before.get_or_insert(fraction);
        let left = time_left("about", self.started, before, fraction);
        let note = if note.is_empty() { String::new() } else { format!(", {note}") };
        let status =
            format!("{left}{} of {} {}{note}", grouped(num_done), grouped(self.total), self.unit);
        self.bar.set_position((THOUSANDTHS * fraction) as u64);
        self.show(state, status, &format!("{:3.0}%  ", 100.0 * fraction));
    }

    /// Shows that work of unknown length goes on.
    pub(super) fn on_alive(&self, note: &str) {
        self.show(&mut self.state(), format!("{}: {note}", self.unit), "");
    }

    /// Like [`on_alive`](WorkProgress::on_alive), for a note that takes time to find.
    pub(super) fn on_alive_as(&self, note: impl FnOnce() -> String) {
        let frame = Duration::from_secs(1) / u32::from(FRAMES_PER_SECOND);
        let mut state = self.state();
        let pause = if self.bar.is_hidden() { self.line_pause() } else { frame };
        if state.last_line.elapsed() >= pause {
            self.show(&mut state, format!("{}: {}", self.unit, note()), "");
            state.last_line = Instant::now();
        }
    }

    /// Returns the time between two lines in a log.
    fn line_pause(&self) -> Duration {
        FIRST_LINE + self.started.elapsed() / 50
    }

    /// Shows the status on the bar, or in a log, after `share`, if a line is due.
    fn show(&self, state: &mut WorkState, status: String, share: &str) {
        if !self.bar.is_hidden() {
            self.bar.set_message(status);
        } else if state.last_line.elapsed() >= self.line_pause() {
            state.last_line = Instant::now();
            log(&format!("{share}{status}"));
        }
    }

    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    fn state(&self) -> MutexGuard<'_, WorkState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
