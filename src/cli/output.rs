//! What commands have to say: a page for people, or an object for programs.

use std::path::Path;

use serde_json::Value;

use super::brief::{LINES, first_lines, height};
use super::failure::{Failure, print, print_json};
use super::format::{paragraph, terminal_width};
use super::verbosity::{is_full, is_quiet};
use crate::report::{Format, Options};

/// What a command has found out.
pub(super) trait Output {
    /// All there is to say to a person: paragraphs and tables, with an end of line at the end.
    fn page(&self) -> String;

    /// What a person wants to know first, on one screen of 24 lines; by default everything.
    fn answer(&self) -> String {
        self.page()
    }

    /// The same for a program: one object, whose keys stay.
    fn object(&self) -> Value;
}

/// Writes the answer to standard output; with `--full` the page, and with `--json` the object.
pub(super) fn write(output: &impl Output, as_json: bool) -> Result<(), Failure> {
    match as_json {
        true => print_json(&output.object()),
        false if is_full() => print(&output.page()),
        false => print(&output.answer()),
    }
}

/// Says where results are; to those who want results only, the path and nothing else, for scripts.
pub(super) fn written_to(path: &Path) -> String {
    match is_quiet() {
        true => format!("{}\n", path.display()),
        // A path that does not fit into the rest of a line has a line of its own.
        false => paragraph(&format!("Written to {}.", path.display())),
    }
}

/// The tables of an experiment, and where they were written.
pub(super) struct Tables<'a> {
    /// All tables as one object.
    pub(super) object: Value,
    /// What comes of them, and what stands in the last line; the tables that are shown where nothing is said.
    pub(super) short: Option<[String; 2]>,
    /// The tables that are shown in full, as text.
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

    fn answer(&self) -> String {
        let Some([body, verdict]) = &self.short else {
            let page = self.page();
            let written = written_to(self.directory);
            return match height(&page) <= LINES {
                true => page,
                false => {
                    let tables = first_lines(LINES - 3, &page);
                    format!("{tables}{}{written}", paragraph("--full prints the rest."))
                }
            };
        };
        let path = self.directory.display();
        let others = paragraph(&format!(
            "`ruse table {path}` prints all tables, `ruse report {path}` makes a page of them."
        ));
        let written = written_to(self.directory);
        match is_quiet() {
            true => format!("{body}{verdict}{written}"),
            false => format!("{body}{others}{written}\n{verdict}"),
        }
    }

    fn object(&self) -> Value {
        let mut object = self.object.clone();
        object["out"] = self.directory.display().to_string().into();
        object
    }
}
