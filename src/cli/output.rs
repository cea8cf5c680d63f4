//! What commands have to say: a page for people, or an object for programs.

use std::path::Path;

use serde_json::Value;

use super::failure::{Failure, print, print_json};
use super::format::{paragraph, terminal_width};
use super::verbosity::is_quiet;
use crate::report::{Format, Options};

/// What a command has found out.
pub(super) trait Output {
    /// What a person reads: paragraphs and tables, with an end of line at the end.
    fn page(&self) -> String;

    /// The same for a program: one object, whose keys stay.
    fn object(&self) -> Value;
}

/// Writes the page or, with `--json`, the object to standard output.
pub(super) fn write(output: &impl Output, as_json: bool) -> Result<(), Failure> {
    match as_json {
        true => print_json(&output.object()),
        false => print(&output.page()),
    }
}

/// Says where results are; to those who want results only, the path and nothing else, for scripts.
pub(super) fn written_to(path: &Path) -> String {
    match is_quiet() {
        true => format!("{}\n", path.display()),
        false => format!("Written to {}.\n", path.display()),
    }
}

/// The tables of an experiment, and where they were written.
pub(super) struct Tables<'a> {
    /// All tables as one object.
    pub(super) object: Value,
    /// The tables that are shown, as text.
    pub(super) render: &'a dyn Fn(Format, &Options) -> String,
    /// What the other tables are, and how to see them; nothing if there are no others.
    pub(super) others: String,
    /// The directory of the experiment.
    pub(super) directory: &'a Path,
}

impl Output for Tables<'_> {
    fn page(&self) -> String {
        let options = Options { width: terminal_width().map(usize::from), ..Options::default() };
        let tables = (self.render)(Format::Terminal, &options);
        let others = match self.others.as_str() {
            "" => String::new(),
            others => paragraph(others),
        };
        format!("{tables}\n{others}{}", written_to(self.directory))
    }

    fn object(&self) -> Value {
        let mut object = self.object.clone();
        object["out"] = self.directory.display().to_string().into();
        object
    }
}
