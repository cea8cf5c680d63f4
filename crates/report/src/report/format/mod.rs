//! Reports in formats for terminals, web pages, papers and programs.

mod csv;
mod html;
mod latex;
mod markdown;
mod numbers;
mod options;
mod portfolios;
mod round_robin;
mod sheet;
mod terminal;
#[cfg(test)]
mod tests;
mod tournament;

pub(super) use latex::escaped;
pub use numbers::{counted, digits, grouped, score, signed};
pub use options::Options;
use serde_json::{Value, json};
pub use tournament::TournamentPart;

use self::sheet::Sheet;
use super::Report;
use crate::score::CONFIDENCE;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Plain text for a terminal, in blocks of columns that fit its width.
    Terminal,
    /// Markdown.
    Markdown,
    /// Comma-separated values: one row per cell, with all numbers.
    Csv,
    /// LaTeX with booktabs.
    Latex,
    /// One JSON object with all numbers.
    Json,
    /// HTML: parts of a page in any encoding.
    Html,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] = [
        Format::Terminal,
        Format::Markdown,
        Format::Csv,
        Format::Latex,
        Format::Json,
        Format::Html,
    ];

    /// Returns the name that a user types.
    pub fn name(self) -> &'static str {
        match self {
            Format::Terminal => "terminal",
            Format::Markdown => "md",
            Format::Csv => "csv",
            Format::Latex => "tex",
            Format::Json => "json",
            Format::Html => "html",
        }
    }

    /// Returns the extension of a file in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Terminal => "txt",
            format => format.name(),
        }
    }
}

/// A part of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Scores against the baseline.
    Scores,
    /// Methods head to head, in one table for each family.
    HeadToHead,
    /// Methods across families.
    Ranking,
    /// Exploitability of champions and mixtures.
    Exploitability,
    /// Reference players, against the baselines of the runs.
    Yardsticks,
    /// Champions against the reference strategies, in one table for each family.
    References,
    /// Tests of methods over families.
    Across,
    /// Iterations and games of the runs.
    Effort,
    /// Targets, and the numbers of games in which runs reach them.
    Targets,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 9] = [
        Part::Scores,
        Part::Yardsticks,
        Part::Effort,
        Part::Targets,
        Part::References,
        Part::HeadToHead,
        Part::Ranking,
        Part::Across,
        Part::Exploitability,
    ];

    /// The parts that answer the first questions of a comparison. Reference players are shown below the scores.
    const FIRST: [Part; 3] = [Part::Scores, Part::HeadToHead, Part::Ranking];

    /// Returns the name, as used in file names.
    pub fn name(self) -> &'static str {
        match self {
            Part::Scores => "scores",
            Part::HeadToHead => "head-to-head",
            Part::Ranking => "ranking",
            Part::Exploitability => "exploitability",
            Part::Yardsticks => "yardsticks",
            Part::References => "references",
            Part::Across => "across",
            Part::Effort => "effort",
            Part::Targets => "targets",
        }
    }
}

/// Writes tables as text, with an empty line between them.
fn write_sheets(
    mut sheets: Vec<Result<Sheet, &'static str>>,
    format: Format,
    options: &Options,
) -> String {
    // Tables float in LaTeX, so each has to be complete on its own.
    if format != Format::Latex {
        Sheet::say_once(sheets.iter_mut().filter_map(|sheet| sheet.as_mut().ok()));
    }
    let has_tables = sheets.iter().any(Result::is_ok);
    let write = |sheet: &Result<Sheet, &'static str>| match (format, sheet) {
        (Format::Latex, Ok(sheet)) => latex::write(sheet, options),
        (Format::Html, Ok(sheet)) => html::write(sheet),
        (Format::Markdown, Ok(sheet)) => markdown::write(sheet),
        (_, Ok(sheet)) => terminal::write(sheet, options.width),
        (Format::Latex, Err(note)) => format!("% {note}\n"),
        (Format::Html, Err(note)) => format!("<p>{note}</p>\n"),
        (Format::Terminal, Err(note)) => terminal::paragraph(note, options.width),
        (_, Err(note)) => format!("{note}\n"),
    };
    let preamble = if format == Format::Latex && has_tables { latex::PREAMBLE } else { "" };
    format!("{preamble}{}", sheets.iter().map(write).collect::<Vec<_>>().join("\n"))
}

impl Report {
    /// Returns one part of the report as text that ends with a newline.
    pub fn render(&self, part: Part, format: Format, options: &Options) -> String {
        match format {
            Format::Csv => match part {
                Part::Scores => csv::scores(&self.scores),
                Part::HeadToHead => csv::head_to_head(&self.head_to_head),
                Part::Ranking => csv::ranking(&self.ranking),
                Part::Exploitability => csv::exploitability(&self.exploitability),
                Part::Yardsticks => csv::yardsticks(&self.yardsticks),
                Part::References => csv::references(&self.references),
                Part::Across => csv::across(self.across.as_ref()),
                Part::Effort => csv::effort(&self.scores),
                Part::Targets => csv::targets(&self.targets),
            },
            Format::Json => format!("{:#}\n", self.part_as_json(part)),
            _ => write_sheets(self.sheets(part, options), format, options),
        }
    }

