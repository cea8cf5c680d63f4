//! Reports in the formats of terminals, pages, papers and programs.

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
pub(crate) use numbers::{counted, digits, grouped, score, signed};
pub use options::Options;
use serde_json::{Value, json};
pub use tournament::TournamentPart;

use self::sheet::Sheet;
use super::Report;
use crate::score::CONFIDENCE;

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// For a terminal: in blocks of columns that fit its width.
    Terminal,
    /// Markdown.
    Markdown,
    /// Comma-separated values: a row for every cell, with all numbers.
    Csv,
    /// LaTeX with booktabs.
    Latex,
    /// One JSON object with all numbers.
    Json,
    /// HTML: parts of a page, in any encoding.
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

    /// The name that a user types.
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

    /// The extension of a file in this format.
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
    /// What best responses take from champions and mixtures.
    Exploitability,
    /// Players that were not learned, against the same baselines.
    Yardsticks,
    /// Champions against the reference strategies, in one table for each family.
    References,
    /// Tests of methods over families.
    Across,
    /// Iterations and games of a run.
    Effort,
    /// Targets reached by games.
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

    /// Those that answer what a comparison asks first. The players that were not learned stand below the scores.
    const FIRST: [Part; 3] = [Part::Scores, Part::HeadToHead, Part::Ranking];

    /// The name, as in the names of files.
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

/// Tables as text, with an empty line between.
fn write_sheets(
    mut sheets: Vec<Result<Sheet, &'static str>>,
    format: Format,
    options: &Options,
) -> String {
    // Tables of LaTeX float, and have to speak for themselves.
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
    /// One part of the report as text, with an end of line at its end.
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

    /// The tables of a part, and what is said in their place if there are none.
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
                    "There is no score to reach: `ruse table DIR --measure` scores players that were not learned, \
                     and --target gives a score."
                }
                _ => "No two methods met.",
            };
            return vec![Err(note)];
        }
        sheets.into_iter().map(Ok).collect()
    }

    /// All parts, with an empty line between. As JSON it is one object; as CSV these are tables of different columns, better
    /// written to files of their own by [`render`](Report::render).
    pub fn render_all(&self, format: Format, options: &Options) -> String {
        if format == Format::Json {
            return format!("{:#}\n", self.to_json());
        }
        // As text yardsticks stand below the scores.
        let is_own = |part: &Part| format == Format::Csv || *part != Part::Yardsticks;
        let parts: Vec<Part> = Part::ALL.into_iter().filter(is_own).collect();
        self.render_parts(&parts, format, options)
    }

    /// The tables that answer what a comparison asks first: scores, with the players that were not learned, head to head, and,
    /// of several families, the ranking.
    pub fn render_first(&self, format: Format, options: &Options) -> String {
        self.render_parts(&Part::FIRST, format, options)
    }

    /// These parts, with an empty line between. In a terminal what is said of several tables is said once, and what is about
    /// several families is left out where there is one.
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

    /// All tables in LaTeX, each with its name, which is that of its label after `tab:`.
    pub fn latex_tables(&self, options: &Options) -> Vec<(String, String)> {
        let parts = Part::ALL.into_iter().filter(|part| *part != Part::Yardsticks);
        let sheets = parts.flat_map(|part| self.sheets(part, options)).flatten();
        let mut tables: Vec<(String, String)> = Vec::new();
        for sheet in sheets {
            let mut name = latex::name(&sheet);
            // Names of families may differ in signs that a label does not have.
            while tables.iter().any(|(known, _)| *known == name) {
                name += "-2";
            }
            let text = latex::write_as(&sheet, &name, options);
            tables.push((name, text));
        }
        tables
    }

    /// All numbers of the report.
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
            // The cells of scores have games and iterations.
            Part::Effort => json!({ "confidence": CONFIDENCE, "scores": self.scores }),
        }
    }
}
