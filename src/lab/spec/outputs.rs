//! What an experiment may write beside its results.

use schemars::{Schema, SchemaGenerator, json_schema};

use super::error::SpecError;
use super::run::find;
use crate::files::Step;

/// What is wrong with an experiment, and where.
pub(in crate::lab) type Misplaced = (Vec<Step>, SpecError);

/// The schema of what is written beside the results.
pub(in crate::lab) fn output_list(_: &mut SchemaGenerator) -> Schema {
    let names = Output::ALL.map(Output::name);
    json_schema!({ "type": "array", "uniqueItems": true, "items": { "enum": names } })
}

/// What an experiment may write beside its results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Output {
    /// Tables in Markdown.
    Md,
    /// Tables of comma-separated values.
    Csv,
    /// Tables in LaTeX.
    Tex,
    /// Tables as objects.
    Json,
    /// Figures as vector graphics.
    Svg,
    /// Figures as pixels.
    Png,
    /// One page of everything.
    Html,
}

impl Output {
    /// All of them.
    pub const ALL: [Output; 7] = [
        Output::Md,
        Output::Csv,
        Output::Tex,
        Output::Json,
        Output::Svg,
        Output::Png,
        Output::Html,
    ];
    /// What is written when nobody says.
    pub(super) const DEFAULT: [Output; 4] = [Output::Md, Output::Csv, Output::Tex, Output::Svg];

    /// The name in a file, and the ending of files.
    pub fn name(self) -> &'static str {
        match self {
            Output::Md => "md",
            Output::Csv => "csv",
            Output::Tex => "tex",
            Output::Json => "json",
            Output::Svg => "svg",
            Output::Png => "png",
            Output::Html => "html",
        }
    }
}

/// What is written beside the results, by the names in a file.
pub(in crate::lab) fn outputs_of(names: Option<&[String]>) -> Result<Vec<Output>, Misplaced> {
    let Some(names) = names else { return Ok(Output::DEFAULT.into()) };
    let output = |(index, name): (usize, &String)| {
        let found = find("output", name, Output::ALL, Output::name);
        found.map_err(|unknown| (vec!["outputs".into(), index.into()], unknown.into()))
    };
    names.iter().enumerate().map(output).collect()
}
