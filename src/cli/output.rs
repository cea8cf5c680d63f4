//! The results of commands, as a page for people or an object for programs.

use std::path::Path;

use ruse_lab::RunDirectory;
use ruse_report::{Format, Options, Tables};
use serde_json::Value;

use super::drawing;
use super::failure::{Failure, print, print_json};
use super::format::{LINES, paragraph, terminal, terminal_width};
use super::verbosity::{is_full, is_quiet};

/// The result of a command.
pub(super) trait Output {
    /// Returns the full text for people: paragraphs and tables, ending with a newline.
    fn page(&self) -> String;

    /// Returns the main results for people, on one screen of 24 lines; by default the full page.
    fn answer(&self) -> String {
        self.page()
    }

    /// Returns the result for programs: one object with stable keys.
    fn object(&self) -> Value;
}

/// Writes a result to standard output: the answer, or with `--full` the page, or with `--json` the object.
pub(super) fn write(output: &impl Output, as_json: bool) -> Result<(), Failure> {
    match as_json {
        true => print_json(&output.object()),
        false if is_full() => print(&output.page()),
        false => print(&output.answer()),
    }
}

/// Writes the tables in one format into the results' directory.
pub(super) fn write_tables(
    directory: &RunDirectory,
    tables: &Tables,
    format: Format,
) -> Result<(), Failure> {
    for id in tables.ids() {
        let name = format!("table-{id}.{}", format.extension());
        directory.write_text(&name, &tables.only(&[id]).render(format, &Options::default()))?;
    }
    Ok(())
}

/// Writes the requested outputs of an experiment into its directory. `figures` and `page` write outputs that are not
/// tables.
pub(super) fn write_all(
    outputs: &[ruse_lab::Output],
    directory: &RunDirectory,
    tables: &Tables,
    figures: &dyn Fn(drawing::Format) -> Result<(), Failure>,
    page: &dyn Fn() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let tables = |format| write_tables(directory, tables, format);
    for output in outputs {
        match output {
            ruse_lab::Output::Md => tables(Format::Markdown)?,
            ruse_lab::Output::Csv => tables(Format::Csv)?,
            ruse_lab::Output::Tex => tables(Format::Latex)?,
            ruse_lab::Output::Json => tables(Format::Json)?,
            ruse_lab::Output::Svg => figures(drawing::Format::Svg)?,
            ruse_lab::Output::Png => figures(drawing::Format::Png)?,
            ruse_lab::Output::Html => page()?,
        }
    }
    Ok(())
}

/// The tables of an experiment, and the directory of its files.
pub(super) struct Finished<'a> {
    /// All tables, for JSON.
    pub(super) tables: Tables,
    /// The tables of the full page.
    pub(super) shown: Tables,
    /// The short answer: its body, and its last paragraph, with the verdict. `None` means that it consists of the
    /// tables.
    pub(super) short: Option<[String; 2]>,
    /// A sentence that names the tables not shown, and says how to see them; empty if all are shown.
    pub(super) others: String,
    pub(super) directory: &'a Path,
}

impl Output for Finished<'_> {
    fn page(&self) -> String {
        let options = Options { width: terminal_width().map(usize::from), ..Options::default() };
        let tables = self.shown.render(Format::Terminal, &options);
        let others = match self.others.as_str() {
            "" => String::new(),
            others => paragraph(others),
        };
        format!("{tables}\n{others}{}", terminal().written_to(self.directory))
    }

    fn answer(&self) -> String {
        let Some([body, verdict]) = &self.short else {
            let page = self.page();
            let written = terminal().written_to(self.directory);
            return match terminal().height(&page) <= LINES {
                true => page,
                false => {
                    terminal().with_hint(&terminal().first_blocks(LINES - 3, &page)) + &written
                }
            };
        };
        let path = self.directory.display();
        let others = paragraph(&format!(
            "`ruse table {path}` prints all tables, `ruse report {path}` makes a page of them."
        ));
        let written = terminal().written_to(self.directory);
        match is_quiet() {
            true => format!("{body}{verdict}{written}"),
            false => format!("{body}{others}{written}\n{verdict}"),
        }
    }

    fn object(&self) -> Value {
        let mut object = self.tables.to_json();
        object["out"] = self.directory.display().to_string().into();
        object
    }
}
