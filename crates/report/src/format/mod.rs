//! Tables of results, in formats for terminals, web pages, papers and programs.
//!
//! A [`Table`] has a row for each fact, typed cells, and columns for people, for programs, or for both. A report
//! converts results to [`Tables`], which the renderers of the six formats show. To add a table, write a function that
//! fills a [`Grid`].

mod csv;
mod entry;
mod grid;
mod html;
mod json;
mod latex;
mod markdown;
mod numbers;
mod options;
mod remarks;
mod terminal;
#[cfg(test)]
mod tests;
mod view;

pub use entry::{Entry, Mark, Text, ToEntry};
pub(super) use grid::crossed;
pub use grid::{Column, Grid, Place, Table, Visibility};
pub(super) use latex::escaped;
pub use numbers::{counted, digits, grouped, score, signed};
pub(super) use numbers::{short, span, with_bounds};
pub use options::Options;
pub(super) use remarks::{FEW, NO_INTERVAL, PUBLISHED_LEGEND, UNSEEN};
use ruse_programs::Conduct;
use serde_json::{Map, Value, json};

use self::view::say_once;

ruse_base::named! {
    /// The format of a report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum Format {
        /// Plain text for a terminal, split into blocks of columns that fit its width.
        Terminal = "terminal",
        /// Markdown.
        Markdown = "md",
        /// Comma-separated values: one row per cell, with all numbers.
        Csv = "csv",
        /// LaTeX with booktabs.
        Latex = "tex",
        /// One JSON object with all numbers.
        Json = "json",
        /// An HTML fragment, which can be inserted into a page of any encoding.
        Html = "html",
    }
}

impl Format {
    /// Returns the extension of a file in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Terminal => "txt",
            format => format.name(),
        }
    }
}

/// The tables of a report.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tables {
    /// The facts about all tables, for JSON.
    pub head: Map<String, Value>,
    /// The tables in order.
    pub tables: Vec<Table>,
    /// The sentence that people see in a terminal instead of tables without results.
    pub absent: Option<&'static str>,
}

impl Tables {
    /// Creates the tables of a report. `head` has facts about all tables, for JSON.
    ///
    /// # Panics
    ///
    /// Panics if `head` is not an object.
    pub fn new(head: Value, tables: Vec<Table>) -> Tables {
        let Value::Object(head) = head else { panic!("the head is an object: {head}") };
        Tables { head, tables, absent: None }
    }

    /// Adds the mistakes of programs that played to the first table and to the facts about all tables. Without mistakes,
    /// nothing changes.
    #[must_use]
    pub fn with_mistakes(mut self, conducts: &[Conduct]) -> Tables {
        let with_mistakes: Vec<&Conduct> =
            conducts.iter().filter(|conduct| conduct.has_mistakes()).collect();
        if let (Some(first), false) = (self.tables.first_mut(), with_mistakes.is_empty()) {
            let lines = with_mistakes.iter().filter_map(|conduct| conduct.mistakes_in_words());
            first.notes.extend(lines.map(|line| format!("{line}.")));
            self.head.insert("mistakes".into(), json!(with_mistakes));
        }
        self
    }

