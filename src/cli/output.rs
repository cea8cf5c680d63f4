//! The results of commands, as a page for people or an object for programs.

pub(super) use ruse_report::terminal::Answer;

use super::failure::{Result, print, print_json};
use super::verbosity::is_full;

/// Writes a result to standard output: the answer, or with `--full` the page, or with `--json` the object.
pub(super) fn write(output: &dyn Answer, as_json: bool) -> Result {
    match as_json {
        true => print_json(&output.object()),
        false if is_full() => print(&output.page()),
        false => print(&output.answer()),
    }
}
