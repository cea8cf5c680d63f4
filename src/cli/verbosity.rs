//! The verbosity of the program: progress and messages in addition to results.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use ruse_base::visible::visible;
use ruse_report::terminal::wrapped;

use super::help::EVERYWHERE;

/// The options for the verbosity. Every command accepts them.
#[derive(Debug, Args)]
pub(super) struct VerbosityArgs {
    /// Print only results and errors, without progress and remarks; if files are written, the last line is their path
    #[arg(long, short, global = true, conflicts_with = "verbose", display_order = 1000, help_heading = EVERYWHERE)]
    quiet: bool,
    /// Print more: every new incumbent, the start of every run, the threads
    #[arg(long, short, global = true, display_order = 1000, help_heading = EVERYWHERE)]
    verbose: bool,
    /// Print all tables and definitions, instead of an answer on one screen
    #[arg(long, global = true, display_order = 1000, help_heading = EVERYWHERE)]
    full: bool,
}

// The options of the process.
static IS_QUIET: AtomicBool = AtomicBool::new(false);
static IS_VERBOSE: AtomicBool = AtomicBool::new(false);
static IS_FULL: AtomicBool = AtomicBool::new(false);

impl VerbosityArgs {
    pub(super) fn set(&self) {
        IS_QUIET.store(self.quiet, Ordering::Relaxed);
        IS_VERBOSE.store(self.verbose, Ordering::Relaxed);
        IS_FULL.store(self.full, Ordering::Relaxed);
    }
}

/// Returns `true` if remarks and progress are suppressed.
pub(super) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Returns `true` if results are printed in full, not on one screen.
pub(super) fn is_full() -> bool {
    IS_FULL.load(Ordering::Relaxed)
}

/// Prints a message on standard error, unless quiet.
pub(super) fn say(text: &str) {
    if !is_quiet() {
        say_always(text);
    }
}

/// Returns `true` if details are printed.
pub(super) fn is_verbose() -> bool {
    IS_VERBOSE.load(Ordering::Relaxed)
}

/// Prints a detail on standard error, if verbose.
pub(super) fn detail(text: impl FnOnce() -> String) {
    if is_verbose() {
        say_always(&text());
    }
}

/// Prints a remark on standard error. Errors are ignored, because they cannot be reported anywhere.
pub(super) fn say_always(text: &str) {
    let _ = writeln!(io::stderr(), "{}", wrapped(&visible(text), error_width()));
}

/// Returns the width, in characters, of the terminal that shows errors and remarks, if there is one.
pub(super) fn error_width() -> Option<u16> {
    let (width, _) = terminal_size::terminal_size_of(io::stderr())?;
    Some(width.0)
}