    /// Returns the names of all tables, in order.
    pub fn all_ids(&self) -> Vec<&'static str> {
        let mut ids: Vec<&str> = self.tables.iter().map(|table| table.id).collect();
        ids.dedup();
        ids
    }

    /// Returns the names of the tables, in order, except tables shown only on request.
    pub fn ids(&self) -> Vec<&'static str> {
        let is_shown = |table: &Table| table.shown != Visibility::OnRequest;
        let is_of = |id: &&str| self.tables.iter().any(|table| table.id == *id && is_shown(table));
        self.all_ids().into_iter().filter(is_of).collect()
    }

    /// Returns the tables with these names. If there is only one name, all formats show its tables.
    #[must_use]
    pub fn only(&self, ids: &[&str]) -> Tables {
        let tables = self.tables.iter().filter(|table| ids.contains(&table.id)).cloned();
        let tables = tables.map(|table| match ids {
            [_] => Table { shown: Visibility::Always, ..table },
            _ => table,
        });
        Tables { head: self.head.clone(), tables: tables.collect(), absent: None }
    }

    /// Returns the tables about this family alone.
    #[must_use]
    pub fn of_family(&self, family: &str) -> Tables {
        let is_of = |table: &&Table| table.family.as_deref() == Some(family);
        let tables = self.tables.iter().filter(is_of).cloned().collect();
        Tables { head: self.head.clone(), tables, absent: None }
    }

    /// Returns the tables as text, separated by empty lines and ending with a newline. In JSON, the text is a single
    /// object. In a terminal, a remark that several tables share appears once. In CSV, tables with different names have
    /// different columns, and belong in separate files.
    pub fn render(&self, format: Format, options: &Options) -> String {
        if format == Format::Json {
            return format!("{:#}\n", self.to_json());
        }
        if let (Format::Terminal, Some(absent)) = (format, self.absent) {
            return format!("{absent}\n");
        }
        let is_wanted = |table: &&Table| match table.shown {
            Visibility::Always => true,
            Visibility::NotInTerminal => format != Format::Terminal,
            Visibility::OnRequest => false,
        };
        let is_data = format == Format::Csv;
        let is_seen =
            |table: &&Table| if is_data { table.is_for_programs() } else { table.is_for_people() };
        let tables: Vec<Table> =
            self.tables.iter().filter(is_wanted).filter(is_seen).cloned().collect();
        let groups: Vec<String> = match format {
            Format::Terminal => vec![write(tables, format, options)],
            _ => groups(&tables).map(|group| write(group.to_vec(), format, options)).collect(),
        };
        groups.join("\n")
    }

    /// Returns the tables as one object. The keys are their names, and the values their rows or results.
    pub fn to_json(&self) -> Value {
        let mut object = self.head.clone();
        for group in groups(&self.tables) {
            if let Some(value) = json::value(group) {
                object.insert(group[0].id.replace('-', "_"), value);
            }
        }
        Value::Object(object)
    }

    /// Returns all tables in LaTeX, each with its name: its label without `tab:`.
    pub fn latex(&self, options: &Options) -> Vec<(String, String)> {
        let is_shown = |table: &&Table| {
            table.shown != Visibility::OnRequest && table.absent.is_none() && table.is_for_people()
        };
        let mut tables: Vec<(String, String)> = Vec::new();
        for table in self.tables.iter().filter(is_shown) {
            let mut name = latex::name(table);
            // Family names may differ only in characters that a label cannot have.
            while tables.iter().any(|(known, _)| *known == name) {
                name += "-2";
            }
            let text = latex::write_as(table, &name, options);
            tables.push((name, text));
        }
        tables
    }
}

/// Groups consecutive tables with the same name.
fn groups(tables: &[Table]) -> impl Iterator<Item = &[Table]> {
    tables.chunk_by(|a, b| a.id == b.id)
}

/// Writes tables as text, separated by empty lines; in CSV, as one table.
fn write(mut tables: Vec<Table>, format: Format, options: &Options) -> String {
    if format == Format::Csv {
        return csv::write(&tables);
    }
    // In LaTeX, tables float, so each must be complete.
    if format != Format::Latex {
        say_once(&mut tables);
    }
    let has_tables = tables.iter().any(|table| table.absent.is_none());
    let write = |table: &Table| match (format, table.absent) {
        (Format::Latex, None) => latex::write(table, options),
        (Format::Html, None) => html::write(table),
        (Format::Markdown, None) => markdown::write(table),
        (_, None) => terminal::write(table, options.width),
        (Format::Latex, Some(note)) => format!("% {note}\n"),
        (Format::Html, Some(note)) => format!("<p>{note}</p>\n"),
        (Format::Terminal, Some(note)) => terminal::paragraph(note, options.width),
        (_, Some(note)) => format!("{note}\n"),
    };
    let preamble = if format == Format::Latex && has_tables { latex::PREAMBLE } else { "" };
    format!("{preamble}{}", tables.iter().map(write).collect::<Vec<_>>().join("\n"))
}
