//! Reports in the formats of terminals, pages, papers and programs.

mod csv;
mod html;
mod latex;
mod markdown;
mod numbers;
mod options;
mod portfolios;
mod sheet;
mod terminal;
#[cfg(test)]
mod tests;
mod tournament;

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
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 4] =
        [Part::Scores, Part::HeadToHead, Part::Ranking, Part::Exploitability];

    /// The name, as in the names of files.
    pub fn name(self) -> &'static str {
        match self {
            Part::Scores => "scores",
            Part::HeadToHead => "head-to-head",
            Part::Ranking => "ranking",
            Part::Exploitability => "exploitability",
        }
    }
}

impl Report {
    /// One part of the report as text, with an end of line at its end.
    pub fn render(&self, part: Part, format: Format, options: &Options) -> String {
        let write: &dyn Fn(&Sheet) -> String = match format {
            Format::Terminal => &|sheet| terminal::write(sheet, options.width),
            Format::Markdown => &markdown::write,
            Format::Latex => &latex::write,
            Format::Html => &html::write,
            Format::Csv => {
                return match part {
                    Part::Scores => csv::scores(&self.scores),
                    Part::HeadToHead => csv::head_to_head(&self.head_to_head),
                    Part::Ranking => csv::ranking(&self.ranking),
                    Part::Exploitability => csv::exploitability(&self.exploitability),
                };
            }
            Format::Json => return format!("{:#}\n", self.part_as_json(part)),
        };
        let mut sheets = match part {
            Part::Scores => vec![sheet::scores(&self.scores, options)],
            Part::HeadToHead => {
                self.head_to_head.iter().map(|table| sheet::head_to_head(table, options)).collect()
            }
            Part::Ranking => vec![sheet::ranking(&self.ranking)],
            Part::Exploitability => {
                sheet::exploitability(&self.exploitability, options).into_iter().collect()
            }
        };
        if sheets.is_empty() {
            let note = match part {
                Part::Exploitability => {
                    "No exploitability is known: `ruse exploit DIR` computes it, or finds bounds."
                }
                _ => "No two methods met.",
            };
            return match format {
                Format::Latex => format!("% {note}\n"),
                Format::Html => format!("<p>{note}</p>\n"),
                _ => format!("{note}\n"),
            };
        }
        // Tables of LaTeX float, and have to speak for themselves.
        if format != Format::Latex {
            Sheet::say_once(&mut sheets);
        }
        let sheets: Vec<String> = sheets.iter().map(write).collect();
        let preamble = if format == Format::Latex { latex::PREAMBLE } else { "" };
        format!("{preamble}{}", sheets.join("\n"))
    }

    /// All parts, with an empty line between. As JSON it is one object; as CSV these are four tables of
    /// different columns, better written to four files by [`render`](Report::render).
    pub fn render_all(&self, format: Format, options: &Options) -> String {
        if format == Format::Json {
            return format!("{:#}\n", self.to_json());
        }
        Part::ALL.map(|part| self.render(part, format, options)).join("\n")
    }

    /// All numbers of the report.
    pub fn to_json(&self) -> Value {
        json!({
            "confidence": CONFIDENCE,
            "scores": self.scores,
            "head_to_head": self.head_to_head,
            "ranking": self.ranking,
            "exploitability": self.exploitability,
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
        }
    }
}