    /// Returns the tables of a part, or the message that replaces missing tables.
    fn sheets(&self, part: Part, options: &Options) -> Vec<Result<Sheet, &'static str>> {
        let sheets = match part {
            Part::Scores => {
                let mut sheets = vec![sheet::scores(&self.scores, options)];
                let yardsticks = sheet::yardsticks(&self.yardsticks);
                if yardsticks.is_empty() && !self.scores.families.is_empty() {
                    sheets[0].notes.push(sheet::UNKNOWN.into());
                }
                sheets.extend(sheet::transfers(&self.scores));
                sheets.extend(yardsticks);
                sheets
            }
            Part::Yardsticks => sheet::yardsticks(&self.yardsticks),
            Part::References => self.references.iter().map(sheet::references).collect(),
            Part::Across => self.across.iter().map(sheet::across).collect(),
            Part::Effort => sheet::effort(&self.scores).into_iter().collect(),
            Part::Targets => sheet::targets(&self.targets).into_iter().collect(),
            Part::HeadToHead => {
                self.head_to_head.iter().map(|table| sheet::head_to_head(table, options)).collect()
            }
            Part::Ranking => {
                let published = sheet::published_best(&self.ranking.published_best);
                let published = published.filter(|_| options.side_by_side);
                [sheet::ranking(&self.ranking)].into_iter().chain(published).collect()
            }
            Part::Exploitability => {
                sheet::exploitability(&self.exploitability, options).into_iter().collect()
            }
        };
        if sheets.is_empty() {
            let note = match part {
                Part::Exploitability => {
                    "No exploitability is known: `ruse exploit DIR` computes it, or finds bounds."
                }
                Part::Yardsticks => sheet::UNKNOWN,
                Part::References => {
                    "No champion was scored against the reference strategies: `ruse table DIR --measure` plays the games."
                }
                Part::Across => {
                    "There are no two families in which all of two or more methods have a score."
                }
                Part::Effort => "No run was scored.",
                Part::Targets => {
                    "There is no score to reach: `ruse table DIR --measure` scores the reference players, \
                     and --target gives a score."
                }
                _ => "No two methods met.",
            };
            return vec![Err(note)];
        }
        sheets.into_iter().map(Ok).collect()
    }

    /// Returns all parts, with an empty line between them: one object in JSON. In CSV the tables have different columns
    /// and are better written to separate files by [`render`](Report::render).
    pub fn render_all(&self, format: Format, options: &Options) -> String {
        if format == Format::Json {
            return format!("{:#}\n", self.to_json());
        }
        // All other formats show yardsticks below the scores.
        let is_own = |part: &Part| format == Format::Csv || *part != Part::Yardsticks;
        let parts: Vec<Part> = Part::ALL.into_iter().filter(is_own).collect();
        self.render_parts(&parts, format, options)
    }

    /// Returns the tables that answer the first questions of a comparison: scores, with reference players; head to
    /// head; and, for several families, the ranking.
    pub fn render_first(&self, format: Format, options: &Options) -> String {
        self.render_parts(&Part::FIRST, format, options)
    }

    /// Returns these parts, with an empty line between them. In a terminal, remarks shared by several tables appear
    /// once, and remarks about several families are left out if there is one family.
    fn render_parts(&self, parts: &[Part], format: Format, options: &Options) -> String {
        if format != Format::Terminal {
            let parts = parts.iter().map(|part| self.render(*part, format, options));
            return parts.collect::<Vec<_>>().join("\n");
        }
        let is_of_families = |part: &Part| matches!(part, Part::Ranking | Part::Across);
        let is_wanted = |part: &&Part| self.scores.families.len() > 1 || !is_of_families(part);
        let sheets = parts.iter().filter(is_wanted).flat_map(|part| self.sheets(*part, options));
        write_sheets(sheets.collect(), format, options)
    }

    /// Returns all tables in LaTeX, each with its name: its label without `tab:`.
    pub fn latex_tables(&self, options: &Options) -> Vec<(String, String)> {
        let parts = Part::ALL.into_iter().filter(|part| *part != Part::Yardsticks);
        let sheets = parts.flat_map(|part| self.sheets(part, options)).flatten();
        let mut tables: Vec<(String, String)> = Vec::new();
        for sheet in sheets {
            let mut name = latex::name(&sheet);
            // Family names may differ only in characters that a label cannot have.
            while tables.iter().any(|(known, _)| *known == name) {
                name += "-2";
            }
            let text = latex::write_as(&sheet, &name, options);
            tables.push((name, text));
        }
        tables
    }

    /// Returns all numbers of the report.
    pub fn to_json(&self) -> Value {
        json!({
            "confidence": CONFIDENCE,
            "scores": self.scores,
            "head_to_head": self.head_to_head,
            "ranking": self.ranking,
            "exploitability": self.exploitability,
            "yardsticks": self.yardsticks,
            "references": self.references,
            "across": self.across,
            "targets": self.targets,
        })
    }

    fn part_as_json(&self, part: Part) -> Value {
        match part {
            Part::Scores => json!({ "confidence": CONFIDENCE, "scores": self.scores }),
            Part::HeadToHead => {
                json!({ "confidence": CONFIDENCE, "head_to_head": self.head_to_head })
            }
            Part::Ranking => json!({ "confidence": CONFIDENCE, "ranking": self.ranking }),
            Part::Exploitability => {
                json!({ "confidence": CONFIDENCE, "exploitability": self.exploitability })
            }
            Part::Yardsticks => json!({ "confidence": CONFIDENCE, "yardsticks": self.yardsticks }),
            Part::References => json!({ "confidence": CONFIDENCE, "references": self.references }),
            Part::Across => json!({ "confidence": CONFIDENCE, "across": self.across }),
            Part::Targets => json!({ "targets": self.targets }),
            // The cells of scores include games and iterations.
            Part::Effort => json!({ "confidence": CONFIDENCE, "scores": self.scores }),
        }
    }
}
