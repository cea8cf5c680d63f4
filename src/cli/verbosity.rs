//! How much the program says of what it does, besides its results.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use clap::Args;

use super::failure::say_always;
use super::help::EVERYWHERE;

/// How much goes to standard error; accepted by every command.
#[derive(Debug, Args)]
pub(super) struct VerbosityArgs {
    /// No progress and no remarks: only results and errors. Where files were written, the last line is the path
    #[arg(long, short, global = true, conflicts_with = "verbose", display_order = 1000, help_heading = EVERYWHERE)]
    quiet: bool,
    /// Say more: every new incumbent, every run that begins, the threads
    #[arg(long, short, global = true, display_order = 1000, help_heading = EVERYWHERE)]
    verbose: bool,
    /// Print all tables and definitions, in place of an answer on one screen
    #[arg(long, global = true, display_order = 1000, help_heading = EVERYWHERE)]
    full: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Level {
    Quiet,
    Normal,
    Verbose,
}

/// The level is of the process, as its standard error is.
static LEVEL: AtomicU8 = AtomicU8::new(Level::Normal as u8);

/// Whether results are printed in full; of the process as well.
static IS_FULL: AtomicBool = AtomicBool::new(false);

impl VerbosityArgs {
    /// From here on the program says as much as this.
    pub(super) fn set(&self) {
        let level = match (self.quiet, self.verbose) {
            (true, _) => Level::Quiet,
            (_, true) => Level::Verbose,
            _ => Level::Normal,
        };
        LEVEL.store(level as u8, Ordering::Relaxed);
        IS_FULL.store(self.full, Ordering::Relaxed);
    }
}

/// Whether remarks and progress are wanted.
pub(super) fn is_quiet() -> bool {
    LEVEL.load(Ordering::Relaxed) == Level::Quiet as u8
}

/// Whether all there is to say is wanted, and not only the answer.
pub(super) fn is_full() -> bool {
    IS_FULL.load(Ordering::Relaxed)
}

/// Says something on standard error, unless that is unwanted.
pub(super) fn say(text: &str) {
    if !is_quiet() {
        say_always(text);
    }
}

/// Whether details are wanted.
pub(super) fn is_verbose() -> bool {
    LEVEL.load(Ordering::Relaxed) == Level::Verbose as u8
}

/// Says a detail on standard error, if that is wanted.
pub(super) fn detail(text: impl FnOnce() -> String) {
    if is_verbose() {
        say_always(&text());
    }
}
